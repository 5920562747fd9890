//===- PassTasks.h - Tasks and passes of a compact plan ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of a `PassTimeline` by number, what each reads, and the pass that
// it belongs to.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_MESH_PASSTASKS_H
#define SOAP_LIB_MESH_PASSTASKS_H

#include "Soap/Plan/PassOrder.h"
#include "Soap/Plan/PlanState.h"

#include <cstdint>
#include <vector>

namespace soap {

/// The steps of a task of a value: n - 1 of a sum of n > 2 tiles, else 1.
int stepsOfTask(const ValuePlan &plan, size_t task);

/// Of `PassTimeline`, as far as it is built. Keeps references.
struct PassTasks {
  const PlanState &plan;
  const PassOrder &passes;
  const std::vector<uint32_t> &firstTask;            ///< by block, one more
  const std::vector<std::vector<uint32_t>> &offsets; ///< by block, by task
  /// By task: its device; of tasks on several resources less than 0.
  const std::vector<int> &resource;
  std::vector<uint32_t> predStart, preds; ///< what each task reads
  std::vector<int32_t> passOfTask;        ///< code, -1: none
  std::vector<int> slotOf; ///< by task of a kernel, -1: of a value
  std::vector<uint8_t> flags;
  enum : uint8_t { isFirst = 1, isLast = 2, isSum = 4, hasReads = 8 };

  /// The number of a task of a block; of a sum that of its last step.
  size_t numberOf(int block, int index) const {
    auto b = static_cast<size_t>(block), i = static_cast<size_t>(index);
    return firstTask[b] + (offsets[b].empty() ? i : offsets[b][i]);
  }
  /// The task that writes a buffer of a value; -1: there from the start.
  int64_t writerOf(int value, int reference) const;
  /// Appends the kernels of passes that a task reads, directly or through
  /// movements. Some may be there twice.
  void addReads(size_t task, std::vector<uint32_t> &reads) const;

  int32_t codeOf(const PipelinePass &pass) const {
    return static_cast<int32_t>(
        (pass.stage * passes.microbatches + pass.microbatch) * 2 +
        pass.backward);
  }
  PipelinePass passAt(int32_t code) const {
    int64_t rest = code / 2;
    return {static_cast<int>(rest / passes.microbatches),
            rest % passes.microbatches, code % 2 != 0};
  }
  int nodeOf(size_t task) const {
    return plan.getSlots()[static_cast<size_t>(slotOf[task])].node;
  }
};

} // namespace soap

#endif // SOAP_LIB_MESH_PASSTASKS_H
