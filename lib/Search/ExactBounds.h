//===- ExactBounds.h - Lower bounds of partial strategies -------*- C++ -*-===//
//
// Every group has a domain, the configs that it may still have. For each of
// them, earliest starts of shards and least times after them are computed from
// what the groups around may do at best; configs whose times show that no
// strategy with them is fast enough leave the domain.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_EXACTBOUNDS_H
#define SOAP_LIB_SEARCH_EXACTBOUNDS_H

#include "ExactTables.h"

namespace soap {

class ExactBounds {
public:
  /// Keeps a reference.
  ExactBounds(const ExactTables &tables,
              const std::vector<std::vector<Config>> &configs);

  /// A bound of all strategies of the domains. Takes configs of groups that are
  /// not assigned out of their domains if no strategy with them, and the
  /// others' domains, is as fast as the limit. The bound is that of what is
  /// left; above the limit if nothing is.
  int64_t propagate(int64_t limitNs);
  /// Assigns a group. Bounds are known after the next `propagate`.
  void push(int group, int config);
  /// Undoes the last `push`, with all that followed.
  void pop();

  const std::vector<int> &domain(int group) const {
    return levels.back().domains[group];
  }
  /// A bound of the strategies with a config of a group's domain, as of the
  /// last `propagate` on this level.
  int64_t boundNs(int group, int config) const {
    return levels.back().bounds[group][config];
  }
  bool isAssigned(int group) const { return levels.back().assigned[group]; }

private:
  struct Level {
    std::vector<std::vector<int>> domains; ///< by group
    std::vector<std::vector<int64_t>> bounds;
    std::vector<bool> assigned;
  };
  struct Job {
    int64_t headNs, durationNs, tailNs;
  };

  const ExactTables &tables;
  std::vector<Level> levels;
  std::vector<size_t> base; ///< by slot: of its first config
  /// By slot, config, shard: earliest start, least time after the end.
  std::vector<int64_t> heads, tails;
  std::vector<std::vector<Job>> jobs; ///< by device
  std::vector<std::pair<int64_t, int64_t>> waiting;
  std::vector<int64_t> work;

  size_t at(int slot, int config) const {
    return (base[slot] + static_cast<size_t>(config)) * tables.mostShards;
  }
  void findHeads();
  void findTails();
  template <typename Visit>
  void forAssignments(const ExactTables::Cluster &cluster, int group,
                      int config, Visit visit) const;
  bool filter(int64_t limitNs);
  int64_t boundOf(int group, int config) const;
  int64_t deviceBoundNs();
  int64_t workBoundNs();
  int64_t preemptiveNs(std::vector<Job> &list);
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_EXACTBOUNDS_H
