//===- TaskTable.h - Tasks of an iteration in microbatches ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of a compact plan (PlanState.h) by number: how long each takes,
// what it occupies, what it reads, and the stage pass that it belongs to. The
// waits between passes (lib/Plan/PassWaits.h) and the timeline of an iteration
// (Mesh/PassTimeline.h) are made of it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PLAN_TASKTABLE_H
#define SOAP_PLAN_TASKTABLE_H

#include "Soap/Plan/PassOrder.h"
#include "Soap/Plan/PlanState.h"

#include <cassert>
#include <cstdint>
#include <functional>
#include <vector>

namespace soap {

/// Asked again and again while something long is computed: true ends it.
using StopCheck = std::function<bool()>;
/// The error of what a `StopCheck` has ended.
inline constexpr const char *stoppedMessage = "no time is left";

/// Sets the box of a piece of a slot's kernel.
using PieceBox = std::function<void(int slot, int piece, LoopBox &box)>;

/// The boxes of a plan that has all pieces of its kernels.
PieceBox boxesOf(const PlanState &plan);

/// Tasks have the numbers of their blocks, one block after the other, which is
/// the order of their keys. A sum of n > 2 tiles that is made one by one is
/// n - 1 tasks, its *steps*: the last one first, then the others in order.
/// Absent shards have numbers, too. Keeps pointers to the plan and the passes.
struct TaskTable {
  /// `plan` is one of `cutIntoMicrobatches`, with `roundsOfPasses`, or a
  /// `StageQuotient`; its graph is a `graphOfPasses`. An error if a pass
  /// reads of another microbatch, or if there are more than 2^31 tasks.
  /// `isOver`: null, or ends it with an error.
  static Expected<TaskTable> make(const PlanState &plan,
                                  const PassOrder &passes,
                                  const PieceBox &boxOf,
                                  const StopCheck &isOver = {});

  const PlanState *plan = nullptr;
  const PassOrder *passes = nullptr;
  /// How many stages have nodes or passes: a device may have a place in its
  /// order for a stage that computes nothing.
  size_t stages = 0;

  std::vector<uint32_t> firstTask; ///< by block, one more
  /// By block, by task: its first number less that of the block; empty: number
  /// i is task i.
  std::vector<std::vector<uint32_t>> offsets;
  /// By block: steps of sums before it, except the last of each; one more.
  std::vector<uint32_t> firstSum;

  // By task.
  std::vector<int64_t> durationNs;
  /// Its device; of tasks on several resources, -1 - number of a list.
  std::vector<int> resource;
  std::vector<bool> isThere;
  /// The tasks that it reads: `preds[predStart[task] .. predStart[task + 1])`.
  std::vector<uint32_t> predStart, preds;
  std::vector<int32_t> passOfTask; ///< code, -1: none
  std::vector<int> slotOf;         ///< of a kernel; -1: a task of a value
  /// `isFirst`: no task of its pass on its device is read, directly or through
  /// movements. `isLast`: none there reads it. `isSum`: its result has no
  /// samples. `hasReads`, of a movement: it reads what passes compute.
  enum : uint8_t { isFirst = 1, isLast = 2, isSum = 4, hasReads = 8 };
  std::vector<uint8_t> flags;
  /// The first kernel of its pass and device that reads what it writes, -1:
  /// none. Empty if no rule asks for it: no weights are gathered, and no device
  /// copies what it receives.
  std::vector<int32_t> followers;

  size_t size() const { return durationNs.size(); }

  /// The number of a task of a block; of a sum that of its last step.
  size_t numberOf(int block, int index) const {
    auto b = static_cast<size_t>(block), i = static_cast<size_t>(index);
    return firstTask[b] + (offsets[b].empty() ? i : offsets[b][i]);
  }
  int nodeOf(size_t task) const {
    return plan->getSlots()[static_cast<size_t>(slotOf[task])].node;
  }
  /// The task that writes a buffer of a value; -1: there from the start.
  int64_t writerOf(int value, int reference) const;
  /// Appends the kernels of passes that a task reads, directly or through
  /// movements. Some may be there twice.
  void addReads(size_t task, std::vector<uint32_t> &reads) const;
  /// Its kernel, and its microbatch, for messages.
  std::string describe(size_t task) const;

  int32_t codeOf(const PipelinePass &pass) const {
    assert(static_cast<size_t>(pass.stage) < stages && "a stage of the table");
    return static_cast<int32_t>(
        (pass.stage * passes->microbatches + pass.microbatch) * 2 +
        pass.backward);
  }
  PipelinePass passAt(int32_t code) const {
    int64_t rest = code / 2;
    return {static_cast<int>(rest / passes->microbatches),
            rest % passes->microbatches, code % 2 != 0};
  }
  /// How many codes there are.
  size_t codes() const {
    return stages * static_cast<size_t>(passes->microbatches) * 2;
  }

  /// Calls `visit(task, index)` for the tasks of a block, each behind what it
  /// reads. `index` is that of `numberOf`.
  template <typename Visit>
  void forEachOfBlock(size_t block, Visit visit) const {
    size_t count = countOf(block);
    for (size_t i = 0; i < count; ++i) {
      auto [first, end] = stepsOf(block, i);
      for (size_t task = first + 1; task < end; ++task)
        visit(task, i);
      visit(first, i);
    }
  }
  /// The same for all tasks.
  template <typename Visit>
  void forEach(Visit visit) const {
    for (size_t b = 0; b + 1 < firstTask.size(); ++b)
      forEachOfBlock(b, visit);
  }
  /// For all tasks, each before what it reads.
  template <typename Visit>
  void forEachFromLast(Visit visit) const {
    for (size_t b = firstTask.size() - 1; b-- > 0;)
      for (size_t i = countOf(b); i-- > 0;) {
        auto [first, end] = stepsOf(b, i);
        visit(first, i);
        for (size_t task = end; --task > first;)
          visit(task, i);
      }
  }

private:
  /// Tasks of a block, a sum as one.
  size_t countOf(size_t block) const {
    return offsets[block].empty() ? firstTask[block + 1] - firstTask[block]
                                  : offsets[block].size();
  }
  /// The numbers of a task's steps: the first one, and one behind the last.
  std::pair<size_t, size_t> stepsOf(size_t block, size_t index) const {
    size_t begin = firstTask[block];
    const std::vector<uint32_t> &starts = offsets[block];
    if (starts.empty())
      return {begin + index, begin + index + 1};
    return {begin + starts[index], index + 1 < starts.size()
                                       ? begin + starts[index + 1]
                                       : firstTask[block + 1]};
  }
};

} // namespace soap

#endif // SOAP_PLAN_TASKTABLE_H
