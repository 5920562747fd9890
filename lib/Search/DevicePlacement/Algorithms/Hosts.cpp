//===- Hosts.cpp - Two-level topologies -----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits for accelerators in hosts, inside of which transfers are cheaper.
//
//===----------------------------------------------------------------------===//

#include "LoadState.h"
#include "Splits.h"

using namespace soap;
using namespace soap::placement;

Answer placement::solveHosts(const Problem &problem, const Objective &objective,
                             const Budget &budget) {
  Deadline deadline(budget);
  // Stages for a topology without hosts, with transfers that cost as much as
  // inside of a host, as much as outside, and what is between: neighbours in
  // the pipeline are mostly in one host.
  UnitGraph graph(problem, objective, /*ordered=*/true);
  Answer answer = fillGreedily(problem, objective, graph, deadline);
  for (int i = 0; i <= 4 && !deadline.isOver(); ++i) {
    Objective flat = objective;
    flat.acceleratorsPerHost = 0;
    Problem scaled = problem;
    double factor = 1 - (1 - objective.insideHostFactor) * i / 4;
    for (double &time : scaled.transferTime)
      time *= factor;
    Answer candidate = solveDpl(scaled, flat, deadline.rest(0.5));
    if (candidate.placement)
      improve(answer, problem, objective, *candidate.placement);
  }
  if (!answer.placement) {
    Objective flat = objective;
    flat.acceleratorsPerHost = 0;
    Answer split = solveDp(problem, flat, deadline.rest());
    if (!split.placement)
      return split;
    improve(answer, problem, objective, *split.placement);
  }
  finish(answer, lowerBound(problem, objective, deadline.rest()), deadline);
  return answer;
}
