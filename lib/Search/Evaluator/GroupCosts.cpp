//===- GroupCosts.cpp - Time of groups alone and in pairs -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GroupCosts.h.
//
//===----------------------------------------------------------------------===//

#include "GroupCosts.h"

#include "Soap/Search/Problem/ProblemFile.h"

#include <algorithm>
#include <cassert>

using namespace soap;

std::set<std::pair<int, int>> GroupCosts::pairs() const {
  const Graph &graph = problem.getGraph();
  std::vector<std::set<int>> writers(graph.values.size()),
      readers(graph.values.size());
  std::vector<int> groupOf(graph.nodes.size());
  for (size_t g = 0; g < problem.getGroups().size(); ++g)
    for (int node : problem.getGroups()[g].nodes) {
      groupOf[node] = static_cast<int>(g);
      forEachKernel(graph.nodes[node], [&](const Kernel &kernel) {
        for (int value : kernel.operands)
          readers[value].insert(static_cast<int>(g));
        for (int value : kernel.results)
          writers[value].insert(static_cast<int>(g));
      });
    }
  for (const GraphInput &input : graph.inputs)
    if (input.updateNode >= 0)
      writers[input.value].insert(groupOf[input.updateNode]);
  std::set<std::pair<int, int>> result;
  for (size_t v = 0; v < graph.values.size(); ++v) {
    // A number costs a message, however its writer and readers are split.
    if (graph.values[v].bytes() == graph.values[v].elementBytes)
      continue;
    for (int writer : writers[v])
      for (int reader : readers[v])
        if (writer != reader)
          result.insert(std::minmax(writer, reader));
  }
  return result;
}

/// Busiest resource of a value's tasks. `load` is memory.
static int64_t busiestNs(const StrategyPlan &plan, int value,
                         std::vector<int64_t> &load) {
  load.assign(plan.loadNs().size(), 0);
  int64_t most = 0;
  auto add = [&](int resource, int64_t ns) {
    most = std::max(most, load[resource] += ns);
  };
  for (const PlannedTask &task : plan.valuePlan(value).tasks)
    if (task.resource >= 0)
      add(task.resource, task.durationNs);
    else
      for (int resource : plan.resourceLists()[-1 - task.resource])
        add(resource, task.durationNs);
  return most;
}

/// Bytes of a value's tiles on device 0 where its producer writes them, or
/// where a graph input is from the start.
static int64_t sourceBytes(const StrategyPlan &plan, int value) {
  const RegionTable &table = plan.regionsOf(value);
  int64_t bytes = 0;
  for (auto [device, region] : plan.valuePlan(value).tiles)
    if (device == 0 && region >= 0)
      bytes += table.bytes(region);
  int slot = plan.producerOf(value);
  if (slot < 0)
    return bytes;
  const StrategyPlan::Slot &producer = plan.getSlots()[slot];
  const KernelPlan &kernel = plan.kernelPlan(slot);
  for (size_t r = 0; r < producer.kernel->results.size(); ++r) {
    if (producer.kernel->results[r] != value)
      continue;
    // An updated parameter is written into the tile that it replaces.
    for (const GraphInput &input : plan.getGraph().inputs)
      if (input.updateNode == producer.node &&
          input.updateResult == static_cast<int>(r))
        return bytes;
    const BlockSet &set = kernel.geometry->results[r];
    for (size_t i = 0; i < kernel.devices.size(); ++i)
      if (int b = set.blockOf[i % set.blockOf.size()];
          b >= 0 && kernel.devices[i] == 0 &&
          kernel.states[i] != ShardState::Absent)
        bytes += table.bytes(set.regions[b]);
  }
  return bytes;
}

/// Bytes of the other tiles of a value that readers on device 0 read.
static int64_t copyBytes(const StrategyPlan &plan, int value) {
  const ValuePlan &planned = plan.valuePlan(value);
  const RegionTable &table = plan.regionsOf(value);
  std::set<int> seen;
  int64_t bytes = 0;
  for (const std::vector<int> &binding : planned.bindings)
    for (int reference : binding) {
      if (reference < planned.sources || !seen.insert(reference).second)
        continue;
      const PlannedAction &action =
          planned.actions[reference - planned.sources];
      if (action.device == 0)
        bytes += table.bytes(action.region);
    }
  return bytes;
}

GroupCosts::Configs GroupCosts::members(int number, const Config &leader,
                                        const std::vector<int> &kept) const {
  const OpGroup &group = problem.getGroups()[number];
  const Graph &graph = problem.getGraph();
  Configs result;
  for (size_t m = 0; m < group.nodes.size(); ++m)
    if (kept[m] >= 0)
      result.push_back(
          group.nodes[m] == group.leader
              ? leader
              : followConfig(graph.nodes[group.leader].whole.space, leader,
                             graph.nodes[group.nodes[m]].whole.space,
                             group.loops[m]));
  return result;
}

/// Gives the kept members of a group, in their order, these configs.
static void assign(Strategy &strategy, const std::vector<int> &nodes,
                   std::vector<Config> configs) {
  size_t next = 0;
  for (int node : nodes)
    if (node >= 0)
      strategy[node] = std::move(configs[next++]);
}

/// Numbers of the values of a group cut out that it writes, updates or is given
/// as data. What others write or keep is wherever it is needed, and theirs to
/// hold.
static std::vector<int> heldNumbers(const ParallelizationProblem &problem,
                                    const GroupSubgraph &subgraph) {
  std::set<int> held;
  for (const GraphNode &node : subgraph.graph.nodes)
    forEachKernel(node, [&](const Kernel &kernel) {
      held.insert(kernel.results.begin(), kernel.results.end());
    });
  std::set<int> updated;
  for (const GraphInput &own : subgraph.graph.inputs)
    if (own.updateNode >= 0)
      updated.insert(own.value);
  for (const GraphInput &input : problem.getGraph().inputs)
    if (auto number = subgraph.valueOf.find(input.value);
        number != subgraph.valueOf.end() &&
        (input.updateNode < 0 || updated.count(number->second)))
      held.insert(number->second);
  return {held.begin(), held.end()};
}

std::string
GroupCosts::signature(const GroupSubgraph &subgraph,
                      const std::vector<int> &groups,
                      const std::vector<const Configs *> &configs) const {
  ProblemFile file;
  file.graph = subgraph.graph;
  for (GraphValue &value : file.graph.values)
    value.name.clear();
  for (GraphNode &node : file.graph.nodes)
    forEachKernel(node, [](Kernel &kernel) { kernel.name.clear(); });
  std::string configText;
  for (size_t g = 0; g < groups.size(); ++g) {
    OpGroup group = problem.getGroups()[groups[g]];
    for (size_t m = 0; m < group.nodes.size(); ++m)
      if (group.nodes[m] == group.leader)
        group.leader = subgraph.nodes[g][m];
    group.nodes = subgraph.nodes[g];
    file.groups.push_back(std::move(group));
    for (const Config &config : *configs[g]) {
      for (int64_t degree : config.degrees)
        configText += std::to_string(degree) + ',';
      configText += std::to_string(config.replicas) + ';';
      for (int device : config.devices)
        configText += std::to_string(device) + ',';
      configText += '\n';
    }
    configText += '\n';
  }
  // Equal groups hold the same values: of what they read, some is data, some
  // belongs to another group.
  std::string heldText;
  for (int number : heldNumbers(problem, subgraph))
    heldText += std::to_string(number) + ' ';
  return configText + heldText + '\n' + printProblemFile(file);
}

std::string GroupCosts::signature(int group, const Configs &configs) const {
  GroupSubgraph subgraph(problem.getGraph(), {problem.getGroups()[group]});
  return signature(subgraph, {group}, {&configs});
}

std::vector<int> GroupCosts::glue(int first, int second) const {
  const OpGroup &a = problem.getGroups()[first],
                &b = problem.getGroups()[second];
  GroupSubgraph ofFirst(problem.getGraph(), {a}),
      ofSecond(problem.getGraph(), {b});
  std::map<int, int> shared; // numbers of values in both
  for (auto [value, number] : ofFirst.valueOf)
    if (auto it = ofSecond.valueOf.find(value); it != ofSecond.valueOf.end())
      shared[number] = it->second;
  std::vector<int> result;
  for (auto [number, other] : shared) {
    result.push_back(number);
    result.push_back(other);
  }
  // In which order their nodes are.
  result.push_back(-1);
  std::vector<int> left = a.nodes, right = b.nodes;
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  for (int node : left)
    result.push_back(static_cast<int>(
        std::lower_bound(right.begin(), right.end(), node) - right.begin()));
  return result;
}

/// Gives values of a cut their numbers in the whole graph.
static GroupPrices renumbered(GroupPrices prices,
                              const GroupSubgraph &subgraph) {
  std::map<int, int> wholeOf;
  for (auto [value, number] : subgraph.valueOf)
    wholeOf[number] = value;
  for (int &value : prices.values)
    value = wholeOf.at(value);
  return prices;
}

std::vector<int> GroupCosts::heldValues(int group) const {
  GroupSubgraph subgraph(problem.getGraph(), {problem.getGroups()[group]});
  GroupPrices prices;
  prices.values = heldNumbers(problem, subgraph);
  return renumbered(std::move(prices), subgraph).values;
}

std::vector<int> GroupCosts::crossingValues(int first, int second) const {
  GroupSubgraph ofFirst(problem.getGraph(), {problem.getGroups()[first]}),
      ofSecond(problem.getGraph(), {problem.getGroups()[second]});
  std::vector<std::pair<int, int>> crossing; // number in the first, value
  for (auto [value, number] : ofFirst.valueOf)
    if (ofSecond.valueOf.count(value))
      crossing.emplace_back(number, value);
  std::sort(crossing.begin(), crossing.end());
  std::vector<int> result;
  for (auto [number, value] : crossing)
    result.push_back(value);
  return result;
}

GroupPrices GroupCosts::priceAlone(int group, const Configs &configs) {
  GroupSubgraph subgraph(problem.getGraph(), {problem.getGroups()[group]});
  auto [it, isNew] =
      known.try_emplace(signature(subgraph, {group}, {&configs}));
  if (isNew)
    it->second = computeAlone(group, configs, subgraph);
  return renumbered(it->second, subgraph);
}

GroupPrices GroupCosts::computeAlone(int group, const Configs &configs) {
  GroupSubgraph subgraph(problem.getGraph(), {problem.getGroups()[group]});
  return renumbered(computeAlone(group, configs, subgraph), subgraph);
}

GroupPrices GroupCosts::computeAlone(int group, const Configs &configs,
                                     const GroupSubgraph &subgraph) {
  GroupPrices result;
  result.values = heldNumbers(problem, subgraph);
  StrategyPlan plan(subgraph.graph, cost);
  std::vector<int64_t> load(problem.getTopology().devices.size());
  Strategy strategy(subgraph.graph.nodes.size());
  for (const Config &config : configs) {
    assign(strategy, subgraph.nodes[0],
           members(group, config, subgraph.nodes[0]));
    plan.set(strategy);
    int64_t sum = 0;
    for (size_t s = 0; s < plan.getSlots().size(); ++s) {
      const KernelPlan &kernel = plan.kernelPlan(static_cast<int>(s));
      if (!kernel.active)
        continue;
      std::fill(load.begin(), load.end(), 0);
      for (size_t i = 0; i < kernel.devices.size(); ++i)
        if (kernel.states[i] != ShardState::Absent)
          load[kernel.devices[i]] += kernel.durationNs[i];
      sum += *std::max_element(load.begin(), load.end());
    }
    for (size_t v = 0; v < subgraph.graph.values.size(); ++v)
      sum += busiestNs(plan, static_cast<int>(v), valueLoad);
    result.timesNs.push_back(sum);
    for (int value : result.values) {
      result.sourceBytes.push_back(sourceBytes(plan, value));
      result.copyBytes.push_back(copyBytes(plan, value));
    }
  }
  return result;
}

GroupPrices GroupCosts::valuePrices(int group, const Configs &configs,
                                    const GroupSubgraph &alone,
                                    const std::vector<int> &values) {
  StrategyPlan plan(alone.graph, cost);
  Strategy strategy(alone.graph.nodes.size());
  GroupPrices result;
  for (const Config &config : configs) {
    assign(strategy, alone.nodes[0], members(group, config, alone.nodes[0]));
    plan.set(strategy);
    for (int value : values) {
      int number = alone.valueOf.at(value);
      result.timesNs.push_back(busiestNs(plan, number, valueLoad));
      result.copyBytes.push_back(copyBytes(plan, number));
    }
  }
  return result;
}

GroupPrices GroupCosts::priceBetween(int first, int second,
                                     const Configs &firstConfigs,
                                     const Configs &secondConfigs,
                                     const std::function<bool()> &stopped) {
  PairCut cut(problem, first, second);
  std::string text =
      signature(cut.pair, {first, second}, {&firstConfigs, &secondConfigs});
  if (auto it = known.find(text); it != known.end())
    return renumbered(it->second, cut.pair);
  GroupPrices result =
      computeBetween(first, second, firstConfigs, secondConfigs, cut, stopped);
  if (!result.timesNs.empty())
    known.emplace(std::move(text), result);
  return renumbered(std::move(result), cut.pair);
}

GroupPrices GroupCosts::computeBetween(int first, int second,
                                       const Configs &firstConfigs,
                                       const Configs &secondConfigs,
                                       const std::function<bool()> &stopped) {
  PairCut cut(problem, first, second);
  return renumbered(
      computeBetween(first, second, firstConfigs, secondConfigs, cut, stopped),
      cut.pair);
}

GroupPrices GroupCosts::computeBetween(int first, int second,
                                       const Configs &firstConfigs,
                                       const Configs &secondConfigs,
                                       const PairCut &cut,
                                       const std::function<bool()> &stopped) {
  const GroupSubgraph &pair = cut.pair;
  const std::vector<int> &crossing = cut.crossing;
  GroupPrices ofFirst = valuePrices(first, firstConfigs, cut.first, crossing),
              ofSecond =
                  valuePrices(second, secondConfigs, cut.second, crossing);

  StrategyPlan plan(pair.graph, cost);
  std::vector<Configs> secondMembers;
  for (const Config &config : secondConfigs)
    secondMembers.push_back(members(second, config, pair.nodes[1]));
  assert(!secondMembers.empty() && "at least one config");
  std::vector<int> secondNodes = pair.nodes[1];
  std::erase(secondNodes, -1);
  GroupPrices result;
  for (int value : crossing)
    result.values.push_back(pair.valueOf.at(value));
  Strategy strategy(pair.graph.nodes.size());
  for (size_t a = 0; a < firstConfigs.size(); ++a) {
    if (stopped())
      return {};
    assign(strategy, pair.nodes[0],
           members(first, firstConfigs[a], pair.nodes[0]));
    assign(strategy, pair.nodes[1], secondMembers[0]);
    plan.set(strategy);
    for (size_t b = 0; b < secondConfigs.size(); ++b) {
      plan.change(secondNodes, secondMembers[b]);
      plan.finish();
      int64_t sum = 0;
      for (size_t i = 0; i < crossing.size(); ++i) {
        int number = pair.valueOf.at(crossing[i]);
        size_t inFirst = a * crossing.size() + i,
               inSecond = b * crossing.size() + i;
        auto added = [](int64_t both, int64_t one, int64_t other) {
          return std::max<int64_t>(both - one - other, 0);
        };
        result.movingNs.push_back(added(busiestNs(plan, number, valueLoad),
                                        ofFirst.timesNs[inFirst],
                                        ofSecond.timesNs[inSecond]));
        sum += result.movingNs.back();
        result.copyBytes.push_back(added(copyBytes(plan, number),
                                         ofFirst.copyBytes[inFirst],
                                         ofSecond.copyBytes[inSecond]));
      }
      plan.revert();
      result.timesNs.push_back(sum);
    }
  }
  return result;
}
