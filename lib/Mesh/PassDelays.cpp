//===- PassDelays.cpp - Waits of recomputed ops and gathers ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PassDelays.h.
//
//===----------------------------------------------------------------------===//

#include "PassDelays.h"

#include "Plan/PassReads.h"
#include "Soap/Mesh/PassTimeline.h"

#include <algorithm>
#include <map>
#include <set>

using namespace soap;

int soap::stepsOfTask(const ValuePlan &plan, size_t task) {
  const PlannedAction &action =
      plan.actions[static_cast<size_t>(plan.tasks[task].firstAction)];
  return action.kind == ActionKind::Combine && plan.tasks[task].collective < 0
             ? std::max(action.inputCount - 1, 1)
             : 1;
}

int64_t PassTasks::writerOf(int value, int reference) const {
  const ValuePlan &planned = plan.valuePlan(value);
  if (reference >= planned.sources)
    return static_cast<int64_t>(numberOf(
        plan.blockOf(value),
        planned.actions[static_cast<size_t>(reference - planned.sources)]
            .task));
  if (const Restore *restore = plan.restoreOfValue(value)) {
    int kept = plan.keptReference(value, reference);
    return kept < 0 ? -1 : writerOf(restore->of, kept);
  }
  return planned.sourcesAreTasks
             ? static_cast<int64_t>(numberOf(
                   plan.getSlots()[static_cast<size_t>(plan.producerOf(value))]
                       .block,
                   reference))
             : -1;
}

void PassTasks::addReads(size_t task, std::vector<uint32_t> &reads) const {
  std::vector<uint32_t> stack(1, static_cast<uint32_t>(task));
  while (!stack.empty()) {
    uint32_t at = stack.back();
    stack.pop_back();
    for (uint32_t i = predStart[at]; i < predStart[at + 1]; ++i) {
      if (passOfTask[preds[i]] >= 0)
        reads.push_back(preds[i]);
      else if (slotOf[preds[i]] < 0 && flags[preds[i]] & hasReads)
        stack.push_back(preds[i]);
    }
  }
}

PassDelays::PassDelays(const PassTasks &tasks, const Graph &graph,
                       const std::vector<int32_t> &followers)
    : tasks(tasks), plan(tasks.plan), passes(tasks.passes), graph(graph),
      followers(followers) {
  if (graph.restores.empty())
    return;
  delayRecomputed();
  delayGathers();
  std::sort(waits.begin(), waits.end());
  waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
}

/// Calls `visit(task, index, references)` for each task of a value, of a sum
/// for each step; `references` is what it reads.
template <typename Visit>
void PassDelays::forEachStep(int value, Visit visit) const {
  const ValuePlan &planned = plan.valuePlan(value);
  std::vector<int> references;
  for (size_t t = 0; t < planned.tasks.size(); ++t) {
    size_t task = tasks.numberOf(plan.blockOf(value), static_cast<int>(t));
    int steps = stepsOfTask(planned, t);
    auto first = static_cast<size_t>(planned.tasks[t].firstAction);
    if (steps > 1) {
      std::vector<int> inputs = inputsInOrder(planned, planned.actions[first]);
      for (int at = 1; at <= steps; ++at) {
        references.assign(1, inputs[static_cast<size_t>(at)]);
        if (at == 1)
          references.push_back(inputs[0]);
        visit(task + static_cast<size_t>(at < steps ? at : 0), t, references);
      }
      continue;
    }
    references.clear();
    for (size_t a = first; a < planned.actions.size() &&
                           planned.actions[a].task == static_cast<int>(t);
         ++a) {
      auto begin = planned.inputs.begin() + planned.actions[a].firstInput;
      references.insert(references.end(), begin,
                        begin + planned.actions[a].inputCount);
    }
    visit(task, t, references);
  }
}

//===----------------------------------------------------------------------===//
// Recomputed ops
//===----------------------------------------------------------------------===//

/// Has a task of a backward pass wait for nodes of that pass on a device.
/// Whether there are some.
bool PassDelays::waitFor(const std::vector<int> &triggers, int device,
                         const PipelinePass &pass, size_t task) {
  bool found = false;
  for (int node : triggers) {
    if (node < 0 || passes.stages[static_cast<size_t>(node)] != pass.stage)
      continue;
    const auto &list = computed[static_cast<size_t>(node)];
    int64_t place = placeOf(device, pass.microbatch);
    for (auto it = std::lower_bound(list.begin(), list.end(),
                                    std::pair(place, uint32_t(0)));
         it != list.end() && it->first == place; ++it) {
      found = true;
      waits.emplace_back(it->second, static_cast<uint32_t>(task));
    }
  }
  return found;
}

void PassDelays::delayRecomputed() {
  std::vector<std::vector<int>> triggers = triggersOfNodes(graph);
  std::vector<bool> isTrigger(graph.nodes.size());
  bool any = false;
  for (const std::vector<int> &of : triggers)
    for (int node : of)
      any = isTrigger[static_cast<size_t>(node)] = true;
  if (!any)
    return;
  computed.resize(graph.nodes.size());
  any = false;
  for (size_t t = 0; t < tasks.passOfTask.size(); ++t) {
    if (tasks.passOfTask[t] < 0)
      continue;
    auto node = static_cast<size_t>(tasks.nodeOf(t));
    if (!isTrigger[node])
      continue;
    any = true;
    computed[node].emplace_back(
        placeOf(tasks.resource[t],
                tasks.passAt(tasks.passOfTask[t]).microbatch),
        static_cast<uint32_t>(t));
  }
  if (!any)
    return;
  for (auto &list : computed)
    std::sort(list.begin(), list.end());
  for (size_t t = 0; t < tasks.passOfTask.size(); ++t)
    if (tasks.passOfTask[t] >= 0)
      if (const std::vector<int> &mine =
              triggers[static_cast<size_t>(tasks.nodeOf(t))];
          !mine.empty())
        waitFor(mine, tasks.resource[t], tasks.passAt(tasks.passOfTask[t]), t);
  delayMovements();
}

/// Tasks that make values again from what the forward pass has kept.
void PassDelays::delayMovements() {
  std::vector<int> writers(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (int value : graph.nodes[n].whole.results)
      writers[static_cast<size_t>(value)] = static_cast<int>(n);
  for (const Restore &restore : plan.getGraph().restores) {
    if (!restore.delaysReaders)
      continue;
    const ValuePlan &planned = plan.valuePlan(restore.value);
    std::vector<int> triggers = {writers[static_cast<size_t>(restore.trigger)]};
    int slot = plan.producerOf(restore.of);
    forEachStep(restore.value, [&](size_t task, size_t index,
                                   const std::vector<int> &references) {
      std::set<int> devices; // that it starts from
      for (int reference : references)
        if (reference < planned.sources && slot >= 0)
          devices.insert(plan.kernelPlan(slot).devices[static_cast<size_t>(
              plan.keptReference(restore.value, reference))]);
      if (devices.empty())
        return;
      if (int number = planned.tasks[index].collective; number >= 0) {
        const std::vector<int> &all =
            planned.collectives[static_cast<size_t>(number)].devices;
        devices.insert(all.begin(), all.end());
      }
      std::vector<uint32_t> reads;
      tasks.addReads(task, reads);
      if (reads.empty())
        return;
      PipelinePass pass = tasks.passAt(
          tasks.passOfTask[*std::min_element(reads.begin(), reads.end())]);
      pass.backward = true;
      for (int device : devices)
        if (!waitFor(triggers, device, pass, task))
          openings.push_back(
              {device, tasks.codeOf(pass), static_cast<uint32_t>(task)});
    });
  }
}

//===----------------------------------------------------------------------===//
// Weights that passes gather
//===----------------------------------------------------------------------===//

int64_t PassDelays::Movement::bytesOn(int device) const {
  auto it = std::lower_bound(
      written.begin(), written.end(), device,
      [](const auto &entry, int number) { return entry.first < number; });
  return it != written.end() && it->first == device ? it->second : 0;
}

/// Once for each movement: all kernels ask, and a gather writes on all devices.
void PassDelays::countBytes(Movement &movement) const {
  const ValuePlan &planned = plan.valuePlan(movement.value);
  std::map<int, int64_t> bytes;
  for (auto a = static_cast<size_t>(
           planned.tasks[static_cast<size_t>(movement.index)].firstAction);
       a < planned.actions.size() && planned.actions[a].task == movement.index;
       ++a)
    bytes[planned.actions[a].device] +=
        plan.regionsOf(movement.value).bytes(planned.actions[a].region);
  movement.written.assign(bytes.begin(), bytes.end());
}

/// In the order of tasks.
std::vector<PassDelays::Movement> PassDelays::findMovements() const {
  std::vector<bool> isWeight(plan.getGraph().values.size());
  for (const Restore &restore : plan.getGraph().restores)
    if (!restore.delaysReaders)
      isWeight[static_cast<size_t>(restore.of)] =
          isWeight[static_cast<size_t>(restore.value)] = true;
  std::vector<Movement> movements;
  std::vector<int32_t> movementOf(tasks.passOfTask.size(), -1);
  for (const PlanState::Block &block : plan.getBlocks()) {
    if (block.slot >= 0 || !isWeight[static_cast<size_t>(block.value)])
      continue;
    int sources = plan.valuePlan(block.value).sources;
    forEachStep(block.value, [&](size_t task, size_t index,
                                 const std::vector<int> &references) {
      Movement &movement = movements.emplace_back();
      movementOf[task] = static_cast<int32_t>(movements.size()) - 1;
      movement.value = block.value;
      movement.index = static_cast<int>(index);
      movement.task = static_cast<uint32_t>(task);
      movement.reads =
          std::any_of(references.begin(), references.end(),
                      [&](int reference) { return reference < sources; });
      countBytes(movement);
    });
  }
  // Kernels, then movements, the last first: each is for what those behind it
  // are for.
  auto forEachRead = [&](size_t task, auto visit) {
    for (uint32_t i = tasks.predStart[task]; i < tasks.predStart[task + 1]; ++i)
      if (int32_t number = movementOf[tasks.preds[i]]; number >= 0)
        visit(movements[static_cast<size_t>(number)].kernels);
  };
  for (size_t t = 0; t < tasks.passOfTask.size(); ++t)
    if (tasks.passOfTask[t] >= 0)
      forEachRead(t, [&](std::vector<uint32_t> &kernels) {
        kernels.push_back(static_cast<uint32_t>(t));
      });
  for (size_t m = movements.size(); m-- > 0;) {
    const std::vector<uint32_t> &own = movements[m].kernels;
    forEachRead(movements[m].task, [&](std::vector<uint32_t> &kernels) {
      kernels.insert(kernels.end(), own.begin(), own.end());
    });
  }
  return movements;
}

/// Weights that passes gather for themselves come in the order in which they
/// are read, as `PassWaits` has it.
void PassDelays::delayGathers() {
  if (followers.empty())
    return;
  std::vector<Movement> movements = findMovements();
  std::vector<std::map<PipelinePass, size_t>> places(passes.order.size());
  for (size_t device = 0; device < places.size(); ++device)
    for (size_t i = 0; i < passes.order[device].size(); ++i)
      places[device][passes.order[device][i]] = i;
  std::vector<Reading> readings;
  for (size_t m = 0; m < movements.size(); ++m)
    for (uint32_t kernel : movements[m].kernels) {
      int device = tasks.resource[kernel];
      if (movements[m].bytesOn(device) == 0)
        continue;
      auto &ofDevice = places[static_cast<size_t>(device)];
      readings.push_back({device,
                          ofDevice[tasks.passAt(tasks.passOfTask[kernel])],
                          movements[m].value, tasks.nodeOf(kernel), kernel, m});
    }
  std::sort(readings.begin(), readings.end());
  std::vector<Gather> gathers; // of one device
  for (size_t i = 0; i < readings.size();) {
    const Reading &first = readings[i];
    Gather &gather = gathers.emplace_back();
    gather.place = first.place;
    gather.node = first.node;
    std::vector<size_t> brought;
    size_t end = i;
    for (; end < readings.size() && readings[end].device == first.device &&
           readings[end].place == first.place &&
           readings[end].value == first.value;
         ++end) {
      brought.push_back(readings[end].movement);
      if (uint32_t kernel = readings[end].kernel;
          readings[end].node == first.node &&
          (gather.readers.empty() || gather.readers.back() != kernel))
        gather.readers.push_back(kernel);
    }
    std::sort(brought.begin(), brought.end());
    brought.erase(std::unique(brought.begin(), brought.end()), brought.end());
    for (size_t m : brought) {
      gather.bytes += movements[m].bytesOn(first.device);
      const std::vector<uint32_t> &kernels = movements[m].kernels;
      bool isShared =
          std::any_of(kernels.begin(), kernels.end(), [&](uint32_t kernel) {
            return tasks.passOfTask[kernel] != tasks.passOfTask[kernels[0]];
          });
      if (movements[m].reads && !isShared)
        gather.starts.push_back(movements[m].task);
    }
    i = end;
    if (i == readings.size() || readings[i].device != first.device) {
      delayGathers(gathers);
      gathers.clear();
    }
  }
}

/// `gathers`: of one device, by place and value.
void PassDelays::delayGathers(const std::vector<Gather> &gathers) {
  std::vector<const Gather *> order;
  int64_t largest = 0;
  for (const Gather &gather : gathers) {
    order.push_back(&gather);
    largest = std::max(largest, gather.bytes);
  }
  std::sort(order.begin(), order.end(), [](const Gather *a, const Gather *b) {
    return std::pair(a->place, a->node) < std::pair(b->place, b->node);
  });
  int64_t held = 0;
  for (size_t i = 0, first = 0; i < order.size(); ++i) {
    held += order[i]->bytes;
    for (; held > 2 * largest; ++first)
      held -= order[first]->bytes;
    if (first == 0)
      continue;
    const Gather &before = *order[first - 1], &gather = *order[i];
    // One kernel may read several.
    if (before.place == gather.place && before.node == gather.node)
      continue;
    for (uint32_t reader : before.readers) {
      // Only what comes before the kernel that the gather runs beside.
      int32_t follower = followers[reader];
      const Gather &beside = *order[i - 1];
      bool isBefore =
          follower >= 0 &&
          (before.place < beside.place ||
           tasks.nodeOf(static_cast<size_t>(follower)) < beside.node);
      for (uint32_t start : gather.starts)
        waits.emplace_back(isBefore ? static_cast<uint32_t>(follower) : reader,
                           start);
    }
  }
}
