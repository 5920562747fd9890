//===- BlockAttentionPass.cpp - Attention, block by block -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-block-attention: finds the attentions of a function, and writes
// them as steps over blocks of keys and values.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Transforms/CheckedOptions.h"
#include "Transforms/StrategySupport.h"

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
  FailureOr<SmallVector<func::FuncOp>> chooseFunctions();
  LogicalResult rewrite(func::FuncOp function);
};

} // namespace

FailureOr<SmallVector<func::FuncOp>> BlockAttention::chooseFunctions() {
  ModuleOp module = getOperation();
  SmallVector<func::FuncOp> functions;
  if (function.empty())
    for (StringRef name :
         {"train_step", "accumulate_step", "evaluate", "forward"})
      if (auto found = module.lookupSymbol<func::FuncOp>(name))
        functions.push_back(found);
  if (!functions.empty())
    return functions;
  FailureOr<func::FuncOp> chosen = chooseFunction(module, function);
  if (failed(chosen))
    return failure();
  functions.push_back(*chosen);
  return functions;
}

/// Whether a softmax looks like that of an attention: a product of matrices of
/// each sample follows. Others are results, or gates.
static bool mayBeAttention(SoftmaxOp softmax) {
  return llvm::any_of(softmax.getY().getUsers(), [&](Operation *user) {
    auto product = dyn_cast<MatmulOp>(user);
    return product && product.getA() == softmax.getY() &&
           !product.getTransposeA() &&
           cast<RankedTensorType>(product.getB().getType()).getRank() > 2;
  });
}

static std::string describe(SoftmaxOp softmax) {
  auto name = softmax->getAttrOfType<StringAttr>(SoapDialect::kName);
  return name ? "softmax '" + name.str() + "'" : "softmax";
}

LogicalResult BlockAttention::rewrite(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "'@" << function.getName()
                                << "' has several blocks, expected a body of "
                                   "one block";
  SmallVector<SoftmaxOp> softmaxes;
  llvm::StringSet<> names;
  for (Operation &op : function.getBody().front()) {
    if (op.hasAttr(SoapDialect::kConfig))
      return op.emitError()
             << "has a '" << SoapDialect::kConfig
             << "': expected a function without a strategy, for which its "
                "attention is written in blocks first";
    if (auto name = op.getAttrOfType<StringAttr>(SoapDialect::kName))
      names.insert(name.getValue());
    if (auto softmax = dyn_cast<SoftmaxOp>(op);
        softmax && mayBeAttention(softmax))
      softmaxes.push_back(softmax);
  }
  size_t written = 0, causal = 0;
  // Each is found after those before it are written: it may read their results
  // and gradients.
  for (SoftmaxOp softmax : softmaxes) {
    std::variant<Attention, std::string> found = findAttention(softmax);
    if (auto *why = std::get_if<std::string>(&found)) {
      softmax.emitWarning() << describe(softmax) << " stays whole: " << *why;
      continue;
    }
    const auto &attention = std::get<Attention>(found);
    if (int64_t length = attention.length(); length % blocks != 0)
      return softmax.emitError()
             << describe(softmax) << " is over a sequence of " << length
             << ", which 'blocks=" << int64_t(blocks) << "' does not divide";
    ++written;
    causal += attention.isCausal;
    writeBlocks(attention, {blocks, ahead}, names);
  }
  if (written == 0)
    return function.emitError()
           << "'@" << function.getName()
           << "' has no attention that is known: expected products of queries "
              "and keys, a softmax, and products with values";
  function.emitRemark() << "'@" << function.getName() << "': " << written
                        << " attention" << (written == 1 ? "" : "s") << " in "
                        << int64_t(blocks) << " blocks, " << causal
                        << " of them causal";
  return success();
}

LogicalResult BlockAttention::run() {
  if (blocks < 2)
    return getOperation().emitError() << "option 'blocks=" << int64_t(blocks)
                                      << "': expected at least 2 blocks";
  if (ahead < 0)
    return getOperation().emitError() << "option 'ahead=" << int64_t(ahead)
                                      << "': expected a number of steps, at "
                                         "least 0";
  FailureOr<SmallVector<func::FuncOp>> functions = chooseFunctions();
  if (failed(functions))
    return failure();
  for (func::FuncOp chosen : *functions)
    if (failed(rewrite(chosen)))
      return failure();
  return success();
}
