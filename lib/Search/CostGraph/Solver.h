//===- Solver.h - Rounds of bounds, searches and proofs ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The solver behind solveCostGraph: in rounds, a task improves prices and
// bounds (and later proves), the others search. Tasks of a round see nothing of
// each other, and what they found is merged in a fixed order, so that the
// result does not depend on how fast they were.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_COSTGRAPH_SOLVER_H
#define SOAP_LIB_SEARCH_COSTGRAPH_SOLVER_H

#include "BranchAndBound.h"
#include "FirstSolution.h"
#include "PriceAscent.h"
#include "Soap/Search/CostGraph/SolveCostGraph.h"

#include <chrono>
#include <memory>

namespace soap::costgraph {

class Solver {
public:
  Solver(const CostGraph &graph, const CostGraphOptions &options);
  CostGraphResult solve();

private:
  /// The result of a task in a round.
  struct Found {
    int64_t cost = infinite;
    std::vector<int> states;
  };
  /// A search, and where it is in its episode: a start, and a temperature that
  /// falls.
  struct Chain {
    std::unique_ptr<BlockSearch> search;
    bool startsFromPrices = true; ///< in its first episode
    int episode = 0;
    int slice = 0, slices = 0; ///< of the episode
    Found found;
  };
  /// Where chains start in a round: a copy, as the first task changes prices.
  struct Guide {
    std::vector<int> states; ///< decoded at some prices
    std::vector<double> prices;
    std::optional<std::vector<int>> best; ///< of the best solution
    double gap = 0;                       ///< the scale of temperatures
  };

  const CostGraph &graph;
  const CostGraphOptions &options;
  std::chrono::steady_clock::time_point begin, lastProgress;
  std::unique_ptr<Reducer> reducer;
  Kernel kernel;
  std::unique_ptr<PriceAscent> ascent;
  Survivors survivors; ///< of the kernel, by all prices so far
  std::unique_ptr<BranchAndBound> proof;
  /// Branch and bound among the states that look best, where the kernel is too
  /// large to prove anything; the share of states it keeps.
  std::unique_ptr<BranchAndBound> dive;
  double diveShare = 0.1;
  RandomGenerator diveRandom;
  std::vector<Chain> chains;
  CostGraphResult result;

  /// The solution before any search, which does not steer it.
  std::optional<CostGraphSolution> first;
  std::vector<int> bestChoice; ///< of the graph
  int64_t bestCost = infinite;
  int64_t ceiling = infinite; ///< every solution is cheaper
  int64_t bound = 0;          ///< of whatever is cheaper than `bestCost`
  Found found;                ///< of the first task
  Guide guide;
  std::atomic<bool> isFirstDone{true}; ///< the first task of this round
  double idleBound = 0;                ///< of the ascent, when it last improved
  int idleSteps = 0, steps = 0;
  double filteredGap = 0;     ///< when states were last dropped
  int64_t branchesBefore = 0; ///< of what went before `proof`
  int64_t extraRounds = 0;    ///< since the limit was over

  double secondsLeft() const;
  bool isLimitOver() const;
  /// The limit is over, and there is an answer, or the rounds beyond it in
  /// which one is looked for are over, too.
  bool isOver() const;
  bool isProven() const;
  /// The cost that solutions must beat.
  int64_t cutoff() const { return std::min(bestCost, ceiling); }

  void takeInitial();
  bool reduce();
  void offer(int64_t cost, const std::vector<int> &states);
  void prepare();
  void offerDecoded();
  bool proveAtOnce();
  bool reduceAgain();
  void round();
  void runAscent();
  void runProof(BranchAndBound &search);
  void startDive();
  void planDive();
  void planGuide();
  void runChain(Chain &chain);
  void runSlice(Chain &chain);
  void mergeRound();
  void report();
  CostGraphResult finish();
};

} // namespace soap::costgraph

#endif // SOAP_LIB_SEARCH_COSTGRAPH_SOLVER_H
