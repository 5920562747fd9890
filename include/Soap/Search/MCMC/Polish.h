//===- Polish.h - Local optimality under single-group changes ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Improves a strategy by changing one group at a time until no such change
// makes it faster, which is then proven: every alternative was priced, up to a
// proof that it is not faster.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_MCMC_POLISH_H
#define SOAP_SEARCH_MCMC_POLISH_H

#include "Soap/Search/Evaluator/SearchBudget.h"

namespace soap {

/// The neighbourhood of a strategy: one group gets any legal degrees
/// (`legalDegrees`) on any of these device lists (without `anyDevices`: the
/// first devices in their order):
///  - if there are at most `maxArrangements` ordered lists of so many devices
///    without repetition: all of them;
///  - else devices in their order from any start (cyclically), and devices at
///    equal distances (every 2nd, 4th, ... one) from any start; and, for as
///    many pieces as the group has, its own list, with any two entries
///    swapped, and with any one replaced by a device that it lacks; and the
///    list of any group that it shares a value with.
struct PolishOptions : SearchBudget {
  int64_t maxArrangements = 120;
};

struct PolishResult {
  McmcResult search;
  /// No single change of the neighbourhood makes `search.best` faster.
  bool locallyOptimal = false;
  /// How many were tried to prove that (the strategy itself not counted).
  int64_t alternatives = 0;
  /// Whether the neighbourhood has all device lists without repetition.
  bool allDeviceLists = false;
};

/// Starts from the best of the initial strategies. The problem must have passed
/// `check`.
PolishResult searchPolish(const ParallelizationProblem &problem,
                          const PolishOptions &options);

/// The device lists of the neighbourhood for `count` pieces of a group, without
/// repetition; whether they are all that there are.
bool polishDeviceLists(const ParallelizationProblem &problem,
                       const Strategy &strategy, int group,
                       std::span<const int> neighbours, int64_t count,
                       int64_t maxArrangements,
                       std::vector<std::vector<int>> &lists);

} // namespace soap

#endif // SOAP_SEARCH_MCMC_POLISH_H
