//===- ExactTimeline.cpp - Bounds from what is known of a timeline --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Longest paths, to which the order on resources adds edges, until nothing
// changes; then what each resource has to do, with the time before and after.
//
//===----------------------------------------------------------------------===//

#include "ExactTimeline.h"

#include "Soap/Search/Presets/Presets.h"

#include <algorithm>
#include <cassert>

using namespace soap;

ExactTimeline::ExactTimeline(const ParallelizationProblem &problem,
                             const std::vector<std::vector<Config>> &configs,
                             const ExactTables &tables)
    : problem(problem), configs(configs), tables(tables),
      cost(problem.getTopology()), plan(problem.getGraph(), cost),
      strategy(singleStrategy(problem)), present(configs.size()),
      ordered(tables.ordered), byResource(tables.resourceCount) {
  for (size_t g = 0; g < configs.size(); ++g)
    problem.assign(strategy, problem.getGroups()[g], configs[g][0]);
  plan.set(strategy);
}

/// Brings the plan to the configs that are assigned.
void ExactTimeline::update(const ExactBounds &bounds) {
  std::vector<int> nodes;
  std::vector<Config> members;
  for (size_t g = 0; g < configs.size(); ++g) {
    if (!bounds.isKnown(static_cast<int>(g)))
      continue;
    int config = bounds.domain(static_cast<int>(g))[0];
    if (config == present[g])
      continue;
    present[g] = config;
    const OpGroup &group = problem.getGroups()[g];
    problem.assign(strategy, group, configs[g][config]);
    for (int node : group.nodes) {
      nodes.push_back(node);
      members.push_back(strategy[node]);
    }
  }
  if (nodes.empty())
    return;
  plan.change(nodes, members);
  plan.finish();
  plan.commit();
}

void ExactTimeline::findTasks(const ExactBounds &bounds) {
  const std::vector<StrategyPlan::Block> &blocks = plan.getBlocks();
  auto allKnown = [&](const std::vector<int> &groups) {
    return std::all_of(groups.begin(), groups.end(),
                       [&](int g) { return bounds.isKnown(g); });
  };
  std::vector<uint8_t> valueKnown;
  for (const std::vector<int> &groups : tables.groupsOfValue)
    valueKnown.push_back(allKnown(groups));
  count = 0;
  for (std::vector<int> &list : byResource)
    list.clear();
  numbers.resize(blocks.size());
  auto add = [&](size_t block, size_t index, int64_t durationNs,
                 int resource) -> Task & {
    if (tasks.size() == count)
      tasks.emplace_back();
    Task &task = tasks[count];
    task.block = static_cast<int>(block);
    task.index = static_cast<int>(index);
    task.slot = -1;
    task.durationNs = durationNs;
    task.headNs = task.tailNs = 0;
    task.resource = resource;
    task.isKnown = true;
    task.waitsFor.clear();
    task.next.clear();
    auto number = static_cast<int>(count++);
    numbers[block][index] = number;
    if (resource >= 0)
      byResource[resource].push_back(number);
    else
      for (int r : plan.resourceLists()[-1 - resource])
        byResource[r].push_back(number);
    return task;
  };
  for (size_t b = 0; b < blocks.size(); ++b) {
    auto [slot, value] = blocks[b];
    numbers[b].clear();
    if (slot >= 0) {
      int group = tables.groupOf[slot];
      const KernelPlan &kernel = plan.kernelPlan(slot);
      if (!bounds.isKnown(group) || !kernel.active)
        continue;
      int config = present[group];
      const ExactTables::Entry &entry = tables.entries[slot][config];
      bool modeKnown = allKnown(tables.modesOf[slot]), waitsKnown = modeKnown;
      for (int operand : plan.getSlots()[slot].kernel->operands)
        waitsKnown &= valueKnown[operand];
      numbers[b].assign(kernel.devices.size(), -1);
      for (size_t i = 0; i < kernel.devices.size(); ++i) {
        if (modeKnown ? kernel.states[i] == ShardState::Absent
                      : !entry.certain[i])
          continue;
        Task &task = add(b, i, kernel.durationNs[i], kernel.devices[i]);
        task.slot = slot;
        task.isKnown = waitsKnown;
        task.headNs = bounds.headNs(slot, config, i);
        task.tailNs = bounds.tailNs(slot, config, i);
      }
    } else if (valueKnown[value]) {
      const std::vector<PlannedTask> &planned = plan.valuePlan(value).tasks;
      numbers[b].assign(planned.size(), -1);
      for (size_t i = 0; i < planned.size(); ++i)
        add(b, i, planned[i].durationNs, planned[i].resource);
    }
  }
  for (size_t t = 0; t < count; ++t) {
    auto follow = [&](int value, size_t node) {
      const ValuePlan &planned = plan.valuePlan(value);
      if (!valueKnown[value] || (node < static_cast<size_t>(planned.sources) &&
                                 !planned.sourcesAreTasks))
        return;
      for (int i = planned.successorStart[node];
           i < planned.successorStart[node + 1]; ++i) {
        TaskRef next = planned.successors[i];
        int number = numbers[next.block][next.index];
        if (number < 0)
          continue;
        tasks[number].waitsFor.push_back(static_cast<int>(t));
        tasks[t].next.push_back(number);
      }
    };
    auto [slot, value] = blocks[tasks[t].block];
    auto index = static_cast<size_t>(tasks[t].index);
    if (slot >= 0)
      for (int result : plan.getSlots()[slot].kernel->results)
        follow(result, index);
    else
      follow(value, plan.valuePlan(value).sources + index);
  }
  // In a topological order: values have only what they wait for.
  for (size_t t = 0; t < count; ++t)
    for (int p : tasks[t].waitsFor) {
      assert(static_cast<size_t>(p) < t && "in a topological order");
      tasks[t].headNs =
          std::max(tasks[t].headNs, tasks[p].headNs + tasks[p].durationNs);
    }
}

/// Whether the order changed.
bool ExactTimeline::sortByHead() {
  return !std::is_sorted(order.begin(), order.end(),
                         [&](int a, int b) {
                           return std::pair(tasks[a].headNs, a) <
                                  std::pair(tasks[b].headNs, b);
                         }) &&
         (std::sort(order.begin(), order.end(),
                    [&](int a, int b) {
                      return std::pair(tasks[a].headNs, a) <
                             std::pair(tasks[b].headNs, b);
                    }),
          true);
}

/// One pass over all tasks. Whether anything changed.
bool ExactTimeline::findOrder(int64_t limitNs) {
  bool changed = false;
  auto insert = [](uint64_t *bits, int t) {
    bits[static_cast<size_t>(t) / 64] |= uint64_t(1) << (t % 64);
  };
  auto has = [](const uint64_t *bits, int t) {
    return bits[static_cast<size_t>(t) / 64] >> (t % 64) & 1;
  };
  auto unite = [&](uint64_t *bits, const uint64_t *other) {
    for (size_t w = 0; w < words; ++w)
      bits[w] |= other[w];
  };
  for (int t : order) {
    Task &task = tasks[t];
    uint64_t *own = &before[static_cast<size_t>(t) * words];
    std::fill(strictly.begin(), strictly.end(), 0);
    int64_t head = task.headNs;
    for (int p : task.waitsFor) {
      unite(strictly.data(), &before[static_cast<size_t>(p) * words]);
      head = std::max(head, tasks[p].headNs + tasks[p].durationNs);
    }
    awaited = strictly;
    for (int p : task.waitsFor)
      insert(awaited.data(), p);
    known.assign(own, own + words);
    unite(known.data(), awaited.data());
    auto look = [&](int a) {
      if (a == t)
        return;
      const Task &other = tasks[a];
      if (!has(known.data(), a)) {
        if (!other.isKnown)
          return;
        // Ready earlier, or at the same time with a smaller key.
        const std::vector<uint64_t> &ended = a < t ? awaited : strictly;
        if (a > t && task.waitsFor.empty())
          return;
        for (int p : other.waitsFor)
          if (!has(ended.data(), p))
            return;
        insert(known.data(), a);
        unite(known.data(), &before[static_cast<size_t>(a) * words]);
      }
      head = std::max(head, other.headNs + other.durationNs);
    };
    if (task.resource >= 0)
      for (int a : byResource[task.resource])
        look(a);
    else
      for (int r : plan.resourceLists()[-1 - task.resource])
        for (int a : byResource[r])
          look(a);
    if (head > task.headNs) {
      task.headNs = head;
      changed = true;
      if (head + task.durationNs + task.tailNs > limitNs)
        return false;
    }
    if (!std::equal(known.begin(), known.end(), own)) {
      std::copy(known.begin(), known.end(), own);
      changed = true;
    }
  }
  return changed;
}

void ExactTimeline::findTails() {
  for (size_t n = order.size(); n-- > 0;) {
    int t = order[n];
    Task &task = tasks[t];
    for (int next : task.next)
      task.tailNs =
          std::max(task.tailNs, tasks[next].durationNs + tasks[next].tailNs);
    // Whatever is after it on a resource.
    auto look = [&](int other) {
      const uint64_t *bits = &before[static_cast<size_t>(other) * words];
      if (bits[static_cast<size_t>(t) / 64] >> (t % 64) & 1)
        task.tailNs = std::max(task.tailNs,
                               tasks[other].durationNs + tasks[other].tailNs);
    };
    if (task.resource >= 0)
      for (int other : byResource[task.resource])
        look(other);
    else
      for (int r : plan.resourceLists()[-1 - task.resource])
        for (int other : byResource[r])
          look(other);
  }
}

int64_t ExactTimeline::boundNs(ExactBounds &bounds, int64_t limitNs) {
  assert(bounds.isPropagated() && "bounds must have been propagated");
  update(bounds);
  findTasks(bounds);
  words = (count + 63) / 64;
  before.assign(count * words, 0);
  awaited.resize(words);
  strictly.assign(words, 0);
  order.resize(count);
  for (size_t t = 0; t < count; ++t)
    order[t] = static_cast<int>(t);
  int64_t bound = 0;
  auto longest = [&] {
    for (size_t t = 0; t < count; ++t)
      bound = std::max(bound,
                       tasks[t].headNs + tasks[t].durationNs + tasks[t].tailNs);
  };
  constexpr int maxPasses = 6;
  if (ordered)
    for (int pass = 0; pass < maxPasses; ++pass) {
      sortByHead();
      bool changed = findOrder(limitNs);
      longest();
      if (bound > limitNs)
        return bound;
      if (!changed)
        break;
    }
  sortByHead();
  findTails();
  longest();
  if (bound > limitNs)
    return bound;
  for (const std::vector<int> &list : byResource) {
    jobs.clear();
    for (int t : list)
      jobs.push_back({tasks[t].headNs, tasks[t].durationNs, tasks[t].tailNs});
    bound = std::max(bound, preemptiveNs(jobs, waitingJobs));
  }
  for (size_t t = 0; t < count; ++t)
    if (const Task &task = tasks[t]; task.slot >= 0)
      bounds.raise(task.slot, present[tables.groupOf[task.slot]],
                   static_cast<size_t>(task.index), task.headNs, task.tailNs);
  return bound;
}
