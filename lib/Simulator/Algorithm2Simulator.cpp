//===- Algorithm2Simulator.cpp - The paper's delta simulation -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the lines of Algorithm 2 of the FlexFlow paper are:
//
//   line 2       `updateQueue`, a heap of positions
//   lines 3-5    `updateTaskGraph`, `compareTasks`, `enqueue`
//   lines 6-7    the loop of `propagate`
//   lines 8-9    `schedule`, `updateStartTime`
//   lines 10-12  `enqueueSuccessors`
//   lines 13-14  `enqueueNextTask`
//   line 15      the end of `propagate`
//   lines 17-24  `updateTask`; line 18 `readyTimeOf`; line 19 `unschedule` and
//                `schedule`; line 20 `preTaskEndNs`
//
// The paper swaps neighbours on a device until nothing changes. This is one
// sweep over positions, upwards: all times at smaller positions are final. A
// task that cannot keep its position is unscheduled when the sweep reaches it.
// It is scheduled at its new position when all its predecessors have times and
// the sweep reaches that position.
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/Algorithm2Simulator.h"

#include <algorithm>
#include <cassert>

using namespace soap;

Algorithm2Simulator::Algorithm2Simulator(const StrategyPlan &plan)
    : plan(plan), simulator(plan), committed(plan.getBlocks().size()),
      changes(plan.getBlocks().size()), queues(plan.loadNs().size()) {
  for (const DeviceType &type : plan.getCost().getTopology().deviceTypes)
    copiesOccupy |= type.copiesOccupyReceiver;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// How many tasks a block has, counting absent shards.
int Algorithm2Simulator::taskSlots(int block) const {
  auto [slot, value] = plan.getBlocks()[block];
  return static_cast<int>(slot >= 0 ? plan.kernelPlan(slot).states.size()
                                    : plan.valuePlan(value).tasks.size());
}

/// A task of the plan as it is now, without times.
Algorithm2Simulator::CommittedTask
Algorithm2Simulator::plannedTask(int block, int index) const {
  assert(block >= 0 && static_cast<size_t>(block) < plan.getBlocks().size());
  assert(index >= 0 && index < taskSlots(block) && "no such task");
  auto [slot, value] = plan.getBlocks()[block];
  CommittedTask task;
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
  assert(plan.changedKernels().empty() && plan.changedValues().empty() &&
         "changes must have been committed");
  std::vector<std::vector<TaskTimes>> times;
  makespanNs = simulator.timeline(times);
  marks = copiesOccupy ? &simulator.deferredCopies() : nullptr;
  ++epoch; // forgets a proposal
  for (ResourceQueue &queue : queues)
    queue.tasks.clear();
  unqueued.clear();
  // In a topological order: predecessors have smaller keys.
  for (size_t b = 0; b < committed.size(); ++b) {
    int count = taskSlots(static_cast<int>(b));
    committed[b].assign(count, CommittedTask{});
    if (changes[b].size() < committed[b].size())
      changes[b].resize(count);
    for (int i = 0; i < count; ++i) {
      uint64_t key = keyOf(static_cast<int>(b), i);
      CommittedTask &task = committed[b][i];
      task = plannedTask(static_cast<int>(b), i);
      if (!task.exists)
        continue;
      task.marked = isMarked(key);
      bool isDeferred = task.marked;
      forEachPredecessor(key, [&](uint64_t before) {
        isDeferred |= (committedOf(before).ready & deferredBit) != 0;
      });
      const TaskTimes &t = times[b][i];
      task.ready = t.readyNs | (isDeferred ? deferredBit : 0);
      task.startNs = t.startNs;
      task.endNs = t.endNs;
      for (int resource : plan.resourcesOf(task.resource))
        queues[resource].tasks.push_back({task.ready, key});
      if (plan.resourcesOf(task.resource).empty())
        unqueued.push_back(key);
    }
  }
  for (ResourceQueue &queue : queues) {
    std::sort(queue.tasks.begin(), queue.tasks.end());
    queue.endNs =
        queue.tasks.empty() ? 0 : committedOf(queue.tasks.back().key).endNs;
  }
  return makespanNs;
}

//===----------------------------------------------------------------------===//
// The proposal
//===----------------------------------------------------------------------===//

/// The change of a task in the proposal; makes an empty one.
Algorithm2Simulator::Change &Algorithm2Simulator::changeOf(uint64_t key) {
  Change &change = changes[blockOf(key)][indexOf(key)];
  if (change.epoch != epoch) {
    touched.push_back(key);
    change = Change{};
    change.epoch = epoch;
    // A new task has no committed times. The caller sets its state.
    if (indexOf(key) < static_cast<int>(committed[blockOf(key)].size())) {
      const CommittedTask &task = committedOf(key);
      change.ready = task.ready;
      change.startNs = task.startNs;
      change.endNs = task.endNs;
    }
  }
  return change;
}

/// The queue of a resource, with what the proposal does to it.
Algorithm2Simulator::ResourceQueue &Algorithm2Simulator::queueOf(int resource) {
  ResourceQueue &queue = queues[resource];
  if (queue.epoch != epoch) {
    touchedQueues.push_back(resource);
    queue.epoch = epoch;
    queue.next = 0;
    queue.keptEndNs = queue.scheduledEndNs = 0;
    queue.scheduled.clear();
    queue.isReordered = false;
  }
  return queue;
}

/// Whether a committed task keeps its position.
bool Algorithm2Simulator::isKept(uint64_t key) const {
  const Change &change = changes[blockOf(key)][indexOf(key)];
  return change.epoch != epoch || change.state == State::Kept;
}

/// End of a task that is kept or scheduled.
int64_t Algorithm2Simulator::endOf(uint64_t key) const {
  const Change &change = changes[blockOf(key)][indexOf(key)];
  return change.epoch == epoch ? change.endNs
                               : committed[blockOf(key)][indexOf(key)].endNs;
}

/// t.preTask.endTime (lines 8 and 20): the end of the last task of a queue
/// before a position. Positions must not fall from call to call.
int64_t Algorithm2Simulator::preTaskEndNs(ResourceQueue &queue,
                                          Position position) {
  auto first = queue.tasks.begin() + static_cast<ptrdiff_t>(queue.next),
       end = queue.tasks.end();
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
    queue.keptEndNs = endOf(it->key);
    break;
  }
  queue.next = static_cast<size_t>(to - queue.tasks.begin());
  return std::max(queue.keptEndNs, queue.scheduledEndNs);
}

/// updateQueue.enqueue (lines 5, 12 and 14): updates a task when the sweep
/// reaches the position of this ready time.
void Algorithm2Simulator::enqueue(uint64_t key, int64_t ready) {
  Change &change = changeOf(key);
  if (change.enqueuedAt == ready)
    return;
  change.enqueuedAt = ready;
  updateQueue.push_back({ready, key});
  std::push_heap(updateQueue.begin(), updateQueue.end(), std::greater<>());
}

/// Lines 13 and 14, for t.nextTask: the end of the task at `position` of a
/// queue changes from `oldEndNs` (-1: the task was not there) to `newEndNs`
/// (-1: the task leaves). Enqueues the next kept task if it started at the old
/// end, or starts before the new one.
void Algorithm2Simulator::enqueueNextTask(int resource, Position position,
                                          int64_t oldEndNs, int64_t newEndNs) {
  ResourceQueue &queue = queueOf(resource);
  auto it =
      std::upper_bound(queue.tasks.begin() + static_cast<ptrdiff_t>(queue.next),
                       queue.tasks.end(), position);
  while (it != queue.tasks.end() && !isKept(it->key))
    ++it;
  if (it == queue.tasks.end())
    return;
  int64_t startNs = committedOf(it->key).startNs;
  if (startNs == oldEndNs || startNs < newEndNs)
    enqueue(it->key, it->ready);
}

/// Takes the committed version of a task out of the queues of its resources.
void Algorithm2Simulator::leaveQueues(uint64_t key) {
  const CommittedTask &task = committedOf(key);
  for (int resource : plan.resourcesOf(task.resource)) {
    queueOf(resource).isReordered = true;
    enqueueNextTask(resource, {task.ready, key}, task.endNs, -1);
  }
}

/// Successors of an unscheduled task cannot be scheduled.
void Algorithm2Simulator::holdSuccessors(uint64_t key) {
  forEachSuccessor(key, [&](uint64_t next) {
    Change &change = changeOf(next);
    ++change.unscheduledPreds;
    if (change.state == State::Kept)
      enqueue(next, committedOf(next).ready);
  });
}

/// Line 19, first half: takes a task from its position, where the sweep is.
void Algorithm2Simulator::unschedule(uint64_t key) {
  changeOf(key).state = State::Unscheduled;
  leaveQueues(key);
  // If the task before it ends later now, that delays the task after it.
  const CommittedTask &task = committedOf(key);
  Position position{task.ready, key};
  for (int resource : plan.resourcesOf(task.resource))
    enqueueNextTask(resource, position, -1,
                    preTaskEndNs(queueOf(resource), position));
  holdSuccessors(key);
}

//===----------------------------------------------------------------------===//
// Algorithm 2
//===----------------------------------------------------------------------===//

/// Line 18: max{p.endTime | p in I(t)}, with `deferredBit` if the task is
/// deferred. No predecessor may be unscheduled. Ends of predecessors that the
/// sweep has not reached may still change, but are at later positions.
int64_t Algorithm2Simulator::readyTimeOf(uint64_t key) {
  bool isDeferred = isMarked(key);
  int64_t readyNs = 0;
  forEachPredecessor(key, [&](uint64_t before) {
    const Change &change = changes[blockOf(before)][indexOf(before)];
    bool isChanged = change.epoch == epoch;
    isDeferred |= ((isChanged ? change.ready : committedOf(before).ready) &
                   deferredBit) != 0;
    readyNs =
        std::max(readyNs, isChanged ? change.endNs : committedOf(before).endNs);
  });
  return readyNs | (isDeferred ? deferredBit : 0);
}

/// Lines 10 to 12: enqueues the successors of a task that has its times, where
/// they may change.
void Algorithm2Simulator::enqueueSuccessors(uint64_t key, bool wasUnscheduled,
                                            bool isDifferent) {
  const Change &change = changes[blockOf(key)][indexOf(key)];
  // No successor is ready earlier.
  int64_t earliest = change.endNs | (change.ready & deferredBit);
  forEachSuccessor(key, [&](uint64_t next) {
    Change &after = changeOf(next);
    assert((!wasUnscheduled || after.unscheduledPreds > 0) &&
           "a predecessor that was not counted");
    if (wasUnscheduled)
      --after.unscheduledPreds;
    after.isStale |= isDifferent;
    if (after.unscheduledPreds > 0)
      return;
    if (after.state == State::Unscheduled)
      enqueue(next, earliest);
    else if (after.isStale)
      enqueue(next, std::min(earliest, committedOf(next).ready));
  });
}

/// Line 19, second half, with lines 8 and 9: gives a task its new position and
/// its times, which are final.
void Algorithm2Simulator::schedule(Position position) {
  Change &change = changeOf(position.key);
  bool wasUnscheduled = change.state == State::Unscheduled;
  assert(change.unscheduledPreds == 0 && "it waits for others");
  // The task of the plan: the committed one may have another duration.
  CommittedTask now = plannedTask(blockOf(position.key), indexOf(position.key));
  int64_t startNs = position.ready & ~deferredBit;
  for (int resource : plan.resourcesOf(now.resource))
    startNs = std::max(startNs, preTaskEndNs(queueOf(resource), position));
  assert(now.exists && "an absent shard has no times");
  int64_t endNs = startNs + now.durationNs;
  ++simulated;
  exceeded |= endNs > limitNs;
  bool isDifferent =
      indexOf(position.key) >=
          static_cast<int>(committed[blockOf(position.key)].size()) ||
      committedOf(position.key).endNs != endNs ||
      ((committedOf(position.key).ready ^ position.ready) & deferredBit) != 0;
  change.state = State::Scheduled;
  change.ready = position.ready;
  change.startNs = startNs;
  change.endNs = endNs;
  if (!wasUnscheduled)
    leaveQueues(position.key);
  for (int resource : plan.resourcesOf(now.resource)) {
    ResourceQueue &queue = queueOf(resource);
    queue.scheduled.push_back(position);
    queue.scheduledEndNs = endNs;
    queue.isReordered = true;
    enqueueNextTask(resource, position, -1, endNs);
  }
  if (plan.resourcesOf(now.resource).empty())
    scheduledUnqueued.push_back(position.key);
  enqueueSuccessors(position.key, wasUnscheduled, isDifferent);
}

/// Lines 20, 8 and 9: a kept task starts when its resources are free. If its
/// end does not change, nothing else does.
void Algorithm2Simulator::updateStartTime(Position position) {
  Change &change = changeOf(position.key);
  const CommittedTask &task = committedOf(position.key);
  int64_t startNs = position.ready & ~deferredBit;
  for (int resource : plan.resourcesOf(task.resource))
    startNs = std::max(startNs, preTaskEndNs(queueOf(resource), position));
  int64_t endNs = startNs + task.durationNs;
  ++simulated;
  if (endNs == change.endNs)
    return;
  exceeded |= endNs > limitNs;
  change.startNs = startNs;
  change.endNs = endNs;
  for (int resource : plan.resourcesOf(task.resource))
    enqueueNextTask(resource, position, task.endNs, endNs);
  enqueueSuccessors(position.key, false, true);
}

/// UPDATETASK (lines 17 to 24), for the task at the sweep's position.
void Algorithm2Simulator::updateTask(Position position) {
  uint64_t key = position.key;
  Change &change = changeOf(key);
  if (change.state == State::Scheduled || change.state == State::Removed)
    return;
  if (change.state == State::Unscheduled) {
    if (change.unscheduledPreds > 0)
      return;
    int64_t ready = readyTimeOf(key);
    if (ready > position.ready)
      enqueue(key, ready);
    else
      schedule(position);
    return;
  }
  int64_t before = committedOf(key).ready;
  if (change.unscheduledPreds > 0) {
    if (position.ready == before)
      unschedule(key);
    return;
  }
  int64_t ready = readyTimeOf(key);
  if (position.ready == before) {
    if (ready == before) {
      updateStartTime(position);
    } else {
      unschedule(key);
      enqueue(key, ready);
    }
  } else if (ready == position.ready) {
    schedule(position);
  } else {
    enqueue(key, std::min(ready, before));
  }
}

/// Compares the tasks of changed blocks with the committed ones. Lists those
/// that are new or have another duration or resource as unscheduled, and those
/// that may have other predecessors as stale.
void Algorithm2Simulator::compareTasks(std::vector<uint64_t> &unscheduled,
                                       std::vector<uint64_t> &stale) {
  std::vector<int> changedBlocks = plan.changedBlocks();
  for (int block : changedBlocks) {
    if (block < 0)
      continue; // of a value that is nowhere
    int before = static_cast<int>(committed[block].size()),
        now = taskSlots(block), count = std::max(before, now);
    if (static_cast<int>(changes[block].size()) < count)
      changes[block].resize(count);
    for (int i = 0; i < count; ++i) {
      uint64_t key = keyOf(block, i);
      CommittedTask next = i < now ? plannedTask(block, i) : CommittedTask{};
      bool existed = i < before && committed[block][i].exists;
      if (!existed && !next.exists)
        continue;
      Change &change = changeOf(key);
      if (existed && next.exists &&
          committed[block][i].durationNs == next.durationNs &&
          committed[block][i].resource == next.resource) {
        stale.push_back(key);
        continue;
      }
      change.state = next.exists ? State::Unscheduled : State::Removed;
      if (next.exists)
        unscheduled.push_back(key);
    }
  }
  if (!marks)
    return;
  for (size_t b = 0; b < committed.size(); ++b) {
    if (plan.getBlocks()[b].value < 0 ||
        std::binary_search(changedBlocks.begin(), changedBlocks.end(),
                           static_cast<int>(b)))
      continue;
    for (size_t i = 0; i < committed[b].size(); ++i)
      if (committed[b][i].marked != ((*marks)[b][i] != 0))
        stale.push_back(keyOf(static_cast<int>(b), static_cast<int>(i)));
  }
}

/// UPDATETASKGRAPH (lines 3 to 5): enqueues the tasks that may have a new ready
/// time. The plan itself has been changed already.
void Algorithm2Simulator::updateTaskGraph() {
  ++epoch;
  simulated = 0;
  exceeded = false;
  touched.clear();
  touchedQueues.clear();
  updateQueue.clear();
  scheduledUnqueued.clear();
  marks = copiesOccupy ? &simulator.deferredCopies() : nullptr;
  std::vector<uint64_t> unscheduled, stale;
  compareTasks(unscheduled, stale);
  // Removed tasks, and committed versions of unscheduled ones.
  for (size_t i = 0, count = touched.size(); i < count; ++i) {
    uint64_t key = touched[i];
    if (!isKept(key) &&
        indexOf(key) < static_cast<int>(committed[blockOf(key)].size()) &&
        committedOf(key).exists)
      leaveQueues(key);
  }
  for (uint64_t key : unscheduled)
    holdSuccessors(key);
  for (uint64_t key : unscheduled)
    if (changeOf(key).unscheduledPreds == 0)
      enqueue(key, readyTimeOf(key));
  for (uint64_t key : stale)
    changeOf(key).isStale = true;
  for (uint64_t key : stale)
    if (changeOf(key).unscheduledPreds == 0)
      if (int64_t ready = readyTimeOf(key), before = committedOf(key).ready;
          ready != before)
        enqueue(key, std::min(ready, before));
}

int64_t Algorithm2Simulator::propagate(int64_t limit) {
  assert(limit >= 0 && "a negative limit");
  assert(plan.valuesToPlan().empty() && "changes must have been finished");
  limitNs = limit;
  updateTaskGraph();
  while (!updateQueue.empty() && !exceeded) { // line 6
    // Line 7.
    std::pop_heap(updateQueue.begin(), updateQueue.end(), std::greater<>());
    Position position = updateQueue.back();
    updateQueue.pop_back();
    updateTask(position);
  }
  if (exceeded)
    return limitNs + 1;
  // Line 15: the last tasks of all resources, and those that occupy none.
  makespanNs = 0;
  for (ResourceQueue &queue : queues) {
    int64_t endNs = queue.endNs;
    if (queue.epoch == epoch)
      endNs = preTaskEndNs(queue, {std::numeric_limits<int64_t>::max(), 0});
    makespanNs = std::max(makespanNs, endNs);
  }
  for (uint64_t key : unqueued)
    if (isKept(key))
      makespanNs = std::max(makespanNs, endOf(key));
  for (uint64_t key : scheduledUnqueued)
    makespanNs = std::max(makespanNs, endOf(key));
  return makespanNs;
}

void Algorithm2Simulator::commit() {
  assert(!exceeded && "a proposal above the limit has no timeline");
  mergeQueues();
  for (int block : plan.changedBlocks())
    if (block >= 0)
      committed[block].resize(taskSlots(block));
  for (uint64_t key : touched) {
    const Change &change = changes[blockOf(key)][indexOf(key)];
    if (indexOf(key) >= static_cast<int>(committed[blockOf(key)].size()))
      continue;
    CommittedTask &task = committedOf(key);
    if (change.state == State::Removed) {
      task = CommittedTask{};
      continue;
    }
    if (change.state == State::Scheduled)
      task = plannedTask(blockOf(key), indexOf(key));
    task.ready = change.ready;
    task.startNs = change.startNs;
    task.endNs = change.endNs;
    task.exists = true;
  }
  if (marks)
    for (size_t b = 0; b < committed.size(); ++b)
      if (plan.getBlocks()[b].value >= 0)
        for (size_t i = 0; i < committed[b].size(); ++i)
          committed[b][i].marked = (*marks)[b][i] != 0;
  ++epoch;
}

/// Merges scheduled tasks into the queues, and removes those that have left.
void Algorithm2Simulator::mergeQueues() {
  std::erase_if(unqueued, [&](uint64_t key) { return !isKept(key); });
  unqueued.insert(unqueued.end(), scheduledUnqueued.begin(),
                  scheduledUnqueued.end());
  for (int resource : touchedQueues) {
    ResourceQueue &queue = queues[resource];
    queue.endNs = preTaskEndNs(queue, {std::numeric_limits<int64_t>::max(), 0});
    if (!queue.isReordered)
      continue;
    std::erase_if(queue.tasks, [&](const Position &position) {
      return !isKept(position.key);
    });
    size_t kept = queue.tasks.size();
    queue.tasks.insert(queue.tasks.end(), queue.scheduled.begin(),
                       queue.scheduled.end());
    std::inplace_merge(queue.tasks.begin(),
                       queue.tasks.begin() + static_cast<ptrdiff_t>(kept),
                       queue.tasks.end());
    assert(std::is_sorted(queue.tasks.begin(), queue.tasks.end()) &&
           "tasks in the order of their positions");
  }
}

void Algorithm2Simulator::timeline(
    std::vector<std::vector<TaskTimes>> &times) const {
  times.resize(committed.size());
  for (size_t b = 0; b < committed.size(); ++b) {
    int count = taskSlots(static_cast<int>(b));
    times[b].assign(count, TaskTimes{});
    for (int i = 0; i < count; ++i) {
      const Change &change = changes[b][i];
      if (change.epoch == epoch)
        times[b][i] = {change.ready & ~deferredBit, change.startNs,
                       change.endNs};
      else if (i < static_cast<int>(committed[b].size()) &&
               committed[b][i].exists)
        times[b][i] = {committed[b][i].ready & ~deferredBit,
                       committed[b][i].startNs, committed[b][i].endNs};
    }
  }
}
