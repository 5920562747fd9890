//===- CandidateStrategies.cpp - Strategies to simulate -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CandidateStrategies.h.
//
//===----------------------------------------------------------------------===//

#include "CandidateStrategies.h"

#include "Soap/Support/VectorHash.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace soap;

CandidateLists soap::addPlacements(const ParallelizationProblem &problem,
                                   CandidateLists candidates) {
  int64_t devices = problem.getTopology().deviceCount();
  for (std::vector<Config> &list : candidates) {
    for (size_t c = 0, count = list.size(); problem.anyDevices && c < count;
         ++c) {
      auto pieces = static_cast<int64_t>(list[c].devices.size());
      for (int64_t start = pieces; start + pieces <= devices; start += pieces) {
        Config moved = list[c];
        std::iota(moved.devices.begin(), moved.devices.end(),
                  static_cast<int>(start));
        if (std::find(list.begin(), list.end(), moved) == list.end())
          list.push_back(std::move(moved));
      }
    }
  }
  return candidates;
}

double soap::strategyCount(const CandidateLists &candidates) {
  double count = 1;
  for (const std::vector<Config> &list : candidates) {
    assert(!list.empty() && "candidates of every group");
    count = std::min(count * static_cast<double>(list.size()),
                     maxStrategiesCounted);
  }
  return count;
}

std::vector<Strategy>
soap::listStrategies(const ParallelizationProblem &problem,
                     const CandidateLists &candidates) {
  assert(candidates.size() == problem.getGroups().size() && "a list a group");
  std::vector<Strategy> result;
  Strategy strategy(problem.getGraph().nodes.size());
  auto extend = [&](auto &self, size_t group) -> void {
    if (group == candidates.size()) {
      result.push_back(strategy);
      return;
    }
    for (const Config &config : candidates[group]) {
      problem.assign(strategy, problem.getGroups()[group], config);
      self(self, group + 1);
    }
  };
  extend(extend, 0);
  return result;
}

size_t CandidateNeighbours::hashOf(const Strategy &strategy) {
  std::vector<int64_t> numbers;
  for (const Config &config : strategy) {
    numbers.insert(numbers.end(), config.degrees.begin(), config.degrees.end());
    numbers.push_back(config.replicas);
    numbers.insert(numbers.end(), config.devices.begin(), config.devices.end());
  }
  return VectorHash()(numbers);
}

/// Adds the next neighbour of a strategy that is not known. False if there is
/// none.
bool CandidateNeighbours::addNeighbour(const Strategy &strategy,
                                       std::vector<Strategy> &found) {
  auto [it, isFirst] = left.try_emplace(hashOf(strategy));
  std::vector<std::pair<int, int>> &moves = it->second;
  if (isFirst) {
    for (size_t g = 0; g < candidates.size(); ++g)
      for (size_t c = 0; c < candidates[g].size(); ++c)
        moves.emplace_back(static_cast<int>(g), static_cast<int>(c));
    for (size_t i = moves.size(); i > 1; --i)
      std::swap(
          moves[i - 1],
          moves[static_cast<size_t>(random.below(static_cast<int64_t>(i)))]);
  }
  while (!moves.empty()) {
    auto [group, candidate] = moves.back();
    moves.pop_back();
    Strategy neighbour = strategy;
    problem.assign(neighbour, problem.getGroups()[group],
                   candidates[group][candidate]);
    if (isNew(neighbour)) {
      found.push_back(std::move(neighbour));
      return true;
    }
  }
  return false;
}

std::vector<Strategy>
CandidateNeighbours::next(const std::vector<const Strategy *> &around,
                          size_t count) {
  for (const Strategy *strategy : around)
    isNew(*strategy);
  std::vector<Strategy> found;
  for (bool isOver = around.empty(); !isOver && found.size() < count;) {
    isOver = true;
    for (size_t i = around.size(); i-- > 0 && found.size() < count;) {
      if (addNeighbour(*around[i], found))
        isOver = false;
      if (i + 1 < around.size() && found.size() < count &&
          addNeighbour(*around.back(), found))
        isOver = false;
    }
  }
  return found;
}
