//===- ForeignOps.h - Ops of other dialects in a function -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of other dialects have what ops of the soap dialect do not: scalar
// operands, regions that use values from outside, init operands. Analyses and
// lowering ask these functions which operands are edges of the op graph and
// which ops are its nodes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_OPS_FOREIGNOPS_H
#define SOAP_DIALECT_SOAP_OPS_FOREIGNOPS_H

#include "Soap/Model/Region.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace mlir::soap {

/// The operands whose elements the op reads, in order: all of an op of the soap
/// dialect; of others the tensors that `KernelOpInterface::readsOperand` does
/// not except, then each tensor from outside that a `tensor.extract` in a
/// region of the op reads (as operand of the first such op). An iteration space
/// has one access map for each.
SmallVector<OpOperand *> readOperands(Operation *op);

/// The op is no node of the op graph: every shard repeats what it needs of it.
/// These are scalars that depend on no tensor, and tensors that no op reads
/// (`tensor.empty` and constant fills of init operands). Never an op of the
/// soap dialect.
bool isRepeated(Operation *op);

/// Copies the ops that compute a scalar to the insertion point, and returns the
/// copy. `value` is a result of an op for which `isRepeated` holds.
Value cloneScalar(OpBuilder &builder, Value value);

/// A value that a region of the op uses although it is defined outside of it,
/// and that is neither among `readOperands` nor a result of an op for which
/// `isRepeated` holds; null if there is none.
Value findCapturedValue(Operation *op);

/// The op is a node of the op graph: it has an iteration space and a tensor as
/// result, and is not repeated.
bool isModelOp(Operation *op);

/// An op of another dialect without results whose region only asserts: it is no
/// node of the op graph, and its assertions are not checked.
bool isCheck(Operation *op);

/// The elements of `region`, in its packed order, as dense elements of `type`.
/// `value` is dense, or a resource that has its data.
ElementsAttr sliceElements(ElementsAttr value, const ::soap::Region &region,
                           RankedTensorType type);

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_OPS_FOREIGNOPS_H
