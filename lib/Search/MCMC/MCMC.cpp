//===- MCMC.cpp - Search by Markov chain Monte Carlo ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains side by side in rounds of as many proposals, so that temperatures are
// exchanged, and states are written down, when all chains are at the same
// point.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/MCMC/MCMC.h"

#include "FactorMoves.h"
#include "Metropolis.h"
#include "Soap/Search/Annealing/PlacementSearch.h"
#include "Soap/Search/Presets/FewerDevices.h"
#include "Soap/Search/Presets/Presets.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>

using namespace soap;

/// Proposals of a chain in a round.
static constexpr int64_t roundLength = 256;

namespace {

using Clock = std::chrono::steady_clock;

/// Budgets, progress, the best so far.
class Monitor : public McmcMonitor {
public:
  explicit Monitor(const McmcOptions &options)
      : options(options), begin(Clock::now()), lastReport(begin) {}

  double before = 0; ///< seconds of former runs
  int64_t proposalsBefore = 0;
  std::atomic<int64_t> proposals = 0;
  std::vector<McmcPoint> curve;

  double elapsed() const {
    return before + std::chrono::duration<double>(Clock::now() - begin).count();
  }
  bool isOver() const override {
    return isStopped() || (options.seconds > 0 && elapsed() >= options.seconds);
  }
  bool isStopped() const {
    return (options.stop && options.stop->load(std::memory_order_relaxed)) ||
           isReached.load(std::memory_order_relaxed) ||
           (options.pauseAfter > 0 &&
            proposals - proposalsBefore >= options.pauseAfter);
  }
  void count() override {
    proposals.fetch_add(1, std::memory_order_relaxed);
    reportSometimes();
  }
  void reportSometimes() {
    if (!options.progress)
      return;
    std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock || Clock::now() - lastReport < std::chrono::milliseconds(500))
      return;
    lastReport = Clock::now();
    report();
  }

  /// For the curve and for progress; what the search returns is decided chain
  /// by chain, so that it does not depend on timing.
  void found(const Evaluation &evaluation) override {
    std::lock_guard lock(mutex);
    if (bestNs >= 0 && !isBetter(evaluation, best))
      return;
    best = evaluation;
    bestNs = evaluation.makespanNs;
    if (best.excessBytes == 0 &&
        (curve.empty() || curve.back().bestNs > bestNs))
      curve.push_back({elapsed(), proposals, bestNs});
    if (best.excessBytes == 0 && bestNs <= options.targetNs)
      isReached = true;
  }

  void report() const {
    if (!options.progress)
      return;
    McmcProgress progress;
    double time = elapsed();
    progress.proposals = proposals;
    progress.proposalsPerSecond =
        time > 0 ? static_cast<double>(progress.proposals) / time : 0;
    progress.bestNs = best.makespanNs;
    progress.excessBytes = best.excessBytes;
    if (options.seconds > 0)
      progress.secondsLeft = std::max(options.seconds - time, 0.0);
    else if (progress.proposalsPerSecond > 0)
      progress.secondsLeft =
          static_cast<double>(options.proposals - progress.proposals) /
          progress.proposalsPerSecond;
    options.progress(progress);
  }

private:
  const McmcOptions &options;
  Clock::time_point begin, lastReport;
  std::mutex mutex;
  Evaluation best;
  int64_t bestNs = -1;
  std::atomic<bool> isReached = false; ///< the target
};

class Search {
public:
  Search(const ParallelizationProblem &problem, const McmcOptions &options)
      : problem(problem), options(options), monitor(options), exchanges(0),
        threads(std::max(options.threads, 1)), sampler(problem, options.kind) {}

  McmcResult run() {
    lastCheckpoint = Clock::now();
    if (options.resume)
      resume(*options.resume);
    else
      begin();
    if (!chains.empty() && !problem.getGroups().empty() &&
        (options.proposals > 0 || options.seconds > 0)) {
      runRounds();
      useTheRest();
    }
    checkpoint();
    collect();
    return std::move(result);
  }

private:
  const ParallelizationProblem &problem;
  const McmcOptions &options;
  Monitor monitor;
  RandomGenerator exchanges;
  int threads;
  ProposalSampler sampler;
  std::vector<std::unique_ptr<McmcChain>> chains;
  bool hasLast = false;
  bool isCut = false; ///< stopped before all starts were priced
  int64_t round = 0, scaleNs = 0;
  int64_t factorMoves = 0; ///< priced before chains began
  Clock::time_point lastCheckpoint;
  McmcResult result;

  uint64_t seedOf(size_t chain) const {
    return options.seed + static_cast<uint64_t>(chain) * 0x9E3779B97F4A7C15u;
  }
  double temperatureNs(int step) const {
    return options.temperature * static_cast<double>(scaleNs) *
           std::pow(options.tempering, step);
  }

  //===--------------------------------------------------------------------===//
  // Beginning
  //===--------------------------------------------------------------------===//

  struct Start {
    std::string name;
    Strategy strategy;
    Evaluation evaluation;
  };

  std::vector<Start> starts() const {
    std::vector<Start> starts;
    for (size_t i = 0; i < options.initial.size(); ++i)
      starts.push_back({i < options.initialNames.size()
                            ? options.initialNames[i]
                            : "initial" + std::to_string(i),
                        options.initial[i],
                        {}});
    for (Start &start : starts)
      problem.keepFixed(start.strategy);
    if (!starts.empty())
      return starts;
    // The first sets the scale of the temperature.
    for (auto &[name, strategy] : presetStartsOnAnyDevices(problem))
      starts.push_back({name, std::move(strategy), {}});
    for (const auto &[name, strategy] : options.further) {
      starts.push_back({name, strategy, {}});
      problem.keepFixed(starts.back().strategy);
    }
    Strategy random = singleStrategy(problem);
    RandomGenerator generator(options.seed);
    for (size_t g = 0; g < problem.getGroups().size(); ++g)
      problem.assign(random, problem.getGroups()[g],
                     sampler.drawConfig(generator, static_cast<int>(g)));
    bool isNew =
        std::none_of(starts.begin(), starts.end(), [&](const Start &start) {
          return start.strategy == random;
        });
    if (isNew)
      starts.push_back({"random", std::move(random), {}});
    if (std::optional<Strategy> placed = placementStart())
      starts.push_back({"placement", std::move(*placed), {}});
    return starts;
  }

  /// Whole ops on devices of their own are far from all presets: single changes
  /// of a chain rarely lead there. Small clusters only, as annealing takes a
  /// hundred proposals per op and device.
  std::optional<Strategy> placementStart() const {
    constexpr int maxDevices = 16;
    constexpr int share = 20; // of the budget, one part in so many
    if (options.kind != ProposalKind::Mixed || !problem.anyDevices ||
        problem.getTopology().deviceCount() > maxDevices || monitor.isOver())
      return std::nullopt;
    PlacementOptions placement;
    placement.seed = options.seed;
    placement.seconds = options.seconds / share;
    placement.proposals = (options.proposals + share - 1) / share;
    placement.stop = options.stop;
    Strategy found = searchPlacement(problem, placement).found;
    if (found.empty())
      return std::nullopt;
    return found;
  }

  /// Descends by factor moves from the best three starts, side by side, in at
  /// most half of the budget. The best start may be a local optimum of factor
  /// moves, for example with sharded weights, while another start leads further
  /// down.
  std::vector<Start> descended(std::vector<Start> from) {
    constexpr size_t most = 3;
    constexpr int share = 2;
    if (options.kind != ProposalKind::Mixed)
      return {};
    std::erase_if(from, [](const Start &start) {
      return start.evaluation.excessBytes > 0;
    });
    std::stable_sort(from.begin(), from.end(),
                     [](const Start &a, const Start &b) {
                       return isBetter(a.evaluation, b.evaluation);
                     });
    from.resize(std::min(from.size(), most));
    double end = monitor.elapsed() + options.seconds / share;
    std::atomic<size_t> next = 0;
    std::atomic<int64_t> priced = 0;
    auto work = [&] {
      auto evaluator = makeEvaluator();
      for (size_t i; (i = next.fetch_add(1)) < from.size();) {
        Start &start = from[i];
        int64_t left = options.proposals > 0
                           ? options.proposals / (share * int64_t(most))
                           : std::numeric_limits<int64_t>::max();
        auto isOver = [&](const Evaluation &now) {
          monitor.found(now);
          monitor.reportSometimes();
          if (left == 0 || monitor.isOver() ||
              (options.seconds > 0 && monitor.elapsed() >= end))
            return true;
          --left;
          ++priced;
          return false;
        };
        Evaluation before = start.evaluation;
        if (monitor.isOver()) {
          start.strategy.clear();
          continue;
        }
        evaluator->start(start.strategy);
        start.evaluation =
            descendByFactorMoves(problem, sampler.getMates(), options.mates > 0,
                                 *evaluator, before, isOver);
        if (isBetter(start.evaluation, before)) {
          start.name += ", factor moves";
          start.strategy = evaluator->getStrategy();
        } else {
          start.strategy.clear();
        }
      }
    };
    std::vector<std::jthread> helpers;
    for (size_t t = 1; t < std::min(static_cast<size_t>(threads), from.size());
         ++t)
      helpers.emplace_back(work);
    work();
    helpers.clear();
    factorMoves = priced;
    monitor.proposals += factorMoves;
    monitor.proposalsBefore += factorMoves; // chains are what is paused
    std::erase_if(from,
                  [](const Start &start) { return start.strategy.empty(); });
    return from;
  }

  void begin() {
    exchanges = RandomGenerator(~options.seed);
    std::vector<Start> all = starts();
    auto evaluator = makeEvaluator();
    for (size_t i = 0; i < all.size(); ++i) {
      if (i > 0 && monitor.isOver()) {
        // Too early for a checkpoint: another run would have more to start
        // from.
        all.resize(i);
        isCut = true;
        break;
      }
      all[i].evaluation = evaluator->start(all[i].strategy);
      monitor.found(all[i].evaluation);
      result.initialNames.push_back(all[i].name);
      result.initialNs.push_back(all[i].evaluation.makespanNs);
    }
    if (all.empty())
      return;
    if (!isCut) {
      for (Start &start : descended(all)) {
        result.initialNames.push_back(start.name);
        result.initialNs.push_back(start.evaluation.makespanNs);
        all.push_back(std::move(start));
      }
      isCut = monitor.isOver();
    }
    if (isCut) {
      // Chains would begin by pricing their starts once more.
      const Start &best = *std::min_element(
          all.begin(), all.end(), [](const Start &a, const Start &b) {
            return isBetter(a.evaluation, b.evaluation);
          });
      result.best = best.strategy;
      result.bestEvaluation = best.evaluation;
      return;
    }
    scaleNs = all[0].evaluation.makespanNs;
    size_t count =
        options.chains > 0 ? static_cast<size_t>(options.chains) : all.size();
    if (options.chains > 0)
      std::stable_sort(all.begin(), all.end(),
                       [](const Start &a, const Start &b) {
                         return isBetter(a.evaluation, b.evaluation);
                       });
    for (size_t i = 0; i < count; ++i) {
      const Start &start = all[i % all.size()];
      McmcChain &chain = addChain(std::move(evaluator), count);
      chain.state.start = start.name;
      chain.state.current = start.strategy;
      chain.state.step = static_cast<int>(i);
      RandomGenerator random(seedOf(i));
      std::copy(random.words, random.words + 4, chain.state.random.begin());
      chain.begin();
    }
    shareBudget(count);
  }

  std::unique_ptr<StrategyEvaluator> makeEvaluator() const {
    return std::make_unique<StrategyEvaluator>(problem, options.simulator);
  }

  /// `count`: chains that run side by side.
  McmcChain &addChain(std::unique_ptr<StrategyEvaluator> evaluator,
                      size_t count) {
    if (!evaluator)
      evaluator = makeEvaluator();
    int own = std::max(threads / static_cast<int>(count), 1);
    chains.push_back(std::make_unique<McmcChain>(
        problem, options, sampler, monitor, own, std::move(evaluator)));
    return *chains.back();
  }

  /// Proposals are shared out evenly, so that no chain depends on another; time
  /// is that of the threads.
  void shareBudget(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      auto number = static_cast<int64_t>(count);
      if (options.proposals > 0)
        chains[i]->maxProposals =
            std::max<int64_t>((options.proposals - factorMoves + number - 1 -
                               static_cast<int64_t>(i)) /
                                  number,
                              1);
      chains[i]->maxSeconds =
          options.seconds *
          std::min(static_cast<double>(threads) / static_cast<double>(count),
                   1.0);
    }
  }

  //===--------------------------------------------------------------------===//
  // Rounds
  //===--------------------------------------------------------------------===//

  void runRounds() {
    size_t count = chains.size() - hasLast;
    while (!monitor.isOver() &&
           std::any_of(
               chains.begin(), chains.begin() + static_cast<ptrdiff_t>(count),
               [](const auto &chain) { return !chain->state.isOver; })) {
      std::atomic<size_t> next = 0;
      auto work = [&] {
        for (size_t i; (i = next.fetch_add(1)) < count;) {
          McmcChain &chain = *chains[i];
          chain.temperatureNs = temperatureNs(chain.state.step);
          chain.run((round + 1) * roundLength);
        }
      };
      std::vector<std::thread> helpers;
      for (size_t t = 1; t < std::min(static_cast<size_t>(threads), count); ++t)
        helpers.emplace_back(work);
      work();
      for (std::thread &helper : helpers)
        helper.join();
      if (monitor.isStopped())
        return; // in the middle of a round
      exchangeTemperatures(count);
      ++round;
      checkpointSometimes();
    }
  }

  /// Parallel tempering (Swendsen and Wang, 1986): neighbours on the ladder of
  /// temperatures change places with probability
  /// min(1, exp((1/T - 1/T') (E - E'))).
  void exchangeTemperatures(size_t count) {
    if (options.tempering == 1)
      return;
    std::vector<McmcChain *> ladder(count);
    for (size_t i = 0; i < count; ++i)
      ladder[chains[i]->state.step] = chains[i].get();
    assert(std::ranges::count(ladder, nullptr) == 0 && "a chain a step");
    for (size_t i = 0; i + 1 < count; ++i) {
      McmcChainState &cold = ladder[i]->state, &hot = ladder[i + 1]->state;
      double unit = exchanges.unit();
      if (cold.isOver || hot.isOver ||
          cold.currentEvaluation.excessBytes !=
              hot.currentEvaluation.excessBytes)
        continue;
      double exponent =
          (1 / temperatureNs(cold.step) - 1 / temperatureNs(hot.step)) *
          static_cast<double>(cold.currentEvaluation.makespanNs -
                              hot.currentEvaluation.makespanNs);
      if (exponent < 0 && unit > std::exp(exponent))
        continue;
      std::swap(cold.step, hot.step);
      std::swap(ladder[i], ladder[i + 1]);
    }
  }

  /// Chains that ended early leave budget: one more, from the best.
  void useTheRest() {
    if (!hasLast) {
      if (chains.size() < 2 || monitor.isOver())
        return;
      const McmcChainState &best = bestChain().state;
      McmcChainState state;
      state.start = "best";
      state.current = best.best;
      RandomGenerator random(seedOf(chains.size()));
      std::copy(random.words, random.words + 4, state.random.begin());
      // Only the states of the other chains are still needed.
      McmcChain &chain = addChain(nullptr, 1);
      hasLast = true;
      chain.state = std::move(state);
      chain.begin();
    }
    McmcChain &chain = *chains.back();
    chain.temperatureNs = temperatureNs(0);
    // Long enough to get to the bottom of a valley.
    constexpr int64_t proposalsPerGroup = 128;
    if (options.kind == ProposalKind::Mixed)
      chain.restartProposals =
          proposalsPerGroup * static_cast<int64_t>(problem.getGroups().size());
    int64_t others = factorMoves;
    double spent = 0;
    for (size_t i = 0; i + 1 < chains.size(); ++i) {
      others += chains[i]->state.proposals;
      spent = std::max(spent, chains[i]->state.seconds);
    }
    if (options.proposals > 0 && options.proposals <= others)
      return;
    chain.maxProposals = options.proposals > 0 ? options.proposals - others : 0;
    chain.maxSeconds =
        options.seconds > 0 ? std::max(options.seconds - spent, 1e-9) : 0;
    while (!monitor.isOver() && !chain.state.isOver) {
      chain.run(chain.state.proposals + roundLength);
      checkpointSometimes();
    }
  }

  const McmcChain &bestChain() const {
    const McmcChain *best = chains[0].get();
    for (const auto &chain : chains)
      if (isBetter(chain->state.bestEvaluation, best->state.bestEvaluation))
        best = chain.get();
    return *best;
  }

  //===--------------------------------------------------------------------===//
  // States and results
  //===--------------------------------------------------------------------===//

  void checkpointSometimes() {
    if (std::chrono::duration<double>(Clock::now() - lastCheckpoint).count() >=
        options.checkpointSeconds)
      checkpoint();
  }

  void checkpoint() {
    if (!options.checkpoint || isCut)
      return;
    McmcState state;
    state.round = round;
    state.seconds = monitor.elapsed();
    state.scaleNs = scaleNs;
    state.factorMoves = factorMoves;
    std::copy(exchanges.words, exchanges.words + 4, state.exchanges.begin());
    for (const auto &chain : chains)
      state.chains.push_back(chain->state);
    state.hasLast = hasLast;
    state.initialNames = result.initialNames;
    state.initialNs = result.initialNs;
    state.curve = monitor.curve;
    options.checkpoint(state);
    lastCheckpoint = Clock::now();
  }

  void resume(const McmcState &state) {
    round = state.round;
    monitor.before = state.seconds;
    monitor.curve = state.curve;
    scaleNs = state.scaleNs;
    factorMoves = state.factorMoves;
    monitor.proposals = factorMoves;
    hasLast = state.hasLast;
    result.initialNames = state.initialNames;
    result.initialNs = state.initialNs;
    std::copy(state.exchanges.begin(), state.exchanges.end(), exchanges.words);
    size_t count = state.chains.size() - hasLast;
    for (size_t i = 0; i < state.chains.size(); ++i) {
      McmcChain &chain = addChain(nullptr, i < count ? count : 1);
      chain.state = state.chains[i];
      monitor.proposals += chain.state.proposals;
      chain.resume();
    }
    monitor.proposalsBefore = monitor.proposals;
    shareBudget(count);
  }

  void collect() {
    for (const auto &chain : chains) {
      const McmcChainState &state = chain->state;
      if (result.best.empty() ||
          isBetter(state.bestEvaluation, result.bestEvaluation)) {
        result.best = state.best;
        result.bestEvaluation = state.bestEvaluation;
      }
      result.proposals += state.proposals;
      result.accepted += state.accepted;
      result.statistics += chain->statistics();
    }
    result.proposals += factorMoves;
    result.seconds = monitor.elapsed();
    result.curve = std::move(monitor.curve);
    if (!result.best.empty() && result.bestEvaluation.excessBytes == 0)
      result.curve.push_back(
          {result.seconds, result.proposals, result.bestEvaluation.makespanNs});
    monitor.report();
  }
};

} // namespace

McmcResult soap::searchMcmc(const ParallelizationProblem &problem,
                            const McmcOptions &options) {
  assert(!problem.check() && "the problem must have passed check");
  return Search(problem, options).run();
}
