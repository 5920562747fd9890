//===- Milp.cpp - The integer program of the maximum load -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Appendix C of the paper on contracted units. A unit is in one slot, which is
// a device or, for contiguous splits, a place in the order of stages; a net
// costs a slot that holds some but not all of its units.
//
//===----------------------------------------------------------------------===//

#include "Search/DevicePlacement/Solvers/IntegerProgram.h"
#include "Splits.h"

#include <cmath>

using namespace soap;
using namespace soap::placement;

namespace {

class LoadProgram {
public:
  LoadProgram(const Problem &problem, const Objective &objective,
              const UnitGraph &graph)
      : problem(problem), objective(objective), graph(graph) {
    bool gpipe = objective.schedule == Schedule::GPipe;
    forwardLoad = program.addVariable(0, IntegerProgram::unbounded, 1);
    backwardLoad =
        gpipe ? program.addVariable(0, IntegerProgram::unbounded, 1) : -1;
    addSlots();
    for (size_t slot = 0; slot < slots.size(); ++slot)
      addLoad(static_cast<int>(slot));
    for (size_t unit = 0; unit < graph.size(); ++unit) {
      IntegerProgram::Terms terms;
      for (size_t slot = 0; slot < slots.size(); ++slot)
        terms.emplace_back(x(unit, slot), 1);
      program.addRow(1, 1, std::move(terms));
    }
    if (objective.contiguous) {
      addOrder();
      limitCpuSlots();
    } else {
      breakSymmetry();
    }
  }

  IntegerProgram program;

  /// Values of all variables that belong to a split.
  std::vector<double> start(const Placement &placement) const;
  Placement decode(const std::vector<double> &values) const;

private:
  struct Slot {
    bool cpu;
    int used = -1; ///< for a CPU's place in the order: whether it is there
  };
  struct NetPart {
    int any, all; ///< whether the slot holds any, all of the net's units
  };
  const Problem &problem;
  const Objective &objective;
  const UnitGraph &graph;
  std::vector<Slot> slots;
  std::vector<int> firstOf;                ///< per slot: the variable of unit 0
  std::vector<std::vector<NetPart>> parts; ///< per accelerator slot and net
  int forwardLoad = 0, backwardLoad = -1;

  int x(size_t unit, size_t slot) const {
    return firstOf[slot] + static_cast<int>(unit);
  }

  /// For contiguous splits CPUs may come anywhere between accelerators.
  void addSlots() {
    int units = static_cast<int>(graph.size());
    int accelerators = std::min(problem.accelerators, units);
    int cpus = std::min(problem.cpus, units);
    auto add = [&](bool cpu) {
      slots.push_back({cpu});
      firstOf.push_back(static_cast<int>(program.variables.size()));
      for (int unit = 0; unit < units; ++unit) {
        int variable = program.addBinary();
        if (!cpu && !graph.units[unit].acceleratable)
          program.variables[variable].high = 0;
      }
      if (cpu && objective.contiguous) {
        slots.back().used = program.addBinary();
        for (int unit = 0; unit < units; ++unit)
          program.atMost({{firstOf.back() + unit, 1}, {slots.back().used, -1}},
                         0);
      }
    };
    for (int j = 0; j <= accelerators; ++j) {
      for (int c = 0; c < cpus; ++c)
        if (objective.contiguous || j == accelerators)
          add(true);
      if (j < accelerators)
        add(false);
    }
  }

  /// Compute and transfers are below the load, or their sum.
  void bound(IntegerProgram::Terms compute, IntegerProgram::Terms transfers,
             int load) {
    if (objective.overlap == Overlap::Full) {
      transfers.emplace_back(load, -1);
      program.atMost(std::move(transfers), 0);
    } else {
      compute.insert(compute.end(), transfers.begin(), transfers.end());
    }
    compute.emplace_back(load, -1);
    program.atMost(std::move(compute), 0);
  }

  void addLoad(int slot) {
    bool cpu = slots[slot].cpu, gpipe = backwardLoad >= 0;
    IntegerProgram::Terms compute[2], transfers[2], memory;
    for (size_t i = 0; i < graph.size(); ++i) {
      const Unit &unit = graph.units[i];
      double forward = cpu ? unit.cpuForward : unit.acceleratorForward;
      double backward = cpu ? unit.cpuBackward : unit.acceleratorBackward;
      if (gpipe) {
        compute[0].emplace_back(x(i, slot), forward);
        compute[1].emplace_back(x(i, slot), backward);
      } else {
        compute[0].emplace_back(x(i, slot), forward + backward);
      }
      memory.emplace_back(x(i, slot), unit.memoryBytes);
    }
    parts.emplace_back();
    if (!cpu) {
      addNets(slot, transfers);
      program.fit(memory, problem.acceleratorMemoryBytes);
    }
    bound(compute[0], transfers[0], forwardLoad);
    if (gpipe)
      bound(compute[1], transfers[1], backwardLoad);
  }

  void addNets(int slot, IntegerProgram::Terms (&transfers)[2]) {
    for (size_t net = 0; net < graph.nets.size(); ++net) {
      NetPart part{program.addVariable(0, 1), program.addVariable(0, 1)};
      for (int unit : graph.pins[net]) {
        program.atMost({{x(unit, slot), 1}, {part.any, -1}}, 0);
        program.atMost({{part.all, 1}, {x(unit, slot), -1}}, 0);
      }
      parts.back().push_back(part);
      const Net &costs = graph.nets[net];
      bool gpipe = backwardLoad >= 0;
      double forward = gpipe ? costs.forward : costs.total();
      transfers[0].emplace_back(part.any, forward);
      transfers[0].emplace_back(part.all, -forward);
      if (gpipe) {
        transfers[1].emplace_back(part.any, costs.backward);
        transfers[1].emplace_back(part.all, -costs.backward);
      }
    }
  }

  /// Constrains predecessors of a unit to the slots up to its own.
  void addOrder() {
    for (size_t unit = 0; unit < graph.size(); ++unit)
      for (int next : graph.successors[unit])
        for (size_t last = 0; last + 1 < slots.size(); ++last) {
          IntegerProgram::Terms terms;
          for (size_t slot = 0; slot <= last; ++slot) {
            terms.emplace_back(x(next, slot), 1);
            terms.emplace_back(x(unit, slot), -1);
          }
          program.atMost(std::move(terms), 0);
        }
  }

  void limitCpuSlots() {
    IntegerProgram::Terms terms;
    for (const Slot &slot : slots)
      if (slot.cpu)
        terms.emplace_back(slot.used, 1);
    if (!terms.empty())
      program.atMost(std::move(terms), problem.cpus);
  }

  /// Accelerators are the same: the i-th unit is on one of the first i.
  void breakSymmetry() {
    int first = static_cast<int>(
        std::find_if(slots.begin(), slots.end(),
                     [](const Slot &slot) { return !slot.cpu; }) -
        slots.begin());
    std::vector<int> order(graph.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<int>(i);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return graph.units[a].acceleratorTime() >
             graph.units[b].acceleratorTime();
    });
    for (size_t i = 0; i < order.size(); ++i)
      for (size_t slot = first + i + 1; slot < slots.size(); ++slot)
        if (!slots[slot].cpu)
          program.variables[x(order[i], slot)].high = 0;
  }
};

/// The slot of each unit; a CPU's place in the order has a device of its own
/// only if it is used.
Placement LoadProgram::decode(const std::vector<double> &values) const {
  std::vector<int> deviceOf(graph.size());
  int accelerator = 0, cpu = problem.accelerators;
  for (size_t slot = 0; slot < slots.size(); ++slot) {
    bool used = false;
    int device = slots[slot].cpu ? std::min(cpu, problem.deviceCount() - 1)
                                 : accelerator;
    for (size_t unit = 0; unit < graph.size(); ++unit)
      if (values[x(unit, slot)] > 0.5) {
        deviceOf[unit] = device;
        used = true;
      }
    if (!slots[slot].cpu)
      ++accelerator;
    else if (used)
      ++cpu;
  }
  return graph.placement(deviceOf);
}

std::vector<double> LoadProgram::start(const Placement &placement) const {
  std::vector<int> devices = graph.devicesOfUnits(placement);
  std::vector<int> slotOf(graph.size(), -1);
  if (objective.contiguous)
    return {}; // solvers find these without help
  // The i-th unit has to be on one of the first i accelerators: devices are
  // numbered as these units meet them.
  std::vector<int> order(graph.size()), slotOfDevice(problem.deviceCount(), -1);
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<int>(i);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return graph.units[a].acceleratorTime() > graph.units[b].acceleratorTime();
  });
  size_t nextAccelerator = 0, nextCpu = 0;
  for (int unit : order) {
    int &slot = slotOfDevice[devices[unit]];
    if (slot < 0) {
      bool cpu = !problem.isAccelerator(devices[unit]);
      size_t &next = cpu ? nextCpu : nextAccelerator;
      while (next < slots.size() && slots[next].cpu != cpu)
        ++next;
      if (next == slots.size())
        return {};
      slot = static_cast<int>(next++);
    }
    slotOf[unit] = slot;
  }
  std::vector<double> values(program.variables.size());
  for (size_t unit = 0; unit < graph.size(); ++unit)
    values[x(unit, slotOf[unit])] = 1;
  for (size_t slot = 0; slot < slots.size(); ++slot)
    for (size_t net = 0; net < parts[slot].size(); ++net) {
      size_t inside = 0;
      for (int unit : graph.pins[net])
        inside += slotOf[unit] == static_cast<int>(slot);
      values[parts[slot][net].any] = inside > 0;
      values[parts[slot][net].all] = inside == graph.pins[net].size();
    }
  auto evaluation = verify(problem, objective, placement);
  if (!evaluation)
    return {};
  values[forwardLoad] = evaluation->worst.forward;
  if (backwardLoad >= 0)
    values[backwardLoad] = evaluation->worst.backward;
  return values;
}

} // namespace

Expected<Answer> placement::solveMilp(const Problem &problem,
                                      const Objective &objective,
                                      const Budget &budget,
                                      IntegerSolver solver) {
  Deadline deadline(budget);
  if (!haveMilp(solver))
    return Error{noIntegerSolver(solver)};
  if (objective.replication || objective.hasHosts())
    return Error{"the integer program knows neither replicas nor hosts"};
  UnitGraph graph(problem, objective, objective.contiguous);
  constexpr size_t maxVariables = 4'000'000;
  size_t devices = static_cast<size_t>(problem.deviceCount());
  bool tooLarge = devices > 64 || (graph.size() + 2 * graph.nets.size()) *
                                          devices * (problem.cpus + 1) >
                                      maxVariables;
  // A start that takes longer for larger problems.
  constexpr double startSecondsPerUnit = 0.05;
  Budget forStart = deadline.rest(tooLarge ? 1 : 0.4);
  if (!tooLarge)
    forStart.seconds =
        std::min(forStart.seconds, startSecondsPerUnit * graph.size());
  Answer answer = objective.contiguous
                      ? fillGreedily(problem, objective, graph, deadline)
                      : searchLocally(problem, objective, forStart);
  double bound = answer.bound;
  bool isProven = isInfeasible(answer, problem);
  if (!answer.optimal && !isProven && !tooLarge && !deadline.isOver()) {
    Problem scaled = problem;
    double factor =
        scaleTimes(scaled, answer.placement ? answer.value : infinite);
    UnitGraph scaledGraph(scaled, objective, objective.contiguous);
    LoadProgram load(scaled, objective, scaledGraph);
    IntegerResult result = solveInteger(
        solver, load.program,
        answer.placement ? load.start(*answer.placement)
                         : std::vector<double>(),
        deadline, budget.threads, [&](const std::vector<double> &values) {
          improve(answer, problem, objective, load.decode(values));
        });
    if (result.failed)
      return Error{"the solver refuses the integer program"};
    bound = std::max(bound, result.bound / factor);
    isProven = result.infeasible && !answer.placement;
    // A proof holds up to the solver's tolerances.
    constexpr double tolerance = 1e-6;
    if (result.finished && answer.placement &&
        bound >= answer.value * (1 - tolerance))
      bound = std::min(bound, answer.value);
  }
  // Which memory would do, or a split if the time was over;
  // `searchLocally` has said so for splits that need not be contiguous.
  if (!answer.placement && objective.contiguous) {
    answer = solveDp(problem, objective, deadline.rest());
    if (answer.placement)
      bound = std::max(bound, answer.bound);
  }
  if (isProven)
    answer.smallestMemoryBound =
        std::max(answer.smallestMemoryBound,
                 std::nextafter(problem.acceleratorMemoryBytes, infinite));
  if (objective.contiguous && tooLarge)
    bound = lowerBound(problem, objective, graph, deadline.rest());
  finish(answer, bound, deadline);
  return answer;
}
