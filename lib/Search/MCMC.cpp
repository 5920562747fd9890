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
#include <numeric>
#include <random>

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

/// The whole search: chains one after the other, each with its share of what is
/// left of the budgets.
class Search {
public:
  Search(const ParallelizationProblem &problem, const McmcOptions &options)
      : problem(problem), options(options), generator(options.seed),
        sampler(problem, generator),
        evaluator(problem, options.fullSimulation), begin(Clock::now()),
        lastReport(begin) {}

  McmcResult run() {
    std::vector<Start> initial = starts();
    for (size_t i = 0; i < initial.size() && (i == 0 || !exhausted()); ++i) {
      result.initialNames.push_back(std::move(initial[i].name));
      runChain(initial[i].strategy, static_cast<int64_t>(initial.size() - i));
    }
    result.seconds = elapsed();
    result.statistics = evaluator.getStatistics();
    addPoint();
    report();
    return std::move(result);
  }

private:
  const ParallelizationProblem &problem;
  const McmcOptions &options;
  Generator generator;
  ConfigSampler sampler;
  StrategyEvaluator evaluator;
  Clock::time_point begin, lastReport;
  McmcResult result;
  double nsPerLog = 0; ///< 1 / beta

  double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  bool stopped() const {
    return options.stop && options.stop->load(std::memory_order_relaxed);
  }
  bool exhausted() const {
    return stopped() || (options.seconds > 0 && elapsed() >= options.seconds) ||
           (options.proposals > 0 && result.proposals >= options.proposals);
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
    Strategy random = singleStrategy(problem);
    for (size_t g = 0; g < problem.getGroups().size(); ++g)
      problem.assign(random, problem.getGroups()[g],
                     sampler.draw(static_cast<int>(g)));
    add("random", std::move(random));
    return result;
  }

  /// Fits memory better, or is faster.
  static bool better(const Evaluation &a, const Evaluation &b) {
    return a.excessBytes != b.excessBytes ? a.excessBytes < b.excessBytes
                                          : a.makespanNs < b.makespanNs;
  }

  void keepIfBest(const Strategy &strategy, const Evaluation &evaluation) {
    if (!result.best.empty() && !better(evaluation, result.bestEvaluation))
      return;
    result.best = strategy;
    result.bestEvaluation = evaluation;
    addPoint();
  }

  void addPoint() {
    if (!result.best.empty() && result.bestEvaluation.excessBytes == 0)
      result.curve.push_back(
          {elapsed(), result.proposals, result.bestEvaluation.makespanNs});
  }

  void runChain(const Strategy &initial, int64_t chainsLeft) {
    Evaluation now = evaluator.start(initial);
    result.initialNs.push_back(now.makespanNs);
    keepIfBest(initial, now);
    if (nsPerLog == 0)
      nsPerLog = options.temperature * static_cast<double>(now.makespanNs);
    if (problem.getGroups().empty())
      return;

    double startTime = elapsed();
    int64_t startProposals = result.proposals;
    double seconds =
        (options.seconds - startTime) / static_cast<double>(chainsLeft);
    int64_t proposals =
        (options.proposals - startProposals + chainsLeft - 1) / chainsLeft;
    Evaluation best = now;
    double gainTime = startTime;
    int64_t gainProposals = startProposals;
    while (!stopped()) {
      // The budget of the chain is spent, or half of it without gain.
      double time = elapsed();
      if (options.seconds > 0 &&
          (time - startTime >= seconds || time - gainTime >= seconds / 2))
        break;
      if (options.proposals > 0 &&
          (result.proposals - startProposals >= proposals ||
           result.proposals - gainProposals >= (proposals + 1) / 2))
        break;
      if (options.seconds <= 0 && options.proposals <= 0)
        break; // no budget at all
      if (!step(now) || !better(now, best))
        continue;
      best = now;
      gainTime = elapsed();
      gainProposals = result.proposals;
      keepIfBest(evaluator.getStrategy(), now);
    }
  }

  /// One proposal; whether it was accepted.
  bool step(Evaluation &now) {
    ++result.proposals;
    reportSometimes();
    auto g = static_cast<int>(
        generator.below(static_cast<int64_t>(problem.getGroups().size())));
    Config config = sampler.draw(g);
    // The random number is drawn first: the decision is one comparison with an
    // integer, and whatever proves a makespan above it may stop early.
    int64_t slack = static_cast<int64_t>(
        std::min(-std::log(generator.unit()) * nsPerLog, 1e15));
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
    ++result.accepted;
    return true;
  }

  void reportSometimes() {
    if (!options.progress)
      return;
    Clock::time_point now = Clock::now();
    if (now - lastReport < std::chrono::milliseconds(500))
      return;
    lastReport = now;
    report();
  }

  void report() const {
    if (!options.progress)
      return;
    McmcProgress progress;
    double time = elapsed();
    progress.proposals = result.proposals;
    progress.proposalsPerSecond =
        time > 0 ? static_cast<double>(result.proposals) / time : 0;
    progress.bestNs = result.bestEvaluation.makespanNs;
    if (options.seconds > 0)
      progress.secondsLeft = std::max(options.seconds - time, 0.0);
    else if (progress.proposalsPerSecond > 0)
      progress.secondsLeft =
          static_cast<double>(options.proposals - result.proposals) /
          progress.proposalsPerSecond;
    options.progress(progress);
  }
};

} // namespace

McmcResult soap::searchMcmc(const ParallelizationProblem &problem,
                            const McmcOptions &options) {
  return Search(problem, options).run();
}
