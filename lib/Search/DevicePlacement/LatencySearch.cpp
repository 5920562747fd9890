//===- LatencySearch.cpp - Heuristics for latencies -----------------------===//
//
// Greedy filling, the split of least maximum load, given splits, and annealing
// with exact latencies.
//
//===----------------------------------------------------------------------===//

#include "LatencySimulation.h"
#include "MemoryPacking.h"

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
        random(budget.seed), bound(latencyBound(problem, objective)) {}

  LatencyAnswer answer;

  /// Whether what takes as long as the longest evaluation ends in time.
  bool hasTime() const {
    return !deadline.isOver() && longestOffer <= deadline.left();
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
    if (mostSubgraphsOf(problem, objective) == 1)
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

  void anneal() {
    if (!answer.placement)
      return;
    for (int round = 0; hasTime(); ++round) {
      double seconds = std::max(deadline.left() / 3, 1.0);
      annealFrom(graph.devicesOfUnits({answer.placement->deviceOf, {}}),
                 std::min(seconds, deadline.left()), round % 2 ? 0.02 : 0.1);
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
    answer.optimal = answer.bound >= answer.value * (1 - 1e-9);
  }

private:
  const Problem &problem;
  const LatencyObjective &objective;
  Deadline deadline;
  UnitGraph graph;
  LatencySimulation simulation;
  std::mt19937_64 random;
  double bound;
  double longestOffer = 0; ///< seconds

  /// One subgraph an accelerator is a contiguous split: what is known of these.
  void explainInfeasible() {
    Answer split = solveDp(problem, {}, deadline.rest());
    answer.smallestMemoryBytes = split.smallestMemoryBytes;
    answer.smallestMemoryBound = split.smallestMemoryBound;
    // More of them may need less.
    if (mostSubgraphsOf(problem, objective) > 1 &&
        std::isfinite(split.smallestMemoryBytes))
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

  double evaluate(const std::vector<int> &deviceOf) {
    LatencyPlacement placement{graph.placement(deviceOf).deviceOf, {}};
    if (mostSubgraphsOf(problem, objective) > 1)
      placement.subgraphOf = subgraphsOf(problem, placement.deviceOf);
    return simulation.run(placement);
  }

  bool fits(const std::vector<int> &deviceOf) const {
    std::vector<double> memory(problem.deviceCount());
    for (size_t unit = 0; unit < graph.size(); ++unit)
      memory[deviceOf[unit]] += graph.units[unit].memoryBytes;
    return std::all_of(
        memory.begin(), memory.begin() + problem.accelerators,
        [&](double bytes) { return bytes <= problem.acceleratorMemoryBytes; });
  }

  double unitInterval() {
    return static_cast<double>(random() >> 11) * 0x1p-53;
  }

  /// A piece of connected units of one device, and where to move it.
  std::vector<int> choosePiece(const std::vector<int> &deviceOf) {
    std::vector<int> piece = {static_cast<int>(random() % graph.size())};
    size_t size = static_cast<size_t>(
        std::exp(unitInterval() * std::log(graph.size() / 2.0 + 1)));
    std::vector<char> seen(graph.size());
    seen[piece[0]] = true;
    for (size_t i = 0; i < piece.size() && piece.size() < size; ++i)
      for (const Rows *rows : {&graph.successors, &graph.predecessors})
        for (int other : (*rows)[piece[i]])
          if (!seen[other] && deviceOf[other] == deviceOf[piece[0]] &&
              piece.size() < size && random() % 4 != 0) {
            seen[other] = true;
            piece.push_back(other);
          }
    return piece;
  }

  int chooseTarget(const std::vector<int> &deviceOf,
                   const std::vector<int> &piece) {
    int devices = problem.accelerators + (problem.cpus > 0);
    if (random() % 2) {
      int unit = piece[random() % piece.size()];
      const Rows &rows = random() % 2 ? graph.successors : graph.predecessors;
      if (!rows[unit].empty())
        return deviceOf[rows[unit][random() % rows[unit].size()]];
    }
    return static_cast<int>(random() % devices);
  }

  void annealFrom(std::vector<int> deviceOf, double seconds, double hot) {
    double start = deadline.elapsed(), energy = evaluate(deviceOf);
    if (!std::isfinite(energy))
      return;
    double scale = answer.value, temperature = hot * scale;
    for (;;) {
      double share = (deadline.elapsed() - start) / std::max(seconds, 1e-6);
      if (share >= 1 || !hasTime())
        return;
      temperature = scale * hot * std::pow(1e-3, share);
      std::vector<int> piece = choosePiece(deviceOf);
      int target = chooseTarget(deviceOf, piece);
      int from = deviceOf[piece[0]];
      bool legal = target != from;
      for (int unit : piece)
        legal &=
            graph.units[unit].acceleratable || !problem.isAccelerator(target);
      if (!legal)
        continue;
      for (int unit : piece)
        deviceOf[unit] = target;
      double next = fits(deviceOf) ? evaluate(deviceOf) : infinite;
      if (next <= energy ||
          unitInterval() < std::exp((energy - next) / temperature)) {
        energy = next;
        if (energy < answer.value)
          offerUnits(deviceOf);
        continue;
      }
      for (int unit : piece)
        deviceOf[unit] = from;
    }
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
