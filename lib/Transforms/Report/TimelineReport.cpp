//===- TimelineReport.cpp - What all reports of simulations say -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TimelineReport.h.
//
//===----------------------------------------------------------------------===//

#include "TimelineReport.h"

#include "Search/Report/SearchSummary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <array>
#include <map>

using namespace mlir::soap;
using ::soap::describeBytes;

llvm::StringRef mlir::soap::simulatorName(SimulatedBy by) {
  switch (by) {
  case SimulatedBy::TaskGraph:
    return "task graph";
  case SimulatedBy::Programs:
    return "programs";
  case SimulatedBy::CompactPlan:
    return "compact plan";
  case SimulatedBy::PassTimeline:
    return "pass timeline";
  }
  return "";
}

void mlir::soap::printSimulator(llvm::json::OStream &json, SimulatedBy by) {
  json.attribute("simulator", simulatorName(by));
}

void mlir::soap::printMakespan(SimulatedBy by, int64_t makespanNs,
                               int64_t tasks, llvm::raw_ostream &stream) {
  stream << llvm::format("simulated time per iteration: %.3f ms, %lld tasks",
                         makespanNs * 1e-6, static_cast<long long>(tasks))
         << " (" << simulatorName(by) << ")\n";
}

//===----------------------------------------------------------------------===//
// Critical path
//===----------------------------------------------------------------------===//

namespace {

/// Time of one op or value on the critical path.
struct PathShare {
  std::string subject;
  ::soap::TaskClass taskClass;
  int64_t ns = 0;
};

} // namespace

double mlir::soap::shareOf(int64_t part, int64_t whole) {
  return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

const char *mlir::soap::className(::soap::TaskClass taskClass) {
  switch (taskClass) {
  case ::soap::TaskClass::Compute:
    return "compute";
  case ::soap::TaskClass::Movement:
    return "movement";
  case ::soap::TaskClass::Transfer:
    return "transfer";
  }
  return "";
}

/// Largest first, of equal ones the one that is met first.
static std::vector<PathShare>
pathByOp(llvm::ArrayRef<::soap::PathStretch> path) {
  std::map<std::pair<std::string, ::soap::TaskClass>, size_t> known;
  std::vector<PathShare> shares;
  for (const ::soap::PathStretch &stretch : path) {
    auto [it, added] =
        known.try_emplace({stretch.subject, stretch.taskClass}, shares.size());
    if (added)
      shares.push_back({stretch.subject, stretch.taskClass});
    shares[it->second].ns += stretch.endNs - stretch.startNs;
  }
  llvm::stable_sort(shares, [](const PathShare &a, const PathShare &b) {
    return a.ns > b.ns;
  });
  return shares;
}

void mlir::soap::printPath(llvm::json::OStream &json,
                           llvm::ArrayRef<::soap::PathStretch> path) {
  json.attributeArray("critical_path_by_op", [&] {
    for (const PathShare &share : pathByOp(path))
      json.object([&] {
        json.attribute("op", share.subject);
        json.attribute("class", className(share.taskClass));
        json.attribute("ns", share.ns);
      });
  });
  json.attributeArray("critical_path", [&] {
    for (const ::soap::PathStretch &stretch : path)
      json.object([&] {
        json.attribute("op", stretch.subject);
        json.attribute("class", className(stretch.taskClass));
        json.attribute("tasks", stretch.tasks);
        json.attribute("start_ns", stretch.startNs);
        json.attribute("end_ns", stretch.endNs);
        json.attribute("queued_ns", stretch.queuedNs);
      });
  });
}

void mlir::soap::printPath(llvm::ArrayRef<::soap::PathStretch> path,
                           int64_t makespanNs, llvm::raw_ostream &stream) {
  constexpr size_t maxOps = 6;
  std::vector<PathShare> shares = pathByOp(path);
  std::array<int64_t, 3> sums{};
  for (const PathShare &share : shares)
    sums[static_cast<int>(share.taskClass)] += share.ns;
  stream << llvm::format("  critical path: compute %.1f %%, tiles %.1f %%, "
                         "transfers %.1f %%; most of it:\n",
                         100 * shareOf(sums[0], makespanNs),
                         100 * shareOf(sums[1], makespanNs),
                         100 * shareOf(sums[2], makespanNs));
  for (const PathShare &share : llvm::ArrayRef(shares).take_front(maxOps))
    stream << llvm::format("    %5.1f %%  %-9s %s\n",
                           100 * shareOf(share.ns, makespanNs),
                           className(share.taskClass), share.subject.c_str());
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

void mlir::soap::printDevices(const ::soap::Topology &topology,
                              llvm::ArrayRef<int64_t> busyNs,
                              llvm::ArrayRef<int64_t> memoryBytes,
                              llvm::ArrayRef<int64_t> hostBytes,
                              int64_t makespanNs, llvm::raw_ostream &stream) {
  auto print = [&](int device) {
    int64_t capacity = topology.memoryBytes(device);
    stream << llvm::format("  %-12s busy %5.1f %%  peak memory %10s",
                           topology.devices[device].name.c_str(),
                           100 * shareOf(busyNs[device], makespanNs),
                           describeBytes(memoryBytes[device]).c_str());
    if (memoryBytes[device] > capacity)
      stream << ", " << describeBytes(memoryBytes[device] - capacity)
             << " more than it has";
    if (!hostBytes.empty() && hostBytes[device] > 0)
      stream << ", in host memory " << describeBytes(hostBytes[device]);
    stream << "\n";
  };
  int devices = topology.deviceCount();
  if (devices <= maxListedDevices) {
    for (int device = 0; device < devices; ++device)
      print(device);
    return;
  }
  // The extremes stand for all.
  int64_t busy = 0;
  llvm::SmallSetVector<int, 4> shown;
  auto extreme = [&](llvm::ArrayRef<int64_t> values) {
    auto [least, most] = std::minmax_element(values.begin(), values.end());
    shown.insert(static_cast<int>(most - values.begin()));
    shown.insert(static_cast<int>(least - values.begin()));
  };
  for (int64_t ns : busyNs)
    busy += ns;
  extreme(busyNs);
  extreme(memoryBytes);
  stream << llvm::format(
      "  %d devices, busy %.1f %% on average; those with the "
      "most and the least to do and to keep:\n",
      devices, 100 * shareOf(busy, makespanNs * devices));
  for (int device : shown)
    print(device);
}
