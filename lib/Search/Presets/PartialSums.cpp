//===- PartialSums.cpp - Values that are sums of contributions ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PartialSums.h; docs/Plan.md has the rules (partial values, linear ops in
// partial mode).
//
//===----------------------------------------------------------------------===//

#include "PartialSums.h"

#include <algorithm>
#include <cassert>

using namespace soap;

void PartialSums::note(int node, const Config &config) {
  assert(node == noted && "all ops before it must be noted");
  ++noted;
  const Kernel &kernel = graph.nodes[static_cast<size_t>(node)].whole;
  bool passesOn = kernel.space.linear && config.replicas > 1 &&
                  std::any_of(kernel.operands.begin(), kernel.operands.end(),
                              [&](int value) {
                                return isPartial[static_cast<size_t>(value)];
                              });
  for (size_t r = 0; r < kernel.results.size(); ++r) {
    const ResultAccess &result = kernel.space.results[r];
    bool isSplit = false;
    for (size_t l = 0; l < kernel.space.loops.size(); ++l)
      isSplit |=
          config.degrees[l] > 1 && !usesLoop(result.map, static_cast<int>(l));
    isPartial[static_cast<size_t>(kernel.results[r])] =
        result.combiner == Combiner::Sum && (isSplit || passesOn);
  }
}

bool PartialSums::addsContributions(int node) const {
  assert(node <= noted && "all ops before it must be noted");
  const Kernel &kernel = graph.nodes[static_cast<size_t>(node)].whole;
  return kernel.space.linear && kernel.phase == Phase::Backward &&
         kernel.operands.size() > 1 &&
         std::all_of(
             kernel.operands.begin(), kernel.operands.end(),
             [&](int value) { return isPartial[static_cast<size_t>(value)]; });
}
