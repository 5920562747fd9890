//===- GroupCosts.cpp - Time of groups alone and in pairs -----------------===//
//
// See GroupCosts.h.
//
//===----------------------------------------------------------------------===//

#include "GroupCosts.h"

#include "Soap/Search/ProblemFile.h"

#include <algorithm>

using namespace soap;

/// Calls `visit` with the value lists of the op and its stages.
template <typename Node, typename Visit>
static void forEachKernel(Node &node, Visit visit) {
  visit(node.whole);
  for (auto &stage : node.stages)
    visit(stage);
}

GroupSubgraph::GroupSubgraph(const Graph &whole,
                             const std::vector<OpGroup> &groups) {
  std::map<int, std::pair<size_t, size_t>> member; // by node
  for (size_t g = 0; g < groups.size(); ++g) {
    nodes.emplace_back(groups[g].nodes.size());
    for (size_t m = 0; m < groups[g].nodes.size(); ++m)
      member[groups[g].nodes[m]] = {g, m};
  }
  std::map<int, int> nodeOf;
  std::vector<bool> written;
  auto number = [&](int value) {
    auto [it, isNew] =
        valueOf.try_emplace(value, static_cast<int>(graph.values.size()));
    if (isNew) {
      graph.values.push_back(whole.values[value]);
      written.push_back(false);
    }
    return it->second;
  };
  for (auto [n, place] : member) { // in program order
    nodeOf[n] = static_cast<int>(graph.nodes.size());
    nodes[place.first][place.second] = nodeOf[n];
    GraphNode node = whole.nodes[n];
    forEachKernel(node, [&](Kernel &kernel) {
      for (int &value : kernel.operands)
        value = number(value);
      for (int &value : kernel.results) {
        value = number(value);
        written[value] = true;
      }
    });
    graph.nodes.push_back(std::move(node));
  }
  for (const GraphInput &from : whole.inputs) {
    auto it = valueOf.find(from.value);
    if (it == valueOf.end())
      continue;
    GraphInput input = from;
    input.value = it->second;
    written[input.value] = true;
    if (auto update = nodeOf.find(from.updateNode); update != nodeOf.end())
      input.updateNode = update->second;
    else
      input.updateNode = input.updateOperand = input.updateResult = -1;
    graph.inputs.push_back(std::move(input));
  }
  for (size_t v = 0; v < written.size(); ++v)
    if (!written[v]) {
      GraphInput input;
      input.value = static_cast<int>(v);
      graph.inputs.push_back(input);
    }
}

void GroupSubgraph::keepOnly(const std::set<int> &values) {
  std::set<int> written;
  for (GraphNode &node : graph.nodes)
    forEachKernel(node, [&](Kernel &kernel) {
      written.insert(kernel.results.begin(), kernel.results.end());
    });
  std::map<int, int> copies;
  for (GraphNode &node : graph.nodes)
    forEachKernel(node, [&](Kernel &kernel) {
      for (int &value : kernel.operands) {
        if (values.count(value) || !written.count(value))
          continue;
        auto [it, isNew] =
            copies.try_emplace(value, static_cast<int>(graph.values.size()));
        if (isNew) {
          graph.values.push_back(GraphValue(graph.values[value]));
          GraphInput input;
          input.value = it->second;
          graph.inputs.push_back(input);
        }
        value = it->second;
      }
    });
  for (GraphInput &input : graph.inputs)
    if (!values.count(input.value))
      input.updateNode = input.updateOperand = input.updateResult = -1;
}

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
  for (size_t v = 0; v < graph.values.size(); ++v)
    for (int writer : writers[v])
      for (int reader : readers[v])
        if (writer != reader)
          result.insert(std::minmax(writer, reader));
  return result;
}

/// Busiest resource of a value's tasks.
static int64_t busiestNs(const StrategyPlan &plan, int value) {
  static thread_local std::vector<int64_t> load;
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

GroupCosts::Configs GroupCosts::members(int number,
                                        const Config &leader) const {
  const OpGroup &group = problem.getGroups()[number];
  const Graph &graph = problem.getGraph();
  Configs result;
  for (size_t m = 0; m < group.nodes.size(); ++m)
    result.push_back(group.nodes[m] == group.leader
                         ? leader
                         : followConfig(graph.nodes[group.leader].whole.space,
                                        leader,
                                        graph.nodes[group.nodes[m]].whole.space,
                                        group.loops[m]));
  return result;
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
  return configText + printProblemFile(file);
}

std::vector<int64_t> GroupCosts::alone(int group, const Configs &configs) {
  GroupSubgraph subgraph(problem.getGraph(), {problem.getGroups()[group]});
  auto [it, isNew] =
      known.try_emplace(signature(subgraph, {group}, {&configs}));
  std::vector<int64_t> &result = it->second;
  if (!isNew)
    return result;
  StrategyPlan plan(subgraph.graph, cost);
  std::vector<int64_t> load(problem.getTopology().devices.size());
  Strategy strategy(subgraph.graph.nodes.size());
  for (const Config &config : configs) {
    Configs all = members(group, config);
    for (size_t m = 0; m < all.size(); ++m)
      strategy[subgraph.nodes[0][m]] = std::move(all[m]);
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
      sum += busiestNs(plan, static_cast<int>(v));
    result.push_back(sum);
  }
  return result;
}

std::vector<std::vector<int64_t>>
GroupCosts::valueTimes(int group, const Configs &configs,
                       const GroupSubgraph &alone,
                       const std::vector<int> &values) {
  StrategyPlan plan(alone.graph, cost);
  Strategy strategy(alone.graph.nodes.size());
  std::vector<std::vector<int64_t>> result;
  for (const Config &config : configs) {
    Configs all = members(group, config);
    for (size_t m = 0; m < all.size(); ++m)
      strategy[alone.nodes[0][m]] = std::move(all[m]);
    plan.set(strategy);
    std::vector<int64_t> &times = result.emplace_back();
    for (int value : values)
      times.push_back(busiestNs(plan, alone.valueOf.at(value)));
  }
  return result;
}

std::vector<int64_t> GroupCosts::between(int first, int second,
                                         const Configs &firstConfigs,
                                         const Configs &secondConfigs,
                                         const std::function<bool()> &stopped) {
  const Graph &graph = problem.getGraph();
  const OpGroup &firstGroup = problem.getGroups()[first],
                &secondGroup = problem.getGroups()[second];
  GroupSubgraph firstAlone(graph, {firstGroup}),
      secondAlone(graph, {secondGroup}), pair(graph, {firstGroup, secondGroup});
  // Values of both; what one of them has without the other is counted there.
  std::vector<int> crossing;
  std::set<int> kept, keptFirst, keptSecond;
  for (auto [value, number] : pair.valueOf)
    if (firstAlone.valueOf.count(value) && secondAlone.valueOf.count(value)) {
      crossing.push_back(value);
      kept.insert(number);
      keptFirst.insert(firstAlone.valueOf.at(value));
      keptSecond.insert(secondAlone.valueOf.at(value));
    }
  pair.keepOnly(kept);
  std::string text =
      signature(pair, {first, second}, {&firstConfigs, &secondConfigs});
  if (auto it = known.find(text); it != known.end())
    return it->second;
  firstAlone.keepOnly(keptFirst);
  secondAlone.keepOnly(keptSecond);
  std::vector<std::vector<int64_t>> ofFirst = valueTimes(first, firstConfigs,
                                                         firstAlone, crossing),
                                    ofSecond =
                                        valueTimes(second, secondConfigs,
                                                   secondAlone, crossing);

  StrategyPlan plan(pair.graph, cost);
  std::vector<Configs> secondMembers;
  for (const Config &config : secondConfigs)
    secondMembers.push_back(members(second, config));
  std::vector<int64_t> result;
  Strategy strategy(pair.graph.nodes.size());
  for (size_t a = 0; a < firstConfigs.size(); ++a) {
    if (stopped())
      return {};
    Configs all = members(first, firstConfigs[a]);
    for (size_t m = 0; m < all.size(); ++m)
      strategy[pair.nodes[0][m]] = std::move(all[m]);
    for (size_t m = 0; m < secondMembers[0].size(); ++m)
      strategy[pair.nodes[1][m]] = secondMembers[0][m];
    plan.set(strategy);
    for (size_t b = 0; b < secondConfigs.size(); ++b) {
      plan.change(pair.nodes[1], secondMembers[b]);
      plan.finish();
      int64_t sum = 0;
      for (size_t i = 0; i < crossing.size(); ++i)
        sum += std::max<int64_t>(busiestNs(plan, pair.valueOf.at(crossing[i])) -
                                     ofFirst[a][i] - ofSecond[b][i],
                                 0);
      plan.revert();
      result.push_back(sum);
    }
  }
  known.emplace(std::move(text), result);
  return result;
}
