//===- Verify.cpp - Placements, judged by their original nodes ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written to be obviously right: one pass over nodes and edges per rule, none
// of the contractions that make the solvers fast.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/DevicePlacement/Solution.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

using namespace soap;
using namespace soap::placement;

namespace {

/// The factor of a transfer's time on a device of `here`, one of the devices of
/// a net whose producer is on `producer`.
double transferFactor(const Problem &problem, const Objective &objective,
                      const std::vector<int> &net, int here, int producer) {
  if (!objective.hasHosts())
    return 1;
  auto sameHost = [&](int device) {
    return problem.isAccelerator(device) &&
           device / objective.acceleratorsPerHost ==
               here / objective.acceleratorsPerHost;
  };
  bool inside = here == producer ? std::all_of(net.begin(), net.end(), sameHost)
                                 : sameHost(producer);
  return inside ? objective.insideHostFactor : 1;
}

Error ruleError(const Problem &problem, int node, const std::string &rule) {
  return Error{"node " + std::to_string(problem.nodes[node].id) + ": " + rule};
}

MaybeError verifyNodes(const Problem &problem, const Placement &placement) {
  if (placement.deviceOf.size() != problem.nodes.size())
    return Error{"expected a device for each of " +
                 std::to_string(problem.nodes.size()) + " nodes, got " +
                 std::to_string(placement.deviceOf.size())};
  std::unordered_map<int64_t, int> memberOf;
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    int node = static_cast<int>(i), device = placement.deviceOf[i];
    if (device < 0 || device >= problem.deviceCount())
      return ruleError(problem, node,
                       "expected a device from 0 to " +
                           std::to_string(problem.deviceCount() - 1) +
                           ", got " + std::to_string(device));
    if (problem.isAccelerator(device) && !problem.nodes[i].acceleratable)
      return ruleError(problem, node,
                       "expected it on a CPU, as accelerators can not compute "
                       "it");
    if (!problem.nodes[i].colorClass)
      continue;
    int64_t color = *problem.nodes[i].colorClass;
    int other = memberOf.emplace(color, node).first->second;
    if (placement.deviceOf[other] != device)
      return ruleError(problem, node,
                       "expected it on the device of node " +
                           std::to_string(problem.nodes[other].id) +
                           ", which has the same color class " +
                           std::to_string(color));
  }
  return std::nullopt;
}

MaybeError verifyMemory(const Problem &problem, const Placement &placement) {
  std::vector<double> memory(problem.deviceCount());
  for (size_t i = 0; i < problem.nodes.size(); ++i)
    memory[placement.deviceOf[i]] += problem.nodes[i].memoryBytes;
  for (int device = 0; device < problem.accelerators; ++device)
    // Sums of doubles in another order may differ in their last bits.
    if (memory[device] > problem.acceleratorMemoryBytes * (1 + 1e-12))
      return Error{"accelerator " + std::to_string(device) +
                   ": expected nodes of at most " +
                   std::to_string(problem.acceleratorMemoryBytes) +
                   " bytes, got " + std::to_string(memory[device])};
  return std::nullopt;
}

MaybeError verifyReplicas(const Problem &problem, const Objective &objective,
                          const Placement &placement) {
  if (placement.replicas.empty())
    return std::nullopt;
  if (placement.replicas.size() != size_t(problem.deviceCount()))
    return Error{"expected a number of replicas for each of " +
                 std::to_string(problem.deviceCount()) + " devices, got " +
                 std::to_string(placement.replicas.size())};
  std::vector<char> used(problem.deviceCount());
  for (int device : placement.deviceOf)
    used[device] = true;
  int64_t sum = 0;
  for (int device = 0; device < problem.deviceCount(); ++device) {
    int replicas = placement.replicas[device];
    bool mayReplicate =
        objective.replication && problem.isAccelerator(device) && used[device];
    if (replicas < 1 || (replicas > 1 && !mayReplicate))
      return Error{"device " + std::to_string(device) +
                   ": expected one replica, got " + std::to_string(replicas)};
    if (problem.isAccelerator(device) && used[device])
      sum += replicas;
  }
  if (sum > problem.accelerators)
    return Error{"expected at most " + std::to_string(problem.accelerators) +
                 " accelerators, got " + std::to_string(sum) +
                 " with their replicas"};
  return std::nullopt;
}

/// Edges between forward nodes, and the mirrored edges of classes that have
/// backward nodes alone.
std::set<std::pair<int, int>> orderOfDevices(const Problem &problem,
                                             const Placement &placement) {
  std::unordered_set<int64_t> forwardClasses;
  for (const Node &node : problem.nodes)
    if (!node.backward && node.colorClass)
      forwardClasses.insert(*node.colorClass);
  auto backwardOnly = [&](const Node &node) {
    return node.backward &&
           !(node.colorClass && forwardClasses.count(*node.colorClass));
  };
  std::set<std::pair<int, int>> order;
  for (const Edge &edge : problem.edges) {
    const Node &source = problem.nodes[edge.source];
    const Node &target = problem.nodes[edge.target];
    int from = placement.deviceOf[edge.source];
    int to = placement.deviceOf[edge.target];
    if (from == to)
      continue;
    if (!source.backward && !target.backward)
      order.insert({from, to});
    else if (source.backward && (backwardOnly(source) || backwardOnly(target)))
      order.insert({to, from});
  }
  return order;
}

MaybeError verifyContiguity(const Problem &problem,
                            const Placement &placement) {
  std::set<std::pair<int, int>> order = orderOfDevices(problem, placement);
  std::vector<int> waiting(problem.deviceCount());
  for (const auto &[from, to] : order)
    ++waiting[to];
  std::vector<int> ready;
  for (int device = 0; device < problem.deviceCount(); ++device)
    if (waiting[device] == 0)
      ready.push_back(device);
  for (size_t next = 0; next < ready.size(); ++next)
    for (auto it = order.lower_bound({ready[next], 0});
         it != order.end() && it->first == ready[next]; ++it)
      if (--waiting[it->second] == 0)
        ready.push_back(it->second);
  if (ready.size() == size_t(problem.deviceCount()))
    return std::nullopt;
  int stuck = 0;
  while (waiting[stuck] == 0)
    ++stuck;
  return Error{"expected a contiguous split, but edges go in a circle of "
               "devices, among them device " +
               std::to_string(stuck)};
}

} // namespace

std::vector<std::vector<int>>
placement::devicesOfNets(const Problem &problem, const Placement &placement) {
  std::vector<std::vector<int>> devices(problem.nodes.size());
  for (const Edge &edge : problem.edges) {
    int from = placement.deviceOf[edge.source];
    int to = placement.deviceOf[edge.target];
    if (from == to)
      continue;
    devices[edge.source].push_back(from);
    devices[edge.source].push_back(to);
  }
  for (std::vector<int> &list : devices) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return devices;
}

double placement::transferTimeOn(const Problem &problem,
                                 const Objective &objective,
                                 const std::vector<int> &net, int device,
                                 const Placement &placement, int node) {
  return problem.transferTime[node] * transferFactor(problem, objective, net,
                                                     device,
                                                     placement.deviceOf[node]);
}

std::vector<StageCosts> placement::deviceCosts(const Problem &problem,
                                               const Objective &objective,
                                               const Placement &placement) {
  std::vector<StageCosts> costs(problem.deviceCount());
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    const Node &node = problem.nodes[i];
    int device = placement.deviceOf[i];
    double time =
        problem.isAccelerator(device) ? node.acceleratorTime : node.cpuTime;
    (node.backward ? costs[device].backwardCompute
                   : costs[device].forwardCompute) += time;
  }
  std::vector<std::vector<int>> nets = devicesOfNets(problem, placement);
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    if (nets[i].size() < 2)
      continue;
    for (int device : nets[i])
      if (problem.isAccelerator(device))
        (problem.nodes[i].backward ? costs[device].backwardTransfer
                                   : costs[device].forwardTransfer) +=
            transferTimeOn(problem, objective, nets[i], device, placement,
                           static_cast<int>(i));
  }
  return costs;
}

Expected<placement::Evaluation> placement::verify(const Problem &problem,
                                                  const Objective &objective,
                                                  const Placement &placement) {
  assert(!problem.check() && "the problem must have passed `check`");
  if (MaybeError error = verifyNodes(problem, placement))
    return *error;
  if (MaybeError error = verifyMemory(problem, placement))
    return *error;
  if (MaybeError error = verifyReplicas(problem, objective, placement))
    return *error;
  if (objective.contiguous)
    if (MaybeError error = verifyContiguity(problem, placement))
      return *error;
  std::vector<StageCosts> costs = deviceCosts(problem, objective, placement);
  std::vector<double> trainedBytes =
      trainedBytesOfDevices(problem, placement.deviceOf);
  placement::Evaluation result;
  for (int device = 0; device < problem.deviceCount(); ++device) {
    StageLoad load =
        replicatedLoad(costs[device].load(objective), objective,
                       trainedBytes[device], placement.replicasOf(device));
    result.worst.forward = std::max(result.worst.forward, load.forward);
    result.worst.backward = std::max(result.worst.backward, load.backward);
    result.loads.push_back(load);
  }
  return result;
}
