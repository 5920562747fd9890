//===- GroupMates.h - Groups that are better changed together ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layers of a network come in kinds: time steps of a recurrent layer share
// their weights, blocks of a deep network repeat. Proposals (ProposalSampler.h)
// change such groups together.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_MCMC_GROUPMATES_H
#define SOAP_LIB_SEARCH_MCMC_GROUPMATES_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace soap {

/// All that are named together have leaders of the same kind with the same
/// loops by name, so that a config of one is one of the other, if it is legal
/// there.
class GroupMates {
public:
  explicit GroupMates(const ParallelizationProblem &problem);

  /// Other groups that read a parameter which this group reads, ascending.
  const std::vector<int> &sharing(int group) const { return sharers[group]; }
  /// All other groups with such a leader, ascending.
  const std::vector<int> &alike(int group) const { return likes[group]; }
  /// Other groups at the same place of repeated blocks (GroupBlocks.h): the
  /// mates of the group, ascending. Groups with a fixed config have none, and
  /// groups that share weights have `sharing` instead.
  const std::vector<int> &inBlocks(int group) const { return mates[group]; }

private:
  std::vector<std::vector<int>> sharers, likes, mates;
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_MCMC_GROUPMATES_H
