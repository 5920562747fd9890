//===- GroupNeighbours.h - Groups that hand values to each other ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which groups are connected by forward values, and what a config of one is in
// the loops of another. Shared by explanations and drawings.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_EVALUATOR_GROUPNEIGHBOURS_H
#define SOAP_LIB_SEARCH_EVALUATOR_GROUPNEIGHBOURS_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

#include <map>

namespace soap {

class GroupNeighbours {
public:
  explicit GroupNeighbours(const ParallelizationProblem &problem);

  /// Neighbours of a group, those with the largest values between first.
  std::vector<int> of(int group) const;
  /// Groups whose forward values a group reads, in order.
  const std::vector<int> &producers(int group) const {
    return producersOf[group];
  }
  /// Whether they hand a value to each other directly.
  bool connected(int a, int b) const {
    return bridges.count(std::minmax(a, b)) > 0;
  }
  /// Of connected groups: a config of the leader of `from` as one of the leader
  /// of `to`: loops that run over the same dim of the largest value between
  /// them have the same degree, and pieces are on the same devices. Split loops
  /// that `to` lacks become replicas. It may split a serial loop.
  Config translate(int from, const Config &config, int to) const;

private:
  const ParallelizationProblem &problem;
  std::vector<std::vector<int>> producersOf;
  /// Largest value between two groups (first < second), with the node of each
  /// that touches it.
  struct Bridge {
    int value = -1;
    int64_t bytes = 0;
    std::map<int, int> nodes; ///< per group
  };
  std::map<std::pair<int, int>, Bridge> bridges;

  /// Per dim of `value`: loop of the leader of `group` that runs over it, as
  /// `node` of the group sees it, or -1.
  std::vector<int> loopsOverDims(int group, int node, int value) const;
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_EVALUATOR_GROUPNEIGHBOURS_H
