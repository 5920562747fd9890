//===- MessagePassing.h - Lower bounds by reparametrization -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs are moved between a node and its edges, and capacity is given a price,
// such that the sum of least costs of single nodes and edges grows: sequential
// reweighted message passing (Kolmogorov, A New Look at Reweighted Message
// Passing, 2015) on the Lagrangian relaxation of the capacity. Whatever the
// messages and prices are, that sum is a lower bound; what is added to it when
// a node takes a state tells which states a better solution cannot have; and
// states chosen one by one with the messages are a good start.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_COSTGRAPH_MESSAGEPASSING_H
#define SOAP_LIB_SEARCH_COSTGRAPH_MESSAGEPASSING_H

#include "Elimination.h"

namespace soap::costgraph {

/// States, and pairs of states, that a better solution may have: 0 where none
/// can, by node and state, and by edge and pair of states (row-major as the
/// edge's costs).
struct Survivors {
  std::vector<std::vector<char>> states, pairs;

  explicit Survivors(const Kernel &kernel);
  Survivors() = default;
};

class MessagePassing {
public:
  explicit MessagePassing(const Kernel &kernel);

  /// Prices of a byte above the capacity, by time point; at least 0.
  void setPrices(std::vector<double> prices);
  const std::vector<double> &prices() const { return timePrices; }

  /// Passes messages forward and backward.
  void pass();
  /// No solution within capacity costs less: all roundings are subtracted, here
  /// and below.
  double bound() const;
  /// States chosen one after another, each given those before it.
  std::vector<int> decode() const;
  /// By node and state: no solution with it costs less than this.
  std::vector<std::vector<double>> boundsOfStates() const;
  /// Marks the states and pairs without which there is no solution that costs
  /// less than `incumbent`, an integer. Different messages and prices exclude
  /// different ones, so marks add up.
  void exclude(int64_t incumbent, Survivors &survivors) const;

private:
  const Kernel &kernel;
  EdgeTables<double> edges;
  std::vector<double> timePrices;
  std::vector<std::vector<double>> costs; ///< with prices, by node and state
  std::vector<double> costRoundings;      ///< by node, the most of any state
  /// Messages of an edge to its source (0) and target (1), by their states.
  std::vector<std::vector<double>> messages[2];

  std::vector<double> &message(const Arc &arc) {
    return messages[arc.isSource ? 0 : 1][arc.edge];
  }
  const std::vector<double> &message(const Arc &arc) const {
    return messages[arc.isSource ? 0 : 1][arc.edge];
  }
  const std::vector<double> &opposite(const Arc &arc) const {
    return messages[arc.isSource ? 1 : 0][arc.edge];
  }
  void leastOver(const Arc &arc, size_t states, double *result) const;
  /// A node's costs and messages by state; returns the most that rounding
  /// changed any of them by.
  double sumsOf(int node, std::vector<double> &sums) const;
  /// The costs of an edge without both messages: the least of each state of the
  /// arc's node; returns the same.
  double restOf(const Arc &arc, size_t states, std::vector<double> &rest) const;
  void visit(int node, bool isForward, std::vector<double> &sum);
};

} // namespace soap::costgraph

#endif // SOAP_LIB_SEARCH_COSTGRAPH_MESSAGEPASSING_H
