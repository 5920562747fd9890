//===- Scotch.cpp - Scotch's partition of the graph -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph partitioner knows vertices with weights and edges: it balances
// computation and cuts few transfers, but knows no maximum of both, no memory
// and no CPU.
//
//===----------------------------------------------------------------------===//

#include "MemoryPacking.h"
#include "Search/DevicePlacement/Solvers/ChildProcess.h"

#include <cstring>
#include <numeric>
#include <tuple>

#ifdef SOAP_HAVE_SCOTCH
#include <cstdio>
// After <cstdio>, which it needs and does not include.
#include <scotch.h>
#endif

using namespace soap;
using namespace soap::placement;

#ifdef SOAP_HAVE_SCOTCH

namespace {

/// The graph in Scotch's arrays: weights are integers.
struct ScotchArrays {
  std::vector<SCOTCH_Num> first, weights, targets, costs;

  explicit ScotchArrays(const UnitGraph &graph) {
    double work = 0, transfers = 0;
    for (const Unit &unit : graph.units)
      work += unit.acceleratorTime();
    for (const Net &net : graph.nets)
      transfers += net.total();
    // Times and transfers in one unit, sums well below 2^31.
    double sum = std::max(work, transfers);
    double scale = sum > 0 ? 1e7 / sum : 1;
    // From, to, cost; each from both ends.
    std::vector<std::tuple<int, int, double>> arcs;
    for (size_t net = 0; net < graph.nets.size(); ++net)
      for (int unit : graph.pins[net]) {
        int producer = graph.nets[net].producer;
        if (unit == producer)
          continue;
        arcs.emplace_back(producer, unit, graph.nets[net].total());
        arcs.emplace_back(unit, producer, graph.nets[net].total());
      }
    std::sort(arcs.begin(), arcs.end());
    size_t next = 0;
    for (size_t unit = 0; unit < graph.size(); ++unit) {
      first.push_back(static_cast<SCOTCH_Num>(targets.size()));
      weights.push_back(
          static_cast<SCOTCH_Num>(scale * graph.units[unit].acceleratorTime()));
      while (next < arcs.size() &&
             std::get<0>(arcs[next]) == static_cast<int>(unit)) {
        int to = std::get<1>(arcs[next]);
        double cost = 0;
        for (; next < arcs.size() &&
               std::get<0>(arcs[next]) == static_cast<int>(unit) &&
               std::get<1>(arcs[next]) == to;
             ++next)
          cost += std::get<2>(arcs[next]);
        targets.push_back(to);
        costs.push_back(1 + static_cast<SCOTCH_Num>(scale * cost));
      }
    }
    first.push_back(static_cast<SCOTCH_Num>(targets.size()));
    // Scotch refuses graphs without any weight.
    if (std::accumulate(weights.begin(), weights.end(), SCOTCH_Num(0)) == 0)
      std::fill(weights.begin(), weights.end(), 1);
  }
};

/// The part of each unit, or nothing if Scotch refuses the graph.
std::vector<SCOTCH_Num> partition(const UnitGraph &graph, int parts,
                                  uint64_t seed) {
  ScotchArrays arrays(graph);
  std::vector<SCOTCH_Num> result(graph.size());
  SCOTCH_Graph target;
  SCOTCH_Strat strategy;
  SCOTCH_randomSeed(static_cast<SCOTCH_Num>(seed % 1000000 + 1));
  SCOTCH_randomReset();
  if (SCOTCH_graphInit(&target) != 0)
    return {};
  SCOTCH_stratInit(&strategy);
  // Edges come in pairs, one from each end.
  int status =
      SCOTCH_graphBuild(&target, 0, static_cast<SCOTCH_Num>(graph.size()),
                        arrays.first.data(), nullptr, arrays.weights.data(),
                        nullptr, static_cast<SCOTCH_Num>(arrays.targets.size()),
                        arrays.targets.data(), arrays.costs.data());
  if (status == 0)
    status = SCOTCH_graphPart(&target, parts, &strategy, result.data());
  SCOTCH_stratExit(&strategy);
  SCOTCH_graphExit(&target);
  if (status != 0)
    result.clear();
  return result;
}

/// The same in a process of its own; empty if the time was over before.
Expected<std::vector<int>> partitionUntil(const Deadline &deadline,
                                          const UnitGraph &graph, int parts,
                                          uint64_t seed) {
  if (deadline.isOver())
    return std::vector<int>();
  ChildProcess child([&](int pipe) {
    std::vector<SCOTCH_Num> found = partition(graph, parts, seed);
    ChildProcess::write(pipe, found.data(), found.size() * sizeof(found[0]));
  });
  if (!child.hasStarted())
    return Error{"can not start a process for Scotch"};
  std::vector<char> bytes;
  if (!child.listen(deadline, [&](const char *data, size_t size) {
        bytes.insert(bytes.end(), data, data + size);
      }))
    return std::vector<int>();
  std::vector<SCOTCH_Num> parted(graph.size());
  if (bytes.size() != parted.size() * sizeof(parted[0]))
    return Error{"Scotch can not partition this graph"};
  std::memcpy(parted.data(), bytes.data(), bytes.size());
  return std::vector<int>(parted.begin(), parted.end());
}

/// Moves units off accelerators whose memory does not suffice, those first that
/// take the least time per byte. False if there is no room.
bool repairMemory(const Problem &problem, const UnitGraph &graph,
                  std::vector<int> &deviceOf) {
  std::vector<double> memory(problem.accelerators);
  std::vector<int> order;
  for (size_t unit = 0; unit < graph.size(); ++unit)
    if (problem.isAccelerator(deviceOf[unit])) {
      memory[deviceOf[unit]] += graph.units[unit].memoryBytes;
      order.push_back(static_cast<int>(unit));
    }
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const Unit &x = graph.units[a], &y = graph.units[b];
    return x.acceleratorTime() * y.memoryBytes <
           y.acceleratorTime() * x.memoryBytes;
  });
  for (int unit : order) {
    int from = deviceOf[unit];
    double bytes = graph.units[unit].memoryBytes;
    if (memory[from] <= problem.acceleratorMemoryBytes || bytes == 0)
      continue;
    int to = static_cast<int>(std::min_element(memory.begin(), memory.end()) -
                              memory.begin());
    if (memory[to] + bytes > problem.acceleratorMemoryBytes) {
      if (problem.cpus == 0)
        continue;
      to = problem.accelerators;
    } else {
      memory[to] += bytes;
    }
    memory[from] -= bytes;
    deviceOf[unit] = to;
  }
  return std::all_of(memory.begin(), memory.end(), [&](double bytes) {
    return bytes <= problem.acceleratorMemoryBytes;
  });
}

} // namespace

bool placement::haveScotch() { return true; }

Expected<Answer> placement::solveScotch(const Problem &problem,
                                        const Objective &given,
                                        const Budget &budget) {
  Deadline deadline(budget);
  Objective objective = given;
  objective.contiguous = false;
  UnitGraph graph(problem, objective, /*ordered=*/false);
  // Where Scotch's partition comes too late or does not fit.
  auto fitAny = [&] {
    Answer greedy = solveGreedy(problem, objective, deadline.rest());
    packAnswer(greedy, problem, objective, graph, deadline);
    if (greedy.placement)
      finish(greedy, lowerBound(problem, objective, graph, deadline.rest()),
             deadline);
    return greedy;
  };
  if (problem.checkDevices())
    return fitAny();
  std::vector<int> deviceOf(graph.size(), problem.accelerators);
  if (problem.accelerators > 0) {
    Expected<std::vector<int>> parts =
        partitionUntil(deadline, graph, problem.accelerators, budget.seed);
    if (!parts)
      return parts.takeError();
    if (parts->empty())
      return fitAny();
    deviceOf = *parts;
  }
  for (size_t unit = 0; unit < graph.size(); ++unit)
    if (!graph.units[unit].acceleratable)
      deviceOf[unit] = problem.accelerators;
  if (!repairMemory(problem, graph, deviceOf))
    return fitAny();
  Answer answer;
  Placement placement = graph.placement(deviceOf);
  if (Expected<Evaluation> legal = verify(problem, objective, placement);
      !legal)
    return Error{"Scotch's partition breaks a rule: " + legal.error()};
  improve(answer, problem, objective, placement);
  finish(answer, lowerBound(problem, objective, graph, deadline.rest()),
         deadline);
  return answer;
}

#else

bool placement::haveScotch() { return false; }

Expected<Answer> placement::solveScotch(const Problem &, const Objective &,
                                        const Budget &) {
  return Error{"this build has no Scotch: install libscotch-dev and configure "
               "again"};
}

#endif
