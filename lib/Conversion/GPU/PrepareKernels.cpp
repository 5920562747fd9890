//===- PrepareKernels.cpp - GPU kernels before they become NVVM -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: a chip that exists, reductions over the lanes of a warp as
// shuffles, exp by an instruction, and polynomials of other math functions.
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

/// exp of f32 by the instruction ex2.approx: x log2(e) is h + l, of which h is
/// the rounded product and l the rest, and
///
///   exp(x) = 2^h 2^l = 2^h (1 + l ln 2),
///
/// as l is at most 2^-18. It is as accurate as the instruction, which CUDA's
/// own exp2f is, except for two roundings.
struct ExpByInstruction : public OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = op.getOperand();
    if (!x.getType().isF32())
      return failure();
    auto number = [&](float value) -> Value {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getF32FloatAttr(value));
    };
    constexpr float log2e = 0x1.715476p+0F, log2eRest = 0x1.4AE0C0p-26F,
                    ln2 = 0x1.62E430p-1F, large = 160;
    Value high = arith::MulFOp::create(rewriter, loc, x, number(log2e));
    Value minus = arith::NegFOp::create(rewriter, loc, high);
    Value low = math::FmaOp::create(
        rewriter, loc, x, number(log2eRest),
        math::FmaOp::create(rewriter, loc, x, number(log2e), minus));
    // Of infinities the rest is no number.
    Value isSmall = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OLT,
        math::AbsFOp::create(rewriter, loc, high), number(large));
    low = arith::SelectOp::create(rewriter, loc, isSmall, low, number(0));
    Value factor =
        math::FmaOp::create(rewriter, loc, low, number(ln2), number(1));
    Value power = math::Exp2Op::create(rewriter, loc, high);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, power, factor);
    return success();
  }
};

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
    patterns.add<ExpByInstruction>(&getContext(), /*benefit=*/10);
    populateMathPolynomialApproximationPatterns(patterns);
    (void)applyOpPatternsGreedily(ops, std::move(patterns));
  }
};

} // namespace
