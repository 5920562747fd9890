//===- OpSyntax.h - Syntax that the ops share -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands, attributes and types of the ops of the model, and the directives of
// other formats. Private to the dialect's library.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_DIALECT_SOAP_OPSYNTAX_H
#define SOAP_LIB_DIALECT_SOAP_OPSYNTAX_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::soap {

/// An array with an entry for each dim, and the entry that is usual. It is not
/// printed if all of its entries are that.
struct UsualArray {
  StringLiteral name;
  int64_t entry;
};

/// `%x, %y {attributes} : types`. The types are a function type, or one type
/// that all operands and the one result have.
ParseResult parseModelOp(OpAsmParser &parser, OperationState &result,
                         ArrayRef<UsualArray> usual);
/// Prints one type if all are alike. Attributes that are in `defaults` with the
/// same value, and usual arrays, are left out.
void printModelOp(OpAsmPrinter &printer, Operation *op, DictionaryAttr defaults,
                  ArrayRef<UsualArray> usual);

/// The attributes of an op to which none are given. Null: there are none.
template <typename OpT>
DictionaryAttr defaultAttributes(OpT op) {
  if constexpr (OpT::hasProperties()) {
    typename OpT::Properties properties;
    OpT::populateDefaultProperties(op->getName(), properties);
    return dyn_cast_or_null<DictionaryAttr>(
        OpT::getPropertiesAsAttr(op->getContext(), properties));
  }
  return {};
}

/// The types of `operands` and of a result, as in `parseModelOp`.
ParseResult parseAlikeTypes(OpAsmParser &parser,
                            ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                            SmallVectorImpl<Type> &operandTypes,
                            Type &resultType);
void printAlikeTypes(OpAsmPrinter &printer, Operation *op, OperandRange,
                     TypeRange operandTypes, Type resultType);

/// As above, of one operand.
ParseResult parseAlikeTypes(OpAsmParser &parser,
                            OpAsmParser::UnresolvedOperand operand,
                            Type &operandType, Type &resultType);
void printAlikeTypes(OpAsmPrinter &printer, Operation *op, Value,
                     Type operandType, Type resultType);

/// Elements with their type, and the type of the result: if it is missing, it
/// is that of the elements.
ParseResult parseElements(OpAsmParser &parser, ElementsAttr &elements,
                          Type &type);
void printElements(OpAsmPrinter &printer, Operation *op, ElementsAttr elements,
                   Type type);

} // namespace mlir::soap

#endif // SOAP_LIB_DIALECT_SOAP_OPSYNTAX_H
