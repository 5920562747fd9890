//===- LinearDynamicProgram.cpp - Dynamic programming over linear orders --===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Section 5.1.2 of the paper: an order of the graph has as many ideals as
// units.
//
//===----------------------------------------------------------------------===//

#include "Splits.h"

using namespace soap;
using namespace soap::placement;

/// Depth first orders from both ends, breadth first, and some at random: what
/// is lost by linearization depends on ties.
static constexpr int orders = 12;

Answer placement::splitLinearly(const Problem &problem,
                                const Objective &objective,
                                const UnitGraph &graph, const Budget &budget) {
  Deadline deadline(budget);
  Answer answer = fillGreedily(problem, objective, graph, deadline);
  for (int i = 0; i < orders && !deadline.isOver(); ++i) {
    StageLimits limits(problem, objective, graph,
                       answer.placement ? answer.value : infinite);
    bool complete;
    std::vector<SplitStage> stages = splitOrder(
        graph, linearOrder(graph, i, budget.seed), limits, deadline, complete);
    if (!stages.empty())
      improve(answer, problem, objective, placeStages(problem, graph, stages));
  }
  if (!answer.placement)
    explainInfeasible(answer, problem, objective, graph,
                      [&](const StageLimits &limits, bool &complete) {
                        auto stages =
                            splitOrder(graph, linearOrder(graph, 0, 0), limits,
                                       deadline, complete);
                        complete = false; // other orders may need less
                        return stages;
                      });
  double bound = objective.contiguous
                     ? lowerBound(problem, objective, graph, deadline.rest())
                     : lowerBound(problem, objective, deadline.rest());
  finish(answer, bound, deadline);
  return answer;
}

Answer placement::solveDpl(const Problem &problem, const Objective &objective,
                           const Budget &budget) {
  if (objective.hasHosts())
    return solveHosts(problem, objective, budget);
  Deadline deadline(budget);
  UnitGraph graph(problem, objective, /*ordered=*/true);
  Answer answer = splitLinearly(problem, objective, graph, deadline.rest());
  bool mayFit = answer.smallestMemoryBound <= problem.acceleratorMemoryBytes;
  if (!answer.placement && mayFit && !deadline.isOver())
    return solveDp(problem, objective, deadline.rest());
  answer.seconds = deadline.elapsed();
  return answer;
}
