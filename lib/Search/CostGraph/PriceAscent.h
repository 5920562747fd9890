//===- PriceAscent.h - Prices of memory, bounds and starts ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for the prices of memory over time at which the lower bound of message
// passing is largest. Each step takes the memory that decoded states hold as
// the direction in which prices are to go: up where it exceeds the capacity,
// down where there is room. Steps grow while their sign stays and shrink when
// it turns (resilient propagation, Riedmiller and Braun, 1993), as the scales
// of cost and memory are unknown. The states decoded on the way are close to
// what a solution looks like, and often are one.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_COSTGRAPH_PRICEASCENT_H
#define SOAP_LIB_SEARCH_COSTGRAPH_PRICEASCENT_H

#include "MessagePassing.h"

namespace soap::costgraph {

class PriceAscent {
public:
  /// `start`: prices to begin with, by time point, which were good for a kernel
  /// much like this one; empty: none.
  explicit PriceAscent(const Kernel &kernel,
                       const std::vector<double> &start = {});

  /// One step: at first messages only, later prices, too.
  void step();
  /// Sums that a step computes, approximately.
  double workOfStep() const { return stepWork; }

  /// The largest lower bound so far, and the prices at which it was reached.
  double bound() const { return best; }
  const std::vector<double> &prices() const { return bestPrices; }
  /// The choice that was decoded last.
  const std::vector<int> &states() const { return decoded; }
  /// See MessagePassing; for the messages that are now.
  std::vector<std::vector<double>> boundsOfStates() const {
    return messages.boundsOfStates();
  }
  void exclude(int64_t incumbent, Survivors &survivors) const {
    messages.exclude(incumbent, survivors);
  }

private:
  const Kernel &kernel;
  MessagePassing messages;
  std::vector<int> decoded;
  double best = 0, stepWork = 0, lastBound = 0;
  std::vector<double> bestPrices;
  int steps = 0;
  bool isWarm = false; ///< messages have settled without prices

  /// A stretch of time points; its worst point has the price.
  struct Stretch {
    int from, to;
    double price = 0, stepSize = 0, lastExcess = 0;
  };
  std::vector<Stretch> stretches;
  std::vector<double> excess; ///< by time point, smoothed over steps

  void setStart(const std::vector<double> &start);
  void updateExcess();
  void updatePrices();
};

} // namespace soap::costgraph

#endif // SOAP_LIB_SEARCH_COSTGRAPH_PRICEASCENT_H
