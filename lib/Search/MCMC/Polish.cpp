//===- Polish.cpp - Local optimality under single-group changes -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups in turn, each until nothing of it improves; the end is reached when
// all groups in a row had nothing to improve.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/MCMC/Polish.h"

#include "Search/Evaluator/GroupNeighbours.h"
#include "Search/Evaluator/SearchRun.h"
#include "Search/Problem/ConfigSpace.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>

using namespace soap;

bool soap::polishDeviceLists(const ParallelizationProblem &problem,
                             const Strategy &strategy, int group,
                             std::span<const int> neighbours, int64_t count,
                             int64_t maxArrangements,
                             std::vector<std::vector<int>> &lists) {
  assert(count > 0 && "at least one piece");
  int devices = problem.getTopology().deviceCount();
  lists.clear();
  if (!problem.anyDevices) {
    std::iota(lists.emplace_back(count).begin(), lists.back().end(), 0);
    return true;
  }
  if (arrangementCount(devices, count, maxArrangements) <= maxArrangements) {
    lists = arrangements(devices, count);
    return true;
  }
  std::set<std::vector<int>> known;
  auto add = [&](const std::vector<int> &list) {
    if (known.insert(list).second)
      lists.push_back(list);
  };
  std::vector<int> list(count);
  for (int64_t stride = 1; stride * count <= devices; stride *= 2)
    for (int start = 0; start < devices; ++start) {
      for (int64_t i = 0; i < count; ++i)
        list[i] = static_cast<int>((start + i * stride) % devices);
      add(list);
    }
  auto listOf = [&](int other) -> const std::vector<int> & {
    return strategy[problem.getGroups()[other].leader].devices;
  };
  for (int other : neighbours)
    if (static_cast<int64_t>(listOf(other).size()) == count)
      add(listOf(other));
  const std::vector<int> &own = listOf(group);
  if (static_cast<int64_t>(own.size()) != count)
    return false;
  add(own);
  std::vector<bool> used(devices);
  for (int device : own)
    used[device] = true;
  list = own;
  for (size_t i = 0; i < list.size(); ++i) {
    for (size_t j = i + 1; j < list.size(); ++j) {
      std::swap(list[i], list[j]);
      add(list);
      std::swap(list[i], list[j]);
    }
    for (int device = 0; device < devices; ++device)
      if (!used[device]) {
        list[i] = device;
        add(list);
        list[i] = own[i];
      }
  }
  return false;
}

namespace {

class Polisher {
public:
  Polisher(const ParallelizationProblem &problem, const PolishOptions &options)
      : problem(problem), options(options), run(options, result.search),
        evaluator(problem), neighbours(problem) {
    for (const OpGroup &group : problem.getGroups())
      degrees.push_back(legalDegrees(problem, group.leader));
  }

  PolishResult polish() {
    run.offerStarts(problem);
    result.allDeviceLists = true;
    if (run.isOver()) {
      run.finish(evaluator.getStatistics());
      return std::move(result);
    }
    now = evaluator.start(Strategy(result.search.best));
    size_t count = problem.getGroups().size(), unimproved = 0;
    for (size_t g = 0; unimproved < count; g = (g + 1) % count) {
      int64_t before = result.search.accepted;
      if (!improve(static_cast<int>(g)))
        break;
      unimproved = result.search.accepted == before ? unimproved + 1 : 0;
      if (unimproved == 0)
        result.alternatives = 0;
    }
    result.locallyOptimal = unimproved == count;
    run.finish(evaluator.getStatistics());
    return std::move(result);
  }

private:
  const ParallelizationProblem &problem;
  const PolishOptions &options;
  PolishResult result;
  SearchRun run;
  StrategyEvaluator evaluator;
  GroupNeighbours neighbours;
  Evaluation now;
  std::vector<std::vector<std::vector<int64_t>>> degrees; ///< by group

  /// Tries all alternatives of a group, takes those that are better. False if
  /// the budget is spent before.
  bool improve(int group) {
    if (problem.fixedConfig(problem.getGroups()[group].leader))
      return true;
    std::vector<int> others = neighbours.of(group);
    std::vector<std::vector<int>> lists;
    int64_t listed = -1; // pieces that `lists` is for
    for (const std::vector<int64_t> &choice : degrees[group]) {
      int64_t count = pieceCount(choice);
      if (count != listed) {
        result.allDeviceLists &=
            polishDeviceLists(problem, evaluator.getStrategy(), group, others,
                              count, options.maxArrangements, lists);
        listed = count;
      }
      for (const std::vector<int> &list : lists) {
        Config config = makeConfig(choice, list);
        if (isCurrent(group, config))
          continue;
        if (run.isOver())
          return false;
        propose(group, config);
      }
    }
    return true;
  }

  /// Presets give members configs that do not follow their leaders.
  bool isCurrent(int number, const Config &config) const {
    const OpGroup &group = problem.getGroups()[number];
    const Strategy &strategy = evaluator.getStrategy();
    if (config != strategy[group.leader])
      return false;
    const Graph &graph = problem.getGraph();
    const IterationSpace &space = graph.nodes[group.leader].whole.space;
    for (size_t m = 0; m < group.nodes.size(); ++m)
      if (group.nodes[m] != group.leader &&
          strategy[group.nodes[m]] !=
              followConfig(space, config,
                           graph.nodes[group.nodes[m]].whole.space,
                           group.loops[m]))
        return false;
    return true;
  }

  void propose(int group, const Config &config) {
    run.countProposal();
    ++result.alternatives;
    bool fits = now.excessBytes == 0;
    Evaluation next = fits
                          ? evaluator.propose(group, config, now.makespanNs - 1)
                          : evaluator.propose(group, config);
    if (!isBetter(next, now)) {
      evaluator.reject();
      return;
    }
    evaluator.accept();
    now = next;
    ++result.search.accepted;
    run.offer(evaluator.getStrategy(), now);
  }
};

} // namespace

PolishResult soap::searchPolish(const ParallelizationProblem &problem,
                                const PolishOptions &options) {
  assert(!problem.check() && "the problem must have passed check");
  return Polisher(problem, options).polish();
}
