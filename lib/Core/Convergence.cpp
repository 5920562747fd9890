//===- Convergence.cpp - Timelines that are alike but for a shift ---------===//
//
// A change delays what follows. Once what it has mixed up is over, the rest of
// the timeline is often that of before, later or earlier as a whole: where all
// devices wait for each other, as in batch norm, soon. Such a part need not be
// simulated. docs/Simulator.md says when it comes again.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/DeltaSimulator.h"

#include <algorithm>

using namespace soap;

/// A checkpoint of the last commit whose state is that of the run, but for a
/// shift.
struct DeltaSimulator::Convergence {
  int position = 0;      ///< of the checkpoint
  int64_t oldNs = 0;     ///< when its next task became ready
  int64_t nowNs = 0;     ///< and now
  int64_t shiftNs = 0;   ///< between the two
  int64_t mixedUpNs = 0; ///< end of what is not shifted alike
  /// Tasks of changed blocks that were simulated in this part of the run, and
  /// those that were there before.
  int64_t newTasks = 0, oldTasks = 0;
  bool isLast = true;       ///< nothing that has changed is still to come
  int next = never;         ///< if not: position at which it may begin
  size_t to = 0;            ///< the last checkpoint before
  std::vector<int> settled; ///< changed blocks that are over now
};

/// Lists blocks and values that are not those of the last commit.
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
  while (target < checkpoints.size() &&
         changes[keys.unpack(checkpoints[target].next.key).block] !=
             Change::None)
    ++target;
  awaited = target < checkpoints.size() ? checkpoints[target].next.key
                                        : BundleKeys::none;
}

/// Leaves checkpoints that the run has passed.
void DeltaSimulator::awaitNext() {
  if (target == checkpoints.size())
    return;
  constexpr size_t mostLooks = 8;
  size_t looks = std::min(mostLooks, popped.size() - partPopped);
  for (size_t i = 0; i < looks; ++i) {
    const TaskBundle &bundle = popped[popped.size() - 1 - i];
    if (changes[bundle.block] != Change::None)
      continue;
    int position = done[bundle.block][bundle.first].position;
    size_t next = target;
    while (next < checkpoints.size() && checkpoints[next].position <= position)
      ++next;
    if (next != target)
      await(next);
    return;
  }
}

/// Whether the state before an entry of the queue, which was taken out of it,
/// is that of the awaited checkpoint but for a shift, and some of what follows
/// comes again. What has changed is over then, or has not begun.
bool DeltaSimulator::converges(const TaskQueue::Entry &entry,
                               Convergence &found) {
  const Checkpoint &checkpoint = checkpoints[target];
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
    if (static_cast<int64_t>(simulatedCount - partTasks) - found.newTasks !=
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
        checkpoints.begin(), checkpoints.end(), found.next,
        [](int p, const Checkpoint &c) { return p < c.position; });
    found.to = static_cast<size_t>(it - checkpoints.begin()) - 1;
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
  const Progress &old = progress[block];
  const BlockState &state = blocks[block];
  size_t count =
      state.epoch == epoch ? static_cast<size_t>(state.simulated) : 0;
  if (count == present && old.last < found.position) {
    changes[block] = Change::Over;
    found.settled.push_back(block);
    found.newTasks += static_cast<int64_t>(present);
    if (old.last >= 0) {
      found.oldTasks += std::count_if(
          done[block].begin(), done[block].end(),
          [](const Done &task) { return task.position != never; });
      found.mixedUpNs = std::max(found.mixedUpNs, old.endNs + found.shiftNs);
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
        isOver = progress[writer].last < found.position;
        isAhead = progress[writer].first >= found.position;
        if (isAhead)
          found.next = std::min(found.next, progress[writer].first);
      }
    }
    int block = plan.blockOf(value);
    if (plan.isPending(value)) {
      isOver = false;
      if (block >= 0) {
        isAhead &= progress[block].first >= found.position;
        found.next = std::min(found.next, progress[block].first);
      }
    } else if (block >= 0) {
      size_t present = plan.valuePlan(value).tasks.size();
      if (!settle(block, present, found))
        return false;
      bool blockIsOver = changes[block] == Change::Over;
      isOver &= blockIsOver;
      isAhead &= !blockIsOver ||
                 (present == 0 && progress[block].first >= found.position);
    }
    if (!isOver && !isAhead)
      return false;
    found.isLast &= isOver;
  }
  return true;
}

/// Whether all tasks of this part of the run came before the checkpoint, too,
/// and those that had not ended are shifted alike.
bool DeltaSimulator::isShifted(const Convergence &found) const {
  int64_t mixedUpNs = found.mixedUpNs;
  if (found.shiftNs != shiftNs)
    mixedUpNs =
        std::max({mixedUpNs, partMakespanNs, oldMakespanNs + found.shiftNs});
  size_t task = simulatedCount;
  for (size_t i = popped.size(); i-- > partPopped;) {
    if (mixedUpNs >= found.nowNs)
      return false;
    const TaskBundle &bundle = popped[i];
    task -= static_cast<size_t>(bundle.count);
    std::span<const int64_t> ends(endsNs.data() + task,
                                  static_cast<size_t>(bundle.count));
    if (changes[bundle.block] != Change::None) {
      mixedUpNs = std::max(mixedUpNs, std::ranges::max(ends));
      continue;
    }
    const Done *old = done[bundle.block].data() + bundle.first;
    for (int64_t endNs : ends) {
      if (old->position >= found.position)
        return false;
      int64_t shiftedNs = (old++)->endNs + found.shiftNs;
      if (endNs != shiftedNs)
        mixedUpNs = std::max({mixedUpNs, endNs, shiftedNs});
    }
  }
  return mixedUpNs < found.nowNs;
}

/// If what follows an entry of the queue, which was taken out of it, comes
/// again, goes on behind that, and returns true.
bool DeltaSimulator::comesAgain(const TaskQueue::Entry &entry,
                                int64_t makespanNs) {
  Convergence found;
  if (converges(entry, found)) {
    splice(found, makespanNs);
    return true;
  }
  await(target + 1);
  return false;
}

/// Goes on behind what comes again.
void DeltaSimulator::splice(const Convergence &found, int64_t makespanNs) {
  if (splices.size() == spliceCount)
    splices.emplace_back();
  Splice &part = splices[spliceCount++];
  const Checkpoint &checkpoint = checkpoints[target];
  part.first = found.position;
  part.offset = nextPosition() - found.position;
  part.shiftNs = shiftNs = found.shiftNs;
  part.makespanNs = makespanNs;
  part.firstCheckpoint = target;
  part.popped = popped.size();
  part.passed = passedCount;
  const std::vector<int64_t> &load = plan.loadNs();
  part.workNs.resize(load.size());
  for (size_t r = 0; r < load.size(); ++r)
    part.workNs[r] = resources[r].remainingNs - load[r] -
                     checkpoint.resources[r].remainingNs;
  if (found.isLast) {
    part.last = taskCount;
    part.lastCheckpoint = checkpoints.size();
    return;
  }
  const Checkpoint &to = checkpoints[found.to];
  part.last = to.position;
  part.lastCheckpoint = found.to + 1;
  firstSimulated = to.position;
  firstSimulatedNs = to.next.readyNs;
  partTasks = simulatedCount;
  partPopped = popped.size();
  positionOffset = to.position + part.offset - static_cast<int>(simulatedCount);
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

/// Gives a task that comes again its position and end now. Returns false if it
/// does not.
bool DeltaSimulator::move(Done &task) const {
  for (size_t s = 0; s < spliceCount; ++s) {
    const Splice &part = splices[s];
    if (task.position >= part.last)
      continue;
    if (task.position < part.first)
      return false;
    task.position += part.offset;
    task.endNs += part.shiftNs;
    return true;
  }
  return false;
}

/// The tasks that come again. Blocks whose first predecessors were simulated
/// are taken to be touched when the next part that comes again begins.
void DeltaSimulator::moveSpliced() {
  if (spliceCount == 0)
    return;
  for (size_t b = 0; b < done.size(); ++b) {
    for (Done &task : done[b])
      if (task.position >= runStart && task.position != never)
        move(task);
    int &first = progress[b].touched;
    if (first < runStart || first == never)
      continue;
    auto next = std::find_if(
        splices.begin(), splices.begin() + static_cast<ptrdiff_t>(spliceCount),
        [&](const Splice &part) { return first < part.last; });
    first = next == splices.begin() + static_cast<ptrdiff_t>(spliceCount)
                ? never
                : std::max(first, next->first) + next->offset;
  }
}

/// From all tasks.
void DeltaSimulator::findProgress() {
  for (size_t b = 0; b < done.size(); ++b) {
    Progress &now = progress[b];
    now.first = never;
    now.last = -1;
    now.endNs = 0;
    for (const Done &task : done[b])
      if (task.position != never) {
        now.first = std::min(now.first, task.position);
        now.last = std::max(now.last, task.position);
        now.endNs = std::max(now.endNs, task.endNs);
      }
  }
}

/// Those that were passed, and those of the parts that came again.
void DeltaSimulator::mergeCheckpoints() {
  std::vector<Checkpoint> merged;
  auto keep = [&](std::vector<Checkpoint> &list, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      merged.push_back(std::move(list[i]));
  };
  keep(checkpoints, 0, from);
  size_t next = 0;
  for (size_t s = 0; s < spliceCount; ++s) {
    const Splice &part = splices[s];
    keep(passed, next, part.passed);
    next = part.passed;
    size_t first = merged.size();
    keep(checkpoints, part.firstCheckpoint, part.lastCheckpoint);
    for (Checkpoint &moved : std::span(merged).subspan(first)) {
      moved.position += part.offset;
      moved.makespanNs =
          std::max(part.makespanNs, moved.makespanNs + part.shiftNs);
      for (size_t r = 0; r < moved.resources.size(); ++r) {
        moved.resources[r].freeNs += part.shiftNs;
        moved.resources[r].remainingNs += part.workNs[r];
      }
      for (TaskQueue::Entry &entry : moved.queue)
        entry.readyNs += part.shiftNs;
      moved.next.readyNs += part.shiftNs;
    }
  }
  keep(passed, next, passedCount);
  checkpoints = std::move(merged);
}
