//===- ProgramsToLLVM.cpp - Programs and kernels to LLVM ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: kernels by dialect conversion, programs directly.
//
//===----------------------------------------------------------------------===//

#include "KernelPatterns.h"
#include "StepFunction.h"

#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CRC.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPPROGRAMSTOLLVM
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

struct ProgramsToLLVMPass
    : public mlir::soap::impl::SoapProgramsToLLVMBase<ProgramsToLLVMPass> {
  using SoapProgramsToLLVMBase::SoapProgramsToLLVMBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (outlineTasks < 0) {
      module.emitError("soap-programs-to-llvm: expected outline-tasks of at "
                       "least 0, got ")
          << outlineTasks.getValue();
      return signalPassFailure();
    }
    RuntimeSymbols runtime(module);
    SmallVector<func::FuncOp> programs;
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (function->hasAttr("soap.arena_bytes"))
        programs.push_back(function);
    if (failed(lowerPrograms(programs, runtime, outlineTasks)))
      return signalPassFailure();
    eraseUnusedKernels(module);
    computeBFloat16AsF32(module);
    if (approximate)
      approximateMath(module);
    expandBFloat16(module);
    if (failed(convertKernels(module)))
      return signalPassFailure();
    moveBFloat16AsBits(module);
    mergeEqualKernels(module);
    auto manifest = module->getAttrOfType<StringAttr>(SoapDialect::kManifest);
    if (!manifest)
      return;
    runtime.exportArray(
        "soap_manifest_crc32",
        {static_cast<int64_t>(manifest.size()),
         static_cast<int64_t>(
             llvm::crc32(llvm::arrayRefFromStringRef(manifest.getValue())))});
    // The manifest says the same.
    module->removeAttr(SoapDialect::kPrograms);
  }

  /// Kernels for the CPU that no program calls: launches without host
  /// references.
  static void eraseUnusedKernels(ModuleOp module) {
    if (!module->hasAttr(kGpuTarget))
      return;
    llvm::DenseSet<StringAttr> used;
    module.walk([&](LLVM::CallOp call) {
      if (auto callee = call.getCalleeAttr())
        used.insert(callee.getAttr());
    });
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (kernel.isPrivate() && !used.contains(kernel.getSymNameAttr()))
        kernel.erase();
  }

  /// Ops that have an approximation, where the type has it, too.
  void approximateMath(ModuleOp module) {
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) {
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

  /// Arithmetic in bf16 as arithmetic in f32 that is rounded after each op, as
  /// LLVM computes it, too: where the processor has no bf16, with calls of
  /// compiler-rt, which is in no process. Upstream's emulation may leave out
  /// the rounding between two ops.
  static void computeBFloat16AsF32(ModuleOp module) {
    OpBuilder builder(module.getContext());
    auto isNarrow = [](Value value) {
      return getElementTypeOrSelf(value).isBF16();
    };
    auto wideType = [&](Value value) -> Type {
      if (auto shaped = dyn_cast<ShapedType>(value.getType()))
        return shaped.clone(builder.getF32Type());
      return builder.getF32Type();
    };
    module.walk([&](Operation *op) {
      if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
          isa<arith::ExtFOp, arith::TruncFOp, arith::BitcastOp, arith::SelectOp,
              arith::ConstantOp>(op))
        return;
      builder.setInsertionPoint(op);
      for (OpOperand &operand : op->getOpOperands())
        if (Value value = operand.get(); isNarrow(value))
          operand.set(arith::ExtFOp::create(builder, op->getLoc(),
                                            wideType(value), value));
      builder.setInsertionPointAfter(op);
      for (Value result : op->getResults()) {
        if (!isNarrow(result))
          continue;
        Type narrow = result.getType();
        result.setType(wideType(result));
        auto rounded =
            arith::TruncFOp::create(builder, op->getLoc(), narrow, result);
        result.replaceAllUsesExcept(rounded, rounded);
      }
    });
  }

  /// Conversions from and to bf16 as bit operations: as casts they would
  /// become calls of compiler-rt, which is in no process.
  void expandBFloat16(ModuleOp module) {
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) {
      if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
        return;
      if (getElementTypeOrSelf(op->getOperand(0)).isBF16() ||
          getElementTypeOrSelf(op->getResult(0)).isBF16())
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    (void)applyOpPatternsGreedily(ops, std::move(patterns), config);
  }

  /// Loads and stores of bf16 as 16 bits: what kernels only move would be
  /// widened and rounded where the processor has no bf16, by the same calls.
  static void moveBFloat16AsBits(ModuleOp module) {
    OpBuilder builder(module.getContext());
    Type bits = builder.getI16Type();
    SmallVector<Operation *> moves;
    module.walk([&](Operation *op) {
      if (auto load = dyn_cast<LLVM::LoadOp>(op);
          load && load.getType().isBF16())
        moves.push_back(op);
      if (auto store = dyn_cast<LLVM::StoreOp>(op);
          store && store.getValue().getType().isBF16())
        moves.push_back(op);
    });
    for (Operation *op : moves) {
      if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
        builder.setInsertionPoint(op);
        store.getValueMutable().assign(LLVM::BitcastOp::create(
            builder, op->getLoc(), bits, store.getValue()));
        continue;
      }
      Value loaded = op->getResult(0);
      loaded.setType(bits);
      builder.setInsertionPointAfter(op);
      auto cast = LLVM::BitcastOp::create(builder, op->getLoc(),
                                          builder.getBF16Type(), loaded);
      loaded.replaceAllUsesExcept(cast, cast);
    }
  }

  LogicalResult convertKernels(ModuleOp module) {
    LLVMTypeConverter converter(&getContext());
    addBufferConversion(converter);
    RewritePatternSet patterns(&getContext());
    populateKernelPatterns(converter, patterns);
    populateSCFToControlFlowConversionPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    return applyFullConversion(module, target, std::move(patterns));
  }

  /// Kernels of other shapes may be the same loops: elementwise ones of as many
  /// elements. Each is emitted once. Functions that differ only in which of two
  /// equal ones they call are equal in the next round.
  void mergeEqualKernels(ModuleOp module) {
    while (mergeOnce(module)) {
    }
  }

  static bool mergeOnce(ModuleOp module) {
    llvm::StringMap<StringAttr> known;
    llvm::DenseMap<StringAttr, StringAttr> same;
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>())) {
      if (kernel.getLinkage() != LLVM::Linkage::Internal || kernel.isExternal())
        continue;
      StringAttr name = kernel.getSymNameAttr();
      std::string text;
      llvm::raw_string_ostream os(text);
      kernel.setSymName("kernel");
      kernel->print(os, OpPrintingFlags().useLocalScope().assumeVerified());
      kernel.setSymNameAttr(name);
      auto [first, isNew] = known.try_emplace(text, name);
      if (isNew)
        continue;
      same[name] = first->second;
      kernel.erase();
    }
    if (same.empty())
      return false;
    auto replace = [&](auto op, FlatSymbolRefAttr name, auto set) {
      if (!name)
        return;
      if (auto other = same.find(name.getAttr()); other != same.end())
        set(op, FlatSymbolRefAttr::get(other->second));
    };
    module.walk([&](Operation *op) {
      if (auto call = dyn_cast<LLVM::CallOp>(op))
        replace(call, call.getCalleeAttr(),
                [](auto op, auto name) { op.setCalleeAttr(name); });
      else if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
        replace(address, address.getGlobalNameAttr(),
                [](auto op, auto name) { op.setGlobalNameAttr(name); });
    });
    return true;
  }
};

} // namespace
