//===- McmcChain.cpp - One Markov chain -----------------------------------===//
//
// The random number that decides is drawn before the simulation: the decision
// is a comparison with an integer, and whatever proves a makespan above it may
// stop early.
//
//===----------------------------------------------------------------------===//

#include "McmcChain.h"

#include "CriticalGroups.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

using namespace soap;

/// Acceptances after which the critical path is looked at again.
static constexpr int64_t acceptedBetweenWeights = 64;

/// Threads that wait for draws to evaluate. The chain's own thread is one of
/// them.
class McmcChain::Team {
public:
  Team(McmcChain &chain, int threads)
      : chain(chain), held(static_cast<size_t>(threads), none),
        current(static_cast<size_t>(threads), none) {
    for (size_t t = 0; t < current.size(); ++t)
      chain.evaluators[t]->onWithinLimit = [this, t] { publish(current[t]); };
    for (int t = 1; t < threads; ++t)
      helpers.emplace_back([this, t] { help(static_cast<size_t>(t)); });
  }
  ~Team() {
    count = -1;
    release();
    for (std::thread &helper : helpers)
      helper.join();
  }

  /// The first of `chain.draws[0, n)` that is accepted, n if none is. All
  /// before it have been decided.
  size_t firstAccepted(size_t n) {
    start(n, nullptr);
    return accepted;
  }
  /// All evaluators take over draw `number`, which `firstAccepted` returned.
  void takeOver(size_t number) { start(number, &chain.draws[number]); }

private:
  McmcChain &chain;
  std::vector<std::thread> helpers;
  std::atomic<int64_t> count = 0; ///< -1: the end
  std::atomic<uint64_t> generation = 0;
  std::atomic<size_t> next = 0, accepted = 0, busy = 0;
  const Draw *taken = nullptr;
  static constexpr size_t none = static_cast<size_t>(-1);
  /// By thread: the accepted draw that its evaluator holds as a proposal, and
  /// the one that it looks at.
  std::vector<size_t> held, current;
  /// The first draw that is fast enough and whose memory is being looked at. A
  /// thread that has nothing under way takes it over in advance, as it will
  /// most likely have to.
  std::atomic<size_t> likely = none;

  void release() {
    generation.fetch_add(1);
    generation.notify_all();
  }
  void start(size_t n, const Draw *draw) {
    taken = draw;
    next = 0;
    accepted = n;
    count = static_cast<int64_t>(n);
    busy = helpers.size();
    release();
    work(0);
    for (size_t left; (left = busy.load()) > 0;)
      busy.wait(left);
  }
  void help(size_t thread) {
    for (uint64_t seen = 0;;) {
      generation.wait(seen);
      seen = generation.load();
      if (count < 0)
        return;
      work(thread);
      busy.fetch_sub(1);
      busy.notify_all();
    }
  }
  void publish(size_t draw) {
    size_t now = likely;
    while (draw < now && !likely.compare_exchange_weak(now, draw)) {
    }
    likely.notify_all();
  }
  /// The memory of a draw has been looked at.
  void settle(size_t draw) {
    if (likely.compare_exchange_strong(draw, none))
      likely.notify_all();
  }
  /// Whether the evaluator holds the draw then, which was accepted.
  bool follow(StrategyEvaluator &evaluator, size_t draw) {
    evaluator.prepareTakeOver(chain.draws[draw].proposal,
                              chain.draws[draw].thresholdNs);
    while (likely == draw)
      likely.wait(draw);
    if (accepted == draw)
      return true;
    evaluator.reject();
    return false;
  }
  void work(size_t thread) {
    StrategyEvaluator &evaluator = *chain.evaluators[thread];
    if (taken) {
      if (held[thread] == static_cast<size_t>(count.load())) {
        evaluator.accept();
      } else {
        if (held[thread] != none)
          evaluator.reject();
        evaluator.takeOver(taken->proposal, taken->thresholdNs);
      }
      held[thread] = none;
      return;
    }
    auto n = static_cast<size_t>(count.load());
    for (;;) {
      if (size_t draw = likely; draw != none && draw <= accepted) {
        if (follow(evaluator, draw)) {
          held[thread] = draw;
          return;
        }
        continue;
      }
      size_t i = next.fetch_add(1);
      if (i >= n || i > accepted)
        return;
      current[thread] = i;
      bool isAccepted = chain.evaluate(evaluator, chain.draws[i]);
      if (isAccepted) {
        // What this thread would look at next comes later.
        held[thread] = i;
        size_t best = accepted;
        while (i < best && !accepted.compare_exchange_weak(best, i)) {
        }
      }
      settle(i);
      if (isAccepted)
        return;
      evaluator.reject();
    }
  }
};

McmcChain::McmcChain(const ParallelizationProblem &problem,
                     const McmcOptions &options, const ProposalSampler &sampler,
                     McmcMonitor &monitor, int threads,
                     std::unique_ptr<StrategyEvaluator> evaluator)
    : problem(problem), options(options), sampler(sampler), monitor(monitor) {
  evaluators.push_back(std::move(evaluator));
  for (int t = 1; t < threads; ++t)
    evaluators.push_back(
        std::make_unique<StrategyEvaluator>(problem, options.simulator));
  if (threads > 1)
    team = std::make_unique<Team>(*this, threads);
}

McmcChain::~McmcChain() = default;

void McmcChain::begin() {
  for (std::unique_ptr<StrategyEvaluator> &evaluator : evaluators)
    state.currentEvaluation = evaluator->start(state.current);
  state.best = state.current;
  state.bestEvaluation = state.currentEvaluation;
  updateWeights();
  monitor.found(state.bestEvaluation);
}

void McmcChain::resume() {
  // Prices are those of today: a profile may be another.
  state.bestEvaluation = evaluators[0]->start(state.best);
  for (std::unique_ptr<StrategyEvaluator> &evaluator : evaluators)
    state.currentEvaluation = evaluator->start(state.current);
  monitor.found(state.bestEvaluation);
}

void McmcChain::updateWeights() {
  state.acceptedAtWeights = state.accepted;
  if (options.kind == ProposalKind::Mixed)
    state.weights = criticalGroupNs(problem, *evaluators[0]);
}

/// The temperature of the proposal after `ahead` more: by how much of the
/// budget is spent then, so it does not depend on how many are drawn at a time.
double McmcChain::cooledNs(size_t ahead) const {
  if (options.cooling == 1)
    return temperatureNs;
  double spent = 0;
  if (hopProposals > 0)
    return temperatureNs *
           std::pow(options.cooling,
                    static_cast<double>(state.proposals % hopProposals +
                                        static_cast<int64_t>(ahead)) /
                        static_cast<double>(hopProposals));
  if (mostProposals > 0)
    spent =
        (static_cast<double>(state.proposals) + static_cast<double>(ahead)) /
        static_cast<double>(mostProposals);
  if (mostSeconds > 0)
    spent = std::max(spent, state.seconds / mostSeconds);
  return temperatureNs * std::pow(options.cooling, std::min(spent, 1.0));
}

/// Leaves the valley of the best strategy for one nearby.
void McmcChain::hop(RandomGenerator &random) {
  constexpr int64_t mostGroups = 6;
  auto groups = static_cast<int64_t>(problem.getGroups().size());
  state.current = state.best;
  for (int64_t left = 1 + random.below(std::min(mostGroups, groups)); left > 0;
       --left) {
    auto group = static_cast<int>(random.below(groups));
    problem.assign(state.current, problem.getGroups()[group],
                   sampler.drawConfig(random, group));
  }
  for (std::unique_ptr<StrategyEvaluator> &evaluator : evaluators)
    state.currentEvaluation = evaluator->start(state.current);
  considerBest();
}

McmcChain::Draw McmcChain::draw(RandomGenerator &random, size_t ahead) const {
  Draw result;
  result.proposal =
      sampler.draw(random, evaluators[0]->getStrategy(), state.weights);
  auto slackNs = static_cast<int64_t>(
      std::min(-std::log(random.unit()) * cooledNs(ahead), 1e15));
  result.thresholdNs = state.currentEvaluation.makespanNs + slackNs;
  std::copy(random.words, random.words + 4, result.after.begin());
  return result;
}

/// Whether a draw is accepted. The evaluator may hold it as a proposal.
bool McmcChain::evaluate(StrategyEvaluator &evaluator, Draw &draw) const {
  const Evaluation &now = state.currentEvaluation;
  // What is as it was is left alone; threads find the same.
  const Strategy &current = evaluator.getStrategy();
  std::erase_if(draw.proposal, [&](const GroupChange &change) {
    return change.config == current[problem.getGroups()[change.group].leader];
  });
  if (draw.proposal.empty())
    return false;
  draw.evaluation = now.excessBytes == 0 && options.earlyRejection
                        ? evaluator.propose(draw.proposal, draw.thresholdNs)
                        : evaluator.propose(draw.proposal);
  // Memory is a hard limit; where it is broken from the start, less of that
  // comes first.
  if (draw.evaluation.makespanNs > draw.thresholdNs && now.excessBytes == 0)
    return false;
  return draw.evaluation.excessBytes != now.excessBytes
             ? draw.evaluation.excessBytes < now.excessBytes
             : draw.evaluation.makespanNs <= draw.thresholdNs;
}

/// Decides draws in their order, up to the first that is accepted. How many
/// were decided.
size_t McmcChain::decide(size_t count) {
  size_t accepted = 0;
  if (team) {
    accepted = team->firstAccepted(count);
    if (accepted < count) {
      // A broken memory limit has no threshold.
      if (state.currentEvaluation.excessBytes != 0)
        draws[accepted].thresholdNs = std::numeric_limits<int64_t>::max();
      team->takeOver(accepted);
    }
  } else {
    for (; accepted < count; ++accepted) {
      if (evaluate(*evaluators[0], draws[accepted])) {
        evaluators[0]->accept();
        break;
      }
      evaluators[0]->reject();
    }
  }
  size_t decided = std::min(accepted + 1, count);
  for (size_t i = 0; i < decided; ++i)
    monitor.count();
  state.proposals += static_cast<int64_t>(decided);
  state.random = draws[decided - 1].after;
  if (accepted < count)
    accept(draws[accepted]);
  return decided;
}

void McmcChain::considerBest() {
  if (!isBetter(state.currentEvaluation, state.bestEvaluation))
    return;
  state.best = evaluators[0]->getStrategy();
  state.bestEvaluation = state.currentEvaluation;
  state.gainProposals = state.proposals;
  state.gainSeconds = -1; // now, see `run`
  monitor.found(state.bestEvaluation);
}

void McmcChain::accept(const Draw &draw) {
  state.currentEvaluation = draw.evaluation;
  ++state.accepted;
  considerBest();
  if (state.accepted - state.acceptedAtWeights >= acceptedBetweenWeights)
    updateWeights();
}

/// How many proposals are drawn at a time: prices differ a lot, so that threads
/// wait for each other at the end of a few. What is drawn after one that is
/// accepted is drawn in vain, but hardly ever evaluated.
size_t McmcChain::drawsAhead() const {
  size_t threads = evaluators.size();
  if (threads == 1)
    return 1;
  auto untilAccepted =
      static_cast<size_t>(state.proposals / (state.accepted + 1));
  return std::clamp(untilAccepted, 4 * threads, 64 * threads);
}

void McmcChain::run(int64_t until) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  double before = state.seconds;
  RandomGenerator random(0);
  auto updateTime = [&] {
    state.seconds =
        before + std::chrono::duration<double>(Clock::now() - begin).count();
    if (state.gainSeconds < 0)
      state.gainSeconds = state.seconds;
  };
  while (!state.isOver && state.proposals < until && !monitor.isOver()) {
    updateTime();
    int64_t left = until - state.proposals;
    bool hops = hopProposals > 0;
    if (mostProposals > 0) {
      left = std::min(left, mostProposals - state.proposals);
      int64_t half = (mostProposals + 1) / 2;
      if (!hops)
        left = std::min(left, state.gainProposals + half - state.proposals);
    }
    if (left <= 0 ||
        (mostSeconds > 0 &&
         (state.seconds >= mostSeconds ||
          (!hops && state.seconds - state.gainSeconds >= mostSeconds / 2)))) {
      state.isOver = true;
      break;
    }
    std::copy(state.random.begin(), state.random.end(), random.words);
    if (hops) {
      // At least one proposal follows, so that a checkpoint is never between.
      if (state.proposals > 0 && state.proposals % hopProposals == 0)
        hop(random);
      left = std::min(left, hopProposals - state.proposals % hopProposals);
    }
    size_t count = std::min(drawsAhead(), static_cast<size_t>(left));
    draws.clear();
    for (size_t i = 0; i < count; ++i)
      draws.push_back(draw(random, i));
    decide(count);
  }
  updateTime();
  state.current = evaluators[0]->getStrategy();
}

EvaluatorStatistics McmcChain::statistics() const {
  EvaluatorStatistics sum;
  for (const std::unique_ptr<StrategyEvaluator> &evaluator : evaluators)
    sum += evaluator->getStatistics();
  return sum;
}
