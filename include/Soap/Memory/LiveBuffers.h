//===- LiveBuffers.h - Buffers of a plan, last task first -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The live bytes of each device while tasks of a compact plan are visited back
// in time: where a visit meets a buffer first, the buffer is used last.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MEMORY_LIVEBUFFERS_H
#define SOAP_MEMORY_LIVEBUFFERS_H

#include "Soap/Memory/MemoryCourse.h"
#include "Soap/Plan/PlanState.h"

#include <algorithm>

namespace soap {

/// Keeps a reference to a plan and memory for its buffers. Is told of tasks,
/// the one that starts last first.
class LiveBuffers {
public:
  struct Buffer {
    int64_t bytes = 0;
    int device = -1;        ///< -1: there from the start to the end
    bool isInPlace = false; ///< replaces the tile that it was computed from
    bool isLive = false;
    uint8_t kind = 0; ///< of its value, in a course
  };

  /// `course`: null, or is told of live bytes, too.
  explicit LiveBuffers(const PlanState &plan, MemoryCourse *course = nullptr);

  /// At the end of the plan: its inputs and outputs are there.
  void start();
  void visitShard(int slot, size_t shard);
  /// A task of a value's plan.
  void visitTask(int value, size_t task);

  /// By device.
  const std::vector<int64_t> &getPeaks() const { return peak; }

  // For tasks that are visited in steps.

  /// A buffer of a value's plan; a source of a restored value is a buffer of
  /// what it restores.
  Buffer &bufferOf(int value, int reference) {
    return readBuffer(first[static_cast<size_t>(value)] +
                      static_cast<size_t>(reference));
  }
  /// Makes a buffer live that is used by the task.
  void touch(Buffer &buffer);
  /// A buffer that the task writes takes no memory before.
  void leave(const Buffer &buffer) {
    if (!buffer.isInPlace)
      add(buffer.device, -buffer.bytes, buffer.kind);
  }
  void add(int device, int64_t bytes, uint8_t kind) {
    live[static_cast<size_t>(device)] += bytes;
    if (course)
      course->add(device, kind, bytes);
  }
  /// While `more` bytes are live, too.
  void notePeak(int device, int64_t more = 0) {
    if (device < 0)
      return;
    auto d = static_cast<size_t>(device);
    peak[d] = std::max(peak[d], live[d] + more);
    if (course)
      course->note(device, more);
  }

private:
  const PlanState &plan;
  MemoryCourse *course;
  /// By node: results that take the place of what they were computed from.
  std::vector<std::vector<int>> updatedResults;
  std::vector<size_t> first; ///< by value: its sources, then its actions
  std::vector<Buffer> buffers;
  /// By buffer: the one that it is, or is a view of; -1: one of its own. Empty
  /// if all are.
  std::vector<int64_t> keptAt;
  std::vector<int64_t> live, peak; ///< by device

  void listBuffers();
  void addKernelResults(int slot);
  void addViews(int slot);
  Buffer &readBuffer(size_t number);
  template <typename Visit>
  void forEachRead(int value, const PlannedAction &action, Visit visit);
  void visitAction(int value, size_t action);
  void visitCollective(int value, const PlannedCollective &collective,
                       size_t begin, size_t end);
};

} // namespace soap

#endif // SOAP_MEMORY_LIVEBUFFERS_H
