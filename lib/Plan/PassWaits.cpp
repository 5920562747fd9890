//===- PassWaits.cpp - What passes of a pipeline wait for -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recomputed ops, and the joins between passes. See PassWaits.h.
//
//===----------------------------------------------------------------------===//

#include "PassWaits.h"

#include "PassReads.h"
#include "SumSteps.h"

#include <algorithm>
#include <set>

using namespace soap;

PassWaits::PassWaits(TaskTable &table, const Graph &graph)
    : table(table), plan(*table.plan), passes(*table.passes), graph(graph) {
  delayRecomputed();
  delayGathers();
  placeMovements();
  std::sort(waits.begin(), waits.end());
  waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
  makeJoins();
}

const std::vector<int32_t> &PassWaits::placesOn(int device) {
  places.resize(passes.order.size());
  std::vector<int32_t> &list = places[static_cast<size_t>(device)];
  if (list.empty()) {
    list.assign(table.codes(), -1);
    int32_t next = 0;
    for (const PipelinePass &pass : passes.order[static_cast<size_t>(device)])
      list[static_cast<size_t>(table.codeOf(pass))] = next++;
  }
  return list;
}

//===----------------------------------------------------------------------===//
// Recomputed ops
//===----------------------------------------------------------------------===//

/// Has a task of a backward pass wait for nodes of that pass on a device.
/// Whether there are some.
bool PassWaits::waitFor(const std::vector<int> &triggers, int device,
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

/// Recomputed ops run when the backward pass of their microbatch gets there,
/// and what they read is made again then.
void PassWaits::delayRecomputed() {
  if (graph.restores.empty())
    return;
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
  for (size_t t = 0; t < table.size(); ++t) {
    if (table.passOfTask[t] < 0)
      continue;
    auto node = static_cast<size_t>(table.nodeOf(t));
    if (!isTrigger[node])
      continue;
    any = true;
    computed[node].emplace_back(
        placeOf(table.resource[t],
                table.passAt(table.passOfTask[t]).microbatch),
        static_cast<uint32_t>(t));
  }
  if (!any)
    return;
  for (auto &list : computed)
    std::sort(list.begin(), list.end());
  for (size_t t = 0; t < table.size(); ++t)
    if (table.passOfTask[t] >= 0)
      if (const std::vector<int> &mine =
              triggers[static_cast<size_t>(table.nodeOf(t))];
          !mine.empty() && waitFor(mine, table.resource[t],
                                   table.passAt(table.passOfTask[t]), t))
        table.flags[t] &= static_cast<uint8_t>(~TaskTable::isFirst);
  delayMovements();
}

/// Tasks that make values again from what the forward pass has kept.
void PassWaits::delayMovements() {
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
    forEachReading(
        table, restore.value,
        [&](size_t task, size_t index, const std::vector<int> &references) {
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
          table.addReads(task, reads);
          if (reads.empty())
            return;
          PipelinePass pass = table.passAt(
              table.passOfTask[*std::min_element(reads.begin(), reads.end())]);
          pass.backward = true;
          for (int device : devices)
            if (!waitFor(triggers, device, pass, task))
              openings.push_back(
                  {device, table.codeOf(pass), static_cast<uint32_t>(task)});
        });
  }
}

//===----------------------------------------------------------------------===//
// Joins
//===----------------------------------------------------------------------===//

void PassWaits::makeJoins() {
  // By device and code: whether the pass has tasks there.
  size_t codes = table.codes(), devices = passes.order.size();
  std::vector<std::vector<uint8_t>> isThere(devices);
  auto mark = [&](int device, int32_t pass) {
    std::vector<uint8_t> &list = isThere[static_cast<size_t>(device)];
    list.resize(codes);
    list[static_cast<size_t>(pass)] = 1;
  };
  for (size_t t = 0; t < table.size(); ++t)
    if (table.passOfTask[t] >= 0)
      mark(table.resource[t], table.passOfTask[t]);
  for (const PassEnd &opening : openings)
    mark(opening.device, opening.pass);
  // The join before and behind each pass.
  std::vector<std::vector<std::pair<int32_t, int32_t>>> joinsOf(devices);
  for (size_t d = 0; d < devices; ++d) {
    if (isThere[d].empty())
      continue;
    joinsOf[d].assign(codes, {-1, -1});
    int32_t join = -1;
    std::vector<PipelinePass> together; // one, or two side by side
    for (const PipelinePass &pass : passes.order[d]) {
      int32_t code = table.codeOf(pass);
      if (!isThere[d][static_cast<size_t>(code)])
        continue;
      bool isSecond = passes.overlaps && together.size() == 1 &&
                      together[0].backward != pass.backward &&
                      together[0].microbatch != pass.microbatch;
      if (!together.empty() && !isSecond) {
        join = static_cast<int32_t>(joins.size());
        joins.emplace_back();
        for (const PipelinePass &before : together)
          joinsOf[d][static_cast<size_t>(table.codeOf(before))].second = join;
        together.clear();
      }
      joinsOf[d][static_cast<size_t>(code)].first = join;
      together.push_back(pass);
    }
  }
  // Adds a task to a join of its pass: to the tasks that end it, or to those
  // that begin the pass behind it.
  auto joinsAt = [&](int device, int32_t pass) {
    return joinsOf[static_cast<size_t>(device)][static_cast<size_t>(pass)];
  };
  auto add = [&](int32_t join, std::vector<uint32_t> Join::*tasks,
                 size_t task) {
    if (join >= 0)
      (joins[static_cast<size_t>(join)].*tasks)
          .push_back(static_cast<uint32_t>(task));
  };
  auto end = [&](int device, int32_t pass, size_t task) {
    add(joinsAt(device, pass).second, &Join::last, task);
  };
  auto begin = [&](int device, int32_t pass, size_t task) {
    add(joinsAt(device, pass).first, &Join::first, task);
  };
  for (size_t t = 0; t < table.size(); ++t) {
    if (table.passOfTask[t] < 0)
      continue;
    if (table.flags[t] & TaskTable::isLast)
      end(table.resource[t], table.passOfTask[t], t);
    if (table.flags[t] & TaskTable::isFirst)
      begin(table.resource[t], table.passOfTask[t], t);
  }
  for (const PassEnd &closing : closings)
    end(closing.device, closing.pass, closing.task);
  for (const PassEnd &opening : openings)
    begin(opening.device, opening.pass, opening.task);
  // Where a movement alone is of a pass, nothing waits for that one.
  std::erase_if(joins, [](const Join &join) {
    return join.last.empty() || join.first.empty();
  });
}
