//===- ForeignOps.cpp - Ops of other dialects in a function ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ForeignOps.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Dialect/Soap/Ops/ForeignOps.h"

#include "Soap/Dialect/Soap/KernelOpInterface.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/SoapInterfaces.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::soap;

#include "Soap/Dialect/Soap/KernelOpInterface.cpp.inc"

static bool isOfSoap(Operation *op) {
  return isa_and_nonnull<SoapDialect>(op->getDialect());
}

static bool isTensor(Type type) { return isa<TensorType>(type); }

static bool reads(Operation *op, OpOperand &operand) {
  if (!isTensor(operand.get().getType()))
    return false;
  auto kernel = dyn_cast<KernelOpInterface>(op);
  return !kernel || kernel.readsOperand(operand.getOperandNumber());
}

/// The value is defined outside of the op.
static bool isOutside(Operation *op, Value value) {
  return !op->isAncestor(value.getParentBlock()->getParentOp());
}

SmallVector<OpOperand *> mlir::soap::readOperands(Operation *op) {
  SmallVector<OpOperand *> operands;
  bool all = isOfSoap(op);
  for (OpOperand &operand : op->getOpOperands())
    if (all || reads(op, operand))
      operands.push_back(&operand);
  if (all || op->getNumRegions() == 0)
    return operands;
  llvm::SmallDenseSet<Value> known;
  op->walk([&](tensor::ExtractOp extract) {
    if (isOutside(op, extract.getTensor()) &&
        known.insert(extract.getTensor()).second)
      operands.push_back(&extract.getTensorMutable());
  });
  return operands;
}

bool mlir::soap::isRepeated(Operation *op) {
  if (isOfSoap(op) || op->getNumResults() == 0 || !isMemoryEffectFree(op))
    return false;
  if (llvm::none_of(op->getResultTypes(), isTensor))
    return op->getNumRegions() == 0 &&
           llvm::all_of(op->getOperands(), [](Value operand) {
             Operation *producer = operand.getDefiningOp();
             return producer && isRepeated(producer) &&
                    !isTensor(operand.getType());
           });
  return !op->use_empty() && llvm::all_of(op->getUses(), [](OpOperand &use) {
    return isa<KernelOpInterface>(use.getOwner()) &&
           !reads(use.getOwner(), use);
  });
}

Value mlir::soap::cloneScalar(OpBuilder &builder, Value value) {
  IRMapping map;
  auto clone = [&](auto &self, Value original) -> void {
    if (map.contains(original))
      return;
    Operation *op = original.getDefiningOp();
    for (Value operand : op->getOperands())
      self(self, operand);
    builder.clone(*op, map);
  };
  clone(clone, value);
  return map.lookup(value);
}

Value mlir::soap::findCapturedValue(Operation *op) {
  Value found;
  op->walk([&](Operation *inner) {
    if (inner == op)
      return WalkResult::advance();
    for (Value operand : inner->getOperands()) {
      if (!isOutside(op, operand))
        continue;
      if (auto extract = dyn_cast<tensor::ExtractOp>(inner);
          extract && operand == extract.getTensor())
        continue;
      Operation *producer = operand.getDefiningOp();
      if (producer && isRepeated(producer) && !isTensor(operand.getType()))
        continue;
      found = operand;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

bool mlir::soap::isCheck(Operation *op) {
  if (isOfSoap(op) || op->getNumResults() != 0 || op->getNumRegions() == 0)
    return false;
  WalkResult others = op->walk([&](Operation *inner) {
    return inner == op || isa<cf::AssertOp>(inner) ||
                   inner->hasTrait<OpTrait::IsTerminator>() ||
                   isMemoryEffectFree(inner)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !others.wasInterrupted();
}

bool mlir::soap::isModelOp(Operation *op) {
  return isa<IterationSpaceOpInterface>(op) &&
         llvm::any_of(op->getResultTypes(), isTensor) && !isRepeated(op);
}
