//===- DeviceTimeSums.cpp - Where the time of devices goes ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intervals are merged, and what lists of them have in common is measured.
//
//===----------------------------------------------------------------------===//

#include "DeviceTimeSums.h"

#include <algorithm>
#include <cassert>

using namespace soap;

/// Sorted and disjoint.
static std::vector<Interval> merged(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval &a, const Interval &b) { return a.lo < b.lo; });
  std::vector<Interval> result;
  for (const Interval &interval : intervals)
    if (!result.empty() && interval.lo <= result.back().hi)
      result.back().hi = std::max(result.back().hi, interval.hi);
    else
      result.push_back(interval);
  return result;
}

static int64_t length(const std::vector<Interval> &intervals) {
  int64_t sum = 0;
  assert(std::ranges::is_sorted(intervals, {}, &Interval::lo) &&
         "must have been merged");
  for (const Interval &interval : intervals)
    sum += interval.hi - interval.lo;
  return sum;
}

/// Length of what two lists of disjoint intervals have in common.
static int64_t overlap(const std::vector<Interval> &a,
                       const std::vector<Interval> &b) {
  if (b.empty())
    return 0;
  int64_t sum = 0;
  // Lists of few devices among many transfers begin where they are.
  auto first = std::lower_bound(
      a.begin(), a.end(), b.front().lo,
      [](const Interval &one, int64_t lo) { return one.hi < lo; });
  for (size_t i = static_cast<size_t>(first - a.begin()), j = 0;
       i < a.size() && j < b.size();) {
    sum += std::max<int64_t>(0, std::min(a[i].hi, b[j].hi) -
                                    std::max(a[i].lo, b[j].lo));
    ++(a[i].hi < b[j].hi ? i : j);
  }
  return sum;
}

void DeviceTimeSums::addWork(size_t device, TaskClass taskClass,
                             int64_t startNs, int64_t endNs) {
  assert(taskClass != TaskClass::Transfer && "transfers are no work");
  (taskClass == TaskClass::Compute ? times[device].computeNs
                                   : times[device].movementNs) +=
      endNs - startNs;
  working[device].push_back({startNs, endNs});
}

std::vector<DeviceTimes> DeviceTimeSums::finish() {
  transfers = merged(std::move(transfers));
  int64_t total = length(transfers);
  for (size_t device = 0; device < times.size(); ++device) {
    times[device].communicationNs =
        length(merged(std::move(communicating[device])));
    times[device].exposedNs =
        total - overlap(transfers, merged(std::move(working[device])));
    assert(times[device].exposedNs >= 0 && times[device].exposedNs <= total &&
           "a part of the communication");
  }
  return std::move(times);
}
