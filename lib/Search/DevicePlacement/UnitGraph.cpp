//===- UnitGraph.cpp - A placement problem, contracted --------------------===//
//
// Units and nets from which nodes share a device.
//
//===----------------------------------------------------------------------===//

#include "UnitGraph.h"
#include "Contraction.h"

#include <map>
#include <numeric>

using namespace soap;
using namespace soap::placement;

void Unit::add(const Unit &other) {
  acceleratorForward += other.acceleratorForward;
  acceleratorBackward += other.acceleratorBackward;
  cpuForward += other.cpuForward;
  cpuBackward += other.cpuBackward;
  memoryBytes += other.memoryBytes;
  trainedBytes += other.trainedBytes;
  acceleratable &= other.acceleratable;
}

UnitGraph::UnitGraph(const Problem &problem, const Objective &objective,
                     bool ordered) {
  std::vector<std::pair<int, int>> order;
  if (ordered)
    order = orderingEdges(problem);
  number(problem, contractNodes(problem, ordered), order);
  std::vector<std::pair<int, int>> back;
  std::vector<std::pair<int, int>> forth;
  for (const auto &[from, to] : order)
    if (unitOf[from] != unitOf[to]) {
      forth.emplace_back(unitOf[from], unitOf[to]);
      back.emplace_back(unitOf[to], unitOf[from]);
    }
  collectUnits(problem);
  successors = Rows(size(), std::move(forth));
  predecessors = Rows(size(), std::move(back));
  collectNets(problem, objective.hasHosts());
}

/// Units in an order that `order` allows, close to the one of the nodes.
void UnitGraph::number(const Problem &problem, std::vector<int> rootOf,
                       const std::vector<std::pair<int, int>> &order) {
  std::vector<std::pair<int, int>> pairs;
  for (const auto &[from, to] : order)
    if (rootOf[from] != rootOf[to])
      pairs.emplace_back(rootOf[from], rootOf[to]);
  Rows after(rootOf.size(), std::move(pairs));
  std::vector<int> waiting(rootOf.size());
  for (size_t i = 0; i < rootOf.size(); ++i)
    for (int to : after[i])
      ++waiting[to];
  std::vector<int> numberOf(rootOf.size(), -1);
  std::vector<int> ready;
  int count = 0;
  auto finish = [&](int root) {
    ready.push_back(root);
    while (!ready.empty()) {
      int at = ready.back();
      ready.pop_back();
      numberOf[at] = count++;
      for (int to : after[at])
        if (--waiting[to] == 0)
          ready.push_back(to);
    }
  };
  std::vector<int> starts;
  for (int node : topologicalOrder(problem))
    if (int root = rootOf[node]; waiting[root] == 0 && numberOf[root] == -1) {
      numberOf[root] = -2; // in `starts`
      starts.push_back(root);
    }
  for (int root : starts)
    finish(root);
  unitOf.resize(rootOf.size());
  for (size_t i = 0; i < rootOf.size(); ++i)
    unitOf[i] = numberOf[rootOf[i]];
  units.resize(count);
}

void UnitGraph::collectUnits(const Problem &problem) {
  std::vector<double> trainedBytes = trainedBytesOfNodes(problem);
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    const Node &node = problem.nodes[i];
    Unit unit;
    (node.backward ? unit.acceleratorBackward : unit.acceleratorForward) =
        node.acceleratorTime;
    (node.backward ? unit.cpuBackward : unit.cpuForward) = node.cpuTime;
    unit.memoryBytes = node.memoryBytes;
    unit.trainedBytes = trainedBytes[i];
    unit.acceleratable = node.acceleratable;
    units[unitOf[i]].add(unit);
  }
}

void UnitGraph::collectNets(const Problem &problem, bool keepProducers) {
  std::vector<std::pair<int, int>> pairs; // producer node and unit
  for (const Edge &edge : problem.edges)
    if (problem.transferTime[edge.source] > 0) {
      pairs.emplace_back(edge.source, unitOf[edge.source]);
      pairs.emplace_back(edge.source, unitOf[edge.target]);
    }
  Rows unitsOf(problem.nodes.size(), std::move(pairs));
  // Nets of the same units are one, with the producer as a first key if it
  // matters.
  std::map<std::pair<int, std::vector<int>>, int> known;
  std::vector<std::pair<int, int>> pinPairs, netPairs;
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    std::span<const int> list = unitsOf[i];
    if (list.size() < 2)
      continue;
    int key = keepProducers ? unitOf[i] : -1;
    auto [it, isNew] = known.emplace(
        std::pair(key, std::vector<int>(list.begin(), list.end())),
        static_cast<int>(nets.size()));
    int net = it->second;
    if (isNew) {
      nets.push_back({0, 0, unitOf[i]});
      for (int unit : list) {
        pinPairs.emplace_back(net, unit);
        netPairs.emplace_back(unit, net);
      }
    }
    (problem.nodes[i].backward ? nets[net].backward : nets[net].forward) +=
        problem.transferTime[i];
  }
  pins = Rows(nets.size(), std::move(pinPairs));
  netsOf = Rows(size(), std::move(netPairs));
}

Placement UnitGraph::placement(const std::vector<int> &deviceOfUnit) const {
  Placement result;
  result.deviceOf.reserve(unitOf.size());
  for (int unit : unitOf)
    result.deviceOf.push_back(deviceOfUnit[unit]);
  return result;
}

std::vector<int> UnitGraph::devicesOfUnits(const Placement &placement) const {
  std::vector<int> result(size());
  for (size_t i = 0; i < unitOf.size(); ++i)
    result[unitOf[i]] = placement.deviceOf[i];
  return result;
}
