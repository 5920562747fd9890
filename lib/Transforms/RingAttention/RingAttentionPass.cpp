//===- RingAttentionPass.cpp - Attention, block by block ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-block-attention: writes the attentions of functions as steps
// over blocks of keys and values.
//
//===----------------------------------------------------------------------===//

#include "BlockAttention.h"
#include "Transforms/Support/CheckedOptions.h"
#include "Transforms/Support/StrategySupport.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Transforms/Passes.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPBLOCKATTENTION
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

struct BlockAttention
    : CheckedOptions<mlir::soap::impl::SoapBlockAttentionBase<BlockAttention>> {
  using CheckedOptions::CheckedOptions;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run();
};

} // namespace

LogicalResult BlockAttention::run() {
  if (blocks < 2)
    return getOperation().emitError() << "option 'blocks=" << int64_t(blocks)
                                      << "': expected at least 2 blocks";
  if (ahead < 0)
    return getOperation().emitError() << "option 'ahead=" << int64_t(ahead)
                                      << "': expected a number of steps, at "
                                         "least 0";
  SmallVector<func::FuncOp> functions;
  if (function.empty())
    functions = functionsWithAttention(getOperation());
  if (functions.empty()) {
    FailureOr<func::FuncOp> chosen = chooseFunction(getOperation(), function);
    if (failed(chosen))
      return failure();
    functions.push_back(*chosen);
  }
  for (func::FuncOp chosen : functions)
    if (failed(blockAttention(chosen, {blocks, ahead})))
      return failure();
  return success();
}
