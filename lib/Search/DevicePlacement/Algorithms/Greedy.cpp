//===- Greedy.cpp - Devices filled one after the other --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Along a linear order, up to a load; the smallest load for which the devices
// suffice is found by bisection. Linear in the size of the graph per load.
//
//===----------------------------------------------------------------------===//

#include "Splits.h"

using namespace soap;
using namespace soap::placement;

namespace {

class GreedyFill {
public:
  GreedyFill(const Problem &problem, const UnitGraph &graph,
             const Objective &objective, std::vector<int> order)
      : order(std::move(order)), limits(problem, objective, graph, infinite),
        stage(graph) {
    limits.objective.replication = false;
    // A few CPUs are enough to get over what only they can compute.
    limits.cpus = std::min(limits.cpus, 4);
  }

  /// Stages with loads of at most `most`, or none.
  std::vector<SplitStage> fill(double most) {
    // The furthest end that j accelerators and c CPUs reach, and how.
    struct Reach {
      size_t end = 0;
      int before = -1;
      int replicas = 0;
    };
    int width = limits.cpus + 1;
    std::vector<Reach> reach(limits.states());
    for (int j = 0; j <= limits.accelerators; ++j)
      for (int c = 0; c < width; ++c) {
        Reach &here = reach[j * width + c];
        for (bool cpu : {false, true}) {
          if (cpu ? c == 0 : j == 0)
            continue;
          int before = cpu ? j * width + c - 1 : (j - 1) * width + c;
          size_t end = furthest(reach[before].end, most, cpu);
          if (end >= here.end)
            here = {end, before, cpu ? 0 : 1};
        }
        if (here.end == order.size())
          return trace(reach, j * width + c);
      }
    return {};
  }

private:
  std::vector<int> order;
  StageLimits limits;
  StageSet stage;

  template <typename ReachList>
  std::vector<SplitStage> trace(const ReachList &reach, int state) {
    std::vector<SplitStage> stages;
    while (reach[state].before >= 0) {
      size_t first = reach[reach[state].before].end;
      if (first < reach[state].end)
        stages.push_back(
            {{order.begin() + first, order.begin() + reach[state].end},
             reach[state].replicas});
      state = reach[state].before;
    }
    std::reverse(stages.begin(), stages.end());
    return stages;
  }

  /// The greatest end of a stage that starts at `first` and is light enough.
  size_t furthest(size_t first, double most, bool cpu) {
    size_t best = first;
    for (size_t end = first; end < order.size(); ++end) {
      stage.push(order[end]);
      const StageSums &sums = stage.sums();
      if (cpu ? sums.cpuTime > most
              : !limits.fits(sums) || computeTime(sums) > most)
        break;
      StageLoad load =
          cpu ? limits.cpuLoad(sums) : limits.acceleratorLoad(sums, 1);
      if (load.total() <= most)
        best = end + 1;
    }
    stage.clear();
    return best;
  }

  static double computeTime(const StageSums &sums) {
    return sums.acceleratorForward + sums.acceleratorBackward;
  }
};

} // namespace

Answer placement::fillGreedily(const Problem &problem,
                               const Objective &objective,
                               const UnitGraph &graph,
                               const Deadline &deadline) {
  Answer answer;
  // Without a limit in time a CPU can hold everything, and if all fits, so can
  // one accelerator.
  if (problem.cpus > 0)
    improve(
        answer, problem, objective,
        graph.placement(std::vector<int>(graph.size(), problem.accelerators)));
  if (problem.accelerators > 0)
    improve(answer, problem, objective,
            graph.placement(std::vector<int>(graph.size(), 0)));
  GreedyFill filler(problem, graph, objective, linearOrder(graph, 0, 0));
  auto attempt = [&](double most) {
    std::vector<SplitStage> stages = filler.fill(most);
    if (!stages.empty())
      improve(answer, problem, objective, placeStages(problem, graph, stages));
    return !stages.empty();
  };
  double work = 0, transfers = 0;
  for (const Unit &unit : graph.units)
    work += unit.acceleratorTime();
  for (const Net &net : graph.nets)
    transfers += net.total();
  double low = work / problem.deviceCount();
  double high = answer.placement ? answer.value : work + transfers;
  if (!answer.placement)
    attempt(infinite);
  // The first tries also when the time is over: they are the start of others.
  constexpr int tries = 24;
  constexpr size_t quickUnits = 100000;
  int triesAtLeast = graph.size() < quickUnits ? 6 : 2;
  StepClock clock(deadline);
  for (int i = 0; i < tries && low < high; ++i) {
    if (!clock.hasTimeForAnother() && i >= triesAtLeast)
      break;
    double middle = i == 0 ? std::min(low * 1.25, high) : (low + high) / 2;
    (attempt(middle) ? high : low) = middle;
  }
  finish(answer, 0, deadline);
  return answer;
}

Answer placement::solveGreedy(const Problem &problem,
                              const Objective &objective,
                              const Budget &budget) {
  Deadline deadline(budget);
  UnitGraph graph(problem, objective, /*ordered=*/true);
  Answer answer = fillGreedily(problem, objective, graph, deadline);
  if (!answer.placement)
    return solveDpl(problem, objective, deadline.rest());
  double bound = objective.contiguous
                     ? lowerBound(problem, objective, graph, deadline.rest())
                     : lowerBound(problem, objective, deadline.rest());
  finish(answer, bound, deadline);
  return answer;
}
