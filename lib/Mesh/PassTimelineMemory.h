//===- PassTimelineMemory.h - Peak memory of microbatches -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The peak of the live bytes of each device, as PlanMemory.h finds it, where
// sums are made one by one: each step of a sum reads the one before and one
// tile.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_MESH_PASSTIMELINEMEMORY_H
#define SOAP_LIB_MESH_PASSTIMELINEMEMORY_H

#include "Soap/Plan/PlanState.h"

namespace soap {

/// Is told of all tasks, the one that starts last first.
class PassMemory {
public:
  /// `firstSum`: by block, the steps of sums in the blocks before it, except
  /// the last of each sum; then all of them.
  PassMemory(const PlanState &plan, const std::vector<uint32_t> &firstSum);

  void visitShard(int slot, size_t shard);
  /// `sumsBefore`: steps of sums in the tasks before this one.
  void visitTask(int value, size_t task, int steps, int step,
                 size_t sumsBefore);
  const std::vector<int64_t> &getPeaks() const { return peak; }

private:
  struct Buffer {
    int64_t bytes = 0;
    int device = -1;        ///< -1: there from the start to the end
    bool isInPlace = false; ///< replaces the tile that it was computed from
    bool isLive = false;
  };

  const PlanState &plan;
  std::vector<size_t> first; ///< by value: its sources, then its actions
  std::vector<Buffer> buffers;
  std::vector<bool> isSumLive; ///< by step of a sum
  std::vector<int64_t> live, peak;

  /// A buffer of a value's plan; a source of a restored value is a buffer of
  /// what it restores.
  Buffer &bufferOf(int value, int reference) {
    const ValuePlan &planned = plan.valuePlan(value);
    if (reference < planned.sources)
      if (const Restore *restore = plan.restoreOfValue(value)) {
        reference = plan.keptReference(value, reference);
        value = restore->of;
      }
    return buffers[first[static_cast<size_t>(value)] +
                   static_cast<size_t>(reference)];
  }
  void listKernels();
  void listValues();
  void touch(Buffer &buffer) {
    if (buffer.isLive || buffer.isInPlace || buffer.device < 0)
      return;
    buffer.isLive = true;
    live[static_cast<size_t>(buffer.device)] += buffer.bytes;
  }
  void notePeak(int device) {
    if (device < 0)
      return;
    auto d = static_cast<size_t>(device);
    peak[d] = std::max(peak[d], live[d]);
  }
  void leave(const Buffer &buffer) {
    if (!buffer.isInPlace)
      live[static_cast<size_t>(buffer.device)] -= buffer.bytes;
  }
  void visitAction(int value, size_t number);
};

} // namespace soap

#endif // SOAP_LIB_MESH_PASSTIMELINEMEMORY_H
