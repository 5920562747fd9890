//===- Schedule.cpp - The learning rate by iteration ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Schedule.h. All is computed in the type of the parameters: iterations are
// exact up to 2^24 of them in f32.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::soap;

namespace {

class FactorBuilder {
public:
  FactorBuilder(OpMaker &ops, Value step, Type element,
                const Schedule &schedule)
      : ops(ops), step(step), element(element), schedule(schedule) {}

  Value build();

private:
  Value decay();
  /// max(0, 1 - (step - 1 - warmup) / (total - warmup)).
  Value left(StringRef name);
  /// f + (1 - f) * x.
  Value aboveFinal(Value x, StringRef name);

  OpMaker &ops;
  Value step;
  Type element;
  const Schedule &schedule;
};

Value FactorBuilder::left(StringRef name) {
  double share = 1 / static_cast<double>(schedule.total - schedule.warmup);
  auto before = static_cast<double>(schedule.warmup + 1);
  Value done = ops.scale(step, -share, "done");
  Value sum = ops.make<AddOp>("left", done,
                              ops.scalar(element, 1 + before * share, "whole"));
  return ops.make<MaximumOp>(name, sum, ops.scalar(element, 0, "end"));
}

Value FactorBuilder::aboveFinal(Value x, StringRef name) {
  double last = schedule.finalFactor;
  return ops.make<AddOp>(name, ops.scale(x, 1 - last, "above_final"),
                         ops.scalar(element, last, "final"));
}

Value FactorBuilder::decay() {
  bool warms = schedule.warmup > 0;
  if (schedule.kind == "linear") {
    bool isLast = !warms && schedule.finalFactor == 0;
    Value rest = left(isLast ? "factor" : "rest");
    // Above 1 during the warm-up.
    if (warms)
      rest =
          ops.make<MinimumOp>("bounded", rest, ops.scalar(element, 1, "begin"));
    return schedule.finalFactor == 0 ? rest : aboveFinal(rest, "decay");
  }
  if (schedule.kind == "cosine") {
    // cos(pi * (1 - rest)) = -cos(pi * rest).
    Value rest = ops.make<MinimumOp>("bounded", left("rest"),
                                     ops.scalar(element, 1, "begin"));
    Value wave =
        ops.make<CosOp>("wave", ops.scale(rest, std::numbers::pi, "angle"));
    Value half = ops.make<AddOp>("half", ops.scale(wave, -0.5, "half_wave"),
                                 ops.scalar(element, 0.5, "middle"));
    return aboveFinal(half, "decay");
  }
  // decay-factor^n with n the integer part of (step - 1 - warmup) / every.
  Value since = ops.make<AddOp>(
      "since", step,
      ops.scalar(element, -static_cast<double>(schedule.warmup) - 0.5,
                 "before"));
  Value past =
      ops.make<MaximumOp>("past", since, ops.scalar(element, 0, "begin"));
  Value decays = ops.integerPart(
      ops.scale(past, 1 / static_cast<double>(schedule.decayEvery), "periods"),
      "decays");
  return ops.make<ExpOp>(
      "decay", ops.scale(decays, std::log(schedule.decayFactor), "exponent"));
}

Value FactorBuilder::build() {
  if (schedule.kind == "constant" || schedule.warmup > 0) {
    Value grown = ops.make<MinimumOp>(
        "warmup",
        ops.scale(step, 1 / static_cast<double>(schedule.warmup), "grown"),
        ops.scalar(element, 1, "warm"));
    if (schedule.kind == "constant")
      return grown;
    return ops.make<MulOp>("factor", grown, decay());
  }
  return decay();
}

} // namespace

std::string Schedule::check() const {
  bool ends = kind == "linear" || kind == "cosine", steps = kind == "step";
  auto text = [](const auto &value) { return std::to_string(value); };
  if (!ends && !steps && kind != "constant")
    return "unknown schedule '" + kind +
           "', expected 'constant', 'linear', 'cosine' or 'step'";
  if (warmup < 0)
    return "warmup-iterations is " + text(warmup) +
           ", expected a number of at least 0";
  if (ends ? total < 1 : total != 0)
    return "total-iterations is " + text(total) + ", expected " +
           (ends ? "a number above 0 with 'schedule=" + kind + "'"
                 : "it with 'schedule=linear' and 'schedule=cosine' only");
  if (ends && total <= warmup)
    return "total-iterations is " + text(total) + ", expected more than the " +
           text(warmup) + " of 'warmup-iterations', which it counts as well";
  if (!(finalFactor >= 0 && finalFactor <= 1))
    return "final-factor is " + text(finalFactor) +
           ", expected a number in [0, 1]";
  if (!ends && finalFactor != 0)
    return "final-factor is " + text(finalFactor) +
           ", expected it with 'schedule=linear' and 'schedule=cosine' only";
  if (steps ? decayEvery < 1 : decayEvery != 0)
    return "decay-every is " + text(decayEvery) + ", expected " +
           (steps ? "a number above 0 with 'schedule=step'"
                  : "it with 'schedule=step' only");
  if (!(decayFactor > 0 && decayFactor <= 1))
    return "decay-factor is " + text(decayFactor) +
           ", expected a number in (0, 1]";
  if (!steps && decayFactor != Schedule().decayFactor)
    return "decay-factor is " + text(decayFactor) +
           ", expected it with 'schedule=step' only";
  return "";
}

Value mlir::soap::buildScheduleFactor(OpMaker &ops, Value step, Type element,
                                      const Schedule &schedule) {
  Value number = ops.cast(step, element, "step");
  return FactorBuilder(ops, number, element, schedule).build();
}
