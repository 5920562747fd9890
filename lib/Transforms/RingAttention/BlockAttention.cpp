//===- BlockAttention.cpp - All attentions of a function ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BlockAttention.h.
//
//===----------------------------------------------------------------------===//

#include "BlockAttention.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::soap;

SmallVector<func::FuncOp> mlir::soap::functionsWithAttention(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (StringRef name :
       {"train_step", "accumulate_step", "evaluate", "forward"})
    if (auto found = module.lookupSymbol<func::FuncOp>(name))
      functions.push_back(found);
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

static SmallVector<SoftmaxOp> softmaxesOf(func::FuncOp function) {
  SmallVector<SoftmaxOp> softmaxes;
  for (auto softmax : function.getBody().front().getOps<SoftmaxOp>())
    if (mayBeAttention(softmax))
      softmaxes.push_back(softmax);
  return softmaxes;
}

static std::string describe(SoftmaxOp softmax) {
  auto name = softmax->getAttrOfType<StringAttr>(SoapDialect::kName);
  return name ? "softmax '" + name.str() + "'" : "softmax";
}

int64_t mlir::soap::longestAttention(func::FuncOp function) {
  int64_t longest = 0;
  if (function.getBody().hasOneBlock())
    for (SoftmaxOp softmax : softmaxesOf(function)) {
      std::variant<Attention, std::string> found = findAttention(softmax);
      if (auto *attention = std::get_if<Attention>(&found))
        longest = std::max(longest, attention->length());
    }
  return longest;
}

LogicalResult mlir::soap::blockAttention(func::FuncOp function,
                                         const BlockOptions &options) {
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "'@" << function.getName()
                                << "' has several blocks, expected a body of "
                                   "one block";
  llvm::StringSet<> names;
  for (Operation &op : function.getBody().front()) {
    if (op.hasAttr(SoapDialect::kConfig))
      return op.emitError()
             << "has a '" << SoapDialect::kConfig
             << "': expected a function without a strategy, for which its "
                "attention is written in blocks first";
    if (auto name = op.getAttrOfType<StringAttr>(SoapDialect::kName))
      names.insert(name.getValue());
  }
  size_t written = 0, causal = 0;
  // Each is found after those before it are written: it may read their results
  // and gradients.
  for (SoftmaxOp softmax : softmaxesOf(function)) {
    std::variant<Attention, std::string> found = findAttention(softmax);
    if (auto *why = std::get_if<std::string>(&found)) {
      softmax.emitWarning() << describe(softmax) << " stays whole: " << *why;
      continue;
    }
    const auto &attention = std::get<Attention>(found);
    if (int64_t length = attention.length(); length % options.blocks != 0)
      return softmax.emitError()
             << describe(softmax) << " is over a sequence of " << length
             << ", which 'blocks=" << options.blocks << "' does not divide";
    ++written;
    causal += attention.isCausal;
    writeBlocks(attention, options, names);
  }
  if (written == 0)
    return function.emitError()
           << "'@" << function.getName()
           << "' has no attention that is known: expected products of queries "
              "and keys, a softmax, and products with values";
  function.emitRemark() << "'@" << function.getName() << "': " << written
                        << " attention" << (written == 1 ? "" : "s") << " in "
                        << options.blocks << " blocks, " << causal
                        << " of them causal";
  return success();
}
