//===- Solver.cpp - Rounds of bounds, searches and proofs -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Solver.h.
//
//===----------------------------------------------------------------------===//

#include "Solver.h"

#include "IntegerBounds.h"

#include <cassert>
#include <cmath>
#include <thread>
#include <utility>

using namespace soap;
using namespace soap::costgraph;

/// Sums that a task computes in a round: some hundredths of a second.
static constexpr double roundWork = 5e7;
/// The ascent is at its end after so many steps without gain.
static constexpr int maxIdleSteps = 120;
/// Steps of the ascent before others search, unless it finds a solution.
static constexpr int firstSteps = 300;
/// States that a kernel may have if branch and bound is to prove anything.
static constexpr int64_t maxProvenStates = 20000;
/// Costs of a graph whose reduction takes no time worth mentioning: it comes
/// first however little time there is.
static constexpr int64_t quickCosts = 1'000'000;

Solver::Solver(const CostGraph &graph, const CostGraphOptions &options)
    : graph(graph), options(options), begin(std::chrono::steady_clock::now()),
      lastProgress(begin), diveRandom(options.seed) {}

double Solver::secondsLeft() const {
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - begin;
  return options.seconds - spent.count();
}

bool Solver::isLimitOver() const {
  return secondsLeft() <= 0 ||
         (options.stop && options.stop->load(std::memory_order_relaxed));
}

bool Solver::isOver() const {
  bool hasAnswer = first || bestCost < infinite;
  return isLimitOver() && (hasAnswer || extraRounds >= options.extraRounds);
}

bool Solver::isProven() const { return bound >= cutoff(); }

void Solver::offer(int64_t cost, const std::vector<int> &states) {
  if (cost >= bestCost)
    return;
  assert(cost >= 0 && states.size() == kernel.nodes.size() && "a state a node");
  bestCost = cost;
  bestChoice = reducer->lift(states);
}

/// One more than the sum of the largest costs.
static int64_t ceilingOf(const Kernel &kernel) {
  auto largest = [](const std::vector<int64_t> &costs) {
    int64_t most = 0;
    for (int64_t cost : costs)
      if (cost < infinite)
        most = std::max(most, cost);
    return most;
  };
  int64_t sum = kernel.constant + 1;
  for (const KernelNode &node : kernel.nodes)
    sum = addCosts(sum, largest(node.costs));
  for (const KernelEdge &edge : kernel.edges)
    sum = addCosts(sum, largest(edge.costs));
  return sum;
}

/// Everything that refers to the kernel, anew.
void Solver::prepare() {
  ascent.reset();
  proof.reset();
  dive.reset();
  chains.clear();
  kernel = reducer->kernel();
  if (kernel.nodes.empty()) {
    offer(kernel.constant, {});
    bound = bestCost;
    return;
  }
  if (options.algorithm == CostGraphAlgorithm::Elimination) {
    proof = std::make_unique<BranchAndBound>(kernel);
    return;
  }
  if (options.algorithm == CostGraphAlgorithm::Auto && proveAtOnce())
    return;
  ascent = std::make_unique<PriceAscent>(kernel);
  survivors = Survivors(kernel);
  offerDecoded();
  steps = idleSteps = 0;
  idleBound = ascent->bound();
  filteredGap = 0;
  for (int i = 0; i < std::max(options.threads, 1); ++i) {
    Chain &chain = chains.emplace_back();
    chain.search = std::make_unique<BlockSearch>(
        kernel, options.seed * 1000003 + static_cast<uint64_t>(i));
    chain.startsFromPrices = i == 0;
  }
}

/// Offers what the first messages lead to, so that there is an answer at any
/// time.
void Solver::offerDecoded() {
  MemoryProfile profile(kernel);
  profile.assign(ascent->states());
  if (profile.fits())
    offer(kernel.costOf(ascent->states()), ascent->states());
}

/// Little branch and bound, which is all that small kernels need, however
/// little time there is.
bool Solver::proveAtOnce() {
  constexpr double work = 1e7;
  double states = 0;
  for (const KernelNode &node : kernel.nodes)
    states += node.stateCount();
  if (states > 2000)
    return false;
  BranchAndBound search(kernel);
  search.run(
      work, cutoff(),
      [&](int64_t cost, const std::vector<int> &states) {
        offer(cost, states);
      },
      [] { return false; });
  result.branches += search.nodes();
  if (search.isDone())
    bound = cutoff();
  return search.isDone();
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

void Solver::runAscent() {
  for (double work = 0; work < roundWork && !isOver();) {
    ascent->step();
    ++steps;
    work += ascent->workOfStep();
    const std::vector<int> &states = ascent->states();
    int64_t cost = kernel.costOf(states);
    bool isBetter = cost < std::min(found.cost, cutoff());
    if (isBetter) {
      MemoryProfile profile(kernel);
      profile.assign(states);
      isBetter = profile.fits();
    }
    if (isBetter)
      found = {cost, states};
    double gap = std::max(static_cast<double>(cutoff()) - idleBound, 0.0);
    double gain = std::min(0.01 * gap, 1e-3 * std::abs(idleBound));
    bool gained =
        ascent->bound() > idleBound + gain || (isBetter && bestCost < infinite);
    idleSteps = gained ? 0 : idleSteps + 1;
    if (gained)
      idleBound = ascent->bound();
    if (ascent->bound() > static_cast<double>(cutoff()))
      return;
    if (bestCost < infinite && steps > 50 && steps % 8 == 0)
      ascent->exclude(cutoff(), survivors);
  }
}

void Solver::runProof(BranchAndBound &search) {
  search.run(
      roundWork, cutoff(),
      [&](int64_t cost, std::vector<int> states) {
        if (cost < found.cost)
          found = {cost, std::move(states)};
      },
      [&] { return isOver(); });
}

/// Keeps the states whose bounds are closest to the best of their nodes, some
/// of them at random, and the states of the best solution.
void Solver::startDive() {
  std::vector<std::vector<double>> bounds = ascent->boundsOfStates();
  std::vector<double> all;
  for (std::vector<double> &node : bounds) {
    double least = *std::min_element(node.begin(), node.end());
    for (double &value : node) {
      value = (value - least) * std::exp2(2 * diveRandom.unit() - 1);
      if (value > 0)
        all.push_back(value);
    }
  }
  if (all.empty())
    return;
  auto place =
      all.begin() +
      static_cast<int64_t>(diveShare * static_cast<double>(all.size() - 1));
  std::nth_element(all.begin(), place, all.end());
  std::vector<std::vector<char>> keep;
  for (const std::vector<double> &node : bounds) {
    std::vector<char> &states = keep.emplace_back();
    for (double value : node)
      states.push_back(value <= *place);
  }
  if (bestCost < infinite)
    if (auto states = reducer->statesOf(bestChoice))
      for (size_t n = 0; n < keep.size(); ++n)
        keep[n][(*states)[n]] = 1;
  dive = std::make_unique<BranchAndBound>(kernel, keep);
}

/// A dive that is done was too easy; one that takes long is too hard.
void Solver::planDive() {
  constexpr double maxWork = 40 * roundWork;
  if (dive && !dive->isDone() && dive->work() < maxWork)
    return;
  if (dive)
    diveShare = std::clamp(diveShare * (dive->isDone() ? 1.3 : 0.7), 1e-3, 1.0);
  dive.reset();
  startDive();
}

void Solver::planGuide() {
  guide.states = ascent->states();
  guide.prices = ascent->prices();
  guide.best.reset();
  if (bestCost < infinite)
    guide.best = reducer->statesOf(bestChoice);
  // Only better solutions are sure to have none of the pairs that went.
  if (guide.best && kernel.costOf(*guide.best) >= infinite)
    guide.best.reset();
  auto level = static_cast<double>(bound);
  guide.gap =
      bestCost == infinite
          ? 1e-2 * level
          : std::max(static_cast<double>(cutoff() - bound), 1e-6 * level);
}

/// A slice of the chain's episode, which begins from what the prices lead to or
/// from the best solution.
void Solver::runSlice(Chain &chain) {
  auto stop = [&] { return isOver(); };
  if (chain.slice == chain.slices) {
    bool fromBest =
        guide.best && (chain.episode % 2 == 1) == chain.startsFromPrices;
    chain.search->setPrices(guide.prices);
    chain.search->start(fromBest ? *guide.best : guide.states, stop);
    chain.slices = std::min(4 + 2 * chain.episode, 40);
    chain.slice = 0;
    ++chain.episode;
  }
  double progress = static_cast<double>(chain.slice) / chain.slices;
  ++chain.slice;
  chain.search->run(roundWork, guide.gap / 30 * std::pow(1e-3, progress), stop);
  if (chain.search->bestCost() < chain.found.cost)
    chain.found = {chain.search->bestCost(), chain.search->bestStates()};
}

/// One slice, and more as long as the first task takes: what that takes for its
/// work depends on caches. Where rounds are counted, the clock is not to
/// matter.
void Solver::runChain(Chain &chain) {
  chain.found = Found();
  do
    runSlice(chain);
  while (options.rounds == 0 && !isFirstDone && !isOver());
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

static void runTasks(const std::vector<std::function<void()>> &tasks,
                     int threads) {
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i; (i = next++) < tasks.size();)
      tasks[i]();
  };
  std::vector<std::thread> others;
  size_t most = std::min<size_t>(std::max(threads, 1), tasks.size());
  for (size_t i = 1; i < most; ++i)
    others.emplace_back(work);
  work();
  for (std::thread &thread : others)
    thread.join();
}

void Solver::round() {
  std::function<void()> firstTask;
  bool isIdle = idleSteps >= maxIdleSteps;
  if (ascent && isIdle)
    planDive();
  // Where both are possible, proofs and dives take turns.
  if (proof && (!dive || result.rounds % 2))
    firstTask = [this] { runProof(*proof); };
  else if (dive)
    firstTask = [this] { runProof(*dive); };
  else if (!isIdle)
    firstTask = [this] { runAscent(); };
  std::vector<std::function<void()>> tasks;
  if (firstTask)
    tasks.push_back([this, &firstTask] {
      firstTask();
      isFirstDone = true;
    });
  isFirstDone = !firstTask;
  // A thread for each; with one, both take turns, and searches from states of
  // early prices, which would only mend what later prices don't break, wait.
  size_t count = chains.size();
  if (firstTask && count > 1)
    --count;
  else if (bestCost == infinite && !isIdle && !proof && steps < firstSteps)
    count = 0;
  if (count > 0)
    planGuide();
  for (size_t i = 0; i < count; ++i)
    tasks.push_back([this, i] { runChain(chains[i]); });
  runTasks(tasks, options.threads);
  mergeRound();
}

void Solver::mergeRound() {
  ++result.rounds;
  if (isLimitOver())
    ++extraRounds;
  if (found.cost < bestCost)
    offer(found.cost, found.states);
  found = Found();
  for (Chain &chain : chains)
    offer(chain.found.cost, std::exchange(chain.found, {}).states);
  if (ascent)
    bound = std::max(bound, integerBound(ascent->bound()));
  if (proof) {
    result.branches = branchesBefore + proof->nodes();
    bound = std::max(bound, std::min(proof->bound(), cutoff()));
  }
  if (isProven() || !ascent || proof)
    return;
  auto gap = static_cast<double>(cutoff() - bound);
  bool isIdle = idleSteps >= maxIdleSteps;
  bool isWorthIt =
      isIdle || filteredGap == 0 ? gap != filteredGap : gap < 0.5 * filteredGap;
  if (bestCost < infinite && steps > 100 && isWorthIt && reduceAgain())
    return;
  branchesBefore = result.branches;
  if (isIdle && options.algorithm == CostGraphAlgorithm::Auto) {
    int64_t states = 0;
    for (const KernelNode &node : kernel.nodes)
      states += node.stateCount();
    if (states <= maxProvenStates)
      proof = std::make_unique<BranchAndBound>(kernel, bound);
  }
}

/// Drops states that no better solution has; whether enough to begin anew.
bool Solver::reduceAgain() {
  filteredGap = static_cast<double>(cutoff() - bound);
  ascent->exclude(cutoff(), survivors);
  Survivors all(kernel);
  double states = shareGone(all.states, survivors.states),
         pairs = shareGone(all.pairs, survivors.pairs);
  if (states < 0.2 && pairs < 0.3)
    return false;
  reducer->restrictPairs(kernel, survivors.pairs);
  if (!reducer->restrict(survivors.states) || !reducer->reduce()) {
    bound = cutoff();
    return true;
  }
  prepare();
  return true;
}

void Solver::report() {
  auto now = std::chrono::steady_clock::now();
  if (!options.progress || now - lastProgress < std::chrono::milliseconds(250))
    return;
  lastProgress = now;
  CostGraphProgress progress;
  progress.seconds = options.seconds - secondsLeft();
  progress.rounds = result.rounds;
  progress.kernelNodes = kernel.nodeCount();
  if (bestCost < infinite)
    progress.cost = bestCost;
  if (first && first->cost < bestCost)
    progress.cost = first->cost;
  progress.bound = bound;
  options.progress(progress);
}

/// Whether there is a kernel to go on with.
bool Solver::reduce() {
  std::function<bool()> ends;
  if (costCount(graph) > quickCosts)
    ends = [this] { return isOver(); };
  if (ends && ends())
    return false;
  reducer = std::make_unique<Reducer>(graph, ends);
  bool isFeasible = reducer->reduce();
  if (reducer->wasInterrupted())
    return false;
  if (!isFeasible) {
    result.status = CostGraphResult::Infeasible;
    result.reason = reducer->conflict();
    return false;
  }
  ceiling = ceilingOf(reducer->kernel());
  return !ends || !ends();
}

void Solver::takeInitial() {
  if (options.initial.empty() || graph.checkChoice(options.initial))
    return;
  std::optional<int64_t> cost = graph.costOf(options.initial);
  bool fits =
      !graph.capacity || graph.peakOf(options.initial).bytes <= *graph.capacity;
  if (!cost || !fits)
    return;
  bestCost = *cost;
  bestChoice = options.initial;
}

CostGraphResult Solver::solve() {
  takeInitial();
  first = findFirstSolution(graph, [this] { return isOver(); });
  if (!reduce()) {
    int64_t known = std::min(bestCost, first ? first->cost : infinite);
    if (known < infinite)
      bound = std::min(simpleBound(graph), known);
    return finish();
  }
  prepare();
  result.kernelNodes = kernel.nodeCount();
  result.kernelEdges = static_cast<int>(kernel.edges.size());
  while (!isProven() && !isOver() &&
         (options.rounds == 0 || result.rounds < options.rounds)) {
    round();
    report();
  }
  return finish();
}

CostGraphResult Solver::finish() {
  CostGraphSolution &solution = result.solution;
  solution.seconds = options.seconds - secondsLeft();
  if (first && first->cost < bestCost) {
    bestCost = first->cost;
    bestChoice = first->choice;
  }
  if (bestCost == infinite) {
    if (result.status != CostGraphResult::Infeasible && isProven()) {
      result.status = CostGraphResult::Infeasible;
      result.reason = "no choice of configs is allowed and fits";
    }
    return result;
  }
  solution.choice = bestChoice;
  solution.cost = bestCost;
  solution.optimal = isProven();
  solution.bound = std::min(bound, bestCost);
  result.status = CostGraphResult::Solved;
  if (MaybeError error = graph.verify(solution)) {
    result.status = CostGraphResult::NotFound;
    result.reason = "a solver's answer failed verification: " + error->message;
  }
  return result;
}

CostGraphResult soap::solveCostGraph(const CostGraph &graph,
                                     const CostGraphOptions &options) {
  assert(!graph.check() && "the graph must have passed check");
  return Solver(graph, options).solve();
}
