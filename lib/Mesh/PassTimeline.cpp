//===- PassTimeline.cpp - Microbatches of a compact plan ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks in the order of their keys, edges as two arrays. The rules of passes
// stand in PassOrder.cpp, too; a test compares both.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/PassTimeline.h"

#include "PassDelays.h"
#include "PassTimelineMemory.h"
#include "Plan/PassReads.h"
#include "Simulator/Algorithm1.h"
#include "Soap/Plan/ActionCost.h"

#include <algorithm>
#include <limits>
#include <tuple>

using namespace soap;

std::vector<int> soap::inputsInOrder(const ValuePlan &plan,
                                     const PlannedAction &combine) {
  std::vector<int> inputs(plan.inputs.begin() + combine.firstInput,
                          plan.inputs.begin() + combine.firstInput +
                              combine.inputCount);
  std::stable_partition(inputs.begin(), inputs.end(), [&](int input) {
    return input < plan.sources ||
           plan.actions[static_cast<size_t>(input - plan.sources)].kind !=
               ActionKind::Transfer;
  });
  return inputs;
}

PieceBox soap::boxesOf(const PlanState &plan) {
  return [&plan](int slot, int piece, LoopBox &box) {
    const IterationSpace &space = plan.getSlots()[slot].kernel->space;
    const std::vector<int64_t> &degrees =
        plan.kernelPlan(slot).geometry->degrees;
    box.resize(space.loops.size());
    int64_t rest = piece;
    for (size_t l = space.loops.size(); l-- > 0; rest /= degrees[l])
      box[l] = cut(space.loops[l].extent, degrees[l], rest % degrees[l]);
  };
}

int PassTimeline::stepsOf(int block, int index) const {
  auto [slot, value] = plan->getBlocks()[static_cast<size_t>(block)];
  return slot >= 0
             ? 1
             : stepsOfTask(plan->valuePlan(value), static_cast<size_t>(index));
}

//===----------------------------------------------------------------------===//
// Tasks, edges and waits
//===----------------------------------------------------------------------===//

class PassTimeline::Builder : PassTasks {
public:
  Builder(PassTimeline &result, const Graph &graph, const PassOrder &passes,
          const PieceBox &boxOf, const StopCheck &isOver)
      : PassTasks{*result.plan,
                  passes,
                  result.firstTask,
                  result.offsets,
                  result.resource,
                  {},
                  {},
                  {},
                  {},
                  {}},
        out(result), graph(graph), boxOf(boxOf), isOver(isOver) {}

  MaybeError run() {
    if (MaybeError error = numberTasks())
      return error;
    addReadings();
    findPasses();
    if (MaybeError error = lookAtAll())
      return error;
    PassDelays delays(*this, graph, followers);
    if (isStopped())
      return Error{stoppedMessage};
    addEdges(delays);
    makeJoins(delays);
    if (MaybeError error = simulate())
      return error;
    summarize();
    return std::nullopt;
  }

  // The interface that Algorithm1.h asks for.
  template <typename Visit>
  void forEachRoot(Visit visit) {
    for (size_t t = 0; t < runs.size(); ++t)
      if (runs[t].waiting == 0 && out.isThere[t])
        visit(static_cast<uint64_t>(t));
  }
  bool isDeferred(uint64_t) const { return false; }
  bool schedule(const TaskQueue::Entry &entry, int64_t &endNs) {
    constexpr int64_t tasksPerCheck = 1 << 16;
    if (done % tasksPerCheck == 0 && isStopped()) {
      endNs = 0;
      return false;
    }
    int64_t startNs = entry.readyNs;
    state.occupy<false>(plan.resourcesOf(out.resource[entry.key]),
                        out.durationNs[entry.key], 0, startNs, endNs);
    out.readyNs[entry.key] = entry.readyNs;
    out.startNs[entry.key] = startNs;
    ++done;
    return true;
  }
  template <typename Visit>
  void forEachSuccessor(const TaskQueue::Entry &entry, Visit visit) {
    size_t task = entry.key;
    for (uint32_t i = nextStart[task]; i < nextStart[task + 1]; ++i)
      visit(runs[next[i]], static_cast<uint64_t>(next[i]));
    if (joinOf[task] < 0)
      return;
    Join &join = joins[static_cast<size_t>(joinOf[task])];
    join.readyNs =
        std::max(join.readyNs, out.startNs[task] + out.durationNs[task]);
    if (--join.waiting > 0)
      return;
    for (uint32_t first : join.first) {
      runs[first].readyNs = std::max(runs[first].readyNs, join.readyNs);
      visit(runs[first], static_cast<uint64_t>(first));
    }
  }

private:
  PassTimeline &out;
  const Graph &graph; ///< of the order of passes
  const PieceBox &boxOf;
  const StopCheck &isOver;

  bool isStopped() const { return isOver && isOver(); }

  /// Where a pass of a device ends and its next one begins.
  struct Join {
    int64_t readyNs = 0;
    int waiting = 0;             ///< last kernels of the pass before
    std::vector<uint32_t> first; ///< kernels of the next
  };
  std::vector<uint32_t> nextStart, next;
  std::vector<int32_t> joinOf;    ///< by task, -1: none
  std::vector<int32_t> joined;    ///< by task, as in PassOrder.cpp
  std::vector<int32_t> followers; ///< by task, as in PassDelays.h
  std::vector<Join> joins;
  std::vector<TaskRun> runs;
  ResourceState state;
  int64_t done = 0;

  MaybeError numberTasks() {
    size_t blocks = plan.getBlocks().size();
    out.offsets.resize(blocks);
    uint64_t number = 0;
    uint32_t sums = 0;
    for (size_t b = 0; b < blocks; ++b) {
      out.firstTask.push_back(static_cast<uint32_t>(number));
      out.firstSum.push_back(sums);
      auto [slot, value] = plan.getBlocks()[b];
      if (slot >= 0) {
        number += plan.kernelPlan(slot).states.size();
      } else {
        const ValuePlan &planned = plan.valuePlan(value);
        uint32_t all = 0;
        for (size_t t = 0; t < planned.tasks.size(); ++t) {
          int steps = stepsOfTask(planned, t);
          if (steps > 1 && out.offsets[b].empty())
            for (uint32_t i = 0; i < t; ++i)
              out.offsets[b].push_back(i);
          if (steps > 1 || !out.offsets[b].empty())
            out.offsets[b].push_back(all);
          all += static_cast<uint32_t>(steps);
        }
        number += all;
        sums += all - static_cast<uint32_t>(planned.tasks.size());
      }
      if (number > std::numeric_limits<int32_t>::max())
        return Error{"the microbatches of all ops are more than 2^31 tasks: "
                     "fewer microbatches or devices"};
    }
    out.firstTask.push_back(static_cast<uint32_t>(number));
    out.firstSum.push_back(sums);
    size_t count = number;
    out.durationNs.assign(count, 0);
    out.readyNs.assign(count, 0);
    out.startNs.assign(count, 0);
    out.resource.assign(count, 0);
    out.isThere.assign(count, true);
    slotOf.assign(count, -1);
    return std::nullopt;
  }

  void addReadings() {
    predStart.reserve(out.durationNs.size() + 1);
    for (size_t b = 0; b < plan.getBlocks().size(); ++b) {
      auto [slot, value] = plan.getBlocks()[b];
      if (slot >= 0)
        addKernel(b, slot);
      else
        addValue(b, value);
    }
    predStart.push_back(static_cast<uint32_t>(preds.size()));
  }

  void addEdges(const PassDelays &delays) {
    nextStart.assign(predStart.size() + 1, 0);
    for (uint32_t pred : preds)
      ++nextStart[pred + 2];
    for (auto [before, task] : delays.waits)
      ++nextStart[before + 2];
    for (size_t i = 2; i < nextStart.size(); ++i)
      nextStart[i] += nextStart[i - 1];
    next.resize(preds.size() + delays.waits.size());
    for (size_t t = 0; t + 1 < predStart.size(); ++t)
      for (uint32_t i = predStart[t]; i < predStart[t + 1]; ++i)
        next[nextStart[preds[i] + 1]++] = static_cast<uint32_t>(t);
    for (auto [before, task] : delays.waits)
      next[nextStart[before + 1]++] = task;
    runs.resize(out.durationNs.size());
    for (size_t t = 0; t < runs.size(); ++t)
      runs[t] = {0, static_cast<int>(predStart[t + 1] - predStart[t])};
    for (auto [before, task] : delays.waits)
      ++runs[task].waiting;
    preds = {};
  }

  void addKernel(size_t block, int slot) {
    const KernelPlan &kernel = plan.kernelPlan(slot);
    const std::vector<int> &operands = plan.getSlots()[slot].kernel->operands;
    std::vector<const std::vector<int> *> bindings;
    for (size_t i = 0; kernel.active && i < operands.size(); ++i)
      bindings.push_back(&plan.bindingOf(slot, static_cast<int>(i)));
    for (size_t s = 0; s < kernel.states.size(); ++s) {
      size_t task = out.firstTask[block] + s;
      predStart.push_back(static_cast<uint32_t>(preds.size()));
      slotOf[task] = slot;
      out.resource[task] = kernel.devices[s];
      out.durationNs[task] = kernel.durationNs[s];
      out.isThere[task] = kernel.states[s] != ShardState::Absent;
      if (kernel.states[s] != ShardState::Compute)
        continue;
      for (size_t i = 0; i < operands.size(); ++i)
        if (int reference = (*bindings[i])[s]; reference >= 0)
          addPred(writerOf(operands[i], reference));
    }
  }
  void addPred(int64_t task) {
    if (task >= 0)
      preds.push_back(static_cast<uint32_t>(task));
  }

  void addValue(size_t block, int value) {
    const ValuePlan &planned = plan.valuePlan(value);
    size_t action = 0;
    for (size_t t = 0; t < planned.tasks.size(); ++t) {
      size_t task = out.numberOf(static_cast<int>(block), static_cast<int>(t));
      int steps = stepsOfTask(planned, t);
      const PlannedTask &entry = planned.tasks[t];
      out.resource[task] = entry.resource;
      out.durationNs[task] = entry.durationNs;
      if (steps > 1) {
        addSum(value, planned.actions[action++], task, steps);
        continue;
      }
      predStart.push_back(static_cast<uint32_t>(preds.size()));
      for (; action < planned.actions.size() &&
             planned.actions[action].task == static_cast<int>(t);
           ++action)
        for (int i = 0; i < planned.actions[action].inputCount; ++i)
          if (int64_t pred =
                  writerOf(value, planned.inputs[static_cast<size_t>(
                                      planned.actions[action].firstInput + i)]);
              pred != static_cast<int64_t>(task))
            addPred(pred);
    }
  }

  /// n inputs, one after the other; `task` is the last step.
  void addSum(int value, const PlannedAction &combine, size_t task, int steps) {
    const ValuePlan &planned = plan.valuePlan(value);
    std::vector<int> inputs = inputsInOrder(planned, combine);
    int64_t ns = plan.getCost().computeNs(
        combine.device, localWork(ActionKind::Combine,
                                  plan.regionsOf(value).volume(combine.region),
                                  graph.values[value].elementBytes, 2));
    for (int step = 0; step < steps; ++step) {
      size_t number = task + static_cast<size_t>(step);
      out.resource[number] = combine.device;
      out.durationNs[number] = ns;
      predStart.push_back(static_cast<uint32_t>(preds.size()));
      // Steps 1, 2, ... begin with the first two inputs; the last is number 0.
      int at = step > 0 ? step : steps;
      if (at == 1)
        addPred(writerOf(value, inputs[0]));
      else
        preds.push_back(static_cast<uint32_t>(task + at - 1));
      addPred(writerOf(value, inputs[static_cast<size_t>(at)]));
    }
  }

  void findPasses() {
    size_t count = out.durationNs.size();
    passOfTask.assign(count, -1);
    flags.assign(count, 0);
    Action action;
    std::vector<int32_t> codes;
    for (size_t s = 0; s < plan.getSlots().size(); ++s) {
      const PlanState::Slot &slot = plan.getSlots()[s];
      const KernelPlan &kernel = plan.kernelPlan(static_cast<int>(s));
      if (!kernel.active || passes.runsOnce(slot.node))
        continue;
      action.node = slot.node;
      action.stage = slot.stage;
      codes.clear();
      for (int piece = 0; piece < kernel.pieces(); ++piece) {
        boxOf(static_cast<int>(s), piece, action.box);
        std::optional<PipelinePass> pass = passOf(graph, passes, action);
        codes.push_back(pass ? codeOf(*pass) : -1);
      }
      int loop = passes.sampleLoops[static_cast<size_t>(slot.node)];
      if (slot.stage >= 0) {
        const std::vector<int> &whole = slot.kernel->wholeLoops;
        loop = static_cast<int>(std::find(whole.begin(), whole.end(), loop) -
                                whole.begin());
      }
      const std::vector<Loop> &loops = slot.kernel->space.loops;
      bool sums =
          static_cast<size_t>(loop) < loops.size() &&
          loops[static_cast<size_t>(loop)].type == IteratorType::Reduction;
      size_t first = out.firstTask[static_cast<size_t>(slot.block)];
      for (size_t i = 0; i < kernel.states.size(); ++i)
        if (kernel.states[i] != ShardState::Absent) {
          passOfTask[first + i] = codes[i % codes.size()];
          flags[first + i] = isFirst | isLast | (sums ? isSum : 0);
        }
    }
  }

  std::string describe(size_t task) const {
    std::string text =
        "'" + plan.getSlots()[static_cast<size_t>(slotOf[task])].kernel->name +
        "'";
    if (passOfTask[task] >= 0)
      text += " of microbatch " +
              std::to_string(passAt(passOfTask[task]).microbatch);
    return text;
  }

  /// Of the kernel of a task, or of the op that it is a stage of.
  const std::string &kindOf(size_t task) const {
    return graph.nodes[static_cast<size_t>(nodeOf(task))].whole.kind;
  }

  MaybeError lookAtAll() {
    joined.assign(out.durationNs.size(), -1);
    if (std::any_of(
            graph.restores.begin(), graph.restores.end(),
            [](const Restore &restore) { return !restore.delaysReaders; }))
      followers.assign(out.durationNs.size(), -1);
    for (size_t b = 0; b < plan.getBlocks().size(); ++b) {
      if (isStopped())
        return Error{stoppedMessage};
      auto [slot, value] = plan.getBlocks()[b];
      if (slot >= 0) {
        for (size_t t = out.firstTask[b]; t < out.firstTask[b + 1]; ++t)
          if (out.isThere[t])
            if (MaybeError error = lookAtKernel(t))
              return error;
        continue;
      }
      const ValuePlan &planned = plan.valuePlan(value);
      for (size_t t = 0; t < planned.tasks.size(); ++t) {
        size_t task = out.numberOf(static_cast<int>(b), static_cast<int>(t));
        int steps = stepsOfTask(planned, t);
        for (int step = 1; step < steps; ++step)
          lookAtMovement(task + static_cast<size_t>(step));
        lookAtMovement(task);
      }
    }
    return std::nullopt;
  }

  void lookAtMovement(size_t task) {
    for (uint32_t i = predStart[task]; i < predStart[task + 1]; ++i) {
      uint32_t pred = preds[i];
      if (joined[pred] >= 0)
        joined[task] = joined[pred];
      if (passOfTask[pred] >= 0 || (slotOf[pred] < 0 && flags[pred] & hasReads))
        flags[task] |= hasReads;
    }
  }

  MaybeError lookAtKernel(size_t task) {
    bool anyRead = false;
    for (uint32_t i = predStart[task]; i < predStart[task + 1]; ++i) {
      uint32_t pred = preds[i];
      if (joined[pred] >= 0)
        joined[task] = joined[pred];
      anyRead |=
          passOfTask[pred] >= 0 || (slotOf[pred] < 0 && flags[pred] & hasReads);
    }
    int32_t &code = passOfTask[task];
    if (code < 0) {
      if (joined[task] < 0 && anyRead)
        joined[task] = static_cast<int32_t>(task);
      return std::nullopt;
    }
    if (joined[task] >= 0)
      return Error{describe(task) + " waits for " +
                   describe(static_cast<size_t>(joined[task])) +
                   ", which needs all samples of the batch at once: it cannot "
                   "run in microbatches"};
    // Kernels of passes that it reads, directly or through movements.
    reads.clear();
    addReads(task, reads);
    PipelinePass pass = passAt(code);
    if (flags[task] & isSum)
      for (uint32_t read : reads)
        pass.microbatch =
            std::max(pass.microbatch, passAt(passOfTask[read]).microbatch);
    code = codeOf(pass);
    for (uint32_t read : reads) {
      if (passAt(passOfTask[read]).microbatch != pass.microbatch &&
          !(flags[task] & isSum))
        return Error{describe(task) + " reads " + describe(read) + ": " +
                     describeCrossing(kindOf(task))};
      if (out.resource[read] == out.resource[task] &&
          passOfTask[read] == code) {
        flags[task] &= static_cast<uint8_t>(~isFirst);
        flags[read] &= static_cast<uint8_t>(~isLast);
        if (!followers.empty() &&
            (followers[read] < 0 ||
             nodeOf(task) < nodeOf(static_cast<size_t>(followers[read]))))
          followers[read] = static_cast<int32_t>(task);
      }
    }
    return std::nullopt;
  }
  std::vector<uint32_t> reads;

  void makeJoins(const PassDelays &delays) {
    size_t count = out.durationNs.size();
    joinOf.assign(count, -1);
    // By device: place of each pass in its order, and whether it has kernels.
    size_t stages = 0;
    for (int stage : passes.stages)
      stages = std::max(stages, static_cast<size_t>(stage + 1));
    size_t codes = stages * static_cast<size_t>(passes.microbatches) * 2;
    std::vector<std::vector<uint8_t>> isThere(passes.order.size());
    auto add = [&](int device, int32_t pass) {
      std::vector<uint8_t> &list = isThere[static_cast<size_t>(device)];
      list.resize(codes);
      list[static_cast<size_t>(pass)] = 1;
    };
    for (size_t t = 0; t < count; ++t)
      if (passOfTask[t] >= 0)
        add(out.resource[t], passOfTask[t]);
    for (const PassDelays::Opening &opening : delays.openings)
      add(opening.device, opening.pass);
    // The join before and behind each pass.
    std::vector<std::vector<std::pair<int32_t, int32_t>>> joinsOf(
        passes.order.size());
    for (size_t d = 0; d < passes.order.size(); ++d) {
      if (isThere[d].empty())
        continue;
      joinsOf[d].assign(codes, {-1, -1});
      int32_t before = -1;
      for (const PipelinePass &pass : passes.order[d]) {
        int32_t code = codeOf(pass);
        if (!isThere[d][static_cast<size_t>(code)])
          continue;
        if (before >= 0) {
          auto join = static_cast<int32_t>(joins.size());
          joins.emplace_back();
          joinsOf[d][static_cast<size_t>(before)].second = join;
          joinsOf[d][static_cast<size_t>(code)].first = join;
        }
        before = code;
      }
    }
    auto joinsAt = [&](int device, int32_t pass) {
      return joinsOf[static_cast<size_t>(device)][static_cast<size_t>(pass)];
    };
    for (size_t t = 0; t < count; ++t)
      if (passOfTask[t] >= 0 && flags[t] & isLast)
        if (int32_t behind = joinsAt(out.resource[t], passOfTask[t]).second;
            behind >= 0) {
          joinOf[t] = behind;
          ++joins[static_cast<size_t>(behind)].waiting;
        }
    // Where a movement alone is of a pass, nothing waits for that one.
    auto begin = [&](uint32_t task, int32_t before) {
      if (before < 0 || joins[static_cast<size_t>(before)].waiting == 0)
        return;
      joins[static_cast<size_t>(before)].first.push_back(task);
      ++runs[task].waiting;
    };
    for (size_t t = 0; t < count; ++t)
      if (passOfTask[t] >= 0 && flags[t] & isFirst)
        begin(static_cast<uint32_t>(t),
              joinsAt(out.resource[t], passOfTask[t]).first);
    for (const PassDelays::Opening &opening : delays.openings)
      begin(opening.task, joinsAt(opening.device, opening.pass).first);
  }

  MaybeError simulate() {
    state.freeNs.assign(plan.loadNs().size(), 0);
    ReadyQueue queue;
    out.makespanNs = runAlgorithm1(*this, queue);
    for (size_t t = 0; t < out.isThere.size(); ++t)
      out.count += out.isThere[t];
    if (done == out.count)
      return std::nullopt;
    if (isStopped())
      return Error{stoppedMessage};
    std::string text;
    int listed = 0;
    for (size_t t = 0; t < runs.size() && listed < 2; ++t)
      if (runs[t].waiting > 0 && passOfTask[t] >= 0)
        text += (listed++ ? " and " : "") + describe(t);
    return Error{"the passes of the stages wait for each other in a circle, "
                 "with " +
                 text +
                 " in it: forward values have to go to later stages, and "
                 "gradients to earlier ones"};
  }

  void summarize() {
    out.busy.assign(passes.order.size(), 0);
    std::vector<std::vector<int32_t>> spanOf(passes.order.size());
    for (size_t t = 0; t < out.durationNs.size(); ++t) {
      if (!out.isThere[t] || out.resource[t] < 0)
        continue;
      auto device = static_cast<size_t>(out.resource[t]);
      if (device < out.busy.size())
        out.busy[device] += out.durationNs[t];
      int32_t code = passOfTask[t];
      if (code < 0)
        continue;
      if (spanOf[device].size() <= static_cast<size_t>(code))
        spanOf[device].resize(static_cast<size_t>(code) + 1, -1);
      int32_t &number = spanOf[device][static_cast<size_t>(code)];
      int64_t start = out.startNs[t], end = start + out.durationNs[t];
      if (number < 0) {
        number = static_cast<int32_t>(out.spans.size());
        out.spans.push_back(
            {passAt(code), static_cast<int>(device), start, end, 0});
      }
      PassSpan &span = out.spans[static_cast<size_t>(number)];
      span.startNs = std::min(span.startNs, start);
      span.endNs = std::max(span.endNs, end);
      span.busyNs += out.durationNs[t];
    }
    std::sort(out.spans.begin(), out.spans.end(),
              [](const PassSpan &a, const PassSpan &b) {
                return std::tuple(a.device, a.startNs, a.pass) <
                       std::tuple(b.device, b.startNs, b.pass);
              });
  }
};

Expected<PassTimeline> PassTimeline::make(const PlanState &plan,
                                          const Graph &graph,
                                          const PassOrder &passes,
                                          const PieceBox &boxOf,
                                          const StopCheck &isOver) {
  PassTimeline result(plan);
  if (MaybeError error = Builder(result, graph, passes, boxOf, isOver).run())
    return *error;
  return result;
}

std::vector<DeviceTimes> PassTimeline::deviceTimes() const {
  struct Interval {
    int64_t startNs, endNs;
  };
  auto sortByStart = [](std::vector<Interval> &list) {
    std::sort(list.begin(), list.end(),
              [](const Interval &a, const Interval &b) {
                return a.startNs < b.startNs;
              });
  };
  // Times in which something is moved, and in which each device works.
  std::vector<Interval> moved, all;
  std::vector<DeviceTimes> result(busy.size());
  std::vector<std::vector<Interval>> working(busy.size());
  for (size_t b = 0; b + 1 < firstTask.size(); ++b)
    for (size_t t = firstTask[b]; t < firstTask[b + 1]; ++t) {
      if (!isThere[t])
        continue;
      Interval interval{startNs[t], startNs[t] + durationNs[t]};
      if (resource[t] < 0) {
        all.push_back(interval);
        continue;
      }
      auto device = static_cast<size_t>(resource[t]);
      working[device].push_back(interval);
      (plan->getBlocks()[b].slot >= 0 ? result[device].computeNs
                                      : result[device].movementNs) +=
          durationNs[t];
    }
  sortByStart(all);
  for (const Interval &interval : all) {
    if (moved.empty() || interval.startNs > moved.back().endNs)
      moved.push_back(interval);
    moved.back().endNs = std::max(moved.back().endNs, interval.endNs);
  }
  int64_t movedNs = 0;
  for (const Interval &interval : moved)
    movedNs += interval.endNs - interval.startNs;
  for (size_t d = 0; d < working.size(); ++d) {
    if (working[d].empty())
      continue;
    sortByStart(working[d]);
    int64_t hiddenNs = 0;
    size_t at = 0;
    for (const Interval &interval : working[d]) {
      while (at < moved.size() && moved[at].endNs <= interval.startNs)
        ++at;
      for (size_t i = at; i < moved.size() && moved[i].startNs < interval.endNs;
           ++i)
        hiddenNs += std::min(moved[i].endNs, interval.endNs) -
                    std::max(moved[i].startNs, interval.startNs);
    }
    result[d].exposedNs = movedNs - hiddenNs;
  }
  return result;
}

std::vector<int64_t> PassTimeline::peakBytes() const {
  // Tasks from the last to the first.
  struct Start {
    int64_t ns;
    uint32_t task;
  };
  std::vector<Start> order;
  order.reserve(durationNs.size());
  for (size_t t = 0; t < durationNs.size(); ++t)
    if (isThere[t])
      order.push_back({startNs[t], static_cast<uint32_t>(t)});
  std::sort(order.begin(), order.end(), [](const Start &a, const Start &b) {
    return a.ns != b.ns ? a.ns > b.ns : a.task > b.task;
  });
  PassMemory memory(*plan, firstSum);
  std::vector<uint32_t> firsts(firstTask.begin(), firstTask.end());
  for (const Start &start : order) {
    auto b = static_cast<size_t>(
        std::upper_bound(firsts.begin(), firsts.end(), start.task) -
        firsts.begin() - 1);
    uint32_t place = start.task - firstTask[b];
    auto [slot, value] = plan->getBlocks()[b];
    if (slot >= 0) {
      memory.visitShard(slot, place);
      continue;
    }
    uint32_t index = place, step = 0;
    if (!offsets[b].empty()) {
      index = static_cast<uint32_t>(
          std::upper_bound(offsets[b].begin(), offsets[b].end(), place) -
          offsets[b].begin() - 1);
      step = place - offsets[b][index];
    }
    uint32_t sumsBefore =
        firstSum[b] + (offsets[b].empty() ? 0 : offsets[b][index] - index);
    memory.visitTask(value, index, stepsOfTask(plan->valuePlan(value), index),
                     static_cast<int>(step), sumsBefore);
  }
  return memory.getPeaks();
}
