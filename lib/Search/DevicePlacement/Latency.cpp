//===- Latency.cpp - Latencies of splits ----------------------------------===//
//
// Rules and the bound that needs no solver.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/DevicePlacement/Latency.h"
#include "Rows.h"

#include <algorithm>

using namespace soap;
using namespace soap::placement;

int placement::mostSubgraphsOf(const Problem &problem,
                               const LatencyObjective &objective) {
  return objective.subgraphs * (problem.isTraining() ? 2 : 1);
}

Expected<LatencyEvaluation>
placement::verifyLatency(const Problem &problem,
                         const LatencyObjective &objective,
                         const LatencyPlacement &placement) {
  // The rules of nodes and memory are those of any split. A class on CPUs is on
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
  int most = mostSubgraphsOf(problem, objective);
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

double placement::latencyBound(const Problem &problem) {
  std::vector<int> order = topologicalOrder(problem);
  std::vector<std::pair<int, int>> pairs;
  for (const Edge &edge : problem.edges)
    pairs.emplace_back(edge.source, edge.target);
  Rows successors(problem.nodes.size(), pairs);
  std::vector<double> start(problem.nodes.size());
  double bound = 0;
  for (int i : order) {
    const Node &node = problem.nodes[i];
    double time = problem.cpus > 0 ? node.cpuTime : node.acceleratorTime;
    if (node.acceleratable && problem.accelerators > 0)
      time = std::min(time, node.acceleratorTime);
    double finish = start[i] + time;
    bound = std::max(bound, finish);
    for (int to : successors[i])
      start[to] = std::max(start[to], finish);
  }
  return bound;
}
