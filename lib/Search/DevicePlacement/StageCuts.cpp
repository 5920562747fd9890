//===- StageCuts.cpp - Ranges of ops as pipeline stages -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic programming over the places where a stage may begin.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/DevicePlacement/StageCuts.h"

#include "Soap/Pipeline/Pipeline.h"
#include "Soap/Plan/PassOrder.h"

#include <algorithm>
#include <limits>

using namespace soap;

namespace {

class Cutter {
public:
  Cutter(const ParallelizationProblem &problem,
         const std::vector<int> &forwardOf, int64_t microbatches, int devices)
      : problem(problem), graph(problem.getGraph()), forwardOf(forwardOf),
        cost(problem.getTopology()), devices(devices),
        bytes(microbatchBytes(graph, problem.getRoles(), microbatches)) {
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      addWork(n, microbatches);
    findPlaces();
  }

  Expected<StageCuts> run(int stages) {
    size_t places = begins.size();
    if (places < static_cast<size_t>(stages))
      return Error{"expected at least " + std::to_string(stages) +
                   " ops with which a stage can begin, the model has " +
                   std::to_string(places)};
    // best[s][p]: least greatest load of s + 1 stages, the last of which begins
    // at place p, without that last one.
    constexpr double none = std::numeric_limits<double>::infinity();
    std::vector<std::vector<double>> best(static_cast<size_t>(stages),
                                          std::vector<double>(places, none));
    std::vector<std::vector<size_t>> from(static_cast<size_t>(stages),
                                          std::vector<size_t>(places, 0));
    best[0][0] = 0;
    for (size_t s = 1; s < static_cast<size_t>(stages); ++s)
      for (size_t p = s; p < places; ++p)
        for (size_t before = s - 1; before < p; ++before)
          if (double load =
                  std::max(best[s - 1][before], loadOf(before, begins[p]));
              load < best[s][p]) {
            best[s][p] = load;
            from[s][p] = before;
          }
    size_t last = 0;
    double least = none;
    for (size_t p = 0; p < places; ++p)
      if (double load = std::max(best.back()[p], loadOf(p, work.size()));
          load < least) {
        least = load;
        last = p;
      }
    StageCuts cuts;
    for (size_t s = static_cast<size_t>(stages); s-- > 0;) {
      cuts.firsts.insert(cuts.firsts.begin(), static_cast<int>(begins[last]));
      last = from[s][last];
    }
    place(cuts);
    return cuts;
  }

private:
  const ParallelizationProblem &problem;
  const Graph &graph;
  const std::vector<int> &forwardOf;
  CostModel cost;
  int devices;
  std::vector<int64_t> bytes;
  std::vector<double> work;       ///< by node: ns, with its gradients
  std::vector<size_t> begins;     ///< nodes with which a stage may begin
  std::vector<double> boundaryNs; ///< by place

  bool hasSamples(size_t node) const {
    const std::vector<Role> &roles = problem.getRoles()[node];
    return std::find(roles.begin(), roles.end(), Role::Sample) != roles.end();
  }

  void addWork(size_t node, int64_t microbatches) {
    work.push_back(0);
    const Kernel &kernel = graph.nodes[node].whole;
    if (kernel.phase == Phase::Update || !hasSamples(node))
      return;
    int owner = forwardOf[node];
    work[owner < 0 ? node : static_cast<size_t>(owner)] +=
        static_cast<double>(microbatchNs(
            graph, kernel, problem.getRoles()[node], microbatches, cost, 0)) /
        devices;
  }

  /// Forward ops that read samples or what other ops have made of them, and
  /// what crosses the boundary in front of each, there and back.
  void findPlaces() {
    std::vector<size_t> producer(graph.values.size(), graph.nodes.size());
    std::vector<size_t> lastReader(graph.values.size(), 0);
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const Kernel &kernel = graph.nodes[n].whole;
      for (int value : kernel.results)
        producer[static_cast<size_t>(value)] = n;
      if (kernel.phase == Phase::Forward)
        for (int value : kernel.operands)
          lastReader[static_cast<size_t>(value)] = n;
    }
    // By node: bytes of forward values made before it and read from it on.
    std::vector<double> crossing(graph.nodes.size() + 1);
    for (size_t v = 0; v < graph.values.size(); ++v)
      if (size_t first = producer[v];
          first < graph.nodes.size() && lastReader[v] > first &&
          graph.nodes[first].whole.phase == Phase::Forward &&
          hasSamples(first)) {
        crossing[first + 1] += static_cast<double>(bytes[v]);
        crossing[lastReader[v] + 1] -= static_cast<double>(bytes[v]);
      }
    double now = 0;
    int other = std::min(devices, problem.getTopology().deviceCount() - 1);
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      now += crossing[n];
      if (graph.nodes[n].whole.phase != Phase::Forward || !hasSamples(n))
        continue;
      begins.push_back(n);
      boundaryNs.push_back(
          begins.size() == 1 || other == 0
              ? 0
              : 2 * static_cast<double>(problem.getTopology().transferNs(
                        0, other, static_cast<int64_t>(now) / devices)));
    }
  }

  /// Of the stage from a place to a node.
  double loadOf(size_t place, size_t end) {
    if (sums.empty()) {
      sums.push_back(0);
      for (double ns : work)
        sums.push_back(sums.back() + ns);
    }
    return sums[end] - sums[begins[place]] + boundaryNs[place];
  }
  std::vector<double> sums; ///< of work

  /// Constants and other ops without samples are where what reads them is.
  void place(StageCuts &cuts) const {
    cuts.stages = stagesOfNodes(graph, forwardOf, cuts.firsts);
    cuts.shares.assign(cuts.firsts.size(), 0);
    double all = 0;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      cuts.stages[n] = std::max(cuts.stages[n], 0);
      cuts.shares[static_cast<size_t>(cuts.stages[n])] += work[n];
      all += work[n];
    }
    for (double &share : cuts.shares)
      share /= std::max(all, 1.0);
    if (cuts.firsts.empty())
      return;
    std::vector<int> reader(graph.values.size(), -1);
    for (size_t n = graph.nodes.size(); n-- > 0;) {
      const Kernel &kernel = graph.nodes[n].whole;
      if (kernel.phase == Phase::Forward && !hasSamples(n))
        for (int value : kernel.results)
          if (int stage = reader[static_cast<size_t>(value)]; stage >= 0)
            cuts.stages[n] = stage;
      if (kernel.phase == Phase::Forward)
        for (int value : kernel.operands)
          reader[static_cast<size_t>(value)] = cuts.stages[n];
    }
  }
};

} // namespace

Expected<StageCuts> soap::cutIntoStages(const ParallelizationProblem &problem,
                                        const std::vector<int> &forwardOf,
                                        int stages, int64_t microbatches,
                                        int devices) {
  return Cutter(problem, forwardOf, microbatches, devices).run(stages);
}
