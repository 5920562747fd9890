//===- Frontier.cpp - Points of memory and time ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Frontier.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Frontier/Frontier.h"

#include <algorithm>
#include <cassert>

using namespace soap;

bool soap::isFrontier(std::span<const FrontierPoint> points) {
  for (size_t i = 1; i < points.size(); ++i)
    if (points[i].memoryBytes <= points[i - 1].memoryBytes ||
        points[i].timeNs >= points[i - 1].timeNs)
      return false;
  return true;
}

Frontier soap::reduceToFrontier(std::vector<FrontierPoint> points) {
  std::stable_sort(points.begin(), points.end(),
                   [](const FrontierPoint &a, const FrontierPoint &b) {
                     return a.memoryBytes != b.memoryBytes
                                ? a.memoryBytes < b.memoryBytes
                                : a.timeNs < b.timeNs;
                   });
  Frontier result;
  for (const FrontierPoint &point : points)
    if (result.empty() || point.timeNs < result.back().timeNs)
      result.push_back(point);
  assert(isFrontier(result) && "memory rises, time falls");
  return result;
}

bool soap::trimFrontier(Frontier &frontier, double tolerance) {
  assert(isFrontier(frontier) && "memory rises, time falls");
  assert(tolerance >= 0 && "a negative tolerance");
  size_t kept = 0;
  for (size_t i = 0; i < frontier.size(); ++i)
    if (kept == 0 || static_cast<double>(frontier[i].timeNs) * (1 + tolerance) <
                         static_cast<double>(frontier[kept - 1].timeNs))
      frontier[kept++] = frontier[i];
  bool dropped = kept < frontier.size();
  frontier.resize(kept);
  return dropped;
}

/// Points that `trimFrontier` would leave.
static size_t countKept(const Frontier &frontier, double tolerance) {
  size_t kept = 0;
  double last = 0;
  for (const FrontierPoint &point : frontier)
    if (auto time = static_cast<double>(point.timeNs);
        kept == 0 || time * (1 + tolerance) < last) {
      last = time;
      ++kept;
    }
  return kept;
}

double soap::toleranceFor(const Frontier &frontier, size_t count) {
  if (frontier.size() <= count)
    return 0;
  double tolerance = 1e-9;
  while (tolerance < 1e30 && countKept(frontier, tolerance) > count)
    tolerance *= 2;
  return tolerance;
}

const FrontierPoint *
soap::fastestWithin(std::span<const FrontierPoint> frontier,
                    int64_t limitBytes) {
  auto it = std::partition_point(frontier.begin(), frontier.end(),
                                 [&](const FrontierPoint &point) {
                                   return point.memoryBytes <= limitBytes;
                                 });
  return it == frontier.begin() ? nullptr : &*(it - 1);
}
