//===- Baseline.cpp - What a strategy is compared with --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Baseline.h.
//
//===----------------------------------------------------------------------===//

#include "Baseline.h"

#include "SearchSummary.h"
#include "Soap/Memory/PlanMemory.h"
#include "Soap/Plan/StrategyPlan.h"

#include <algorithm>

using namespace soap;

std::optional<double> Baseline::gainOf(int64_t ns) const {
  if (!fits() || !splits || ns <= 0)
    return std::nullopt;
  return static_cast<double>(makespanNs) / static_cast<double>(ns);
}

std::string Baseline::whyNoGain() const {
  if (!splits)
    return "splits nothing";
  if (!fits())
    return "does not fit: it needs " + describeBytes(neededBytes) +
           " on a device of " + describeBytes(memoryBytes);
  return {};
}

void soap::setNeeded(Baseline &baseline, const Topology &topology,
                     const std::vector<int64_t> &needed) {
  int64_t worst = 0;
  for (int device = 0; device < topology.deviceCount(); ++device) {
    int64_t bytes = needed[static_cast<size_t>(device)],
            has = topology.memoryBytes(device);
    if (bytes - has <= worst)
      continue;
    worst = bytes - has;
    baseline.neededBytes = bytes;
    baseline.memoryBytes = has;
  }
}

bool soap::splitsOps(const Strategy &strategy) {
  return std::any_of(
      strategy.begin(), strategy.end(),
      [](const Config &config) { return config.piecesPerReplica() > 1; });
}

Baseline soap::priceBaseline(std::string name,
                             const ParallelizationProblem &problem,
                             StrategyEvaluator &evaluator,
                             const Strategy &strategy) {
  Baseline baseline;
  baseline.name = std::move(name);
  Evaluation evaluation = evaluator.start(strategy);
  baseline.makespanNs = evaluation.makespanNs;
  baseline.splits = splitsOps(strategy);
  if (evaluation.excessBytes == 0)
    return baseline;
  CostModel cost(problem.getTopology());
  StrategyPlan plan(problem.getGraph(), cost);
  plan.set(strategy);
  setNeeded(baseline, problem.getTopology(), peakBytes(plan));
  return baseline;
}
