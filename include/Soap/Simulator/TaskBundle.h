//===- TaskBundle.h - Tasks that are ready together -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several tasks as one entry of a queue. Where a strategy treats devices alike,
// the shards of a kernel become ready at the same time. Shards with consecutive
// numbers leave the queue one right after the other, whatever else is in it,
// since the tasks that they release are ready later.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SIMULATOR_TASKBUNDLE_H
#define SOAP_SIMULATOR_TASKBUNDLE_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace soap {

/// Tasks `first .. first + count` of a block.
struct TaskBundle {
  int block = -1, first = 0, count = 0;
};

/// Packs bundles into keys of a queue (TaskQueue.h), which order disjoint
/// bundles as the tasks in them: by block, then by number.
class BundleKeys {
public:
  /// For blocks `0 .. blocks`.
  explicit BundleKeys(size_t blocks)
      : blockShift(63 - std::bit_width(blocks)),
        countBits(std::min(maxCountBits, blockShift - numberBits)) {}

  static constexpr uint64_t none = ~uint64_t(0); ///< no bundle's

  /// The maximum number of tasks of a bundle.
  int maxTasks() const { return 1 << countBits; }
  uint64_t pack(const TaskBundle &bundle) const {
    return static_cast<uint64_t>(bundle.block) << blockShift |
           static_cast<uint64_t>(bundle.first) << countBits |
           static_cast<uint64_t>(bundle.count - 1);
  }
  /// The key of a bundle with one more task; the caller keeps `maxTasks`.
  uint64_t append(uint64_t key) const { return key + 1; }
  /// Whether a task, packed alone, comes right after a bundle, which has room
  /// for it.
  bool follows(uint64_t task, uint64_t bundle) const {
    return task == after(bundle);
  }
  /// The key that the task after a bundle has alone, which can be appended;
  /// `none` if nothing can.
  uint64_t after(uint64_t key) const {
    uint64_t last = key & ((uint64_t(1) << countBits) - 1);
    if (last + 1 == static_cast<uint64_t>(maxTasks()))
      return none;
    return key - last + ((last + 1) << countBits);
  }
  /// The key of the first task of a bundle alone.
  uint64_t firstTask(uint64_t key) const {
    return key & ~((uint64_t(1) << countBits) - 1);
  }
  TaskBundle unpack(uint64_t key) const {
    uint64_t tasks = key & ((uint64_t(1) << blockShift) - 1);
    return {static_cast<int>(key >> blockShift),
            static_cast<int>(tasks >> countBits),
            static_cast<int>(tasks & ((uint64_t(1) << countBits) - 1)) + 1};
  }

private:
  /// Of the number of a task in its block.
  static constexpr int numberBits = 31;
  static constexpr int maxCountBits = 16;
  int blockShift, countBits;
};

} // namespace soap

#endif // SOAP_SIMULATOR_TASKBUNDLE_H
