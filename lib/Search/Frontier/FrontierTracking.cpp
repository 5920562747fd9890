//===- FrontierTracking.cpp - The memory-time frontier of a graph ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FrontierTracking.h. One `FrontierTracker` carries out one order of
// eliminations; where configs are chosen by a heuristic, one runs for each
// weight of memory.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Frontier/FrontierTracking.h"

#include "FrontierTracker.h"

#include <algorithm>
#include <chrono>

using namespace soap;

/// Traces and slots of all runs.
class soap::FrontierUnroller {
public:
  size_t nodeCount = 0, edgeCount = 0;
  TraceArena arena;
  std::vector<std::vector<int>> slots; ///< by run
  std::vector<uint32_t> traces;        ///< by point
  std::vector<int> runs;               ///< by point
};

FrontierChoice FrontierResult::unroll(size_t index) const {
  FrontierChoice result;
  result.choice.resize(unroller->nodeCount);
  result.alternative.resize(unroller->edgeCount);
  const std::vector<int> &slots = unroller->slots[unroller->runs[index]];
  unroller->arena.unroll(unroller->traces[index], [&](int slot, int config) {
    auto which = static_cast<size_t>(slots[static_cast<size_t>(slot)]);
    if (which < result.choice.size())
      result.choice[which] = config;
    else
      result.alternative[which - result.choice.size()] = config;
  });
  return result;
}

static bool isExact(const std::vector<EliminationStep> &steps) {
  return std::none_of(steps.begin(), steps.end(),
                      [](const EliminationStep &step) {
                        return step.kind == EliminationStep::Kind::Heuristic;
                      });
}

bool soap::isReducible(const CostGraph &graph, const FrontierOptions &options) {
  return isExact(
      eliminationOrder(graph, options.method, options.maxMergedConfigs));
}

FrontierResult soap::trackFrontier(const FrontierProblem &problem,
                                   const FrontierOptions &options) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  std::function<bool()> stopped = [&] {
    return (options.stop && *options.stop) ||
           (options.seconds > 0 && elapsed() > options.seconds);
  };
  FrontierResult result;
  auto unroller = std::make_shared<FrontierUnroller>();
  unroller->nodeCount = problem.graph.nodes.size();
  unroller->edgeCount = problem.graph.edges.size();

  std::vector<EliminationStep> steps =
      eliminationOrder(problem.graph, options.method, options.maxMergedConfigs);
  result.guaranteed = isExact(steps);
  std::vector<double> weights = options.heuristicWeights;
  if (result.guaranteed || weights.empty())
    weights = {0};
  std::vector<FrontierPoint> all;
  std::vector<std::pair<int, uint32_t>> origins; ///< run and trace
  for (size_t r = 0; r < weights.size(); ++r) {
    FrontierResult counts;
    counts.peakBytes = result.peakBytes;
    FrontierTracker tracker(problem, options, unroller->arena, stopped, counts);
    Place found = tracker.run(steps, weights[r]);
    counts.complete = found.table != nullptr || steps.empty();
    counts.guaranteed = result.guaranteed;
    counts.errorBound = result.errorBound;
    counts.largestFrontier =
        std::max(counts.largestFrontier, result.largestFrontier);
    result = std::move(counts);
    if (!result.complete)
      break;
    unroller->slots.push_back(std::move(found.slots));
    if (steps.empty()) {
      all.push_back({});
      origins.emplace_back(0, TraceArena::nothing);
      break;
    }
    result.errorBound = std::max(result.errorBound, found.table->error);
    for (FrontierPoint point : found.table->at(0)) {
      origins.emplace_back(static_cast<int>(r), point.trace);
      point.trace = static_cast<uint32_t>(origins.size() - 1);
      all.push_back(point);
    }
  }
  if (result.complete) {
    result.points = reduceToFrontier(std::move(all));
    for (FrontierPoint &point : result.points) {
      unroller->runs.push_back(origins[point.trace].first);
      unroller->traces.push_back(origins[point.trace].second);
      point.trace = 0;
    }
  }
  result.unroller = std::move(unroller);
  result.seconds = elapsed();
  return result;
}
