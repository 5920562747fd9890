//===- Compare.cpp - Two modules from the same start ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// soap-run check --compare-with: strategies must compute the same numbers up to
// the order of sums, and this is how a user sees that they do.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Soap/Runtime/Execution/Initialize.h"
#include "Soap/Runtime/Training/Checkpoint.h"
#include "Soap/Runtime/Training/FiniteWatch.h"

#include <algorithm>
#include <cmath>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

namespace {

double relative(double difference, double norm) {
  return norm > 0 ? difference / norm : difference;
}

/// Both must take the same data, in the same order.
MaybeError compareInputs(const ModelInputs &first, const ModelInputs &second) {
  if (first.data.size() != second.data.size())
    return Error{"cannot compare: the first module takes " +
                 std::to_string(first.data.size()) +
                 " data tensors, the second one " +
                 std::to_string(second.data.size())};
  for (size_t i = 0; i < first.data.size(); ++i)
    if (first.data[i].shape != second.data[i].shape)
      return Error{"cannot compare: data of shape " +
                   shapeString(first.data[i].shape) + " and " +
                   shapeString(second.data[i].shape)};
  return std::nullopt;
}

/// Gives the second session all weights of the first.
MaybeError copyWeights(Session &first, Session &second) {
  auto weights =
      collectTensors(first.manifest(), first.tensors(), SavedTensors::State);
  if (!weights)
    return weights.takeError();
  for (size_t t = 0; t < second.manifest().tensors.size(); ++t) {
    const TensorInfo &info = second.manifest().tensors[t];
    if (info.kind != TensorKind::Parameter && info.kind != TensorKind::State)
      continue;
    auto it = weights->find(info.name);
    if (it == weights->end())
      return Error{"cannot compare: only the second module has '" + info.name +
                   "'"};
    if (MaybeError error = second.tensors().set(t, it->second))
      return Error{"cannot compare: " + error->message};
    weights->erase(it);
  }
  if (!weights->empty())
    return Error{"cannot compare: only the first module has '" +
                 weights->begin()->first + "'"};
  return std::nullopt;
}

MaybeError compareWeights(Session &first, Session &second,
                          Comparison &comparison) {
  for (size_t t = 0; t < first.manifest().tensors.size(); ++t) {
    const TensorInfo &info = first.manifest().tensors[t];
    if (info.kind != TensorKind::Parameter)
      continue;
    auto a = first.tensors().get(t);
    if (!a)
      return a.takeError();
    auto b = second.tensors().get(*second.manifest().tensorNamed(info.name));
    if (!b)
      return b.takeError();
    double difference = 0, norm = 0;
    for (int64_t i = 0; i < a->volume(); ++i) {
      difference += std::pow(a->at(i) - b->at(i), 2);
      norm += std::pow(b->at(i), 2);
    }
    // Parameters on which the loss does not depend (biases of keys in
    // attention) are nothing but rounding: to be told apart, elements have to
    // be of some size.
    double smallest = 1e-5 * std::sqrt(double(a->volume()));
    double value = std::sqrt(difference) / std::max(std::sqrt(norm), smallest);
    // NaN counts as the worst.
    if (comparison.worst.empty() || !(value <= comparison.weights)) {
      comparison.weights = value;
      comparison.worst = info.name;
    }
    if (std::isnan(value))
      break;
  }
  return std::nullopt;
}

} // namespace

Expected<ComparisonRun> run::compare(Session &first, Session &second,
                                     const Options &options,
                                     const StopQuestion &stop) {
  auto a = Trainer::create(first, options.accumulate);
  if (!a)
    return a.takeError();
  auto b = Trainer::create(second, options.accumulate);
  if (!b)
    return Error{options.compareWith + ": " + b.error()};
  ModelInputs inputs = a->inputs();
  inputs.ignoreIndex = options.ignoreIndex;
  if (MaybeError error = compareInputs(inputs, b->inputs()))
    return *error;
  auto source = loadData(options.data, inputs, options.normalization,
                         uint64_t(options.seed));
  if (!source)
    return source.takeError();
  if (MaybeError error =
          checkSameData(first.placement(), options.data, *source))
    return *error;
  if (MaybeError error = initialize(first.manifest(), first.tensors(),
                                    options.init, uint64_t(options.seed)))
    return *error;
  if (MaybeError error = copyWeights(first, second))
    return *error;

  ComparisonRun run;
  FiniteWatch watchA(first), watchB(second);
  auto settle = [&](bool looks) -> MaybeError {
    if (options.allowNonFinite)
      return std::nullopt;
    for (auto [watch, file] : {std::pair{&watchA, &options.file},
                               std::pair{&watchB, &options.compareWith}}) {
      auto found = watch->settle(looks);
      if (!found)
        return found.takeError();
      if (!found->empty() && run.result.notFinite.empty())
        run.result.notFinite = *file + ": " + *found;
    }
    return std::nullopt;
  };
  int64_t perEpoch = source->train.size() / a->batch(*source), epoch = 0;
  std::vector<int64_t> order;
  Tally tally;
  for (int64_t i = 0; i < options.iterations && !run.result.stopped &&
                      run.result.notFinite.empty();
       ++i) {
    if (i % perEpoch == 0)
      order = epochOrder(source->train.size(), uint64_t(options.seed), ++epoch,
                         !options.noShuffle);
    int64_t at = i % perEpoch * a->batch(*source);
    if (MaybeError error = a->step(*source, order, at, tally))
      return Error{options.file + ": iteration " + std::to_string(i + 1) +
                   ": " + error->message};
    if (MaybeError error = b->step(*source, order, at, tally))
      return Error{options.compareWith + ": iteration " +
                   std::to_string(i + 1) + ": " + error->message};
    ++run.result.iterations;
    std::string where = "iteration " + std::to_string(i + 1);
    bool found = false;
    for (auto [watch, trainer] :
         {std::pair{&watchA, &*a}, std::pair{&watchB, &*b}})
      found |= !options.allowNonFinite &&
               watch->observe(i + 1, where, trainer->lastLoss(),
                              trainer->stepMilliseconds().back() / 1e3);
    Decision decision = stop(found);
    run.result.stopped = decision == Decision::Stop;
    if (decision == Decision::NotFinite)
      if (MaybeError error = settle(/*looks=*/false))
        return *error;
  }
  if (run.result.notFinite.empty())
    if (MaybeError error = settle(/*looks=*/true))
      return *error;
  run.milliseconds = a->stepMilliseconds();
  if (!run.result.notFinite.empty()) {
    run.result.notFinite += " (--allow-nonfinite goes on)";
    return run;
  }
  run.comparison.loss = relative(std::fabs(a->lastLoss() - b->lastLoss()),
                                 std::fabs(b->lastLoss()));
  if (MaybeError error = compareWeights(first, second, run.comparison))
    return *error;
  return run;
}
