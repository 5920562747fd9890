//===- LossScaling.cpp - Dynamic scale of the loss ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LossScaling.h.
//
//===----------------------------------------------------------------------===//

#include "LossScaling.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::soap;

/// As a factor of two per window, the scale stays in the numbers of f32.
static constexpr double kLargestScale = 16777216;
/// Iterations are counted in f32.
static constexpr int64_t kLongestWindow = 1 << 24;

std::string LossScale::check() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!(initial >= 1 && initial <= kLargestScale))
    os << "loss-scale is " << initial << ", expected a number in [1, 2^24]";
  else if (window < 1 || window > kLongestWindow)
    os << "loss-scale-window is " << window
       << ", expected a number in [1, 2^24]";
  return text;
}

Value mlir::soap::buildIsFinite(OpMaker &ops, Value squares) {
  Type element = OpMaker::elementOf(squares);
  // False of NaN, too.
  return ops.make<GreaterEqualOp>(
      "finite",
      ops.scalar(element, std::numeric_limits<float>::max(), "largest"),
      squares);
}

std::pair<Value, Value> mlir::soap::buildNextScale(OpMaker &ops, Value scale,
                                                   Value good, Value finite,
                                                   const LossScale &options) {
  Type element = OpMaker::elementOf(scale);
  auto number = [&](double value, StringRef name) {
    return ops.scalar(element, value, name);
  };
  Value one = number(1, "one");
  Value counted = ops.make<AddOp>("counted", good, one);
  Value grows = ops.make<GreaterEqualOp>(
      "grows", counted, number(static_cast<double>(options.window), "window"));
  // The ops that make the new states read the old ones: they are replaced in
  // their places.
  Value isMost =
      ops.make<GreaterEqualOp>("is_most", scale, number(kLargestScale, "most"));
  Value grown = ops.make<WhereOp>("growth", isMost, one, number(2, "two"));
  Value isLeast = ops.make<GreaterEqualOp>("is_least", one, scale);
  Value shrunk =
      ops.make<WhereOp>("backoff", isLeast, one, number(0.5, "half"));
  Value ofFinite = ops.make<WhereOp>("of_finite", grows, grown, one);
  Value factor = ops.make<WhereOp>("factor", finite, ofFinite, shrunk);
  Value back = ops.make<NegOp>("back", good.getType(), good);
  Value more = ops.make<WhereOp>("more", grows, back, one);
  Value change = ops.make<WhereOp>("change", finite, more, back);
  return {ops.make<MulOp>("next", scale, factor),
          ops.make<AddOp>("next_good", good, change)};
}
