//===- Pipeline.cpp - Microbatches over stages ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages are the devices in the order in which forward values pass them. A
// device does what its schedule says in that order, so each of its tasks waits
// for the one before.
//
//===----------------------------------------------------------------------===//

#include "Soap/Pipeline/Pipeline.h"

#include "Soap/Simulator/Algorithm1Simulator.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <set>

using namespace soap;

const char *soap::scheduleName(PipelineSchedule schedule) {
  if (schedule == PipelineSchedule::Overlapped)
    return "1f1b-overlapped";
  return schedule == PipelineSchedule::GPipe ? "gpipe" : "1f1b";
}

std::optional<PipelineSchedule> soap::findSchedule(const std::string &name) {
  for (PipelineSchedule schedule :
       {PipelineSchedule::GPipe, PipelineSchedule::OneForwardOneBackward,
        PipelineSchedule::Overlapped})
    if (name == scheduleName(schedule))
      return schedule;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Microbatches
//===----------------------------------------------------------------------===//

int64_t soap::microbatchNs(const Graph &graph, const Kernel &kernel,
                           const std::vector<Role> &roles, int64_t microbatches,
                           const CostModel &cost, int device) {
  assert(microbatches > 0 && "at least one microbatch");
  LoopBox box = kernel.space.wholeBox();
  for (size_t l = 0; l < box.size() && l < roles.size(); ++l)
    if (roles[l] == Role::Sample)
      box[l].hi = box[l].lo + (box[l].size() + microbatches - 1) / microbatches;
  return cost.computeNs(device, kernelWork(graph, kernel, box));
}

std::vector<bool>
soap::valuesOfSamples(const Graph &graph,
                      const std::vector<std::vector<Role>> &roles) {
  assert(roles.size() == graph.nodes.size() && "roles of each node");
  std::vector<bool> result(graph.values.size());
  auto look = [&](int value, const AccessMap &map, size_t node) {
    for (size_t l = 0; l < roles[node].size(); ++l)
      if (roles[node][l] == Role::Sample && usesLoop(map, static_cast<int>(l)))
        result[value] = true;
  };
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    for (size_t r = 0; r < kernel.results.size(); ++r)
      look(kernel.results[r], kernel.space.results[r].map, n);
    for (size_t i = 0; i < kernel.operands.size(); ++i)
      look(kernel.operands[i], kernel.space.operands[i].map, n);
  }
  return result;
}

std::vector<bool>
soap::mayRecompute(const Graph &graph,
                   const std::vector<std::vector<Role>> &roles,
                   const std::vector<int> &stages) {
  assert(stages.size() == graph.nodes.size() && "a stage a node");
  std::vector<bool> hasSamples = valuesOfSamples(graph, roles);
  std::vector<bool> needsWeights(graph.values.size());
  std::vector<bool> isBefore(graph.values.size());
  std::vector<int> writers(graph.values.size(), -1);
  for (const GraphInput &input : graph.inputs)
    needsWeights[input.value] = input.updateNode >= 0;
  std::vector<bool> result(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    bool needs = false;
    for (int value : kernel.operands) {
      int root = graph.rootOf(value);
      needs = needs || needsWeights[root];
      if (int writer = writers[root];
          writer >= 0 && stages[writer] != stages[n])
        result[writer] = false;
    }
    result[n] = kernel.phase == Phase::Forward;
    for (int value : kernel.results) {
      needsWeights[value] = needs;
      isBefore[value] =
          !needs && !hasSamples[value] && kernel.phase != Phase::Update;
      result[n] = result[n] && hasSamples[value];
      writers[value] = static_cast<int>(n);
    }
  }
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const Kernel &kernel = graph.nodes[n].whole;
    if (std::none_of(kernel.results.begin(), kernel.results.end(),
                     [&](int value) { return isBefore[value]; }))
      continue;
    result[n] = false;
    for (int value : kernel.operands)
      isBefore[graph.rootOf(value)] = true;
  }
  return result;
}

std::vector<bool>
soap::frozenInputs(const Graph &graph,
                   const std::vector<std::vector<Role>> &roles) {
  std::vector<bool> hasSamples = valuesOfSamples(graph, roles);
  std::vector<bool> frozen(graph.values.size());
  for (const GraphInput &input : graph.inputs)
    frozen[input.value] = input.updateNode < 0 && !hasSamples[input.value];
  return frozen;
}

std::vector<int64_t>
soap::microbatchBytes(const Graph &graph,
                      const std::vector<std::vector<Role>> &roles,
                      int64_t microbatches) {
  assert(microbatches > 0 && "at least one microbatch");
  std::vector<bool> hasSamples = valuesOfSamples(graph, roles);
  std::vector<int64_t> bytes;
  for (size_t v = 0; v < graph.values.size(); ++v) {
    bytes.push_back(graph.values[v].bytes());
    if (hasSamples[v])
      bytes[v] = (bytes[v] + microbatches - 1) / microbatches;
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// From a placement
//===----------------------------------------------------------------------===//

namespace {

class PipelineMaker {
public:
  PipelineMaker(const Graph &graph, const std::vector<std::vector<Role>> &roles,
                const std::vector<int> &deviceOf, int64_t microbatches,
                const CostModel &cost)
      : graph(graph), roles(roles), deviceOf(deviceOf), cost(cost),
        producer(graph.values.size(), -1),
        bytes(microbatchBytes(graph, roles, microbatches)) {
    pipeline.microbatches = microbatches;
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      for (int value : graph.nodes[n].whole.results)
        producer[value] = static_cast<int>(n);
  }

  Expected<Pipeline> make() {
    if (MaybeError error = orderStages())
      return *error;
    addTimes();
    addMemory();
    if (MaybeError error = addTransfers())
      return *error;
    return std::move(pipeline);
  }

private:
  const Graph &graph;
  const std::vector<std::vector<Role>> &roles;
  const std::vector<int> &deviceOf;
  const CostModel &cost;
  std::vector<int> producer;  ///< by value: node, or -1
  std::vector<int64_t> bytes; ///< by value, of a microbatch
  std::map<int, int> stageOf; ///< by device
  Pipeline pipeline;

  const Kernel &kernel(size_t node) const { return graph.nodes[node].whole; }
  /// Calls `visit(from, to, value)` for all values that one node hands to
  /// another.
  template <typename Visit>
  void forEachEdge(Visit visit) const {
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      for (int value : kernel(n).operands)
        if (int from = producer[value]; from >= 0)
          visit(static_cast<size_t>(from), n, value);
  }
  std::string name(int device) const {
    return cost.getTopology().devices[device].name;
  }

  /// A topological order of the devices under forward edges, the smallest
  /// device first; of those that compute nothing in the forward pass, last.
  MaybeError orderStages() {
    std::map<int, std::set<int>> waitsFor;
    for (int device : deviceOf)
      waitsFor[device];
    forEachEdge([&](size_t from, size_t to, int) {
      if (kernel(from).phase == Phase::Forward &&
          kernel(to).phase == Phase::Forward && deviceOf[from] != deviceOf[to])
        waitsFor[deviceOf[to]].insert(deviceOf[from]);
    });
    while (stageOf.size() < waitsFor.size()) {
      int next = -1;
      for (const auto &[device, others] : waitsFor)
        if (next < 0 && !stageOf.count(device) &&
            std::all_of(
                others.begin(), others.end(),
                [&](int other) { return stageOf.count(other) > 0; }))
          next = device;
      if (next < 0) {
        std::string list;
        for (const auto &[device, others] : waitsFor)
          if (!stageOf.count(device))
            list += (list.empty() ? "" : ", ") + name(device);
        return Error{"the devices " + list +
                     " need forward values of each other, expected stages that "
                     "can be put in an order"};
      }
      stageOf[next] = static_cast<int>(pipeline.stages.size());
      PipelineStage &stage = pipeline.stages.emplace_back();
      stage.device = next;
    }
    return std::nullopt;
  }

  void addTimes() {
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      PipelineStage &stage = pipeline.stages[stageOf[deviceOf[n]]];
      ++stage.nodes;
      int64_t pieces =
          kernel(n).phase == Phase::Update ? 1 : pipeline.microbatches;
      int64_t ns =
          microbatchNs(graph, kernel(n), roles[n], pieces, cost, deviceOf[n]);
      switch (kernel(n).phase) {
      case Phase::Forward:
        stage.forwardNs += ns;
        break;
      case Phase::Backward:
        stage.backwardNs += ns;
        break;
      case Phase::Update:
        stage.updateNs += ns;
        break;
      }
    }
  }

  void addMemory() {
    for (const GraphInput &input : graph.inputs)
      if (input.updateNode >= 0 && !graph.values[input.value].inHost)
        pipeline.stages[stageOf[deviceOf[input.updateNode]]].weightBytes +=
            graph.values[input.value].bytes();
    // Each once a stage: weights that no op updates, gradients that wait for
    // their update, and what the backward pass reads of the forward pass.
    std::set<std::pair<int, int>> weights;
    std::vector<bool> isFrozen = frozenInputs(graph, roles);
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      for (int value : kernel(n).operands)
        if (int stage = stageOf[deviceOf[n]];
            isFrozen[value] && weights.insert({stage, value}).second)
          pipeline.stages[stage].weightBytes += graph.values[value].bytes();
    std::set<std::pair<int, int>> gradients, kept;
    forEachEdge([&](size_t from, size_t to, int value) {
      int stage = stageOf[deviceOf[to]];
      if (kernel(from).phase == Phase::Backward &&
          kernel(to).phase == Phase::Update &&
          gradients.insert({stage, value}).second)
        pipeline.stages[stage].weightBytes += graph.values[value].bytes();
      if (kernel(from).phase == Phase::Forward &&
          kernel(to).phase == Phase::Backward &&
          kept.insert({stage, value}).second)
        pipeline.stages[stage].activationBytes += bytes[value];
    });
  }

  MaybeError addTransfers() {
    // A value goes to a device once, in the pass that reads it first.
    std::map<std::pair<int, int>, bool> arrivals; // value, stage: backward
    bool backwards = false;
    std::string fault;
    forEachEdge([&](size_t from, size_t to, int value) {
      int a = stageOf[deviceOf[from]], b = stageOf[deviceOf[to]];
      // An update that later stages read, as a counter of steps, is sent once.
      if (a == b || (kernel(from).phase == Phase::Update && a < b))
        return;
      Phase phase = kernel(to).phase;
      if (phase == Phase::Update || kernel(from).phase == Phase::Update)
        phase = Phase::Backward;
      bool backward = phase == Phase::Backward;
      if (backward && kernel(from).phase == Phase::Backward && a < b) {
        backwards = true;
        fault = graph.values[value].name;
      }
      auto [it, isNew] = arrivals.try_emplace({value, b}, backward);
      it->second &= backward;
    });
    if (backwards)
      return Error{"gradient '" + fault +
                   "' goes to a later stage, expected backward ops on the "
                   "devices of their forward ops"};
    std::map<std::tuple<int, int, bool>, int64_t> sums;
    for (const auto &[arrival, backward] : arrivals) {
      auto [value, to] = arrival;
      int from = stageOf[deviceOf[producer[value]]];
      // A value of the forward pass can be sent in it, unless it goes
      // back: then it waits for the backward pass.
      bool inBackward =
          from > to ||
          (backward && kernel(producer[value]).phase != Phase::Forward);
      sums[{from, to, inBackward}] += bytes[value];
    }
    for (const auto &[key, sum] : sums) {
      auto [from, to, backward] = key;
      pipeline.transfers.push_back({from, to, backward, sum});
    }
    return std::nullopt;
  }
};

} // namespace

Expected<Pipeline>
soap::makePipeline(const Graph &graph,
                   const std::vector<std::vector<Role>> &roles,
                   const std::vector<int> &deviceOf, int64_t microbatches,
                   const CostModel &cost) {
  assert(deviceOf.size() == graph.nodes.size() && "a device a node");
  return PipelineMaker(graph, roles, deviceOf, microbatches, cost).make();
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

namespace {

/// A pass of a microbatch.
struct Pass {
  bool backward;
  int64_t microbatch;
};

/// The passes of a stage, in order. `inFlight`: of 1F1B, most forward passes
/// whose backward passes have not ended.
std::vector<Pass> passesOf(PipelineSchedule schedule, int64_t inFlight,
                           int64_t microbatches, bool hasBackward) {
  std::vector<Pass> passes;
  if (!hasBackward || schedule == PipelineSchedule::GPipe) {
    for (int64_t m = 0; m < microbatches; ++m)
      passes.push_back({false, m});
    // Gradients are added up from the first microbatch on
    // (OneForwardOneBackward.cpp).
    for (int64_t m = 0; hasBackward && m < microbatches; ++m)
      passes.push_back({true, m});
    return passes;
  }
  assert(inFlight > 0 && "at least one microbatch in flight");
  int64_t ahead = std::min(inFlight - 1, microbatches);
  for (int64_t m = 0; m < ahead; ++m)
    passes.push_back({false, m});
  for (int64_t m = 0; m < microbatches; ++m) {
    if (ahead + m < microbatches)
      passes.push_back({false, ahead + m});
    passes.push_back({true, m});
  }
  assert(static_cast<int64_t>(passes.size()) == 2 * microbatches &&
         "both passes of every microbatch");
  return passes;
}

} // namespace

/// Tasks with as many microbatches in flight on each stage.
static TaskGraph buildTasks(const Pipeline &pipeline, PipelineSchedule schedule,
                            const Topology &topology,
                            const std::vector<int64_t> &inFlight) {
  TaskGraph graph;
  graph.resources = makeResources(topology);
  auto stages = static_cast<int64_t>(pipeline.stages.size());
  bool hasBackward = std::any_of(
      pipeline.stages.begin(), pipeline.stages.end(),
      [](const PipelineStage &stage) { return stage.backwardNs > 0; });
  // Tasks by stage, direction and microbatch.
  std::map<std::tuple<int64_t, bool, int64_t>, int> passes;
  auto add = [&](std::string name, const char *kind, int device) -> Task & {
    Task &task = graph.tasks.emplace_back();
    task.name = std::move(name);
    task.kind = kind;
    task.device = device;
    task.key = {static_cast<int>(graph.tasks.size()) - 1};
    return task;
  };
  for (int64_t s = 0; s < stages; ++s) {
    const PipelineStage &stage = pipeline.stages[s];
    int last = -1;
    auto addPass = [&](std::string name, const char *kind, int64_t ns) {
      Task &task = add(std::move(name), kind, stage.device);
      task.durationNs = std::max<int64_t>(ns, 1);
      task.resources = {stage.device};
      if (last >= 0)
        task.preds = {last};
      return last = static_cast<int>(graph.tasks.size()) - 1;
    };
    std::string prefix = "stage" + std::to_string(s);
    for (auto [backward, microbatch] :
         passesOf(schedule, inFlight[s], pipeline.microbatches, hasBackward))
      passes[{s, backward, microbatch}] =
          addPass(prefix + (backward ? ".backward[" : ".forward[") +
                      std::to_string(microbatch) + "]",
                  backward ? "backward" : "forward",
                  backward ? stage.backwardNs : stage.forwardNs);
    if (stage.updateNs > 0)
      addPass(prefix + ".update[0]", "update", stage.updateNs);
  }
  for (const PipelineTransfer &transfer : pipeline.transfers)
    for (int64_t m = 0; m < pipeline.microbatches; ++m) {
      int from = pipeline.stages[transfer.from].device,
          to = pipeline.stages[transfer.to].device;
      Task &task =
          add("stage" + std::to_string(transfer.from) +
                  ".out:" + std::to_string(from) + ">" + std::to_string(to) +
                  (transfer.backward ? "#b" : "#f") + std::to_string(m),
              "transfer", to);
      int id = static_cast<int>(graph.tasks.size()) - 1;
      assert(from != to && transfer.bytes >= 0 && "a device sends to others");
      task.sourceDevice = from;
      task.bytes = transfer.bytes;
      task.durationNs = topology.transferNs(from, to, transfer.bytes);
      task.resources = transferResources(topology, from, to);
      bool backward = transfer.backward && hasBackward;
      task.preds = {passes.at({transfer.from, backward, m})};
      std::vector<int> &preds =
          graph.tasks[passes.at({transfer.to, backward, m})].preds;
      preds.insert(std::lower_bound(preds.begin(), preds.end(), id), id);
    }
  return graph;
}

/// The largest work of a resource for one microbatch, and the resource; of
/// GPipe, whose passes are apart, the largest of both passes, and the resource
/// of the longer one.
static std::pair<int64_t, int> findLoad(const Pipeline &pipeline,
                                        PipelineSchedule schedule,
                                        const Topology &topology) {
  std::array<std::vector<int64_t>, 2> load; // forward, backward
  for (std::vector<int64_t> &list : load)
    list.resize(makeResources(topology).size());
  for (const PipelineStage &stage : pipeline.stages) {
    load[0][stage.device] += std::max<int64_t>(stage.forwardNs, 1);
    load[1][stage.device] += stage.backwardNs;
  }
  for (const PipelineTransfer &transfer : pipeline.transfers) {
    int from = pipeline.stages[transfer.from].device,
        to = pipeline.stages[transfer.to].device;
    for (int resource : transferResources(topology, from, to))
      load[transfer.backward][resource] +=
          topology.transferNs(from, to, transfer.bytes);
  }
  auto place = [](const std::vector<int64_t> &list) {
    return static_cast<int>(std::max_element(list.begin(), list.end()) -
                            list.begin());
  };
  int forward = place(load[0]), backward = place(load[1]);
  if (schedule == PipelineSchedule::GPipe)
    return {load[0][forward] + load[1][backward],
            load[0][forward] > load[1][backward] ? forward : backward};
  for (size_t r = 0; r < load[0].size(); ++r)
    load[0][r] += load[1][r];
  int most = place(load[0]);
  return {load[0][most], most};
}

/// How many microbatches are simulated to see the pace of a full pipeline: many
/// times those in flight, as far as the tasks are not too many.
static int64_t settlingMicrobatches(const Pipeline &pipeline,
                                    const std::vector<int64_t> &inFlight) {
  constexpr int64_t maxTasks = 200000;
  auto stages = static_cast<int64_t>(inFlight.size());
  int64_t most =
      std::max(stages, *std::max_element(inFlight.begin(), inFlight.end()));
  int64_t tasks = 2 * stages + static_cast<int64_t>(pipeline.transfers.size());
  return std::clamp(maxTasks / tasks, 2 * most, 16 * most);
}

/// The time that one more microbatch adds to a long iteration.
static int64_t pace(Pipeline pipeline, PipelineSchedule schedule,
                    const Topology &topology,
                    const std::vector<int64_t> &inFlight) {
  std::array<int64_t, 2> makespanNs{};
  int64_t settling = settlingMicrobatches(pipeline, inFlight);
  for (int64_t i = 0; i < 2; ++i) {
    pipeline.microbatches = settling + i * 16;
    TaskGraph graph = buildTasks(pipeline, schedule, topology, inFlight);
    makespanNs[i] = simulateFull(graph);
  }
  return (makespanNs[1] - makespanNs[0]) / 16;
}

/// Longest way of a microbatch from the start of a pass on one stage to its end
/// on another, by (first stage of the pass, last one); -1: there is none.
static std::vector<std::vector<int64_t>>
findWays(const Pipeline &pipeline, const Topology &topology, bool backward) {
  size_t count = pipeline.stages.size();
  std::vector<std::vector<int64_t>> ways(count,
                                         std::vector<int64_t>(count, -1));
  auto timeOf = [&](size_t s) {
    const PipelineStage &stage = pipeline.stages[s];
    return backward ? stage.backwardNs : stage.forwardNs;
  };
  std::vector<std::vector<const PipelineTransfer *>> sent(count);
  for (const PipelineTransfer &transfer : pipeline.transfers)
    if (transfer.backward == backward)
      sent[transfer.from].push_back(&transfer);
  for (size_t first = 0; first < count; ++first) {
    std::vector<int64_t> &way = ways[first];
    way[first] = timeOf(first);
    // Values go to later stages, gradients to earlier ones.
    for (size_t i = 0; i < count; ++i) {
      size_t from = backward ? count - 1 - i : i;
      if (way[from] < 0)
        continue;
      for (const PipelineTransfer *transfer : sent[from]) {
        auto to = static_cast<size_t>(transfer->to);
        int64_t ns =
            topology.transferNs(pipeline.stages[from].device,
                                pipeline.stages[to].device, transfer->bytes);
        way[to] = std::max(way[to], way[from] + ns + timeOf(to));
      }
    }
  }
  return ways;
}

/// How many microbatches must be in flight so that 1F1B keeps the slowest
/// resource busy. Stage s starts microbatch m after the backward pass of
/// m - inFlight(s). From there a chain of waiting leads to any stage k behind,
/// from its forward pass to the backward pass that it alternates with, and
/// back: a round of inFlight(s) - inFlight(k) + 1 microbatches, which must not
/// take longer than they do at the pace of the slowest resource.
static std::vector<int64_t> neededInFlight(const Pipeline &pipeline,
                                           const Topology &topology) {
  constexpr PipelineSchedule schedule = PipelineSchedule::OneForwardOneBackward;
  int64_t loadNs = findLoad(pipeline, schedule, topology).first;
  auto forward = findWays(pipeline, topology, false),
       backward = findWays(pipeline, topology, true);
  size_t count = pipeline.stages.size();
  std::vector<int64_t> best, needed(count, 1);
  int64_t bestNs = std::numeric_limits<int64_t>::max();
  // Waiting for links is not among these ways: then a few more, where trying
  // that is cheap.
  constexpr size_t manyStages = 64;
  int64_t most = count < manyStages ? 4 : 0;
  for (int64_t more = 0; more <= most && bestNs > loadNs; ++more) {
    for (size_t s = count; s-- > 0;)
      for (size_t k = s + 1; k < count; ++k)
        if (forward[s][k] >= 0 && backward[k][s] >= 0)
          needed[s] = std::max(
              needed[s],
              needed[k] - 1 + more +
                  (forward[s][k] + backward[k][s] + loadNs - 1) / loadNs);
        else
          needed[s] = std::max(needed[s], needed[k]);
    if (most == 0)
      return needed;
    if (int64_t ns = pace(pipeline, schedule, topology, needed); ns < bestNs) {
      bestNs = ns;
      best = needed;
    }
  }
  return best;
}

static std::vector<int64_t> inFlightOf(const Pipeline &pipeline,
                                       PipelineSchedule schedule,
                                       const Topology &topology) {
  if (schedule == PipelineSchedule::OneForwardOneBackward)
    return neededInFlight(pipeline, topology);
  return std::vector<int64_t>(pipeline.stages.size(), 1); // without meaning
}

TaskGraph soap::buildPipelineTasks(const Pipeline &pipeline,
                                   PipelineSchedule schedule,
                                   const Topology &topology) {
  return buildTasks(pipeline, schedule, topology,
                    inFlightOf(pipeline, schedule, topology));
}

//===----------------------------------------------------------------------===//
// Simulation
//===----------------------------------------------------------------------===//

PipelineResult soap::simulatePipeline(const Pipeline &pipeline,
                                      PipelineSchedule schedule,
                                      const Topology &topology) {
  PipelineResult result;
  auto [load, resource] = findLoad(pipeline, schedule, topology);
  result.loadNs = load;
  std::vector<int64_t> inFlight = inFlightOf(pipeline, schedule, topology);
  result.tasks = buildTasks(pipeline, schedule, topology, inFlight);
  result.bottleneck = result.tasks.resources[resource].name;
  int64_t makespanNs = simulateFull(result.tasks);
  result.steadyNs = pace(pipeline, schedule, topology, inFlight);
  size_t stages = pipeline.stages.size();
  result.inFlight.assign(stages, 0);
  std::map<int, size_t> stageOf;
  for (size_t s = 0; s < stages; ++s)
    stageOf[pipeline.stages[s].device] = s;
  // Forward passes that have started and whose backward passes have not ended.
  std::vector<std::vector<std::pair<int64_t, int>>> changes(stages);
  double busy = 0;
  for (const Task &task : result.tasks.tasks) {
    if (task.sourceDevice >= 0)
      continue;
    size_t stage = stageOf[task.device];
    busy += static_cast<double>(task.endNs - task.startNs);
    if (task.kind == "forward")
      changes[stage].push_back({task.startNs, 1});
    if (task.kind == "backward")
      changes[stage].push_back({task.endNs, -1});
  }
  for (size_t s = 0; s < stages; ++s) {
    std::sort(changes[s].begin(), changes[s].end());
    int now = 0;
    for (auto [time, change] : changes[s])
      result.inFlight[s] = std::max(result.inFlight[s], now += change);
    assert(now >= 0 && "a backward pass ends for each that has begun");
    const PipelineStage &stage = pipeline.stages[s];
    result.peakBytes.push_back(stage.weightBytes +
                               result.inFlight[s] * stage.activationBytes);
  }
  result.bubble = 1 - busy / (static_cast<double>(makespanNs) *
                              static_cast<double>(stages));
  assert(result.bubble >= 0 && result.bubble <= 1 &&
         "a share of the iteration");
  return result;
}
