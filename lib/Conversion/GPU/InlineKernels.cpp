//===- InlineKernels.cpp - Calls of kernels become calls of their parts ---===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: on a GPU a kernel that is several loops is several launches, and
// the memory between them is part of the plan.
//
//===----------------------------------------------------------------------===//

#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPINLINEKERNELS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

struct InlineKernelsPass
    : public mlir::soap::impl::SoapInlineKernelsBase<InlineKernelsPass> {
  using SoapInlineKernelsBase::SoapInlineKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<KernelCallOp> calls;
    module.walk([&](KernelCallOp call) { calls.push_back(call); });
    llvm::DenseSet<func::FuncOp> kernels;
    for (KernelCallOp call : calls) {
      auto kernel = module.lookupSymbol<func::FuncOp>(call.getCallee());
      if (!kernel || failed(inlineCall(call, kernel)))
        return signalPassFailure();
      kernels.insert(kernel);
    }
    for (func::FuncOp kernel : kernels)
      kernel.erase();
    // Memory is reused in the order of streams, not of programs.
    module.walk([&](SendBufferOp send) {
      send->setAttr(kNoPost, UnitAttr::get(&getContext()));
    });
  }

  LogicalResult inlineCall(KernelCallOp call, func::FuncOp kernel) {
    OpBuilder builder(call);
    IRMapping map;
    map.map(kernel.getArguments(), call.getOperands());
    // Shown with the first launch.
    Attribute fused = call->getAttr(SoapDialect::kFusedSlots);
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      if (auto own = dyn_cast<memref::AllocaOp>(op)) {
        map.map(own.getResult(),
                memref::AllocOp::create(builder, call.getLoc(), own.getType()));
        continue;
      }
      auto part = dyn_cast<ParallelCallOp>(op);
      if (!part)
        return call.emitOpError("calls kernel '")
               << kernel.getName() << "', which has a '"
               << op.getName().getStringRef()
               << "': expected calls of parts only, as "
                  "--soap-finish-kernels leaves them";
      Operation *launch = builder.clone(op, map);
      launch->setLoc(call.getLoc());
      if (Attribute slot = call->getAttr(SoapDialect::kSlot))
        launch->setAttr(SoapDialect::kSlot, slot);
      if (call.getInPlace())
        launch->setAttr(kUpdate, builder.getUnitAttr());
      if (fused)
        launch->setAttr(SoapDialect::kFusedSlots, fused);
      fused = nullptr;
    }
    call.erase();
    return success();
  }
};

} // namespace
