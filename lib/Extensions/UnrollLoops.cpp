//===- UnrollLoops.cpp - Loops of known trip count, written out -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `scf.for` around tensors has no iteration space; its iterations have.
//
//===----------------------------------------------------------------------===//

#include "Soap/Extensions/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPUNROLLLOOPS
#include "Soap/Extensions/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

struct UnrollLoopsPass
    : public mlir::soap::impl::SoapUnrollLoopsBase<UnrollLoopsPass> {
  using SoapUnrollLoopsBase::SoapUnrollLoopsBase;

  void runOnOperation() override {
    if (limit < 1) {
      getOperation().emitError() << "option 'limit=" << limit.getValue()
                                 << "': expected a positive number";
      return signalPassFailure();
    }
    // Inner loops first; those in regions of other ops belong to them.
    SmallVector<scf::ForOp> loops;
    getOperation().walk<WalkOrder::PostOrder>([&](scf::ForOp loop) {
      if (isOfProgram(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (failed(unroll(loop)))
        return signalPassFailure();
    if (loops.empty())
      return;
    // Offsets that were loop variables are constants.
    OpPassManager pipeline(ModuleOp::getOperationName());
    pipeline.addNestedPass<func::FuncOp>(createCanonicalizerPass());
    if (failed(runPipeline(pipeline, getOperation())))
      signalPassFailure();
  }

private:
  static bool isOfProgram(scf::ForOp loop) {
    Operation *parent = loop->getParentOp();
    while (isa<scf::ForOp>(parent))
      parent = parent->getParentOp();
    return isa<func::FuncOp>(parent);
  }

  LogicalResult unroll(scf::ForOp loop) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (!trips)
      return loop.emitError("'scf.for' has a bound or a step that is no "
                            "constant, expected a known number of iterations");
    if (trips->getActiveBits() > 32 ||
        static_cast<int64_t>(trips->getZExtValue()) > limit)
      return loop.emitError("'scf.for' has ")
             << trips->getZExtValue() << " iterations, expected at most "
             << limit.getValue() << " (option 'limit' of --soap-unroll-loops)";
    if (trips->isZero()) {
      loop.replaceAllUsesWith(loop.getInits());
      loop.erase();
      return success();
    }
    if (failed(loopUnrollFull(loop)))
      return loop.emitError("'scf.for' cannot be unrolled");
    return success();
  }
};

} // namespace
