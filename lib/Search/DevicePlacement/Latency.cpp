//===- Latency.cpp - Latencies of splits ----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules and the bound that needs no solver.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/DevicePlacement/Latency.h"
#include "Rows.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

using namespace soap;
using namespace soap::placement;

int placement::maxSubgraphsOf(const Problem &problem,
                              const LatencyObjective &objective) {
  return objective.subgraphs * (problem.isTraining() ? 2 : 1);
}

Expected<LatencyEvaluation>
placement::verifyLatency(const Problem &problem,
                         const LatencyObjective &objective,
                         const LatencyPlacement &placement) {
  // Nodes and memory obey the same rules as in any split. A class on CPUs is on
  // one device if it is on the CPUs.
  Placement split{placement.deviceOf, {}};
  for (int &device : split.deviceOf)
    if (device >= problem.accelerators && device < problem.deviceCount())
      device = problem.accelerators;
  Objective anySplit;
  anySplit.contiguous = false;
  if (Expected<Evaluation> legal = verify(problem, anySplit, split); !legal)
    return legal.takeError();
  if (!placement.subgraphOf.empty() &&
      placement.subgraphOf.size() != problem.nodes.size())
    return Error{"expected a subgraph for each of " +
                 std::to_string(problem.nodes.size()) + " nodes, got " +
                 std::to_string(placement.subgraphOf.size())};
  int most = maxSubgraphsOf(problem, objective);
  for (size_t i = 0; i < placement.subgraphOf.size(); ++i) {
    int number = placement.subgraphOf[i];
    if (problem.isAccelerator(placement.deviceOf[i]) &&
        (number < 0 || number >= most))
      return Error{"node " + std::to_string(problem.nodes[i].id) +
                   ": expected it in one of " + std::to_string(most) +
                   " subgraphs of its accelerator, got number " +
                   std::to_string(number)};
  }
  return evaluateLatency(problem, placement);
}

/// The least time of a node.
static double leastTime(const Problem &problem, const Node &node) {
  double time = problem.cpus > 0 ? node.cpuTime : node.acceleratorTime;
  if (node.acceleratable && problem.accelerators > 0)
    time = std::min(time, node.acceleratorTime);
  return time;
}

/// The nodes of a longest path, and its length. Nodes count with what they take
/// at least and a share of their transfer.
static std::pair<std::vector<int>, double> longestPath(const Problem &problem,
                                                       double share) {
  std::vector<std::pair<int, int>> pairs;
  for (const Edge &edge : problem.edges)
    pairs.emplace_back(edge.source, edge.target);
  Rows successors(problem.nodes.size(), pairs);
  std::vector<double> start(problem.nodes.size());
  std::vector<int> before(problem.nodes.size(), -1);
  double length = 0;
  int last = -1;
  for (int i : topologicalOrder(problem)) {
    double finish = start[i] + leastTime(problem, problem.nodes[i]) +
                    share * problem.transferTime[i];
    if (last < 0 || finish > length) {
      length = finish;
      last = i;
    }
    for (int to : successors[i])
      if (before[to] < 0 || finish > start[to]) {
        start[to] = finish;
        before[to] = i;
      }
  }
  std::vector<int> path;
  for (int i = last; i >= 0; i = before[i])
    path.push_back(i);
  std::reverse(path.begin(), path.end());
  return {std::move(path), length};
}

/// A subgraph waits for all that it reads, so a path that left it does not come
/// back: of a path, each subgraph has a run of nodes without a gap. A run takes
/// its nodes' times, the transfers at its ends, and the memory of the classes
/// of its nodes, which are all on its accelerator. The least sum over all ways
/// to cut the path into so many runs on accelerators and nodes on CPUs.
static double boundOfPath(const Problem &problem, const std::vector<int> &path,
                          size_t maxRuns) {
  constexpr double unreachable = std::numeric_limits<double>::infinity();
  std::map<int64_t, double> classBytes;
  for (const Node &node : problem.nodes)
    if (node.colorClass)
      classBytes[*node.colorClass] += node.memoryBytes;
  double room = problem.acceleratorMemoryBytes * (1 + 1e-9);
  size_t count = path.size();
  maxRuns = std::min(maxRuns, count);
  // By runs so far and nodes so far.
  std::vector<std::vector<double>> least(
      maxRuns + 1, std::vector<double>(count + 1, unreachable));
  least[0][0] = 0;
  std::set<int64_t> classes;
  for (size_t i = 0; i < count; ++i) {
    if (problem.cpus > 0)
      for (size_t runs = 0; runs <= maxRuns; ++runs)
        least[runs][i + 1] =
            std::min(least[runs][i + 1],
                     least[runs][i] + problem.nodes[path[i]].cpuTime);
    classes.clear();
    double bytes = 0, time = i > 0 ? problem.transferTime[path[i - 1]] : 0;
    for (size_t j = i; j < count; ++j) {
      const Node &node = problem.nodes[path[j]];
      if (!node.colorClass)
        bytes += node.memoryBytes;
      else if (classes.insert(*node.colorClass).second)
        bytes += classBytes[*node.colorClass];
      if (!node.acceleratable || bytes > room)
        break;
      time += node.acceleratorTime;
      double all = time + (j + 1 < count ? problem.transferTime[path[j]] : 0);
      for (size_t runs = 0; runs < maxRuns; ++runs)
        least[runs + 1][j + 1] =
            std::min(least[runs + 1][j + 1], least[runs][i] + all);
    }
  }
  double best = unreachable;
  for (const std::vector<double> &row : least)
    best = std::min(best, row[count]);
  return best;
}

double placement::latencyBound(const Problem &problem,
                               const LatencyObjective &objective) {
  constexpr double maxSums = 5e7;
  double runs = static_cast<double>(problem.accelerators) *
                maxSubgraphsOf(problem, objective);
  double best = longestPath(problem, 0).second;
  // Paths are bounds whatever they are chosen by.
  for (double share : {0.0, 0.5, 1.0}) {
    std::vector<int> path = longestPath(problem, share).first;
    auto nodes = static_cast<double>(path.size());
    if (nodes * nodes * std::min(runs, nodes) > maxSums)
      break;
    double bound = boundOfPath(problem, path, static_cast<size_t>(runs));
    // If nothing fits, that is for others to say.
    if (bound < std::numeric_limits<double>::infinity())
      best = std::max(best, bound);
  }
  return best;
}
