//===- PlacementSearch.cpp - Every group on one device --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts: one device, devices in turn along the program, HEFT (Topcuoglu et
// al., 2002). From the best of them annealing with a falling temperature, then
// moves of single groups until none gains.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Annealing/PlacementSearch.h"

#include "Search/Evaluator/SearchRun.h"
#include "Soap/Search/Presets/Presets.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <random>

using namespace soap;

namespace {

class Placer {
public:
  Placer(const ParallelizationProblem &problem, const PlacementOptions &options)
      : problem(problem), options(options), run(options, result.search),
        evaluator(problem), engine(options.seed),
        devices(problem.getTopology().deviceCount()),
        groups(static_cast<int>(problem.getGroups().size())) {}

  PlacementResult search() {
    if (!options.initial.empty())
      run.offerStarts(problem);
    std::vector<std::vector<int>> starts = {std::vector<int>(groups, 0),
                                            inTurn(), earliestFinish()};
    Evaluation best;
    const std::vector<int> *start = nullptr;
    for (const std::vector<int> &place : starts) {
      Evaluation evaluation = problem.evaluate(strategyOf(place));
      if (!start || isBetter(evaluation, best)) {
        start = &place;
        best = evaluation;
      }
    }
    devicesOf = *start;
    now = evaluator.start(strategyOf(devicesOf));
    keep();
    if (groups > 0 && devices > 1) {
      anneal();
      devicesOf = foundDevices;
      now = evaluator.start(strategyOf(devicesOf));
      result.locallyOptimal = descend();
    } else {
      result.locallyOptimal = true;
    }
    run.finish(evaluator.getStatistics());
    return std::move(result);
  }

private:
  const ParallelizationProblem &problem;
  const PlacementOptions &options;
  PlacementResult result;
  SearchRun run;
  StrategyEvaluator evaluator;
  std::mt19937_64 engine;
  int devices, groups;
  std::vector<int> devicesOf, foundDevices; ///< by group
  Evaluation now;

  int below(int64_t n) {
    // The bias is below 2^-32.
    return static_cast<int>(engine() % static_cast<uint64_t>(n));
  }
  double unit() { return static_cast<double>((engine() >> 11) + 1) * 0x1p-53; }

  const IterationSpace &spaceOf(int group) const {
    return problem.getGraph()
        .nodes[problem.getGroups()[group].leader]
        .whole.space;
  }

  Strategy strategyOf(const std::vector<int> &place) const {
    Strategy strategy = singleStrategy(problem);
    for (int g = 0; g < groups; ++g)
      problem.assign(strategy, problem.getGroups()[g],
                     Config::single(spaceOf(g), place[g]));
    return strategy;
  }

  /// Time of a whole group on a device.
  int64_t timeOf(int group, int device) const {
    CostModel cost(problem.getTopology());
    int64_t ns = 0;
    for (int node : problem.getGroups()[group].nodes) {
      const Kernel &kernel = problem.getGraph().nodes[node].whole;
      ns += cost.computeNs(device, kernelWork(problem.getGraph(), kernel,
                                              kernel.space.wholeBox()));
    }
    return ns;
  }

  /// Groups along the program, a new device after every share of the work.
  std::vector<int> inTurn() const {
    std::vector<int64_t> times;
    int64_t total = 0, sum = 0;
    for (int g = 0; g < groups; ++g)
      total += times.emplace_back(timeOf(g, 0));
    std::vector<int> place;
    for (int64_t time : times) {
      place.push_back(static_cast<int>(static_cast<double>(sum) /
                                       static_cast<double>(total) * devices));
      place.back() = std::clamp(place.back(), 0, devices - 1);
      sum += time;
    }
    return place;
  }

  /// Heterogeneous earliest finish time over the forward values between groups:
  /// the group with the longest way to the end first, each where it ends first.
  std::vector<int> earliestFinish() const {
    const Graph &graph = problem.getGraph();
    // Bytes from group to group.
    std::vector<std::map<int, int64_t>> from(groups);
    std::vector<int> writer(graph.values.size(), -1),
        groupOf(graph.nodes.size());
    for (int g = 0; g < groups; ++g)
      for (int node : problem.getGroups()[g].nodes)
        groupOf[node] = g;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const Kernel &kernel = graph.nodes[n].whole;
      if (kernel.phase != Phase::Forward)
        continue;
      for (int value : kernel.operands)
        if (int w = writer[value]; w >= 0 && w != groupOf[n])
          from[groupOf[n]][w] += graph.values[value].bytes();
      for (int value : kernel.results)
        writer[value] = groupOf[n];
    }
    auto moveNs = [&](int a, int b, int64_t bytes) {
      return a == b ? 0 : problem.getTopology().transferNs(a, b, bytes);
    };
    // Producers come before their consumers in the list of program order.
    std::vector<int> order(groups);
    for (int g = 0; g < groups; ++g)
      order[g] = g;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return problem.getGroups()[a].leader < problem.getGroups()[b].leader;
    });
    std::vector<int64_t> rank(groups), time(groups);
    for (size_t i = order.size(); i-- > 0;) {
      int g = order[i];
      time[g] = timeOf(g, 0);
      rank[g] += time[g];
      for (auto [producer, bytes] : from[g])
        rank[producer] = std::max(
            rank[producer],
            rank[g] + (devices > 1 ? moveNs(0, devices - 1, bytes) : 0));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return rank[a] > rank[b]; });
    std::vector<int64_t> freeNs(devices), endNs(groups);
    std::vector<int> place(groups);
    for (int g : order) {
      int64_t best = std::numeric_limits<int64_t>::max();
      for (int d = 0; d < devices; ++d) {
        int64_t start = freeNs[d];
        for (auto [producer, bytes] : from[g])
          start = std::max(start,
                           endNs[producer] + moveNs(place[producer], d, bytes));
        if (int64_t end = start + timeOf(g, d); end < best) {
          best = end;
          place[g] = d;
        }
      }
      endNs[g] = freeNs[place[g]] = best;
    }
    return place;
  }

  /// Keeps the current placement as the best so far.
  void keep() {
    result.found = evaluator.getStrategy();
    result.foundEvaluation = now;
    foundDevices = devicesOf;
    run.offer(result.found, now);
  }

  /// Moves a group if the time does not grow by more than `slack`. Whether it
  /// was moved.
  bool move(int group, int device, int64_t slack) {
    if (problem.fixedConfig(problem.getGroups()[group].leader))
      return false;
    run.countProposal();
    Config config = Config::single(spaceOf(group), device);
    int64_t threshold = now.makespanNs + slack;
    Evaluation next = now.excessBytes == 0
                          ? evaluator.propose(group, config, threshold)
                          : evaluator.propose(group, config);
    bool accept = next.excessBytes != now.excessBytes
                      ? next.excessBytes < now.excessBytes
                      : next.makespanNs <= threshold;
    if (!accept) {
      evaluator.reject();
      return false;
    }
    evaluator.accept();
    ++result.search.accepted;
    now = next;
    devicesOf[group] = device;
    if (isBetter(now, result.foundEvaluation))
      keep();
    return true;
  }

  void anneal() {
    // From 2 % of the time to 0.01 % of it, half of the time budget at most.
    constexpr double hot = 0.02, cold = 0.0001;
    int64_t count = int64_t(100) * groups * devices;
    if (options.proposals > 0)
      count = std::min(count, options.proposals / 2);
    auto scale = static_cast<double>(now.makespanNs);
    for (int64_t i = 0; i < count; ++i) {
      double done = static_cast<double>(i) / static_cast<double>(count);
      if (options.seconds > 0)
        done = std::max(done, run.elapsed() / (options.seconds / 2));
      if (done >= 1 || run.isOver())
        return;
      int group = below(groups), device = below(devices - 1);
      device += device >= devicesOf[group];
      double temperature = scale * hot * std::pow(cold / hot, done);
      move(group, device,
           static_cast<int64_t>(
               std::min(-std::log(unit()) * temperature, 1e15)));
    }
  }

  /// Whether it came to an end.
  bool descend() {
    int unimproved = 0;
    for (int g = 0; unimproved < groups; g = (g + 1) % groups) {
      bool improved = false;
      for (int d = 0; d < devices; ++d) {
        if (d == devicesOf[g])
          continue;
        if (run.isOver())
          return false;
        improved |= move(g, d, -1);
      }
      unimproved = improved ? 0 : unimproved + 1;
    }
    return true;
  }
};

} // namespace

PlacementResult soap::searchPlacement(const ParallelizationProblem &problem,
                                      const PlacementOptions &options) {
  assert(!problem.check() && "the problem must have passed check");
  return Placer(problem, options).search();
}
