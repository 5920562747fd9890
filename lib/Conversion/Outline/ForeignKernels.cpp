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

#include "Soap/Dialect/Soap/Ops/ForeignOps.h"

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

/// How far the index moves with a loop.
static int64_t stepOf(AffineExpr expr, unsigned dims, unsigned loop) {
  MLIRContext *context = expr.getContext();
  SmallVector<AffineExpr> zeros(dims, getAffineConstantExpr(0, context));
  SmallVector<AffineExpr> one = zeros;
  one[loop] = getAffineConstantExpr(1, context);
  auto at = [&](ArrayRef<AffineExpr> values) {
    auto value = dyn_cast<AffineConstantExpr>(expr.replaceDims(values));
    return value ? value.getValue() : 0;
  };
  return at(one) - at(zeros);
}

/// The loop that should be the innermost one of an op that reduces: along the
/// last dim of the result, if every operand lies along it element by element,
/// or not at all. Then vectors run along it; sums keep their order. None if it
/// is the innermost one already, or there is no such loop.
static std::optional<unsigned> innermostLoop(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return std::nullopt;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto last = result.getNumResults() == 0
                  ? AffineDimExpr(nullptr)
                  : dyn_cast<AffineDimExpr>(result.getResults().back());
  if (!last || last.getPosition() + 1 == op.getNumLoops())
    return std::nullopt;
  unsigned loop = last.getPosition();
  // Threads share the outermost loop.
  if (loop == 0 ||
      op.getIteratorTypesArray()[0] != utils::IteratorType::parallel)
    return std::nullopt;
  for (AffineMap map : op.getIndexingMapsArray())
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (expr.isFunctionOfDim(loop) &&
          (i + 1 != map.getNumResults() ||
           stepOf(expr, map.getNumDims(), loop) != 1))
        return std::nullopt;
  return loop;
}

/// The op with its loops in the order that is fastest to run as they are.
static FailureOr<linalg::LinalgOp> orderLoops(IRRewriter &rewriter,
                                              linalg::LinalgOp op) {
  std::optional<unsigned> inner = innermostLoop(op);
  if (!inner)
    return op;
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    FailureOr<linalg::GenericOp> general =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(general))
      return failure();
    generic = *general;
  }
  SmallVector<unsigned> order;
  for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop)
    if (loop != *inner)
      order.push_back(loop);
  order.push_back(*inner);
  FailureOr<linalg::GenericOp> ordered =
      linalg::interchangeGenericOp(rewriter, generic, order);
  if (failed(ordered))
    return failure();
  return cast<linalg::LinalgOp>(ordered->getOperation());
}

static LogicalResult lowerToLoops(func::FuncOp kernel, bool forThreads) {
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
    FailureOr<linalg::LinalgOp> ordered = op;
    if (!forThreads)
      ordered = orderLoops(rewriter, op);
    if (failed(ordered) || failed(linalg::linalgOpToLoops(rewriter, *ordered)))
      return emitError(kernel.getLoc(), "cannot be lowered to loops");
    rewriter.eraseOp(*ordered);
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
                                            ValueRange outputs,
                                            bool forThreads) {
  auto kernel = cast<func::FuncOp>(builder.getInsertionBlock()->getParentOp());
  if (failed(op.emitKernel(builder, inputs, outputs)))
    return op->emitError() << "'" << op->getName()
                           << "' has no kernel for these attributes and types";
  if (failed(copyScalars(op, kernel)) ||
      failed(lowerToLoops(kernel, forThreads)))
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
