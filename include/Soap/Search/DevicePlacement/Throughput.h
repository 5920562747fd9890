//===- Throughput.h - Solvers for the maximum load --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solvers of device placement for throughput (Tarnawski et al., 2020, section
// 5) and its baselines: free functions from a problem that has passed `check`,
// an objective and a budget to an answer. Every answer is verified against the
// original nodes. A solver returns its best answer so far when the time is over
// or `stop` is set.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_DEVICEPLACEMENT_THROUGHPUT_H
#define SOAP_SEARCH_DEVICEPLACEMENT_THROUGHPUT_H

#include "Soap/Search/DevicePlacement/Solution.h"

#include <atomic>

namespace soap::placement {

struct Budget {
  /// A solver looks for a better answer as long as this; what it starts from is
  /// computed whatever the limit.
  double seconds = 60;
  /// Set by a signal handler to stop early.
  const std::atomic<bool> *stop = nullptr;
  int threads = 1;
  /// Of what is drawn at random.
  uint64_t seed = 0;
};

/// Dynamic programming over ideals (section 5.1.1): the best contiguous split,
/// on as many threads as the budget says; the table's memory is linear in the
/// number of ideals. With GPipe, over Pareto frontiers of forward and backward
/// loads. If there are more than `maxIdeals`, or hosts, it is `solveDpl`.
Answer solveDp(const Problem &problem, const Objective &objective,
               const Budget &budget, size_t maxIdeals = 4'000'000);

/// The same over the prefixes of linear orders (section 5.1.2, DPL); the best
/// of several orders. If none has a split that fits, it is `solveDp`. For
/// hosts, splits for transfers of several costs.
Answer solveDpl(const Problem &problem, const Objective &objective,
                const Budget &budget);

/// Fills one device after the other along a linear order up to a load, the
/// smallest for which the devices suffice; if none fits, it is `solveDpl`.
Answer solveGreedy(const Problem &problem, const Objective &objective,
                   const Budget &budget);

/// Simulated annealing of units, for non-contiguous splits, from DPL's answer
/// and from random ones.
Answer searchLocally(const Problem &problem, const Objective &objective,
                     const Budget &budget);

/// PipeDream's optimizer: contracts each part that branches and joins again,
/// and is `solveDpl` on what that leaves. If a part that is contracted, or
/// every split, needs more memory than an accelerator has, it is `solveDpl`.
Answer solvePipeDream(const Problem &problem, const Objective &objective,
                      const Budget &budget);

/// A given placement; an error if it breaks a rule.
Expected<Answer> evaluateExpert(const Problem &problem,
                                const Objective &objective,
                                const Placement &placement);

/// The solver of integer programs. `Any` is the first one that the library was
/// built with.
enum class IntegerSolver { Any, Highs, Cbc };

/// Whether this library was built with Scotch, with a solver of integer
/// programs.
bool haveScotch();
bool haveMilp(IntegerSolver solver = IntegerSolver::Any);

/// Scotch's k-way partition of the graph, balanced by time, repaired where it
/// breaks a rule. Non-contiguous. In a process of its own; if the time is over
/// before it is done, or what it finds does not fit, `solveGreedy`'s answer. An
/// error without Scotch.
Expected<Answer> solveScotch(const Problem &problem, const Objective &objective,
                             const Budget &budget);

/// The integer program of appendix C, with HiGHS or CBC in a process of its
/// own. An error without the solver.
Expected<Answer> solveMilp(const Problem &problem, const Objective &objective,
                           const Budget &budget,
                           IntegerSolver solver = IntegerSolver::Any);

/// A lower bound of every placement's value, by cheap arguments first: total
/// work, minimum cuts around each unit.
double lowerBound(const Problem &problem, const Objective &objective,
                  const Budget &budget);

} // namespace soap::placement

#endif // SOAP_SEARCH_DEVICEPLACEMENT_THROUGHPUT_H
