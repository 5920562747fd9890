//===- FrontierSearch.cpp - Strategies on the memory-time frontier --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FrontierSearch.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Frontier/FrontierSearch.h"

#include "CandidateStrategies.h"
#include "Search/Evaluator/SearchRun.h"
#include "Soap/Memory/PlanMemory.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Problem/SomeDevices.h"
#include "Soap/Simulator/StrategySimulator.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <limits>
#include <map>
#include <thread>

using namespace soap;

int64_t soap::parameterBytes(const Graph &graph) {
  int64_t bytes = 0;
  for (const GraphInput &input : graph.inputs)
    if (input.updateNode >= 0 && !graph.values[input.value].inHost)
      bytes += graph.values[input.value].bytes();
  return bytes;
}

const char *soap::modeName(FrontierMode mode) {
  switch (mode) {
  case FrontierMode::MiniTime:
    return "mini-time";
  case FrontierMode::MiniParallelism:
    return "mini-parallelism";
  case FrontierMode::Profiling:
    return "profiling";
  }
  return "";
}

const char *soap::guaranteeName(FrontierGuarantee guarantee) {
  switch (guarantee) {
  case FrontierGuarantee::Nothing:
    return "nothing";
  case FrontierGuarantee::CostGraph:
    return "cost-graph";
  case FrontierGuarantee::FirstDevices:
    return "first-devices";
  case FrontierGuarantee::Simulation:
    return "simulation";
  }
  return "";
}

int64_t soap::capacityOf(const Topology &topology, int64_t limitBytes) {
  int64_t least =
      limitBytes >= 0 ? limitBytes : std::numeric_limits<int64_t>::max();
  for (int d = 0; d < topology.deviceCount(); ++d)
    least = std::min(least, topology.memoryBytes(d));
  return least;
}

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The frontier on some number of devices.
class DeviceSearch {
public:
  DeviceSearch(const ParallelizationProblem &whole, int devices,
               const FrontierSearchOptions &options, SearchRun &run,
               McmcResult &counts)
      : options(options), run(run), counts(counts),
        topology(
            firstDevices(whole.getTopology(), devices, options.limitBytes)),
        problem(whole.getGraph(), topology, whole.getGroups(),
                whole.getRoles()) {
    problem.searchedRoles = whole.searchedRoles;
    problem.anyDevices = whole.anyDevices;
    problem.replicas = whole.replicas;
    problem.evenPieces = whole.evenPieces;
    for (const auto &[node, config] : whole.getFixed())
      if (std::all_of(config.devices.begin(), config.devices.end(),
                      [&](int device) { return device < devices; }))
        problem.fix(node, config);
      else
        lacksDevices = true;
    result.devices = devices;
    result.leastBytes =
        (parameterBytes(whole.getGraph()) + devices - 1) / devices;
  }

  int64_t capacity() const { return capacityOf(topology, -1); }
  /// Only `leastBytes` is known of so few devices.
  bool isHopeless() const {
    return lacksDevices || result.leastBytes > capacity();
  }
  DeviceFrontier giveUp() {
    result.complete = true;
    result.guarantee = FrontierGuarantee::Simulation; // no strategy fits
    return std::move(result);
  }

  DeviceFrontier search(bool isWhole) {
    std::vector<FrontierStrategy> starts = listStarts(isWhole);
    simulate(starts, false);
    if (isWhole)
      for (const FrontierStrategy &start : starts) {
        counts.initialNames.push_back(start.start);
        counts.initialNs.push_back(start.timeNs);
      }
    FrontierGraphOptions graphOptions;
    graphOptions.devices = result.devices;
    graphOptions.maxConfigs = static_cast<int>(options.maxConfigs);
    graphOptions.threads = options.threads;
    graphOptions.space = options.space;
    graphOptions.meshSamples = options.meshSamples;
    graphOptions.reuse = options.reuse;
    graphOptions.stopped = [&] { return run.isOver(); };
    if (options.space == FrontierSpace::All)
      for (const FrontierStrategy &start : starts)
        graphOptions.known.push_back(start.strategy);
    Clock::time_point begin = Clock::now();
    FrontierGraph graph(problem, graphOptions);
    result.priceSeconds = secondsSince(begin);
    if (graph.isComplete()) {
      std::vector<FrontierStrategy> found = track(graph);
      if (!simulate(found, true))
        result.complete = false;
      if (options.space == FrontierSpace::All && result.complete)
        searchCandidates(graph.getConfigs());
    }
    if (!result.complete)
      result.guarantee = FrontierGuarantee::Nothing;
    return std::move(result);
  }

  /// Whether a point fits, and which is the fastest that does; null: none.
  static const FrontierStrategy *fastest(const DeviceFrontier &frontier,
                                         int64_t capacity) {
    const FrontierStrategy *best = nullptr;
    for (const FrontierStrategy &point : frontier.points)
      if (point.memoryBytes <= capacity)
        best = &point;
    return best;
  }

  /// Excess over the devices' memory, as the problem counts it.
  Evaluation evaluationOf(const FrontierStrategy &point) const {
    if (point.keeps.empty())
      return problem.evaluate(point.strategy);
    Graph graph = graphOf(point);
    ParallelizationProblem restored(graph, topology, problem.getGroups(),
                                    problem.getRoles());
    return restored.evaluate(point.strategy);
  }

private:
  const FrontierSearchOptions &options;
  SearchRun &run;
  McmcResult &counts;
  Topology topology;
  ParallelizationProblem problem;
  DeviceFrontier result;
  bool lacksDevices = false; ///< some fixed config names others

  /// The graph with what a strategy restores.
  Graph graphOf(const FrontierStrategy &point) const {
    Graph graph = problem.getGraph();
    for (const KeptValue &kept : point.keeps)
      restoreValue(graph, kept.value, kept.keep);
    return graph;
  }

  std::vector<FrontierStrategy> listStarts(bool isWhole) const {
    std::vector<FrontierStrategy> starts;
    auto add = [&](const std::string &name, const Strategy &strategy) {
      FrontierStrategy &start = starts.emplace_back();
      start.start = name;
      start.strategy = strategy;
    };
    if (isWhole)
      for (size_t i = 0; i < options.initial.size(); ++i)
        add(i < options.initialNames.size() ? options.initialNames[i]
                                            : "initial" + std::to_string(i),
            options.initial[i]);
    if (starts.empty() && options.presets)
      for (const auto &[name, strategy] : presetStarts(problem))
        add(name, strategy);
    return starts;
  }

  std::vector<FrontierStrategy> track(const FrontierGraph &graph);
  std::vector<FrontierStrategy> trackSpace(const FrontierGraph &graph,
                                           DeviceFrontier &stats, bool isAll);
  void searchCandidates(const CandidateLists &onFirstDevices);
  bool simulate(std::vector<FrontierStrategy> &strategies, bool mayStop);
  bool simulate(const std::vector<Strategy> &strategies);
};

} // namespace

/// Strategies that are worth simulating: of the space that is searched and, if
/// that is the whole space, of each space that restricts it. Estimates are not
/// what simulations say, so the best estimates of all need not be the best; but
/// what a search of a restricted space simulates is simulated here, so that
/// none of its points is better than all of this frontier.
std::vector<FrontierStrategy> DeviceSearch::track(const FrontierGraph &graph) {
  Clock::time_point begin = Clock::now();
  bool isAll = options.space == FrontierSpace::All;
  std::vector<FrontierStrategy> strategies = trackSpace(graph, result, isAll);
  size_t restrictions = isAll ? frontierRestrictions(result.devices).size() : 0;
  for (size_t r = 0; r < restrictions && result.complete && !run.isOver(); ++r)
    if (std::optional<FrontierGraph> own = graph.restrictedTo(r)) {
      DeviceFrontier stats;
      for (FrontierStrategy &strategy : trackSpace(*own, stats, false))
        strategies.push_back(std::move(strategy));
      result.tracked += stats.tracked;
      result.peakBytes = std::max(result.peakBytes, stats.peakBytes);
    }
  std::stable_sort(strategies.begin(), strategies.end(),
                   [](const FrontierStrategy &a, const FrontierStrategy &b) {
                     return std::pair(a.estimatedBytes, -a.estimatedNs) <
                            std::pair(b.estimatedBytes, -b.estimatedNs);
                   });
  std::vector<FrontierStrategy> distinct;
  for (FrontierStrategy &strategy : strategies) {
    bool isKnown = false;
    for (size_t i = distinct.size(); !isKnown && i-- > 0;) {
      const FrontierStrategy &other = distinct[i];
      if (other.estimatedBytes != strategy.estimatedBytes ||
          other.estimatedNs != strategy.estimatedNs)
        break;
      isKnown =
          other.strategy == strategy.strategy && other.keeps == strategy.keeps;
    }
    if (!isKnown)
      distinct.push_back(std::move(strategy));
  }
  result.trackSeconds = secondsSince(begin);
  return distinct;
}

/// Frontiers of what is held at the end of the forward pass, and where what was
/// found holds most; the best of all by their real peaks. `stats`: how that
/// went.
std::vector<FrontierStrategy>
DeviceSearch::trackSpace(const FrontierGraph &graph, DeviceFrontier &stats,
                         bool isAll) {
  constexpr int maxPositions = 3;
  FrontierOptions tracking;
  tracking.threads = options.threads;
  tracking.epsilon = options.epsilon;
  tracking.maxPoints =
      isAll ? options.maxPoints : FrontierSearchOptions::maxRestrictedPoints;
  tracking.stop = options.stop;
  stats.pairs = static_cast<int>(graph.pairCount());
  stats.pricedPairs = static_cast<int>(graph.pricedPairs());

  using Decision = std::pair<std::vector<int>, std::vector<KeptValue>>;
  auto less = [](const Decision &a, const Decision &b) {
    if (a.first != b.first)
      return a.first < b.first;
    return std::lexicographical_compare(
        a.second.begin(), a.second.end(), b.second.begin(), b.second.end(),
        [](const KeptValue &x, const KeptValue &y) {
          return std::pair(x.value, x.keep) < std::pair(y.value, y.keep);
        });
  };
  std::map<Decision, std::pair<int64_t, int64_t>, decltype(less)> found(less);
  std::vector<int> positions = {graph.turningPoint()};
  stats.complete = true;
  stats.guarantee = FrontierGuarantee::CostGraph;
  for (size_t p = 0; p < positions.size() && stats.complete; ++p) {
    FrontierProblem tracked = graph.problemAt(positions[p], stats.tiedLayers);
    if (p == 0 && !isReducible(tracked.graph, tracking)) {
      stats.tiedLayers = true;
      tracked = graph.problemAt(positions[p], true);
    }
    if (options.seconds > 0)
      tracking.seconds = std::max(options.seconds - run.elapsed(), 1e-3);
    FrontierResult frontier = trackFrontier(tracked, tracking);
    stats.complete = frontier.complete;
    if (!frontier.guaranteed)
      stats.guarantee = FrontierGuarantee::Nothing;
    stats.errorBound = std::max(stats.errorBound, frontier.errorBound);
    stats.peakBytes = std::max(stats.peakBytes, frontier.peakBytes);
    stats.heuristicEliminations = frontier.heuristicEliminations;
    stats.nodes = tracked.graph.nodeCount();
    stats.configs = 0;
    for (const CostGraphNode &node : tracked.graph.nodes)
      stats.configs += node.configCount();
    std::map<int, int> peaks; // how many points have theirs where
    for (size_t i = 0; i < frontier.points.size(); ++i) {
      FrontierChoice point = frontier.unroll(i);
      std::vector<int> choice = graph.untie(point.choice, stats.tiedLayers);
      std::vector<Keep> keeps =
          graph.keepsOf(point.alternative, positions[p], stats.tiedLayers);
      MemoryPeak peak = graph.peakOf(choice, keeps);
      ++peaks[static_cast<int>(peak.time)];
      std::vector<KeptValue> kept = graph.keptValues(choice, keeps);
      found.try_emplace({std::move(choice), std::move(kept)}, peak.bytes,
                        frontier.points[i].timeNs);
    }
    stats.tracked += static_cast<int64_t>(frontier.points.size());
    int next = -1;
    for (auto [position, count] : peaks)
      if (std::find(positions.begin(), positions.end(), position) ==
              positions.end() &&
          (next < 0 || count > peaks[next]))
        next = position;
    if (next >= 0 && p + 1 < maxPositions)
      positions.push_back(next);
  }
  stats.positions = static_cast<int>(positions.size());

  std::vector<int64_t> times, bytes;
  std::vector<const Decision *> choices;
  for (const auto &[choice, costs] : found) {
    choices.push_back(&choice);
    bytes.push_back(costs.first);
    times.push_back(costs.second);
  }
  std::vector<size_t> chosen =
      bestCandidates(times, bytes,
                     static_cast<size_t>(isAll ? options.maxSimulated
                                               : options.maxSimulated / 8));
  std::vector<FrontierStrategy> strategies;
  for (size_t i : chosen) {
    FrontierStrategy &strategy = strategies.emplace_back();
    strategy.estimatedBytes = bytes[i];
    strategy.estimatedNs = times[i];
    strategy.strategy = graph.strategy(choices[i]->first);
    strategy.keeps = choices[i]->second;
  }
  return strategies;
}

/// Plans what differs from the strategy of the plan.
static void changeTo(StrategyPlan &plan, const Strategy &strategy) {
  const Strategy &current = plan.getStrategy();
  if (current.size() != strategy.size() || strategy.empty()) {
    plan.set(strategy); // the first one, also of a graph without ops
    return;
  }
  std::vector<int> nodes;
  std::vector<Config> configs;
  for (size_t n = 0; n < strategy.size(); ++n)
    if (!(current[n] == strategy[n])) {
      nodes.push_back(static_cast<int>(n));
      configs.push_back(strategy[n]);
    }
  plan.change(nodes, configs);
  plan.finish();
  plan.commit();
}

/// Simulates what sums do not tell apart, or know nothing of. Sums add up what
/// overlaps, and count memory at few positions, on the first device; so points
/// are missed that they call dominated, and groups on other devices. All
/// strategies of the candidates where there are few of them; else neighbours of
/// the points so far, of those that they lead to, and so on.
void DeviceSearch::searchCandidates(const CandidateLists &onFirstDevices) {
  CandidateLists candidates = addPlacements(problem, onFirstDevices);
  result.candidateStrategies = strategyCount(candidates);
  auto most = static_cast<double>(options.maxEnumerated);
  bool all = result.candidateStrategies <= most,
       onFirst = strategyCount(onFirstDevices) <= most;
  if (all || onFirst) {
    result.complete =
        simulate(listStrategies(problem, all ? candidates : onFirstDevices));
    // Forms of values are not enumerated.
    if (result.complete && !options.reuse) {
      result.guarantee =
          all ? FrontierGuarantee::Simulation : FrontierGuarantee::FirstDevices;
      result.errorBound = 0;
    }
  }
  if (all)
    return;
  CandidateNeighbours neighbours(problem, candidates);
  constexpr int64_t batch = 32;
  for (int64_t left = options.maxNeighbours; left > 0;) {
    std::vector<const Strategy *> around;
    for (const FrontierStrategy &point : result.points)
      if (point.keeps.empty())
        around.push_back(&point.strategy);
    std::vector<Strategy> next =
        neighbours.next(around, static_cast<size_t>(std::min(left, batch)));
    if (next.empty())
      break;
    left -= static_cast<int64_t>(next.size());
    if (!simulate(next))
      break;
  }
}

bool DeviceSearch::simulate(const std::vector<Strategy> &strategies) {
  std::vector<FrontierStrategy> points;
  for (const Strategy &strategy : strategies)
    points.emplace_back().strategy = strategy;
  return simulate(points, true);
}

/// Prices strategies and keeps the frontier of all so far. What `mayStop` may
/// be left out when the search is over; then it returns false.
bool DeviceSearch::simulate(std::vector<FrontierStrategy> &strategies,
                            bool mayStop) {
  Clock::time_point begin = Clock::now();
  // Similar strategies are planned one after the other, so that only their
  // differences are planned again.
  constexpr size_t chunk = 8;
  std::atomic<size_t> next{0};
  std::vector<uint8_t> isDone(strategies.size());
  auto work = [&] {
    CostModel cost(topology);
    StrategyPlan plan(problem.getGraph(), cost);
    StrategySimulator simulator(plan);
    PlanMemory memory(plan);
    std::vector<TaskQueue::Entry> starts;
    for (size_t first; (first = next.fetch_add(chunk)) < strategies.size();)
      for (size_t i = first; i < std::min(first + chunk, strategies.size());
           ++i) {
        if (mayStop && run.isOver())
          return;
        std::vector<int64_t> peaks;
        if (strategies[i].keeps.empty()) {
          changeTo(plan, strategies[i].strategy);
          strategies[i].timeNs = simulator.starts(starts);
          peaks = memory.peakBytes(starts);
        } else {
          Graph graph = graphOf(strategies[i]);
          StrategyPlan restored(graph, cost);
          restored.set(strategies[i].strategy);
          strategies[i].timeNs = StrategySimulator(restored).starts(starts);
          peaks = PlanMemory(restored).peakBytes(starts);
        }
        strategies[i].memoryBytes =
            *std::max_element(peaks.begin(), peaks.end());
        isDone[i] = true;
      }
  };
  std::vector<std::thread> pool;
  for (int t = 1;
       t < options.threads && static_cast<size_t>(t) < strategies.size(); ++t)
    pool.emplace_back(work);
  work();
  for (std::thread &thread : pool)
    thread.join();

  std::vector<FrontierStrategy> all = std::move(result.points);
  for (size_t i = 0; i < strategies.size(); ++i)
    if (isDone[i]) {
      all.push_back(strategies[i]);
      ++result.simulated;
      ++counts.proposals;
    }
  run.reportProgress();
  std::vector<FrontierPoint> points;
  for (size_t i = 0; i < all.size(); ++i)
    points.push_back(
        {all[i].memoryBytes, all[i].timeNs, static_cast<uint32_t>(i)});
  result.points.clear();
  for (const FrontierPoint &point : reduceToFrontier(std::move(points)))
    result.points.push_back(std::move(all[point.trace]));
  result.simulateSeconds += secondsSince(begin);
  return std::find(isDone.begin(), isDone.end(), 0) == isDone.end();
}

namespace {

class FrontierSearch {
public:
  FrontierSearch(const ParallelizationProblem &problem,
                 const FrontierSearchOptions &options)
      : problem(problem), options(options), run(options, result.search),
        all(problem.getTopology().deviceCount()) {}

  FrontierSearchResult search() {
    switch (options.mode) {
    case FrontierMode::MiniTime:
      searchOn(all);
      break;
    case FrontierMode::MiniParallelism:
      for (int devices = 1; devices <= all && result.devices == 0; ++devices)
        if (devices == 1 || !run.isOver())
          searchOn(devices);
      break;
    case FrontierMode::Profiling:
      for (int devices = 1; devices < all; devices *= 2)
        if (!run.isOver())
          searchOn(devices);
      result.devices = 0;
      forget();
      searchOn(all);
      break;
    }
    if (result.search.best.empty() || result.devices == 0)
      fallBack();
    run.finish({});
    return std::move(result);
  }

private:
  const ParallelizationProblem &problem;
  const FrontierSearchOptions &options;
  FrontierSearchResult result;
  SearchRun run;
  int all;

  /// Drops the best strategy, which was found on fewer devices.
  void forget() {
    result.search.best.clear();
    result.search.bestEvaluation = {};
    result.search.curve.clear();
    result.keeps.clear();
  }

  void searchOn(int devices) {
    DeviceSearch device(problem, devices, options, run, result.search);
    if (options.mode == FrontierMode::MiniParallelism && device.isHopeless()) {
      result.frontiers.push_back(device.giveUp());
      return;
    }
    DeviceFrontier frontier = device.search(devices == all);
    if (frontier.points.empty())
      return;
    const FrontierStrategy *best =
        DeviceSearch::fastest(frontier, device.capacity());
    if (options.mode == FrontierMode::MiniParallelism)
      forget();
    if (best)
      result.devices = devices;
    // Else the one that is over by least.
    const FrontierStrategy &chosen = best ? *best : frontier.points.front();
    if (run.offer(chosen.strategy, device.evaluationOf(chosen)))
      result.keeps = chosen.keeps;
    result.frontiers.push_back(std::move(frontier));
  }

  /// The starts, on all devices, if the search ended before anything fitted.
  void fallBack() {
    for (const auto &frontier : result.frontiers)
      if (frontier.devices == all)
        return;
    forget();
    run.offerStarts(problem);
  }
};

} // namespace

FrontierSearchResult
soap::searchFrontier(const ParallelizationProblem &problem,
                     const FrontierSearchOptions &options) {
  assert(!problem.check() && "the problem must have passed check");
  return FrontierSearch(problem, options).search();
}
