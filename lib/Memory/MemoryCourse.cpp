//===- MemoryCourse.cpp - Live bytes by kind, over time -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MemoryCourse.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Memory/MemoryCourse.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace soap;

MemoryCourse::MemoryCourse(std::vector<uint8_t> kindOfValue, size_t kinds,
                           size_t devices, int64_t makespanNs)
    : kindOfValue(std::move(kindOfValue)), kinds(kinds),
      makespanNs(std::max<int64_t>(makespanNs, 1)), live(devices * kinds),
      fullest(devices) {}

void MemoryCourse::note(int device, int64_t more) {
  auto d = static_cast<size_t>(device);
  assert(nowNs <= makespanNs && "a task of the iteration");
  auto begin = live.begin() + static_cast<ptrdiff_t>(d * kinds);
  int64_t total =
      std::accumulate(begin, begin + static_cast<ptrdiff_t>(kinds), more);
  std::vector<Point> &points = fullest[d];
  if (points.empty())
    points.resize(static_cast<size_t>(intervals) + 1);
  // No product of nanoseconds: an iteration may take hours.
  Point &point = points[static_cast<size_t>(static_cast<double>(nowNs) /
                                            static_cast<double>(makespanNs) *
                                            static_cast<double>(intervals))];
  if (!point.bytes.empty() && total <= point.total)
    return;
  point.timeNs = nowNs;
  point.total = total;
  point.bytes.assign(begin, begin + static_cast<ptrdiff_t>(kinds));
  point.bytes.push_back(more);
}

std::vector<MemoryCourse::Point> MemoryCourse::pointsOf(int device) const {
  std::vector<Point> points;
  for (const Point &point : fullest[static_cast<size_t>(device)])
    if (!point.bytes.empty() &&
        (points.empty() || points.back().bytes != point.bytes))
      points.push_back(point);
  return points;
}
