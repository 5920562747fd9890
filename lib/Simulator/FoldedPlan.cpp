//===- FoldedPlan.cpp - One task for all that are alike -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partition refinement: classes of tasks by what they do, wait for and occupy,
// classes of resources by what they do one after the other, until nothing
// splits any more. Classes are found by hashes, and then checked member by
// member.
//
//===----------------------------------------------------------------------===//

#include "FoldedPlan.h"

#include "Soap/Simulator/Algorithm1Simulator.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <unordered_set>

using namespace soap;

namespace {

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15u + b + 0x632BE59BD9B4E019u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// Numbers that belong to many owners, one list after the other.
struct Lists {
  std::vector<int64_t> start; ///< by owner, one more at the end
  std::vector<int> entries;

  std::span<const int> operator[](size_t owner) const {
    return std::span(entries).subspan(
        static_cast<size_t>(start[owner]),
        static_cast<size_t>(start[owner + 1] - start[owner]));
  }
  /// `visit(add)` calls `add(owner, entry)`, twice all in the same order.
  template <typename Visit>
  void fill(size_t owners, Visit visit) {
    start.assign(owners + 1, 0);
    visit([&](int owner, int) { ++start[static_cast<size_t>(owner) + 1]; });
    for (size_t i = 1; i <= owners; ++i)
      start[i] += start[i - 1];
    entries.resize(static_cast<size_t>(start.back()));
    std::vector<int64_t> next(start.begin(), start.end() - 1);
    visit([&](int owner, int entry) {
      entries[static_cast<size_t>(next[owner]++)] = entry;
    });
    assert(std::equal(next.begin(), next.end(), start.begin() + 1) &&
           "both visits add the same");
  }
};

class Folding {
public:
  explicit Folding(const PlanState &plan)
      : plan(plan), topology(plan.getCost().getTopology()) {}

  FoldedPlan run() {
    collect();
    refine();
    while (!classify()) {
      // Two hashes were equal by chance: others.
      ++salt;
      refine();
    }
    build();
    return std::move(result);
  }

private:
  struct Info {
    int block = 0, index = 0;
    int64_t durationNs = 0;
    int resource = 0;
    bool marked = false;
  };

  const PlanState &plan;
  const Topology &topology;
  FoldedPlan result;
  std::vector<Info> tasks;               ///< in the order of keys
  std::vector<std::vector<int>> numbers; ///< by block and index, -1: absent
  Lists predecessors;                    ///< of tasks
  Lists occupied;                        ///< resources of tasks
  Lists queues;                          ///< tasks of resources, by key
  std::vector<uint64_t> taskColors, resourceColors;
  std::vector<int> taskClasses, resourceClasses;
  std::vector<int> firstTasks, firstResources; ///< by class
  uint64_t salt = 1;

  void collect() {
    const std::vector<PlanState::Block> &blocks = plan.getBlocks();
    bool copiesOccupy = false;
    for (const DeviceType &type : topology.deviceTypes)
      copiesOccupy |= type.copiesOccupyReceiver;
    StrategySimulator simulator(plan);
    const std::vector<std::vector<uint8_t>> *marks =
        copiesOccupy ? &simulator.deferredCopies() : nullptr;
    numbers.resize(blocks.size());
    for (size_t b = 0; b < blocks.size(); ++b) {
      auto [slot, value] = blocks[b];
      Info task;
      task.block = static_cast<int>(b);
      if (slot >= 0) {
        const KernelPlan &kernel = plan.kernelPlan(slot);
        numbers[b].assign(kernel.states.size(), -1);
        for (size_t i = 0; i < kernel.states.size(); ++i) {
          if (kernel.states[i] == ShardState::Absent)
            continue;
          task.index = static_cast<int>(i);
          task.durationNs = kernel.durationNs[i];
          task.resource = kernel.devices[i];
          numbers[b][i] = static_cast<int>(tasks.size());
          tasks.push_back(task);
        }
        continue;
      }
      const ValuePlan &planned = plan.valuePlan(value);
      numbers[b].assign(planned.tasks.size(), -1);
      for (size_t i = 0; i < planned.tasks.size(); ++i) {
        task.index = static_cast<int>(i);
        task.durationNs = planned.tasks[i].durationNs;
        task.resource = planned.tasks[i].resource;
        task.marked = marks && (*marks)[b][i];
        numbers[b][i] = static_cast<int>(tasks.size());
        tasks.push_back(task);
      }
    }
    predecessors.fill(tasks.size(), [&](auto add) {
      for (size_t t = 0; t < tasks.size(); ++t)
        forEachSuccessor(tasks[t], [&](TaskRef next) {
          add(numbers[next.block][next.index], static_cast<int>(t));
        });
    });
    occupied.fill(tasks.size(), [&](auto add) {
      for (size_t t = 0; t < tasks.size(); ++t)
        for (int resource : plan.resourcesOf(tasks[t].resource))
          add(static_cast<int>(t), resource);
    });
    queues.fill(plan.loadNs().size(), [&](auto add) {
      for (size_t t = 0; t < tasks.size(); ++t)
        for (int resource : plan.resourcesOf(tasks[t].resource))
          add(resource, static_cast<int>(t));
    });
  }

  template <typename Visit>
  void forEachSuccessor(const Info &task, Visit visit) const {
    auto [slot, value] = plan.getBlocks()[task.block];
    auto visitNode = [&](const ValuePlan &planned, size_t node) {
      for (int i = planned.successorStart[node];
           i < planned.successorStart[node + 1]; ++i)
        visit(planned.successors[i]);
    };
    if (slot >= 0)
      plan.forEachFed(slot, task.index, visitNode);
    else
      visitNode(
          plan.valuePlan(value),
          static_cast<size_t>(plan.valuePlan(value).sources + task.index));
  }

  /// Until resources do not split any more; then tasks do not, either.
  void refine() {
    size_t devices = topology.devices.size();
    resourceColors.resize(plan.loadNs().size());
    for (size_t r = 0; r < resourceColors.size(); ++r)
      resourceColors[r] = mix(salt, r < devices);
    taskColors.resize(tasks.size());
    std::unordered_set<uint64_t> distinct;
    for (size_t before = 0;;) {
      // A task is the n-th of its resource: tasks that differ only in their
      // order are a class each.
      std::fill(taskColors.begin(), taskColors.end(), 0);
      for (size_t r = 0; r < resourceColors.size(); ++r) {
        uint64_t place = 0;
        for (int task : queues[r])
          taskColors[task] += mix(resourceColors[r], ++place);
      }
      for (size_t t = 0; t < tasks.size(); ++t) {
        const Info &task = tasks[t];
        uint64_t color = mix(taskColors[t], static_cast<uint64_t>(task.block)),
                 waits = 0;
        color = mix(color,
                    static_cast<uint64_t>(task.durationNs) * 2 + task.marked);
        for (int before : predecessors[t])
          waits += mix(salt, taskColors[before]);
        taskColors[t] = mix(color, waits);
      }
      distinct.clear();
      for (size_t r = 0; r < resourceColors.size(); ++r) {
        for (int task : queues[r])
          resourceColors[r] = mix(resourceColors[r], taskColors[task]);
        distinct.insert(resourceColors[r]);
      }
      if (distinct.size() == before)
        return;
      before = distinct.size();
    }
  }

  static int classOf(std::unordered_map<uint64_t, int> &known, uint64_t color,
                     int member, std::vector<int> &first) {
    auto [it, isNew] = known.try_emplace(color, static_cast<int>(first.size()));
    if (isNew)
      first.push_back(member);
    return it->second;
  }

  /// Numbers classes, in the order of their first members, and compares every
  /// member with the first one. Whether all agree.
  bool classify() {
    std::unordered_map<uint64_t, int> known;
    firstTasks.clear();
    firstResources.clear();
    taskClasses.resize(tasks.size());
    for (size_t t = 0; t < tasks.size(); ++t) {
      if (t > 0 && tasks[t].block != tasks[t - 1].block)
        known.clear();
      taskClasses[t] =
          classOf(known, taskColors[t], static_cast<int>(t), firstTasks);
    }
    known.clear();
    resourceClasses.resize(resourceColors.size());
    for (size_t r = 0; r < resourceColors.size(); ++r)
      resourceClasses[r] = classOf(known, resourceColors[r],
                                   static_cast<int>(r), firstResources);
    std::vector<int> mine, first;
    auto sameClasses = [&](std::span<const int> a, std::span<const int> b,
                           const std::vector<int> &classes) {
      mine.clear();
      first.clear();
      for (int entry : a)
        mine.push_back(classes[entry]);
      for (int entry : b)
        first.push_back(classes[entry]);
      for (std::vector<int> *list : {&mine, &first}) {
        std::sort(list->begin(), list->end());
        list->erase(std::unique(list->begin(), list->end()), list->end());
      }
      return mine == first;
    };
    for (size_t t = 0; t < tasks.size(); ++t) {
      size_t f = static_cast<size_t>(firstTasks[taskClasses[t]]);
      if (f == t)
        continue;
      if (tasks[t].durationNs != tasks[f].durationNs ||
          tasks[t].marked != tasks[f].marked ||
          !sameClasses(predecessors[t], predecessors[f], taskClasses) ||
          !sameClasses(occupied[t], occupied[f], resourceClasses))
        return false;
    }
    // Every resource has the tasks of the same classes in the same order, and
    // of each class one.
    std::vector<int> seen(firstTasks.size(), -1);
    for (size_t r = 0; r < resourceClasses.size(); ++r) {
      std::span<const int> mine = queues[r],
                           others = queues[firstResources[resourceClasses[r]]];
      if (mine.size() != others.size())
        return false;
      for (size_t i = 0; i < mine.size(); ++i) {
        int taskClass = taskClasses[mine[i]];
        if (taskClass != taskClasses[others[i]] ||
            seen[taskClass] == static_cast<int>(r))
          return false;
        seen[taskClass] = static_cast<int>(r);
      }
    }
    return true;
  }

  void nameTask(const Info &info, Task &task) const {
    auto [slot, value] = plan.getBlocks()[info.block];
    std::string key =
        "#" + std::to_string(info.block) + "." + std::to_string(info.index);
    if (slot >= 0) {
      const PlanState::Slot &at = plan.getSlots()[slot];
      task.kind = at.kernel->kind;
      task.name = at.kernel->name + "[" + std::to_string(info.index) + "]";
      task.device = info.resource;
      return;
    }
    const ValuePlan &planned = plan.valuePlan(value);
    const PlannedTask &entry = planned.tasks[info.index];
    const PlannedAction &action = planned.actions[entry.firstAction];
    const std::string &name = plan.getGraph().values[value].name;
    task.device = action.device;
    task.bytes = entry.bytes;
    if (entry.collective >= 0) {
      const PlannedCollective &collective =
          planned.collectives[entry.collective];
      task.kind = collectiveName(collective.kind);
      task.devices = collective.devices;
      task.bytes = collective.bytes;
    } else if (action.kind == ActionKind::Transfer) {
      task.kind = "transfer";
      task.sourceDevice = action.source;
      task.name = name + ":" + std::to_string(action.source) + ">" +
                  std::to_string(action.device) + key;
      return;
    } else {
      task.kind = action.kind == ActionKind::Fill       ? "fill"
                  : action.kind == ActionKind::Assemble ? "assemble"
                                                        : "combine";
    }
    task.name =
        name + ":" + task.kind + "@" + std::to_string(action.device) + key;
  }

  void build() {
    result.unfoldedTasks = static_cast<int64_t>(tasks.size());
    std::vector<Resource> all = makeResources(topology);
    for (int first : firstResources)
      result.graph.resources.push_back(std::move(all[first]));
    result.resourceCounts.assign(firstResources.size(), 0);
    for (int resourceClass : resourceClasses)
      ++result.resourceCounts[resourceClass];
    result.taskCounts.assign(firstTasks.size(), 0);
    for (int taskClass : taskClasses)
      ++result.taskCounts[taskClass];
    assert(std::ranges::count(result.taskCounts, 0) == 0 &&
           std::ranges::count(result.resourceCounts, 0) == 0 &&
           "a class has a member");
    auto classesOf = [](std::span<const int> list,
                        const std::vector<int> &classes) {
      std::vector<int> found;
      for (int entry : list)
        found.push_back(classes[entry]);
      std::sort(found.begin(), found.end());
      found.erase(std::unique(found.begin(), found.end()), found.end());
      return found;
    };
    for (int first : firstTasks) {
      const Info &info = tasks[first];
      Task &task = result.graph.tasks.emplace_back();
      nameTask(info, task);
      task.durationNs = info.durationNs;
      task.key = {info.block, info.index, 0};
      task.preds = classesOf(predecessors[first], taskClasses);
      task.resources = classesOf(occupied[first], resourceClasses);
      assert((task.preds.empty() ||
              task.preds.back() + 1 <
                  static_cast<int>(result.graph.tasks.size())) &&
             "classes come after those that they wait for");
      task.deferred = info.marked;
      for (int before : task.preds)
        task.deferred |= result.graph.tasks[before].deferred;
    }
    for (std::vector<int> &block : numbers)
      for (int &number : block)
        if (number >= 0)
          number = taskClasses[number];
    result.classes = std::move(numbers);
    std::unordered_set<int> distinct;
    for (int device = 0; device < topology.deviceCount(); ++device)
      distinct.insert(resourceClasses[device]);
    result.deviceClasses = static_cast<int>(distinct.size());
    result.resourceClasses = std::move(resourceClasses);
    if (result.deviceClasses == topology.deviceCount())
      findReason();
  }

  /// Names the first resource that has tasks which differ only in their order.
  void findReason() {
    for (size_t r = topology.devices.size(); r < plan.loadNs().size(); ++r)
      for (size_t i = 1; i < queues[r].size(); ++i) {
        const Info &a = tasks[queues[r][i - 1]], &b = tasks[queues[r][i]];
        if (a.block != b.block || a.durationNs != b.durationNs)
          continue;
        Task task;
        nameTask(b, task);
        result.reason = "tasks that are alike wait for each other on link '" +
                        topology.links[r - topology.devices.size()].name +
                        "', as '" + task.name + "'";
        return;
      }
    result.reason = "no two devices do the same";
  }
};

} // namespace

FoldedPlan soap::foldPlan(const PlanState &plan) { return Folding(plan).run(); }

void FoldedPlan::timeline(std::vector<std::vector<TaskTimes>> &times) const {
  times.resize(classes.size());
  for (size_t b = 0; b < classes.size(); ++b) {
    times[b].assign(classes[b].size(), TaskTimes{});
    for (size_t i = 0; i < classes[b].size(); ++i)
      if (int number = classes[b][i]; number >= 0) {
        assert(static_cast<size_t>(number) < graph.tasks.size() &&
               "no such class");
        const Task &task = graph.tasks[number];
        times[b][i] = {task.readyNs, task.startNs, task.endNs};
      }
  }
}
