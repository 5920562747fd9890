//===- CompactIteration.cpp - Iterations of many devices ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CompactIteration.h. Sums over replicas count each of them.
//
//===----------------------------------------------------------------------===//

#include "CompactIteration.h"

#include "Search/Report/SearchSummary.h"
#include "SimulationReport.h"
#include "Soap/Memory/HostMemory.h"
#include "Soap/Memory/PlanMemory.h"
#include "Soap/Plan/StrategyPlan.h"
#include "Soap/Simulator/PlanTimeline.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace mlir::soap;

namespace {

/// Sums up what a plan moves.
class Traffic {
public:
  Traffic(CompactIteration &result, const ::soap::PlanState &plan,
          const ::soap::StageQuotient *quotient)
      : result(result), plan(plan), quotient(quotient),
        topology(plan.getCost().getTopology()),
        linkBytes(topology.links.size()), machineOf(topology.devices.size()) {
    std::vector<std::vector<int>> machines = topology.machines();
    for (size_t m = 0; m < machines.size(); ++m)
      for (int device : machines[m])
        machineOf[static_cast<size_t>(device)] = static_cast<int>(m);
    metAt.resize(machines.size());
  }

  void run() {
    std::vector<::soap::TensorKind> kinds =
        ::soap::tensorKinds(plan.getGraph());
    for (size_t b = 0; b < plan.getBlocks().size(); ++b) {
      int value = plan.getBlocks()[b].value;
      if (value < 0)
        continue;
      int64_t before = result.bytesMoved;
      const ::soap::ValuePlan &planned = plan.valuePlan(value);
      for (size_t t = 0; t < planned.tasks.size(); ++t)
        if (planned.tasks[t].resource < 0)
          add(planned, static_cast<int>(b), static_cast<int>(t));
      result.bytesByKind[static_cast<size_t>(
          kinds[static_cast<size_t>(value)])] += result.bytesMoved - before;
    }
    for (int64_t bytes : linkBytes)
      result.busiestLinkBytes = std::max(result.busiestLinkBytes, bytes);
  }

private:
  CompactIteration &result;
  const ::soap::PlanState &plan;
  const ::soap::StageQuotient *quotient; ///< null: all devices are planned
  const ::soap::Topology &topology;
  std::vector<int64_t> linkBytes;
  std::vector<int> machineOf;
  int64_t now = 0;            ///< number of a collective
  std::vector<int64_t> metAt; ///< by machine: the last collective with it

  void add(const ::soap::ValuePlan &planned, int block, int index) {
    const ::soap::PlannedTask &task = planned.tasks[static_cast<size_t>(index)];
    int64_t times = quotient ? quotient->multiplicityOf(block, index) : 1,
            bytes = task.bytes, onLink = task.bytes;
    if (task.collective >= 0) {
      ::soap::PlanCollective collective;
      const ::soap::PlannedCollective &entry =
          planned.collectives[static_cast<size_t>(task.collective)];
      collective.kind = entry.kind;
      collective.bytes = entry.bytes;
      collective.devices = entry.devices;
      if (quotient && !quotient->devicesOf(block, index).empty())
        collective.devices = quotient->devicesOf(block, index);
      int64_t machines = 0;
      ++now;
      for (int device : collective.devices)
        if (int64_t &met = metAt[static_cast<size_t>(
                machineOf[static_cast<size_t>(device)])];
            met != now) {
          met = now;
          ++machines;
        }
      auto devices = static_cast<int64_t>(collective.devices.size());
      bytes = collective.traffic();
      onLink = bytes / devices;
      if (machines > 1)
        result.bytesBetweenMachines += times * (bytes / devices * machines);
    } else {
      const ::soap::PlannedAction &action =
          planned.actions[static_cast<size_t>(task.firstAction)];
      if (machineOf[static_cast<size_t>(action.source)] !=
          machineOf[static_cast<size_t>(action.device)])
        result.bytesBetweenMachines += times * bytes;
    }
    result.bytesMoved += times * bytes;
    for (int resource : plan.resourcesOf(task.resource))
      if (int link = resource - topology.deviceCount(); link >= 0)
        linkBytes[static_cast<size_t>(link)] += onLink;
  }
};

} // namespace

/// Everything that a timeline says. `quotient`: null, or the plan.
static void summarize(CompactIteration &result, const ::soap::PlanState &plan,
                      const ::soap::StageQuotient *quotient,
                      const ::soap::PassTimeline &timeline,
                      const ::soap::PassOrder &order,
                      ::soap::PipelineSchedule schedule, TimelineLanes *lanes) {
  result.makespanNs = timeline.getMakespanNs();
  result.tasks = timeline.getTaskCount();
  ::soap::MemoryCourse *course =
      lanes ? &lanes->startCourse(plan.getGraph(), result.makespanNs) : nullptr;
  result.memoryBytes = timeline.peakBytes(course);
  if (lanes)
    lanes->add(plan, timeline);
  result.hostBytes = ::soap::hostBytes(plan);
  result.times = timeline.deviceTimes();
  if (quotient) {
    result.unit = quotient->getUnit();
    result.replicas = quotient->getReplicas();
    if (lanes)
      lanes->setFold(result.unit, result.replicas);
  }
  result.passes =
      reportPasses(order, schedule, timeline.getPasses(), timeline.busyNs(),
                   result.makespanNs, result.memoryBytes);
  std::set<int> simulated;
  for (StageReport &stage : result.passes->stages) {
    simulated.insert(stage.devices.begin(), stage.devices.end());
    std::vector<int> all;
    for (int replica = 0; replica < result.replicas; ++replica)
      for (int device : stage.devices)
        all.push_back(device + replica * result.unit);
    llvm::sort(all);
    stage.devices = std::move(all);
  }
  result.devices.assign(simulated.begin(), simulated.end());
  if (quotient)
    for (size_t d = 0; d < result.memoryBytes.size(); ++d) {
      auto first = static_cast<size_t>(quotient->firstOf(static_cast<int>(d)));
      result.memoryBytes[d] = result.memoryBytes[first];
      result.hostBytes[d] = result.hostBytes[first];
    }
  Traffic(result, plan, quotient).run();
}

::soap::Expected<CompactIteration> mlir::soap::simulateCompact(
    const ::soap::Graph &graph, const ::soap::Strategy &strategy,
    const ::soap::PassOrder &order, ::soap::PipelineSchedule schedule,
    const ::soap::Topology &topology, bool foldOnly, TimelineLanes *lanes) {
  auto planned = ::soap::PlannedPasses::make(
      graph, strategy, order, topology, foldOnly,
      /*isOver=*/{}, /*findsPath=*/lanes != nullptr);
  if (!planned)
    return planned.takeError();
  CompactIteration result;
  result.unfolded = (*planned)->whyUnfolded();
  summarize(result, (*planned)->getPlan(), (*planned)->getQuotient(),
            (*planned)->getTimeline(), order, schedule, lanes);
  return result;
}

::soap::Expected<CompactIteration> mlir::soap::simulateWholeBatch(
    const ::soap::Graph &graph, const ::soap::Strategy &strategy,
    const ::soap::Topology &topology, TimelineLanes *lanes) {
  if (int64_t pieces = ::soap::countPieces(strategy);
      pieces > ::soap::maxPieces(::soap::PlanForm::Compact))
    return ::soap::Error{
        "all ops are " + std::to_string(pieces) + " pieces, expected at most " +
        std::to_string(::soap::maxPieces(::soap::PlanForm::Compact))};
  ::soap::CostModel cost(topology);
  ::soap::StrategyPlan plan(graph, cost);
  plan.set(strategy);
  ::soap::PlanTimeline timeline(plan);
  auto path = timeline.criticalPath();
  if (!path)
    return path.takeError();
  CompactIteration result;
  result.by = SimulatedBy::CompactPlan;
  result.path = std::move(*path);
  result.makespanNs = timeline.getMakespanNs();
  result.tasks = plan.taskCount();
  std::vector<::soap::TaskQueue::Entry> starts;
  ::soap::listStarts(plan, timeline.getTimes(), starts);
  ::soap::MemoryCourse *course =
      lanes ? &lanes->startCourse(graph, result.makespanNs) : nullptr;
  result.memoryBytes = ::soap::PlanMemory(plan, course).peakBytes(starts);
  if (lanes)
    lanes->add(plan, timeline);
  result.hostBytes = ::soap::hostBytes(plan);
  result.times = timeline.deviceTimes();
  result.devices.resize(topology.devices.size());
  std::iota(result.devices.begin(), result.devices.end(), 0);
  Traffic(result, plan, /*quotient=*/nullptr).run();
  return result;
}

ComparedStrategy mlir::soap::summarizeRow(std::string name,
                                          const CompactIteration &iteration,
                                          const ::soap::Topology &topology) {
  ComparedStrategy row;
  row.name = std::move(name);
  row.makespanNs = iteration.makespanNs;
  row.bytesMoved = iteration.bytesMoved;
  row.bytesBetweenMachines = iteration.bytesBetweenMachines;
  row.busiestLinkBytes = iteration.busiestLinkBytes;
  for (int device = 0; device < topology.deviceCount(); ++device) {
    int64_t bytes = iteration.memoryBytes[static_cast<size_t>(device)];
    row.peakBytes = std::max(row.peakBytes, bytes);
    row.fits &= bytes <= topology.memoryBytes(device);
  }
  double all = static_cast<double>(row.makespanNs) * topology.deviceCount();
  for (int device : iteration.devices) {
    const ::soap::DeviceTimes &times =
        iteration.times[static_cast<size_t>(device)];
    double share = iteration.replicas / std::max(all, 1.0);
    row.compute += share * static_cast<double>(times.computeNs);
    row.movement += share * static_cast<double>(times.movementNs);
    row.exposed += share * static_cast<double>(times.exposedNs);
  }
  return row;
}

/// Sums over the devices of all replicas.
static ::soap::DeviceTimes sumOf(const CompactIteration &iteration) {
  ::soap::DeviceTimes sum;
  for (int device : iteration.devices) {
    const ::soap::DeviceTimes &times =
        iteration.times[static_cast<size_t>(device)];
    sum.computeNs += times.computeNs * iteration.replicas;
    sum.movementNs += times.movementNs * iteration.replicas;
    sum.communicationNs += times.communicationNs * iteration.replicas;
    sum.exposedNs += times.exposedNs * iteration.replicas;
  }
  return sum;
}

std::string mlir::soap::printReport(const CompactIteration &iteration,
                                    const ::soap::Topology &topology) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  ::soap::DeviceTimes sum = sumOf(iteration);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("makespan_ns", iteration.makespanNs);
    printSimulator(json, iteration.by);
    if (!iteration.passes)
      json.attribute("tasks", iteration.tasks);
    else
      json.attributeObject("folded", [&] {
        json.attribute("tasks", iteration.tasks);
        json.attribute("devices",
                       static_cast<int64_t>(iteration.devices.size()));
        json.attribute("unfolded_devices", topology.deviceCount());
        json.attribute("replicas", iteration.replicas);
        if (!iteration.unfolded.empty())
          json.attribute("reason", iteration.unfolded);
      });
    printAnomaly(json, iteration.anomaly);
    printBaselines(json, iteration.makespanNs, iteration.presets);
    if (!iteration.compared.empty())
      printComparison(json, summarizeRow("this strategy", iteration, topology),
                      iteration.compared);
    if (!iteration.recipes.empty())
      printHybridRows(json, iteration.makespanNs, iteration.recipes);
    json.attribute("compute_ns", sum.computeNs);
    json.attribute("movement_ns", sum.movementNs);
    if (!iteration.passes)
      json.attribute("communication_ns", sum.communicationNs);
    json.attribute("exposed_communication_ns", sum.exposedNs);
    if (iteration.passes)
      json.attributeObject("pipeline", [&] {
        printPassReport(json, *iteration.passes, topology);
      });
    else
      printPath(json, iteration.path);
    json.attributeArray("device_classes", [&] {
      for (int device : iteration.devices)
        json.object([&] {
          auto d = static_cast<size_t>(device);
          const ::soap::DeviceTimes &times = iteration.times[d];
          json.attribute("first", topology.devices[d].name);
          json.attribute("devices", iteration.replicas);
          json.attribute("compute_ns", times.computeNs);
          json.attribute("movement_ns", times.movementNs);
          json.attribute("exposed_communication_ns", times.exposedNs);
          json.attribute("peak_bytes", iteration.memoryBytes[d]);
          json.attribute("memory_bytes", topology.memoryBytes(device));
          if (iteration.hostBytes[d] > 0)
            json.attribute("host_bytes", iteration.hostBytes[d]);
        });
    });
    json.attribute("bytes_moved", iteration.bytesMoved);
    json.attribute("bytes_between_machines", iteration.bytesBetweenMachines);
    json.attributeObject("bytes_by_kind", [&] {
      for (int kind = 0; kind < ::soap::tensorKindCount; ++kind)
        json.attribute(
            ::soap::tensorKindName(static_cast<::soap::TensorKind>(kind)),
            iteration.bytesByKind[static_cast<size_t>(kind)]);
    });
  });
  stream << '\n';
  return text;
}

void mlir::soap::printSummary(const CompactIteration &iteration,
                              const ::soap::Topology &topology,
                              llvm::raw_ostream &stream) {
  constexpr double nsPerMs = 1e6;
  auto ms = [&](int64_t ns) { return static_cast<double>(ns) / nsPerMs; };
  printMakespan(iteration.by, iteration.makespanNs, iteration.tasks, stream);
  printAnomaly(iteration.anomaly, iteration.makespanNs, stream);
  if (iteration.passes) {
    if (iteration.unfolded.empty())
      stream << llvm::format(
          "  folded: %d devices, one of %d replicas of each stage, for all "
          "%d\n",
          static_cast<int>(iteration.devices.size()), iteration.replicas,
          topology.deviceCount());
    else
      stream << "  not folded: " << iteration.unfolded << '\n';
    printPassSummary(*iteration.passes, topology, stream);
  }
  if (int64_t most = *llvm::max_element(iteration.hostBytes);
      most > 0 && iteration.passes)
    stream << "  in host memory, of a device: at most "
           << ::soap::describeBytes(most) << '\n';
  if (!iteration.compared.empty())
    printComparison(summarizeRow("this strategy", iteration, topology),
                    iteration.compared, topology, stream);
  else
    printBaselines(iteration.makespanNs, iteration.presets, stream);
  if (!iteration.recipes.empty())
    printHybridRows(iteration.makespanNs, iteration.recipes, stream);
  ::soap::DeviceTimes sum = sumOf(iteration);
  double all = static_cast<double>(iteration.makespanNs) *
               static_cast<double>(iteration.devices.size()) *
               iteration.replicas;
  stream << llvm::format("  compute %.3f ms on all devices together, assembled "
                         "tiles %.3f ms\n",
                         ms(sum.computeNs), ms(sum.movementNs));
  stream << llvm::format("  communication not hidden: %.1f %% of the time\n",
                         100 * static_cast<double>(sum.exposedNs) / all);
  printMoved(iteration.bytesMoved, iteration.bytesBetweenMachines,
             &iteration.bytesByKind, stream);
  if (iteration.passes)
    return;
  printPath(iteration.path, iteration.makespanNs, stream);
  std::vector<int64_t> busyNs;
  for (const ::soap::DeviceTimes &times : iteration.times)
    busyNs.push_back(times.computeNs + times.movementNs);
  printDevices(topology, busyNs, iteration.memoryBytes, iteration.hostBytes,
               iteration.makespanNs, stream);
}
