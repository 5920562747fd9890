//===- DeltaSimulator.cpp - Simulation of a changed strategy --------------===//
//
// Nothing is undone after a proposal that is turned down: the timeline of the
// last commit is read, never written, and the state of a block is made from it
// when its first task is touched.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/DeltaSimulator.h"

#include <algorithm>
#include <cassert>

using namespace soap;

/// Checkpoints of a timeline: restoring one costs about as much as a hundred
/// tasks.
static constexpr int checkpointsPerTimeline = 128;
static constexpr int fewestTasksBetween = 64;
/// Blocks whose tasks are put together at a time.
static constexpr size_t mostReleased = 8;

DeltaSimulator::DeltaSimulator(StrategyPlan &plan)
    : plan(plan), simulator(plan), done(plan.getBlocks().size()),
      firstPosition(plan.getBlocks().size(), never),
      blocks(plan.getBlocks().size()), keys(plan.getBlocks().size()),
      stamped(plan.getBlocks().size()) {
  for (const DeviceType &type : plan.getCost().getTopology().deviceTypes)
    copiesOccupy |= type.copiesOccupyReceiver;
  // Tasks of restored values wait for kernels that they read nothing of.
  copiesOccupy |= !plan.getGraph().restores.empty();
}

int64_t DeltaSimulator::start() {
  if (copiesOccupy) {
    int64_t makespanNs = simulator.makespan();
    simulated = simulator.simulatedTasks();
    return makespanNs;
  }
  checkpoints.clear();
  taskCount = static_cast<int>(plan.taskCount());
  restore(0);
  int64_t makespanNs = run(std::numeric_limits<int64_t>::max());
  replaced.clear();
  for (size_t b = 0; b < done.size(); ++b)
    replaced.push_back(static_cast<int>(b));
  commit();
  return makespanNs;
}

/// The position of the first task whose successors are not those of the last
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
    // What kernels that have changed themselves release comes later.
    if (slot >= 0 && !plan.isKernelChanged(slot))
      first = std::min(first, firstPosition[plan.getSlots()[slot].block]);
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
  auto it = std::upper_bound(checkpoints.begin(), checkpoints.end(), position,
                             [](int p, const Checkpoint &checkpoint) {
                               return p < checkpoint.position;
                             });
  from = static_cast<size_t>(it - checkpoints.begin());
  const std::vector<int64_t> &load = plan.loadNs();
  popped.clear();
  endsNs.clear();
  released.clear();
  passedCount = 0;
  if (from > 0) {
    const Checkpoint &checkpoint = checkpoints[from - 1];
    firstSimulated = checkpoint.position;
    resources.freeNs = checkpoint.freeNs;
    queue.load(checkpoint.queue);
    resources.remainingNs.resize(load.size());
    for (size_t r = 0; r < load.size(); ++r)
      resources.remainingNs[r] = load[r] - checkpoint.executedNs[r];
    return;
  }
  firstSimulated = 0;
  resources.freeNs.assign(load.size(), 0);
  resources.remainingNs = load;
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

/// Whether none of a block's tasks was over before the run started. Those of
/// blocks that have changed never were.
bool DeltaSimulator::isUntouched(int block) const {
  return block < 0 || firstPosition[block] >= firstSimulated;
}

/// Whether a task was over before the run started; `readyNs` is raised to its
/// end.
bool DeltaSimulator::isDone(int block, int index, int64_t &readyNs) const {
  const std::vector<Done> &tasks = done[block];
  if (static_cast<size_t>(index) >= tasks.size() ||
      tasks[index].position >= firstSimulated)
    return false;
  readyNs = std::max(readyNs, tasks[index].endNs);
  return true;
}

/// Adds the tasks that the shards of a slot wait for as an operand.
void DeltaSimulator::addWaiting(int slot, size_t operand,
                                std::vector<TaskRun> &tasks) {
  int value = plan.getSlots()[slot].kernel->operands[operand];
  const ValuePlan &planned = plan.valuePlan(value);
  const std::vector<int> &binding =
      plan.bindingOf(slot, static_cast<int>(operand));
  int writer = -1;
  if (planned.sourcesAreTasks)
    writer = plan.getSlots()[plan.producerOf(value)].block;
  int block = plan.blockOf(value);
  if (isUntouched(block) && isUntouched(writer)) {
    int first = writer >= 0 ? 0 : planned.sources;
    for (size_t s = 0; s < binding.size(); ++s)
      tasks[s].waiting += binding[s] >= first;
    return;
  }
  for (size_t s = 0; s < binding.size(); ++s) {
    int reference = binding[s];
    if (reference < 0)
      continue;
    bool waits;
    if (reference >= planned.sources)
      waits = !isDone(block, planned.actions[reference - planned.sources].task,
                      tasks[s].readyNs);
    else
      waits = writer >= 0 && !isDone(writer, reference, tasks[s].readyNs);
    tasks[s].waiting += waits;
  }
}

void DeltaSimulator::initialize(int block, BlockRun &state) {
  state.epoch = epoch;
  auto [slot, value] = plan.getBlocks()[block];
  auto copy = [&](const std::vector<int> &counts) {
    state.tasks.resize(counts.size());
    for (size_t i = 0; i < counts.size(); ++i)
      state.tasks[i] = {0, counts[i]};
  };
  if (slot >= 0) {
    if (firstSimulated == 0 && plan.isCounted(slot)) {
      copy(plan.predecessorCounts(slot));
      return;
    }
    state.tasks.assign(plan.kernelPlan(slot).devices.size(), {0, 0});
    const std::vector<int> &operands = plan.getSlots()[slot].kernel->operands;
    for (size_t i = 0; i < operands.size(); ++i)
      if (!plan.isPending(operands[i]))
        addWaiting(slot, i, state.tasks);
    return;
  }
  const ValuePlan &planned = plan.valuePlan(value);
  int writer = -1;
  if (planned.sourcesAreTasks)
    writer = plan.getSlots()[plan.producerOf(value)].block;
  if (isUntouched(block) && isUntouched(writer)) {
    copy(planned.predecessorCounts);
    return;
  }
  state.tasks.assign(planned.tasks.size(), {0, 0});
  for (const PlannedAction &action : planned.actions) {
    TaskRun &run = state.tasks[action.task];
    for (int i = 0; i < action.inputCount; ++i) {
      int reference = planned.inputs[action.firstInput + i];
      if (reference >= planned.sources)
        run.waiting +=
            !isDone(block, planned.actions[reference - planned.sources].task,
                    run.readyNs);
      else if (writer >= 0)
        run.waiting += !isDone(writer, reference, run.readyNs);
    }
  }
}

BlockRun &DeltaSimulator::touch(int block) {
  BlockRun &state = blocks[block];
  if (state.epoch != epoch)
    initialize(block, state);
  return state;
}

/// Plans a pending value that is met: no task of its writer has been simulated
/// yet but the one that meets it. Returns false if that shows that the limit
/// will not be kept.
bool DeltaSimulator::planValue(int value, int64_t limitNs) {
  if (!plan.planPending(value, limitNs))
    return false;
  const ValuePlan &planned = plan.valuePlan(value);
  assert(planned.roots.empty() && "must have been planned before");
  for (const PlannedTask &task : planned.tasks) {
    for (int resource : resourcesOf(plan, task.resource))
      resources.remainingNs[resource] += task.durationNs;
  }
  for (const StrategyPlan::Reader &reader : plan.readersOf(value))
    if (reader.slot >= 0)
      if (BlockRun &state = blocks[plan.getSlots()[reader.slot].block];
          state.epoch == epoch)
        addWaiting(reader.slot, static_cast<size_t>(reader.operand),
                   state.tasks);
  return true;
}

void DeltaSimulator::takeCheckpoint(int64_t makespanNs) {
  if (passed.size() == passedCount)
    passed.emplace_back();
  Checkpoint &checkpoint = passed[passedCount++];
  checkpoint.position = firstSimulated + static_cast<int>(endsNs.size());
  checkpoint.makespanNs = makespanNs;
  checkpoint.freeNs = resources.freeNs;
  const std::vector<int64_t> &load = plan.loadNs();
  checkpoint.executedNs.resize(load.size());
  for (size_t r = 0; r < load.size(); ++r)
    checkpoint.executedNs[r] = load[r] - resources.remainingNs[r];
  checkpoint.queue.clear();
  queue.save(checkpoint.queue);
}

/// Plans what the tasks of a block wait for, as far as it is pending. Returns
/// false as `planValue`.
bool DeltaSimulator::planOperands(int block, int64_t limitNs) {
  int slot = plan.getBlocks()[block].slot;
  if (slot < 0 || !plan.hasPendingOperands(slot))
    return true;
  for (int operand : plan.getSlots()[slot].kernel->operands)
    if (plan.isPending(operand) && !planValue(operand, limitNs))
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
        bundle.count < keys.mostTasks()) {
      ++bundle.count;
      return;
    }
    queue.push({lastReadyNs, keys.pack(bundle)});
    last = {{block, index, 1}, readyNs};
    return;
  }
  if (released.size() == mostReleased)
    queueReleased();
  released.push_back({{block, index, 1}, readyNs});
}

void DeltaSimulator::queueReleased() {
  for (const auto &[bundle, readyNs] : released)
    queue.push({readyNs, keys.pack(bundle)});
  released.clear();
}

/// Gives shards their ends. Returns whether one of them, which is the last in
/// `endsNs` then, proves the makespan to be above the limit.
bool DeltaSimulator::occupyDevices(const TaskBundle &bundle, int slot,
                                   int64_t readyNs, int64_t limitNs) {
  const KernelPlan &kernel = plan.kernelPlan(slot);
  int64_t latestNs = limitNs - plan.tailNs(slot);
  const int *device = kernel.devices.data() + bundle.first;
  const int64_t *durationNs = kernel.durationNs.data() + bundle.first;
  for (int i = 0; i < bundle.count; ++i) {
    int64_t startNs = readyNs, endNs = 0;
    bool isLate = resources.occupy<true>({device + i, 1}, durationNs[i],
                                         limitNs, startNs, endNs);
    endsNs.push_back(endNs);
    if (isLate || endNs > latestNs)
      return true;
  }
  return false;
}

/// The same for tasks of a value.
bool DeltaSimulator::occupyResources(const TaskBundle &bundle, int value,
                                     int64_t readyNs, int64_t limitNs) {
  const PlannedTask *task = plan.valuePlan(value).tasks.data() + bundle.first;
  for (int i = 0; i < bundle.count; ++i, ++task) {
    int64_t startNs = readyNs, endNs = 0;
    bool isLate =
        resources.occupy<true>(resourcesOf(plan, task->resource),
                               task->durationNs, limitNs, startNs, endNs);
    endsNs.push_back(endNs);
    if (isLate)
      return true;
  }
  return false;
}

namespace {

/// Tasks that become ready one after the other: those of one block that lie
/// together and are ready at the same time go into the queue as one entry.
class OpenBundle {
public:
  OpenBundle(TaskQueue &queue, const BundleKeys &keys)
      : queue(queue), keys(keys) {}
  void add(int block, int index, int64_t now) {
    if (bundle.block == block && bundle.first + bundle.count == index &&
        readyNs == now && bundle.count < keys.mostTasks()) {
      ++bundle.count;
      return;
    }
    close();
    bundle = {block, index, 1};
    readyNs = now;
  }
  void close() {
    if (bundle.count > 0)
      queue.push({readyNs, keys.pack(bundle)});
    bundle.count = 0;
  }

private:
  TaskQueue &queue;
  const BundleKeys &keys;
  TaskBundle bundle;
  int64_t readyNs = 0;
};

} // namespace

/// Tells those who wait for tasks that have ended: sources or tasks of a value,
/// from number `node` of its plan on. Returns false as `planValue`.
bool DeltaSimulator::follow(int value, size_t node,
                            std::span<const int64_t> ends, int64_t limitNs) {
  if (plan.isPending(value) && !planValue(value, limitNs))
    return false;
  const ValuePlan &planned = plan.valuePlan(value);
  const int *start = planned.successorStart.data() + node;
  const TaskRef *successors = planned.successors.data();
  auto arrive = [&](int block, int index, TaskRun &task, int64_t endNs,
                    auto whenReady) {
    task.readyNs = std::max(task.readyNs, endNs);
    if (--task.waiting > 0)
      return true;
    // It may wait for values that are not planned yet.
    if (!planOperands(block, limitNs))
      return false;
    if (task.waiting == 0)
      whenReady(block, index, task.readyNs);
    return true;
  };
  if (!planned.isInPlace && ends.size() > 1) {
    for (size_t i = 0; i < ends.size(); ++i)
      for (int s = start[i]; s < start[i + 1]; ++s) {
        auto [block, index] = successors[s];
        if (!arrive(block, index, touch(block).tasks[index], ends[i],
                    [&](int b, int t, int64_t ns) { release(b, t, ns); }))
          return false;
      }
    queueReleased();
    return true;
  }
  // Of one task, or in place, where shard i releases shard i of each reader:
  // what is released together comes together.
  OpenBundle open(queue, keys);
  for (int s = start[0]; s < start[1]; ++s) {
    auto [block, index] = successors[s];
    TaskRun *task = touch(block).tasks.data() + index;
    for (int64_t endNs : ends)
      if (!arrive(block, index++, *task++, endNs,
                  [&](int b, int t, int64_t ns) { open.add(b, t, ns); }))
        return false;
  }
  open.close();
  return true;
}

int64_t DeltaSimulator::run(int64_t limitNs) {
  const std::vector<StrategyPlan::Block> &list = plan.getBlocks();
  int64_t makespanNs = from > 0 ? checkpoints[from - 1].makespanNs : 0;
  auto between = static_cast<size_t>(
      std::max(fewestTasksBetween, taskCount / checkpointsPerTimeline));
  for (size_t r = 0; r < resources.freeNs.size(); ++r)
    if (int64_t endNs = resources.freeNs[r] + resources.remainingNs[r];
        endNs > limitNs)
      return endNs;
  simulated = 0;
  size_t next = between;
  while (!queue.empty()) {
    if (endsNs.size() >= next) {
      takeCheckpoint(makespanNs);
      next = endsNs.size() + between;
    }
    TaskQueue::Entry entry = queue.pop();
    TaskBundle bundle = keys.unpack(entry.key);
    auto [slot, value] = list[bundle.block];
    size_t first = endsNs.size();
    bool isLate;
    if (bundle.count == 1) {
      // Most are alone where devices differ.
      int64_t startNs = entry.readyNs, endNs = 0;
      if (slot >= 0) {
        const KernelPlan &kernel = plan.kernelPlan(slot);
        isLate = resources.occupy<true>({&kernel.devices[bundle.first], 1},
                                        kernel.durationNs[bundle.first],
                                        limitNs, startNs, endNs) ||
                 endNs > limitNs - plan.tailNs(slot);
      } else {
        const PlannedTask &task = plan.valuePlan(value).tasks[bundle.first];
        isLate =
            resources.occupy<true>(resourcesOf(plan, task.resource),
                                   task.durationNs, limitNs, startNs, endNs);
      }
      endsNs.push_back(endNs);
    } else {
      isLate = slot >= 0
                   ? occupyDevices(bundle, slot, entry.readyNs, limitNs)
                   : occupyResources(bundle, value, entry.readyNs, limitNs);
    }
    popped.push_back(bundle);
    simulated = static_cast<int64_t>(endsNs.size());
    if (isLate)
      return std::max(endsNs.back(), limitNs + 1);
    std::span<const int64_t> ends = std::span(endsNs).subspan(first);
    for (int64_t endNs : ends)
      makespanNs = std::max(makespanNs, endNs);
    auto index = static_cast<size_t>(bundle.first);
    if (slot >= 0) {
      for (int result : plan.getSlots()[slot].kernel->results)
        if (!follow(result, index, ends, limitNs))
          return limitNs + 1;
    } else {
      auto sources = static_cast<size_t>(plan.valuePlan(value).sources);
      if (!follow(value, sources + index, ends, limitNs))
        return limitNs + 1;
    }
  }
  return makespanNs;
}

int64_t DeltaSimulator::propose(int64_t limitNs) {
  simulated = 0;
  if (copiesOccupy) {
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
  if (limitNs != std::numeric_limits<int64_t>::max() && border.pays()) {
    bool isRefused = !plan.planBorder(limitNs);
    border.count(isRefused);
    if (isRefused)
      return limitNs + 1;
  }
  restore(firstDifference());
  int64_t makespanNs = run(limitNs);
  if (makespanNs > limitNs)
    return makespanNs;
  replaced.clear();
  for (int slot : plan.changedKernels())
    replaced.push_back(plan.getSlots()[slot].block);
  plan.finish();
  for (int value : plan.changedValues())
    if (int block = plan.blockOf(value); block >= 0)
      replaced.push_back(block);
  return makespanNs;
}

void DeltaSimulator::commit() {
  if (copiesOccupy)
    return;
  ++stamp;
  const std::vector<StrategyPlan::Block> &list = plan.getBlocks();
  for (int block : replaced) {
    auto [slot, value] = list[block];
    done[block].assign(slot >= 0 ? plan.kernelPlan(slot).devices.size()
                                 : plan.valuePlan(value).tasks.size(),
                       Done{});
    firstPosition[block] = never;
  }
  int position = firstSimulated;
  const int64_t *endNs = endsNs.data();
  for (const TaskBundle &bundle : popped) {
    // Positions after the start of the run are those of before.
    if (firstPosition[bundle.block] >= firstSimulated &&
        stamped[bundle.block] != stamp) {
      stamped[bundle.block] = stamp;
      firstPosition[bundle.block] = position;
    }
    Done *task = done[bundle.block].data() + bundle.first;
    for (int i = 0; i < bundle.count; ++i)
      *task++ = {*endNs++, position++};
  }
  taskCount = position;
  // Exchanged, so that the memory of both is kept.
  checkpoints.resize(from + passedCount);
  for (size_t i = 0; i < passedCount; ++i)
    std::swap(checkpoints[from + i], passed[i]);
}

void DeltaSimulator::starts(std::vector<TaskQueue::Entry> &tasks) {
  if (copiesOccupy) {
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
  // What was over before the run started is as it was.
  for (size_t b = 0; b < list.size(); ++b)
    if (firstPosition[b] < firstSimulated)
      for (size_t i = 0; i < done[b].size(); ++i)
        if (done[b][i].position < firstSimulated)
          add(static_cast<int>(b), static_cast<int>(i), done[b][i].endNs);
  const int64_t *endNs = endsNs.data();
  for (const TaskBundle &bundle : popped)
    for (int i = 0; i < bundle.count; ++i)
      add(bundle.block, bundle.first + i, *endNs++);
}
