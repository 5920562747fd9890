//===- UnitGraph.cpp - A placement problem, contracted --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Units and nets from which nodes share a device.
//
//===----------------------------------------------------------------------===//

#include "UnitGraph.h"
#include "Contraction.h"

#include <bit>
#include <cassert>

using namespace soap;
using namespace soap::placement;

namespace {

/// Nets by their units, and by their producer's unit where it matters: a hash
/// table of nodes that produce them.
class NetTable {
public:
  NetTable(const Rows &unitsOf, const std::vector<int> &unitOf,
           bool keepProducers)
      : unitsOf(unitsOf), unitOf(unitOf), keepProducers(keepProducers),
        slots(std::bit_ceil(2 * unitOf.size() + 1), Slot{-1, -1}) {}

  /// The net of the node's units; nets are numbered as they come.
  int findOrAdd(int node) {
    for (size_t at = hash(node);; ++at) {
      Slot &slot = slots[at & (slots.size() - 1)];
      if (slot.net < 0)
        slot = {node, count++};
      else if (!isSame(slot.node, node))
        continue;
      return slot.net;
    }
  }

private:
  struct Slot {
    int node, net;
  };
  const Rows &unitsOf;
  const std::vector<int> &unitOf;
  bool keepProducers;
  std::vector<Slot> slots;
  int count = 0;

  bool isSame(int one, int other) const {
    return (!keepProducers || unitOf[one] == unitOf[other]) &&
           std::ranges::equal(unitsOf[one], unitsOf[other]);
  }
  size_t hash(int node) const {
    size_t value = keepProducers ? unitOf[node] : 0;
    for (int unit : unitsOf[node]) {
      value = (value ^ static_cast<size_t>(unit)) * 0x9e3779b97f4a7c15;
      value ^= value >> 32;
    }
    return value;
  }
};

} // namespace

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
  successors = Rows(size(), forth);
  predecessors = Rows(size(), back);
  collectNets(problem, objective.hasHosts());
}

/// Units in an order that `order` allows, close to the one of the nodes.
void UnitGraph::number(const Problem &problem, std::vector<int> rootOf,
                       const std::vector<std::pair<int, int>> &order) {
  std::vector<std::pair<int, int>> pairs;
  for (const auto &[from, to] : order)
    if (rootOf[from] != rootOf[to])
      pairs.emplace_back(rootOf[from], rootOf[to]);
  Rows after(rootOf.size(), pairs);
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
  assert(std::ranges::count_if(unitOf, [](int unit) { return unit < 0; }) ==
             0 &&
         "every node is in a unit");
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
  Rows unitsOf(problem.nodes.size(), pairs);
  NetTable known(unitsOf, unitOf, keepProducers);
  std::vector<std::pair<int, int>> pinPairs, netPairs;
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    std::span<const int> list = unitsOf[i];
    if (list.size() < 2)
      continue;
    int net = known.findOrAdd(static_cast<int>(i));
    if (net == static_cast<int>(nets.size())) {
      nets.push_back({0, 0, unitOf[i]});
      for (int unit : list) {
        pinPairs.emplace_back(net, unit);
        netPairs.emplace_back(unit, net);
      }
    }
    (problem.nodes[i].backward ? nets[net].backward : nets[net].forward) +=
        problem.transferTime[i];
  }
  pins = Rows(nets.size(), pinPairs);
  netsOf = Rows(size(), netPairs);
}

Placement UnitGraph::placement(const std::vector<int> &deviceOfUnit) const {
  assert(deviceOfUnit.size() == size() && "a device a unit");
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
