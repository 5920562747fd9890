//===- RoundPipeline.cpp - Pipelines of any placement ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of rounds gives each device an order of its passes. Algorithm 1
// gives the pace: nothing is later than in the schedule where transfers do not
// wait for links, so that it is that of the slowest device.
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

/// A stage of the pipeline and a microbatch.
using RoundPass = std::pair<int, int64_t>;

/// By device of the topology, its passes: those that are first in the schedule
/// come first.
std::vector<std::vector<RoundPass>>
orderRoundPasses(const RoundPipeline &pipeline, PipelineSchedule schedule,
                 const Topology &topology, const Load &load,
                 const std::vector<double> &begins) {
  struct Pass {
    bool isLate;
    double begin;
    RoundPass pass;
    auto operator<=>(const Pass &) const = default;
  };
  std::vector<std::vector<Pass>> lists(topology.deviceCount());
  for (size_t s = 0; s < pipeline.stages.size(); ++s) {
    const RoundStage &stage = pipeline.stages[s];
    bool isLate = schedule == PipelineSchedule::GPipe && stage.backward;
    for (int64_t m = 0; m < pipeline.microbatches; ++m)
      lists[deviceFor(pipeline.groups[stage.group], m)].push_back(
          {isLate,
           begins[s] + load.periods[stage.backward] * static_cast<double>(m),
           {static_cast<int>(s), m}});
  }
  std::vector<std::vector<RoundPass>> order;
  for (std::vector<Pass> &list : lists) {
    std::sort(list.begin(), list.end(),
              [](const Pass &a, const Pass &b) { return (a <=> b) < 0; });
    std::vector<RoundPass> &passes = order.emplace_back();
    for (const Pass &pass : list)
      passes.push_back(pass.pass);
  }
  return order;
}

/// The passes of microbatches and what they send.
TaskGraph makeTasks(const RoundPipeline &pipeline, const Topology &topology,
                    const std::vector<std::vector<RoundPass>> &order) {
  TaskGraph graph;
  graph.resources = makeResources(topology);
  auto add = [&](int device, int64_t ns, std::vector<int> resources) -> Task & {
    Task &task = graph.tasks.emplace_back();
    task.device = device;
    task.durationNs = ns;
    task.resources = std::move(resources);
    task.key = {static_cast<int>(graph.tasks.size()) - 1};
    return task;
  };
  auto lastTask = [&] { return static_cast<int>(graph.tasks.size()) - 1; };
  std::map<RoundPass, int> taskOf;
  for (size_t d = 0; d < order.size(); ++d)
    for (size_t i = 0; i < order[d].size(); ++i) {
      int before = lastTask(), device = static_cast<int>(d);
      Task &task =
          add(device, passNs(pipeline.stages[order[d][i].first]), {device});
      if (i > 0)
        task.preds = {before};
      taskOf[order[d][i]] = lastTask();
    }
  for (const RoundEdge &edge : pipeline.edges)
    for (int64_t m = 0; m < pipeline.microbatches; ++m) {
      int from = pipeline.stages[edge.from].group,
          to = pipeline.stages[edge.to].group;
      int source = taskOf.at({edge.from, m}), target = taskOf.at({edge.to, m});
      if (from != to) {
        int a = deviceFor(pipeline.groups[from], m),
            b = deviceFor(pipeline.groups[to], m);
        Task &task = add(b, topology.transferNs(a, b, edge.bytes),
                         transferResources(topology, a, b));
        task.sourceDevice = a;
        task.bytes = edge.bytes;
        task.preds = {source};
        source = lastTask();
      }
      std::vector<int> &preds = graph.tasks[target].preds;
      if (std::find(preds.begin(), preds.end(), source) == preds.end())
        preds.push_back(source);
    }
  for (Task &task : graph.tasks)
    std::sort(task.preds.begin(), task.preds.end());
  return graph;
}

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
        makeTasks(pipeline, topology,
                  orderRoundPasses(pipeline, schedule, topology, load, begins));
    makespanNs[i] = simulateFull(graph);
  }
  return (makespanNs[1] - makespanNs[0] + more / 2) / more;
}

} // namespace

RoundOrder soap::orderRounds(const RoundPipeline &pipeline,
                             PipelineSchedule schedule,
                             const Topology &topology) {
  RoundOrder result;
  if (pipeline.stages.empty()) {
    result.order.resize(static_cast<size_t>(topology.deviceCount()));
    return result;
  }
  Load load = findLoad(pipeline, schedule, topology);
  result.loadNs = static_cast<int64_t>(std::ceil(load.total - 1e-6));
  result.bottleneck =
      makeResources(topology)[static_cast<size_t>(load.resource)].name;
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
  for (const std::vector<RoundPass> &passes :
       orderRoundPasses(pipeline, schedule, topology, load, begins)) {
    std::vector<PipelinePass> &list = result.order.emplace_back();
    for (auto [s, microbatch] : passes) {
      const RoundStage &stage = pipeline.stages[static_cast<size_t>(s)];
      list.push_back({stage.passStage, microbatch, stage.backward});
    }
  }
  return result;
}

void soap::setRounds(const RoundPipeline &pipeline, PipelineSchedule schedule,
                     const Topology &topology, PassOrder &passes) {
  assert(passes.sampleLoops.size() == pipeline.stageOf.size() &&
         "loops of all nodes");
  passes.microbatches = pipeline.microbatches;
  passes.stages.clear();
  for (int stage : pipeline.stageOf)
    passes.stages.push_back(
        stage < 0 ? -1 : pipeline.stages[static_cast<size_t>(stage)].passStage);
  passes.replicas.clear();
  if (turnsOf(pipeline) > 1)
    for (const RoundStage &stage : pipeline.stages) {
      auto number = static_cast<size_t>(stage.passStage);
      passes.replicas.resize(std::max(passes.replicas.size(), number + 1), 1);
      passes.replicas[number] =
          pipeline.groups[static_cast<size_t>(stage.group)].replicas;
    }
  passes.order = orderRounds(pipeline, schedule, topology).order;
}
