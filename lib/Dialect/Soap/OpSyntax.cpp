//===- OpSyntax.cpp - Syntax that the ops share ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One type is printed where all types of an op are alike, and no attribute that
// has its default. What is left out may be written.
//
//===----------------------------------------------------------------------===//

#include "OpSyntax.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::soap;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// A function type, or the type of all of `count` operands and of the result.
static ParseResult parseTypes(OpAsmParser &parser, size_t count,
                              SmallVectorImpl<Type> &operands,
                              SmallVectorImpl<Type> &results) {
  SMLoc at = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type)) {
    llvm::append_range(operands, function.getInputs());
    llvm::append_range(results, function.getResults());
    return success();
  }
  if (count == 0)
    return parser.emitError(at)
           << "expected a function type, because there are no operands";
  operands.append(count, type);
  results.push_back(type);
  return success();
}

/// One type if there are operands and one result, and all are alike.
static void printTypes(OpAsmPrinter &printer, TypeRange operands,
                       TypeRange results) {
  if (!operands.empty() && results.size() == 1 &&
      llvm::all_of(operands, [&](Type type) { return type == results[0]; }))
    printer << results[0];
  else
    printer.printFunctionalType(operands, results);
}

ParseResult mlir::soap::parseAlikeTypes(
    OpAsmParser &parser, ArrayRef<OpAsmParser::UnresolvedOperand> operands,
    SmallVectorImpl<Type> &operandTypes, Type &resultType) {
  SMLoc at = parser.getCurrentLocation();
  SmallVector<Type, 1> results;
  if (parseTypes(parser, operands.size(), operandTypes, results))
    return failure();
  if (results.size() != 1)
    return parser.emitError(at)
           << "expected one result, got " << results.size();
  resultType = results.front();
  return success();
}

void mlir::soap::printAlikeTypes(OpAsmPrinter &printer, Operation *,
                                 OperandRange, TypeRange operandTypes,
                                 Type resultType) {
  printTypes(printer, operandTypes, resultType);
}

ParseResult mlir::soap::parseAlikeTypes(OpAsmParser &parser,
                                        OpAsmParser::UnresolvedOperand operand,
                                        Type &operandType, Type &resultType) {
  SMLoc at = parser.getCurrentLocation();
  SmallVector<Type, 1> operands;
  if (parseAlikeTypes(parser, operand, operands, resultType))
    return failure();
  if (operands.size() != 1)
    return parser.emitError(at)
           << "expected one operand, got " << operands.size();
  operandType = operands.front();
  return success();
}

void mlir::soap::printAlikeTypes(OpAsmPrinter &printer, Operation *, Value,
                                 Type operandType, Type resultType) {
  printTypes(printer, operandType, resultType);
}

ParseResult mlir::soap::parseElements(OpAsmParser &parser,
                                      ElementsAttr &elements, Type &type) {
  if (parser.parseAttribute(elements))
    return failure();
  if (succeeded(parser.parseOptionalColon()))
    return parser.parseType(type);
  type = elements.getShapedType();
  return success();
}

void mlir::soap::printElements(OpAsmPrinter &printer, Operation *,
                               ElementsAttr elements, Type type) {
  printer << elements;
  if (elements.getShapedType() != type)
    printer << " : " << type;
}

//===----------------------------------------------------------------------===//
// Ops of the model
//===----------------------------------------------------------------------===//

/// Adds the usual arrays that are missing. Their number of entries is the rank
/// of the result.
static void addUsual(OpAsmParser &parser, OperationState &result,
                     ArrayRef<UsualArray> usual) {
  auto type = result.types.size() == 1
                  ? dyn_cast<RankedTensorType>(result.types.front())
                  : RankedTensorType();
  if (!type)
    return;
  for (const UsualArray &array : usual)
    if (!result.attributes.get(array.name))
      result.addAttribute(
          array.name, parser.getBuilder().getDenseI64ArrayAttr(
                          SmallVector<int64_t>(type.getRank(), array.entry)));
}

ParseResult mlir::soap::parseModelOp(OpAsmParser &parser,
                                     OperationState &result,
                                     ArrayRef<UsualArray> usual) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc operandsAt = parser.getCurrentLocation();
  if (parser.parseOperandList(operands))
    return failure();
  SMLoc attributesAt = parser.getCurrentLocation();
  auto emitError = [&] {
    return parser.emitError(attributesAt)
           << "'" << result.name.getStringRef() << "' op ";
  };
  SmallVector<Type> operandTypes;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      failed(result.name.verifyInherentAttrs(result.attributes, emitError)) ||
      parser.parseColon() ||
      parseTypes(parser, operands.size(), operandTypes, result.types))
    return failure();
  addUsual(parser, result, usual);
  return parser.resolveOperands(operands, operandTypes, operandsAt,
                                result.operands);
}

/// All entries are `entry`, and there is one for each dim of the result.
static bool isUsual(Attribute value, int64_t entry, Operation *op) {
  auto array = dyn_cast<DenseI64ArrayAttr>(value);
  auto type = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  return array && type && array.size() == type.getRank() &&
         llvm::all_of(array.asArrayRef(),
                      [&](int64_t each) { return each == entry; });
}

void mlir::soap::printModelOp(OpAsmPrinter &printer, Operation *op,
                              DictionaryAttr defaults,
                              ArrayRef<UsualArray> usual) {
  SmallVector<StringRef> elided;
  for (NamedAttribute attr : op->getAttrs())
    if (defaults && defaults.get(attr.getName()) == attr.getValue())
      elided.push_back(attr.getName());
  for (const UsualArray &array : usual)
    if (Attribute value = op->getAttr(array.name);
        value && isUsual(value, array.entry, op))
      elided.push_back(array.name);
  if (op->getNumOperands() > 0)
    printer << ' ' << op->getOperands();
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  printer << " : ";
  printTypes(printer, op->getOperandTypes(), op->getResultTypes());
}
