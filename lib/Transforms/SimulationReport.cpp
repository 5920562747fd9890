//===- SimulationReport.cpp - What a simulation says ----------------------===//
//
// Prices a strategy and prints the result as JSON and as a table.
//
//===----------------------------------------------------------------------===//

#include "SimulationReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <map>

using namespace mlir::soap;

Simulation mlir::soap::simulate(const ::soap::Graph &graph,
                                const ::soap::Strategy &strategy,
                                const ::soap::Topology &topology) {
  Simulation result;
  int devices = topology.deviceCount();
  result.plan = ::soap::buildPlan(graph, strategy, topology);
  result.tasks =
      ::soap::buildTaskGraph(graph, result.plan, ::soap::CostModel(topology));
  ::soap::simulateFull(result.tasks);
  result.order = ::soap::scheduleOrder(result.tasks);
  result.peakBytes = ::soap::peakBytes(
      graph, result.plan, ::soap::actionOrder(result.plan, result.order),
      devices);
  summarizeTasks(result, topology);
  result.exchanges = ::soap::classifyExchanges(graph, result.plan);
  return result;
}

void mlir::soap::summarizeTasks(Simulation &simulation,
                                const ::soap::Topology &topology) {
  int devices = topology.deviceCount();
  simulation.busyNs.assign(devices, 0);
  simulation.linkBytes.assign(topology.links.size(), 0);
  for (const ::soap::Task &task : simulation.tasks.tasks)
    for (int resource : task.resources) {
      if (resource < devices)
        simulation.busyNs[resource] += task.durationNs;
      else
        simulation.linkBytes[resource - devices] += task.bytes;
    }
}

std::string mlir::soap::printReport(const ::soap::Graph &graph,
                                    const Simulation &simulation,
                                    const ::soap::Topology &topology) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  int devices = topology.deviceCount();
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("makespan_ns", simulation.tasks.makespanNs);
    json.attributeArray("devices", [&] {
      for (int device = 0; device < devices; ++device)
        json.object([&] {
          json.attribute("busy_ns", simulation.busyNs[device]);
          json.attribute("peak_bytes", simulation.peakBytes[device]);
        });
    });
    json.attributeArray("links", [&] {
      for (auto [link, bytes] :
           llvm::zip_equal(topology.links, simulation.linkBytes))
        json.object([&] {
          json.attribute("name", link.name);
          json.attribute("bytes", bytes);
        });
    });
    json.attributeArray("bytes_between", [&] {
      for (const std::vector<int64_t> &row :
           ::soap::bytesBetween(simulation.tasks, devices))
        json.array([&] {
          for (int64_t bytes : row)
            json.value(bytes);
        });
    });
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

void mlir::soap::printSummary(const ::soap::Graph &graph,
                              const Simulation &simulation,
                              const ::soap::Topology &topology,
                              llvm::raw_ostream &stream) {
  int64_t makespan = simulation.tasks.makespanNs;
  stream << llvm::format("simulated time per iteration: %.3f ms, %zu tasks\n",
                         makespan * 1e-6, simulation.tasks.tasks.size());
  for (int device = 0; device < topology.deviceCount(); ++device)
    stream << llvm::format(
        "  %-12s busy %5.1f %%  peak memory %10.3f MiB\n",
        topology.devices[device].name.c_str(),
        makespan ? 100.0 * simulation.busyNs[device] / makespan : 0.0,
        simulation.peakBytes[device] / 1048576.0);
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
  if (sums.empty())
    stream << "  no communication\n";
  for (const auto &[pattern, sum] : sums)
    stream << llvm::format(
        "  %-14s %5d exchanges %12.3f KiB, largest of '%s'\n", pattern.c_str(),
        sum.count, sum.bytes / 1024.0,
        graph.values[sum.largest->value].name.c_str());
}
