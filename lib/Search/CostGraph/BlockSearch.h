//===- BlockSearch.h - Local search by elimination of blocks ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A move takes a random connected block of nodes and finds the best states of
// all of them at once, given the rest, by elimination (docs/CostGraph.md).
// Noise on the costs makes it a sample rather than the minimum, so a search
// gets out of where it is; prices of memory steer it within the capacity, and
// are raised for a move that would exceed it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_COSTGRAPH_BLOCKSEARCH_H
#define SOAP_LIB_SEARCH_COSTGRAPH_BLOCKSEARCH_H

#include "Elimination.h"
#include "MemoryProfile.h"

#include <functional>

namespace soap::costgraph {

/// Whether a search is to end now.
using StopCheck = std::function<bool()>;

class BlockSearch {
public:
  BlockSearch(const Kernel &kernel, uint64_t seed);

  /// Goes on from these states, which need not fit; forbidden pairs are mended
  /// first, where moves can.
  void start(const std::vector<int> &states, const StopCheck &stop);
  /// Prices of a byte, by time point.
  void setPrices(const std::vector<double> &prices);
  /// Moves until they have computed so many sums.
  void run(double work, double temperature, const StopCheck &stop);

  /// The cheapest states seen since `start` that fit, and their cost;
  /// `infinite`: there are none.
  int64_t bestCost() const { return best; }
  const std::vector<int> &bestStates() const { return bestFound; }
  /// Sums that were computed, and moves that were made.
  double work() const { return workDone; }
  int64_t moves() const { return moveCount; }

private:
  const Kernel &kernel;
  RandomGenerator random;
  Eliminator<SearchCost> eliminator;
  MemoryProfile profile;
  std::vector<int> states, proposed;
  int64_t cost = infinite; ///< `infinite`: a pair is forbidden
  int64_t best = infinite;
  std::vector<int> bestFound;
  std::vector<double> priceSums; ///< prefix sums of prices
  double usualPrice = 0;         ///< of a time point, for moves that exceed
  double workDone = 0;
  int64_t moveCount = 0;

  std::vector<int> marks;
  int mark = 0;

  /// A price of one time point, for one move.
  struct PointPrice {
    int time;
    double price;
  };
  std::vector<int> growBlock(int seed, size_t size);
  int chooseSeed();
  void setUnaries(const EliminationPlan &plan, double temperature,
                  const std::vector<PointPrice> &extra);
  int64_t costChange(const std::vector<int> &nodes) const;
  void moveProfile(const std::vector<int> &nodes, bool back);
  void raisePrices(std::vector<PointPrice> &extra, double factor) const;
  void move(double temperature);
  void record();
  void mendForbidden(const StopCheck &stop);
};

} // namespace soap::costgraph

#endif // SOAP_LIB_SEARCH_COSTGRAPH_BLOCKSEARCH_H
