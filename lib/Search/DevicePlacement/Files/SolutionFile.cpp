//===- SolutionFile.cpp - Placements as JSON ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reader and writer of solutions; see docs/Placement.md.
//
//===----------------------------------------------------------------------===//

#include "Search/DevicePlacement/IdentifierTable.h"
#include "Soap/Search/DevicePlacement/Files.h"
#include "Support/Json.h"

#include <cmath>
#include <limits>
#include <unordered_map>

using namespace soap;
using namespace soap::placement;
using jsonfile::Cursor;
using nlohmann::json;

static constexpr double maxNumber = std::numeric_limits<double>::max();

/// Members of a schedule's tasks, by `RoundTask::Kind`.
static constexpr const char *taskNames[] = {"compute", "write", "read"};

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

class SolutionReader {
public:
  /// Of a split, classes are completed.
  SolutionReader(const Problem &problem, bool isSplit)
      : problem(problem), isSplit(isSplit), indices(problem.nodes) {}

  SolutionFile read(const Cursor &root) {
    root.expectObject({"version", "max_load", "latency", "optimal", "bound",
                       "seconds", "objective", "devices", "pipeline",
                       "schedule"});
    root.expectVersion();
    solution.optimal = root["optimal"].boolean();
    solution.bound = root["bound"].number(0, maxNumber);
    solution.seconds = root["seconds"].number(0, maxNumber);
    if (root.has("latency") && root.has("max_load"))
      root.fail("expected 'max_load' or 'latency', got both");
    if (root.has("latency"))
      solution.latency = root["latency"].number(0, maxNumber);
    else
      solution.maxLoad = root["max_load"].number(0, maxNumber);
    if (root.has("objective"))
      readObjective(root["objective"]);
    readDevices(root["devices"]);
    if (root.has("pipeline"))
      root["pipeline"].forEach([&](const Cursor &at) { readStage(at); });
    if (root.has("schedule"))
      readSchedule(root["schedule"]);
    return std::move(solution);
  }

  /// A file of the published programs. Devices without nodes do not count.
  SolutionFile readPublished(const Cursor &root) {
    root.expectObject({"maxLoad", "totalLatency", "fpgas", "cpus"});
    clearDevices();
    int next = 0;
    for (const char *kind : {"fpgas", "cpus"}) {
      bool cpu = kind[0] == 'c';
      int last = cpu ? problem.deviceCount() : problem.accelerators;
      next = cpu ? problem.accelerators : 0;
      for (const Cursor &element : root[kind].elements()) {
        element.expectObject({"load", "nodes"});
        std::vector<int> nodes = readNodes(element["nodes"]);
        if (nodes.empty())
          continue;
        if (next == last)
          element.fail(
              "expected at most " +
              std::to_string(cpu ? problem.cpus : problem.accelerators) +
              " devices of this kind");
        for (int node : nodes)
          place(element["nodes"], node, next);
        ++next;
      }
    }
    completeClasses(root);
    expectAllPlaced(root);
    return std::move(solution);
  }

private:
  const Problem &problem;
  bool isSplit;
  SolutionFile solution;
  IdentifierTable indices;

  bool choice(const Cursor &at, const char *no, const char *yes) {
    std::string text = at.string();
    if (text != no && text != yes)
      at.failExpected("\"" + std::string(no) + "\" or \"" + yes + "\"");
    return text == yes;
  }

  void readObjective(const Cursor &at) {
    at.expectObject({"overlap", "schedule", "contiguous", "replication",
                     "all_reduce_bytes_per_time", "accelerators_per_host",
                     "inside_host_factor", "subgraphs"});
    Objective &objective = solution.objective;
    if (at.has("overlap") && choice(at["overlap"], "none", "full"))
      objective.overlap = Overlap::Full;
    if (at.has("schedule") && choice(at["schedule"], "1f1b", "gpipe"))
      objective.schedule = Schedule::GPipe;
    if (at.has("contiguous"))
      objective.contiguous = at["contiguous"].boolean();
    if (at.has("replication"))
      objective.replication = at["replication"].boolean();
    if (at.has("all_reduce_bytes_per_time"))
      objective.allReduceBytesPerTime =
          at["all_reduce_bytes_per_time"].number(0, maxNumber);
    if (at.has("accelerators_per_host"))
      objective.acceleratorsPerHost = static_cast<int>(
          at["accelerators_per_host"].integer(0, maxAccelerators));
    if (at.has("inside_host_factor"))
      objective.insideHostFactor = at["inside_host_factor"].number(0, 1);
    if (at.has("subgraphs"))
      solution.subgraphsPerDevice =
          static_cast<int>(at["subgraphs"].integer(1, maxSubgraphs));
    if (MaybeError error = objective.check())
      at.fail(error->message);
  }

  std::vector<int> readNodes(const Cursor &at) {
    constexpr int64_t most = std::numeric_limits<int64_t>::max() / 2;
    std::vector<int> nodes;
    at.forEach([&](const Cursor &element) {
      int index = indices.find(element.integer(-most, most));
      if (index < 0)
        element.failExpected("the identifier of a node");
      nodes.push_back(index);
    });
    return nodes;
  }

  void readDevices(const Cursor &at) {
    int next[2] = {0, problem.accelerators};
    const int most[2] = {problem.accelerators, problem.deviceCount()};
    clearDevices();
    for (const Cursor &element : at.elements()) {
      element.expectObject(
          {"kind", "load", "nodes", "replicas", "index", "subgraphs"});
      bool cpu = choice(element["kind"], "accelerator", "cpu");
      int device = next[cpu];
      if (element.has("index"))
        device = (cpu ? problem.accelerators : 0) +
                 static_cast<int>(element["index"].integer(
                     0, most[cpu] - (cpu ? problem.accelerators : 0) - 1));
      if (device >= most[cpu] ||
          std::count(solution.devices.begin(), solution.devices.end(), device))
        return element.fail(
            std::string("expected at most ") +
            std::to_string(cpu ? problem.cpus : problem.accelerators) +
            " distinct devices of this kind");
      next[cpu] = device + 1;
      solution.devices.push_back(device);
      solution.loads.push_back(element["load"].number(0, maxNumber));
      for (int node : readNodes(element["nodes"]))
        place(element["nodes"], node, device);
      if (element.has("replicas"))
        solution.placement.replicas[device] =
            static_cast<int>(element["replicas"].integer(1, maxAccelerators));
      if (element.has("subgraphs"))
        readSubgraphs(element["subgraphs"], device);
    }
    if (isSplit)
      completeClasses(at);
    expectAllPlaced(at);
  }

  void clearDevices() {
    solution.placement.deviceOf.assign(problem.nodes.size(), -1);
    solution.placement.replicas.assign(problem.deviceCount(), 1);
    solution.subgraphOf.assign(problem.nodes.size(), 0);
  }

  void expectAllPlaced(const Cursor &at) {
    for (size_t i = 0; i < problem.nodes.size(); ++i)
      if (solution.placement.deviceOf[i] < 0)
        return at.fail(
            "expected node " + std::to_string(problem.nodes[i].id) +
            " on a device, it is on none" +
            (isSplit ? ", and nor is another node of its color class" : ""));
  }

  /// A node that is on no device is where the others of its class are. Classes
  /// that are apart are for `verify` to refuse.
  void completeClasses(const Cursor &at) {
    std::unordered_map<int64_t, int> memberOf;
    for (size_t i = 0; i < problem.nodes.size(); ++i)
      if (problem.nodes[i].colorClass && solution.placement.deviceOf[i] >= 0)
        memberOf.emplace(*problem.nodes[i].colorClass, static_cast<int>(i));
    for (size_t i = 0; i < problem.nodes.size(); ++i) {
      if (!problem.nodes[i].colorClass || solution.placement.deviceOf[i] >= 0)
        continue;
      auto found = memberOf.find(*problem.nodes[i].colorClass);
      if (found == memberOf.end())
        continue;
      if (std::any_of(solution.subgraphOf.begin(), solution.subgraphOf.end(),
                      [](int number) { return number > 0; }))
        return at.fail("expected node " + std::to_string(problem.nodes[i].id) +
                       " in a subgraph, it is in none");
      solution.placement.deviceOf[i] =
          solution.placement.deviceOf[found->second];
    }
  }

  void place(const Cursor &at, int node, int device) {
    if (solution.placement.deviceOf[node] >= 0)
      at.fail("expected each node once, got node " +
              std::to_string(problem.nodes[node].id) + " again");
    solution.placement.deviceOf[node] = device;
  }

  void readSubgraphs(const Cursor &at, int device) {
    int number = 0;
    for (const Cursor &element : at.elements()) {
      for (int node : readNodes(element))
        if (solution.placement.deviceOf[node] != device)
          element.fail("expected nodes of this device, got node " +
                       std::to_string(problem.nodes[node].id));
        else
          solution.subgraphOf[node] = number;
      ++number;
    }
  }

  /// A device that the file lists, by its place there.
  int readDevice(const Cursor &at) {
    int64_t last = static_cast<int64_t>(solution.devices.size()) - 1;
    int64_t index = at.integer(0, std::max<int64_t>(last, 0));
    return last < 0 ? 0 : solution.devices[index];
  }

  void readSchedule(const Cursor &at) {
    at.expectObject({"period", "backward_period", "tasks"});
    RoundSchedule schedule;
    schedule.period = at["period"].number(0, maxNumber);
    if (at.has("backward_period"))
      schedule.backwardPeriod = at["backward_period"].number(0, maxNumber);
    int64_t stages = static_cast<int64_t>(solution.pipeline.size());
    if (stages == 0)
      return at.fail("expected the stages in 'pipeline', too");
    at["tasks"].forEach([&](const Cursor &element) {
      element.expectObject(
          {"device", "compute", "write", "read", "begin", "end"});
      RoundTask task;
      task.device = readDevice(element["device"]);
      int kinds = 0;
      for (auto kind : {RoundTask::Compute, RoundTask::Write, RoundTask::Read})
        if (element.has(taskNames[kind])) {
          ++kinds;
          task.kind = kind;
          task.stage =
              static_cast<int>(element[taskNames[kind]].integer(0, stages - 1));
        }
      if (kinds != 1)
        element.fail("expected one of 'compute', 'write' and 'read'");
      task.begin = element["begin"].number(0, maxNumber);
      task.end = element["end"].number(0, maxNumber);
      schedule.tasks.push_back(task);
    });
    solution.schedule = std::move(schedule);
  }

  void readStage(const Cursor &at) {
    at.expectObject({"device", "nodes"});
    PipelineStage stage;
    stage.device = readDevice(at["device"]);
    stage.nodes = readNodes(at["nodes"]);
    solution.pipeline.push_back(std::move(stage));
  }
};

} // namespace

Expected<SolutionFile> placement::parseSolution(const Problem &problem,
                                                const std::string &text,
                                                const std::string &file) {
  Expected<json> document = jsonfile::parse(text, file);
  if (!document)
    return document.takeError();
  return jsonfile::read(*document, file, [&](const Cursor &root) {
    return SolutionReader(problem, /*isSplit=*/false).read(root);
  });
}

Expected<SolutionFile> placement::parseSplit(const Problem &problem,
                                             const std::string &text,
                                             const std::string &file) {
  Expected<json> document = jsonfile::parse(text, file);
  if (!document)
    return document.takeError();
  return jsonfile::read(*document, file, [&](const Cursor &root) {
    SolutionReader reader(problem, /*isSplit=*/true);
    bool isPublished = root.has("fpgas") || root.has("cpus");
    return isPublished ? reader.readPublished(root) : reader.read(root);
  });
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static json identifiers(const Problem &problem, const std::vector<int> &nodes) {
  json result = json::array();
  for (int node : nodes)
    result.push_back(problem.nodes[node].id);
  return result;
}

/// Options that differ from the default, so that common solutions have none.
static json toJson(const SolutionFile &solution) {
  const Objective &objective = solution.objective;
  json result = json::object();
  if (objective.overlap == Overlap::Full)
    result["overlap"] = "full";
  if (objective.schedule == Schedule::GPipe)
    result["schedule"] = "gpipe";
  if (!objective.contiguous)
    result["contiguous"] = false;
  if (objective.replication) {
    result["replication"] = true;
    result["all_reduce_bytes_per_time"] = objective.allReduceBytesPerTime;
  }
  if (objective.hasHosts()) {
    result["accelerators_per_host"] = objective.acceleratorsPerHost;
    result["inside_host_factor"] = objective.insideHostFactor;
  }
  if (solution.subgraphsPerDevice > 1)
    result["subgraphs"] = solution.subgraphsPerDevice;
  return result;
}

/// Nodes by subgraph of one device.
static std::vector<std::vector<int>> subgraphs(const SolutionFile &solution,
                                               const std::vector<int> &nodes) {
  std::vector<std::vector<int>> result;
  for (int node : nodes) {
    size_t number = solution.subgraphOf[node];
    if (result.size() <= number)
      result.resize(number + 1);
    result[number].push_back(node);
  }
  return result;
}

std::string placement::printSolution(const Problem &problem,
                                     const SolutionFile &solution) {
  const Placement &placement = solution.placement;
  std::vector<std::vector<int>> nodesOf(problem.deviceCount());
  for (size_t i = 0; i < placement.deviceOf.size(); ++i)
    nodesOf[placement.deviceOf[i]].push_back(static_cast<int>(i));
  json devices = json::array();
  std::vector<int> numberOf(problem.deviceCount());
  for (size_t i = 0; i < solution.devices.size(); ++i) {
    int device = solution.devices[i];
    bool accelerator = problem.isAccelerator(device);
    numberOf[device] = static_cast<int>(i);
    json entry = {{"kind", accelerator ? "accelerator" : "cpu"},
                  {"load", solution.loads[i]},
                  {"nodes", identifiers(problem, nodesOf[device])}};
    if (placement.replicasOf(device) > 1)
      entry["replicas"] = placement.replicasOf(device);
    if (solution.objective.hasHosts())
      entry["index"] = accelerator ? device : device - problem.accelerators;
    if (solution.latency && accelerator &&
        (solution.subgraphsPerDevice > 1 || problem.isTraining())) {
      entry["subgraphs"] = json::array();
      for (const std::vector<int> &nodes : subgraphs(solution, nodesOf[device]))
        entry["subgraphs"].push_back(identifiers(problem, nodes));
    }
    devices.push_back(std::move(entry));
  }
  json document = {{"version", 1},
                   {"optimal", solution.optimal},
                   {"bound", solution.bound},
                   {"seconds", solution.seconds},
                   {"devices", std::move(devices)}};
  document[solution.latency ? "latency" : "max_load"] =
      solution.latency ? *solution.latency : *solution.maxLoad;
  if (json objective = toJson(solution); !objective.empty())
    document["objective"] = std::move(objective);
  if (!solution.pipeline.empty()) {
    json stages = json::array();
    for (const PipelineStage &stage : solution.pipeline)
      stages.push_back({{"device", numberOf[stage.device]},
                        {"nodes", identifiers(problem, stage.nodes)}});
    document["pipeline"] = std::move(stages);
  }
  if (solution.schedule) {
    json tasks = json::array();
    for (const RoundTask &task : solution.schedule->tasks)
      tasks.push_back({{"device", numberOf[task.device]},
                       {taskNames[task.kind], task.stage},
                       {"begin", task.begin},
                       {"end", task.end}});
    json schedule = {{"period", solution.schedule->period},
                     {"tasks", std::move(tasks)}};
    if (solution.schedule->backwardPeriod > 0)
      schedule["backward_period"] = solution.schedule->backwardPeriod;
    document["schedule"] = std::move(schedule);
  }
  return document.dump() + "\n";
}
