//===- Metropolis.cpp - One Markov chain ----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The random number that decides is drawn before the simulation: the decision
// is a comparison with an integer, and whatever proves a makespan above it may
// stop early.
//
//===----------------------------------------------------------------------===//

#include "Metropolis.h"

#include "CriticalGroups.h"

#include <algorithm>
#include <atomic>
#include <cassert>
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
      : chain(chain), members(static_cast<size_t>(threads)) {
    for (size_t t = 0; t < members.size(); ++t) {
      StrategyEvaluator &evaluator = *chain.evaluators[t];
      evaluator.onWithinLimit = [this, t] { publish(members[t].current); };
      // Draws after an accepted one are drawn again.
      evaluator.setShouldStop([this, t] {
        size_t draw = members[t].current;
        return likely < draw || accepted < draw;
      });
    }
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
    for (Member &member : members)
      member.planned = member.priced = none;
    next = 0;
    accepted = n;
    isTaken = false;
    start(n);
    return accepted;
  }
  /// All evaluators take over the draw that `firstAccepted` returned.
  void takeOver() {
    for (size_t t = 0; t < members.size(); ++t)
      if (members[t].priced == accepted)
        owner = t;
    copies = members.size() - 1;
    isTaken = true;
    start(accepted);
  }

private:
  static constexpr size_t none = static_cast<size_t>(-1);
  /// A thread: numbers of draws.
  struct Member {
    size_t current = none; ///< that it looks at
    size_t priced = none;  ///< that it has accepted, and holds as a proposal
    size_t planned = none; ///< that it has planned in advance, as a proposal
  };

  McmcChain &chain;
  std::vector<std::thread> helpers;
  std::vector<Member> members;
  std::atomic<int64_t> count = 0; ///< -1: the end
  std::atomic<uint64_t> generation = 0;
  std::atomic<size_t> next = 0, accepted = 0, busy = 0;
  /// The first draw that is fast enough and whose memory is being looked at. A
  /// thread that has nothing better to do plans it in advance, as it will most
  /// likely have to.
  std::atomic<size_t> likely = none;
  bool isTaken = false;
  size_t owner = 0; ///< the thread that has accepted what is taken over
  std::atomic<size_t> copies = 0; ///< that others have still to make of it

  void release() {
    generation.fetch_add(1);
    generation.notify_all();
  }
  void start(size_t n) {
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
  void work(size_t thread) {
    if (isTaken)
      join(thread);
    else
      look(thread);
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
  /// Plans a draw that is likely to be accepted. Whether it was.
  bool follow(size_t thread, size_t draw) {
    StrategyEvaluator &evaluator = *chain.evaluators[thread];
    evaluator.planProposal(chain.draws[draw].proposal);
    while (likely == draw)
      likely.wait(draw);
    if (accepted == draw) {
      members[thread].planned = draw;
      return true;
    }
    evaluator.reject();
    return false;
  }
  /// Evaluates draws up to one that is accepted.
  void look(size_t thread) {
    StrategyEvaluator &evaluator = *chain.evaluators[thread];
    Member &member = members[thread];
    auto n = static_cast<size_t>(count.load());
    size_t left = none; ///< stopped for one that was not accepted
    for (;;) {
      if (size_t draw = likely; draw <= accepted && draw != none) {
        if (follow(thread, draw))
          return;
        continue;
      }
      size_t i = left != none ? left : next.fetch_add(1);
      if (i >= n || i > accepted)
        return;
      member.current = i;
      bool isAccepted = chain.evaluate(evaluator, chain.draws[i]);
      left = evaluator.wasStopped() ? i : none;
      if (isAccepted) {
        // The proposal that this thread would look at next comes later.
        member.priced = i;
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
  /// Makes what was accepted the thread's state, too: planned again, and the
  /// timeline copied from the thread that has simulated it.
  void join(size_t thread) {
    StrategyEvaluator &evaluator = *chain.evaluators[thread];
    const Member &member = members[thread];
    if (thread == owner) {
      for (size_t left; (left = copies.load()) > 0;)
        copies.wait(left);
      evaluator.accept();
      return;
    }
    evaluator.copyProposal(*chain.evaluators[owner]);
    copies.fetch_sub(1);
    copies.notify_all();
    if (member.planned != accepted) {
      if (member.planned != none || member.priced != none)
        evaluator.reject();
      evaluator.planProposal(chain.draws[accepted].proposal);
    }
    evaluator.accept();
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

/// All evaluators at once: planning everything takes a part of a second.
void McmcChain::startAll() {
  std::vector<std::jthread> others;
  for (size_t t = 1; t < evaluators.size(); ++t)
    others.emplace_back([&, t] { evaluators[t]->start(state.current); });
  state.currentEvaluation = evaluators[0]->start(state.current);
}

void McmcChain::begin() {
  startAll();
  state.best = state.current;
  state.bestEvaluation = state.currentEvaluation;
  updateWeights();
  monitor.found(state.bestEvaluation);
}

void McmcChain::resume() {
  assert(state.best.size() == problem.getGraph().nodes.size() &&
         state.current.size() == state.best.size() &&
         "must be of the same problem");
  // Prices are computed anew: the profile may have changed.
  state.bestEvaluation = evaluators[0]->start(state.best);
  startAll();
  monitor.found(state.bestEvaluation);
}

void McmcChain::updateWeights() {
  state.acceptedAtWeights = state.accepted;
  if (options.kind == ProposalKind::Mixed)
    state.weights = criticalGroupNs(problem, *evaluators[0]);
}

/// How much of the budget, or of the way to the next restart, is spent after
/// `ahead` more proposals, 0 to 1. With a budget of proposals it does not
/// depend on how many are drawn at a time.
double McmcChain::spentShare(size_t ahead) const {
  assert((restartProposals > 0 || maxProposals > 0 || maxSeconds > 0) &&
         "at least one budget must be set");
  if (restartProposals > 0)
    return static_cast<double>(state.proposals % restartProposals +
                               static_cast<int64_t>(ahead)) /
           static_cast<double>(restartProposals);
  double spent = 0;
  if (maxProposals > 0)
    spent =
        (static_cast<double>(state.proposals) + static_cast<double>(ahead)) /
        static_cast<double>(maxProposals);
  if (maxSeconds > 0)
    spent = std::max(spent, state.seconds / maxSeconds);
  return std::min(spent, 1.0);
}

/// The temperature of the proposal after `ahead` more.
double McmcChain::cooledNs(size_t ahead) const {
  return options.cooling == 1
             ? temperatureNs
             : temperatureNs * std::pow(options.cooling, spentShare(ahead));
}

/// A basin-hopping restart: some groups of the best strategy get random
/// configs.
void McmcChain::restartNearBest(RandomGenerator &random) {
  constexpr int64_t maxGroups = 6;
  auto groups = static_cast<int64_t>(problem.getGroups().size());
  state.current = state.best;
  for (int64_t left = 1 + random.below(std::min(maxGroups, groups)); left > 0;
       --left) {
    auto group = static_cast<int>(random.below(groups));
    // The same as a proposal of the paper, of mates together as often.
    for (const GroupChange &change :
         sampler.drawUniform(random, group, options.mates))
      problem.assign(state.current, problem.getGroups()[change.group],
                     change.config);
  }
  startAll();
  considerBest();
}

McmcChain::Draw McmcChain::draw(RandomGenerator &random, size_t ahead) const {
  Draw result;
  result.proposal =
      sampler.draw(random, evaluators[0]->getStrategy(), state.weights,
                   options.mates * (1 - spentShare(ahead)));
  auto slackNs = static_cast<int64_t>(
      std::min(-std::log(random.unit()) * cooledNs(ahead), 1e15));
  assert(slackNs >= 0 && "a proposal that is faster is accepted");
  result.thresholdNs = state.currentEvaluation.makespanNs + slackNs;
  std::copy(random.words, random.words + 4, result.after.begin());
  return result;
}

/// Whether a draw is accepted. The evaluator may hold it as a proposal.
bool McmcChain::evaluate(StrategyEvaluator &evaluator, Draw &draw) const {
  const Evaluation &now = state.currentEvaluation;
  // Drops changes to the config that a group has already; every thread drops
  // the same.
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
  assert(count > 0 && count == draws.size() && "at least one draw");
  size_t accepted = 0;
  if (team) {
    accepted = team->firstAccepted(count);
    if (accepted < count)
      team->takeOver();
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
  assert((state.currentEvaluation.excessBytes > 0 ||
          draw.evaluation.excessBytes == 0) &&
         "memory is a hard limit");
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
  return std::clamp(2 * untilAccepted, 4 * threads, 128 * threads);
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
    bool restarts = restartProposals > 0;
    if (maxProposals > 0) {
      left = std::min(left, maxProposals - state.proposals);
      int64_t half = (maxProposals + 1) / 2;
      if (!restarts)
        left = std::min(left, state.gainProposals + half - state.proposals);
    }
    if (left <= 0 ||
        (maxSeconds > 0 && (state.seconds >= maxSeconds ||
                            (!restarts && state.seconds - state.gainSeconds >=
                                              maxSeconds / 2)))) {
      state.isOver = true;
      break;
    }
    std::copy(state.random.begin(), state.random.end(), random.words);
    if (restarts) {
      // At least one proposal follows, so that a checkpoint is never between.
      if (state.proposals > 0 && state.proposals % restartProposals == 0)
        restartNearBest(random);
      left =
          std::min(left, restartProposals - state.proposals % restartProposals);
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
