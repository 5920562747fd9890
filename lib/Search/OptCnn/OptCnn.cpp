//===- OptCnn.cpp - Dynamic programming over equal partitions -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of groups first; they exclude most configs before costs of pairs are
// computed.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/OptCnn/OptCnn.h"

#include "PairwiseModel.h"
#include "Search/Evaluator/GroupCosts.h"
#include "Search/Evaluator/SearchRun.h"
#include "Search/Problem/ConfigSpace.h"
#include "Soap/Search/Presets/Presets.h"

#include <algorithm>
#include <numeric>

using namespace soap;

namespace {

class OptCnn {
public:
  OptCnn(const ParallelizationProblem &problem, const OptCnnOptions &options)
      : problem(problem), options(options), run(options, result.search),
        costs(problem), groupCount(problem.getGroups().size()) {}

  OptCnnResult search() {
    if (!options.initial.empty())
      run.offerStarts(problem);
    // The second time over all configs that matter.
    if (priceGroups() && exclude() && pricePairs() && solve())
      result.minimal = complete;
    if (result.search.best.empty())
      run.offerStarts(problem); // stopped before anything was found
    run.finish({});
    return std::move(result);
  }

private:
  const ParallelizationProblem &problem;
  const OptCnnOptions &options;
  OptCnnResult result;
  SearchRun run;
  GroupCosts costs;
  size_t groupCount;
  std::vector<std::vector<Config>> configs; ///< by group
  std::vector<std::vector<int64_t>> alone;  ///< by group and config
  std::map<std::pair<int, int>, std::vector<int64_t>> between;
  bool complete = true; ///< no config was left out that may be in the optimum

  /// Whether the loop is a dim of what the op computes; a loss has none but its
  /// samples.
  bool isOutputLoop(int node, size_t loop) const {
    const IterationSpace &space = problem.getGraph().nodes[node].whole.space;
    return problem.getRoles()[node][loop] == Role::Sample ||
           space.results.empty() ||
           usesLoop(space.results[0].map, static_cast<int>(loop));
  }

  bool priceGroups() {
    int devices = problem.getTopology().deviceCount();
    std::vector<int> first(devices);
    std::iota(first.begin(), first.end(), 0);
    for (size_t g = 0; g < groupCount; ++g) {
      if (run.isOver())
        return false;
      int leader = problem.getGroups()[g].leader;
      std::vector<Config> &list = configs.emplace_back();
      for (const std::vector<int64_t> &degrees :
           legalDegrees(problem, leader)) {
        int64_t count = pieceCount(degrees);
        bool legal = devices % count == 0 && degrees.back() == 1;
        for (size_t l = 0; legal && l + 1 < degrees.size(); ++l)
          legal = degrees[l] == 1 || isOutputLoop(leader, l);
        if (legal)
          list.push_back(
              makeConfig(degrees, {first.begin(), first.begin() + count}));
      }
      alone.push_back(costs.alone(static_cast<int>(g), list));
    }
    return true;
  }

  /// Costs are not negative. So a config is not in the optimum if it costs more
  /// alone than some strategy does altogether, less what the other groups cost
  /// at least. The strategy: the best one of data parallelism and the few
  /// configs of each group that are fastest alone.
  bool exclude() {
    constexpr size_t few = 6;
    std::vector<std::vector<size_t>> order(groupCount);
    int64_t sum = 0;
    for (size_t g = 0; g < groupCount; ++g) {
      order[g].resize(configs[g].size());
      std::iota(order[g].begin(), order[g].end(), 0);
      std::stable_sort(
          order[g].begin(), order[g].end(),
          [&](size_t a, size_t b) { return alone[g][a] < alone[g][b]; });
      sum += alone[g][order[g][0]];
    }
    std::vector<std::vector<Config>> all = configs;
    std::vector<std::vector<int64_t>> allAlone = alone;
    for (size_t g = 0; g < groupCount; ++g) {
      std::vector<size_t> chosen(
          order[g].begin(), order[g].begin() + std::min(order[g].size(), few));
      if (size_t start = startOf(g);
          std::find(chosen.begin(), chosen.end(), start) == chosen.end())
        chosen.push_back(start);
      keep(g, all, allAlone, chosen);
    }
    if (!pricePairs() || !solve())
      return false;
    for (size_t g = 0; g < groupCount; ++g) {
      size_t count = 1;
      while (count < order[g].size() &&
             allAlone[g][order[g][count]] - allAlone[g][order[g][0]] <=
                 result.estimateNs - sum)
        ++count;
      if (count > static_cast<size_t>(options.maxConfigs)) {
        complete = false;
        count = static_cast<size_t>(options.maxConfigs);
      }
      order[g].resize(count);
      keep(g, all, allAlone, order[g]);
    }
    return true;
  }

  void keep(size_t g, const std::vector<std::vector<Config>> &all,
            const std::vector<std::vector<int64_t>> &allAlone,
            const std::vector<size_t> &chosen) {
    configs[g].clear();
    alone[g].clear();
    for (size_t c : chosen) {
      configs[g].push_back(all[g][c]);
      alone[g].push_back(allAlone[g][c]);
    }
  }

  /// Most split along samples; else the fastest alone.
  size_t startOf(size_t g) const {
    int leader = problem.getGroups()[g].leader;
    size_t best =
        std::min_element(alone[g].begin(), alone[g].end()) - alone[g].begin();
    int64_t most = 1;
    for (size_t c = 0; c < configs[g].size(); ++c)
      for (size_t l = 0; l < configs[g][c].degrees.size(); ++l)
        if (problem.getRoles()[leader][l] == Role::Sample &&
            configs[g][c].degrees[l] == configs[g][c].piecesPerReplica() &&
            configs[g][c].degrees[l] > most) {
          most = configs[g][c].degrees[l];
          best = c;
        }
    return best;
  }

  bool pricePairs() {
    for (auto [a, b] : costs.pairs()) {
      std::vector<int64_t> table = costs.between(a, b, configs[a], configs[b],
                                                 [&] { return run.isOver(); });
      if (table.empty())
        return false;
      result.search.proposals += static_cast<int64_t>(table.size());
      between[{a, b}] = std::move(table);
    }
    return true;
  }

  bool solve() {
    constexpr double maxWork = 3e9;
    std::vector<int> variableOf(groupCount);
    std::iota(variableOf.begin(), variableOf.end(), 0);
    PairwiseModel model = makeModel(variableOf);
    if (result.tiedLayers || model.work() > maxWork) {
      variableOf = layers();
      model = makeModel(variableOf);
      result.tiedLayers = true;
      complete = false;
    }
    if (model.work() > maxWork)
      return false;
    PairwiseModel::Solution solution = model.solve();
    if (!result.found.empty() && solution.cost >= result.estimateNs)
      return true;
    result.estimateNs = solution.cost;
    result.found = singleStrategy(problem);
    for (size_t g = 0; g < groupCount; ++g)
      problem.assign(result.found, problem.getGroups()[g],
                     configs[g][solution.values[variableOf[g]]]);
    result.foundEvaluation = problem.evaluate(result.found);
    run.offer(result.found, result.foundEvaluation);
    return true;
  }

  /// Groups with the same list of configs that read the same weights get the
  /// same variable.
  std::vector<int> layers() const {
    const Graph &graph = problem.getGraph();
    std::vector<bool> isWeight(graph.values.size());
    for (const GraphInput &input : graph.inputs)
      isWeight[input.value] = input.updateNode >= 0;
    std::map<int, std::vector<int>> first; // groups by weight
    std::vector<int> variableOf(groupCount);
    int count = 0;
    for (size_t g = 0; g < groupCount; ++g) {
      int found = -1;
      const Kernel &leader = graph.nodes[problem.getGroups()[g].leader].whole;
      for (int value : leader.operands)
        if (isWeight[value])
          for (int other : first[value])
            if (found < 0 && configs[other] == configs[g])
              found = variableOf[other];
      variableOf[g] = found >= 0 ? found : count++;
      for (int value : leader.operands)
        if (isWeight[value])
          first[value].push_back(static_cast<int>(g));
    }
    return variableOf;
  }

  PairwiseModel makeModel(const std::vector<int> &variableOf) const {
    std::vector<std::vector<int64_t>> unary;
    for (int v : variableOf)
      unary.resize(std::max<size_t>(unary.size(), v + 1));
    auto add = [](std::vector<int64_t> &to, size_t i, int64_t cost, size_t n) {
      to.resize(n);
      to[i] += cost;
    };
    for (size_t g = 0; g < groupCount; ++g)
      for (size_t c = 0; c < alone[g].size(); ++c)
        add(unary[variableOf[g]], c, alone[g][c], alone[g].size());
    for (const auto &[pair, table] : between) {
      auto [a, b] = pair;
      if (variableOf[a] == variableOf[b])
        for (size_t c = 0; c < configs[a].size(); ++c)
          unary[variableOf[a]][c] += table[c * configs[b].size() + c];
    }
    PairwiseModel model;
    for (std::vector<int64_t> &costs : unary)
      model.addVariable(std::move(costs));
    for (const auto &[pair, table] : between)
      if (variableOf[pair.first] != variableOf[pair.second])
        model.addEdge(variableOf[pair.first], variableOf[pair.second], table);
    return model;
  }
};

} // namespace

OptCnnResult soap::searchOptCnn(const ParallelizationProblem &problem,
                                const OptCnnOptions &options) {
  return OptCnn(problem, options).search();
}
