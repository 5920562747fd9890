//===- ExactBounds.h - Lower bounds of partial strategies -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every group has a domain, the configs that it may still have. For each of
// them, earliest starts of shards and least times after them are computed from
// what the groups around may do at best; configs whose times show that no
// strategy with them is fast enough leave the domain.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_EXACT_EXACTBOUNDS_H
#define SOAP_LIB_SEARCH_EXACT_EXACTBOUNDS_H

#include "ExactTables.h"

#include <cassert>

namespace soap {

/// Something that a resource has to do: not before `headNs`, and `tailNs` have
/// to follow.
struct PreemptiveJob {
  int64_t headNs, durationNs, tailNs;
};

/// The least time in which a resource can do jobs, one after the other, if it
/// may put them aside. Sorts them. `waiting` is memory: a heap of jobs, each
/// its tail and what is left of it.
int64_t preemptiveNs(std::vector<PreemptiveJob> &jobs,
                     std::vector<std::pair<int64_t, int64_t>> &waiting);

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
  /// Nothing has changed since the last `propagate`.
  bool isPropagated() const {
    const Level &level = levels.back();
    return std::ranges::count(level.staleHeads, uint8_t(true)) == 0 &&
           std::ranges::count(level.staleTails, uint8_t(true)) == 0;
  }
  /// One config is left.
  bool isKnown(int group) const { return domain(group).size() == 1; }
  /// Of a shard under a config of its group: its earliest start, and the least
  /// time after its end.
  int64_t headNs(int slot, int config, size_t shard) const {
    assert(shard < tables.maxShards && "no such shard");
    return levels.back().heads[at(slot, config) + shard];
  }
  int64_t tailNs(int slot, int config, size_t shard) const {
    return levels.back().tails[at(slot, config) + shard];
  }
  /// More is known of a shard; for the next `propagate`.
  void raise(int slot, int config, size_t shard, int64_t headNs,
             int64_t tailNs) {
    Level &level = levels.back();
    size_t place = at(slot, config) + shard;
    if (headNs > level.heads[place]) {
      level.heads[place] = headNs;
      for (int next : after[slot])
        level.staleHeads[next] = true;
    }
    if (tailNs > level.tails[place]) {
      level.tails[place] = tailNs;
      for (int next : before[slot])
        level.staleTails[next] = true;
    }
  }

private:
  struct Level {
    std::vector<std::vector<int>> domains; ///< by group
    std::vector<std::vector<int64_t>> bounds;
    std::vector<bool> assigned;
    /// By slot, config, shard: earliest start, least time after the end.
    std::vector<int64_t> heads, tails;
    /// Slots to look at again, as something around them has changed.
    std::vector<uint8_t> staleHeads, staleTails;
  };

  const ExactTables &tables;
  std::vector<Level> levels;
  std::vector<size_t> base; ///< by slot: of its first config
  /// By slot: slots that edges from it lead to, and that those to it are from.
  std::vector<std::vector<int>> after, before;
  /// By group: slots whose edges depend on its config.
  std::vector<std::vector<int>> targets, sources;
  std::vector<std::vector<PreemptiveJob>> jobs; ///< by device
  std::vector<std::pair<int64_t, int64_t>> waitingJobs;
  std::vector<int64_t> work;

  size_t at(int slot, int config) const {
    assert(slot >= 0 && static_cast<size_t>(slot) < base.size() &&
           "no such slot");
    return (base[slot] + static_cast<size_t>(config)) * tables.maxShards;
  }
  /// They return false once no strategy is as fast as the limit.
  bool findHeads(int64_t limitNs);
  bool findTails(int64_t limitNs);
  bool isTooLate(int slot, int config, int64_t limitNs) const;
  void touch(int group);
  template <typename Visit>
  void forAssignments(const ExactTables::Cluster &cluster, int group,
                      int config, Visit visit) const;
  bool filter(int64_t limitNs);
  int64_t boundOf(int group, int config) const;
  int64_t deviceBoundNs();
  int64_t workBoundNs();
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_EXACT_EXACTBOUNDS_H
