//===- ProposalSampler.h - What a Markov chain proposes ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a group and a config for it. Uniform draws follow the SOAP paper
// (section 6.2); mixed ones look at where the time goes and at what neighbours
// do. A draw depends on its arguments and the generator alone.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_MCMC_PROPOSALSAMPLER_H
#define SOAP_LIB_SEARCH_MCMC_PROPOSALSAMPLER_H

#include "GroupMates.h"
#include "Search/Evaluator/GroupNeighbours.h"
#include "Soap/Search/MCMC/MCMC.h"
#include "Support/RandomGenerator.h"

namespace soap {

/// Other configs for some groups, each named once.
using Proposal = std::vector<GroupChange>;

class ProposalSampler {
public:
  /// Keeps a reference to the problem, which must have groups.
  ProposalSampler(const ParallelizationProblem &problem, ProposalKind kind);

  /// `weights`: per group, how often it is chosen, by half of the mixed draws;
  /// all 0 or empty: all alike. `tied`: in this share of the draws, 0 to 1, of
  /// groups in repeated blocks all mates take the config.
  Proposal draw(RandomGenerator &random, const Strategy &current,
                const std::vector<int64_t> &weights, double tied = 0) const;
  /// A uniform config of a group, in the share `tied` of the draws of all its
  /// mates, too.
  Proposal drawUniform(RandomGenerator &random, int group, double tied) const;
  /// A uniform config of a group.
  Config drawConfig(RandomGenerator &random, int group) const;
  const GroupMates &getMates() const { return mates; }

private:
  const ParallelizationProblem &problem;
  ProposalKind kind;
  int devices;
  /// Per group: all legal degrees of the leader's loops, then the replicas.
  std::vector<std::vector<std::vector<int64_t>>> degrees;
  std::vector<std::vector<int>> neighboursOf; ///< by group
  GroupNeighbours neighbours;
  GroupMates mates;
  /// Of unequal devices, in proportion to speed and without some of them; empty
  /// where all are alike.
  std::vector<std::vector<int>> unevenLists;

  int drawGroup(RandomGenerator &random,
                const std::vector<int64_t> &weights) const;
  Config asNeighbour(RandomGenerator &random, const Strategy &current,
                     int group) const;
  Config moved(RandomGenerator &random, Config config) const;
  Config recut(RandomGenerator &random, const Config &config, int group) const;
  Config drawFactorMove(RandomGenerator &random, const Config &config,
                        int group) const;
  Config repartitioned(RandomGenerator &random, int group) const;
  Config weighted(RandomGenerator &random, int group) const;
  /// The config of a mixed move, and how often, of a hundred times, the groups
  /// that share weights, or the groups of its kind, take it, too.
  struct Move {
    Config config;
    int64_t sharing = 30, alike = 10;
  };
  bool drawTied(RandomGenerator &random, int group, double tied) const;
  Proposal forAll(int group, const std::vector<int> &others,
                  const Config &config) const;
  Move drawMixed(RandomGenerator &random, const Strategy &current,
                 int group) const;
  bool isLegal(const Config &config, int group) const;
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_MCMC_PROPOSALSAMPLER_H
