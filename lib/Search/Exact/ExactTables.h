//===- ExactTables.h - What few groups know of a timeline -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of the task graph that depend on the configs of a few groups alone, for
// all of these configs: how long each kernel takes, how long values are on
// their way from one shard to another, and which kernels of a device come after
// which, whatever else happens. Bounds of partial strategies are computed
// from them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_EXACT_EXACTTABLES_H
#define SOAP_LIB_SEARCH_EXACT_EXACTTABLES_H

#include "Soap/Plan/StrategyPlan.h"
#include "Soap/Search/Problem/ParallelizationProblem.h"

#include <functional>

namespace soap {

struct ExactTables {
  /// A shard starts at the end of another plus so many ns or later, whatever
  /// the order of tasks.
  struct Edge {
    /// Slot -1: from the start of the iteration, or to its end.
    int from = -1, fromShard = 0, to = -1, toShard = 0;
    int64_t ns = 0;
  };

  static constexpr size_t maxGroups = 16; ///< of a cluster

  /// Kernels and values whose tasks depend on a set of groups.
  struct Cluster {
    std::vector<int> groups;     ///< ascending
    std::vector<size_t> strides; ///< an assignment's number: sum of config x
    size_t assignments = 1;
    std::vector<int> targets, sources; ///< slots, ascending
    /// Edges by assignment and target, and by assignment and source; entry
    /// `assignment * targets.size() + number` is where they begin.
    std::vector<uint32_t> inStart, outStart;
    std::vector<Edge> incoming, outgoing;
    /// By assignment: (resource, ns) of tasks of values.
    std::vector<uint32_t> workStart;
    std::vector<std::pair<int, int64_t>> work;
  };

  /// A slot under one config of its group.
  struct Entry {
    bool active = false;
    std::vector<int> devices;        ///< by shard
    std::vector<int64_t> durationNs; ///< by shard
    /// Whether the shard runs, whatever the other groups do.
    std::vector<uint8_t> certain;
  };

  struct Place {
    int cluster, number;
  };

  std::vector<int> groupOf;                ///< by slot
  std::vector<std::vector<int>> slotsOf;   ///< by group
  std::vector<std::vector<Entry>> entries; ///< by slot, config
  std::vector<Cluster> clusters;
  std::vector<std::vector<Place>> into, outOf; ///< by slot
  size_t maxShards = 1;
  int deviceCount = 0, resourceCount = 0;
  bool ordered = false;                        ///< no task is ever put off
  std::vector<std::vector<int>> groupsOfValue; ///< that its tasks depend on
  /// By slot: groups that decide which of its replicas have something to do.
  std::vector<std::vector<int>> modesOf;

  /// `configs`: by group, of leaders. `images`: symmetries of the space, by
  /// symmetry, group, config; what is found holds for all images alike.
  /// `isOver`: asked now and then; tables stay empty, and bounds 0, if it says
  /// so.
  ExactTables(
      const ParallelizationProblem &problem,
      const std::vector<std::vector<Config>> &configs,
      const std::vector<std::vector<std::vector<int>>> &images = {},
      const std::function<bool()> &isOver = [] { return false; });

private:
  struct Builder;
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_EXACT_EXACTTABLES_H
