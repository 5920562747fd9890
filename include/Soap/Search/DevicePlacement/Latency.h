//===- Latency.h - Placements for the latency of one sample -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device placement for the latency of one sample (Tarnawski et al., 2020,
// section 4): the time until the last output is computed, where devices wait
// for each other. An accelerator holds up to q contiguous subgraphs and runs
// one after the other: it waits for all inputs of a subgraph, reads them,
// computes, and writes its outputs. CPUs compute node by node, as soon as
// inputs are there and a CPU is free.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_DEVICEPLACEMENT_LATENCY_H
#define SOAP_SEARCH_DEVICEPLACEMENT_LATENCY_H

#include "Soap/Search/DevicePlacement/Throughput.h"

namespace soap::placement {

struct LatencyObjective {
  /// Most subgraphs of an accelerator, q; in training twice as many, each of
  /// which may have nodes of both passes.
  int subgraphs = 1;
};

/// How many subgraphs an accelerator may have.
int maxSubgraphsOf(const Problem &problem, const LatencyObjective &objective);

struct LatencyPlacement {
  /// Per node; which CPU computes a node of any CPU is not decided here.
  std::vector<int> deviceOf;
  /// Per node, its subgraph on its accelerator, from 0 in the order in which
  /// these run; without meaning on CPUs.
  std::vector<int> subgraphOf;
};

struct LatencyEvaluation {
  double latency = 0;
  std::vector<double> finish;    ///< per node: its output is in host memory
  std::vector<double> busyTimes; ///< per device; CPUs as they were chosen
};

/// The latency of a split. An accelerator's outputs are there when all of its
/// subgraph's are. A CPU takes the node that got ready first, ties by the index
/// of the node; nodes that take no time need no CPU. An error if subgraphs wait
/// for each other in a circle.
Expected<LatencyEvaluation> evaluateLatency(const Problem &problem,
                                            const LatencyPlacement &placement);

/// The same for a placement that obeys the rules: classes, memory, devices, at
/// most as many subgraphs as the objective allows; else the rule that it
/// breaks.
Expected<LatencyEvaluation> verifyLatency(const Problem &problem,
                                          const LatencyObjective &objective,
                                          const LatencyPlacement &placement);

/// The answer of a solver; see `Answer`.
struct LatencyAnswer {
  std::optional<LatencyPlacement> placement;
  double value = 0, bound = 0;
  bool optimal = false;
  double seconds = 0;
  double smallestMemoryBytes = 0, smallestMemoryBound = 0;
};

/// Accelerators filled along a topological order as far as memory goes, the
/// rest on CPUs.
LatencyAnswer solveLatencyGreedy(const Problem &problem,
                                 const LatencyObjective &objective,
                                 const Budget &budget);
/// The split of least maximum load (`solveDp`), judged by its latency.
LatencyAnswer solveLatencyMaxLoad(const Problem &problem,
                                  const LatencyObjective &objective,
                                  const Budget &budget);
/// A given placement. One in which all subgraphs are 0 and that would be a
/// circle gets the subgraphs in which a pipeline would run it.
Expected<LatencyAnswer> evaluateLatencyExpert(const Problem &problem,
                                              const LatencyObjective &objective,
                                              const LatencyPlacement &given);
/// Annealing of splits, from both of the above.
LatencyAnswer searchLatencyLocally(const Problem &problem,
                                   const LatencyObjective &objective,
                                   const Budget &budget);
/// The integer program of section 4, from what a local search finds; an error
/// without the solver.
Expected<LatencyAnswer>
solveLatencyMilp(const Problem &problem, const LatencyObjective &objective,
                 const Budget &budget,
                 IntegerSolver solver = IntegerSolver::Any);

/// No split has a smaller latency: the longest path of what each node takes at
/// least, with the transfers where it has to leave an accelerator as that is
/// full. For paths of at most some thousand nodes.
double latencyBound(const Problem &problem, const LatencyObjective &objective);

} // namespace soap::placement

#endif // SOAP_SEARCH_DEVICEPLACEMENT_LATENCY_H
