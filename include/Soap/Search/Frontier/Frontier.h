//===- Frontier.h - Points of memory and time -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost frontier of TensorOpt (Cai et al., 2020, definition 1) and the
// operations that frontier tracking is made of (section 3.1): product, union,
// reduce. Here reduce is part of the other two: what they give is a frontier
// again.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_FRONTIER_FRONTIER_H
#define SOAP_SEARCH_FRONTIER_FRONTIER_H

#include <cstdint>
#include <span>
#include <vector>

namespace soap {

/// The cost of a partial strategy. `trace` says how it was made; operations
/// hand it on and never look at it.
struct FrontierPoint {
  int64_t memoryBytes = 0;
  int64_t timeNs = 0;
  uint32_t trace = 0;

  /// Not worse in either dimension.
  bool dominates(const FrontierPoint &other) const {
    return memoryBytes <= other.memoryBytes && timeNs <= other.timeNs;
  }
};

/// Points of which none dominates another: memory rises, time falls.
using Frontier = std::vector<FrontierPoint>;

/// Whether memory rises and time falls strictly.
bool isFrontier(std::span<const FrontierPoint> points);

/// Reduce (algorithm 1): the points that no other dominates, in order of
/// memory. Of equal points the first one given stays.
Frontier reduceToFrontier(std::vector<FrontierPoint> points);

/// Drops points such that each dropped one has a kept one with at most its
/// memory and at most (1 + tolerance) times its time, rounding aside. Returns
/// whether any was dropped.
bool trimFrontier(Frontier &frontier, double tolerance);

/// The least tolerance, up to a factor of two, with which `trimFrontier` leaves
/// at most `count` points (at least 2).
double toleranceFor(const Frontier &frontier, std::size_t count);

/// The point of least time with at most `limitBytes` of memory; null if there
/// is none.
const FrontierPoint *fastestWithin(std::span<const FrontierPoint> frontier,
                                   int64_t limitBytes);

} // namespace soap

#endif // SOAP_SEARCH_FRONTIER_FRONTIER_H
