//===- StructuredKernels.cpp - Kernels of structured ops ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same op on buffers, which upstream lowers to loops.
//
//===----------------------------------------------------------------------===//

#include "KernelLoops.h"
#include "Models.h"

#include "Soap/Dialect/Soap/Ops/ForeignOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;
using namespace mlir::soap;

/// A buffer that is there for its shape.
static Value shapeBuffer(OpBuilder &builder, Location loc, Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return memref::AllocaOp::create(
      builder, loc, MemRefType::get(type.getShape(), type.getElementType()));
}

LogicalResult mlir::soap::emitStructuredKernel(linalg::LinalgOp op,
                                               OpBuilder &builder,
                                               ValueRange inputs,
                                               ValueRange outputs) {
  Location loc = op.getLoc();
  SmallVector<Value> buffers(inputs.take_front(op->getNumOperands()));
  for (auto [r, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    Value &held = buffers[init.getOperandNumber()];
    Value output = outputs[r];
    if (op.payloadUsesValueFromOperand(&init) && held != output) {
      if (held)
        emitCopy(builder, loc, held, output);
      else
        emitFill(builder, loc,
                 arith::ConstantOp::create(builder, loc, knownInit(init.get())),
                 output);
    }
    held = output;
  }
  for (auto [buffer, operand] : llvm::zip_equal(buffers, op->getOperands()))
    if (!buffer)
      buffer = shapeBuffer(builder, loc, operand.getType());
  Operation *kernel = clone(builder, op.getOperation(), TypeRange(), buffers);
  dropSoapAttributes(kernel);
  // Tensors that the body reads come behind the operands.
  llvm::DenseMap<Value, Value> captured;
  ValueRange others = inputs.drop_front(op->getNumOperands());
  for (OpOperand *operand : readOperands(op))
    if (operand->getOwner() != op) {
      captured[operand->get()] = others.front();
      others = others.drop_front();
    }
  kernel->walk([&](tensor::ExtractOp extract) {
    Value buffer = captured.lookup(extract.getTensor());
    if (!buffer)
      return;
    OpBuilder inner(extract);
    Value element = memref::LoadOp::create(inner, extract.getLoc(), buffer,
                                           extract.getIndices());
    extract.replaceAllUsesWith(element);
    extract.erase();
  });
  return success();
}
