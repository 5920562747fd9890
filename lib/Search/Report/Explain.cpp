//===- Explain.cpp - Why an op has its config -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is found by simulating: an explanation is true if the simulator
// is.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Report/Explain.h"
#include "Search/Evaluator/GroupNeighbours.h"
#include "Soap/Plan/ActionCost.h"
#include "Soap/Search/Evaluator/StrategyEvaluator.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Problem/PricedStrategy.h"
#include "Soap/Simulator/Algorithm1Simulator.h"
#include "Soap/Simulator/Timeline.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace soap;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

int soap::groupOfOp(const ParallelizationProblem &problem,
                    const std::string &name) {
  const std::vector<OpGroup> &groups = problem.getGroups();
  for (size_t g = 0; g < groups.size(); ++g)
    for (int node : groups[g].nodes)
      if (problem.getGraph().nodes[node].whole.name == name)
        return static_cast<int>(g);
  return -1;
}

/// Levenshtein's distance.
static size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> soap::nearNames(const Graph &graph,
                                         const std::string &name, size_t most) {
  // A name that holds the other is near, however long it is; of all others
  // those with a mistake in one letter, or in a third of them.
  std::vector<std::tuple<bool, size_t, size_t>> order;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const std::string &other = graph.nodes[n].whole.name;
    if (other.size() > 4096 || name.size() > 4096)
      continue;
    bool holds = !name.empty() && (other.find(name) != std::string::npos ||
                                   name.find(other) != std::string::npos);
    size_t distance = editDistance(name, other);
    if (holds || distance <= std::max<size_t>(
                                 1, std::max(name.size(), other.size()) / 3))
      order.push_back({!holds, distance, n});
  }
  std::sort(order.begin(), order.end());
  std::vector<std::string> result;
  for (size_t i = 0; i < std::min(most, order.size()); ++i)
    result.push_back(graph.nodes[std::get<2>(order[i])].whole.name);
  return result;
}

std::string soap::describeConfig(const IterationSpace &space,
                                 const Config &config) {
  std::string text = "{";
  for (size_t l = 0; l < space.loops.size(); ++l)
    if (config.degrees[l] > 1)
      text += (text.size() > 1 ? ", " : "") + space.loops[l].name + " = " +
              std::to_string(config.degrees[l]);
  text += "}";
  if (config.replicas > 1)
    text += " x" + std::to_string(config.replicas);
  text += " on ";
  // Runs of devices as ranges; `0,4,...,60` where they are not neighbours.
  const std::vector<int> &devices = config.devices;
  for (size_t i = 0; i < devices.size();) {
    size_t last = i + 1;
    int step = last < devices.size() ? devices[last] - devices[i] : 0;
    while (last < devices.size() && step > 0 &&
           devices[last] == devices[last - 1] + step)
      ++last;
    --last;
    // A few are written out.
    if (step != 1 && last < i + 4)
      last = i;
    text += (i ? "," : "") + std::to_string(devices[i]);
    if (step > 1 && last > i)
      text += "," + std::to_string(devices[i + 1]) + ",...";
    if (last > i)
      text += (step == 1 && last > i + 1 ? "-" : ",") +
              std::to_string(devices[last]);
    i = last + 1;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Alternatives
//===----------------------------------------------------------------------===//

namespace {

class Explainer {
public:
  Explainer(const ParallelizationProblem &problem, const Strategy &strategy,
            int group, int64_t most)
      : problem(problem), strategy(strategy), groupId(group),
        group(problem.getGroups()[group]),
        space(problem.getGraph().nodes[this->group.leader].whole.space),
        devices(problem.getTopology().deviceCount()), most(most),
        cost(problem.getTopology()), evaluator(problem), neighbours(problem) {}

  Explanation run() {
    result.group = groupId;
    collect();
    // Members of a group may have configs of their own in a strategy that was
    // not searched; the current alternative is the strategy as it is.
    Strategy followed = strategy;
    for (const OpGroup &g : problem.getGroups())
      problem.assign(followed, g, strategy[g.leader]);
    tied = followed == strategy;
    result.alternatives[0].evaluation = evaluator.start(strategy);
    for (size_t i = 1; i < result.alternatives.size(); ++i)
      result.alternatives[i].evaluation =
          price({{groupId, result.alternatives[i].config}});
    sort();
    // Whole plans and simulations: as many as are some seconds' work.
    constexpr int64_t maxTasks = 1'000'000, minDetailed = 24;
    int64_t detailed = std::max(
        minDetailed, maxTasks / std::max<int64_t>(evaluator.taskCount(), 1));
    for (size_t i = 0; i < result.alternatives.size(); ++i)
      if (static_cast<int64_t>(i) < detailed || i == result.current)
        addDetails(result.alternatives[i]);
    pair();
    return std::move(result);
  }

private:
  const ParallelizationProblem &problem;
  const Strategy &strategy;
  int groupId;
  const OpGroup &group;
  const IterationSpace &space;
  int devices;
  int64_t most;
  CostModel cost;
  StrategyEvaluator evaluator; ///< holds the strategy
  GroupNeighbours neighbours;
  bool tied = true; ///< members follow their leaders
  Explanation result;
  std::set<std::pair<std::vector<int64_t>, std::vector<int>>> known;

  /// Whether a search may give a group a config at all.
  bool mayHave(int number, const Config &config) const {
    const Config *own = problem.fixedConfig(problem.getGroups()[number].leader);
    return !own || config == *own;
  }

  /// False if there is no room for more.
  bool add(Config config, std::string origin) {
    if (checkConfig(space, config, devices).fault != ConfigFault::None ||
        (origin != "current" && !mayHave(groupId, config)))
      return true;
    std::vector<int64_t> degrees = config.degrees;
    degrees.push_back(config.replicas);
    if (known.count({degrees, config.devices}))
      return true;
    if (static_cast<int64_t>(result.alternatives.size()) >= most) {
      result.bounded = true;
      return false;
    }
    known.insert({std::move(degrees), config.devices});
    Alternative &alternative = result.alternatives.emplace_back();
    alternative.config = std::move(config);
    alternative.origin = std::move(origin);
    return true;
  }

  void collect() {
    add(strategy[group.leader], "current");
    for (int other : neighbours.of(groupId)) {
      int leader = problem.getGroups()[other].leader;
      add(neighbours.translate(other, strategy[leader], groupId),
          "as '" + problem.getGraph().nodes[leader].whole.name + "'");
    }
    for (const std::string &name : presetNames())
      add((*presetStrategy(name, problem))[group.leader], "preset " + name);
    for (const std::vector<int64_t> &degrees : degreeVectors()) {
      Config config;
      config.degrees = degrees;
      config.replicas = config.degrees.back();
      config.degrees.pop_back();
      for (std::vector<int> &list :
           deviceLists(config.replicas * config.piecesPerReplica())) {
        config.devices = std::move(list);
        if (!add(config, ""))
          return;
      }
    }
  }

  /// Legal degrees, then the replicas: few split loops first, then many pieces.
  std::vector<std::vector<int64_t>> degreeVectors() const {
    constexpr int maxDevicesForAllDegrees = 32;
    bool powers = devices > maxDevicesForAllDegrees;
    std::vector<std::vector<int64_t>> vectors = {{}};
    for (size_t l = 0; l <= space.loops.size(); ++l) {
      bool replicas = l == space.loops.size();
      int64_t largest = replicas ? devices
                        : problem.mayCut(group.leader, static_cast<int>(l))
                            ? std::max<int64_t>(space.loops[l].extent, 1)
                            : 1;
      std::vector<std::vector<int64_t>> longer;
      for (const std::vector<int64_t> &prefix : vectors) {
        int64_t pieces = product(prefix);
        for (int64_t degree = 1; degree <= std::min(largest, devices / pieces);
             degree = powers ? 2 * degree : degree + 1) {
          longer.push_back(prefix);
          longer.back().push_back(degree);
        }
      }
      vectors = std::move(longer);
    }
    auto rank = [](const std::vector<int64_t> &degrees) {
      auto cut = std::count_if(degrees.begin(), degrees.end(),
                               [](int64_t d) { return d > 1; });
      // Redundant work seldom pays.
      return std::tuple(degrees.back() > 1, cut, -product(degrees), degrees);
    };
    std::sort(vectors.begin(), vectors.end(),
              [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
    return vectors;
  }

  static int64_t product(const std::vector<int64_t> &degrees) {
    return std::accumulate(degrees.begin(), degrees.end(), int64_t(1),
                           std::multiplies<>());
  }

  /// The current devices in their order as far as they go, then blocks of
  /// contiguous ones.
  std::vector<std::vector<int>> deviceLists(int64_t count) const {
    constexpr int64_t maxBlocks = 8;
    std::vector<std::vector<int>> lists;
    std::vector<int> own;
    for (int device : strategy[group.leader].devices)
      if (std::find(own.begin(), own.end(), device) == own.end())
        own.push_back(device);
    if (static_cast<int64_t>(own.size()) >= count)
      lists.emplace_back(own.begin(), own.begin() + count);
    for (int64_t block = 0; block < maxBlocks && (block + 1) * count <= devices;
         ++block) {
      std::vector<int> &list = lists.emplace_back(count);
      std::iota(list.begin(), list.end(), static_cast<int>(block * count));
    }
    return lists;
  }

  using Changes = std::vector<std::pair<int, Config>>;

  /// The strategy with other configs for the leaders of some groups.
  Evaluation price(const Changes &changes) {
    for (size_t i = 0; i + 1 < changes.size(); ++i) {
      evaluator.propose(changes[i].first, changes[i].second);
      evaluator.accept();
    }
    Evaluation evaluation =
        evaluator.propose(changes.back().first, changes.back().second);
    evaluator.reject();
    if (changes.size() > 1 && !tied)
      evaluator.start(strategy);
    for (size_t i = changes.size() - 1; tied && i-- > 0;) {
      int changed = changes[i].first;
      evaluator.propose(changed, strategy[problem.getGroups()[changed].leader]);
      evaluator.accept();
    }
    return evaluation;
  }

  void addDetails(Alternative &alternative) {
    Strategy changed = strategy;
    if (alternative.origin != "current")
      problem.assign(changed, group, alternative.config);
    PricedStrategy priced = priceWhole(changed);
    alternative.detailed = true;
    alternative.bytesMoved = priced.bytesMoved();
    for (const Action &action : priced.plan.actions)
      if (action.kind == ActionKind::Compute &&
          std::find(group.nodes.begin(), group.nodes.end(), action.node) !=
              group.nodes.end())
        alternative.computeNs += cost.computeNs(
            action.device, workOf(problem.getGraph(), priced.plan, action));
    std::vector<int64_t> onPath(priced.tasks.resources.size());
    for (int t : criticalPath(priced.tasks)) {
      const Task &task = priced.tasks.tasks[t];
      for (int resource : task.resources)
        onPath[resource] += task.endNs - task.startNs;
    }
    auto limit = std::max_element(onPath.begin(), onPath.end());
    if (limit == onPath.end() || priced.tasks.makespanNs == 0)
      return;
    size_t resource = limit - onPath.begin();
    const Topology &topology = problem.getTopology();
    alternative.limit =
        resource < topology.devices.size()
            ? topology.devices[resource].name
            : topology.links[resource - topology.devices.size()].name;
    alternative.limitShare = static_cast<double>(*limit) /
                             static_cast<double>(priced.tasks.makespanNs);
  }

  PricedStrategy priceWhole(const Strategy &changed) const {
    return priceStrategy(problem.getGraph(), changed, cost, /*names=*/false);
  }

  void sort() {
    std::vector<size_t> order(result.alternatives.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const Evaluation &ea = result.alternatives[a].evaluation,
                       &eb = result.alternatives[b].evaluation;
      return isBetter(ea, eb) || (!isBetter(eb, ea) && a < b);
    });
    std::vector<Alternative> sorted;
    for (size_t i : order) {
      if (i == 0)
        result.current = sorted.size();
      sorted.push_back(std::move(result.alternatives[i]));
    }
    result.alternatives = std::move(sorted);
  }

  /// The fastest alternatives and those with the least work, each with the
  /// neighbours split the same way.
  void pair() {
    constexpr size_t maxTried = 6, maxNeighbours = 6;
    std::vector<size_t> byWork;
    for (size_t i = 0; i < result.alternatives.size(); ++i)
      if (result.alternatives[i].detailed)
        byWork.push_back(i);
    std::sort(byWork.begin(), byWork.end(), [&](size_t a, size_t b) {
      return std::pair(result.alternatives[a].computeNs, a) <
             std::pair(result.alternatives[b].computeNs, b);
    });
    std::set<size_t> tried;
    for (size_t i = 0; i < byWork.size() && i < maxTried; ++i) {
      tried.insert(i);
      tried.insert(byWork[i]);
    }
    std::vector<int> others = neighbours.of(groupId);
    others.resize(std::min(others.size(), maxNeighbours));
    std::vector<int> layer = sameWeights();
    for (size_t i : tried) {
      const Config &config = result.alternatives[i].config;
      for (int other : others)
        tryTogether(i, {other}, {neighbours.translate(groupId, config, other)});
      tryTogether(i, layer, std::vector<Config>(layer.size(), config));
    }
    std::sort(result.pairings.begin(), result.pairings.end(),
              [](const Pairing &a, const Pairing &b) {
                return isBetter(a.evaluation, b.evaluation) ||
                       (!isBetter(b.evaluation, a.evaluation) &&
                        std::tie(a.alternative, a.groups) <
                            std::tie(b.alternative, b.groups));
              });
    for (Pairing &pairing : result.pairings) {
      Strategy changed = strategy;
      problem.assign(changed, group,
                     result.alternatives[pairing.alternative].config);
      for (size_t i = 0; i < pairing.groups.size(); ++i)
        problem.assign(changed, problem.getGroups()[pairing.groups[i]],
                       pairing.configs[i]);
      pairing.bytesMoved = priceWhole(changed).bytesMoved();
    }
  }

  /// Other groups of the same kind that read a weight of this one.
  std::vector<int> sameWeights() const {
    const std::vector<OpGroup> &groups = problem.getGroups();
    const Kernel &own = problem.getGraph().nodes[group.leader].whole;
    std::set<int> weights;
    for (const GraphInput &input : problem.getGraph().inputs)
      if (input.updateNode >= 0)
        weights.insert(input.value);
    std::vector<int> result;
    for (size_t g = 0; g < groups.size(); ++g) {
      const Kernel &other = problem.getGraph().nodes[groups[g].leader].whole;
      if (static_cast<int>(g) != groupId && other.kind == own.kind &&
          other.space.loops.size() == space.loops.size() &&
          std::any_of(own.operands.begin(), own.operands.end(), [&](int value) {
            return weights.count(value) > 0 &&
                   std::count(other.operands.begin(), other.operands.end(),
                              value) > 0;
          }))
        result.push_back(static_cast<int>(g));
    }
    return result;
  }

  void tryTogether(size_t index, const std::vector<int> &others,
                   std::vector<Config> configs) {
    const Alternative &alternative = result.alternatives[index];
    Changes changes = {{groupId, alternative.config}};
    for (size_t i = 0; i < others.size(); ++i) {
      int leader = problem.getGroups()[others[i]].leader;
      if (checkConfig(problem.getGraph().nodes[leader].whole.space, configs[i],
                      devices)
                  .fault != ConfigFault::None ||
          !mayHave(others[i], configs[i]))
        return;
      if (configs[i] != strategy[leader])
        changes.push_back({others[i], configs[i]});
    }
    if (changes.size() == 1)
      return;
    Evaluation evaluation = price(changes);
    if (isBetter(evaluation, alternative.evaluation))
      result.pairings.push_back(
          {index, others, std::move(configs), evaluation, 0});
  }
};

} // namespace

Explanation soap::explainGroup(const ParallelizationProblem &problem,
                               const Strategy &strategy, int group,
                               int64_t most) {
  return Explainer(problem, strategy, group, std::max<int64_t>(most, 1)).run();
}
