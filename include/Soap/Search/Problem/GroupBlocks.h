//===- GroupBlocks.h - Parts of an op graph that repeat ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of a transformer, residual blocks of one size, time steps: ranges of
// groups that follow each other and are equal up to names. Groups at the same
// place of such blocks are mates, which a search may decide on once.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_PROBLEM_GROUPBLOCKS_H
#define SOAP_SEARCH_PROBLEM_GROUPBLOCKS_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

#include <span>

namespace soap {

/// Blocks that follow each other.
struct RepeatedRun {
  int first = 0; ///< in `GroupBlocks::order`
  int size = 0;  ///< groups of one block
  int count = 0; ///< blocks, at least 2
};

struct GroupBlocks {
  /// Groups by their first ops in program order.
  std::vector<int> order;
  std::vector<RepeatedRun> runs; ///< ascending, disjoint
  /// By group: the groups at its place in all blocks of its run, itself
  /// included, in order; of other groups, itself.
  std::vector<std::vector<int>> mates;
};

/// Finds blocks. Two groups are alike if they have as many ops, in order of the
/// same kinds, loops, access maps, shapes, phases and roles, following their
/// leaders by the same loops. Two blocks are equal if the groups at each place
/// are alike, and read what groups of their own block write from the same
/// places. The most groups are covered first; of equal runs, the shortest block
/// counts.
GroupBlocks findBlocks(const Graph &graph, std::span<const OpGroup> groups,
                       const std::vector<std::vector<Role>> &roles);

/// The node of the forward pass that each block of a run begins with: that of
/// the first of its leaders. Empty where blocks do not follow each other in the
/// program.
std::vector<int> startsOfRun(const Graph &graph,
                             std::span<const OpGroup> groups,
                             const GroupBlocks &blocks, const RepeatedRun &run);

} // namespace soap

#endif // SOAP_SEARCH_PROBLEM_GROUPBLOCKS_H
