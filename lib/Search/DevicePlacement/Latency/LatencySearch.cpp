//===- LatencySearch.cpp - Heuristics for latencies -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy filling, the split of least maximum load, given splits, and annealing
// with exact latencies.
//
//===----------------------------------------------------------------------===//

#include "LatencySimulation.h"
#include "Search/DevicePlacement/Algorithms/MemoryPacking.h"

#include <cmath>
#include <random>

using namespace soap;
using namespace soap::placement;

namespace {

/// Splits into contiguous subgraphs: each accelerator's units, where they are
/// not contiguous, in the order in which a pipeline would run them.
std::vector<int> subgraphsOf(const Problem &problem,
                             const std::vector<int> &deviceOf) {
  std::vector<int> result(deviceOf.size()), next(problem.deviceCount());
  // CPUs compute node by node: they are no stages that hold others up.
  for (const PipelineStage &stage :
       pipelineStages(problem, Placement{deviceOf, {}})) {
    for (int node : stage.nodes)
      result[node] = next[stage.device];
    ++next[stage.device];
  }
  return result;
}

class LatencySearch {
public:
  LatencySearch(const Problem &problem, const LatencyObjective &objective,
                const Budget &budget)
      : problem(problem), objective(objective), deadline(budget),
        graph(problem, {}, /*ordered=*/true), simulation(problem),
        random(budget.seed), bound(latencyBound(problem, objective)),
        isTraining(problem.isTraining()),
        maxSubgraphs(maxSubgraphsOf(problem, objective)) {}

  LatencyAnswer answer;

  /// Whether what takes as long as the longest evaluation ends in time, and may
  /// find something better.
  bool hasTime() const {
    return !deadline.isOver() && longestOffer <= deadline.left() &&
           !(answer.placement && isOptimal());
  }

  /// Takes a split that is legal and better; true if it was.
  bool offer(const LatencyPlacement &placement) {
    double begin = deadline.elapsed();
    bool isTaken = takeIfBetter(placement);
    longestOffer = std::max(longestOffer, deadline.elapsed() - begin);
    return isTaken;
  }
  bool takeIfBetter(const LatencyPlacement &placement) {
    if (answer.placement && !(simulation.run(placement) < answer.value))
      return false;
    Expected<LatencyEvaluation> evaluation =
        verifyLatency(problem, objective, placement);
    if (!evaluation ||
        (answer.placement && evaluation->latency >= answer.value))
      return false;
    answer.placement = placement;
    answer.value = evaluation->latency;
    return true;
  }
  bool offerUnits(const std::vector<int> &deviceOf) {
    if (*std::ranges::max_element(deviceOf) >= problem.deviceCount())
      return false; // on a CPU, and there is none
    LatencyPlacement placement{graph.placement(deviceOf).deviceOf,
                               std::vector<int>(problem.nodes.size())};
    if (offer(placement))
      return true;
    if (maxSubgraphs == 1)
      return false;
    placement.subgraphOf = subgraphsOf(problem, placement.deviceOf);
    return offer(placement);
  }

  void greedy() {
    if (problem.cpus > 0)
      offerUnits(std::vector<int>(graph.size(), problem.accelerators));
    // The first tries also when the time is over: they are the start of others.
    constexpr size_t quickNodes = 100'000;
    size_t triesAtLeast = std::max<size_t>(quickNodes / graph.size(), 1);
    size_t tries = 0;
    for (int which = 0; which < 3; ++which) {
      std::vector<int> order = linearOrder(graph, which, 0);
      for (int most = problem.accelerators; most > 0; --most) {
        if (answer.placement && tries++ >= triesAtLeast && !hasTime())
          return;
        offerUnits(fill(order, most));
      }
    }
  }

  void maxLoad() {
    Objective load;
    Answer split = solveDp(problem, load, deadline.rest(0.5));
    if (split.placement)
      offer(
          {split.placement->deviceOf, std::vector<int>(problem.nodes.size())});
    if (!answer.placement && split.placement)
      offer({split.placement->deviceOf,
             subgraphsOf(problem, split.placement->deviceOf)});
  }

  /// Rounds from the best split, short ones first. Where an accelerator may
  /// have several subgraphs, rounds look for splits with one, which are legal,
  /// too, and much fewer, as long as these get better or half of the time, and
  /// every other round later.
  void anneal() {
    if (!answer.placement)
      return;
    constexpr double growth = 1.1, maxShare = 0.6;
    constexpr double hotOf[] = {0.05, 0.02, 0.01, 0.1};
    constexpr int maxIdleRounds = 15;
    double length = 200.0 * static_cast<double>(graph.size());
    double end = deadline.elapsed() + maxShare * deadline.left();
    int idle = 0;
    for (int round = 0; hasTime(); ++round) {
      bool isEarly = idle < maxIdleRounds && deadline.elapsed() < end;
      numbers = isEarly || round % 2 ? 1 : objective.subgraphs;
      double before = answer.value;
      if (!annealFromBest(static_cast<int64_t>(length), hotOf[round % 4]))
        return;
      idle = answer.value < before ? 0 : idle + 1;
      length *= growth;
    }
  }

  void finishAnswer() {
    if (!answer.placement)
      maxLoad(); // finds one if there is any
    answer.seconds = deadline.elapsed();
    if (!answer.placement) {
      answer.value = answer.bound = infinite;
      explainInfeasible();
      return;
    }
    answer.bound = std::min(bound, answer.value);
    answer.optimal = isOptimal();
  }

private:
  const Problem &problem;
  const LatencyObjective &objective;
  Deadline deadline;
  UnitGraph graph;
  LatencySimulation simulation;
  std::mt19937_64 random;
  double bound;
  bool isTraining;
  int maxSubgraphs;
  double longestOffer = 0; ///< seconds
  /// Of subgraphs, in one pass: what annealing gives to an accelerator.
  int numbers = 1;

  bool isOptimal() const { return bound >= answer.value * (1 - 1e-9); }

  /// One subgraph an accelerator is a contiguous split: what is known of these.
  void explainInfeasible() {
    Answer split = solveDp(problem, {}, deadline.rest());
    answer.smallestMemoryBytes = split.smallestMemoryBytes;
    answer.smallestMemoryBound = split.smallestMemoryBound;
    // More of them may need less.
    if (maxSubgraphs > 1 && std::isfinite(split.smallestMemoryBytes))
      answer.smallestMemoryBound =
          packMemory(UnitGraph(problem, {}, /*ordered=*/false),
                     problem.accelerators, deadline)
              .bound;
  }

  /// Accelerators one after the other as far as memory goes, the rest on CPUs.
  std::vector<int> fill(const std::vector<int> &order, int most) const {
    std::vector<int> deviceOf(graph.size(), problem.accelerators);
    double memory = 0;
    int device = 0;
    for (int unit : order) {
      const Unit &here = graph.units[unit];
      if (!here.acceleratable || device == most)
        continue;
      if (memory + here.memoryBytes > problem.acceleratorMemoryBytes) {
        ++device;
        memory = 0;
      }
      if (device == most || here.memoryBytes > problem.acceleratorMemoryBytes)
        continue;
      memory += here.memoryBytes;
      deviceOf[unit] = device;
    }
    return deviceOf;
  }

  /// A *slot* is a subgraph of an accelerator, or the CPUs: by accelerator,
  /// then by the number of the subgraph. In training the gradients of a slot's
  /// nodes are a subgraph of their own, the last slot's first.
  int deviceOfSlot(int slot) const {
    return std::min(slot / objective.subgraphs, problem.accelerators);
  }
  int cpuSlot() const { return problem.accelerators * objective.subgraphs; }

  LatencyPlacement placementOf(const std::vector<int> &slotOf) const {
    LatencyPlacement result;
    int last = maxSubgraphs - 1;
    for (size_t i = 0; i < problem.nodes.size(); ++i) {
      int slot = slotOf[graph.unitOf[i]];
      result.deviceOf.push_back(deviceOfSlot(slot));
      if (last == 0)
        continue;
      int number = slot == cpuSlot() ? 0 : slot % objective.subgraphs;
      bool mirrors = problem.nodes[i].backward && slot != cpuSlot();
      result.subgraphOf.push_back(mirrors ? last - number : number);
    }
    return result;
  }

  /// The slots of a split, without numbers if it is not made of slots.
  std::vector<int> slotsOf(const LatencyPlacement &placement,
                           bool withNumbers) const {
    std::vector<int> slotOf(graph.size());
    for (size_t i = 0; i < problem.nodes.size(); ++i) {
      int device = std::min(placement.deviceOf[i], problem.accelerators);
      int number = 0;
      if (withNumbers && device < problem.accelerators &&
          !placement.subgraphOf.empty()) {
        number = placement.subgraphOf[i];
        if (problem.nodes[i].backward)
          number = maxSubgraphs - 1 - number;
      }
      slotOf[graph.unitOf[i]] = device * objective.subgraphs +
                                (number < objective.subgraphs ? number : 0);
    }
    return slotOf;
  }

  /// The latency of slots, and the split that has it: in training a pipeline's
  /// subgraphs may have nodes of both passes.
  double evaluate(const std::vector<int> &slotOf, LatencyPlacement &placement,
                  double limit = infinite) {
    placement = placementOf(slotOf);
    double latency = simulation.run(placement, limit);
    if (!isTraining)
      return latency;
    LatencyPlacement other{placement.deviceOf,
                           subgraphsOf(problem, placement.deviceOf)};
    for (size_t i = 0; i < other.deviceOf.size(); ++i)
      if (problem.isAccelerator(other.deviceOf[i]) &&
          other.subgraphOf[i] >= maxSubgraphs)
        return latency;
    double otherLatency = simulation.run(other, std::min(limit, latency));
    if (otherLatency < latency) {
      placement = std::move(other);
      latency = otherLatency;
    }
    return latency;
  }

  bool fits(const std::vector<int> &slotOf) const {
    std::vector<double> memory(problem.deviceCount() + 1);
    for (size_t unit = 0; unit < graph.size(); ++unit)
      memory[deviceOfSlot(slotOf[unit])] += graph.units[unit].memoryBytes;
    return std::all_of(
        memory.begin(), memory.begin() + problem.accelerators,
        [&](double bytes) { return bytes <= problem.acceleratorMemoryBytes; });
  }

  double unitInterval() {
    return static_cast<double>(random() >> 11) * 0x1p-53;
  }

  /// A piece of connected units of one slot, and where to move it.
  std::vector<int> choosePiece(const std::vector<int> &slotOf) {
    std::vector<int> piece = {static_cast<int>(random() % graph.size())};
    size_t size = static_cast<size_t>(
        std::exp(unitInterval() * std::log(graph.size() / 2.0 + 1)));
    std::vector<char> seen(graph.size());
    seen[piece[0]] = true;
    for (size_t i = 0; i < piece.size() && piece.size() < size; ++i)
      for (const Rows *rows : {&graph.successors, &graph.predecessors})
        for (int other : (*rows)[piece[i]])
          if (!seen[other] && slotOf[other] == slotOf[piece[0]] &&
              piece.size() < size && random() % 4 != 0) {
            seen[other] = true;
            piece.push_back(other);
          }
    return piece;
  }

  int chooseTarget(const std::vector<int> &slotOf,
                   const std::vector<int> &piece) {
    if (random() % 2) {
      int unit = piece[random() % piece.size()];
      const Rows &rows = random() % 2 ? graph.successors : graph.predecessors;
      if (!rows[unit].empty())
        return slotOf[rows[unit][random() % rows[unit].size()]];
    }
    int devices = problem.accelerators + (problem.cpus > 0);
    int device = static_cast<int>(random() % devices);
    int number = numbers > 1 && device < problem.accelerators
                     ? static_cast<int>(random() % numbers)
                     : 0;
    return device * objective.subgraphs + number;
  }

  /// From the best split, or from the CPUs if it is not made of slots; false if
  /// there is no start.
  bool annealFromBest(int64_t proposals, double hot) {
    LatencyPlacement placement;
    double start = deadline.elapsed(), energy = infinite;
    std::vector<int> slotOf;
    for (int attempt = 0; attempt < 3 && !std::isfinite(energy); ++attempt) {
      if (attempt == 2 && problem.cpus == 0)
        return false;
      slotOf = attempt < 2 ? slotsOf(*answer.placement, attempt == 0)
                           : std::vector<int>(graph.size(), cpuSlot());
      energy = evaluate(slotOf, placement);
    }
    if (!std::isfinite(energy))
      return false;
    double scale = answer.value, temperature = hot * scale;
    // Cools by proposals, or by the clock if there is no time for all of them.
    double seconds = std::max(deadline.left(), 1e-6);
    for (int64_t i = 0; i < proposals && hasTime(); ++i) {
      double share =
          std::max(static_cast<double>(i) / static_cast<double>(proposals),
                   (deadline.elapsed() - start) / seconds);
      temperature = scale * hot * std::pow(1e-3, share);
      std::vector<int> piece = choosePiece(slotOf);
      int target = chooseTarget(slotOf, piece);
      int from = slotOf[piece[0]];
      bool legal = target != from;
      for (int unit : piece)
        legal &= graph.units[unit].acceleratable || target == cpuSlot();
      if (!legal)
        continue;
      for (int unit : piece)
        slotOf[unit] = target;
      // Drawn before, so that the simulation of what is refused can stop early.
      double limit = energy - temperature * std::log(1 - unitInterval());
      double next =
          fits(slotOf) ? evaluate(slotOf, placement, limit) : infinite;
      if (next <= limit) {
        energy = next;
        if (energy < answer.value)
          offer(placement);
        continue;
      }
      for (int unit : piece)
        slotOf[unit] = from;
    }
    return true;
  }
};

} // namespace

LatencyAnswer placement::solveLatencyGreedy(const Problem &problem,
                                            const LatencyObjective &objective,
                                            const Budget &budget) {
  LatencySearch search(problem, objective, budget);
  search.greedy();
  search.finishAnswer();
  return search.answer;
}

LatencyAnswer placement::solveLatencyMaxLoad(const Problem &problem,
                                             const LatencyObjective &objective,
                                             const Budget &budget) {
  LatencySearch search(problem, objective, budget);
  search.maxLoad();
  search.finishAnswer();
  return search.answer;
}

LatencyAnswer placement::searchLatencyLocally(const Problem &problem,
                                              const LatencyObjective &objective,
                                              const Budget &budget) {
  LatencySearch search(problem, objective, budget);
  search.greedy();
  if (!search.answer.placement || search.hasTime())
    search.maxLoad();
  search.anneal();
  search.finishAnswer();
  return search.answer;
}

Expected<LatencyAnswer>
placement::evaluateLatencyExpert(const Problem &problem,
                                 const LatencyObjective &objective,
                                 const LatencyPlacement &given) {
  LatencyPlacement split = given;
  Expected<LatencyEvaluation> evaluation =
      verifyLatency(problem, objective, split);
  if (!evaluation) {
    // A split that says nothing of subgraphs, as those for the throughput do.
    bool isSilent =
        split.deviceOf.size() == problem.nodes.size() &&
        std::ranges::all_of(split.deviceOf,
                            [&](int device) {
                              return device >= 0 &&
                                     device < problem.deviceCount();
                            }) &&
        std::ranges::all_of(split.subgraphOf, [](int i) { return i == 0; });
    if (!isSilent)
      return evaluation.takeError();
    split.subgraphOf = subgraphsOf(problem, split.deviceOf);
    if (!verifyLatency(problem, objective, split))
      return evaluation.takeError();
  }
  Budget budget;
  LatencySearch search(problem, objective, budget);
  search.offer(split);
  search.finishAnswer();
  return search.answer;
}
