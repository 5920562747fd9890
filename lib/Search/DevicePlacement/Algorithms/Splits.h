//===- Splits.h - From stages to answers ------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the solvers of contiguous splits: linear orders of units, devices
// for stages, and answers that are verified.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_SPLITS_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_SPLITS_H

#include "Search/DevicePlacement/Deadline.h"
#include "StageTable.h"

#include <functional>
#include <limits>

namespace soap::placement {

inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// Units of a stage, and how many accelerators share it (0: a CPU).
struct SplitStage {
  std::vector<int> units;
  int replicas = 1;
};

/// Stages on devices, each kind in its order.
Placement placeStages(const Problem &problem, const UnitGraph &graph,
                      const std::vector<SplitStage> &stages);

/// The answer with this placement if it beats what the answer has. Solvers
/// construct legal placements: what `verify` refuses is dropped.
bool improve(Answer &answer, const Problem &problem, const Objective &objective,
             const Placement &placement);

/// Sets bound, optimality and seconds. `bound` may be a little above the value
/// by rounding.
void finish(Answer &answer, double bound, const Deadline &deadline);

/// An order in which each unit comes after its predecessors: depth first from
/// the sources (0), depth first from the sinks (1), breadth first (2), depth
/// first with ties broken at random (3 and on). The graph must be ordered.
std::vector<int> linearOrder(const UnitGraph &graph, int which, uint64_t seed);

/// The best split of an order into stages whose value is below `limits.below`,
/// or nothing: there is none, or the time is over (`complete` tells).
std::vector<SplitStage> splitOrder(const UnitGraph &graph,
                                   const std::vector<int> &order,
                                   const StageLimits &limits,
                                   const Deadline &deadline, bool &complete);

/// `solveGreedy` on an ordered graph that is there already.
Answer fillGreedily(const Problem &problem, const Objective &objective,
                    const UnitGraph &graph, const Deadline &deadline);

/// `solveDpl` on an ordered graph that is there already, without hosts.
Answer splitLinearly(const Problem &problem, const Objective &objective,
                     const UnitGraph &graph, const Budget &budget);

/// `lowerBound` on a graph that is there already, ordered if the objective asks
/// for contiguous splits.
double lowerBound(const Problem &problem, const Objective &objective,
                  const UnitGraph &graph, const Budget &budget);

/// DPL where a transfer's cost depends on hosts.
Answer solveHosts(const Problem &problem, const Objective &objective,
                  const Budget &budget);

/// Whether it is proven that no memory that accelerators have is enough.
bool isInfeasible(const Answer &answer, const Problem &problem);

/// Fills the answer of a problem for which nothing was found: where
/// accelerators are too small, the smallest memory that would do. `search`
/// finds the best split within limits that minimize memory, or nothing.
using MemorySearch =
    std::function<std::vector<SplitStage>(const StageLimits &, bool &complete)>;
void explainInfeasible(Answer &answer, const Problem &problem,
                       const Objective &objective, const UnitGraph &graph,
                       const MemorySearch &search);

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_SPLITS_H
