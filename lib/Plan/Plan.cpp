//===- Plan.cpp - Communication plan: actions on buffers ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See docs/Plan.md. Planning itself is in StrategyPlan.cpp and ValuePlan.cpp;
// here plans are written out, and exchanges get their names.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/CollectiveGroup.h"
#include "Soap/Plan/StrategyPlan.h"
#include "SumSteps.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <set>

namespace soap {

const Kernel &kernelOf(const Graph &graph, const Action &action) {
  assert(action.node >= 0 &&
         static_cast<size_t>(action.node) < graph.nodes.size() &&
         "the action of a shard");
  const GraphNode &node = graph.nodes[action.node];
  return action.stage < 0 ? node.whole : node.stages[action.stage];
}

double neutralValue(Combiner combiner) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  switch (combiner) {
  case Combiner::Max:
  case Combiner::Softmax:
  case Combiner::LogSumExp:
    return -inf;
  case Combiner::Min:
    return inf;
  case Combiner::Sum:
  case Combiner::Moments:
    return 0;
  }
  return 0;
}

namespace {

/// Writes a strategy's plan out as actions on buffers.
class PlanWriter {
public:
  /// `mayAdd`: null, or which values regular collectives may sum; the others
  /// are expanded.
  PlanWriter(const PlanState &source, bool expand,
             const std::function<bool(int)> *mayAdd = nullptr)
      : source(source), graph(source.getGraph()), expand(expand),
        mayAdd(mayAdd), buffers(graph.values.size()) {}

  Plan run() {
    plan.inputs.resize(graph.inputs.size());
    plan.updates.resize(graph.inputs.size());
    for (size_t b = 0; b < source.getBlocks().size(); ++b) {
      auto [slot, value] = source.getBlocks()[b];
      if (slot >= 0)
        writeKernel(slot);
      else
        writeValue(value);
    }
    for (size_t o = 0; o < graph.outputs.size(); ++o)
      writeOutput(static_cast<int>(o));
    for (const Restore &restore : graph.restores)
      writeWaits(restore.value);
    plan.taskStart.push_back(static_cast<int>(plan.actions.size()));
    assert(
        std::ranges::is_sorted(plan.collectives, {}, &PlanCollective::task) &&
        "collectives by task number");
    assert(std::ranges::adjacent_find(plan.taskStart, std::greater_equal<>()) ==
               plan.taskStart.end() &&
           "a task has actions");
    return std::move(plan);
  }

private:
  const PlanState &source;
  const Graph &graph;
  bool expand;
  const std::function<bool(int)> *mayAdd;
  Plan plan;
  std::vector<std::vector<int>> buffers; ///< by value and reference
  std::map<TaskKey, int> taskOf;         ///< by block and number in it

  int addBuffer(int value, int device, const Region &region, int action,
                bool partial) {
    plan.buffers.push_back({value, device, region, action, partial});
    return static_cast<int>(plan.buffers.size()) - 1;
  }

  /// Appends an action; the actions of one task come one after the other.
  int addAction(Action action, int block, int task, bool isNew) {
    assert((isNew || !plan.taskStart.empty()) && "there is no task to add to");
    assert((action.kind == ActionKind::Transfer) ==
               (action.sourceDevice >= 0) &&
           "a transfer has a sender");
    if (isNew)
      plan.taskStart.push_back(static_cast<int>(plan.actions.size()));
    action.task = static_cast<int>(plan.taskStart.size()) - 1;
    if (!graph.restores.empty())
      taskOf.try_emplace({block, task, 0}, action.task);
    action.key = {block, task,
                  static_cast<int64_t>(plan.actions.size()) -
                      plan.taskStart.back()};
    plan.actions.push_back(std::move(action));
    return static_cast<int>(plan.actions.size()) - 1;
  }

  LoopBox boxOf(const IterationSpace &space,
                const std::vector<int64_t> &degrees, int64_t piece) const {
    LoopBox box(space.loops.size());
    for (size_t l = space.loops.size(); l-- > 0; piece /= degrees[l])
      box[l] = cut(space.loops[l].extent, degrees[l], piece % degrees[l]);
    return box;
  }

  /// The buffer that the result of an action of a slot is a view of, -1: none.
  /// A part of a buffer is copied.
  int viewedBuffer(int slot, const Action &action) const {
    if (!source.isView(slot) || action.inputs.empty() || action.inputs[0] < 0)
      return -1;
    const Buffer &viewed = plan.buffers[action.inputs[0]];
    return viewed.region.volume() ==
                   plan.buffers[action.outputs[0]].region.volume()
               ? action.inputs[0]
               : -1;
  }

  void writeKernel(int slot) {
    const KernelPlan &kernel = source.kernelPlan(slot);
    if (!kernel.active)
      return;
    const auto &[node, stage, op, kernelClass, block] = source.getSlots()[slot];
    for (int value : op->results)
      buffers[value].assign(kernel.devices.size(), -1);
    std::vector<const std::vector<int> *> bindings;
    for (size_t i = 0; i < op->operands.size(); ++i)
      bindings.push_back(&source.bindingOf(slot, static_cast<int>(i)));
    std::vector<int> shardActions;
    for (size_t s = 0; s < kernel.devices.size(); ++s) {
      if (kernel.states[s] == ShardState::Absent)
        continue;
      int piece = static_cast<int>(s) % kernel.pieces();
      Action action;
      action.node = node;
      action.stage = stage;
      action.shard = static_cast<int64_t>(s);
      action.device = kernel.devices[s];
      action.box = boxOf(op->space, kernel.geometry->degrees, piece);
      if (kernel.states[s] == ShardState::Fill) {
        action.kind = ActionKind::Fill;
        action.fillValue = op->space.neutral;
      } else {
        for (size_t i = 0; i < op->operands.size(); ++i) {
          int reference = (*bindings[i])[s];
          action.inputs.push_back(
              reference < 0 ? -1 : buffers[op->operands[i]][reference]);
        }
      }
      int id = addAction(std::move(action), block, static_cast<int>(s), true);
      shardActions.push_back(id);
      for (size_t r = 0; r < op->results.size(); ++r) {
        int value = op->results[r];
        const BlockSet &set = kernel.geometry->results[r];
        int buffer = addBuffer(
            value, kernel.devices[s],
            set.blockOf[piece] < 0
                ? Region(IndexSets(graph.values[value].shape.size()))
                : source.regionsOf(value)[set.regions[set.blockOf[piece]]],
            id, kernel.partialMode || set.partial);
        plan.actions[id].outputs.push_back(buffer);
        buffers[value][s] = buffer;
        if (int viewed = viewedBuffer(slot, plan.actions[id]); viewed >= 0)
          plan.buffers[buffer].viewOf = viewed;
      }
    }
    for (size_t i = 0; i < graph.inputs.size(); ++i)
      if (graph.inputs[i].updateNode == node)
        for (int id : shardActions)
          if (size_t result = graph.inputs[i].updateResult;
              result < plan.actions[id].outputs.size())
            plan.updates[i].push_back(plan.actions[id].outputs[result]);
  }

  /// Tiles of a graph input.
  void writeInput(int value) {
    int input = source.inputOf(value);
    const ValuePlan &planned = source.valuePlan(value);
    std::vector<int> &ids = buffers[value];
    const RegionTable &regions = source.regionsOf(value);
    ids.assign(planned.sources, -1);
    for (size_t t = 0; t < planned.tiles.size(); ++t) {
      auto [device, region] = planned.tiles[t];
      if (region >= 0)
        ids[t] = addBuffer(value, device, regions[region], -1, false);
    }
    for (int buffer : ids)
      if (buffer >= 0)
        plan.inputs[input].push_back(buffer);
  }

  /// Writes what tasks of a restored value, and readers of its sources, wait
  /// for without reading anything of it.
  void writeWaits(int value) {
    const ValuePlan &planned = source.valuePlan(value);
    auto add = [&](int slot, int shard, size_t node) {
      int before = taskOf.at({source.getSlots()[slot].block, shard, 0});
      for (int i = planned.successorStart[node];
           i < planned.successorStart[node + 1]; ++i)
        plan.waits.emplace_back(before,
                                taskOf.at({planned.successors[i].block,
                                           planned.successors[i].index, 0}));
    };
    auto addShards = [&](int slot, size_t firstNode) {
      const KernelPlan &kernel = source.kernelPlan(slot);
      for (size_t s = 0; s < kernel.states.size(); ++s)
        if (kernel.states[s] != ShardState::Absent)
          add(slot, static_cast<int>(s), firstNode + s);
    };
    if (planned.successorStart.empty())
      return;
    // In microbatches, what is made again is made of what tasks read. A sum
    // begins before all kept tiles are there.
    if (planned.sourceSlot >= 0 && planned.sourcesAreTasks &&
        !source.getRounds().oneByOne)
      addShards(planned.sourceSlot, 0);
    if (planned.triggerSlot >= 0)
      addShards(planned.triggerSlot,
                static_cast<size_t>(planned.sources) + planned.tasks.size());
  }

  void writeValue(int value) {
    const ValuePlan &planned = source.valuePlan(value);
    if (source.inputOf(value) >= 0)
      writeInput(value);
    std::vector<int> &ids = buffers[value];
    if (const Restore *restore = source.restoreOfValue(value)) {
      ids.clear();
      for (int s = 0; s < planned.sources; ++s) {
        int kept = source.keptReference(value, s);
        ids.push_back(kept < 0 ? -1 : buffers[restore->of][kept]);
      }
    }
    for (const PlannedAction &step : planned.actions) {
      const PlannedTask &task = planned.tasks[step.task];
      if (task.collective >= 0) {
        if (&step == &planned.actions[task.firstAction])
          writeCollective(value, step.task);
        continue;
      }
      Action action;
      action.kind = step.kind;
      action.device = step.device;
      action.sourceDevice = step.source;
      action.combiner = source.combinerOf(value);
      if (step.kind == ActionKind::Combine && source.getRounds().oneByOne)
        addUp(action, value, step);
      else
        for (int i = 0; i < step.inputCount; ++i)
          action.inputs.push_back(ids[planned.inputs[step.firstInput + i]]);
      int id = addAction(std::move(action), source.blockOf(value), step.task,
                         &step == &planned.actions[task.firstAction]);
      int buffer =
          addBuffer(value, step.device, source.regionsOf(value)[step.region],
                    id, step.partial);
      plan.actions[id].outputs = {buffer};
      ids.push_back(buffer);
    }
  }

  /// Gives a combine its inputs and adds them up in steps (SumSteps.h), all but
  /// the last in tasks of their own.
  void addUp(Action &combine, int value, const PlannedAction &step) {
    SumInputs ordered = inputsInOrder(source.valuePlan(value), step);
    std::vector<int> inputs;
    for (int reference : ordered.references)
      inputs.push_back(buffers[value][reference]);
    size_t steps = countSumSteps(inputs.size(), ordered.own,
                                 graph.values[value].elementBytes);
    int sum = inputs[0];
    for (size_t i = 1; i < steps; ++i) {
      Action one = combine;
      one.inputs = {sum, inputs[i]};
      int id = addAction(std::move(one), source.blockOf(value), step.task,
                         /*isNew=*/true);
      // Numbers of steps tell the tasks of one combine apart; the last is 0.
      plan.actions[id].key[2] = static_cast<int64_t>(i);
      sum = addBuffer(value, combine.device,
                      source.regionsOf(value)[step.region], id, true);
      plan.actions[id].outputs = {sum};
    }
    combine.inputs.assign(inputs.begin() + static_cast<ptrdiff_t>(steps) - 1,
                          inputs.end());
    combine.inputs[0] = sum;
  }

  /// All actions of a collective.
  void writeCollective(int value, int number) {
    const ValuePlan &planned = source.valuePlan(value);
    const PlannedTask &task = planned.tasks[number];
    const PlannedCollective &collective = planned.collectives[task.collective];
    std::vector<int> &ids = buffers[value];
    const RegionTable &regions = source.regionsOf(value);
    std::vector<int> inputs;
    const PlannedAction &first = planned.actions[task.firstAction];
    for (int i = 0; i < first.inputCount; ++i)
      inputs.push_back(ids[planned.inputs[first.firstInput + i]]);
    std::vector<std::pair<int, Region>> outputs; // device, region
    for (size_t a = task.firstAction;
         a < planned.actions.size() && planned.actions[a].task == number; ++a)
      outputs.emplace_back(planned.actions[a].device,
                           regions[planned.actions[a].region]);
    steps = {source.blockOf(value), number, true, value};
    bool reduces = collective.kind == CollectiveKind::AllReduce ||
                   collective.kind == CollectiveKind::ReduceScatter ||
                   collective.kind == CollectiveKind::Reduce;
    if (!expand || runsAsOne(value, reduces, collective, inputs, outputs))
      for (const auto &[device, region] : outputs) {
        Action action;
        action.kind = ActionKind::Collective;
        action.device = device;
        action.combiner = source.combinerOf(value);
        if (steps.isFirst)
          action.inputs = inputs;
        ids.push_back(addStep(std::move(action), region, false));
      }
    else if (reduces)
      expandReduction(inputs, outputs, ids);
    else
      for (const auto &[device, region] : outputs)
        ids.push_back(put(nearestInputs(inputs, device), device, region,
                          source.combinerOf(value)));
    PlanCollective entry{static_cast<int>(plan.taskStart.size()) - 1,
                         collective.kind,
                         collective.devices,
                         collective.bytes,
                         {},
                         collective.temporaries};
    if (collective.kind == CollectiveKind::Exchange)
      for (const auto &[device, region] : outputs)
        for (int input : nearestInputs(inputs, device)) {
          const Buffer &buffer = plan.buffers[input];
          int64_t bytes = buffer.region.intersect(region).volume() *
                          graph.values[value].elementBytes;
          if (buffer.device != device && bytes > 0)
            entry.messages.push_back({buffer.device, device, bytes});
        }
    plan.collectives.push_back(std::move(entry));
  }

  std::vector<Region> regionsOf(const std::vector<int> &inputs) const {
    std::vector<Region> regions;
    for (int input : inputs)
      regions.push_back(plan.buffers[input].region);
    return regions;
  }
  static std::vector<Region>
  regionsOf(const std::vector<std::pair<int, Region>> &outputs) {
    std::vector<Region> regions;
    for (const auto &[device, region] : outputs)
      regions.push_back(region);
    return regions;
  }

  /// Whether programs have one op for the collective.
  bool runsAsOne(int value, bool reduces, const PlannedCollective &collective,
                 const std::vector<int> &inputs,
                 const std::vector<std::pair<int, Region>> &outputs) const {
    if (!mayAdd)
      return false;
    if (reduces && (source.combinerOf(value) == Combiner::Sum
                        ? !(*mayAdd)(value)
                        : collective.kind == CollectiveKind::ReduceScatter))
      return false;
    std::vector<int> from, to;
    for (int input : inputs)
      from.push_back(plan.buffers[input].device);
    for (const auto &[device, region] : outputs)
      to.push_back(device);
    return regularGroup(collective.kind, from, to).has_value() &&
           (collective.kind != CollectiveKind::Exchange ||
            isAllToAll(regionsOf(inputs), regionsOf(outputs)));
  }

  /// Steps of the collective being written.
  struct {
    int block, task;
    bool isFirst;
    int value;
  } steps{};

  int addStep(Action action, const Region &region, bool partial) {
    int device = action.device;
    int id =
        addAction(std::move(action), steps.block, steps.task, steps.isFirst);
    steps.isFirst = false;
    int buffer = addBuffer(steps.value, device, region, id, partial);
    plan.actions[id].outputs = {buffer};
    return buffer;
  }

  int send(int buffer, int device, const Region &region) {
    Action action;
    action.kind = ActionKind::Transfer;
    action.device = device;
    action.sourceDevice = plan.buffers[buffer].device;
    action.inputs = {buffer};
    return addStep(std::move(action), region, plan.buffers[buffer].partial);
  }

  /// Of inputs with the same region, the nearest to a device, ties by device.
  std::vector<int> nearestInputs(const std::vector<int> &inputs,
                                 int device) const {
    const Topology &topology = source.getCost().getTopology();
    std::map<Region, int> byRegion;
    auto distance = [&](int input) {
      int from = plan.buffers[input].device;
      return std::pair(from == device ? -1 : topology.distance(from, device),
                       from);
    };
    for (int input : inputs) {
      auto [it, isNew] =
          byRegion.try_emplace(plan.buffers[input].region, input);
      if (!isNew && distance(input) < distance(it->second))
        it->second = input;
    }
    std::vector<int> nearest;
    for (const auto &[region, input] : byRegion)
      nearest.push_back(input);
    return nearest;
  }

  /// Puts `region` together on a device from tiles of any devices.
  int put(const std::vector<int> &inputs, int device, const Region &region,
          Combiner combiner) {
    Action action;
    action.kind = ActionKind::Assemble;
    action.device = device;
    action.combiner = combiner;
    for (int input : inputs) {
      Region part = plan.buffers[input].region.intersect(region);
      if (part.empty())
        continue;
      action.inputs.push_back(plan.buffers[input].device == device
                                  ? input
                                  : send(input, device, part));
    }
    if (action.inputs.size() == 1 &&
        plan.buffers[action.inputs[0]].region == region)
      return action.inputs[0];
    return addStep(std::move(action), region, false);
  }

  /// Folds `region` of all inputs on a device.
  int combine(const std::vector<int> &inputs, int device,
              const Region &region) {
    Action action;
    action.kind = ActionKind::Combine;
    action.device = device;
    action.combiner = source.combinerOf(steps.value);
    for (int input : inputs)
      action.inputs.push_back(plan.buffers[input].device == device
                                  ? input
                                  : send(input, device, region));
    return addStep(std::move(action), region, false);
  }

  /// Each region is split among its readers, which fold their slices and then
  /// exchange them.
  void expandReduction(const std::vector<int> &inputs,
                       const std::vector<std::pair<int, Region>> &outputs,
                       std::vector<int> &ids) {
    Combiner combiner = source.combinerOf(steps.value);
    RegionTable table(graph.values[steps.value].shape.size(),
                      graph.values[steps.value].elementBytes);
    std::vector<int> results(outputs.size(), -1);
    for (size_t o = 0; o < outputs.size(); ++o) {
      if (results[o] >= 0)
        continue;
      const Region &region = outputs[o].second;
      std::vector<size_t> readers;
      for (size_t other = o; other < outputs.size(); ++other)
        if (outputs[other].second == region)
          readers.push_back(other);
      std::vector<int> slices =
          table.slices(table.number(region), static_cast<int>(readers.size()),
                       hasStatisticsDim(combiner));
      std::vector<int> combined;
      if (slices.empty())
        combined.push_back(combine(inputs, outputs[o].first, region));
      for (size_t s = 0; s < slices.size(); ++s)
        if (slices[s] >= 0)
          combined.push_back(combine(inputs, outputs[readers[s]].first,
                                     Region(table[slices[s]])));
      for (size_t reader : readers)
        results[reader] =
            put(combined, outputs[reader].first, region, combiner);
    }
    assert(std::ranges::count(results, -1) == 0 && "a result an output");
    ids.insert(ids.end(), results.begin(), results.end());
  }

  void writeOutput(int o) {
    PlanOutput &output = plan.outputs.emplace_back();
    output.value = graph.outputs[o].value;
    for (int reference : source.outputBinding(o))
      if (reference >= 0)
        output.buffers.push_back(buffers[output.value][reference]);
  }
};

} // namespace

Plan buildPlan(const PlanState &plan, bool expandCollectives) {
  return PlanWriter(plan, expandCollectives).run();
}

Plan buildPlan(const Graph &graph, const Strategy &strategy,
               const Topology &topology, bool expandCollectives) {
  CostModel cost(topology);
  StrategyPlan plan(graph, cost);
  plan.set(strategy);
  return buildPlan(plan, expandCollectives);
}

Plan buildProgramPlan(const Graph &graph, const Strategy &strategy,
                      const Topology &topology,
                      const std::function<bool(int)> &mayAdd) {
  CostModel cost(topology);
  StrategyPlan plan(graph, cost);
  plan.set(strategy);
  return buildProgramPlan(plan, mayAdd);
}

Plan buildProgramPlan(const PlanState &plan,
                      const std::function<bool(int)> &mayAdd) {
  return PlanWriter(plan, /*expand=*/true, &mayAdd).run();
}

std::vector<int> actionOrder(const Plan &plan,
                             const std::vector<int> &taskOrder) {
  std::vector<int> order;
  order.reserve(plan.actions.size());
  for (int task : taskOrder) {
    assert(task >= 0 && static_cast<size_t>(task) + 1 < plan.taskStart.size() &&
           "no such task");
    for (int a = plan.taskStart[task]; a < plan.taskStart[task + 1]; ++a)
      order.push_back(a);
  }
  return order;
}

const char *patternName(ExchangePattern pattern) {
  switch (pattern) {
  case ExchangePattern::PointToPoint:
    return "point-to-point";
  case ExchangePattern::AllReduce:
    return "all-reduce";
  case ExchangePattern::ReduceScatter:
    return "reduce-scatter";
  case ExchangePattern::AllGather:
    return "all-gather";
  case ExchangePattern::AllToAll:
    return "all-to-all";
  case ExchangePattern::Broadcast:
    return "broadcast";
  case ExchangePattern::HaloExchange:
    return "halo-exchange";
  case ExchangePattern::Reduce:
    return "reduce";
  case ExchangePattern::Exchange:
    return "exchange";
  }
  return "";
}

static ExchangePattern patternOf(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return ExchangePattern::AllReduce;
  case CollectiveKind::ReduceScatter:
    return ExchangePattern::ReduceScatter;
  case CollectiveKind::AllGather:
    return ExchangePattern::AllGather;
  case CollectiveKind::AllToAll:
    return ExchangePattern::AllToAll;
  case CollectiveKind::Broadcast:
    return ExchangePattern::Broadcast;
  case CollectiveKind::Reduce:
    return ExchangePattern::Reduce;
  case CollectiveKind::Exchange:
    return ExchangePattern::Exchange;
  }
  return ExchangePattern::PointToPoint;
}

/// Every device has a message for every other one.
static bool hasAllPairs(const PlanCollective &collective) {
  if (collective.kind != CollectiveKind::Exchange)
    return false;
  std::set<std::pair<int, int>> pairs;
  for (const Message &message : collective.messages)
    pairs.emplace(message.from, message.to);
  size_t n = collective.devices.size();
  return n > 1 && pairs.size() == n * (n - 1);
}

std::vector<Exchange> classifyExchanges(const Graph &graph, const Plan &plan) {
  struct Traffic {
    std::vector<const Action *> transfers, partials;
    int64_t bytes = 0;
  };
  std::map<int, Traffic> byValue;
  std::vector<bool> isCollective(plan.taskStart.size());
  for (const PlanCollective &collective : plan.collectives)
    isCollective[collective.task] = true;
  for (const Action &action : plan.actions) {
    if (action.kind != ActionKind::Transfer || isCollective[action.task])
      continue;
    const Buffer &message = plan.buffers[action.outputs[0]];
    Traffic &traffic = byValue[message.value];
    (message.partial ? traffic.partials : traffic.transfers).push_back(&action);
    traffic.bytes +=
        message.region.volume() * graph.values[message.value].elementBytes;
  }
  std::vector<Exchange> exchanges;
  for (const PlanCollective &collective : plan.collectives) {
    const Action &first = plan.actions[plan.taskStart[collective.task]];
    exchanges.push_back({plan.buffers[first.outputs[0]].value,
                         hasAllPairs(collective) ? ExchangePattern::AllToAll
                                                 : patternOf(collective.kind),
                         collective.devices, collective.traffic()});
  }
  for (const auto &[value, traffic] : byValue) {
    Exchange exchange;
    exchange.value = value;
    exchange.bytes = traffic.bytes;
    std::map<int, std::map<int, int64_t>>
        pairs; // source -> receiver -> elements
    std::vector<int> devices;
    auto add = [&](const std::vector<const Action *> &actions,
                   std::map<int, std::map<int, int64_t>> &to) {
      for (const Action *action : actions) {
        to[action->sourceDevice][action->device] +=
            plan.buffers[action->outputs[0]].region.volume();
        devices.push_back(action->sourceDevice);
        devices.push_back(action->device);
      }
    };
    std::map<int, std::map<int, int64_t>> partialPairs;
    add(traffic.transfers, pairs);
    add(traffic.partials, partialPairs);
    std::sort(devices.begin(), devices.end());
    devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
    exchange.devices = devices;
    size_t n = devices.size();
    auto complete = [&](const std::map<int, std::map<int, int64_t>> &p) {
      if (p.size() != n)
        return false;
      return std::all_of(p.begin(), p.end(), [&](const auto &row) {
        return row.second.size() == n - 1;
      });
    };
    // Whether every message carries a whole piece of its sender, or only a part
    // of it.
    bool wholePieces = true, halos = true;
    for (const Action *action : traffic.transfers) {
      bool whole = plan.buffers[action->inputs[0]].region ==
                   plan.buffers[action->outputs[0]].region;
      wholePieces &= whole;
      halos &= !whole;
    }
    // All others send their contributions to one device.
    bool hasRoot = partialPairs.size() == n - 1;
    for (const auto &[source, receivers] : partialPairs)
      hasRoot &= receivers.size() == 1 &&
                 receivers.begin()->first ==
                     partialPairs.begin()->second.begin()->first;
    if (!traffic.partials.empty()) {
      if (traffic.transfers.empty())
        exchange.pattern = complete(partialPairs)
                               ? ExchangePattern::ReduceScatter
                           : hasRoot ? ExchangePattern::Reduce
                                     : ExchangePattern::PointToPoint;
      else if ((complete(partialPairs) && complete(pairs)) ||
               (partialPairs.size() == n - 1 && pairs.size() == 1 &&
                pairs.begin()->second.size() == n - 1))
        exchange.pattern = ExchangePattern::AllReduce;
    } else if (complete(pairs)) {
      exchange.pattern = wholePieces
                             ? ExchangePattern::AllGather
                             : (n == 2 && halos ? ExchangePattern::HaloExchange
                                                : ExchangePattern::AllToAll);
    } else if (pairs.size() == 1 && wholePieces &&
               pairs.begin()->second.size() > 1) {
      exchange.pattern = ExchangePattern::Broadcast;
    } else if (halos && pairs.size() == n) {
      exchange.pattern = ExchangePattern::HaloExchange;
    }
    exchanges.push_back(std::move(exchange));
  }
  return exchanges;
}

} // namespace soap
