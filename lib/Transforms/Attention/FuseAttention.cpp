//===- FuseAttention.cpp - Attention as one op ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-fuse-attention.
//
//===----------------------------------------------------------------------===//

#include "FuseAttention.h"

#include "AttentionChain.h"
#include "Transforms/Support/CheckedOptions.h"
#include "Transforms/Support/StrategySupport.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Transforms/Passes.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPFUSEATTENTION
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

int mlir::soap::fuseAttention(Block &block, bool remarks) {
  SmallVector<SoftmaxOp> softmaxes;
  for (auto softmax : block.getOps<SoftmaxOp>())
    if (mayBeAttention(softmax))
      softmaxes.push_back(softmax);
  int written = 0;
  for (SoftmaxOp softmax : softmaxes) {
    std::variant<AttentionChain, std::string> found = findChain(softmax);
    if (auto *chain = std::get_if<AttentionChain>(&found)) {
      writeAttention(*chain);
      ++written;
    } else if (remarks) {
      softmax.emitRemark() << "its attention stays several ops, with scores in "
                              "memory: "
                           << std::get<std::string>(found);
    }
  }
  return written;
}

namespace {

struct FuseAttention
    : CheckedOptions<mlir::soap::impl::SoapFuseAttentionBase<FuseAttention>> {
  using CheckedOptions::CheckedOptions;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

private:
  LogicalResult fuse(func::FuncOp chosen) {
    if (!chosen.getBody().hasOneBlock())
      return success();
    Block &block = chosen.getBody().front();
    for (Operation &op : block)
      for (StringRef name : {SoapDialect::kConfig, SoapDialect::kGradOf})
        if (op.hasAttr(name))
          return op.emitError()
                 << "has a '" << name
                 << "': expected a function without gradients and without a "
                    "strategy, whose attention is written as one op first";
    fuseAttention(block, /*remarks=*/true);
    return success();
  }

  LogicalResult run() {
    if (!function.empty()) {
      FailureOr<func::FuncOp> chosen = chooseFunction(getOperation(), function);
      return failure(failed(chosen) || failed(fuse(*chosen)));
    }
    for (auto chosen : getOperation().getOps<func::FuncOp>())
      if (!chosen.isDeclaration() && failed(fuse(chosen)))
        return failure();
    return success();
  }
};

} // namespace
