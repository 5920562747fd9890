//===- Recognize.cpp - Softmax and norms in programs ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Soap/Extensions/RecognizeOps.h.
//
//===----------------------------------------------------------------------===//

#include "Site.h"
#include "Totals.h"

#include "Soap/Dialect/Soap/FixedAttribute.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::recognize;

std::string RecognizedOps::text() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  const std::pair<int, const char *> counts[] = {
      {softmaxes, "softmax"},
      {softmaxGrads, "softmax_grad"},
      {layerNorms, "layer_norm"},
      {layerNormGrads, "layer_norm_grad"},
      {rmsNorms, "rms_norm"},
      {rmsNormGrads, "rms_norm_grad"},
      {gelus, "gelu"},
      {geluGrads, "gelu_grad"},
      {accumulates, "accumulate"}};
  for (auto [number, name] : counts)
    if (number)
      os << (result.empty() ? "" : ", ") << number << " " << name;
  return result;
}

template <typename... Ops>
static bool has(linalg::GenericOp op) {
  return llvm::any_of(*op.getBlock(),
                      [](Operation &inner) { return isa<Ops...>(inner); });
}

RecognizedOps mlir::soap::recognizeOps(func::FuncOp function) {
  RecognizedOps found;
  if (!function.getBody().hasOneBlock())
    return found;
  Block &block = function.getBody().front();
  SmallVector<linalg::GenericOp> candidates;
  for (auto op : block.getOps<linalg::GenericOp>())
    if (op.getNumResults() == 1 && !op->hasAttr(kFixed) &&
        isFloatTensor(op->getResult(0)) &&
        has<math::ErfOp, math::ErfcOp, math::ExpOp, math::RsqrtOp, math::SqrtOp,
            math::TanhOp>(op))
      candidates.push_back(op);
  // An erased op's place may be that of a new one, which is no candidate.
  llvm::DenseSet<Operation *> erased;
  auto eraseUnused = [&] {
    for (Operation &own : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&own)) {
        erased.insert(&own);
        own.erase();
      }
  };
  // The last first: gradients of later ops are parts of the gradients of the
  // earlier ones.
  for (linalg::GenericOp op : llvm::reverse(candidates)) {
    if (erased.contains(op))
      continue;
    bool changed = false;
    if (has<math::ExpOp>(op))
      changed = recognizeSoftmax(op, found);
    else if (has<math::SqrtOp, math::RsqrtOp>(op))
      changed = recognizeNorm(op, found);
    else
      changed = recognizeGelu(op, has<math::TanhOp>(op), found);
    if (changed)
      eraseUnused();
  }
  found.accumulates = accumulateTotals(function);
  if (found.accumulates)
    eraseUnused();
  return found;
}
