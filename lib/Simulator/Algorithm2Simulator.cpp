//===- Algorithm2Simulator.cpp - Propagation of changes ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One sweep over positions, upwards. A task that cannot stay where it was is
// lifted when the sweep gets there, and placed when all that it waits for has
// its times; what comes after it in a queue, and what depends on it, is looked
// at when the sweep reaches it. Everything at smaller positions is final.
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/Algorithm2Simulator.h"

#include <algorithm>

using namespace soap;

Algorithm2Simulator::Algorithm2Simulator(const StrategyPlan &plan)
    : plan(plan), simulator(plan), base(plan.getBlocks().size()),
      changes(plan.getBlocks().size()), lines(plan.loadNs().size()) {
  for (const DeviceType &type : plan.getCost().getTopology().deviceTypes)
    copiesOccupy |= type.copiesOccupyReceiver;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// Numbers of tasks of a block, those of absent shards among them.
int Algorithm2Simulator::taskSlots(int block) const {
  auto [slot, value] = plan.getBlocks()[block];
  return static_cast<int>(slot >= 0 ? plan.kernelPlan(slot).states.size()
                                    : plan.valuePlan(value).tasks.size());
}

/// A task of the plan as it is now, without times.
Algorithm2Simulator::Base Algorithm2Simulator::describe(int block,
                                                        int index) const {
  auto [slot, value] = plan.getBlocks()[block];
  Base task;
  if (slot >= 0) {
    const KernelPlan &kernel = plan.kernelPlan(slot);
    task.exists = kernel.states[index] != ShardState::Absent;
    task.durationNs = kernel.durationNs[index];
    task.resource = kernel.devices[index];
  } else {
    const PlannedTask &planned = plan.valuePlan(value).tasks[index];
    task.exists = true;
    task.durationNs = planned.durationNs;
    task.resource = planned.resource;
  }
  return task;
}

template <typename Visit>
void Algorithm2Simulator::forEachPredecessor(uint64_t key, Visit visit) {
  auto [slot, value] = plan.getBlocks()[blockOf(key)];
  auto visitReference = [&](int v, int reference) {
    const ValuePlan &planned = plan.valuePlan(v);
    if (reference >= planned.sources)
      visit(keyOf(plan.blockOf(v),
                  planned.actions[reference - planned.sources].task));
    else if (reference >= 0 && planned.sourcesAreTasks)
      visit(keyOf(plan.getSlots()[plan.producerOf(v)].block, reference));
  };
  if (slot >= 0) {
    const std::vector<int> &operands = plan.getSlots()[slot].kernel->operands;
    for (size_t i = 0; i < operands.size(); ++i)
      visitReference(operands[i],
                     plan.bindingOf(slot, static_cast<int>(i))[indexOf(key)]);
    return;
  }
  const ValuePlan &planned = plan.valuePlan(value);
  int index = indexOf(key);
  for (size_t a = planned.tasks[index].firstAction;
       a < planned.actions.size() && planned.actions[a].task == index; ++a)
    for (int i = 0; i < planned.actions[a].inputCount; ++i)
      visitReference(value, planned.inputs[planned.actions[a].firstInput + i]);
}

template <typename Visit>
void Algorithm2Simulator::forEachSuccessor(uint64_t key, Visit visit) {
  auto [slot, value] = plan.getBlocks()[blockOf(key)];
  auto visitNode = [&](const ValuePlan &planned, size_t node) {
    for (int i = planned.successorStart[node];
         i < planned.successorStart[node + 1]; ++i)
      visit(keyOf(planned.successors[i].block, planned.successors[i].index));
  };
  if (slot >= 0)
    for (int result : plan.getSlots()[slot].kernel->results)
      visitNode(plan.valuePlan(result), static_cast<size_t>(indexOf(key)));
  else
    visitNode(plan.valuePlan(value),
              static_cast<size_t>(plan.valuePlan(value).sources) +
                  static_cast<size_t>(indexOf(key)));
}

bool Algorithm2Simulator::isMarked(uint64_t key) const {
  return marks && plan.getBlocks()[blockOf(key)].value >= 0 &&
         (*marks)[blockOf(key)][indexOf(key)];
}

//===----------------------------------------------------------------------===//
// The start
//===----------------------------------------------------------------------===//

int64_t Algorithm2Simulator::start() {
  std::vector<std::vector<TaskTimes>> times;
  makespanNs = simulator.timeline(times);
  marks = copiesOccupy ? &simulator.deferredCopies() : nullptr;
  ++epoch; // forgets a proposal
  for (Line &line : lines)
    line.tasks.clear();
  loose.clear();
  // In a topological order: predecessors have smaller keys.
  for (size_t b = 0; b < base.size(); ++b) {
    int count = taskSlots(static_cast<int>(b));
    base[b].assign(count, Base{});
    if (changes[b].size() < base[b].size())
      changes[b].resize(count);
    for (int i = 0; i < count; ++i) {
      uint64_t key = keyOf(static_cast<int>(b), i);
      Base &task = base[b][i];
      task = describe(static_cast<int>(b), i);
      if (!task.exists)
        continue;
      task.marked = isMarked(key);
      bool late = task.marked;
      forEachPredecessor(key, [&](uint64_t before) {
        late |= (baseOf(before).when & lateBit) != 0;
      });
      const TaskTimes &t = times[b][i];
      task.when = t.readyNs | (late ? lateBit : 0);
      task.startNs = t.startNs;
      task.endNs = t.endNs;
      for (int resource : resourcesOf(plan, task.resource))
        lines[resource].tasks.push_back({task.when, key});
      if (resourcesOf(plan, task.resource).empty())
        loose.push_back(key);
    }
  }
  for (Line &line : lines) {
    std::sort(line.tasks.begin(), line.tasks.end());
    line.endNs = line.tasks.empty() ? 0 : baseOf(line.tasks.back().key).endNs;
  }
  return makespanNs;
}

//===----------------------------------------------------------------------===//
// The overlay
//===----------------------------------------------------------------------===//

Algorithm2Simulator::Change &Algorithm2Simulator::touch(uint64_t key) {
  Change &change = changes[blockOf(key)][indexOf(key)];
  if (change.epoch != epoch) {
    touched.push_back(key);
    change = Change{};
    change.epoch = epoch;
    // A new task has no base; it is lifted at once.
    if (indexOf(key) < static_cast<int>(base[blockOf(key)].size())) {
      const Base &task = baseOf(key);
      change.when = task.when;
      change.startNs = task.startNs;
      change.endNs = task.endNs;
    }
  }
  return change;
}

Algorithm2Simulator::Line &Algorithm2Simulator::touchLine(int resource) {
  Line &line = lines[resource];
  if (line.epoch != epoch) {
    touchedLines.push_back(resource);
    line.epoch = epoch;
    line.next = 0;
    line.keptEndNs = line.placedEndNs = 0;
    line.placed.clear();
    line.changed = false;
  }
  return line;
}

/// Whether a committed task is still where it was.
bool Algorithm2Simulator::isKept(uint64_t key) const {
  const Change &change = changes[blockOf(key)][indexOf(key)];
  return change.epoch != epoch || change.place == Place::Kept;
}

/// End of a task that is kept or placed.
int64_t Algorithm2Simulator::endOf(uint64_t key) const {
  const Change &change = changes[blockOf(key)][indexOf(key)];
  return change.epoch == epoch ? change.endNs
                               : base[blockOf(key)][indexOf(key)].endNs;
}

/// End of the last task of a queue before a position, which does not fall from
/// call to call.
int64_t Algorithm2Simulator::endBefore(Line &line, Position position) {
  auto first = line.tasks.begin() + static_cast<ptrdiff_t>(line.next),
       end = line.tasks.end();
  // Most steps are short.
  ptrdiff_t step = 1;
  auto from = first;
  while (end - from > step && from[step] < position) {
    from += step;
    step *= 2;
  }
  auto to = std::lower_bound(from, end - from > step ? from + step + 1 : end,
                             position);
  for (auto it = to; it != first;) {
    --it;
    if (!isKept(it->key))
      continue;
    line.keptEndNs = endOf(it->key);
    break;
  }
  line.next = static_cast<size_t>(to - line.tasks.begin());
  return std::max(line.keptEndNs, line.placedEndNs);
}

/// Plans a look at a task when the sweep gets to `when`.
void Algorithm2Simulator::lookAt(uint64_t key, int64_t when) {
  Change &change = touch(key);
  if (change.queued == when)
    return;
  change.queued = when;
  looks.push_back({when, key});
  std::push_heap(looks.begin(), looks.end(), std::greater<>());
}

/// The end of a task at `position` of a queue changed from `oldEndNs` (-1: it
/// was not there) to `newEndNs` (-1: it has left): looks at the next kept task
/// if it started just then, or would be too early now.
void Algorithm2Simulator::lookBehind(int resource, Position position,
                                     int64_t oldEndNs, int64_t newEndNs) {
  Line &line = touchLine(resource);
  auto it =
      std::upper_bound(line.tasks.begin() + static_cast<ptrdiff_t>(line.next),
                       line.tasks.end(), position);
  while (it != line.tasks.end() && !isKept(it->key))
    ++it;
  if (it == line.tasks.end())
    return;
  int64_t startNs = baseOf(it->key).startNs;
  if (startNs == oldEndNs || startNs < newEndNs)
    lookAt(it->key, it->when);
}

/// Takes the committed version of a task out of its queues.
void Algorithm2Simulator::leave(uint64_t key) {
  const Base &task = baseOf(key);
  for (int resource : resourcesOf(plan, task.resource)) {
    touchLine(resource).changed = true;
    lookBehind(resource, {task.when, key}, task.endNs, -1);
  }
}

/// What waits for a lifted task cannot be placed.
void Algorithm2Simulator::announce(uint64_t key) {
  forEachSuccessor(key, [&](uint64_t next) {
    Change &change = touch(next);
    ++change.pending;
    if (change.place == Place::Kept)
      lookAt(next, baseOf(next).when);
  });
}

/// At the task's position.
void Algorithm2Simulator::lift(uint64_t key) {
  touch(key).place = Place::Lifted;
  leave(key);
  // What was before it and takes longer now concerns the next one.
  const Base &task = baseOf(key);
  Position position{task.when, key};
  for (int resource : resourcesOf(plan, task.resource))
    lookBehind(resource, position, -1,
               endBefore(touchLine(resource), position));
  announce(key);
}

//===----------------------------------------------------------------------===//
// The sweep
//===----------------------------------------------------------------------===//

/// Ready time of a task whose predecessors all have a place, as far as known:
/// what comes before the sweep is final, and what does not, ends after it.
int64_t Algorithm2Simulator::whenOf(uint64_t key) {
  bool late = isMarked(key);
  int64_t readyNs = 0;
  forEachPredecessor(key, [&](uint64_t before) {
    const Change &change = changes[blockOf(before)][indexOf(before)];
    bool isChanged = change.epoch == epoch;
    late |= ((isChanged ? change.when : baseOf(before).when) & lateBit) != 0;
    readyNs =
        std::max(readyNs, isChanged ? change.endNs : baseOf(before).endNs);
  });
  return readyNs | (late ? lateBit : 0);
}

/// Tells successors of a task that has its times.
void Algorithm2Simulator::tell(uint64_t key, bool wasLifted, bool isDifferent) {
  const Change &change = changes[blockOf(key)][indexOf(key)];
  // No successor is ready before.
  int64_t earliest = change.endNs | (change.when & lateBit);
  forEachSuccessor(key, [&](uint64_t next) {
    Change &after = touch(next);
    if (wasLifted)
      --after.pending;
    after.isStale |= isDifferent;
    if (after.pending > 0)
      return;
    if (after.place == Place::Lifted)
      lookAt(next, earliest);
    else if (after.isStale)
      lookAt(next, std::min(earliest, baseOf(next).when));
  });
}

/// Gives a task its position, and its times.
void Algorithm2Simulator::place(Position position) {
  Change &change = touch(position.key);
  bool wasLifted = change.place == Place::Lifted;
  // The task's version in the plan; the base may be of another.
  Base now = describe(blockOf(position.key), indexOf(position.key));
  int64_t startNs = position.when & ~lateBit;
  for (int resource : resourcesOf(plan, now.resource))
    startNs = std::max(startNs, endBefore(touchLine(resource), position));
  int64_t endNs = startNs + now.durationNs;
  ++simulated;
  exceeded |= endNs > limitNs;
  bool isDifferent =
      indexOf(position.key) >=
          static_cast<int>(base[blockOf(position.key)].size()) ||
      baseOf(position.key).endNs != endNs ||
      ((baseOf(position.key).when ^ position.when) & lateBit) != 0;
  change.place = Place::Placed;
  change.when = position.when;
  change.startNs = startNs;
  change.endNs = endNs;
  if (!wasLifted)
    leave(position.key);
  for (int resource : resourcesOf(plan, now.resource)) {
    Line &line = touchLine(resource);
    line.placed.push_back(position);
    line.placedEndNs = endNs;
    line.changed = true;
    lookBehind(resource, position, -1, endNs);
  }
  if (resourcesOf(plan, now.resource).empty())
    placedLoose.push_back(position.key);
  tell(position.key, wasLifted, isDifferent);
}

/// A kept task starts when its resources are free.
void Algorithm2Simulator::checkAgain(Position position) {
  Change &change = touch(position.key);
  const Base &task = baseOf(position.key);
  int64_t startNs = position.when & ~lateBit;
  for (int resource : resourcesOf(plan, task.resource))
    startNs = std::max(startNs, endBefore(touchLine(resource), position));
  int64_t endNs = startNs + task.durationNs;
  ++simulated;
  if (endNs == change.endNs)
    return;
  exceeded |= endNs > limitNs;
  change.startNs = startNs;
  change.endNs = endNs;
  for (int resource : resourcesOf(plan, task.resource))
    lookBehind(resource, position, task.endNs, endNs);
  tell(position.key, false, true);
}

/// The sweep is at a task.
void Algorithm2Simulator::look(Position position) {
  uint64_t key = position.key;
  Change &change = touch(key);
  if (change.place == Place::Placed || change.place == Place::Gone)
    return;
  if (change.place == Place::Lifted) {
    if (change.pending > 0)
      return;
    int64_t when = whenOf(key);
    if (when > position.when)
      lookAt(key, when);
    else
      place(position);
    return;
  }
  int64_t before = baseOf(key).when;
  if (change.pending > 0) {
    if (position.when == before)
      lift(key);
    return;
  }
  int64_t when = whenOf(key);
  if (position.when == before) {
    if (when == before) {
      checkAgain(position);
    } else {
      lift(key);
      lookAt(key, when);
    }
  } else if (when == position.when) {
    place(position);
  } else {
    lookAt(key, std::min(when, before));
  }
}

/// Compares the tasks of changed blocks: those that are new, and those that are
/// as before but may wait for others.
void Algorithm2Simulator::classify(std::vector<uint64_t> &lifted,
                                   std::vector<uint64_t> &stale) {
  std::vector<int> changedBlocks = plan.changedBlocks();
  for (int block : changedBlocks) {
    if (block < 0)
      continue; // of a value that is nowhere
    int before = static_cast<int>(base[block].size()), now = taskSlots(block),
        count = std::max(before, now);
    if (static_cast<int>(changes[block].size()) < count)
      changes[block].resize(count);
    for (int i = 0; i < count; ++i) {
      uint64_t key = keyOf(block, i);
      Base next = i < now ? describe(block, i) : Base{};
      bool existed = i < before && base[block][i].exists;
      if (!existed && !next.exists)
        continue;
      Change &change = touch(key);
      if (existed && next.exists &&
          base[block][i].durationNs == next.durationNs &&
          base[block][i].resource == next.resource) {
        stale.push_back(key);
        continue;
      }
      change.place = next.exists ? Place::Lifted : Place::Gone;
      if (next.exists)
        lifted.push_back(key);
    }
  }
  if (!marks)
    return;
  for (size_t b = 0; b < base.size(); ++b) {
    if (plan.getBlocks()[b].value < 0 ||
        std::binary_search(changedBlocks.begin(), changedBlocks.end(),
                           static_cast<int>(b)))
      continue;
    for (size_t i = 0; i < base[b].size(); ++i)
      if (base[b][i].marked != ((*marks)[b][i] != 0))
        stale.push_back(keyOf(static_cast<int>(b), static_cast<int>(i)));
  }
}

void Algorithm2Simulator::begin() {
  ++epoch;
  simulated = 0;
  exceeded = false;
  touched.clear();
  touchedLines.clear();
  looks.clear();
  placedLoose.clear();
  marks = copiesOccupy ? &simulator.deferredCopies() : nullptr;
  std::vector<uint64_t> lifted, stale;
  classify(lifted, stale);
  // Gone tasks, and former versions of lifted ones.
  for (size_t i = 0, count = touched.size(); i < count; ++i) {
    uint64_t key = touched[i];
    if (!isKept(key) &&
        indexOf(key) < static_cast<int>(base[blockOf(key)].size()) &&
        baseOf(key).exists)
      leave(key);
  }
  for (uint64_t key : lifted)
    announce(key);
  for (uint64_t key : lifted)
    if (touch(key).pending == 0)
      lookAt(key, whenOf(key));
  for (uint64_t key : stale)
    touch(key).isStale = true;
  for (uint64_t key : stale)
    if (touch(key).pending == 0)
      if (int64_t when = whenOf(key), before = baseOf(key).when; when != before)
        lookAt(key, std::min(when, before));
}

int64_t Algorithm2Simulator::propagate(int64_t limit) {
  limitNs = limit;
  begin();
  while (!looks.empty() && !exceeded) {
    std::pop_heap(looks.begin(), looks.end(), std::greater<>());
    Position position = looks.back();
    looks.pop_back();
    look(position);
  }
  if (exceeded)
    return limitNs + 1;
  makespanNs = 0;
  for (Line &line : lines) {
    int64_t endNs = line.endNs;
    if (line.epoch == epoch)
      endNs = endBefore(line, {std::numeric_limits<int64_t>::max(), 0});
    makespanNs = std::max(makespanNs, endNs);
  }
  for (uint64_t key : loose)
    if (isKept(key))
      makespanNs = std::max(makespanNs, endOf(key));
  for (uint64_t key : placedLoose)
    makespanNs = std::max(makespanNs, endOf(key));
  return makespanNs;
}

void Algorithm2Simulator::commit() {
  sortLines();
  for (int block : plan.changedBlocks())
    if (block >= 0)
      base[block].resize(taskSlots(block));
  for (uint64_t key : touched) {
    const Change &change = changes[blockOf(key)][indexOf(key)];
    if (indexOf(key) >= static_cast<int>(base[blockOf(key)].size()))
      continue;
    Base &task = baseOf(key);
    if (change.place == Place::Gone) {
      task = Base{};
      continue;
    }
    if (change.place == Place::Placed)
      task = describe(blockOf(key), indexOf(key));
    task.when = change.when;
    task.startNs = change.startNs;
    task.endNs = change.endNs;
    task.exists = true;
  }
  if (marks)
    for (size_t b = 0; b < base.size(); ++b)
      if (plan.getBlocks()[b].value >= 0)
        for (size_t i = 0; i < base[b].size(); ++i)
          base[b][i].marked = (*marks)[b][i] != 0;
  ++epoch;
}

/// Merges what was placed into the queues, and removes what has left.
void Algorithm2Simulator::sortLines() {
  std::erase_if(loose, [&](uint64_t key) { return !isKept(key); });
  loose.insert(loose.end(), placedLoose.begin(), placedLoose.end());
  for (int resource : touchedLines) {
    Line &line = lines[resource];
    line.endNs = endBefore(line, {std::numeric_limits<int64_t>::max(), 0});
    if (!line.changed)
      continue;
    std::erase_if(line.tasks, [&](const Position &position) {
      return !isKept(position.key);
    });
    size_t kept = line.tasks.size();
    line.tasks.insert(line.tasks.end(), line.placed.begin(), line.placed.end());
    std::inplace_merge(line.tasks.begin(),
                       line.tasks.begin() + static_cast<ptrdiff_t>(kept),
                       line.tasks.end());
  }
}

void Algorithm2Simulator::timeline(
    std::vector<std::vector<TaskTimes>> &times) const {
  times.resize(base.size());
  for (size_t b = 0; b < base.size(); ++b) {
    int count = taskSlots(static_cast<int>(b));
    times[b].assign(count, TaskTimes{});
    for (int i = 0; i < count; ++i) {
      const Change &change = changes[b][i];
      if (change.epoch == epoch)
        times[b][i] = {change.when & ~lateBit, change.startNs, change.endNs};
      else if (i < static_cast<int>(base[b].size()) && base[b][i].exists)
        times[b][i] = {base[b][i].when & ~lateBit, base[b][i].startNs,
                       base[b][i].endNs};
    }
  }
}
