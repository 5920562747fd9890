//===- TaskTable.cpp - Tasks of an iteration in microbatches --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TaskTable.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/TaskTable.h"

#include "PassReads.h"
#include "Soap/Plan/ActionCost.h"
#include "SumSteps.h"

#include <algorithm>
#include <cassert>
#include <limits>

using namespace soap;

SumInputs soap::inputsInOrder(const ValuePlan &plan,
                              const PlannedAction &combine) {
  SumInputs inputs;
  auto begin = plan.inputs.begin() + combine.firstInput;
  inputs.references.assign(begin, begin + combine.inputCount);
  auto sent = std::stable_partition(
      inputs.references.begin(), inputs.references.end(), [&](int input) {
        return input < plan.sources ||
               plan.actions[static_cast<size_t>(input - plan.sources)].kind !=
                   ActionKind::Transfer;
      });
  inputs.own = static_cast<size_t>(sent - inputs.references.begin());
  return inputs;
}

size_t soap::countStepsOfTask(const PlanState &plan, int value, size_t task) {
  const ValuePlan &planned = plan.valuePlan(value);
  const PlannedAction &action =
      planned.actions[static_cast<size_t>(planned.tasks[task].firstAction)];
  if (action.kind != ActionKind::Combine || planned.tasks[task].collective >= 0)
    return 1;
  int64_t elementBytes =
      plan.getGraph().values[static_cast<size_t>(value)].elementBytes;
  auto count = static_cast<size_t>(action.inputCount);
  // Which inputs are sent matters to sums of 16 bits alone.
  size_t own = elementBytes < 4 && count > 2
                   ? inputsInOrder(planned, action).own
                   : count;
  return countSumSteps(count, own, elementBytes);
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

int64_t TaskTable::writerOf(int value, int reference) const {
  const ValuePlan &planned = plan->valuePlan(value);
  if (reference >= planned.sources)
    return static_cast<int64_t>(numberOf(
        plan->blockOf(value),
        planned.actions[static_cast<size_t>(reference - planned.sources)]
            .task));
  if (const Restore *restore = plan->restoreOfValue(value)) {
    int kept = plan->keptReference(value, reference);
    return kept < 0 ? -1 : writerOf(restore->of, kept);
  }
  return planned.sourcesAreTasks
             ? static_cast<int64_t>(
                   numberOf(plan->getSlots()[static_cast<size_t>(
                                                 plan->producerOf(value))]
                                .block,
                            reference))
             : -1;
}

void TaskTable::addReads(size_t task, std::vector<uint32_t> &reads) const {
  std::vector<uint32_t> stack(1, static_cast<uint32_t>(task));
  while (!stack.empty()) {
    uint32_t at = stack.back();
    stack.pop_back();
    for (uint32_t i = predStart[at]; i < predStart[at + 1]; ++i) {
      if (passOfTask[preds[i]] >= 0)
        reads.push_back(preds[i]);
      else if (slotOf[preds[i]] < 0 && flags[preds[i]] & hasReads)
        stack.push_back(preds[i]);
    }
  }
}

std::string TaskTable::describe(size_t task) const {
  std::string text =
      "'" + plan->getSlots()[static_cast<size_t>(slotOf[task])].kernel->name +
      "'";
  if (passOfTask[task] >= 0)
    text +=
        " of microbatch " + std::to_string(passAt(passOfTask[task]).microbatch);
  return text;
}

static size_t countStages(const PassOrder &passes) {
  int last = -1;
  for (int stage : passes.stages)
    last = std::max(last, stage);
  for (const std::vector<PipelinePass> &order : passes.order)
    for (const PipelinePass &pass : order)
      last = std::max(last, pass.stage);
  return static_cast<size_t>(last + 1);
}

namespace {

class TableMaker {
public:
  TableMaker(TaskTable &out, const PieceBox &boxOf, const StopCheck &isOver)
      : out(out), plan(*out.plan), passes(*out.passes), graph(plan.getGraph()),
        boxOf(boxOf), isOver(isOver) {}

  MaybeError run() {
    if (MaybeError error = numberTasks())
      return error;
    addReadings();
    findPasses();
    return findEnds();
  }

private:
  TaskTable &out;
  const PlanState &plan;
  const PassOrder &passes;
  const Graph &graph;
  const PieceBox &boxOf;
  const StopCheck &isOver;
  /// By task: a kernel that runs once, behind passes, that it depends on; -1:
  /// none.
  std::vector<int32_t> joined;
  std::vector<uint32_t> reads;

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
          size_t steps = countStepsOfTask(plan, value, t);
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
    out.resource.assign(count, 0);
    out.isThere.assign(count, true);
    out.slotOf.assign(count, -1);
    return std::nullopt;
  }

  void addReadings() {
    out.predStart.reserve(out.size() + 1);
    for (size_t b = 0; b < plan.getBlocks().size(); ++b) {
      auto [slot, value] = plan.getBlocks()[b];
      if (slot >= 0)
        addKernel(b, slot);
      else
        addValue(b, value);
    }
    out.predStart.push_back(static_cast<uint32_t>(out.preds.size()));
  }

  void addKernel(size_t block, int slot) {
    const KernelPlan &kernel = plan.kernelPlan(slot);
    const std::vector<int> &operands = plan.getSlots()[slot].kernel->operands;
    std::vector<const std::vector<int> *> bindings;
    for (size_t i = 0; kernel.active && i < operands.size(); ++i)
      bindings.push_back(&plan.bindingOf(slot, static_cast<int>(i)));
    for (size_t s = 0; s < kernel.states.size(); ++s) {
      size_t task = out.firstTask[block] + s;
      out.predStart.push_back(static_cast<uint32_t>(out.preds.size()));
      out.slotOf[task] = slot;
      out.resource[task] = kernel.devices[s];
      out.durationNs[task] = kernel.durationNs[s];
      out.isThere[task] = kernel.states[s] != ShardState::Absent;
      if (kernel.states[s] != ShardState::Compute)
        continue;
      for (size_t i = 0; i < operands.size(); ++i)
        if (int reference = (*bindings[i])[s]; reference >= 0)
          addPred(out.writerOf(operands[i], reference));
    }
  }
  void addPred(int64_t task) {
    if (task >= 0)
      out.preds.push_back(static_cast<uint32_t>(task));
  }

  void addValue(size_t block, int value) {
    const ValuePlan &planned = plan.valuePlan(value);
    size_t action = 0;
    for (size_t t = 0; t < planned.tasks.size(); ++t) {
      size_t task = out.numberOf(static_cast<int>(block), static_cast<int>(t)),
             steps = countStepsOfTask(plan, value, t);
      const PlannedTask &entry = planned.tasks[t];
      out.resource[task] = entry.resource;
      out.durationNs[task] = entry.durationNs;
      if (steps > 1) {
        addSum(value, planned.actions[action++], task, steps);
        continue;
      }
      out.predStart.push_back(static_cast<uint32_t>(out.preds.size()));
      for (; action < planned.actions.size() &&
             planned.actions[action].task == static_cast<int>(t);
           ++action)
        for (int i = 0; i < planned.actions[action].inputCount; ++i)
          if (int64_t pred = out.writerOf(
                  value, planned.inputs[static_cast<size_t>(
                             planned.actions[action].firstInput + i)]);
              pred != static_cast<int64_t>(task))
            addPred(pred);
    }
  }

  /// `task` is the last step.
  void addSum(int value, const PlannedAction &combine, size_t task,
              size_t steps) {
    std::vector<int> inputs =
        inputsInOrder(plan.valuePlan(value), combine).references;
    int64_t elements = plan.regionsOf(value).volume(combine.region),
            bytes = graph.values[static_cast<size_t>(value)].elementBytes;
    const ValuePlan &planned = plan.valuePlan(value);
    bool ofProduct =
        planned.ofProduct &&
        std::ranges::all_of(inputs, [&](int i) { return i < planned.sources; });
    auto timeOf = [&](size_t tiles) {
      Work work = localWork(ActionKind::Combine, elements, bytes, tiles);
      work.ofProducts = ofProduct;
      return plan.getCost().computeNs(combine.device, work);
    };
    int64_t ns = timeOf(2);
    for (size_t step = 0; step < steps; ++step) {
      size_t number = task + step;
      out.resource[number] = combine.device;
      out.predStart.push_back(static_cast<uint32_t>(out.preds.size()));
      // Steps 1, 2, ... begin with the first two inputs; the last is number 0.
      size_t at = step > 0 ? step : steps,
             end = step > 0 ? at + 1 : inputs.size();
      if (at == 1)
        addPred(out.writerOf(value, inputs[0]));
      else
        out.preds.push_back(static_cast<uint32_t>(task + at - 1));
      for (size_t i = at; i < end; ++i)
        addPred(out.writerOf(value, inputs[i]));
      out.durationNs[number] = end - at > 1 ? timeOf(end - at + 1) : ns;
    }
  }

  void findPasses() {
    out.passOfTask.assign(out.size(), -1);
    out.flags.assign(out.size(), 0);
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
        codes.push_back(pass ? out.codeOf(*pass) : -1);
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
          out.passOfTask[first + i] = codes[i % codes.size()];
          out.flags[first + i] = TaskTable::isFirst | TaskTable::isLast |
                                 (sums ? TaskTable::isSum : 0);
        }
    }
  }

  /// Finds the first and the last kernels of each pass on each device.
  MaybeError findEnds() {
    joined.assign(out.size(), -1);
    bool isAsked = std::any_of(
        graph.restores.begin(), graph.restores.end(),
        [](const Restore &restore) { return !restore.delaysReaders; });
    for (const DeviceType &type : plan.getCost().getTopology().deviceTypes)
      isAsked |= type.copiesOccupyReceiver;
    if (isAsked)
      out.followers.assign(out.size(), -1);
    MaybeError error;
    for (size_t b = 0; b < plan.getBlocks().size(); ++b) {
      if (isOver && isOver())
        return Error{stoppedMessage};
      bool isKernel = plan.getBlocks()[b].slot >= 0;
      out.forEachOfBlock(b, [&](size_t task, size_t) {
        if (!isKernel)
          visitMovement(task);
        else if (out.isThere[task] && !error)
          error = visitKernel(task);
      });
      if (error)
        return error;
    }
    return std::nullopt;
  }

  /// Whether a task reads what passes compute by reading another one.
  bool readsBy(uint32_t pred) const {
    return out.passOfTask[pred] >= 0 ||
           (out.slotOf[pred] < 0 && out.flags[pred] & TaskTable::hasReads);
  }

  void visitMovement(size_t task) {
    for (uint32_t i = out.predStart[task]; i < out.predStart[task + 1]; ++i) {
      uint32_t pred = out.preds[i];
      if (joined[pred] >= 0)
        joined[task] = joined[pred];
      if (readsBy(pred))
        out.flags[task] |= TaskTable::hasReads;
    }
  }

  MaybeError visitKernel(size_t task) {
    bool anyRead = false;
    for (uint32_t i = out.predStart[task]; i < out.predStart[task + 1]; ++i) {
      uint32_t pred = out.preds[i];
      if (joined[pred] >= 0)
        joined[task] = joined[pred];
      anyRead |= readsBy(pred);
    }
    int32_t &code = out.passOfTask[task];
    if (code < 0) {
      if (joined[task] < 0 && anyRead)
        joined[task] = static_cast<int32_t>(task);
      return std::nullopt;
    }
    if (joined[task] >= 0)
      return Error{out.describe(task) + " waits for " +
                   out.describe(static_cast<size_t>(joined[task])) +
                   ", which needs all samples of the batch at once: it cannot "
                   "run in microbatches"};
    reads.clear();
    out.addReads(task, reads);
    // Where rows do not divide evenly, a piece of a sum over them may have some
    // of the next microbatch: it is part of that one's pass.
    bool isSum = out.flags[task] & TaskTable::isSum;
    PipelinePass pass = out.passAt(code);
    if (isSum)
      for (uint32_t read : reads)
        pass.microbatch = std::max(pass.microbatch,
                                   out.passAt(out.passOfTask[read]).microbatch);
    code = out.codeOf(pass);
    for (uint32_t read : reads) {
      if (!isSum &&
          out.passAt(out.passOfTask[read]).microbatch != pass.microbatch)
        return crossing(task, pass.microbatch);
      if (out.resource[read] == out.resource[task] &&
          out.passOfTask[read] == code)
        follow(task, read);
    }
    return std::nullopt;
  }

  /// Names the first of `reads` that is of another microbatch.
  Error crossing(size_t task, int64_t microbatch) {
    std::sort(reads.begin(), reads.end());
    uint32_t read =
        *std::find_if(reads.begin(), reads.end(), [&](uint32_t other) {
          return out.passAt(out.passOfTask[other]).microbatch != microbatch;
        });
    const GraphNode &node = graph.nodes[static_cast<size_t>(out.nodeOf(task))];
    return Error{out.describe(task) + " reads " + out.describe(read) + ": " +
                 describeCrossing(node.whole.kind)};
  }

  /// A kernel reads another one of its pass and device.
  void follow(size_t task, uint32_t read) {
    out.flags[task] &= static_cast<uint8_t>(~TaskTable::isFirst);
    out.flags[read] &= static_cast<uint8_t>(~TaskTable::isLast);
    if (out.followers.empty())
      return;
    int32_t &follower = out.followers[read];
    if (follower < 0 ||
        out.nodeOf(task) < out.nodeOf(static_cast<size_t>(follower)))
      follower = static_cast<int32_t>(task);
  }
};

} // namespace

Expected<TaskTable> TaskTable::make(const PlanState &plan,
                                    const PassOrder &passes,
                                    const PieceBox &boxOf,
                                    const StopCheck &isOver) {
  assert(plan.getRounds().oneByOne && "a plan of passes");
  TaskTable table;
  table.plan = &plan;
  table.passes = &passes;
  table.stages = countStages(passes);
  if (MaybeError error = TableMaker(table, boxOf, isOver).run())
    return *error;
  return table;
}
