//===- ParallelizationProblem.h - What a search solves ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parallelization problem of the SOAP paper (section 6): find a config per
// op that minimizes the simulated time of one iteration. An instance can be
// checked, and solutions can be verified and priced, without any algorithm;
// algorithms are free functions on it (MCMC.h, Presets.h).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_PROBLEM_PARALLELIZATIONPROBLEM_H
#define SOAP_SEARCH_PROBLEM_PARALLELIZATIONPROBLEM_H

#include "Soap/Cost/CostModel.h"
#include "Soap/Model/Graph.h"
#include "Soap/Model/Roles.h"

#include <limits>
#include <map>

namespace soap {

/// Ops that share one decision: the config of the leader; see `followConfig`.
struct OpGroup {
  std::vector<int> nodes; ///< the leader among them
  int leader = -1;
  /// Per entry of `nodes`: for each loop of that node the loop of the leader
  /// whose degree it takes, or -1: not split. No two loops of a node take the
  /// same one; the leader's own entry is 0, 1, 2, ....
  std::vector<std::vector<int>> loops;
};

/// Config of an op that follows `leader`: degrees by `loops` (as in
/// `OpGroup::loops`). Split loops of the leader that the op lacks become
/// replicas: replica r, piece p runs where the leader's shard with those
/// coordinates runs.
Config followConfig(const IterationSpace &leaderSpace, const Config &leader,
                    const IterationSpace &space, const std::vector<int> &loops);

/// Price of a strategy.
struct Evaluation {
  int64_t makespanNs = 0;
  /// Bytes beyond the capacity of devices, summed over devices. A strategy with
  /// any is not a solution.
  int64_t excessBytes = 0;
  /// Tasks of the iteration, where they were all simulated for this.
  int64_t tasks = 0;
};

/// Whether a strategy with price `a` is better than one with price `b`: it
/// exceeds memory by less, or by as much and is faster.
inline bool isBetter(const Evaluation &a, const Evaluation &b) {
  return a.excessBytes != b.excessBytes ? a.excessBytes < b.excessBytes
                                        : a.makespanNs < b.makespanNs;
}

/// One instance. Keeps references: graph and topology must outlive it.
class ParallelizationProblem {
public:
  /// `roles`: per node, per loop.
  ParallelizationProblem(const Graph &graph, const Topology &topology,
                         std::vector<OpGroup> groups,
                         std::vector<std::vector<Role>> roles)
      : graph(graph), topology(topology), cost(topology),
        groups(std::move(groups)), roles(std::move(roles)) {}

  const Graph &getGraph() const { return graph; }
  const Topology &getTopology() const { return topology; }
  const std::vector<OpGroup> &getGroups() const { return groups; }
  const std::vector<std::vector<Role>> &getRoles() const { return roles; }

  /// Loops of these roles may be split by a search; all by default.
  std::vector<Role> searchedRoles = {Role::Sample, Role::Parameter,
                                     Role::Reduction, Role::Attribute};

  /// Whether a search may give any list of devices; else the first ones in
  /// their order (no operator dimension).
  bool anyDevices = true;
  /// Whether it may compute the same several times.
  bool replicas = true;
  /// Whether degrees must divide extents, as OptCNN wants it.
  bool evenPieces = false;

  /// Whether the instance is well-formed: every node in exactly one group,
  /// loops in range, a role per loop.
  MaybeError check() const;
  /// Whether a strategy is a solution: legal configs, and no device over its
  /// memory.
  MaybeError verify(const Strategy &strategy) const;

  /// Gives an op, for good, a config that is legal for it. The op becomes a
  /// group of its own, and searches and presets give it no other config.
  void fix(int node, Config config);
  /// The config that an op has in any case; null: a search decides.
  const Config *fixedConfig(int node) const {
    auto it = fixed.find(node);
    return it == fixed.end() ? nullptr : &it->second;
  }
  const std::map<int, Config> &getFixed() const { return fixed; }
  /// Gives the ops of `fix` their configs.
  void keepFixed(Strategy &strategy) const {
    for (const auto &[node, config] : fixed)
      strategy[node] = config;
  }

  /// Simulated time of an iteration. Memory is looked at only if the makespan
  /// is at most `limitNs`.
  Evaluation
  evaluate(const Strategy &strategy,
           int64_t limitNs = std::numeric_limits<int64_t>::max()) const;
  /// Gives a group a config: that of its leader, followed by all members. An op
  /// with a fixed config keeps it.
  void assign(Strategy &strategy, const OpGroup &group,
              const Config &leaderConfig) const;
  /// Whether a search may split the loop of a node: not serial, of a searched
  /// role.
  bool mayCut(int node, int loop) const;
  /// Whether a legal config of a node is one that a search may give.
  bool contains(int node, const Config &config) const;

private:
  const Graph &graph;
  const Topology &topology;
  CostModel cost;
  std::vector<OpGroup> groups;
  std::vector<std::vector<Role>> roles;
  std::map<int, Config> fixed; ///< by node
};

/// Every op a group of its own: the untied space.
std::vector<OpGroup> untiedGroups(const Graph &graph);

} // namespace soap

#endif // SOAP_SEARCH_PROBLEM_PARALLELIZATIONPROBLEM_H
