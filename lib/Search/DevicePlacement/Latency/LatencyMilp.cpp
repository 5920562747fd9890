//===- LatencyMilp.cpp - The integer program of latencies -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Section 4 and appendix A of the paper. A *slot* is a subgraph that an
// accelerator may run, or the CPUs. With one subgraph per accelerator, units
// are items; else items are nodes, and classes are tied by accelerator. Classes
// whose edges go in a circle stay apart: on CPUs, their nodes do not wait for
// each other.
//
//===----------------------------------------------------------------------===//

#include "Search/DevicePlacement/Algorithms/Splits.h"
#include "Search/DevicePlacement/Solvers/IntegerProgram.h"
#include "Soap/Search/DevicePlacement/Latency.h"

#include <cmath>
#include <set>

using namespace soap;
using namespace soap::placement;

namespace {

class LatencyProgram {
public:
  /// `horizon`: a known latency.
  LatencyProgram(const Problem &problem, const LatencyObjective &objective,
                 double horizon)
      : problem(problem), horizon(horizon),
        slotsPerAccelerator(maxSubgraphsOf(problem, objective)),
        graph(problem, {}, /*ordered=*/false) {
    latency = program.addVariable(0, IntegerProgram::unbounded, 1);
    addItems();
    for (size_t node = 0; node < problem.nodes.size(); ++node) {
      finish.push_back(program.addVariable(0, horizon));
      program.atMost({{finish[node], 1}, {latency, -1}}, 0);
    }
    addCpus();
    collectReaders();
    for (int a = 0; a < problem.accelerators; ++a)
      addAccelerator(a);
    orderAccelerators();
  }

  IntegerProgram program;

  LatencyPlacement decode(const std::vector<double> &values) const {
    LatencyPlacement result;
    for (size_t node = 0; node < problem.nodes.size(); ++node) {
      int slot = 0;
      while (slot + 1 < slotCount() && values[x(node, slot)] < 0.5)
        ++slot;
      bool cpu = slot == cpuSlot();
      result.deviceOf.push_back(cpu ? problem.accelerators
                                    : slot / slotsPerAccelerator);
      result.subgraphOf.push_back(cpu ? 0 : slot % slotsPerAccelerator);
    }
    return result;
  }

private:
  const Problem &problem;
  double horizon;
  int slotsPerAccelerator;
  UnitGraph graph;
  int latency = 0;
  std::vector<int> itemOf;               ///< per node
  std::vector<int> firstOf;              ///< per item: the variable of slot 0
  std::vector<int> finish;               ///< per node
  std::vector<int> firstStarts;          ///< per accelerator
  std::vector<std::vector<int>> readers; ///< per node, nodes of other items

  int cpuSlot() const { return problem.accelerators * slotsPerAccelerator; }
  int slotCount() const { return cpuSlot() + 1; }
  int x(size_t node, int slot) const { return firstOf[itemOf[node]] + slot; }

  bool isAllowed(const Node &node, int slot) const {
    return slot == cpuSlot() ? problem.cpus > 0 : node.acceleratable;
  }

  void addItems() {
    bool units = slotsPerAccelerator == 1;
    for (size_t node = 0; node < problem.nodes.size(); ++node)
      itemOf.push_back(units ? graph.unitOf[node] : static_cast<int>(node));
    size_t items = units ? graph.size() : problem.nodes.size();
    for (size_t item = 0; item < items; ++item) {
      firstOf.push_back(static_cast<int>(program.variables.size()));
      IntegerProgram::Terms once;
      for (int slot = 0; slot < slotCount(); ++slot)
        once.emplace_back(program.addBinary(), 1);
      program.addRow(1, 1, std::move(once));
    }
    std::vector<int> first(graph.size(), -1);
    for (size_t node = 0; node < problem.nodes.size(); ++node) {
      for (int slot = 0; slot < slotCount(); ++slot)
        if (!isAllowed(problem.nodes[node], slot))
          program.variables[x(node, slot)].high = 0;
      int &other = first[graph.unitOf[node]];
      if (other >= 0 && itemOf[other] != itemOf[node])
        tie(other, static_cast<int>(node));
      else
        other = static_cast<int>(node);
    }
  }

  /// Both are on the same accelerator, or on CPUs.
  void tie(int one, int other) {
    for (int first = 0; first < slotCount(); first += slotsPerAccelerator) {
      IntegerProgram::Terms terms;
      for (int slot = first;
           slot < std::min(first + slotsPerAccelerator, slotCount()); ++slot) {
        terms.emplace_back(x(one, slot), 1);
        terms.emplace_back(x(other, slot), -1);
      }
      program.addRow(0, 0, std::move(terms));
    }
  }

  void addCpus() {
    for (const Edge &edge : problem.edges)
      program.atMost(
          {{finish[edge.source], 1},
           {finish[edge.target], -1},
           {x(edge.target, cpuSlot()), problem.nodes[edge.target].cpuTime}},
          0);
    IntegerProgram::Terms work;
    for (size_t node = 0; node < problem.nodes.size(); ++node) {
      double time = problem.nodes[node].cpuTime;
      program.atMost({{x(node, cpuSlot()), time}, {finish[node], -1}}, 0);
      work.emplace_back(x(node, cpuSlot()), time);
    }
    work.emplace_back(latency, -problem.cpus);
    if (problem.cpus > 0)
      program.atMost(std::move(work), 0);
  }

  void collectReaders() {
    std::vector<std::set<int>> items(problem.nodes.size());
    readers.resize(problem.nodes.size());
    for (const Edge &edge : problem.edges)
      if (itemOf[edge.target] != itemOf[edge.source] &&
          items[edge.source].insert(itemOf[edge.target]).second)
        readers[edge.source].push_back(edge.target);
  }

  void addAccelerator(int accelerator) {
    IntegerProgram::Terms memory;
    int before = -1;
    for (int j = 0; j < slotsPerAccelerator; ++j) {
      int slot = accelerator * slotsPerAccelerator + j;
      int start = program.addVariable(0, horizon);
      int end = program.addVariable(0, horizon);
      if (j == 0)
        firstStarts.push_back(start);
      if (before >= 0)
        program.atMost({{before, 1}, {start, -1}}, 0);
      before = end;
      program.atMost({{end, 1}, {latency, -1}}, 0);
      addSlot(slot, start, end);
      for (size_t node = 0; node < problem.nodes.size(); ++node)
        memory.emplace_back(x(node, slot), problem.nodes[node].memoryBytes);
    }
    program.fit(memory, problem.acceleratorMemoryBytes);
  }

  /// start + reads + computation + writes = end.
  void addSlot(int slot, int start, int end) {
    IntegerProgram::Terms sum = {{start, 1}, {end, -1}};
    for (size_t node = 0; node < problem.nodes.size(); ++node) {
      if (double time = problem.nodes[node].acceleratorTime; time > 0)
        sum.emplace_back(x(node, slot), time);
      // Nodes of a subgraph are done when it is.
      program.atMost({{end, 1}, {finish[node], -1}, {x(node, slot), horizon}},
                     horizon);
      if (readers[node].empty())
        continue;
      int reads = program.addVariable(0, 1), writes = program.addVariable(0, 1);
      for (int reader : readers[node]) {
        program.atMost({{x(reader, slot), 1}, {x(node, slot), -1}, {reads, -1}},
                       0);
        program.atMost(
            {{x(node, slot), 1}, {x(reader, slot), -1}, {writes, -1}}, 0);
      }
      program.atMost({{finish[node], 1}, {start, -1}, {reads, horizon}},
                     horizon);
      sum.emplace_back(reads, problem.transferTime[node]);
      sum.emplace_back(writes, problem.transferTime[node]);
    }
    program.addRow(0, 0, std::move(sum));
  }

  /// Accelerators are the same: they come in the order of their starts.
  void orderAccelerators() {
    for (size_t i = 0; i + 1 < firstStarts.size(); ++i)
      program.atMost({{firstStarts[i], 1}, {firstStarts[i + 1], -1}}, 0);
  }
};

} // namespace

Expected<LatencyAnswer>
placement::solveLatencyMilp(const Problem &problem,
                            const LatencyObjective &objective,
                            const Budget &budget, IntegerSolver solver) {
  if (!haveMilp(solver))
    return Error{noIntegerSolver(solver)};
  Deadline deadline(budget);
  // A start that takes longer for larger problems.
  constexpr double startSecondsPerNode = 0.05;
  constexpr size_t maxVariables = 1'000'000;
  size_t slots = static_cast<size_t>(problem.accelerators) *
                     maxSubgraphsOf(problem, objective) +
                 1;
  bool tooLarge = 3 * slots * problem.nodes.size() >= maxVariables;
  Budget forStart = deadline.rest(tooLarge ? 1 : 0.25);
  if (!tooLarge)
    forStart.seconds =
        std::min(forStart.seconds, startSecondsPerNode * problem.nodes.size());
  LatencyAnswer answer = searchLatencyLocally(problem, objective, forStart);
  if (answer.placement && !answer.optimal && !deadline.isOver() && !tooLarge) {
    Problem scaled = problem;
    double factor = scaleTimes(scaled, answer.value);
    LatencyProgram latency(scaled, objective, answer.value * factor);
    IntegerResult result =
        solveInteger(solver, latency.program, {}, deadline, budget.threads,
                     [&](const std::vector<double> &values) {
                       LatencyPlacement found = latency.decode(values);
                       auto evaluation =
                           verifyLatency(problem, objective, found);
                       if (!evaluation || evaluation->latency >= answer.value)
                         return;
                       answer.placement = std::move(found);
                       answer.value = evaluation->latency;
                     });
    if (result.failed)
      return Error{"the solver refuses the integer program"};
    // Nothing is below the horizon: what was known is best.
    double bound = result.infeasible ? answer.value : result.bound / factor;
    answer.bound = std::min(std::max(answer.bound, bound), answer.value);
    answer.optimal = answer.bound >= answer.value * (1 - 1e-6);
    if (answer.optimal)
      answer.bound = answer.value;
  }
  answer.seconds = deadline.elapsed();
  return answer;
}
