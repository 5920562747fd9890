//===- BranchAndBound.h - Proofs for kernels --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depth first: a subproblem is reduced, bounded by message passing, and rid of
// the states, and pairs of states, that no better solution has; what is small
// is eliminated exactly, the rest is split: where memory leaves a gap, into
// states of a node that hold much and little, else over the states of a node.
// Prices of memory begin with the final prices of the larger problem.
// Subproblems are kept as a stack, so that the proof can go on in slices
// between which other searches run.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_COSTGRAPH_BRANCHANDBOUND_H
#define SOAP_LIB_SEARCH_COSTGRAPH_BRANCHANDBOUND_H

#include "BlockSearch.h"
#include "Reducer.h"

#include <functional>

namespace soap::costgraph {

class BranchAndBound {
public:
  /// States of the kernel that fit, and their cost.
  using Offer = std::function<void(int64_t cost, std::vector<int> states)>;

  explicit BranchAndBound(const Kernel &kernel, int64_t rootBound = 0);
  /// Among the states that `keep` says, by node: a heuristic if they are not
  /// known to be the ones that matter.
  BranchAndBound(const Kernel &kernel,
                 const std::vector<std::vector<char>> &keep);

  /// Works on subproblems until so many sums were computed. `incumbent`: cost
  /// of the best solution known; only cheaper ones are looked for. What is
  /// found is offered.
  void run(double work, int64_t incumbent, const Offer &offer,
           const StopCheck &stop);
  /// Nothing is left: no solution is cheaper than the incumbent.
  bool isDone() const { return stack.empty(); }
  /// No solution that was not offered costs less.
  int64_t bound() const;
  int64_t nodes() const { return nodeCount; }
  /// Sums that were computed.
  double work() const { return workDone; }

private:
  struct Subproblem {
    Reducer reducer;
    int64_t bound;
    /// Of memory, by moment (Kernel.h): those that were best one split before.
    std::vector<std::pair<int, double>> prices;
  };
  std::vector<Subproblem> stack;
  double workDone = 0;
  int64_t nodeCount = 0;

  int64_t incumbent = infinite;
  const Offer *offer = nullptr;

  void solve(Subproblem problem, const StopCheck &stop);
  bool eliminate(const Subproblem &problem, const Kernel &kernel);
  void split(Subproblem problem, const Kernel &kernel,
             const std::vector<std::vector<double>> &bounds,
             std::vector<std::vector<char>> keep,
             const std::vector<std::vector<double>> &shares);
  bool splitMemory(const Subproblem &problem, const Kernel &kernel,
                   const std::vector<std::vector<double>> &bounds,
                   const std::vector<std::vector<char>> &keep,
                   const std::vector<std::vector<double>> &shares);
  void propose(const Reducer &reducer, const Kernel &kernel,
               const std::vector<int> &states);
};

/// Of what was there (not 0), the share that is not any more.
double shareGone(const std::vector<std::vector<char>> &before,
                 const std::vector<std::vector<char>> &after);

} // namespace soap::costgraph

#endif // SOAP_LIB_SEARCH_COSTGRAPH_BRANCHANDBOUND_H
