//===- CollectiveReport.cpp - Prices of collectives as a table ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bus bandwidths are as nccl-tests defines them (doc/PERFORMANCE.md).
//
//===----------------------------------------------------------------------===//

#include "Soap/Cost/CollectiveReport.h"

#include "Soap/Cost/CollectiveCost.h"
#include "Soap/Profile/CollectiveCurve.h"

#include <cassert>
#include <cstdio>
#include <numeric>
#include <vector>

using namespace soap;

/// An all-to-all of nccl-tests has the bytes of one device, ours of all.
static int64_t tensorBytes(CollectiveKind kind, int devices, int64_t bytes) {
  return kind == CollectiveKind::AllToAll ? bytes * devices : bytes;
}

std::string soap::describeCollectives(const Topology &topology,
                                      std::span<const int> devices,
                                      std::span<const int64_t> bytes) {
  int all = topology.deviceCount();
  std::vector<int> groups(devices.begin(), devices.end());
  if (groups.empty()) {
    for (int count = 2; count < all; count *= 2)
      groups.push_back(count);
    if (all > 1)
      groups.push_back(all);
  }
  std::vector<int64_t> sizes(bytes.begin(), bytes.end());
  for (int64_t size = 1 << 10; bytes.empty() && size <= 1 << 30; size *= 4)
    sizes.push_back(size);

  std::string text = "kind            devices        bytes       time us   "
                     "bus GB/s  by\n";
  CollectiveWorkspace workspace(topology);
  for (CollectiveKind kind :
       {CollectiveKind::AllReduce, CollectiveKind::AllGather,
        CollectiveKind::ReduceScatter, CollectiveKind::AllToAll})
    for (int count : groups) {
      assert(count >= 2 && count <= all && "devices of the topology");
      std::vector<int> group(static_cast<size_t>(count));
      std::iota(group.begin(), group.end(), 0);
      CollectiveModel model(workspace, kind, group);
      for (int64_t size : sizes) {
        assert(size > 0 && "bytes to move");
        int64_t whole = tensorBytes(kind, count, size);
        auto ns = static_cast<double>(model.ns(whole));
        char line[160];
        std::snprintf(
            line, sizeof(line), "%-14s %8d %12lld %13.3f %10.3f  %s\n",
            collectiveName(kind), count, static_cast<long long>(size),
            ns * 1e-3, static_cast<double>(whole) / ns * linkShare(kind, count),
            model.getMeasured() ? "measured" : "links");
        text += line;
      }
    }
  return text;
}
