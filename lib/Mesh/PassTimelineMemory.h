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

#include "Soap/Memory/LiveBuffers.h"

namespace soap {

/// Is told of all tasks, the one that starts last first.
class PassMemory {
public:
  /// `firstSum`: by block, the steps of sums in the blocks before it, except
  /// the last of each sum; then all of them.
  /// `course`: null, or is told of live bytes, too.
  PassMemory(const PlanState &plan, const std::vector<uint32_t> &firstSum,
             MemoryCourse *course);

  void visitShard(int slot, size_t shard) { buffers.visitShard(slot, shard); }
  /// `sumsBefore`: steps of sums in the tasks before this one.
  void visitTask(int value, size_t task, int steps, int step,
                 size_t sumsBefore);
  const std::vector<int64_t> &getPeaks() const { return buffers.getPeaks(); }

private:
  const PlanState &plan;
  MemoryCourse *course;
  LiveBuffers buffers;
  std::vector<bool> isSumLive; ///< by step of a sum
};

} // namespace soap

#endif // SOAP_LIB_MESH_PASSTIMELINEMEMORY_H
