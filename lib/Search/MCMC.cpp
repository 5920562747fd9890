//===- MCMC.cpp - Search by Markov chain Monte Carlo ----------------------===//
//
// Every random decision comes from one generator with mappings of our own,
// because the standard's distributions differ between libraries: a seed means
// the same search everywhere.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/MCMC.h"
#include "Soap/Search/Presets.h"
#include "Soap/Search/StrategyEvaluator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

using namespace soap;

namespace {

using Clock = std::chrono::steady_clock;

class Generator {
public:
  explicit Generator(uint64_t seed) : engine(seed) {}
  /// Uniform in [0, n).
  int64_t below(int64_t n) {
    uint64_t range = static_cast<uint64_t>(n);
    uint64_t limit = UINT64_MAX - UINT64_MAX % range; // no remainder favoured
    uint64_t draw = engine();
    while (draw >= limit)
      draw = engine();
    return static_cast<int64_t>(draw % range);
  }
  /// Uniform in (0, 1].
  double unit() { return static_cast<double>((engine() >> 11) + 1) * 0x1p-53; }

private:
  std::mt19937_64 engine;
};

/// Draws configs of groups.
class ConfigSampler {
public:
  ConfigSampler(const ParallelizationProblem &problem, Generator &generator)
      : problem(problem), generator(generator),
        devices(problem.getTopology().deviceCount()) {
    order.resize(devices);
    std::iota(order.begin(), order.end(), 0);
    for (const OpGroup &group : problem.getGroups())
      degrees.push_back(enumerateDegrees(group.leader));
  }

  Config draw(int group) {
    const std::vector<std::vector<int64_t>> &choices = degrees[group];
    Config config;
    config.degrees =
        choices[generator.below(static_cast<int64_t>(choices.size()))];
    config.replicas = config.degrees.back();
    config.degrees.pop_back();
    int64_t count = config.replicas * config.piecesPerReplica();
    // Half of the draws take devices in their order: those often fit what the
    // neighbours do. The others are any list without repetition.
    if (generator.below(2) == 0) {
      int64_t start = generator.below(devices);
      for (int64_t i = 0; i < count; ++i)
        config.devices.push_back(static_cast<int>((start + i) % devices));
      return config;
    }
    for (int64_t i = 0; i < count; ++i) {
      std::swap(order[i], order[i + generator.below(devices - i)]);
      config.devices.push_back(order[i]);
    }
    return config;
  }

private:
  const ParallelizationProblem &problem;
  Generator &generator;
  int devices;
  std::vector<int> order;
  /// Per group: all legal degrees of the leader's loops, then the replicas.
  std::vector<std::vector<std::vector<int64_t>>> degrees;

  /// Many devices: only powers of two, else there would be millions.
  static constexpr int mostDevicesForAllDegrees = 32;

  std::vector<std::vector<int64_t>> enumerateDegrees(int node) const {
    const IterationSpace &space = problem.getGraph().nodes[node].whole.space;
    std::vector<std::vector<int64_t>> result, partial = {{}};
    bool powers = devices > mostDevicesForAllDegrees;
    for (size_t l = 0; l <= space.loops.size(); ++l) {
      bool replicas = l == space.loops.size();
      int64_t most = replicas ? devices
                     : problem.mayCut(node, static_cast<int>(l))
                         ? std::max<int64_t>(space.loops[l].extent, 1)
                         : 1;
      result.clear();
      for (const std::vector<int64_t> &prefix : partial) {
        int64_t pieces = std::accumulate(prefix.begin(), prefix.end(),
                                         int64_t(1), std::multiplies<>());
        for (int64_t degree = 1; degree <= std::min(most, devices / pieces);
             degree = powers ? 2 * degree : degree + 1) {
          result.push_back(prefix);
          result.back().push_back(degree);
        }
      }
      std::swap(partial, result);
    }
    return partial;
  }
};

/// What chains share: budgets, progress, the best so far.
class Shared {
public:
  explicit Shared(const McmcOptions &options)
      : options(options), begin(Clock::now()), lastReport(begin) {}

  const McmcOptions &options;
  double nsPerLog = 0; ///< 1 / beta
  std::atomic<int64_t> proposals = 0;

  double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  bool stopped() const {
    return options.stop && options.stop->load(std::memory_order_relaxed);
  }
  bool isLate() const {
    return options.seconds > 0 && elapsed() >= options.seconds;
  }

  /// For the curve and for progress; what the search returns is decided chain
  /// by chain, so that it does not depend on timing.
  void found(const Evaluation &evaluation) {
    std::lock_guard lock(mutex);
    if (bestNs >= 0 && !better(evaluation, best))
      return;
    best = evaluation;
    bestNs = evaluation.makespanNs;
    if (best.excessBytes == 0)
      curve.push_back({elapsed(), proposals, bestNs});
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

  void report() const {
    if (!options.progress)
      return;
    McmcProgress progress;
    double time = elapsed();
    progress.proposals = proposals;
    progress.proposalsPerSecond =
        time > 0 ? static_cast<double>(progress.proposals) / time : 0;
    progress.bestNs = best.makespanNs;
    if (options.seconds > 0)
      progress.secondsLeft = std::max(options.seconds - time, 0.0);
    else if (progress.proposalsPerSecond > 0)
      progress.secondsLeft =
          static_cast<double>(options.proposals - progress.proposals) /
          progress.proposalsPerSecond;
    options.progress(progress);
  }

  /// Fits memory better, or is faster.
  static bool better(const Evaluation &a, const Evaluation &b) {
    return a.excessBytes != b.excessBytes ? a.excessBytes < b.excessBytes
                                          : a.makespanNs < b.makespanNs;
  }

  std::vector<McmcPoint> curve;

private:
  Clock::time_point begin, lastReport;
  std::mutex mutex;
  Evaluation best;
  int64_t bestNs = -1;
};

/// One Markov chain: its own random numbers, and its own plan.
class Chain {
public:
  Chain(const ParallelizationProblem &problem, Shared &shared, uint64_t seed)
      : problem(problem), shared(shared), generator(seed),
        sampler(problem, generator),
        evaluator(problem, shared.options.fullSimulation) {}

  Strategy best;
  Evaluation bestEvaluation;
  int64_t initialNs = -1; ///< -1: was not started
  int64_t proposals = 0, accepted = 0;

  EvaluatorStatistics statistics() const { return evaluator.getStatistics(); }

  /// `mostProposals`, `seconds`: the budget of this chain; 0: none.
  void run(const Strategy &initial, int64_t mostProposals, double seconds) {
    Evaluation now = evaluator.start(initial);
    initialNs = now.makespanNs;
    best = initial;
    bestEvaluation = now;
    shared.found(now);
    if (problem.getGroups().empty() || (mostProposals <= 0 && seconds <= 0))
      return;
    double start = shared.elapsed(), gain = start;
    int64_t gainProposals = 0;
    while (!shared.stopped() && !shared.isLate()) {
      // The budget of the chain is spent, or half of it without gain.
      double time = shared.elapsed();
      if (seconds > 0 &&
          (time - start >= seconds || time - gain >= seconds / 2))
        break;
      if (mostProposals > 0 &&
          (proposals >= mostProposals ||
           proposals - gainProposals >= (mostProposals + 1) / 2))
        break;
      if (!step(now) || !Shared::better(now, bestEvaluation))
        continue;
      gain = shared.elapsed();
      gainProposals = proposals;
      best = evaluator.getStrategy();
      bestEvaluation = now;
      shared.found(now);
    }
  }

private:
  const ParallelizationProblem &problem;
  Shared &shared;
  Generator generator;
  ConfigSampler sampler;
  StrategyEvaluator evaluator;

  /// One proposal; whether it was accepted.
  bool step(Evaluation &now) {
    ++proposals;
    shared.proposals.fetch_add(1, std::memory_order_relaxed);
    shared.reportSometimes();
    auto g = static_cast<int>(
        generator.below(static_cast<int64_t>(problem.getGroups().size())));
    Config config = sampler.draw(g);
    // The random number is drawn first: the decision is one comparison with an
    // integer, and whatever proves a makespan above it may stop early.
    int64_t slack = static_cast<int64_t>(
        std::min(-std::log(generator.unit()) * shared.nsPerLog, 1e15));
    int64_t threshold = now.makespanNs + slack;
    if (config == evaluator.getStrategy()[problem.getGroups()[g].leader])
      return false;

    bool fits = now.excessBytes == 0;
    Evaluation next = fits ? evaluator.propose(g, config, threshold)
                           : evaluator.propose(g, config);
    // Memory is a hard limit; where it is broken from the start, less of that
    // comes first.
    bool accept = next.excessBytes != now.excessBytes
                      ? next.excessBytes < now.excessBytes
                      : next.makespanNs <= threshold;
    if (!accept) {
      evaluator.reject();
      return false;
    }
    evaluator.accept();
    now = next;
    ++accepted;
    return true;
  }
};

/// The whole search: a chain from every start, in threads, and one more from
/// the best of them with what is left of the budget.
class Search {
public:
  Search(const ParallelizationProblem &problem, const McmcOptions &options)
      : problem(problem), options(options), shared(options) {}

  McmcResult run() {
    std::vector<Start> initial = starts();
    if (!initial.empty())
      shared.nsPerLog =
          options.temperature *
          static_cast<double>(problem.evaluate(initial[0].strategy).makespanNs);
    auto count = static_cast<int64_t>(initial.size());
    int64_t threads =
        std::clamp<int64_t>(options.threads, 1, std::max<int64_t>(count, 1));
    std::vector<std::unique_ptr<Chain>> chains(initial.size());
    std::atomic<int64_t> next = 0;
    auto work = [&] {
      for (int64_t i; (i = next.fetch_add(1)) < count;) {
        if (i > 0 && (shared.stopped() || shared.isLate()))
          return;
        chains[i] = std::make_unique<Chain>(problem, shared, seedOf(i));
        // Proposals are shared out evenly, so that no chain depends on another;
        // time goes to those that are left.
        int64_t most = options.proposals > 0
                           ? std::max<int64_t>(
                                 (options.proposals + count - 1 - i) / count, 1)
                           : 0;
        double seconds =
            options.seconds > 0
                ? (options.seconds - shared.elapsed()) *
                      static_cast<double>(threads) /
                      static_cast<double>(std::max(count - i, threads))
                : 0;
        chains[i]->run(initial[i].strategy, most, std::max(seconds, 0.0));
      }
    };
    std::vector<std::thread> helpers;
    for (int64_t t = 1; t < threads; ++t)
      helpers.emplace_back(work);
    work();
    for (std::thread &helper : helpers)
      helper.join();
    for (size_t i = 0; i < chains.size(); ++i)
      if (chains[i])
        add(initial[i].name, *chains[i]);
    chains.clear();
    useTheRest(count);
    result.seconds = shared.elapsed();
    result.curve = std::move(shared.curve);
    if (!result.best.empty() && result.bestEvaluation.excessBytes == 0)
      result.curve.push_back(
          {result.seconds, result.proposals, result.bestEvaluation.makespanNs});
    shared.report();
    return std::move(result);
  }

private:
  const ParallelizationProblem &problem;
  const McmcOptions &options;
  Shared shared;
  McmcResult result;

  uint64_t seedOf(int64_t chain) const {
    return options.seed + static_cast<uint64_t>(chain) * 0x9E3779B97F4A7C15u;
  }

  void add(std::string name, const Chain &chain) {
    if (!name.empty()) {
      result.initialNames.push_back(std::move(name));
      result.initialNs.push_back(chain.initialNs);
    }
    if (result.best.empty() ||
        Shared::better(chain.bestEvaluation, result.bestEvaluation)) {
      result.best = chain.best;
      result.bestEvaluation = chain.bestEvaluation;
    }
    result.proposals += chain.proposals;
    result.accepted += chain.accepted;
    EvaluatorStatistics counts = chain.statistics();
    result.statistics.proposals += counts.proposals;
    result.statistics.rejectedByLoad += counts.rejectedByLoad;
    result.statistics.rejectedByArrivals += counts.rejectedByArrivals;
    result.statistics.rejectedUnsimulated += counts.rejectedUnsimulated;
    result.statistics.simulatedTasks += counts.simulatedTasks;
  }

  /// Chains that ended early leave budget.
  void useTheRest(int64_t count) {
    if (count < 2 || shared.stopped() || shared.isLate())
      return;
    int64_t most =
        options.proposals > 0 ? options.proposals - result.proposals : 0;
    double seconds =
        options.seconds > 0 ? options.seconds - shared.elapsed() : 0;
    if ((options.proposals > 0 && most <= 0) || (most <= 0 && seconds <= 0))
      return;
    Chain chain(problem, shared, seedOf(count));
    chain.run(Strategy(result.best), most, seconds);
    add("", chain);
  }

  struct Start {
    std::string name;
    Strategy strategy;
  };

  std::vector<Start> starts() {
    std::vector<Start> result;
    for (size_t i = 0; i < options.initial.size(); ++i)
      result.push_back({i < options.initialNames.size()
                            ? options.initialNames[i]
                            : "initial" + std::to_string(i),
                        options.initial[i]});
    if (!result.empty())
      return result;
    auto add = [&](const std::string &name, Strategy strategy) {
      if (std::none_of(result.begin(), result.end(), [&](const Start &start) {
            return start.strategy == strategy;
          }))
        result.push_back({name, std::move(strategy)});
    };
    // The first sets the scale of the temperature.
    add("data-parallel", dataParallelStrategy(problem));
    for (const std::string &name : presetNames())
      add(name, *presetStrategy(name, problem));
    Generator generator(options.seed);
    ConfigSampler sampler(problem, generator);
    Strategy random = singleStrategy(problem);
    for (size_t g = 0; g < problem.getGroups().size(); ++g)
      problem.assign(random, problem.getGroups()[g],
                     sampler.draw(static_cast<int>(g)));
    add("random", std::move(random));
    return result;
  }
};

} // namespace

McmcResult soap::searchMcmc(const ParallelizationProblem &problem,
                            const McmcOptions &options) {
  return Search(problem, options).run();
}
