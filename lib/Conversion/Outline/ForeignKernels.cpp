//===- ForeignKernels.cpp - Kernels of ops of other dialects --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ForeignKernels.h. Upstream's patterns make loops of linalg, and
// arithmetic of affine.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernels.h"

#include "Soap/Dialect/Soap/ForeignOps.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::soap;

void mlir::soap::insertKernelDialects(DialectRegistry &registry) {
  registry
      .insert<affine::AffineDialect, arith::ArithDialect, linalg::LinalgDialect,
              math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
              cf::ControlFlowDialect>();
}

/// Copies scalars of the program that the kernel uses to its start.
static LogicalResult copyScalars(KernelOpInterface op, func::FuncOp kernel) {
  llvm::DenseMap<Value, Value> known;
  WalkResult result = kernel.walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands()) {
      Value value = operand.get();
      if (kernel->isAncestor(value.getParentBlock()->getParentOp()))
        continue;
      Operation *producer = value.getDefiningOp();
      if (!producer || !isRepeated(producer)) {
        op.emitOpError() << "has a kernel that uses a value of type "
                         << value.getType()
                         << " from outside, expected a scalar that depends on "
                            "no tensor";
        return WalkResult::interrupt();
      }
      Value &copy = known[value];
      if (!copy) {
        OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
        copy = cloneScalar(builder, value);
      }
      operand.set(copy);
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult lowerToLoops(func::FuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  SmallVector<memref::CopyOp> copies;
  kernel.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies) {
    rewriter.setInsertionPoint(copy);
    (void)linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                                   copy.getTarget());
    rewriter.eraseOp(copy);
  }
  SmallVector<linalg::LinalgOp> structured;
  kernel.walk([&](linalg::LinalgOp op) { structured.push_back(op); });
  for (linalg::LinalgOp op : structured) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::linalgOpToLoops(rewriter, op)))
      return op.emitOpError("cannot be lowered to loops");
    rewriter.eraseOp(op);
  }
  RewritePatternSet patterns(kernel.getContext());
  populateAffineToStdConversionPatterns(patterns);
  ConversionTarget target(*kernel.getContext());
  target.addIllegalDialect<affine::AffineDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(kernel, target, std::move(patterns));
}

/// Whether the lowering of kernels to LLVM takes an op.
static bool isLoweredOp(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                         scf::SCFDialect>(op->getDialect()) ||
         isa<func::FuncOp, func::ReturnOp, memref::LoadOp, memref::StoreOp,
             memref::AllocaOp, memref::CollapseShapeOp, memref::ExpandShapeOp,
             cf::AssertOp>(op);
}

/// Messages of assertions say which op they are of.
static void nameAssertions(KernelOpInterface op, func::FuncOp kernel) {
  kernel.walk([&](cf::AssertOp assertion) {
    assertion.setMsg((assertion.getMsg() + " (in a kernel of '" +
                      op->getName().getStringRef() + "')")
                         .str());
  });
}

LogicalResult mlir::soap::emitForeignKernel(KernelOpInterface op,
                                            OpBuilder &builder,
                                            ValueRange inputs,
                                            ValueRange outputs) {
  auto kernel = cast<func::FuncOp>(builder.getInsertionBlock()->getParentOp());
  if (failed(op.emitKernel(builder, inputs, outputs)))
    return op->emitError() << "'" << op->getName()
                           << "' has no kernel for these attributes and types";
  if (failed(copyScalars(op, kernel)) || failed(lowerToLoops(kernel)))
    return failure();
  nameAssertions(op, kernel);
  WalkResult result = kernel.walk([&](Operation *inner) {
    if (isLoweredOp(inner))
      return WalkResult::advance();
    op->emitError() << "'" << op->getName() << "' has a kernel with '"
                    << inner->getName()
                    << "', expected loops, arithmetic, loads and stores";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
