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
  Value counted = ops.make<AddOp>("counted", good, number(1, "one"));
  Value grows = ops.make<GreaterEqualOp>(
      "grows", counted, number(static_cast<double>(options.window), "window"));
  Value grown = ops.make<MinimumOp>("grown", ops.scale(scale, 2, "doubled"),
                                    number(kLargestScale, "most"));
  Value shrunk = ops.make<MaximumOp>("shrunk", ops.scale(scale, 0.5, "halved"),
                                     number(1, "least"));
  Value next = ops.make<WhereOp>("of_finite", grows, grown, scale);
  Value zero = number(0, "zero");
  Value nextGood = ops.make<WhereOp>("good_of_finite", grows, zero, counted);
  return {ops.make<WhereOp>("next", finite, next, shrunk),
          ops.make<WhereOp>("next_good", finite, nextGood, zero)};
}

Value mlir::soap::buildKeep(OpMaker &ops, Value finite, Value updated,
                            Value old, StringRef name) {
  Type element = OpMaker::elementOf(updated);
  if (isa<FloatType>(element))
    return ops.make<WhereOp>(name, finite, updated, old);
  // All i32 are numbers of f64.
  Type wide = Float64Type::get(element.getContext());
  auto part = [&](StringRef what) { return (name + "." + what).str(); };
  Value chosen =
      ops.make<WhereOp>(part("f64"), ops.cast(finite, wide, part("finite")),
                        ops.cast(updated, wide, part("updated")),
                        ops.cast(old, wide, part("old")));
  return ops.cast(chosen, element, name);
}
