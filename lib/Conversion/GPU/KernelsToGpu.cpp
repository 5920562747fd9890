//===- KernelsToGpu.cpp - Loops of kernels as GPU kernels -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: what `soap.parallel_call` calls for ranges of iterations becomes a
// kernel whose threads take the iterations in turn. Which iterations are
// independent was decided before, for the CPU; nothing of it is repeated here.
//
//===----------------------------------------------------------------------===//

#include "../Parallelize/CooperativeBlocks.h"
#include "../Parallelize/CooperativeRows.h"

#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPKERNELSTOGPU
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

/// A kernel gets pointers only, and calls no function.
bool canBeGpuKernel(func::FuncOp part) {
  if (!part.getBody().hasOneBlock())
    return false;
  for (Type type : part.getArgumentTypes().drop_back(2)) {
    auto buffer = dyn_cast<MemRefType>(type);
    if (!buffer || !buffer.hasStaticShape() || !buffer.getLayout().isIdentity())
      return false;
  }
  return !part.getBody()
              .walk([](Operation *op) {
                bool isKnown =
                    isa<arith::ArithDialect, math::MathDialect,
                        scf::SCFDialect>(op->getDialect()) ||
                    isa<memref::LoadOp, memref::StoreOp, memref::AllocaOp,
                        memref::AtomicRMWOp, memref::CollapseShapeOp,
                        memref::ExpandShapeOp, func::ReturnOp, cf::AssertOp>(
                        op);
                return isKnown ? WalkResult::advance()
                               : WalkResult::interrupt();
              })
              .wasInterrupted();
}

class GpuKernels {
public:
  explicit GpuKernels(ModuleOp module) : module(module) {}

  /// Kernel that runs `part` for all iterations below `extent`; null, with a
  /// message, if its blocks cannot be one.
  SymbolRefAttr kernelOf(func::FuncOp part, int64_t extent) {
    StringAttr &name = names[{part, extent}];
    if (!name)
      name = create(part, extent);
    if (!name)
      return nullptr;
    return SymbolRefAttr::get(
        gpuModule.getSymNameAttr(),
        FlatSymbolRefAttr::get(module.getContext(), name.getValue()));
  }

private:
  ModuleOp module;
  gpu::GPUModuleOp gpuModule;
  std::optional<SymbolTable> symbols;
  llvm::DenseMap<std::pair<Operation *, int64_t>, StringAttr> names;
  llvm::StringMap<StringAttr> known; ///< by their text without the name

  StringAttr create(func::FuncOp part, int64_t extent) {
    OpBuilder builder(module.getContext());
    if (!gpuModule) {
      builder.setInsertionPointToEnd(module.getBody());
      gpuModule =
          gpu::GPUModuleOp::create(builder, module.getLoc(), kGpuModuleName);
      symbols.emplace(gpuModule);
    }
    OwningOpRef<gpu::GPUFuncOp> kernel = build(part, extent);
    if (!kernel)
      return nullptr;
    std::string text;
    llvm::raw_string_ostream os(text);
    kernel.get()->print(os, OpPrintingFlags().useLocalScope().assumeVerified());
    auto [place, isNew] = known.try_emplace(text);
    if (isNew) {
      gpu::GPUFuncOp function = kernel.release();
      function.setName(part.getName());
      place->second = symbols->insert(function);
    }
    return place->second;
  }

  OwningOpRef<gpu::GPUFuncOp> build(func::FuncOp part, int64_t extent) {
    Location loc = part.getLoc();
    OpBuilder builder(module.getContext());
    ArrayRef<Type> buffers = part.getArgumentTypes().drop_back(2);
    auto kernel = gpu::GPUFuncOp::create(builder, loc, "kernel",
                                         builder.getFunctionType(buffers, {}));
    kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
    for (unsigned i = 0; i < buffers.size(); ++i)
      if (DictionaryAttr attributes = part.getArgAttrDict(i))
        kernel.setArgAttrs(i, attributes);
    if (iterationsOfBlock(part) > 0) {
      OwningOpRef<gpu::GPUFuncOp> owned(kernel);
      return succeeded(buildBlocks(kernel, part, extent))
                 ? std::move(owned)
                 : OwningOpRef<gpu::GPUFuncOp>();
    }
    builder.setInsertionPointToEnd(&kernel.getBody().front());
    auto dimension = gpu::Dimension::x;
    Value thread = gpu::ThreadIdOp::create(builder, loc, dimension);
    Value block = gpu::BlockIdOp::create(builder, loc, dimension);
    Value threads = gpu::BlockDimOp::create(builder, loc, dimension);
    Value blocks = gpu::GridDimOp::create(builder, loc, dimension);
    Value before = arith::MulIOp::create(builder, loc, block, threads);
    Value first = arith::AddIOp::create(builder, loc, before, thread);
    Value all = arith::MulIOp::create(builder, loc, blocks, threads);
    Value end = arith::ConstantIndexOp::create(builder, loc, extent);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto loop = scf::ForOp::create(builder, loc, first, end, all);
    gpu::ReturnOp::create(builder, loc);

    builder.setInsertionPoint(loop.getBody()->getTerminator());
    Value iteration = loop.getInductionVar();
    // No wrap: it is at most the extent.
    Value next = arith::AddIOp::create(builder, loc, iteration, one,
                                       arith::IntegerOverflowFlags::nsw |
                                           arith::IntegerOverflowFlags::nuw);
    IRMapping map;
    map.map(part.getArguments().drop_back(2),
            kernel.getArguments().take_front(buffers.size()));
    map.map(part.getArguments().drop_front(buffers.size()),
            ValueRange{iteration, next});
    for (Operation &op : part.getBody().front().without_terminator())
      builder.clone(op, map);
    SmallVector<scf::IfOp> rows;
    kernel.walk([&](scf::IfOp op) {
      if (op->hasAttr(kLanes))
        rows.push_back(op);
    });
    // A warp has 32 consecutive iterations, of which the extent is a multiple:
    // its lanes are together.
    for (scf::IfOp row : rows)
      distributeOverLanes(row);
    return kernel;
  }
};

struct KernelsToGpuPass
    : public mlir::soap::impl::SoapKernelsToGpuBase<KernelsToGpuPass> {
  using SoapKernelsToGpuBase::SoapKernelsToGpuBase;

  /// Fences between blocks.
  void getDependentDialects(DialectRegistry &registry) const override {
    SoapKernelsToGpuBase::getDependentDialects(registry);
    registry.insert<LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (kernels != "elementwise" && kernels != "all" && kernels != "launches") {
      module.emitError() << "unknown kernels '" << kernels
                         << "': expected elementwise, all or launches";
      return signalPassFailure();
    }
    if (Operation *other = module.lookupSymbol(kGpuModuleName)) {
      other->emitOpError() << "has the name of the module of GPU kernels, '"
                           << kGpuModuleName << "'";
      return signalPassFailure();
    }
    GpuKernels gpuKernels(module);
    if (kernels == "launches") {
      if (failed(makeLaunches(gpuKernels)))
        signalPassFailure();
      return;
    }
    llvm::DenseSet<StringAttr> chosen;
    module.walk([&](KernelCallOp call) {
      if (kernels == "all" || call.getElementwise())
        chosen.insert(call.getCalleeAttr().getAttr());
    });
    for (auto kernel : module.getOps<func::FuncOp>()) {
      if (!chosen.contains(kernel.getSymNameAttr()))
        continue;
      WalkResult walked = kernel.walk([&](ParallelCallOp call) {
        auto part = module.lookupSymbol<func::FuncOp>(call.getCallee());
        if (!part || !canBeGpuKernel(part))
          return WalkResult::advance();
        return setKernel(call, part, gpuKernels);
      });
      if (walked.wasInterrupted())
        return signalPassFailure();
    }
  }

  static WalkResult setKernel(ParallelCallOp call, func::FuncOp part,
                              GpuKernels &gpuKernels) {
    SymbolRefAttr name =
        gpuKernels.kernelOf(part, static_cast<int64_t>(call.getExtent()));
    if (!name)
      return WalkResult::interrupt();
    call->setAttr(kGpuKernel, name);
    return WalkResult::advance();
  }

  /// Every call in a program; each must have a kernel.
  LogicalResult makeLaunches(GpuKernels &gpuKernels) {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    auto result = module.walk([&](ParallelCallOp call) {
      auto part = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!part || !canBeGpuKernel(part)) {
        call.emitOpError("'")
            << call.getCallee()
            << "' cannot be a GPU kernel: expected loads, stores, loops and "
               "arithmetic on static row-major buffers";
        return WalkResult::interrupt();
      }
      return setKernel(call, part, gpuKernels);
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
