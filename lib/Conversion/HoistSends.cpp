//===- HoistSends.cpp - Messages leave as soon as they exist --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A send is a task of its receiver's queue in the simulated schedule, where it
// stands at the time of the copy. The sender neither copies nor waits, so it
// may say where the message lies right behind the op that makes it.
//
//===----------------------------------------------------------------------===//

#include "Soap/Analysis/SharedOps.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPHOISTSENDS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {
struct HoistSendsPass
    : public mlir::soap::impl::SoapHoistSendsBase<HoistSendsPass> {
  void runOnOperation() override {
    if (failed(inlineSharedOps(getOperation())))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        hoist(block);
  }

private:
  /// Sends of one op keep their order, and so do sends of arguments, which go
  /// to the front.
  static void hoist(Block &block) {
    llvm::DenseMap<Operation *, Operation *> behind;
    Operation *front = nullptr;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto send = dyn_cast<SendOp>(op);
      if (!send)
        continue;
      Operation *producer = send.getTile().getDefiningOp();
      Operation *&last = producer ? behind[producer] : front;
      if (!last)
        last = producer;
      if (last)
        op.moveAfter(last);
      else
        op.moveBefore(&block, block.begin());
      last = &op;
    }
  }
};
} // namespace
