//===- Convergence.cpp - Reused segments of a timeline --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A change delays what follows. Once the divergence has ended, the rest of the
// timeline is often the committed one, later or earlier as a whole: soon where
// all devices wait for each other, as in batch norm. Such a segment is reused
// instead of simulated. docs/Simulator.md has the conditions and the proof.
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/DeltaSimulator.h"

#include <algorithm>
#include <cassert>

using namespace soap;

/// A checkpoint of the committed timeline whose state is that of the run,
/// shifted in time.
struct DeltaSimulator::Convergence {
  int position = 0;            ///< of the checkpoint
  int64_t oldNs = 0;           ///< when its next task became ready
  int64_t nowNs = 0;           ///< and now
  int64_t shiftNs = 0;         ///< between the two
  int64_t divergenceEndNs = 0; ///< end of the last task with another shift
  /// Tasks of changed blocks that were simulated in this part of the run, and
  /// those that were there before.
  int64_t newTasks = 0, oldTasks = 0;
  bool isLast = true;       ///< nothing that has changed is still to come
  int next = never;         ///< if not: position at which it may begin
  size_t to = 0;            ///< the last checkpoint before
  std::vector<int> settled; ///< changed blocks that are over now
};

/// Lists blocks and values that differ from the last commit.
void DeltaSimulator::listChanges() {
  for (int block : changedBlocks)
    changes[block] = Change::None;
  changedBlocks.clear();
  auto add = [&](int block) {
    if (block >= 0 && changes[block] == Change::None) {
      changes[block] = Change::Ahead;
      changedBlocks.push_back(block);
    }
  };
  for (int slot : plan.changedKernels())
    add(plan.getSlots()[slot].block);
  changedValues.clear();
  for (const std::vector<int> *list :
       {&plan.valuesToPlan(), &plan.changedValues()})
    for (int value : *list)
      if (changedIn[value] != runNumber) {
        changedIn[value] = runNumber;
        changedValues.push_back(value);
        add(plan.blockOf(value));
      }
}

/// Whether a kernel has changed, or reads what has: what released it then says
/// nothing.
bool DeltaSimulator::readsPast(int slot) const {
  const StrategyPlan::Slot &reader = plan.getSlots()[slot];
  return changes[reader.block] != Change::None ||
         std::any_of(
             reader.kernel->operands.begin(), reader.kernel->operands.end(),
             [&](int operand) { return changedIn[operand] == runNumber; });
}

/// The run may come to a checkpoint, or to one after it.
void DeltaSimulator::await(size_t checkpoint) {
  target = checkpoint;
  while (target < timeline.checkpoints.size() &&
         changes[keys.unpack(timeline.checkpoints[target].next.key).block] !=
             Change::None)
    ++target;
  awaited = target < timeline.checkpoints.size()
                ? timeline.checkpoints[target].next.key
                : BundleKeys::none;
}

/// Leaves checkpoints that the run has passed.
void DeltaSimulator::awaitNext() {
  if (target == timeline.checkpoints.size())
    return;
  constexpr size_t maxLooks = 8;
  size_t looks = std::min(maxLooks, record.popped.size() - partPopped);
  for (size_t i = 0; i < looks; ++i) {
    const TaskBundle &bundle = record.popped[record.popped.size() - 1 - i];
    if (changes[bundle.block] != Change::None)
      continue;
    int position = timeline.done[bundle.block][bundle.first].position;
    size_t next = target;
    while (next < timeline.checkpoints.size() &&
           timeline.checkpoints[next].position <= position)
      ++next;
    if (next != target)
      await(next);
    return;
  }
}

/// Whether the state before an entry of the queue, which was taken out of it,
/// is that of the awaited checkpoint, shifted in time, and a segment follows
/// that can be reused. Each changed block is over then, or has not begun.
bool DeltaSimulator::converges(const TaskQueue::Entry &entry,
                               Convergence &found) {
  assert(target < timeline.checkpoints.size() && "no checkpoint is awaited");
  const Checkpoint &checkpoint = timeline.checkpoints[target];
  found.position = checkpoint.position;
  found.oldNs = checkpoint.next.readyNs;
  found.nowNs = entry.readyNs;
  found.shiftNs = found.nowNs - found.oldNs;
  for (size_t r = 0; r < resources.size(); ++r) {
    int64_t oldNs = checkpoint.resources[r].freeNs, newNs = resources[r].freeNs;
    if (newNs != oldNs + found.shiftNs &&
        (newNs > found.nowNs || oldNs > found.oldNs))
      return false;
  }
  bool isAlike = [&] {
    if (!settleKernels(found) || !settleValues(found))
      return false;
    // The same tasks were taken from the queue.
    if (static_cast<int64_t>(record.tasks - partTasks) - found.newTasks !=
        found.position - firstSimulated - found.oldTasks)
      return false;
    entries.clear();
    queue.save(entries);
    auto isChanged = [&](const TaskQueue::Entry &waiting) {
      return changes[keys.unpack(waiting.key).block] != Change::None;
    };
    return std::none_of(entries.begin(), entries.end(), isChanged) &&
           std::none_of(checkpoint.queue.begin(), checkpoint.queue.end(),
                        isChanged) &&
           isShifted(found);
  }();
  if (isAlike && !found.isLast) {
    auto it = std::upper_bound(
        timeline.checkpoints.begin(), timeline.checkpoints.end(), found.next,
        [](int p, const Checkpoint &c) { return p < c.position; });
    found.to = static_cast<size_t>(it - timeline.checkpoints.begin()) - 1;
    isAlike = found.next != never && found.to > target;
  }
  if (!isAlike)
    for (int block : found.settled)
      changes[block] = Change::Ahead;
  return isAlike;
}

/// Finds out whether a changed block, which has so many tasks now, is over or
/// ahead, then and now. Returns false if it is neither.
bool DeltaSimulator::settle(int block, size_t present, Convergence &found) {
  if (changes[block] == Change::Over)
    return true;
  const Progress &old = timeline.progress[block];
  const BlockState &state = blocks[block];
  size_t count =
      state.epoch == epoch ? static_cast<size_t>(state.simulated) : 0;
  if (count == present && old.last < found.position) {
    changes[block] = Change::Over;
    found.settled.push_back(block);
    found.newTasks += static_cast<int64_t>(present);
    if (old.last >= 0) {
      found.oldTasks += std::count_if(
          timeline.done[block].begin(), timeline.done[block].end(),
          [](const Done &task) { return task.position != never; });
      found.divergenceEndNs =
          std::max(found.divergenceEndNs, old.endNs + found.shiftNs);
    }
    return true;
  }
  found.isLast = false;
  found.next = std::min(found.next, old.first);
  return count == 0 && old.first >= found.position;
}

bool DeltaSimulator::settleKernels(Convergence &found) {
  for (int slot : plan.changedKernels()) {
    const KernelPlan &kernel = plan.kernelPlan(slot);
    auto present =
        kernel.active
            ? std::count_if(
                  kernel.states.begin(), kernel.states.end(),
                  [](ShardState state) { return state != ShardState::Absent; })
            : 0;
    if (!settle(plan.getSlots()[slot].block, static_cast<size_t>(present),
                found))
      return false;
  }
  return true;
}

bool DeltaSimulator::settleValues(Convergence &found) {
  for (int value : changedValues) {
    bool isOver = true, isAhead = false;
    if (int slot = plan.producerOf(value); slot >= 0) {
      int writer = plan.getSlots()[slot].block;
      if (changes[writer] != Change::None) {
        isOver = changes[writer] == Change::Over;
        isAhead = !isOver;
      } else {
        isOver = timeline.progress[writer].last < found.position;
        isAhead = timeline.progress[writer].first >= found.position;
        if (isAhead)
          found.next = std::min(found.next, timeline.progress[writer].first);
      }
    }
    int block = plan.blockOf(value);
    if (plan.isPending(value)) {
      isOver = false;
      if (block >= 0) {
        isAhead &= timeline.progress[block].first >= found.position;
        found.next = std::min(found.next, timeline.progress[block].first);
      }
    } else if (block >= 0) {
      size_t present = plan.valuePlan(value).tasks.size();
      if (!settle(block, present, found))
        return false;
      bool blockIsOver = changes[block] == Change::Over;
      isOver &= blockIsOver;
      isAhead &=
          !blockIsOver ||
          (present == 0 && timeline.progress[block].first >= found.position);
    }
    if (!isOver && !isAhead)
      return false;
    found.isLast &= isOver;
  }
  return true;
}

/// Whether all tasks of this part of the run came before the checkpoint, too,
/// and those that had not ended have the same shift.
bool DeltaSimulator::isShifted(const Convergence &found) const {
  int64_t divergenceEndNs = found.divergenceEndNs;
  if (found.shiftNs != shiftNs)
    divergenceEndNs = std::max(
        {divergenceEndNs, partMakespanNs, oldMakespanNs + found.shiftNs});
  size_t task = record.tasks;
  for (size_t i = record.popped.size(); i-- > partPopped;) {
    if (divergenceEndNs >= found.nowNs)
      return false;
    const TaskBundle &bundle = record.popped[i];
    task -= static_cast<size_t>(bundle.count);
    std::span<const int64_t> ends(record.endsNs.data() + task,
                                  static_cast<size_t>(bundle.count));
    if (changes[bundle.block] != Change::None) {
      divergenceEndNs = std::max(divergenceEndNs, std::ranges::max(ends));
      continue;
    }
    const Done *old = timeline.done[bundle.block].data() + bundle.first;
    for (int64_t endNs : ends) {
      if (old->position >= found.position)
        return false;
      int64_t shiftedNs = (old++)->endNs + found.shiftNs;
      if (endNs != shiftedNs)
        divergenceEndNs = std::max({divergenceEndNs, endNs, shiftedNs});
    }
  }
  return divergenceEndNs < found.nowNs;
}

/// If a segment can be reused from an entry of the queue on, which was taken
/// out of it, goes on behind the segment and returns true.
bool DeltaSimulator::reusesSegment(const TaskQueue::Entry &entry,
                                   int64_t makespanNs) {
  Convergence found;
  if (converges(entry, found)) {
    reuse(found, makespanNs);
    return true;
  }
  await(target + 1);
  return false;
}

/// Goes on behind the reused segment.
void DeltaSimulator::reuse(const Convergence &found, int64_t makespanNs) {
  if (record.segments.size() == record.segmentCount)
    record.segments.emplace_back();
  Segment &part = record.segments[record.segmentCount++];
  const Checkpoint &checkpoint = timeline.checkpoints[target];
  part.first = found.position;
  part.offset = nextPosition() - found.position;
  part.shiftNs = shiftNs = found.shiftNs;
  part.makespanNs = makespanNs;
  part.firstCheckpoint = target;
  part.popped = record.popped.size();
  part.passed = record.passedCount;
  const std::vector<int64_t> &load = plan.loadNs();
  part.workNs.resize(load.size());
  for (size_t r = 0; r < load.size(); ++r)
    part.workNs[r] = resources[r].remainingNs - load[r] -
                     checkpoint.resources[r].remainingNs;
  if (found.isLast) {
    part.last = timeline.taskCount;
    part.lastCheckpoint = timeline.checkpoints.size();
    return;
  }
  const Checkpoint &to = timeline.checkpoints[found.to];
  assert(found.to > target && to.position >= part.first && "not before it");
  part.last = to.position;
  part.lastCheckpoint = found.to + 1;
  firstSimulated = to.position;
  firstSimulatedNs = to.next.readyNs;
  partTasks = record.tasks;
  partPopped = record.popped.size();
  positionOffset = to.position + part.offset - static_cast<int>(record.tasks);
  oldMakespanNs = to.makespanNs;
  partMakespanNs = std::max(makespanNs, to.makespanNs + shiftNs);
  entries = to.queue;
  for (TaskQueue::Entry &entry : entries)
    entry.readyNs += shiftNs;
  queue.load(entries);
  for (size_t r = 0; r < resources.size(); ++r) {
    resources[r].freeNs = to.resources[r].freeNs + shiftNs;
    resources[r].remainingNs =
        part.workNs[r] + load[r] + to.resources[r].remainingNs;
  }
  ++epoch;
  pool.reset();
  await(found.to + 1);
}
