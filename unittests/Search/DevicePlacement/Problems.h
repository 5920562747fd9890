//===- Problems.h - Placement problems for tests ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small problems by hand and at random, and the search through all placements
// that solvers are compared with.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_SEARCH_DEVICEPLACEMENT_PROBLEMS_H
#define SOAP_UNITTESTS_SEARCH_DEVICEPLACEMENT_PROBLEMS_H

#include "Soap/Search/DevicePlacement/Solution.h"

#include <limits>
#include <random>

namespace soap::test {

/// A path of `times.size()` nodes with ids from 10 on; CPUs take 10 times as
/// long. A transfer takes 1.
inline placement::Problem makePath(const std::vector<double> &times,
                                   int accelerators, int cpus) {
  placement::Problem problem;
  problem.accelerators = accelerators;
  problem.cpus = cpus;
  problem.acceleratorMemoryBytes = 100;
  for (size_t i = 0; i < times.size(); ++i) {
    placement::Node node;
    node.id = static_cast<int64_t>(10 + i);
    node.acceleratorTime = times[i];
    node.cpuTime = 10 * times[i];
    node.memoryBytes = 10;
    problem.nodes.push_back(node);
    if (i > 0)
      problem.edges.push_back({static_cast<int>(i) - 1, static_cast<int>(i)});
  }
  problem.transferTime.assign(times.size(), 1);
  return problem;
}

/// A problem of a few nodes that passes `check`: forward nodes, in half of the
/// cases a backward pass that mirrors some of them, color classes, nodes that
/// only CPUs compute, memory that may not suffice.
inline placement::Problem makeRandom(uint64_t seed, int maxForward = 6) {
  std::mt19937_64 random(seed);
  auto upTo = [&](int most) { return static_cast<int>(random() % (most + 1)); };
  placement::Problem problem;
  problem.accelerators = 1 + upTo(2);
  problem.cpus = upTo(1);
  int forward = 2 + upTo(maxForward - 2);
  bool training = random() % 2;
  auto addNode = [&](bool backward) {
    placement::Node node;
    node.id = static_cast<int64_t>(100 + 7 * problem.nodes.size());
    node.backward = backward;
    node.acceleratorTime = upTo(3) == 0 ? 0 : 1 + upTo(9);
    node.cpuTime = node.acceleratorTime * (1 + upTo(5));
    node.memoryBytes = upTo(4);
    node.acceleratable = problem.cpus == 0 || upTo(9) > 0;
    problem.nodes.push_back(node);
    problem.transferTime.push_back(upTo(3) == 0 ? 0 : 0.5 * upTo(6));
  };
  for (int i = 0; i < forward; ++i) {
    addNode(false);
    for (int j = 0; j < i; ++j)
      if (upTo(2) == 0)
        problem.edges.push_back({j, i});
    if (upTo(3) == 0)
      problem.nodes.back().colorClass = upTo(2);
  }
  if (training) {
    // Node f + i is the gradient of node f - 1 - i, but some are missing, and
    // some have no class: they are backward only.
    problem.nodes[forward - 1].colorClass = 50;
    std::vector<int> gradientOf(forward, -1);
    for (int i = forward - 1; i >= 0; --i) {
      if (i < forward - 1 && upTo(4) == 0)
        continue;
      addNode(true);
      int gradient = static_cast<int>(problem.nodes.size()) - 1;
      gradientOf[i] = gradient;
      if (i == forward - 1 || upTo(4) > 0) {
        if (!problem.nodes[i].colorClass)
          problem.nodes[i].colorClass = 50 + i;
        problem.nodes[gradient].colorClass = problem.nodes[i].colorClass;
      }
      if (upTo(2) == 0)
        problem.edges.push_back({i, gradient});
    }
    std::vector<placement::Edge> edges = problem.edges;
    for (const placement::Edge &edge : edges)
      if (edge.target < forward && gradientOf[edge.source] >= 0 &&
          gradientOf[edge.target] >= 0)
        problem.edges.push_back(
            {gradientOf[edge.target], gradientOf[edge.source]});
  }
  double memory = 0;
  for (const placement::Node &node : problem.nodes)
    memory += node.memoryBytes;
  problem.acceleratorMemoryBytes =
      upTo(1) ? memory : static_cast<int>(memory * (1 + upTo(2)) / 4) + 1;
  return problem;
}

/// The least value of all placements, infinite if none obeys the rules.
/// Identical devices are not told apart by their numbers unless there are
/// hosts.
class BruteForce {
public:
  BruteForce(const placement::Problem &problem,
             const placement::Objective &objective)
      : problem(problem), objective(objective),
        placement{std::vector<int>(problem.nodes.size()), {}} {
    place(0, 0, 0);
  }

  double best = std::numeric_limits<double>::infinity();

private:
  const placement::Problem &problem;
  const placement::Objective &objective;
  placement::Placement placement;

  void place(size_t node, int usedAccelerators, int usedCpus) {
    if (node == problem.nodes.size())
      return objective.replication
                 ? replicate(0, usedAccelerators, problem.accelerators)
                 : judge();
    // The same device as a node of its class before it.
    for (size_t i = 0; i < node; ++i)
      if (problem.nodes[i].colorClass && problem.nodes[node].colorClass &&
          *problem.nodes[i].colorClass == *problem.nodes[node].colorClass) {
        placement.deviceOf[node] = placement.deviceOf[i];
        return place(node + 1, usedAccelerators, usedCpus);
      }
    int accelerators = objective.hasHosts() ? problem.accelerators
                                            : std::min(usedAccelerators + 1,
                                                       problem.accelerators);
    for (int device = 0; device < accelerators; ++device) {
      placement.deviceOf[node] = device;
      place(node + 1, std::max(usedAccelerators, device + 1), usedCpus);
    }
    for (int cpu = 0; cpu < std::min(usedCpus + 1, problem.cpus); ++cpu) {
      placement.deviceOf[node] = problem.accelerators + cpu;
      place(node + 1, usedAccelerators, std::max(usedCpus, cpu + 1));
    }
  }

  void replicate(int device, int used, int left) {
    if (device == 0)
      placement.replicas.assign(problem.deviceCount(), 1);
    if (device == used)
      return judge();
    for (int count = 1; count <= left - (used - device - 1); ++count) {
      placement.replicas[device] = count;
      replicate(device + 1, used, left - count);
    }
    placement.replicas[device] = 1;
  }

  void judge() {
    if (auto evaluation = verify(problem, objective, placement))
      best = std::min(best, evaluation->maxLoad());
  }
};

} // namespace soap::test

#endif // SOAP_UNITTESTS_SEARCH_DEVICEPLACEMENT_PROBLEMS_H
