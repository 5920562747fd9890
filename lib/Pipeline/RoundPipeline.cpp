//===- RoundPipeline.cpp - Pipelines of any placement ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of rounds gives each device an order of its passes; Algorithm 1
// gives them times. Nothing is later than in the schedule where transfers do
// not wait for links, so that the pace is that of the slowest device.
//
//===----------------------------------------------------------------------===//

#include "Soap/Pipeline/RoundPipeline.h"

#include "RoundPlaces.h"
#include "Soap/Simulator/Algorithm1Simulator.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

using namespace soap;

namespace {

int64_t passNs(const RoundStage &stage) {
  return std::max<int64_t>(stage.ns, 1);
}

/// The device of a group that has a microbatch.
int deviceFor(const RoundGroup &group, int64_t microbatch) {
  assert(microbatch >= 0 && group.replicas > 0 && "no such microbatch");
  return group.first + static_cast<int>(microbatch % group.replicas);
}

/// After how many microbatches all groups' turns repeat.
int64_t turnsOf(const RoundPipeline &pipeline) {
  int64_t turns = 1;
  for (const RoundGroup &group : pipeline.groups)
    turns = std::lcm(turns, group.replicas);
  return turns;
}

/// Work for one microbatch by pass and resource, in the mean of all turns.
std::array<std::vector<double>, 2> findLoads(const RoundPipeline &pipeline,
                                             const Topology &topology) {
  std::array<std::vector<double>, 2> loads;
  for (std::vector<double> &list : loads)
    list.resize(makeResources(topology).size());
  int64_t turns = turnsOf(pipeline);
  double share = 1.0 / static_cast<double>(turns);
  for (int64_t m = 0; m < turns; ++m) {
    for (const RoundStage &stage : pipeline.stages)
      loads[stage.backward][deviceFor(pipeline.groups[stage.group], m)] +=
          share * static_cast<double>(passNs(stage));
    for (const RoundEdge &edge : pipeline.edges) {
      const RoundStage &from = pipeline.stages[edge.from],
                       &to = pipeline.stages[edge.to];
      if (from.group == to.group)
        continue;
      int a = deviceFor(pipeline.groups[from.group], m),
          b = deviceFor(pipeline.groups[to.group], m);
      for (int resource : transferResources(topology, a, b))
        loads[from.backward][resource] +=
            share * static_cast<double>(topology.transferNs(a, b, edge.bytes));
    }
  }
  return loads;
}

struct Load {
  /// Of rounds; with 1F1B the second is the first.
  std::array<double, 2> periods{};
  double total = 0;
  int resource = 0;
};

Load findLoad(const RoundPipeline &pipeline, PipelineSchedule schedule,
              const Topology &topology) {
  auto loads = findLoads(pipeline, topology);
  auto most = [](const std::vector<double> &list) {
    return static_cast<int>(std::max_element(list.begin(), list.end()) -
                            list.begin());
  };
  Load load;
  if (schedule == PipelineSchedule::GPipe) {
    int forward = most(loads[0]), backward = most(loads[1]);
    load.periods = {loads[0][forward], loads[1][backward]};
    load.total = load.periods[0] + load.periods[1];
    load.resource = load.periods[0] > load.periods[1] ? forward : backward;
    return load;
  }
  for (size_t r = 0; r < loads[0].size(); ++r)
    loads[0][r] += loads[1][r];
  load.resource = most(loads[0]);
  load.total = loads[0][load.resource];
  load.periods = {load.total, load.total};
  return load;
}

/// By stage, when the first microbatch begins it in the schedule of rounds. A
/// transfer counts with `patience` times what it takes, as it may have to wait
/// for links.
std::vector<double> findBegins(const RoundPipeline &pipeline,
                               PipelineSchedule schedule,
                               const Topology &topology, const Load &load,
                               double patience) {
  bool isGPipe = schedule == PipelineSchedule::GPipe;
  std::vector<double> begins(pipeline.stages.size()),
      ready(pipeline.stages.size());
  std::map<std::pair<int, bool>, double> totals;
  auto keyOf = [&](const RoundStage &stage) {
    return std::pair(stage.group, isGPipe && stage.backward);
  };
  for (const RoundStage &stage : pipeline.stages)
    totals[keyOf(stage)] += static_cast<double>(passNs(stage));
  std::map<std::pair<int, bool>, RoundPlaces> places;
  std::vector<std::vector<const RoundEdge *>> leaving(pipeline.stages.size());
  for (const RoundEdge &edge : pipeline.edges)
    leaving[edge.from].push_back(&edge);
  for (size_t s = 0; s < pipeline.stages.size(); ++s) {
    const RoundStage &stage = pipeline.stages[s];
    const RoundGroup &group = pipeline.groups[stage.group];
    double cycle = load.periods[stage.backward] * group.replicas;
    auto it =
        places
            .try_emplace(keyOf(stage), RoundPlaces(cycle, totals[keyOf(stage)]))
            .first;
    auto ns = static_cast<double>(passNs(stage));
    begins[s] = it->second.place(ready[s], ns);
    for (const RoundEdge *edge : leaving[s]) {
      assert(edge->to > edge->from && "edges go to later stages");
      const RoundStage &to = pipeline.stages[edge->to];
      if (isGPipe && to.backward && !stage.backward)
        continue; // all forward passes are over
      double arrives = begins[s] + ns;
      int64_t longest = 0;
      const RoundGroup &other = pipeline.groups[to.group];
      for (int64_t m = 0; m < int64_t(group.replicas) * other.replicas; ++m)
        if (to.group != stage.group)
          longest = std::max(longest, topology.transferNs(deviceFor(group, m),
                                                          deviceFor(other, m),
                                                          edge->bytes));
      arrives += patience * static_cast<double>(longest);
      ready[edge->to] = std::max(ready[edge->to], arrives);
    }
  }
  return begins;
}

class RoundTasks {
public:
  RoundTasks(const RoundPipeline &pipeline, PipelineSchedule schedule,
             const Topology &topology, const Load &load,
             const std::vector<double> &begins)
      : pipeline(pipeline), isGPipe(schedule == PipelineSchedule::GPipe),
        topology(topology), load(load), begins(begins) {}

  TaskGraph build() {
    graph.resources = makeResources(topology);
    for (const RoundGroup &group : pipeline.groups)
      for (int r = 0; r < group.replicas; ++r)
        addDevice(group, r);
    for (const RoundEdge &edge : pipeline.edges)
      for (int64_t m = 0; m < pipeline.microbatches; ++m)
        addEdge(edge, m);
    addUpdates();
    for (Task &task : graph.tasks)
      std::sort(task.preds.begin(), task.preds.end());
    return std::move(graph);
  }

  /// The task of a stage and a microbatch.
  int taskOf(int stage, int64_t microbatch) const {
    return passes.at({stage, microbatch});
  }

private:
  const RoundPipeline &pipeline;
  bool isGPipe;
  const Topology &topology;
  const Load &load;
  const std::vector<double> &begins;
  std::map<std::pair<int, int64_t>, int> passes;
  std::map<int, int> lastOf; ///< by device, its last pass
  TaskGraph graph;

  Task &add(std::string name, const char *kind, int device) {
    Task &task = graph.tasks.emplace_back();
    task.name = std::move(name);
    task.kind = kind;
    task.device = device;
    task.key = {static_cast<int>(graph.tasks.size()) - 1};
    return task;
  }
  int lastTask() const { return static_cast<int>(graph.tasks.size()) - 1; }

  /// The passes of a device: those that are first in the schedule come first.
  void addDevice(const RoundGroup &group, int replica) {
    int device = group.first + replica;
    struct Pass {
      bool isLate;
      double begin;
      int stage;
      int64_t microbatch;
    };
    std::vector<Pass> list;
    for (size_t s = 0; s < pipeline.stages.size(); ++s) {
      const RoundStage &stage = pipeline.stages[s];
      if (&pipeline.groups[stage.group] != &group)
        continue;
      for (int64_t m = replica; m < pipeline.microbatches;
           m += group.replicas) {
        bool isLate = isGPipe && stage.backward;
        list.push_back(
            {isLate,
             begins[s] + load.periods[stage.backward] * static_cast<double>(m),
             static_cast<int>(s), m});
      }
    }
    std::sort(list.begin(), list.end(), [](const Pass &a, const Pass &b) {
      return std::tie(a.isLate, a.begin, a.stage, a.microbatch) <
             std::tie(b.isLate, b.begin, b.stage, b.microbatch);
    });
    int last = -1;
    for (const Pass &pass : list) {
      bool backward = pipeline.stages[pass.stage].backward;
      Task &task = add("stage" + std::to_string(pass.stage) +
                           (backward ? ".backward[" : ".forward[") +
                           std::to_string(pass.microbatch) + "]",
                       backward ? "backward" : "forward", device);
      task.durationNs = passNs(pipeline.stages[pass.stage]);
      task.resources = {device};
      if (last >= 0)
        task.preds = {last};
      last = lastTask();
      passes[{pass.stage, pass.microbatch}] = last;
    }
    lastOf[device] = last;
  }

  void addEdge(const RoundEdge &edge, int64_t m) {
    const RoundStage &from = pipeline.stages[edge.from],
                     &to = pipeline.stages[edge.to];
    int source = taskOf(edge.from, m), target = taskOf(edge.to, m);
    if (from.group != to.group) {
      int a = deviceFor(pipeline.groups[from.group], m),
          b = deviceFor(pipeline.groups[to.group], m);
      Task &task = add("stage" + std::to_string(edge.from) + ".out:" +
                           std::to_string(a) + ">" + std::to_string(b) + "#" +
                           std::to_string(edge.to) + "." + std::to_string(m),
                       "transfer", b);
      task.sourceDevice = a;
      task.bytes = edge.bytes;
      task.durationNs = topology.transferNs(a, b, edge.bytes);
      task.resources = transferResources(topology, a, b);
      task.preds = {source};
      source = lastTask();
    }
    std::vector<int> &preds = graph.tasks[target].preds;
    if (std::find(preds.begin(), preds.end(), source) == preds.end())
      preds.push_back(source);
  }

  /// Gradients are added up over the devices of a group in a ring, then each
  /// updates its copy.
  void addUpdates() {
    for (size_t g = 0; g < pipeline.groups.size(); ++g) {
      const RoundGroup &group = pipeline.groups[g];
      std::vector<int> ends;
      for (int r = 0; r < group.replicas; ++r)
        if (int last = lastOf[group.first + r]; last >= 0)
          ends.push_back(last);
      int64_t ns = group.updateNs;
      if (group.replicas > 1) {
        int64_t piece =
            (group.gradientBytes + group.replicas - 1) / group.replicas;
        int64_t step = 0;
        for (int r = 0; r < group.replicas; ++r)
          step = std::max(
              step, topology.transferNs(group.first + r,
                                        group.first + (r + 1) % group.replicas,
                                        piece));
        ns += piece > 0 ? 2 * (group.replicas - 1) * step : 0;
      }
      for (int r = 0; ns > 0 && r < group.replicas; ++r) {
        int device = group.first + r;
        Task &task = add("group" + std::to_string(g) + ".update[" +
                             std::to_string(r) + "]",
                         "update", device);
        task.durationNs = ns;
        task.resources = {device};
        task.preds = ends;
      }
    }
  }
};

/// The time that another microbatch adds to a long iteration.
int64_t pace(RoundPipeline pipeline, PipelineSchedule schedule,
             const Topology &topology, const Load &load,
             const std::vector<double> &begins) {
  constexpr int64_t maxTasks = 20000;
  int64_t turns = turnsOf(pipeline);
  double rounds = 0;
  for (size_t s = 0; s < begins.size(); ++s)
    rounds =
        std::max(rounds, begins[s] / load.periods[pipeline.stages[s].backward]);
  auto depth = static_cast<int64_t>(std::min(rounds, 1e6)) + 2 +
               static_cast<int64_t>(pipeline.groups.size());
  auto tasks =
      static_cast<int64_t>(pipeline.stages.size() + pipeline.edges.size());
  int64_t settling = std::clamp(maxTasks / tasks, 2 * depth, 4 * depth);
  int64_t more = turns * ((15 + turns) / turns);
  std::array<int64_t, 2> makespanNs{};
  for (int64_t i = 0; i < 2; ++i) {
    pipeline.microbatches = settling + i * more;
    TaskGraph graph =
        RoundTasks(pipeline, schedule, topology, load, begins).build();
    makespanNs[i] = simulateFull(graph);
  }
  return (makespanNs[1] - makespanNs[0] + more / 2) / more;
}

/// Most microbatches and bytes in flight.
void addMemory(const RoundPipeline &pipeline, const RoundTasks &builder,
               const Topology &topology, RoundResult &result) {
  struct Change {
    int64_t ns;
    int64_t bytes;
    bool operator<(const Change &other) const {
      return std::tie(ns, bytes) < std::tie(other.ns, other.bytes);
    }
  };
  auto most = [](std::vector<Change> &changes) {
    std::sort(changes.begin(), changes.end()); // what ends first
    int64_t now = 0, peak = 0;
    for (const Change &change : changes)
      peak = std::max(peak, now += change.bytes);
    assert(now == 0 && "all that is kept is given back");
    return peak;
  };
  std::vector<std::vector<Change>> ofDevice(topology.deviceCount());
  result.inFlight.assign(pipeline.stages.size(), 0);
  for (const RoundActivation &activation : pipeline.activations) {
    const RoundGroup &group = pipeline.groups[activation.group];
    std::vector<std::vector<Change>> ofReplica(group.replicas);
    for (int64_t m = 0; m < pipeline.microbatches; ++m) {
      int64_t from =
          result.tasks.tasks[builder.taskOf(activation.from, m)].startNs;
      int64_t to = result.tasks.tasks[builder.taskOf(activation.to, m)].endNs;
      assert(from < to && "it is read after it was written");
      auto &device = ofDevice[deviceFor(group, m)];
      device.push_back({from, activation.bytes});
      device.push_back({to, -activation.bytes});
      auto &replica = ofReplica[m % group.replicas];
      replica.push_back({from, 1});
      replica.push_back({to, -1});
    }
    for (std::vector<Change> &changes : ofReplica)
      result.inFlight[activation.from] = std::max(
          result.inFlight[activation.from], static_cast<int>(most(changes)));
  }
  result.peakBytes.assign(topology.deviceCount(), 0);
  for (const RoundGroup &group : pipeline.groups)
    for (int r = 0; r < group.replicas; ++r)
      result.peakBytes[group.first + r] =
          group.weightBytes + most(ofDevice[group.first + r]);
}

} // namespace

RoundResult soap::simulateRounds(const RoundPipeline &pipeline,
                                 PipelineSchedule schedule,
                                 const Topology &topology) {
  RoundResult result;
  Load load = findLoad(pipeline, schedule, topology);
  result.loadNs = static_cast<int64_t>(std::ceil(load.total - 1e-6));
  // Where links are waited for, patience hides it, at the price of more
  // microbatches in flight.
  std::vector<double> begins;
  result.steadyNs = std::numeric_limits<int64_t>::max();
  for (double patience : {1.0, 2.0, 4.0, 8.0}) {
    std::vector<double> tried =
        findBegins(pipeline, schedule, topology, load, patience);
    int64_t ns = pace(pipeline, schedule, topology, load, tried);
    if (ns < result.steadyNs) {
      result.steadyNs = ns;
      begins = std::move(tried);
    }
    if (static_cast<double>(result.steadyNs) <= load.total * 1.0001 + 1)
      break;
  }
  for (size_t s = 0; s < begins.size(); ++s)
    result.rounds.push_back(static_cast<int64_t>(std::floor(
        begins[s] / load.periods[pipeline.stages[s].backward] + 1e-9)));
  RoundTasks builder(pipeline, schedule, topology, load, begins);
  result.tasks = builder.build();
  result.bottleneck = result.tasks.resources[load.resource].name;
  int64_t makespanNs = simulateFull(result.tasks);
  addMemory(pipeline, builder, topology, result);
  double busy = 0, devices = 0;
  for (const Task &task : result.tasks.tasks)
    if (task.sourceDevice < 0)
      busy += static_cast<double>(task.endNs - task.startNs);
  for (const RoundGroup &group : pipeline.groups)
    devices += group.replicas;
  result.bubble = 1 - busy / (static_cast<double>(makespanNs) * devices);
  assert(result.bubble >= -1e-9 && result.bubble <= 1 &&
         "a share of the iteration");
  return result;
}
