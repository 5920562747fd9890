//===- CandidateStrategies.h - Strategies to simulate -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strategies that candidate configs of groups make up: all of them where
// they are few, and else those that differ in one group from what was found.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_FRONTIER_CANDIDATESTRATEGIES_H
#define SOAP_LIB_SEARCH_FRONTIER_CANDIDATESTRATEGIES_H

#include "Soap/Search/Problem/ParallelizationProblem.h"
#include "Support/RandomGenerator.h"

#include <map>
#include <unordered_set>

namespace soap {

/// Candidate configs by group; none is empty.
using CandidateLists = std::vector<std::vector<Config>>;

/// Adds to the candidates of each group those on other devices: a config of n
/// pieces on devices 0 to n - 1 also on n * i to n * i + n - 1. The same lists
/// where the problem fixes the devices.
CandidateLists addPlacements(const ParallelizationProblem &problem,
                             CandidateLists candidates);

/// Where `strategyCount` ends: files have no infinity.
constexpr double maxStrategiesCounted = 1e300;
/// Number of strategies, at most `maxStrategiesCounted`.
double strategyCount(const CandidateLists &candidates);
/// All strategies; each differs from the one before mostly in the last groups.
std::vector<Strategy> listStrategies(const ParallelizationProblem &problem,
                                     const CandidateLists &candidates);

/// Strategies that differ from given ones in the config of one group. Returns
/// none a second time, and none of those given. What it returns depends on the
/// calls so far alone.
class CandidateNeighbours {
public:
  /// Keeps references.
  CandidateNeighbours(const ParallelizationProblem &problem,
                      const CandidateLists &candidates)
      : problem(problem), candidates(candidates), random(1) {}

  /// Up to `count` neighbours of the strategies, in turn; every second one is a
  /// neighbour of the last strategy. Fewer if there are no more.
  std::vector<Strategy> next(const std::vector<const Strategy *> &around,
                             size_t count);

private:
  const ParallelizationProblem &problem;
  const CandidateLists &candidates;
  RandomGenerator random;
  std::unordered_set<size_t> known; ///< hashes of strategies
  /// By hash of a strategy: the group and candidate of neighbours that are
  /// left, in random order.
  std::map<size_t, std::vector<std::pair<int, int>>> left;

  static size_t hashOf(const Strategy &strategy);
  bool isNew(const Strategy &strategy) {
    return known.insert(hashOf(strategy)).second;
  }
  bool addNeighbour(const Strategy &strategy, std::vector<Strategy> &found);
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_FRONTIER_CANDIDATESTRATEGIES_H
