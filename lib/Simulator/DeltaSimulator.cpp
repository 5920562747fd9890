//===- DeltaSimulator.cpp - Simulation of a changed strategy --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing is undone after a proposal that is turned down: the timeline of the
// last commit is read, never written, and the state of a block is made from it
// when its first task is touched.
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/DeltaSimulator.h"

#include <algorithm>
#include <cassert>

using namespace soap;

/// Checkpoints of a timeline: restoring one costs about as much as a hundred
/// tasks.
static constexpr int checkpointsPerTimeline = 128;
/// Bundles that wait for more tasks before they are queued, at most.
static constexpr size_t maxReleased = 8;

DeltaSimulator::DeltaSimulator(StrategyPlan &plan, MakespanBounds &bounds,
                               int tasksBetween)
    : plan(plan), bounds(bounds), tasksBetween(tasksBetween),
      simulator(plan, &bounds), timeline(plan.getBlocks().size()),
      blocks(plan.getBlocks().size()), values(plan.getGraph().values.size()),
      keys(plan.getBlocks().size()),
      changes(plan.getBlocks().size(), Change::None), changedIn(values.size()),
      touchedIn(plan.getBlocks().size()) {
  for (const DeviceType &type : plan.getCost().getTopology().deviceTypes)
    fallsBack |= type.copiesOccupyReceiver;
  // Tasks of restored values wait for kernels that they read nothing of.
  fallsBack |= !plan.getGraph().restores.empty();
  const std::vector<StrategyPlan::Slot> &slots = plan.getSlots();
  for (const StrategyPlan::Slot &slot : slots) {
    firstOperand.push_back(static_cast<int>(operandPlaces.size()));
    operandPlaces.resize(operandPlaces.size() + slot.kernel->operands.size());
  }
  std::vector<int> writers(values.size());
  onlyWriter.resize(values.size(), -1);
  for (const StrategyPlan::Slot &slot : slots)
    for (int value : slot.kernel->results)
      onlyWriter[value] = ++writers[value] == 1 ? slot.block : -1;
  for (size_t v = 0; v < values.size(); ++v) {
    const std::vector<StrategyPlan::Reader> &readers =
        plan.readersOf(static_cast<int>(v));
    for (size_t u = 0; u < readers.size(); ++u)
      if (readers[u].slot >= 0)
        operandPlaces[firstOperand[readers[u].slot] + readers[u].operand] =
            static_cast<int>(u);
  }
}

int64_t DeltaSimulator::start() {
  assert(plan.changedKernels().empty() && plan.changedValues().empty() &&
         "changes must have been committed");
  assert(plan.valuesToPlan().empty() && "the plan must be finished");
  if (fallsBack) {
    int64_t makespanNs = simulator.makespan();
    simulated = simulator.simulatedTasks();
    return makespanNs;
  }
  timeline.checkpoints.clear();
  timeline.taskCount = static_cast<int>(plan.taskCount());
  limitNs = std::numeric_limits<int64_t>::max();
  restore(0);
  record.makespanNs = run();
  simulated = static_cast<int64_t>(record.tasks);
  for (size_t b = 0; b < timeline.done.size(); ++b)
    replace(static_cast<int>(b));
  timeline.commit(record);
  return timeline.makespanNs;
}

/// The position of the first task whose successors differ from the last
/// commit. Before it, both timelines are the same.
int DeltaSimulator::firstDifference() const {
  if (plan.hadChangedRoots() || plan.mayHavePendingRoots())
    return 0;
  int first = never;
  for (int value : plan.valuesToPlan()) {
    int slot = plan.producerOf(value);
    if (plan.blockOf(value) >= 0 && !plan.isPending(value) &&
        plan.blocksWithRoots()[plan.blockOf(value)])
      return 0;
    // Tasks that changed kernels release come later.
    if (slot >= 0 && !plan.isKernelChanged(slot))
      first =
          std::min(first, timeline.progress[plan.getSlots()[slot].block].first);
  }
  for (int slot : plan.changedKernels())
    if (plan.blocksWithRoots()[plan.getSlots()[slot].block])
      return 0;
  return first == never ? 0 : first;
}

/// The state at the last checkpoint before a position; at the very start, of
/// the plan as it is now.
void DeltaSimulator::restore(int position) {
  ++epoch;
  ++runNumber;
  listChanges();
  shiftNs = 0;
  partTasks = partPopped = 0;
  auto it =
      std::upper_bound(timeline.checkpoints.begin(), timeline.checkpoints.end(),
                       position, [](int p, const Checkpoint &checkpoint) {
                         return p < checkpoint.position;
                       });
  auto from = static_cast<size_t>(it - timeline.checkpoints.begin());
  record.restart(from, from > 0 ? timeline.checkpoints[from - 1].position : 0);
  firstSimulated = positionOffset = record.start;
  const std::vector<int64_t> &load = plan.loadNs();
  pool.reset();
  released.clear();
  await(from);
  if (from > 0) {
    const Checkpoint &checkpoint = timeline.checkpoints[from - 1];
    firstSimulatedNs = checkpoint.next.readyNs;
    partMakespanNs = oldMakespanNs = checkpoint.makespanNs;
    queue.load(checkpoint.queue);
    resources = checkpoint.resources;
    for (size_t r = 0; r < load.size(); ++r)
      resources[r].remainingNs += load[r];
    return;
  }
  firstSimulatedNs = 0;
  partMakespanNs = oldMakespanNs = 0;
  resources.clear();
  for (int64_t loadNs : load)
    resources.push_back({0, loadNs});
  queue.clear();
  const std::vector<StrategyPlan::Block> &list = plan.getBlocks();
  const std::vector<uint8_t> &withRoots = plan.blocksWithRoots();
  for (size_t b = 0; b < list.size(); ++b)
    if (withRoots[b])
      for (int index : list[b].slot >= 0 ? plan.rootsOf(list[b].slot)
                                         : plan.valuePlan(list[b].value).roots)
        release(static_cast<int>(b), index, 0);
  queueReleased();
}

/// Whether a task was over before the part of the run started; `readyNs` is
/// raised to its end.
bool DeltaSimulator::isDone(int block, int index, int64_t &readyNs) const {
  if (changes[block] == Change::Over)
    return true;
  const std::vector<Done> &tasks = timeline.done[block];
  if (static_cast<size_t>(index) >= tasks.size() ||
      tasks[index].position >= firstSimulated)
    return false;
  readyNs = std::max(readyNs, tasks[index].endNs + shiftNs);
  return true;
}

/// Whether no task of a block was over before the part of the run started.
bool DeltaSimulator::isUntouched(int block) const {
  return changes[block] == Change::None
             ? timeline.progress[block].isUntouchedAt(firstSimulated)
             : changes[block] == Change::Ahead;
}

/// Whether all were, and had ended when anything became ready.
bool DeltaSimulator::isOver(int block) const {
  return changes[block] == Change::None ? timeline.progress[block].isOverAt(
                                              firstSimulated, firstSimulatedNs)
                                        : changes[block] == Change::Over;
}

/// Of a value that is not pending.
void DeltaSimulator::setState(int value) {
  assert(!plan.isPending(value) && "it must have been planned before");
  ValueState &state = values[value];
  const ValuePlan &planned = plan.valuePlan(value);
  state.epoch = epoch;
  state.start = planned.successorStart.data();
  state.successors = planned.successors.data();
  state.bindings = planned.bindings.data();
  state.sources = planned.sources;
  state.isInPlace = planned.isInPlace;
  state.block = planned.tasks.empty() ? -1 : plan.blockOf(value);
  state.writer = -1;
  if (planned.sourcesAreTasks) {
    state.writer = onlyWriter[value];
    if (state.writer < 0)
      state.writer = plan.getSlots()[plan.producerOf(value)].block;
  }
  state.waiting = ValueState::Waiting::ForAll;
  if (firstSimulated == 0)
    return;
  // Tasks of blocks that have changed were not over. A task that is not ready
  // when the run starts waits for one that ends after `firstSimulatedNs`: what
  // has ended by then says nothing.
  auto all = [&](auto holds) {
    return (state.block < 0 || holds(state.block)) &&
           (state.writer < 0 || holds(state.writer));
  };
  if (all([&](int block) { return isUntouched(block); }))
    return;
  state.waiting = all([&](int block) { return isOver(block); })
                      ? ValueState::Waiting::ForNothing
                      : ValueState::Waiting::ForSome;
}

/// Adds the tasks that the shards of a slot wait for as an operand.
void DeltaSimulator::addWaiting(int slot, size_t operand, TaskRun *tasks) {
  const ValueState &state =
      stateOf(plan.getSlots()[slot].kernel->operands[operand]);
  if (state.waiting == ValueState::Waiting::ForNothing)
    return;
  const std::vector<int> &binding =
      state.bindings[operandPlaces[firstOperand[slot] + operand]];
  if (state.waiting == ValueState::Waiting::ForAll) {
    int first = state.writer >= 0 ? 0 : state.sources;
    for (int reference : binding)
      (tasks++)->waiting += reference >= first;
    return;
  }
  const std::vector<PlannedAction> &actions =
      plan.valuePlan(plan.getSlots()[slot].kernel->operands[operand]).actions;
  for (int reference : binding) {
    TaskRun &task = *tasks++;
    if (reference < 0)
      continue;
    bool waits;
    if (reference >= state.sources)
      waits = !isDone(state.block, actions[reference - state.sources].task,
                      task.readyNs);
    else
      waits =
          state.writer >= 0 && !isDone(state.writer, reference, task.readyNs);
    task.waiting += waits;
  }
}

void DeltaSimulator::initialize(int block, BlockState &state) {
  state.epoch = epoch;
  state.simulated = 0;
  if (touchedIn[block] != runNumber) {
    touchedIn[block] = runNumber;
    record.touched.push_back({block, nextPosition() - 1});
  }
  auto [slot, value] = plan.getBlocks()[block];
  if (slot >= 0)
    initializeKernel(block, slot, state);
  else
    initializeValue(value, state);
}

void DeltaSimulator::initializeKernel(int block, int slot, BlockState &state) {
  const KernelPlan &kernel = plan.kernelPlan(slot);
  const Kernel &op = *plan.getSlots()[slot].kernel;
  state.devices = kernel.devices.data();
  state.durationNs = kernel.durationNs.data();
  state.planned = nullptr;
  state.latestNs = limitNs - bounds.tailNs(slot);
  state.value = op.results.size() == 1 ? op.results[0] : -1;
  state.node = 0;
  state.mayWaitForPending = plan.hasPendingOperands(slot);
  // All predecessors of an unchanged block come after its first one.
  if (plan.isCounted(slot) &&
      (firstSimulated == 0 ||
       timeline.progress[block].touched >= firstSimulated) &&
      (record.segmentCount == 0 || !readsPast(slot))) {
    state.tasks = pool.allocate(plan.predecessorCounts(slot));
    return;
  }
  state.tasks = pool.allocate(kernel.devices.size());
  for (size_t i = 0; i < op.operands.size(); ++i)
    if (!state.mayWaitForPending || !plan.isPending(op.operands[i]))
      addWaiting(slot, i, state.tasks);
}

void DeltaSimulator::initializeValue(int value, BlockState &state) {
  const ValuePlan &planned = plan.valuePlan(value);
  const ValueState &valueState = stateOf(value);
  state.devices = nullptr;
  state.durationNs = nullptr;
  state.planned = planned.tasks.data();
  state.latestNs = limitNs;
  state.value = value;
  state.node = planned.sources;
  state.mayWaitForPending = false;
  if (valueState.waiting == ValueState::Waiting::ForAll) {
    state.tasks = pool.allocate(planned.predecessorCounts);
    return;
  }
  state.tasks = pool.allocate(planned.tasks.size());
  for (const PlannedAction &action : planned.actions) {
    TaskRun &run = state.tasks[action.task];
    for (int i = 0; i < action.inputCount; ++i) {
      int reference = planned.inputs[action.firstInput + i];
      if (reference >= planned.sources)
        run.waiting += !isDone(
            valueState.block, planned.actions[reference - planned.sources].task,
            run.readyNs);
      else if (valueState.writer >= 0)
        run.waiting += !isDone(valueState.writer, reference, run.readyNs);
    }
  }
}

/// Plans a pending value that is met: no task of its writer has been simulated
/// yet but the one that meets it. Returns false if that shows that the limit
/// will not be kept.
bool DeltaSimulator::planValue(int value) {
  if (mustStop())
    return false;
  if (!plan.planPending(value, limitNs))
    return false;
  const ValuePlan &planned = plan.valuePlan(value);
  assert(planned.roots.empty() && "must have been planned before");
  for (const PlannedTask &task : planned.tasks) {
    for (int resource : plan.resourcesOf(task.resource))
      resources[resource].remainingNs += task.durationNs;
  }
  for (const StrategyPlan::Reader &reader : plan.readersOf(value))
    if (reader.slot >= 0)
      if (BlockState &state = blocks[plan.getSlots()[reader.slot].block];
          state.epoch == epoch)
        addWaiting(reader.slot, static_cast<size_t>(reader.operand),
                   state.tasks);
  return true;
}

void DeltaSimulator::takeCheckpoint(int64_t makespanNs) {
  if (record.passed.size() == record.passedCount)
    record.passed.emplace_back();
  Checkpoint &checkpoint = record.passed[record.passedCount++];
  checkpoint.position = nextPosition();
  checkpoint.makespanNs = makespanNs;
  checkpoint.resources = resources;
  const std::vector<int64_t> &load = plan.loadNs();
  for (size_t r = 0; r < load.size(); ++r)
    checkpoint.resources[r].remainingNs -= load[r];
  checkpoint.queue.clear();
  queue.save(checkpoint.queue);
  assert(!checkpoint.queue.empty() && "a checkpoint has a next task");
  checkpoint.next =
      *std::min_element(checkpoint.queue.begin(), checkpoint.queue.end());
  checkpoint.next.key = keys.firstTask(checkpoint.next.key);
}

/// Plans what the tasks of a block wait for, as far as it is pending. Returns
/// false as `planValue`.
bool DeltaSimulator::planOperands(int block) {
  assert(plan.getBlocks()[block].slot >= 0 && "no kernel");
  int slot = plan.getBlocks()[block].slot;
  if (!plan.hasPendingOperands(slot))
    return true;
  for (int operand : plan.getSlots()[slot].kernel->operands)
    if (plan.isPending(operand) && !planValue(operand))
      return false;
  return true;
}

/// Puts a task next to others of its block that are as ready as it is.
void DeltaSimulator::release(int block, int index, int64_t readyNs) {
  for (Released &last : released) {
    auto &[bundle, lastReadyNs] = last;
    if (bundle.block != block)
      continue;
    if (lastReadyNs == readyNs && bundle.first + bundle.count == index &&
        bundle.count < keys.maxTasks()) {
      ++bundle.count;
      return;
    }
    queue.push({lastReadyNs, keys.pack(bundle)});
    last = {{block, index, 1}, readyNs};
    return;
  }
  if (released.size() == maxReleased)
    queueReleased();
  released.push_back({{block, index, 1}, readyNs});
}

void DeltaSimulator::queueReleased() {
  for (const auto &[bundle, readyNs] : released)
    queue.push({readyNs, keys.pack(bundle)});
  released.clear();
}

/// Gives a task that occupies several resources its end. Returns whether that
/// proves the makespan to be above the limit.
bool DeltaSimulator::occupyAllAt(std::span<const int> numbers,
                                 int64_t durationNs, int64_t readyNs,
                                 int64_t &endNs) {
  int64_t startNs = readyNs;
  for (int number : numbers)
    startNs = std::max(startNs, resources[number].freeNs);
  endNs = startNs + durationNs;
  bool isLate = false;
  for (int number : numbers) {
    Resource &resource = resources[number];
    resource.freeNs = endNs;
    resource.remainingNs -= durationNs;
    isLate |= endNs + resource.remainingNs > limitNs;
  }
  return isLate;
}

/// Gives a task of a block its end, and returns as `occupyAllAt`.
inline bool DeltaSimulator::occupy(const BlockState &state, int index,
                                   int64_t readyNs, int64_t &endNs) {
  int number;
  int64_t durationNs;
  if (!state.planned) {
    number = state.devices[index];
    durationNs = state.durationNs[index];
  } else {
    const PlannedTask &task = state.planned[index];
    number = task.resource;
    durationNs = task.durationNs;
    if (number < 0)
      return occupyAllAt(plan.resourceLists()[-1 - number], durationNs, readyNs,
                         endNs);
  }
  Resource &resource = resources[number];
  int64_t ns = std::max(readyNs, resource.freeNs) + durationNs;
  int64_t remainingNs = resource.remainingNs - durationNs;
  resource = {ns, remainingNs};
  endNs = ns;
  return (ns + remainingNs > limitNs) | (ns > state.latestNs);
}

/// Gives tasks of a block their ends, one after the other, up to the first that
/// proves the makespan to be above the limit. Returns whether there is one, and
/// sets the number of tasks that have an end.
bool DeltaSimulator::occupyAll(const TaskBundle &bundle,
                               const BlockState &state, int64_t readyNs,
                               int64_t *endsNs, int &count) {
  for (count = 0; count < bundle.count;) {
    bool isLate = occupy(state, bundle.first + count, readyNs, endsNs[count]);
    ++count;
    if (isLate)
      return true;
  }
  return false;
}

namespace {

/// Collects tasks that become ready one after the other: consecutive tasks of a
/// block that are ready at the same time are one entry of the queue.
class OpenBundle {
public:
  OpenBundle(TaskQueue &queue, const BundleKeys &keys)
      : queue(queue), keys(keys) {}
  void add(int block, int index, int64_t now) {
    uint64_t task = keys.pack({block, index, 1});
    if (task == after && readyNs == now) {
      entry = keys.append(entry);
      after = keys.after(entry);
      return;
    }
    close();
    entry = task;
    readyNs = now;
    after = keys.after(entry);
  }
  void close() {
    if (entry != BundleKeys::none)
      queue.push({readyNs, entry});
  }

private:
  TaskQueue &queue;
  const BundleKeys &keys;
  uint64_t entry = BundleKeys::none, after = BundleKeys::none;
  int64_t readyNs = 0;
};

} // namespace

/// A predecessor of a task of a block has ended. Returns whether the task is
/// ready; sets `isHopeless` if values that it waits for show that the limit
/// will not be kept.
inline bool DeltaSimulator::countPredecessor(int block, const BlockState &state,
                                             TaskRun &task, int64_t endNs) {
  task.readyNs = std::max(task.readyNs, endNs);
  assert(task.waiting > 0 && "a predecessor that was not counted");
  if (--task.waiting > 0)
    return false;
  // It may wait for values that are not planned yet.
  if (state.mayWaitForPending) {
    isHopeless = isHopeless || !planOperands(block);
    return !isHopeless && task.waiting == 0;
  }
  return true;
}

/// Plans a value if it is pending, and sets its state. Returns false as
/// `planValue`.
bool DeltaSimulator::visitValue(int value) {
  if (plan.isPending(value) && !planValue(value))
    return false;
  stateOf(value);
  return true;
}

/// A source or task of a value, number `node` of its plan, has ended: counts it
/// for its successors and queues those that are ready. Returns false as
/// `planValue`.
inline bool DeltaSimulator::releaseSuccessors(int value, size_t node,
                                              int64_t endNs) {
  const ValueState &state = values[value];
  if (state.epoch != epoch && !visitValue(value))
    return false;
  const TaskRef *next = state.successors + state.start[node],
                *last = state.successors + state.start[node + 1];
  // Tasks that are released together have consecutive numbers.
  uint64_t entry = BundleKeys::none;
  int64_t readyNs = 0;
  for (; next != last; ++next) {
    auto [block, index] = *next;
    BlockState &reader = touch(block);
    TaskRun &task = reader.tasks[index];
    if (!countPredecessor(block, reader, task, endNs))
      continue;
    uint64_t key = keys.pack({block, index, 1});
    if (entry != BundleKeys::none) {
      if (task.readyNs == readyNs && keys.follows(key, entry)) {
        entry = keys.append(entry);
        continue;
      }
      queue.push({readyNs, entry});
    }
    entry = key;
    readyNs = task.readyNs;
  }
  if (entry != BundleKeys::none)
    queue.push({readyNs, entry});
  return !isHopeless;
}

/// The same for several sources or tasks, from number `node` on.
bool DeltaSimulator::releaseSuccessors(int value, size_t node,
                                       std::span<const int64_t> ends) {
  const ValueState &state = values[value];
  if (state.epoch != epoch && !visitValue(value))
    return false;
  const int *start = state.start + node;
  const TaskRef *successors = state.successors;
  if (!state.isInPlace) {
    for (size_t i = 0; i < ends.size(); ++i)
      for (int s = start[i]; s < start[i + 1]; ++s) {
        auto [block, index] = successors[s];
        BlockState &reader = touch(block);
        TaskRun &task = reader.tasks[index];
        if (countPredecessor(block, reader, task, ends[i]))
          release(block, index, task.readyNs);
      }
    queueReleased();
    return !isHopeless;
  }
  // In place, shard i releases shard i of each reader.
  for (int s = start[0], end = start[1]; s < end; ++s) {
    auto [block, index] = successors[s];
    BlockState &reader = touch(block);
    TaskRun *task = reader.tasks + index;
    OpenBundle open(queue, keys);
    for (int64_t endNs : ends) {
      if (countPredecessor(block, reader, *task, endNs))
        open.add(block, index, task->readyNs);
      ++task;
      ++index;
    }
    open.close();
  }
  return !isHopeless;
}

/// A lower bound of the makespan from the done and the remaining work of
/// resources.
int64_t DeltaSimulator::boundOfLoads() const {
  int64_t boundNs = 0;
  for (const Resource &resource : resources)
    boundNs = std::max(boundNs, resource.freeNs + resource.remainingNs);
  return boundNs;
}

int64_t DeltaSimulator::run() {
  int64_t makespanNs = partMakespanNs;
  auto between = static_cast<size_t>(
      std::max(tasksBetween, timeline.taskCount / checkpointsPerTimeline));
  if (int64_t endNs = boundOfLoads(); endNs > limitNs)
    return endNs;
  isHopeless = false;
  size_t next = between;
  while (!queue.empty()) {
    if (record.tasks >= next) {
      if (mustStop())
        return limitNs + 1;
      takeCheckpoint(makespanNs);
      awaitNext();
      next = record.tasks + between;
    }
    TaskQueue::Entry entry = queue.pop();
    if (keys.firstTask(entry.key) == awaited &&
        reusesSegment(entry, makespanNs)) {
      if (record.segments[record.segmentCount - 1].last == timeline.taskCount)
        return std::max(makespanNs, timeline.makespanNs + shiftNs);
      makespanNs = partMakespanNs;
      if (int64_t endNs = boundOfLoads(); endNs > limitNs)
        return endNs;
      next = record.tasks + between;
      continue;
    }
    TaskBundle bundle = keys.unpack(entry.key);
    BlockState &state = touch(bundle.block);
    state.simulated += bundle.count;
    auto node = static_cast<size_t>(state.node + bundle.first);
    size_t most = record.tasks + static_cast<size_t>(bundle.count);
    if (most > record.endsNs.size())
      record.endsNs.resize(2 * most);
    int64_t *ends = record.endsNs.data() + record.tasks;
    record.popped.push_back(bundle);
    if (bundle.count == 1) {
      // Most are alone where devices differ.
      int64_t endNs;
      bool isLate = occupy(state, bundle.first, entry.readyNs, endNs);
      *ends = endNs;
      ++record.tasks;
      if (isLate)
        return std::max(endNs, limitNs + 1);
      makespanNs = std::max(makespanNs, endNs);
      if (state.value >= 0) {
        if (!releaseSuccessors(state.value, node, endNs))
          return limitNs + 1;
        continue;
      }
      for (int result : resultsOf(bundle.block))
        if (!releaseSuccessors(result, node, endNs))
          return limitNs + 1;
      continue;
    }
    int count;
    bool isLate = occupyAll(bundle, state, entry.readyNs, ends, count);
    record.tasks += static_cast<size_t>(count);
    if (isLate)
      return std::max(ends[count - 1], limitNs + 1);
    for (int i = 0; i < count; ++i)
      makespanNs = std::max(makespanNs, ends[i]);
    std::span<const int64_t> span(ends, static_cast<size_t>(count));
    if (state.value >= 0) {
      if (!releaseSuccessors(state.value, node, span))
        return limitNs + 1;
      continue;
    }
    for (int result : resultsOf(bundle.block))
      if (!releaseSuccessors(result, node, span))
        return limitNs + 1;
  }
  return makespanNs;
}

int64_t DeltaSimulator::propose(int64_t limit) {
  assert(limit >= 0 && "a negative limit");
  limitNs = limit;
  simulated = 0;
  isStopped = false;
  if (fallsBack) {
    if (!plan.finish(limitNs))
      return limitNs + 1;
    int64_t makespanNs = simulator.makespan(limitNs);
    simulated = simulator.simulatedTasks();
    return makespanNs;
  }
  if (!plan.prepare(limitNs))
    return limitNs + 1;
  if (plan.mayHavePendingRoots() && !plan.finish(limitNs))
    return limitNs + 1;
  if (limitNs != std::numeric_limits<int64_t>::max() &&
      boundaryGate.shouldTry()) {
    bool isRefused = !bounds.planBoundaryValues(limitNs);
    boundaryGate.count(isRefused);
    if (isRefused)
      return limitNs + 1;
  }
  restore(firstDifference());
  record.makespanNs = run();
  simulated = static_cast<int64_t>(record.tasks);
  if (record.makespanNs <= limitNs)
    plan.finish();
  return record.makespanNs;
}

void DeltaSimulator::copyProposal(const DeltaSimulator &other) {
  assert(&other != this && "another simulator");
  assert(fallsBack == other.fallsBack && "of the same problem");
  if (fallsBack)
    return;
  record.copy(other.record);
}

/// Forgets a block, whose tasks are others now.
void DeltaSimulator::replace(int block) {
  auto [slot, value] = plan.getBlocks()[block];
  timeline.replace(block, slot >= 0 ? plan.kernelPlan(slot).devices.size()
                                    : plan.valuePlan(value).tasks.size());
}

void DeltaSimulator::commit() {
  assert(plan.valuesToPlan().empty() && "the plan must be finished");
  if (fallsBack)
    return;
  for (int slot : plan.changedKernels())
    replace(plan.getSlots()[slot].block);
  for (int value : plan.changedValues())
    if (int block = plan.blockOf(value); block >= 0)
      replace(block);
  timeline.commit(record);
}

void DeltaSimulator::starts(std::vector<TaskQueue::Entry> &tasks) {
  if (fallsBack) {
    simulator.starts(tasks);
    return;
  }
  tasks.clear();
  const std::vector<StrategyPlan::Block> &list = plan.getBlocks();
  auto add = [&](int block, int index, int64_t endNs) {
    auto [slot, value] = list[block];
    int64_t durationNs = slot >= 0
                             ? plan.kernelPlan(slot).durationNs[index]
                             : plan.valuePlan(value).tasks[index].durationNs;
    tasks.push_back({endNs - durationNs, static_cast<uint64_t>(block) << 32 |
                                             static_cast<uint32_t>(index)});
  };
  // Tasks before the start of the run, and tasks of reused segments.
  for (size_t b = 0; b < list.size(); ++b)
    if (record.segmentCount > 0 ||
        !timeline.progress[b].isUntouchedAt(record.start))
      for (size_t i = 0; i < timeline.done[b].size(); ++i) {
        Done task = timeline.done[b][i];
        if (task.position < record.start ||
            (changes[b] == Change::None && record.move(task)))
          add(static_cast<int>(b), static_cast<int>(i), task.endNs);
      }
  const int64_t *endNs = record.endsNs.data();
  for (const TaskBundle &bundle : record.popped)
    for (int i = 0; i < bundle.count; ++i)
      add(bundle.block, bundle.first + i, *endNs++);
}
