//===- SimulationReport.cpp - What a simulation says ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prices a strategy and prints the result as JSON and as a table.
//
//===----------------------------------------------------------------------===//

#include "SimulationReport.h"

#include "Search/Report/SearchSummary.h"
#include "Soap/Memory/HostMemory.h"
#include "Soap/Memory/PeakMemory.h"
#include "Soap/Simulator/Algorithm1Simulator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

using namespace mlir::soap;

static Simulation summarize(const ::soap::Graph &graph,
                            ::soap::PricedStrategy priced,
                            const ::soap::Topology &topology) {
  Simulation result;
  int devices = topology.deviceCount();
  static_cast<::soap::PricedStrategy &>(result) = std::move(priced);
  result.order = result.schedule();
  result.memoryBytes = result.peakBytes(graph, result.order, devices);
  result.hostBytes = ::soap::hostBytes(graph, result.plan, devices);
  summarizeTasks(result, topology);
  result.exchanges = ::soap::classifyExchanges(graph, result.plan);
  result.bytesByKind =
      ::soap::bytesByKind(::soap::tensorKinds(graph), graph, result.plan);
  return result;
}

Simulation mlir::soap::simulate(const ::soap::Graph &graph,
                                const ::soap::Strategy &strategy,
                                const ::soap::Topology &topology) {
  return summarize(graph,
                   ::soap::priceStrategy(graph, strategy,
                                         ::soap::CostModel(topology),
                                         /*names=*/true),
                   topology);
}

::soap::Expected<Simulation> mlir::soap::simulatePasses(
    const ::soap::Graph &graph, const ::soap::Strategy &strategy,
    const ::soap::PassOrder &order, ::soap::PipelineSchedule schedule,
    const ::soap::Topology &topology) {
  ::soap::Expected<::soap::Plan> plan = ::soap::buildPipelinePlan(
      graph, strategy, order, topology, /*mayAdd=*/nullptr);
  if (!plan)
    return ::soap::Error{plan.error()};
  Simulation result =
      summarize(graph,
                ::soap::pricePlan(graph, std::move(*plan),
                                  ::soap::CostModel(topology), /*names=*/true),
                topology);
  result.passes = reportPasses(graph, order, schedule, result.plan,
                               result.tasks, result.memoryBytes);
  return result;
}

void mlir::soap::summarizeTasks(Simulation &simulation,
                                const ::soap::Topology &topology) {
  int devices = topology.deviceCount();
  simulation.busyNs.assign(devices, 0);
  simulation.linkBytes.assign(topology.links.size(), 0);
  std::vector<int> machine(devices);
  std::vector<std::vector<int>> machines = topology.machines();
  for (size_t m = 0; m < machines.size(); ++m)
    for (int device : machines[m])
      machine[device] = static_cast<int>(m);
  for (const ::soap::Task &task : simulation.tasks.tasks) {
    assert(task.startNs <= task.endNs && "simulated");
    assert(task.bytes >= 0 && "bytes");
    for (int resource : task.resources) {
      if (resource < devices)
        simulation.busyNs[resource] += task.endNs - task.startNs;
      else
        simulation.linkBytes[resource - devices] +=
            task.bytes /
            std::max<int64_t>(static_cast<int64_t>(task.devices.size()), 1);
    }
    if (!task.devices.empty()) {
      // A ring passes from machine to machine as often as there are machines.
      std::set<int> spanned;
      for (int device : task.devices)
        spanned.insert(machine[device]);
      simulation.bytesMoved += task.bytes;
      if (spanned.size() > 1)
        simulation.bytesBetweenMachines +=
            task.bytes / static_cast<int64_t>(task.devices.size()) *
            static_cast<int64_t>(spanned.size());
      continue;
    }
    if (task.sourceDevice < 0)
      continue;
    simulation.bytesMoved += task.bytes;
    if (machine[task.sourceDevice] != machine[task.device])
      simulation.bytesBetweenMachines += task.bytes;
  }
  simulation.path = ::soap::stretchesOf(simulation.tasks,
                                        ::soap::criticalPath(simulation.tasks));
  simulation.times = ::soap::deviceTimes(simulation.tasks, devices);
  assert(simulation.times.size() == simulation.busyNs.size() &&
         "times of each device");
  assert(simulation.bytesBetweenMachines <= simulation.bytesMoved &&
         "a part of all bytes");
}

//===----------------------------------------------------------------------===//
// Sums over the critical path and over devices
//===----------------------------------------------------------------------===//

namespace {

/// Most devices of which the matrix of the report has a row each.
constexpr int maxMatrixDevices = 256;

} // namespace

static ::soap::DeviceTimes sumOf(const Simulation &simulation) {
  ::soap::DeviceTimes sum;
  for (const ::soap::DeviceTimes &times : simulation.times) {
    sum.computeNs += times.computeNs;
    sum.movementNs += times.movementNs;
    sum.communicationNs += times.communicationNs;
    sum.exposedNs += times.exposedNs;
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void printDeviceList(llvm::json::OStream &json,
                            const Simulation &simulation,
                            const ::soap::Topology &topology) {
  json.attributeArray("devices", [&] {
    for (int device = 0; device < topology.deviceCount(); ++device)
      json.object([&] {
        const ::soap::DeviceTimes &times = simulation.times[device];
        json.attribute("name", topology.devices[device].name);
        json.attribute("busy_ns", simulation.busyNs[device]);
        json.attribute("compute_ns", times.computeNs);
        json.attribute("movement_ns", times.movementNs);
        json.attribute("communication_ns", times.communicationNs);
        json.attribute("exposed_communication_ns", times.exposedNs);
        json.attribute("peak_bytes", simulation.memoryBytes[device]);
        json.attribute("memory_bytes", topology.memoryBytes(device));
        if (!simulation.hostBytes.empty() && simulation.hostBytes[device] > 0)
          json.attribute("host_bytes", simulation.hostBytes[device]);
      });
  });
}

static void printBytes(llvm::json::OStream &json, const Simulation &simulation,
                       const ::soap::Topology &topology) {
  json.attribute("bytes_moved", simulation.bytesMoved);
  json.attribute("bytes_between_machines", simulation.bytesBetweenMachines);
  int64_t inCollectives = 0;
  for (const ::soap::Task &task : simulation.tasks.tasks)
    if (!task.devices.empty())
      inCollectives += task.bytes;
  json.attribute("bytes_in_collectives", inCollectives);
  if (simulation.bytesByKind)
    json.attributeObject("bytes_by_kind", [&] {
      for (int kind = 0; kind < ::soap::tensorKindCount; ++kind)
        json.attribute(
            ::soap::tensorKindName(static_cast<::soap::TensorKind>(kind)),
            (*simulation.bytesByKind)[kind]);
    });
  json.attributeArray("links", [&] {
    for (auto [link, bytes] :
         llvm::zip_equal(topology.links, simulation.linkBytes))
      json.object([&] {
        json.attribute("name", link.name);
        json.attribute("bytes", bytes);
      });
  });
  int devices = topology.deviceCount();
  if (devices > maxMatrixDevices)
    return;
  json.attributeArray("bytes_between", [&] {
    for (const std::vector<int64_t> &row :
         ::soap::transferBytes(simulation.tasks, devices))
      json.array([&] {
        for (int64_t bytes : row)
          json.value(bytes);
      });
  });
}

std::string mlir::soap::printReport(const ::soap::Graph &graph,
                                    const Simulation &simulation,
                                    const ::soap::Topology &topology) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  int64_t makespan = simulation.tasks.makespanNs;
  ::soap::DeviceTimes sum = sumOf(simulation);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("makespan_ns", makespan);
    json.attribute("tasks",
                   static_cast<int64_t>(simulation.tasks.tasks.size()));
    printSimulator(json, simulation.by);
    printAnomaly(json, simulation.anomaly);
    printBaselines(json, makespan, simulation.presets);
    if (!simulation.compared.empty())
      printComparison(json, summarizeRow("this strategy", simulation, topology),
                      simulation.compared);
    if (!simulation.recipes.empty())
      printHybridRows(json, makespan, simulation.recipes);
    json.attribute("compute_ns", sum.computeNs);
    json.attribute("movement_ns", sum.movementNs);
    json.attribute("communication_ns", sum.communicationNs);
    json.attribute("exposed_communication_ns", sum.exposedNs);
    if (const auto &passes = simulation.passes)
      json.attributeObject("pipeline", [&] {
        if (simulation.prediction)
          printPipelineReport(json, *simulation.prediction, *passes,
                              simulation.memoryBytes, topology);
        else
          printPassReport(json, *passes, topology);
      });
    printPath(json, simulation.path);
    printDeviceList(json, simulation, topology);
    printBytes(json, simulation, topology);
    json.attributeArray("exchanges", [&] {
      for (const ::soap::Exchange &exchange : simulation.exchanges)
        json.object([&] {
          json.attribute("value", graph.values[exchange.value].name);
          json.attribute("pattern", ::soap::patternName(exchange.pattern));
          json.attributeArray("devices", [&] {
            for (int device : exchange.devices)
              json.value(device);
          });
          json.attribute("bytes", exchange.bytes);
        });
    });
  });
  stream << '\n';
  return text;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

using ::soap::describeBytes;

void mlir::soap::printMoved(
    int64_t bytes, int64_t betweenMachines,
    const std::array<int64_t, ::soap::tensorKindCount> *byKind,
    llvm::raw_ostream &stream) {
  stream << "  moved " << describeBytes(bytes);
  if (betweenMachines > 0)
    stream << ", " << describeBytes(betweenMachines) << " between machines";
  const char *separator = ": ";
  for (int kind = 0; byKind && kind < ::soap::tensorKindCount; ++kind)
    if (int64_t ofKind = (*byKind)[static_cast<size_t>(kind)]) {
      std::string name =
          ::soap::tensorKindName(static_cast<::soap::TensorKind>(kind));
      std::replace(name.begin(), name.end(), '_', ' ');
      stream << separator << name << ' ' << describeBytes(ofKind);
      separator = ", ";
    }
  stream << '\n';
}

static void printTimes(const Simulation &simulation,
                       const ::soap::Topology &topology,
                       llvm::raw_ostream &stream) {
  int64_t makespan = simulation.tasks.makespanNs;
  if (!simulation.compared.empty())
    printComparison(summarizeRow("this strategy", simulation, topology),
                    simulation.compared, topology, stream);
  else
    printBaselines(makespan, simulation.presets, stream);
  if (!simulation.recipes.empty())
    printHybridRows(makespan, simulation.recipes, stream);
  ::soap::DeviceTimes sum = sumOf(simulation);
  stream << llvm::format("  compute %.3f ms on all devices together, assembled "
                         "tiles %.3f ms\n",
                         sum.computeNs * 1e-6, sum.movementNs * 1e-6);
  if (simulation.bytesMoved == 0)
    return;
  auto most =
      llvm::max_element(simulation.times, [](const ::soap::DeviceTimes &a,
                                             const ::soap::DeviceTimes &b) {
        return a.exposedNs < b.exposedNs;
      });
  int device = static_cast<int>(most - simulation.times.begin());
  stream << llvm::format(
      "  communication not hidden: %.1f %% of the time, at most %.1f %% (%s)\n",
      100 * shareOf(sum.exposedNs, makespan * topology.deviceCount()),
      100 * shareOf(most->exposedNs, makespan),
      topology.devices[device].name.c_str());
  printMoved(simulation.bytesMoved, simulation.bytesBetweenMachines,
             simulation.bytesByKind ? &*simulation.bytesByKind : nullptr,
             stream);
}

void mlir::soap::printSummary(const ::soap::Graph &graph,
                              const Simulation &simulation,
                              const ::soap::Topology &topology,
                              llvm::raw_ostream &stream) {
  int64_t makespanNs = simulation.tasks.makespanNs;
  printMakespan(simulation.by, makespanNs,
                static_cast<int64_t>(simulation.tasks.tasks.size()), stream);
  printAnomaly(simulation.anomaly, makespanNs, stream);
  if (simulation.prediction)
    printPipelineSummary(*simulation.prediction, *simulation.passes,
                         simulation.memoryBytes, topology, stream);
  else if (simulation.passes)
    printPassSummary(*simulation.passes, topology, stream);
  printTimes(simulation, topology, stream);
  printPath(simulation.path, makespanNs, stream);
  printDevices(topology, simulation.busyNs, simulation.memoryBytes,
               simulation.hostBytes, makespanNs, stream);
  if (simulation.bytesMoved == 0)
    stream << "  no communication\n";
  // Exchanges by pattern; the largest of each as an example.
  struct Sum {
    int count = 0;
    int64_t bytes = 0;
    const ::soap::Exchange *largest = nullptr;
  };
  std::map<std::string, Sum> sums;
  for (const ::soap::Exchange &exchange : simulation.exchanges) {
    Sum &sum = sums[::soap::patternName(exchange.pattern)];
    ++sum.count;
    sum.bytes += exchange.bytes;
    if (!sum.largest || exchange.bytes > sum.largest->bytes)
      sum.largest = &exchange;
  }
  for (const auto &[pattern, sum] : sums)
    stream << llvm::format(
        "  %-14s %5d exchanges %12.3f KiB, largest of '%s'\n", pattern.c_str(),
        sum.count, sum.bytes / 1024.0,
        graph.values[sum.largest->value].name.c_str());
}
