//===- LocalSearch.cpp - Simulated annealing of splits --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves of single units rarely improve the maximum load: cutting a unit off its
// neighbours costs transfers that only a larger piece makes up for. So pieces
// move: connected ones, and ones that grow by what gains most, of which the
// best prefix is kept. Memory is a penalty, as splits that are balanced in it
// are islands. Small instances are enumerated instead.
//
//===----------------------------------------------------------------------===//

#include "LoadState.h"
#include "MemoryPacking.h"
#include "SmallSplits.h"

#include <cmath>
#include <mutex>
#include <random>
#include <thread>

using namespace soap;
using namespace soap::placement;

namespace {

using Random = std::mt19937_64;

int below(Random &random, size_t count) {
  return static_cast<int>(random() % count);
}
double unitInterval(Random &random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

class Annealer {
public:
  /// Called with the best that fits: at the end of an annealing, and before,
  /// but not so often that it takes much of the time.
  using Report = std::function<void(const std::vector<int> &, double)>;

  Annealer(LoadState state, uint64_t seed, const Deadline &deadline,
           Report report)
      : state(std::move(state)), random(seed), deadline(deadline),
        report(std::move(report)), marked(this->state.units().size()) {}

  /// Cools from `hot` to `cold`, which are shares of the value, over so many
  /// proposals, unless the time is over: a count, so that what is found does
  /// not depend on how busy the machine is.
  void anneal(int64_t proposals, double hot, double cold) {
    walk(proposals, hot, cold);
    if (isAtBest)
      saved = state.deviceOfUnits();
    isAtBest = false;
    reportSaved();
  }

private:
  LoadState state;
  Random random;
  const Deadline &deadline;
  Report report;
  double best = infinite, temperature = 0;
  std::vector<char> marked; ///< units of the piece
  std::vector<int> piece, frontier;
  /// The state is the best one; otherwise that is in `saved`, until it is
  /// reported.
  bool isAtBest = false;
  std::vector<int> saved;
  double lastReport = -infinite, reportSeconds = 0;
  size_t spent = 0;
  bool over = false;

  void walk(int64_t proposals, double hot, double cold) {
    double energy = state.energy();
    double scale = energy;
    for (int64_t i = 0; i < proposals; ++i) {
      if (spend(1))
        return;
      if (i % 64 == 0) {
        temperature = scale * hot *
                      std::pow(cold / hot, static_cast<double>(i) / proposals);
      }
      if (i % 65536 == 65535) {
        state.refresh();
        energy = state.energy();
      }
      energy = propose(energy);
    }
  }

  /// Looks at the clock after so many units; true if the time is over.
  bool spend(size_t units) {
    constexpr size_t often = 4096;
    spent += units;
    if (spent >= often) {
      spent = 0;
      over |= deadline.isOver();
    }
    return over;
  }

  bool accepts(double change) {
    return change <= 0 ||
           unitInterval(random) < std::exp(-change / temperature);
  }

  double propose(double energy) {
    auto [unit, target] = chooseMove();
    if (target == state.deviceOf(unit))
      return energy;
    int kind = below(random, 8);
    if (kind < 4)
      return finishMove(energy, {unit}, target);
    if (kind < 7)
      return finishMove(energy, blob(unit), target);
    return chain(energy, unit, target);
  }

  /// Mostly a unit with a net to another device, to that device; half of these
  /// at the busiest device. Else any unit to any device.
  std::pair<int, int> chooseMove() {
    const UnitGraph &graph = state.units();
    if (!graph.nets.empty() && random() % 8 != 0) {
      int busiest = random() % 2 ? state.busiest() : -1;
      for (int i = 0; i < 24; ++i) {
        std::span<const int> pins =
            graph.pins[below(random, graph.nets.size())];
        int one = pins[below(random, pins.size())];
        int other = pins[below(random, pins.size())];
        int from = state.deviceOf(one), to = state.deviceOf(other);
        if (from != to && (busiest < 0 || from == busiest || to == busiest))
          return {one, to};
      }
    }
    return {below(random, graph.size()), below(random, state.deviceCount())};
  }

  /// Appends the neighbours of a unit on its device to the frontier.
  void addNeighbours(int unit) {
    constexpr size_t maxPins = 64; // of a net that is followed
    for (int net : state.units().netsOf[unit]) {
      if (state.units().pins[net].size() > maxPins)
        continue;
      for (int other : state.units().pins[net])
        if (!marked[other] && state.deviceOf(other) == state.deviceOf(unit)) {
          marked[other] = true;
          frontier.push_back(other);
        }
    }
  }

  void unmark() {
    for (int unit : frontier)
      marked[unit] = false;
    frontier.clear();
  }

  /// A connected piece of the unit's device, of a size that is as likely 2 as
  /// the whole.
  std::vector<int> blob(int unit) {
    double most = std::log(state.units().size() / 2.0 + 2);
    size_t size = static_cast<size_t>(std::exp(unitInterval(random) * most));
    std::vector<int> result;
    frontier = {unit};
    marked[unit] = true;
    for (size_t next = 0; next < frontier.size() && result.size() < size;
         ++next) {
      std::swap(frontier[next],
                frontier[next + below(random, std::min<size_t>(
                                                  frontier.size() - next, 3))]);
      result.push_back(frontier[next]);
      addNeighbours(frontier[next]);
    }
    unmark();
    return result;
  }

  double finishMove(double energy, const std::vector<int> &units, int target) {
    int from = state.deviceOf(units[0]);
    for (int unit : units)
      if (!state.isAllowed(unit, target))
        return energy;
    for (int unit : units)
      state.move(unit, target);
    spend(units.size());
    double next = state.energy();
    if (accepts(next - energy)) {
      noteMove(units, units.size(), from);
      return next;
    }
    for (size_t i = units.size(); i-- > 0;)
      state.move(units[i], from);
    return energy;
  }

  /// How much more of a unit's nets is on the target than on its device.
  double attraction(int unit, int target) const {
    double result = 0;
    int from = state.deviceOf(unit);
    for (int net : state.units().netsOf[unit]) {
      double cost = state.units().nets[net].total();
      if (state.pinsOn(net, target) > 0)
        result += cost;
      if (state.pinsOn(net, from) > 1)
        result -= cost;
    }
    return result;
  }

  /// Grows a piece by what is attracted most and moves it unit by unit; keeps
  /// the prefix of least energy.
  double chain(double energy, int unit, int target) {
    int from = state.deviceOf(unit);
    size_t most = 2 + static_cast<size_t>(
                          std::exp(unitInterval(random) *
                                   std::log(state.units().size() / 3.0 + 2)));
    std::vector<int> moved;
    double least = infinite;
    size_t bestLength = 0;
    frontier = {unit};
    marked[unit] = true;
    std::vector<int> open = {unit};
    while (moved.size() < most && !open.empty() && !spend(open.size())) {
      size_t pick = 0;
      double strongest = -infinite;
      for (size_t i = 0; i < open.size(); ++i)
        if (double force =
                attraction(open[i], target) * (1 + 0.1 * unitInterval(random));
            force > strongest) {
          strongest = force;
          pick = i;
        }
      int next = open[pick];
      open[pick] = open.back();
      open.pop_back();
      if (!state.isAllowed(next, target))
        continue;
      size_t known = frontier.size();
      addNeighbours(next);
      open.insert(open.end(), frontier.begin() + known, frontier.end());
      state.move(next, target);
      moved.push_back(next);
      if (double now = state.energy(); now < least) {
        least = now;
        bestLength = moved.size();
      }
      if (state.load(target).total() > 1.5 * energy)
        break;
    }
    unmark();
    if (moved.empty() || !accepts(least - energy)) {
      bestLength = 0;
      least = energy;
    }
    for (size_t i = moved.size(); i-- > bestLength;)
      state.move(moved[i], from);
    if (bestLength > 0)
      noteMove(moved, bestLength, from);
    return least;
  }

  /// After the first `count` units came from a device. A copy of the best state
  /// is made only when it is left.
  void noteMove(const std::vector<int> &units, size_t count, int from) {
    double value = state.value();
    if (value < best * (1 - 1e-12) && state.fitsMemory()) {
      best = value;
      isAtBest = true;
      return;
    }
    if (!isAtBest)
      return;
    isAtBest = false;
    saved = state.deviceOfUnits();
    for (size_t i = 0; i < count; ++i)
      saved[units[i]] = from;
    constexpr double share = 20; // of what a report takes, between two
    if (deadline.elapsed() >= lastReport + share * reportSeconds)
      reportSaved();
  }

  void reportSaved() {
    if (saved.empty())
      return;
    double begin = deadline.elapsed();
    report(saved, best);
    saved.clear();
    lastReport = deadline.elapsed();
    reportSeconds = lastReport - begin;
  }
};

/// The best of all threads.
class SharedBest {
public:
  SharedBest(Answer &answer, const Problem &problem, const Objective &objective,
             const UnitGraph &graph)
      : answer(answer), problem(problem), objective(objective), graph(graph) {}

  void offer(const std::vector<int> &deviceOf, double value) {
    std::lock_guard lock(mutex);
    if (!answer.placement || value < answer.value)
      improve(answer, problem, objective, graph.placement(deviceOf));
  }
  std::vector<int> units() {
    std::lock_guard lock(mutex);
    return answer.placement ? graph.devicesOfUnits(*answer.placement)
                            : std::vector<int>();
  }
  double value() {
    std::lock_guard lock(mutex);
    return answer.placement ? answer.value : infinite;
  }

private:
  std::mutex mutex;
  Answer &answer;
  const Problem &problem;
  const Objective &objective;
  const UnitGraph &graph;
};

std::vector<int> randomStart(const Problem &problem, const UnitGraph &graph,
                             Random &random) {
  std::vector<int> result(graph.size());
  for (size_t i = 0; i < graph.size(); ++i)
    result[i] = graph.units[i].acceleratable && problem.accelerators > 0
                    ? below(random, problem.accelerators)
                    : problem.accelerators;
  return result;
}

} // namespace

Answer placement::searchLocally(const Problem &problem, const Objective &given,
                                const Budget &budget) {
  Deadline deadline(budget);
  Objective objective = given;
  objective.contiguous = true;
  Answer answer = solveDpl(problem, objective, deadline.rest(0.1));
  objective = given;
  objective.contiguous = false;
  UnitGraph graph(problem, objective, /*ordered=*/false);
  packAnswer(answer, problem, objective, graph, deadline);
  if (isInfeasible(answer, problem)) {
    finish(answer, infinite, deadline);
    return answer;
  }
  if (trySmallSplits(answer, problem, objective, graph, deadline)) {
    finish(answer, answer.placement ? answer.value : infinite, deadline);
    return answer;
  }
  double bound = lowerBound(problem, objective, graph, deadline.rest(0.2));
  // A table of nets and devices.
  constexpr size_t maxCounts = size_t(1) << 29;
  bool isTooLarge = graph.nets.size() * problem.deviceCount() > maxCounts;
  if (!isTooLarge && !deadline.isOver() && problem.deviceCount() > 1) {
    SharedBest best(answer, problem, objective, graph);
    std::vector<int> contiguous = best.units();
    // Short rounds first: seeds matter more than patience on small problems.
    constexpr double growth = 1.25;
    constexpr double hotOf[] = {0.005, 0.02, 0.1};
    auto work = [&](int thread) {
      Random random(budget.seed * 7919 + thread);
      double units = static_cast<double>(graph.size());
      double length = 100.0 * units;
      // A unit of a large graph is a small part of a load.
      double cold = std::min(1e-4, 1 / units);
      bool isLarge = graph.size() > 100'000;
      for (int round = 0; !deadline.isOver(); ++round) {
        if (best.value() <= bound * (1 + 1e-9))
          return;
        // From what is best, from the contiguous split, and from nothing.
        int kind = (round + thread) % 3;
        std::vector<int> start = kind == 1 ? contiguous : best.units();
        if (start.empty() || kind == 2)
          start = randomStart(problem, graph, random);
        Annealer annealer(
            LoadState(problem, objective, graph, std::move(start)), random(),
            deadline, [&](const std::vector<int> &devices, double value) {
              best.offer(devices, value);
            });
        // A large one may have no time to cool.
        double hot = isLarge && round == 0 ? 10 * cold : hotOf[kind];
        annealer.anneal(static_cast<int64_t>(length), hot, cold);
        length *= growth;
      }
    };
    std::vector<std::thread> others;
    for (int thread = 1; thread < budget.threads; ++thread)
      others.emplace_back(work, thread);
    work(0);
    for (std::thread &thread : others)
      thread.join();
  }
  finish(answer, bound, deadline);
  return answer;
}
