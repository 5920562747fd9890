//===- PrepareKernels.cpp - GPU kernels before they become NVVM -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: a chip that exists, reductions over the lanes of a warp as
// shuffles, and polynomials of math functions.
//
//===----------------------------------------------------------------------===//

#include "../Parallelize/CooperativeRows.h"

#include "Soap/Conversion/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPPREPAREGPUKERNELS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

constexpr const char *kTriple = "nvptx64-nvidia-cuda";

/// LLVM takes an unknown chip for another one.
LogicalResult checkChip(ModuleOp module, StringRef chip) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTargetMC();
  llvm::Triple triple(kTriple);
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return module.emitError() << "this LLVM has no GPUs: " << error;
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, "", ""));
  if (chip.starts_with("sm_") && info && info->isCPUStringValid(chip))
    return success();
  return module.emitError() << "unknown chip '" << chip
                            << "': expected one that LLVM and ptxas know, such "
                               "as sm_75, sm_80, sm_90 or sm_100";
}

struct PrepareGpuKernelsPass
    : public mlir::soap::impl::SoapPrepareGpuKernelsBase<
          PrepareGpuKernelsPass> {
  using SoapPrepareGpuKernelsBase::SoapPrepareGpuKernelsBase;

  /// The patterns that `convert-gpu-to-nvvm` asks the dialects in kernels for;
  /// mlir-opt registers it for all.
  void getDependentDialects(DialectRegistry &registry) const override {
    SoapPrepareGpuKernelsBase::getDependentDialects(registry);
    registry.insert<cf::ControlFlowDialect, memref::MemRefDialect>();
    arith::registerConvertArithToLLVMInterface(registry);
    cf::registerConvertControlFlowToLLVMInterface(registry);
    registerConvertMathToLLVMInterface(registry);
    registerConvertMemRefToLLVMInterface(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkChip(module, chip)))
      return signalPassFailure();
    for (auto gpuModule : module.getOps<gpu::GPUModuleOp>()) {
      shuffle(gpuModule);
      if (approximate)
        approximateMath(gpuModule);
    }
  }

  void shuffle(gpu::GPUModuleOp gpuModule) {
    SmallVector<Operation *> ops;
    gpuModule.walk([&](gpu::SubgroupReduceOp op) { ops.push_back(op); });
    if (ops.empty())
      return;
    RewritePatternSet patterns(&getContext());
    populateGpuLowerSubgroupReduceToShufflePatterns(patterns, kWarpLanes);
    (void)applyOpPatternsGreedily(ops, std::move(patterns));
  }

  void approximateMath(gpu::GPUModuleOp gpuModule) {
    SmallVector<Operation *> ops;
    gpuModule.walk([&](Operation *op) {
      // Polynomials of sin and cos reduce their angle in f32, which loses the
      // digits of large ones: positions of rotary embeddings.
      if (isa<math::MathDialect>(op->getDialect()) &&
          !isa<math::SinOp, math::CosOp>(op) &&
          llvm::all_of(op->getOperandTypes(),
                       [](Type type) { return type.isF32(); }))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns);
    (void)applyOpPatternsGreedily(ops, std::move(patterns));
  }
};

} // namespace
