//===- ElementwiseModels.cpp - Elementwise ops on tensors -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of arith and math on tensors: every element by itself.
//
//===----------------------------------------------------------------------===//

#include "KernelLoops.h"
#include "Models.h"

#include "Soap/Dialect/Soap/KernelOpInterface.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::soap;

LogicalResult mlir::soap::emitElementwiseKernel(Operation *op,
                                                OpBuilder &builder,
                                                ValueRange inputs,
                                                ValueRange outputs) {
  Location loc = op->getLoc();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  forEach(builder, loc, shape, [&](OpBuilder &inner, ValueRange indices) {
    SmallVector<Value> elements;
    for (Value input : inputs)
      elements.push_back(
          isa<MemRefType>(input.getType())
              ? Value(memref::LoadOp::create(inner, loc, input, indices))
              : input);
    OperationState state(loc, op->getName());
    state.addOperands(elements);
    for (Type type : op->getResultTypes())
      state.addTypes(cast<RankedTensorType>(type).getElementType());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    Operation *scalar = inner.create(state);
    for (auto [result, output] : llvm::zip_equal(scalar->getResults(), outputs))
      memref::StoreOp::create(inner, loc, result, output, indices);
  });
  return success();
}

namespace {

struct ElementwiseSpace
    : public IterationSpaceOpInterface::FallbackModel<ElementwiseSpace> {
  ::soap::IterationSpace getIterationSpace(Operation *op) const {
    return elementwiseSpaceOf(op);
  }
  Operation *localize(Operation *op, OpBuilder &builder,
                      const ::soap::LoopBox &, ArrayRef<::soap::Region>,
                      ArrayRef<::soap::Region> resultRegions,
                      ValueRange tiles) const {
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(localOperands(op, builder, tiles));
    state.addTypes(localTypes(op, resultRegions));
    state.propertiesAttr = op->getPropertiesAsAttribute();
    return builder.create(state);
  }
  double getNeutralValue(Operation *) const { return 0; }
  FailureOr<SmallVector<Value>> decomposeStages(Operation *,
                                                OpBuilder &) const {
    return failure();
  }
};

struct ElementwiseKernel
    : public KernelOpInterface::FallbackModel<ElementwiseKernel> {
  LogicalResult emitKernel(Operation *op, OpBuilder &builder, ValueRange inputs,
                           ValueRange outputs) const {
    return emitElementwiseKernel(op, builder, inputs, outputs);
  }
  bool readsOperand(Operation *, unsigned) const { return true; }
  std::optional<unsigned> tiedOperand(Operation *, unsigned) const {
    return std::nullopt;
  }
};

} // namespace

void mlir::soap::attachElementwiseModels(MLIRContext *context,
                                         StringRef dialect) {
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.getDialectNamespace() == dialect &&
        name.hasTrait<OpTrait::Elementwise>())
      name.attachInterface<ElementwiseSpace, ElementwiseKernel>();
}
