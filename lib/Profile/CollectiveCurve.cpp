//===- CollectiveCurve.cpp - Measured times of a collective ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CollectiveCurve.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Profile/CollectiveCurve.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace soap;

bool soap::isMeasuredBandwidth(const Profile &profile, double bandwidth) {
  constexpr double same = 1.1;
  double expected = profile.linkBandwidthBytesPerSecond;
  return expected <= 0 ||
         (bandwidth * same >= expected && bandwidth <= expected * same);
}

double soap::linkShare(CollectiveKind kind, int devices) {
  assert(devices > 1 && "a group of devices");
  double n = devices;
  switch (kind) {
  case CollectiveKind::AllReduce:
    return 2 * (n - 1) / n;
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllGather:
    return (n - 1) / n;
  case CollectiveKind::AllToAll:
    return (n - 1) / (n * n);
  case CollectiveKind::Broadcast:
  case CollectiveKind::Reduce:
    return 1;
  case CollectiveKind::Exchange:
    break;
  }
  return 0;
}

CollectiveCurve::CollectiveCurve(const CollectiveEntries &measured) {
  assert(!measured.entries.empty() && "at least one measured time");
  for (const std::array<int64_t, 2> &entry : measured.entries)
    points.push_back(
        {static_cast<double>(entry[0]), static_cast<double>(entry[1])});
}

double CollectiveCurve::ns(double bytes) const {
  bytes = std::max(bytes, 0.0);
  if (points.size() == 1)
    return points[0][0] > 0 ? std::max(points[0][1] * bytes / points[0][0], 1.0)
                            : points[0][1];
  // The line through two neighbours.
  auto line = [&](size_t first) {
    auto [b0, t0] = points[first];
    auto [b1, t1] = points[first + 1];
    return t0 + (bytes - b0) * (t1 - t0) / (b1 - b0);
  };
  if (bytes <= points.front()[0])
    return std::max(line(0), 1.0);
  if (bytes >= points.back()[0])
    return line(points.size() - 2);
  auto above = std::upper_bound(
      points.begin(), points.end(), bytes,
      [](double value, const auto &point) { return value < point[0]; });
  auto first = static_cast<size_t>(above - points.begin()) - 1;
  auto [b0, t0] = points[first];
  auto [b1, t1] = points[first + 1];
  if (b0 <= 0)
    return line(first);
  double part = std::log(bytes / b0) / std::log(b1 / b0);
  return t0 * std::pow(t1 / t0, part);
}

std::optional<CollectiveCurve> CollectiveCurve::find(const Profile &profile,
                                                     CollectiveKind kind,
                                                     int devices,
                                                     bool onlyMeasured) {
  assert(devices > 1 && "a group of devices");
  const CollectiveEntries *fewer = nullptr, *more = nullptr;
  for (const CollectiveEntries &entries : profile.collectives) {
    if (entries.kind != kind || entries.nodes != 1)
      continue;
    if (entries.devices == devices)
      return CollectiveCurve(entries);
    if (entries.devices < devices &&
        (!fewer || entries.devices > fewer->devices))
      fewer = &entries;
    if (entries.devices > devices && (!more || entries.devices < more->devices))
      more = &entries;
  }
  if (onlyMeasured || !fewer)
    return std::nullopt;
  CollectiveCurve low(*fewer), curve;
  if (more) {
    // Between two, by the logarithm of the number, at the sizes of both.
    CollectiveCurve high(*more);
    double part = std::log(static_cast<double>(devices) / fewer->devices) /
                  std::log(static_cast<double>(more->devices) / fewer->devices);
    std::vector<double> sizes;
    for (const CollectiveCurve *one : {&low, &high})
      for (const std::array<double, 2> &point : one->points)
        sizes.push_back(point[0]);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    for (double bytes : sizes)
      curve.points.push_back({bytes, std::pow(low.ns(bytes), 1 - part) *
                                         std::pow(high.ns(bytes), part)});
    return curve;
  }
  // Beyond: links move as many bytes in the same time, and the time of few
  // bytes grows with the steps of a tree.
  double share = linkShare(kind, fewer->devices) / linkShare(kind, devices);
  double steps = std::log2(devices) / std::log2(fewer->devices) - 1;
  double added = low.points.front()[1] * steps;
  for (auto [bytes, ns] : low.points)
    curve.points.push_back({bytes * share, ns + added});
  return curve;
}
