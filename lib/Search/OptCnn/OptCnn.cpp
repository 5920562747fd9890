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

#include "Search/Evaluator/GroupCosts.h"
#include "Search/Evaluator/SearchRun.h"
#include "Search/Problem/ConfigSpace.h"
#include "Soap/Search/CostGraph/SolveCostGraph.h"
#include "Soap/Search/Presets/Presets.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
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
      result.minimal = complete && proven;
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
  bool proven = false;  ///< by the last `solve`: no choice costs less

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
      if (const Config *own = problem.fixedConfig(leader)) {
        list.push_back(*own);
        alone.push_back(costs.alone(static_cast<int>(g), list));
        continue;
      }
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

  /// The choice of the least sum, as a cost graph without a capacity: node and
  /// edge elimination, and branch and bound over what they leave.
  bool solve() {
    // The networks of the papers take one round, grids of 160 time steps and
    // layers among them; so many take seconds.
    constexpr int64_t maxRounds = 60;
    CostGraph graph = costGraph();
    // Sums that 64 bits do not hold are not compared.
    if (run.isOver() || graph.check())
      return false;
    CostGraphOptions solver;
    solver.algorithm = CostGraphAlgorithm::Elimination;
    solver.rounds = maxRounds;
    solver.seconds = options.seconds > 0 ? options.seconds - run.elapsed()
                                         : std::numeric_limits<double>::max();
    solver.stop = options.stop;
    CostGraphResult solved = solveCostGraph(graph, solver);
    if (solved.status != CostGraphResult::Solved)
      return false;
    proven = solved.solution.optimal;
    if (!result.found.empty() && solved.solution.cost >= result.estimateNs)
      return true;
    result.estimateNs = solved.solution.cost;
    result.found = singleStrategy(problem);
    for (size_t g = 0; g < groupCount; ++g)
      problem.assign(result.found, problem.getGroups()[g],
                     configs[g][solved.solution.choice[g]]);
    result.foundEvaluation = problem.evaluate(result.found);
    run.offer(result.found, result.foundEvaluation);
    return true;
  }

  /// A node a group, an edge a pair of groups that share values.
  CostGraph costGraph() const {
    CostGraph graph;
    for (const std::vector<int64_t> &costs : alone) {
      CostGraphNode &node = graph.nodes.emplace_back();
      node.costs = costs;
      node.memory.resize(costs.size());
    }
    for (const auto &[pair, table] : between)
      graph.edges.push_back({pair.first, pair.second, table});
    return graph;
  }
};

} // namespace

OptCnnResult soap::searchOptCnn(const ParallelizationProblem &problem,
                                const OptCnnOptions &options) {
  assert(!problem.check() && "the problem must have passed check");
  return OptCnn(problem, options).search();
}
