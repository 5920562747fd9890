//===- ConfigSpace.cpp - What configs a group may have --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enumeration of degrees and device lists.
//
//===----------------------------------------------------------------------===//

#include "ConfigSpace.h"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace soap;

int64_t soap::pieceCount(const std::vector<int64_t> &degrees) {
  return std::accumulate(degrees.begin(), degrees.end(), int64_t(1),
                         std::multiplies<>());
}

std::vector<std::vector<int64_t>>
soap::legalDegrees(const ParallelizationProblem &problem, int node) {
  const IterationSpace &space = problem.getGraph().nodes[node].whole.space;
  int devices = problem.getTopology().deviceCount();
  bool powers = devices > maxDevicesForAllDegrees;
  std::vector<std::vector<int64_t>> result = {{}}, longer;
  for (size_t l = 0; l <= space.loops.size(); ++l) {
    bool even = problem.evenPieces && l < space.loops.size();
    int64_t most = l == space.loops.size() ? (problem.replicas ? devices : 1)
                   : problem.mayCut(node, static_cast<int>(l))
                       ? std::max<int64_t>(space.loops[l].extent, 1)
                       : 1;
    longer.clear();
    for (const std::vector<int64_t> &prefix : result)
      for (int64_t degree = 1;
           degree <= std::min(most, devices / pieceCount(prefix));
           degree = powers ? 2 * degree : degree + 1) {
        if (even && space.loops[l].extent % degree != 0)
          continue;
        longer.push_back(prefix);
        longer.back().push_back(degree);
      }
    std::swap(result, longer);
  }
  return result;
}

Config soap::makeConfig(const std::vector<int64_t> &degrees,
                        std::vector<int> devices) {
  Config config;
  config.degrees.assign(degrees.begin(), degrees.end() - 1);
  config.replicas = degrees.back();
  config.devices = std::move(devices);
  return config;
}

int64_t soap::arrangementCount(int devices, int64_t count, int64_t most) {
  int64_t result = 1;
  for (int64_t i = 0; i < count && result <= most; ++i)
    result *= devices - i;
  return std::min(result, most + 1);
}

std::vector<std::vector<int>> soap::arrangements(int devices, int64_t count) {
  std::vector<std::vector<int>> result;
  std::vector<int> list;
  std::vector<bool> used(devices);
  auto extend = [&](auto &self) -> void {
    if (static_cast<int64_t>(list.size()) == count) {
      result.push_back(list);
      return;
    }
    for (int d = 0; d < devices; ++d)
      if (!used[d]) {
        used[d] = true;
        list.push_back(d);
        self(self);
        list.pop_back();
        used[d] = false;
      }
  };
  extend(extend);
  return result;
}
