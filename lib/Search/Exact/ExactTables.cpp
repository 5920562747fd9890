//===- ExactTables.cpp - What few groups know of a timeline ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan of a value depends on the configs of the ops that write and read it.
// So values are grouped by the groups that they depend on, and planned for all
// configs of these.
//
// Order on a device. Ready tasks leave the queue in the order of ready times
// and keys, and each resource executes them in that order. If all that a task
// waits for is among what another waits for, directly or not, then it is ready
// before it, and so it runs before it where both need the same device. This is
// what makes the gradients of weights, for which no task waits, delay the
// gradients of activations. It holds where no task is put off
// (docs/Simulator.md).
//
//===----------------------------------------------------------------------===//

#include "ExactTables.h"

#include "Soap/Search/Presets/Presets.h"

#include <algorithm>
#include <map>
#include <set>

using namespace soap;

/// Assignments of a cluster, and of all; what is beyond is left out.
static constexpr size_t maxAssignments = 100000, maxInAll = 400000;

struct ExactTables::Builder {
  ExactTables &tables;
  const ParallelizationProblem &problem;
  const std::vector<std::vector<Config>> &configs;
  const std::vector<std::vector<std::vector<int>>> &images;
  CostModel cost;
  StrategyPlan plan;
  Strategy strategy;
  std::vector<std::vector<int>> writersOf;
  std::vector<bool> mayBePartial; ///< by slot

  Builder(ExactTables &tables, const ParallelizationProblem &problem,
          const std::vector<std::vector<Config>> &configs,
          const std::vector<std::vector<std::vector<int>>> &images)
      : tables(tables), problem(problem), configs(configs), images(images),
        cost(problem.getTopology()), plan(problem.getGraph(), cost),
        strategy(singleStrategy(problem)) {
    tables.ordered = std::none_of(
        problem.getTopology().deviceTypes.begin(),
        problem.getTopology().deviceTypes.end(),
        [](const DeviceType &type) { return type.copiesOccupyReceiver; });
    for (size_t g = 0; g < configs.size(); ++g)
      problem.assign(strategy, problem.getGroups()[g], configs[g][0]);
    plan.set(strategy);
  }

  void findEntries();
  void findDependences();
  bool findClusters(const std::function<bool()> &isOver);
  void apply(const std::vector<int> &groups, const std::vector<int> &choice);
  /// Values, and the order of kernels, for the groups' present configs.
  std::vector<Edge> edgesOf(const std::vector<int> &groups,
                            const std::vector<int> &values);
  void addPaths(int value, std::vector<Edge> &edges) const;
  void addOrder(const std::vector<int> &groups, std::vector<Edge> &edges) const;
  void finish(Cluster &cluster, std::vector<std::vector<Edge>> &edges);
};

/// Gives groups configs; `plan.revert()` takes them back.
void ExactTables::Builder::apply(const std::vector<int> &groups,
                                 const std::vector<int> &choice) {
  std::vector<int> nodes;
  std::vector<Config> members;
  for (size_t i = 0; i < groups.size(); ++i) {
    const OpGroup &group = problem.getGroups()[groups[i]];
    problem.assign(strategy, group, configs[groups[i]][choice[i]]);
    for (int node : group.nodes) {
      nodes.push_back(node);
      members.push_back(strategy[node]);
    }
  }
  plan.change(nodes, members);
}

void ExactTables::Builder::findEntries() {
  const std::vector<StrategyPlan::Slot> &slots = plan.getSlots();
  std::vector<int> groupOfNode(problem.getGraph().nodes.size(), -1);
  for (size_t g = 0; g < configs.size(); ++g)
    for (int node : problem.getGroups()[g].nodes)
      groupOfNode[node] = static_cast<int>(g);
  tables.slotsOf.resize(configs.size());
  tables.entries.resize(slots.size());
  mayBePartial.assign(slots.size(), false);
  for (size_t s = 0; s < slots.size(); ++s) {
    tables.groupOf.push_back(groupOfNode[slots[s].node]);
    tables.slotsOf[tables.groupOf.back()].push_back(static_cast<int>(s));
  }
  for (size_t g = 0; g < configs.size(); ++g)
    for (size_t c = 0; c < configs[g].size(); ++c) {
      apply({static_cast<int>(g)}, {static_cast<int>(c)});
      for (int slot : tables.slotsOf[g]) {
        const KernelPlan &kernel = plan.kernelPlan(slot);
        Entry &entry = tables.entries[slot].emplace_back();
        entry.active = kernel.active;
        if (!kernel.active)
          continue;
        entry.devices = kernel.devices;
        entry.durationNs = kernel.durationNs;
        // Replicas of linear kernels may have nothing to add.
        bool partial = slots[slot].kernel->space.linear && kernel.replicas > 1;
        if (partial)
          mayBePartial[slot] = true;
        for (size_t i = 0; i < kernel.devices.size(); ++i)
          entry.certain.push_back(
              kernel.geometry->states[i % kernel.pieces()] !=
                  ShardState::Absent &&
              (!partial || i < static_cast<size_t>(kernel.pieces())));
        tables.maxShards = std::max(tables.maxShards, entry.devices.size());
      }
      plan.revert();
    }
}

void ExactTables::Builder::findDependences() {
  const Graph &graph = problem.getGraph();
  const std::vector<StrategyPlan::Slot> &slots = plan.getSlots();
  writersOf.resize(graph.values.size());
  for (size_t s = 0; s < slots.size(); ++s)
    for (int value : slots[s].kernel->results)
      writersOf[value].push_back(static_cast<int>(s));
  // The facts that decide whether replicas of a slot take contributions apart.
  std::vector<std::set<int>> modes(slots.size());
  for (size_t s = 0; s < slots.size(); ++s)
    if (mayBePartial[s])
      for (int value : slots[s].kernel->operands)
        for (int writer : writersOf[value]) {
          modes[s].insert(tables.groupOf[writer]);
          modes[s].insert(modes[writer].begin(), modes[writer].end());
        }
  for (const std::set<int> &groups : modes)
    tables.modesOf.emplace_back(groups.begin(), groups.end());
  std::vector<std::vector<int>> slotsOfNode(graph.nodes.size());
  for (size_t s = 0; s < slots.size(); ++s)
    slotsOfNode[slots[s].node].push_back(static_cast<int>(s));
  for (size_t v = 0; v < graph.values.size(); ++v) {
    std::set<int> groups;
    auto add = [&](int slot) {
      groups.insert(tables.groupOf[slot]);
      groups.insert(modes[slot].begin(), modes[slot].end());
    };
    for (int writer : writersOf[v])
      add(writer);
    for (const StrategyPlan::Reader &reader :
         plan.readersOf(static_cast<int>(v)))
      if (reader.slot >= 0)
        add(reader.slot);
    if (int input = plan.inputOf(static_cast<int>(v)); input >= 0)
      if (int node = graph.inputs[input].updateNode; node >= 0)
        add(slotsOfNode[node].front());
    tables.groupsOfValue.emplace_back(groups.begin(), groups.end());
  }
}

/// The longest ways from each shard of a value's writer through its tasks.
void ExactTables::Builder::addPaths(int value, std::vector<Edge> &edges) const {
  const ValuePlan &planned = plan.valuePlan(value);
  int block = plan.blockOf(value), writer = plan.producerOf(value);
  if (block < 0)
    return;
  auto count = static_cast<int>(planned.tasks.size());
  std::vector<int64_t> start(planned.tasks.size());
  std::map<std::pair<int, int>, int64_t> reached; // by slot, shard
  auto follow = [&](int source) {
    std::fill(start.begin(), start.end(), -1);
    reached.clear();
    int64_t last = 0;
    auto visit = [&](int node, int64_t ns) {
      last = std::max(last, ns);
      for (int i = planned.successorStart[node];
           i < planned.successorStart[node + 1]; ++i) {
        TaskRef next = planned.successors[i];
        if (next.block == block) {
          start[next.index] = std::max(start[next.index], ns);
          continue;
        }
        int64_t &known =
            reached.try_emplace({plan.getBlocks()[next.block].slot, next.index})
                .first->second;
        known = std::max(known, ns);
      }
    };
    if (source >= 0)
      visit(source, 0);
    else
      for (int root : planned.roots)
        start[root] = 0;
    for (int t = 0; t < count; ++t)
      if (start[t] >= 0)
        visit(planned.sources + t, start[t] + planned.tasks[t].durationNs);
    int from = source >= 0 ? writer : -1, shard = std::max(source, 0);
    for (const auto &[reader, ns] : reached)
      edges.push_back({from, shard, reader.first, reader.second, ns});
    if (last > 0)
      edges.push_back({from, shard, -1, 0, last});
  };
  if (!planned.roots.empty())
    follow(-1);
  if (planned.sourcesAreTasks)
    for (int source = 0; source < planned.sources; ++source)
      if (planned.successorStart[source] < planned.successorStart[source + 1])
        follow(source);
}

/// Kernels that run before others on the same device; see above.
void ExactTables::Builder::addOrder(const std::vector<int> &groups,
                                    std::vector<Edge> &edges) const {
  auto isInside = [&](const std::vector<int> &some) {
    return std::includes(groups.begin(), groups.end(), some.begin(),
                         some.end());
  };
  struct Task {
    int block, index;
    int slot = -1, device = -1;
    bool isKnown = false; ///< all that it waits for is here
    std::vector<int> waitsFor;
  };
  std::vector<Task> tasks;
  std::map<std::pair<int, int>, int> numberOf;
  const std::vector<StrategyPlan::Block> &blocks = plan.getBlocks();
  for (size_t b = 0; b < blocks.size(); ++b) {
    auto [slot, value] = blocks[b];
    if (slot >= 0) {
      if (!std::binary_search(groups.begin(), groups.end(),
                              tables.groupOf[slot]))
        continue;
      const KernelPlan &kernel = plan.kernelPlan(slot);
      if (!kernel.active)
        continue;
      bool isKnown = !mayBePartial[slot];
      for (int operand : plan.getSlots()[slot].kernel->operands)
        isKnown &= isInside(tables.groupsOfValue[operand]);
      for (size_t i = 0; i < kernel.devices.size(); ++i) {
        if (kernel.states[i] == ShardState::Absent)
          continue;
        numberOf[{static_cast<int>(b), static_cast<int>(i)}] =
            static_cast<int>(tasks.size());
        tasks.push_back({static_cast<int>(b),
                         static_cast<int>(i),
                         slot,
                         kernel.devices[i],
                         isKnown,
                         {}});
      }
    } else if (isInside(tables.groupsOfValue[value])) {
      for (size_t i = 0; i < plan.valuePlan(value).tasks.size(); ++i) {
        numberOf[{static_cast<int>(b), static_cast<int>(i)}] =
            static_cast<int>(tasks.size());
        tasks.push_back(
            {static_cast<int>(b), static_cast<int>(i), -1, -1, false, {}});
      }
    }
  }
  for (size_t t = 0; t < tasks.size(); ++t) {
    auto follow = [&](int value, size_t node) {
      if (!isInside(tables.groupsOfValue[value]))
        return;
      const ValuePlan &planned = plan.valuePlan(value);
      if (node >= static_cast<size_t>(planned.sources) ||
          planned.sourcesAreTasks)
        for (int i = planned.successorStart[node];
             i < planned.successorStart[node + 1]; ++i)
          if (auto it = numberOf.find(
                  {planned.successors[i].block, planned.successors[i].index});
              it != numberOf.end())
            tasks[it->second].waitsFor.push_back(static_cast<int>(t));
    };
    auto [slot, value] = blocks[tasks[t].block];
    auto index = static_cast<size_t>(tasks[t].index);
    if (slot >= 0)
      for (int result : plan.getSlots()[slot].kernel->results)
        follow(result, index);
    else
      follow(value, plan.valuePlan(value).sources + index);
  }
  // Tasks are in a topological order. `before[t]`: what has ended when t
  // starts; `awaited`: when it is ready; `strictly`: some ns before that.
  size_t words = (tasks.size() + 63) / 64;
  using Bits = std::vector<uint64_t>;
  std::vector<Bits> before(tasks.size(), Bits(words));
  auto has = [](const Bits &bits, int t) {
    return bits[static_cast<size_t>(t) / 64] >> (t % 64) & 1;
  };
  auto insert = [](Bits &bits, int t) {
    bits[static_cast<size_t>(t) / 64] |= uint64_t(1) << (t % 64);
  };
  auto unite = [](Bits &bits, const Bits &other) {
    for (size_t w = 0; w < bits.size(); ++w)
      bits[w] |= other[w];
  };
  std::vector<int> earlier;
  for (size_t t = 0; t < tasks.size(); ++t) {
    Task &task = tasks[t];
    Bits strictly(words);
    for (int p : task.waitsFor)
      unite(strictly, before[p]);
    Bits awaited = strictly;
    for (int p : task.waitsFor)
      insert(awaited, p);
    before[t] = awaited;
    if (task.slot < 0)
      continue;
    earlier.clear();
    for (size_t a = 0; a < t; ++a) {
      const Task &other = tasks[a];
      if (other.slot < 0 || other.device != task.device || !other.isKnown ||
          has(awaited, static_cast<int>(a)))
        continue;
      // Ready earlier, or at the same time with a smaller key, as a < t.
      if (std::all_of(other.waitsFor.begin(), other.waitsFor.end(),
                      [&](int p) { return has(awaited, p); }))
        earlier.push_back(static_cast<int>(a));
    }
    for (int a : earlier) {
      insert(before[t], a);
      unite(before[t], before[a]);
    }
    for (int a : earlier)
      if (tasks[a].slot != task.slot &&
          std::none_of(earlier.begin(), earlier.end(), [&](int other) {
            return other != a && has(before[other], a);
          }))
        edges.push_back(
            {tasks[a].slot, tasks[a].index, task.slot, task.index, 0});
  }
}

std::vector<ExactTables::Edge>
ExactTables::Builder::edgesOf(const std::vector<int> &groups,
                              const std::vector<int> &values) {
  std::vector<Edge> edges;
  for (int value : values)
    addPaths(value, edges);
  if (tables.ordered && groups.size() <= 2)
    addOrder(groups, edges);
  auto key = [](const Edge &e) {
    return std::tuple(e.to, e.toShard, e.from, e.fromShard);
  };
  std::sort(edges.begin(), edges.end(), [&](const Edge &a, const Edge &b) {
    return std::pair(key(a), -a.ns) < std::pair(key(b), -b.ns);
  });
  edges.erase(std::unique(edges.begin(), edges.end(),
                          [&](const Edge &a, const Edge &b) {
                            return key(a) == key(b);
                          }),
              edges.end());
  return edges;
}

/// Numbers edges by their ends.
void ExactTables::Builder::finish(Cluster &cluster,
                                  std::vector<std::vector<Edge>> &edges) {
  // Images may differ where ties are broken by device numbers.
  if (images.size() > 1) {
    std::vector<std::vector<Edge>> common = edges;
    for (size_t a = 0; a < cluster.assignments; ++a)
      for (const auto &image : images) {
        size_t other = 0;
        for (size_t i = 0; i < cluster.groups.size(); ++i) {
          size_t config =
              a / cluster.strides[i] % configs[cluster.groups[i]].size();
          other += cluster.strides[i] *
                   static_cast<size_t>(image[cluster.groups[i]][config]);
        }
        std::erase_if(common[a], [&](Edge &edge) {
          for (const Edge &same : edges[other])
            if (same.from == edge.from && same.to == edge.to &&
                same.fromShard == edge.fromShard &&
                same.toShard == edge.toShard) {
              edge.ns = std::min(edge.ns, same.ns);
              return false;
            }
          return true;
        });
      }
    edges = std::move(common);
  }
  std::set<int> targets, sources;
  for (const std::vector<Edge> &list : edges)
    for (const Edge &edge : list) {
      if (edge.to >= 0)
        targets.insert(edge.to);
      if (edge.from >= 0)
        sources.insert(edge.from);
    }
  cluster.targets.assign(targets.begin(), targets.end());
  cluster.sources.assign(sources.begin(), sources.end());
  auto place = [](const std::vector<int> &slots, int slot) {
    return static_cast<size_t>(
        std::lower_bound(slots.begin(), slots.end(), slot) - slots.begin());
  };
  for (std::vector<Edge> &list : edges) {
    size_t at = 0;
    for (int target : cluster.targets) {
      cluster.inStart.push_back(static_cast<uint32_t>(cluster.incoming.size()));
      while (at < list.size() && list[at].to < target)
        ++at;
      for (; at < list.size() && list[at].to == target; ++at)
        cluster.incoming.push_back(list[at]);
    }
    std::vector<std::vector<Edge>> bySource(cluster.sources.size());
    for (const Edge &edge : list)
      if (edge.from >= 0)
        bySource[place(cluster.sources, edge.from)].push_back(edge);
    for (const std::vector<Edge> &some : bySource) {
      cluster.outStart.push_back(
          static_cast<uint32_t>(cluster.outgoing.size()));
      cluster.outgoing.insert(cluster.outgoing.end(), some.begin(), some.end());
    }
  }
  cluster.inStart.push_back(static_cast<uint32_t>(cluster.incoming.size()));
  cluster.outStart.push_back(static_cast<uint32_t>(cluster.outgoing.size()));
}

bool ExactTables::Builder::findClusters(const std::function<bool()> &isOver) {
  std::map<std::vector<int>, std::vector<int>> valuesOf;
  for (size_t g = 0; g < configs.size(); ++g)
    valuesOf[{static_cast<int>(g)}];
  for (size_t v = 0; v < tables.groupsOfValue.size(); ++v)
    if (!tables.groupsOfValue[v].empty() &&
        tables.groupsOfValue[v].size() <= maxGroups)
      valuesOf[tables.groupsOfValue[v]].push_back(static_cast<int>(v));
  struct Task {
    size_t assignments;
    std::vector<int> groups, values;
  };
  std::vector<Task> order;
  for (auto &[groups, values] : valuesOf) {
    size_t assignments = 1;
    for (int g : groups)
      assignments = std::min(assignments * configs[g].size(), maxInAll + 1);
    order.push_back({assignments, groups, values});
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Task &a, const Task &b) {
                     return a.assignments < b.assignments;
                   });
  size_t inAll = 0;
  for (const Task &task : order) {
    inAll += task.assignments;
    if (task.assignments > maxAssignments || inAll > maxInAll)
      break;
    Cluster cluster;
    cluster.groups = task.groups;
    for (int g : task.groups) {
      cluster.strides.push_back(cluster.assignments);
      cluster.assignments *= configs[g].size();
    }
    std::vector<std::vector<Edge>> edges;
    std::vector<int> choice(task.groups.size());
    for (size_t a = 0; a < cluster.assignments; ++a) {
      if (isOver())
        return false;
      for (size_t i = 0; i < choice.size(); ++i)
        choice[i] = static_cast<int>(a / cluster.strides[i] %
                                     configs[task.groups[i]].size());
      apply(task.groups, choice);
      plan.finish();
      edges.push_back(edgesOf(task.groups, task.values));
      cluster.workStart.push_back(static_cast<uint32_t>(cluster.work.size()));
      if (images.size() <= 1) {
        std::map<int, int64_t> work;
        for (int value : task.values)
          for (const PlannedTask &planned : plan.valuePlan(value).tasks) {
            if (planned.resource >= 0)
              work[planned.resource] += planned.durationNs;
            else
              for (int r : plan.resourceLists()[-1 - planned.resource])
                work[r] += planned.durationNs;
          }
        cluster.work.insert(cluster.work.end(), work.begin(), work.end());
      }
      plan.revert();
    }
    cluster.workStart.push_back(static_cast<uint32_t>(cluster.work.size()));
    finish(cluster, edges);
    tables.clusters.push_back(std::move(cluster));
  }
  return true;
}

ExactTables::ExactTables(
    const ParallelizationProblem &problem,
    const std::vector<std::vector<Config>> &configs,
    const std::vector<std::vector<std::vector<int>>> &images,
    const std::function<bool()> &isOver)
    : deviceCount(problem.getTopology().deviceCount()),
      resourceCount(deviceCount +
                    static_cast<int>(problem.getTopology().links.size())) {
  Builder builder(*this, problem, configs, images);
  builder.findEntries();
  builder.findDependences();
  if (!builder.findClusters(isOver))
    clusters.clear();
  into.resize(groupOf.size());
  outOf.resize(groupOf.size());
  for (size_t k = 0; k < clusters.size(); ++k) {
    for (size_t i = 0; i < clusters[k].targets.size(); ++i)
      into[clusters[k].targets[i]].push_back(
          {static_cast<int>(k), static_cast<int>(i)});
    for (size_t i = 0; i < clusters[k].sources.size(); ++i)
      outOf[clusters[k].sources[i]].push_back(
          {static_cast<int>(k), static_cast<int>(i)});
  }
}
