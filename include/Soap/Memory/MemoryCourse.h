//===- MemoryCourse.h - Live bytes by kind, over time -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The live bytes of each device over time, by kind of value, as readers of a
// timeline want them: of each short interval the fullest moment. The largest
// sum of a device is its peak.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MEMORY_MEMORYCOURSE_H
#define SOAP_MEMORY_MEMORYCOURSE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace soap {

/// Is told of live bytes while tasks are visited in the order of their starts,
/// or back in time. Kinds are numbers; one more, the last, is of what is there
/// only while a task runs: messages and temporaries.
class MemoryCourse {
public:
  struct Point {
    int64_t timeNs = 0; ///< a task starts
    int64_t total = 0;
    std::vector<int64_t> bytes; ///< by kind
  };

  /// `kindOfValue`: by value, less than `kinds`.
  MemoryCourse(std::vector<uint8_t> kindOfValue, size_t kinds, size_t devices,
               int64_t makespanNs);

  uint8_t kindOf(int value) const {
    return kindOfValue[static_cast<size_t>(value)];
  }
  /// The start of the task that is visited from now on.
  void setTime(int64_t startNs) { nowNs = startNs; }
  /// Bytes that are live, or no longer are.
  void add(int device, uint8_t kind, int64_t bytes) {
    live[static_cast<size_t>(device) * kinds + kind] += bytes;
  }
  /// The task needs what is live on a device, and `more` while it runs.
  void note(int device, int64_t more);

  /// Of a device, in time. Points that say the same as the one before are left
  /// out.
  std::vector<Point> pointsOf(int device) const;

private:
  /// Each device has at most as many points.
  static constexpr int64_t intervals = 1000;

  std::vector<uint8_t> kindOfValue;
  size_t kinds;
  int64_t makespanNs, nowNs = 0;
  std::vector<int64_t> live;               ///< by device and kind
  std::vector<std::vector<Point>> fullest; ///< by device and interval
};

} // namespace soap

#endif // SOAP_MEMORY_MEMORYCOURSE_H
