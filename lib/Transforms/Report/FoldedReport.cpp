//===- FoldedReport.cpp - A simulation of classes of devices --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over classes count every member.
//
//===----------------------------------------------------------------------===//

#include "FoldedReport.h"

#include "Search/Report/SearchSummary.h"
#include "StrategyComparison.h"

#include "Soap/Memory/HostMemory.h"
#include "Soap/Memory/PlanMemory.h"
#include "Soap/Simulator/Algorithm1Simulator.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <cassert>

using namespace mlir::soap;

FoldedSimulation mlir::soap::simulateFolded(const ::soap::Graph &graph,
                                            const ::soap::Strategy &strategy,
                                            const ::soap::Topology &topology) {
  ::soap::CostModel cost(topology);
  ::soap::StrategyPlan plan(graph, cost);
  plan.set(strategy);
  FoldedSimulation result;
  result.folded = ::soap::foldPlan(plan);
  ::soap::TaskGraph &tasks = result.folded.graph;
  ::soap::simulateFull(tasks);
  result.path = ::soap::stretchesOf(tasks, ::soap::criticalPath(tasks));
  std::vector<int64_t> bytes = plan.tileBytes();
  for (int device = 0; device < topology.deviceCount(); ++device)
    if (bytes[device] > topology.typeOf(device).memoryBytes) {
      bytes = ::soap::peakBytes(plan);
      break;
    }
  std::vector<int64_t> inHost = ::soap::hostBytes(plan);
  result.hostLack = ::soap::describeHostLack(topology, inHost);
  assert(result.folded.resourceClasses.size() >=
             static_cast<size_t>(topology.deviceCount()) &&
         "a class a device");
  result.memoryBytes.assign(tasks.resources.size(), 0);
  result.hostBytes.assign(tasks.resources.size(), 0);
  for (int device = 0; device < topology.deviceCount(); ++device) {
    int of = result.folded.resourceClasses[device];
    assert(of >= 0 && static_cast<size_t>(of) < result.memoryBytes.size() &&
           "a class of devices");
    result.memoryBytes[of] = std::max(result.memoryBytes[of], bytes[device]);
    result.hostBytes[of] = std::max(result.hostBytes[of], inHost[device]);
  }
  return result;
}

namespace {

/// Nanoseconds of all members.
struct Sums {
  int64_t computeNs = 0, movementNs = 0, transferNs = 0;
};

} // namespace

static Sums sumsOf(const FoldedSimulation &simulation) {
  Sums sums;
  const std::vector<::soap::Task> &tasks = simulation.folded.graph.tasks;
  for (size_t t = 0; t < tasks.size(); ++t) {
    int64_t ns =
        (tasks[t].endNs - tasks[t].startNs) * simulation.folded.taskCounts[t];
    switch (::soap::classOf(tasks[t])) {
    case ::soap::TaskClass::Compute:
      sums.computeNs += ns;
      break;
    case ::soap::TaskClass::Movement:
      sums.movementNs += ns;
      break;
    case ::soap::TaskClass::Transfer:
      sums.transferNs += ns;
      break;
    }
  }
  return sums;
}

/// Time that a resource of the folded graph is occupied.
static std::vector<int64_t> busyNs(const FoldedSimulation &simulation) {
  const ::soap::TaskGraph &graph = simulation.folded.graph;
  std::vector<int64_t> busy(graph.resources.size());
  for (const ::soap::Task &task : graph.tasks)
    for (int resource : task.resources)
      busy[resource] += task.endNs - task.startNs;
  return busy;
}

std::string mlir::soap::printFoldedReport(const FoldedSimulation &simulation,
                                          const ::soap::Topology &topology) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  const ::soap::FoldedPlan &folded = simulation.folded;
  Sums sums = sumsOf(simulation);
  std::vector<int64_t> busy = busyNs(simulation);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("makespan_ns", folded.graph.makespanNs);
    json.attribute("tasks", folded.unfoldedTasks);
    json.attributeObject("folded", [&] {
      json.attribute("tasks", static_cast<int64_t>(folded.graph.tasks.size()));
      json.attribute("devices", folded.deviceClasses);
      json.attribute("unfolded_devices", topology.deviceCount());
      if (!folded.reason.empty())
        json.attribute("reason", folded.reason);
    });
    printAnomaly(json, simulation.anomaly);
    printBaselines(json, folded.graph.makespanNs, simulation.presets);
    json.attribute("compute_ns", sums.computeNs);
    json.attribute("movement_ns", sums.movementNs);
    json.attribute("transfer_ns", sums.transferNs);
    json.attributeArray("critical_path", [&] {
      for (const ::soap::PathStretch &stretch : simulation.path)
        json.object([&] {
          json.attribute("op", stretch.subject);
          json.attribute("tasks", stretch.tasks);
          json.attribute("start_ns", stretch.startNs);
          json.attribute("end_ns", stretch.endNs);
          json.attribute("queued_ns", stretch.queuedNs);
        });
    });
    json.attributeArray("device_classes", [&] {
      for (size_t r = 0; r < folded.graph.resources.size(); ++r)
        if (!folded.graph.resources[r].isLink)
          json.object([&] {
            json.attribute("first", folded.graph.resources[r].name);
            json.attribute("devices", folded.resourceCounts[r]);
            json.attribute("busy_ns", busy[r]);
            json.attribute("memory_bytes_at_most", simulation.memoryBytes[r]);
            if (simulation.hostBytes[r] > 0)
              json.attribute("host_bytes", simulation.hostBytes[r]);
          });
    });
  });
  stream << '\n';
  return text;
}

void mlir::soap::printFoldedSummary(const FoldedSimulation &simulation,
                                    const ::soap::Topology &topology,
                                    llvm::raw_ostream &stream) {
  const ::soap::FoldedPlan &folded = simulation.folded;
  int64_t makespanNs = folded.graph.makespanNs;
  stream << llvm::format("simulated time per iteration: %.3f ms, %lld tasks\n",
                         makespanNs * 1e-6,
                         static_cast<long long>(folded.unfoldedTasks));
  printAnomaly(simulation.anomaly, makespanNs, stream);
  stream << llvm::format("  folded: %d devices in %d classes, tasks in %zu\n",
                         topology.deviceCount(), folded.deviceClasses,
                         folded.graph.tasks.size());
  if (!folded.reason.empty())
    stream << "  no two devices fold: " << folded.reason << '\n';
  printBaselines(makespanNs, simulation.presets, stream);
  Sums sums = sumsOf(simulation);
  stream << llvm::format("  compute %.3f ms on all devices together, assembled "
                         "tiles %.3f ms\n",
                         sums.computeNs * 1e-6, sums.movementNs * 1e-6);
  std::vector<int64_t> busy = busyNs(simulation);
  constexpr int maxClasses = 16;
  int shown = 0;
  for (size_t r = 0; r < folded.graph.resources.size(); ++r) {
    if (folded.graph.resources[r].isLink || shown++ >= maxClasses)
      continue;
    stream << llvm::format(
        "  %-12s x %-6lld busy %5.1f %%  memory at most %10s",
        folded.graph.resources[r].name.c_str(),
        static_cast<long long>(folded.resourceCounts[r]),
        100.0 * static_cast<double>(busy[r]) / static_cast<double>(makespanNs),
        ::soap::describeBytes(simulation.memoryBytes[r]).c_str());
    if (simulation.hostBytes[r] > 0)
      stream << ", in host memory "
             << ::soap::describeBytes(simulation.hostBytes[r]);
    stream << '\n';
  }
  if (shown > maxClasses)
    stream << "  ... and " << shown - maxClasses << " classes more\n";
}
