//===- Exact.cpp - Optimal strategies by branch and bound -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depth first, the child with the least bound first. Of strategies that a
// symmetry of the topology maps into each other one is branched to, and all are
// priced: ties of transfers are broken by device numbers, so that images may
// differ by a little.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Exact/Exact.h"

#include "ExactBounds.h"
#include "ExactTimeline.h"
#include "Search/Evaluator/SearchRun.h"
#include "Search/Problem/ConfigSpace.h"
#include "Soap/Search/Annealing/PlacementSearch.h"
#include "Soap/Search/MCMC/MCMC.h"
#include "Soap/Search/MCMC/Polish.h"
#include "Soap/Search/Presets/Presets.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

using namespace soap;

/// Permutations of devices that keep all distances, kinds of devices and
/// memory; the identity first. Only the identity for more than 8 devices.
static std::vector<std::vector<int>> symmetriesOf(const Topology &topology) {
  int devices = topology.deviceCount();
  std::vector<int> permutation(devices);
  std::iota(permutation.begin(), permutation.end(), 0);
  std::vector<std::vector<int>> result;
  if (devices > 8)
    return {permutation};
  // Two sizes tell latency and bandwidth of a route.
  std::vector<std::array<int64_t, 2>> route(devices * devices);
  std::vector<double> incoming(devices);
  for (const Link &link : topology.links)
    if (link.to < devices)
      incoming[link.to] += link.bandwidthBytesPerSecond;
  for (int a = 0; a < devices; ++a)
    for (int b = 0; b < devices; ++b)
      if (a != b)
        route[a * devices + b] = {topology.transferNs(a, b, 1),
                                  topology.transferNs(a, b, 1 << 28)};
  do {
    bool same = true;
    for (int a = 0; a < devices && same; ++a) {
      same =
          topology.devices[a].type == topology.devices[permutation[a]].type &&
          incoming[a] == incoming[permutation[a]];
      for (int b = 0; b < devices && same; ++b)
        same = a == b || route[a * devices + b] ==
                             route[permutation[a] * devices + permutation[b]];
    }
    if (same)
      result.push_back(permutation);
  } while (std::next_permutation(permutation.begin(), permutation.end()));
  return result;
}

namespace {

constexpr int64_t never = std::numeric_limits<int64_t>::max() / 4;

class BranchAndBound {
public:
  BranchAndBound(const ParallelizationProblem &problem,
                 const ExactOptions &options)
      : problem(problem), options(options), run(options, result.search),
        cost(problem.getTopology()), plan(problem.getGraph(), cost),
        bounds(plan), simulator(plan, &bounds) {}

  ExactResult search() {
    run.offerStarts(problem);
    findFirst();
    makeSpace();
    if (problem.getGroups().empty()) {
      result.search.optimal = true;
      result.search.boundNs = result.search.bestEvaluation.makespanNs;
      run.finish(statistics);
      return std::move(result);
    }
    findImages();
    if (isTooLarge()) {
      result.search.boundNs = 0;
      run.finish(statistics);
      return std::move(result);
    }
    ExactTables tables(problem, configs, images,
                       [this] { return run.isOver(); });
    ExactBounds bounds(tables, configs);
    result.rootBoundNs = bounds.propagate(never);
    // It is not the same for images, where ties are broken by device numbers.
    if (images.size() == 1)
      timeline.emplace(problem, configs, tables);
    // Nothing is known of partial strategies while nothing fits into memory.
    limitNs = result.search.bestEvaluation.excessBytes == 0
                  ? result.search.bestEvaluation.makespanNs - 1
                  : never - 1;
    openNs = never;
    strategy = singleStrategy(problem);
    for (size_t g = 0; g < configs.size(); ++g)
      problem.assign(strategy, problem.getGroups()[g], configs[g][0]);
    plan.set(strategy);
    base.assign(configs.size(), 0);
    std::vector<int> all(images.size());
    std::iota(all.begin(), all.end(), 0);
    chosen.assign(configs.size(), -1);
    findOrder(tables);
    if (result.rootBoundNs <= limitNs && bounds.propagate(limitNs) <= limitNs)
      branch(bounds, 0, result.rootBoundNs, all);
    McmcResult &found = result.search;
    bool fits = found.bestEvaluation.excessBytes == 0;
    found.optimal = !stopped && fits;
    found.boundNs = std::min(openNs, found.bestEvaluation.makespanNs);
    if (!fits)
      found.boundNs = std::min(openNs, result.rootBoundNs);
    run.finish(statistics);
    return std::move(result);
  }

private:
  const ParallelizationProblem &problem;
  const ExactOptions &options;
  ExactResult result;
  SearchRun run;
  CostModel cost;
  StrategyPlan plan;
  MakespanBounds bounds;
  StrategySimulator simulator;
  EvaluatorStatistics statistics;
  std::vector<std::vector<Config>> configs; ///< by group
  /// By symmetry, group, config: the config that it is mapped to.
  std::vector<std::vector<std::vector<int>>> images;
  std::vector<int> order; ///< of groups, to branch on
  std::optional<ExactTimeline> timeline;
  std::vector<int> chosen; ///< configs by group, -1: none yet
  std::vector<int> base;   ///< configs of all groups in `plan`
  Strategy strategy;
  int64_t limitNs = 0;
  int64_t openNs = 0; ///< least bound of what was left
  bool stopped = false;

  /// A good strategy to compare with: Markov chains from presets, the best
  /// placement and what earlier rounds have found, each polished.
  void findFirst() {
    if (problem.getGroups().empty() || options.firstProposals <= 0 ||
        run.isOver())
      return;
    constexpr int rounds = 4;
    constexpr double share = 0.05; // of the time, for each part
    auto offer = [&](const McmcResult &found) {
      result.search.proposals += found.proposals;
      run.offer(found.best, found.bestEvaluation);
    };
    std::vector<Strategy> starts;
    for (const std::string &name : presetNames())
      if (Expected<Strategy> preset = presetStrategy(name, problem))
        starts.push_back(std::move(*preset));
    // Whole ops on devices of their own: not a strategy of all spaces.
    if (problem.anyDevices) {
      PlacementOptions placement;
      placement.seed = options.seed;
      placement.seconds = options.seconds * share;
      placement.stop = options.stop;
      PlacementResult placed = searchPlacement(problem, placement);
      starts.push_back(placed.found);
      offer(placed.search);
    }
    for (int round = 0; round < rounds && !run.isOver(); ++round) {
      McmcOptions mcmc;
      mcmc.seed = options.seed + static_cast<uint64_t>(round);
      mcmc.proposals = (options.firstProposals + rounds - 1) / rounds;
      mcmc.kind = ProposalKind::Mixed;
      mcmc.seconds = options.seconds * share;
      mcmc.stop = options.stop;
      mcmc.initial = starts;
      McmcResult found = searchMcmc(problem, mcmc);
      offer(found);
      starts.push_back(found.best);
      PolishOptions polish;
      polish.seconds = options.seconds * share;
      polish.stop = options.stop;
      polish.initial = {result.search.best};
      offer(searchPolish(problem, polish).search);
    }
  }

  bool isOutputLoop(int node, size_t loop) const {
    const IterationSpace &space = problem.getGraph().nodes[node].whole.space;
    return problem.getRoles()[node][loop] == Role::Sample ||
           (!space.results.empty() &&
            usesLoop(space.results[0].map, static_cast<int>(loop)));
  }

  void makeSpace() {
    int devices = problem.getTopology().deviceCount();
    result.spaceSize = 1;
    for (const OpGroup &group : problem.getGroups()) {
      std::vector<Config> &list = configs.emplace_back();
      if (const Config *own = problem.fixedConfig(group.leader)) {
        list.push_back(*own);
        continue;
      }
      for (const std::vector<int64_t> &degrees :
           legalDegrees(problem, group.leader)) {
        bool legal = degrees.back() == 1;
        for (size_t l = 0; l + 1 < degrees.size() && legal; ++l)
          legal = degrees[l] == 1 || isOutputLoop(group.leader, l);
        if (!legal)
          continue;
        int64_t count = pieceCount(degrees);
        std::vector<std::vector<int>> lists;
        if (options.anyDevices && problem.anyDevices) {
          lists = arrangements(devices, count);
        } else {
          for (int64_t start = 0; start + count <= devices; start += count) {
            std::iota(lists.emplace_back(count).begin(), lists.back().end(),
                      static_cast<int>(start));
            if (!problem.anyDevices)
              break;
          }
        }
        for (std::vector<int> &devicesOf : lists)
          list.push_back(makeConfig(degrees, std::move(devicesOf)));
      }
      result.spaceSize *= static_cast<double>(list.size());
    }
  }

  /// Whether tables of what each shard of every config may do would not fit.
  bool isTooLarge() const {
    constexpr double maxBytes = 2e9;
    auto devices = static_cast<double>(problem.getTopology().deviceCount());
    double configsOfNodes = 0;
    for (size_t g = 0; g < configs.size(); ++g)
      for (int node : problem.getGroups()[g].nodes)
        configsOfNodes +=
            static_cast<double>(1 +
                                problem.getGraph().nodes[node].stages.size()) *
            static_cast<double>(configs[g].size());
    return configsOfNodes * devices * 16 *
               static_cast<double>(configs.size() + 2) >
           maxBytes;
  }

  void findImages() {
    std::vector<std::vector<int>> symmetries =
        symmetriesOf(problem.getTopology());
    for (const std::vector<int> &symmetry : symmetries) {
      std::vector<std::vector<int>> maps;
      for (const std::vector<Config> &list : configs) {
        std::map<std::pair<std::vector<int64_t>, std::vector<int>>, int> number;
        for (size_t c = 0; c < list.size(); ++c)
          number[{list[c].degrees, list[c].devices}] = static_cast<int>(c);
        std::vector<int> &map = maps.emplace_back();
        for (const Config &config : list) {
          std::vector<int> devices;
          for (int device : config.devices)
            devices.push_back(symmetry[device]);
          auto it = number.find({config.degrees, devices});
          map.push_back(it == number.end() ? -1 : it->second);
        }
      }
      // Of a symmetry that leads out of the space nothing follows.
      if (std::none_of(maps.begin(), maps.end(), [](const auto &map) {
            return std::find(map.begin(), map.end(), -1) != map.end();
          }))
        images.push_back(std::move(maps));
    }
    result.symmetries = static_cast<int>(images.size());
  }

  /// Groups with much work first.
  void findOrder(const ExactTables &tables) {
    std::vector<int64_t> weights;
    for (size_t g = 0; g < configs.size(); ++g) {
      int64_t least = never;
      for (size_t c = 0; c < configs[g].size(); ++c) {
        int64_t sum = 0;
        for (int slot : tables.slotsOf[g])
          for (int64_t ns : tables.entries[slot][c].durationNs)
            sum += ns;
        least = std::min(least, sum);
      }
      weights.push_back(least);
    }
    order.resize(configs.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return weights[a] > weights[b]; });
  }

  /// `symmetries`: those that leave all groups so far as they are. `boundNs`:
  /// of all strategies that are left here.
  void branch(ExactBounds &bounds, size_t depth, int64_t boundNs,
              const std::vector<int> &symmetries) {
    if (depth == order.size()) {
      priceImages();
      return;
    }
    int g = order[depth];
    struct Child {
      int64_t boundNs;
      int config;
      bool operator<(const Child &other) const {
        return boundNs != other.boundNs ? boundNs < other.boundNs
                                        : config < other.config;
      }
    };
    std::vector<Child> children;
    for (int config : bounds.domain(g)) {
      // An image that comes before it is branched to instead.
      if (std::any_of(symmetries.begin(), symmetries.end(),
                      [&](int s) { return images[s][g][config] < config; }))
        continue;
      children.push_back(
          {std::max(boundNs, bounds.boundNs(g, config)), config});
    }
    std::sort(children.begin(), children.end());
    std::vector<int> fixing;
    for (const Child &child : children) {
      if (child.boundNs > limitNs)
        break;
      ++result.nodes;
      if ((result.nodes & 15) == 0) {
        run.reportProgress();
        stopped |= run.isOver();
      }
      if (stopped) {
        openNs = std::min(openNs, child.boundNs);
        return;
      }
      fixing.clear();
      for (int s : symmetries)
        if (images[s][g][child.config] == child.config)
          fixing.push_back(s);
      bounds.push(g, child.config);
      chosen[g] = child.config;
      int64_t ns = bounds.propagate(limitNs);
      if (ns <= limitNs && timeline) {
        ns = std::max(ns, timeline->boundNs(bounds, limitNs));
        if (ns <= limitNs)
          ns = std::max(ns, bounds.propagate(limitNs));
      }
      if (ns <= limitNs)
        branch(bounds, depth + 1, std::max(ns, boundNs),
               std::vector<int>(fixing));
      chosen[g] = -1;
      bounds.pop();
    }
  }

  void priceImages() {
    std::vector<std::vector<int>> priced;
    std::vector<int> image(chosen.size());
    for (const std::vector<std::vector<int>> &maps : images) {
      bool inside = true;
      for (size_t g = 0; g < chosen.size() && inside; ++g)
        inside = (image[g] = maps[g][chosen[g]]) >= 0;
      if (!inside ||
          std::find(priced.begin(), priced.end(), image) != priced.end())
        continue;
      priced.push_back(image);
      price(image);
    }
  }

  void price(const std::vector<int> &choice) {
    ++result.leaves;
    ++statistics.proposals;
    run.countProposal();
    std::vector<int> nodes;
    std::vector<Config> members;
    int changed = 0;
    for (size_t g = 0; g < choice.size(); ++g) {
      if (choice[g] == base[g])
        continue;
      ++changed;
      const OpGroup &group = problem.getGroups()[g];
      problem.assign(strategy, group, configs[g][choice[g]]);
      for (int node : group.nodes) {
        nodes.push_back(node);
        members.push_back(strategy[node]);
      }
    }
    plan.change(nodes, members);
    bool hopeless = bounds.loadBoundNs(limitNs) > limitNs ||
                    bounds.boundNs(limitNs) > limitNs;
    statistics.prunedByTransfers += hopeless;
    if (hopeless || !plan.finish(limitNs)) {
      plan.revert();
      return;
    }
    int64_t ns = simulator.makespan(limitNs);
    statistics.simulatedTasks += simulator.simulatedTasks();
    if (ns <= limitNs) {
      Strategy found = plan.getStrategy();
      Evaluation evaluation = problem.evaluate(found);
      if (run.offer(found, evaluation)) {
        ++result.search.accepted;
        if (evaluation.excessBytes == 0)
          limitNs = evaluation.makespanNs - 1;
      }
    }
    // Neighbouring leaves differ in few groups from what is committed.
    if (changed > 2) {
      plan.commit();
      base = choice;
    } else {
      plan.revert();
    }
  }
};

} // namespace

ExactResult soap::searchExact(const ParallelizationProblem &problem,
                              const ExactOptions &options) {
  assert(!problem.check() && "the problem must have passed check");
  return BranchAndBound(problem, options).search();
}
