//===- LinkCutsTest.cpp - Links that everything passes to get somewhere ---===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Soap/Topology/LinkCuts.h"

#include <gtest/gtest.h>

using namespace soap;

namespace {

using Groups = std::vector<std::vector<int>>;

Groups groupsOf(const LinkCuts &cuts) {
  Groups result;
  for (const LinkCuts::Group &group : cuts.getGroups())
    result.push_back(group.devices);
  return result;
}

TEST(LinkCuts, MachinesBehindOneLink) {
  Topology topology = *builtinTopology("p100-2x4");
  LinkCuts cuts(topology);
  EXPECT_EQ(groupsOf(cuts), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(cuts.count(), 10u);
  // The network has 100 Gb/s, with little lost to rounding.
  for (const LinkCuts::Group &group : cuts.getGroups())
    EXPECT_NEAR(static_cast<double>(cuts.shortestNs(group.cut, 12'500'000'000)),
                1e9, 1e6);
  // The bytes that a transfer takes of a cut are the bytes that pass it.
  std::vector<int64_t> bytes(cuts.count());
  std::vector<int> resources;
  for (int link : topology.route(1, 6))
    resources.push_back(link + topology.deviceCount());
  cuts.add(resources, topology.transferNs(1, 6, 1'000'000), bytes);
  EXPECT_GE(bytes[cuts.getGroups()[1].cut], 1'000'000);
  EXPECT_GE(bytes[6], 1'000'000);
  EXPECT_EQ(bytes[cuts.getGroups()[0].cut], 0);
}

TEST(LinkCuts, PairsOfASwitch) {
  EXPECT_EQ(
      groupsOf(LinkCuts(*builtinTopology("k80-2x4"))),
      (Groups{{0, 1}, {0, 1, 2, 3}, {2, 3}, {4, 5}, {4, 5, 6, 7}, {6, 7}}));
}

TEST(LinkCuts, NoGroupOfAll) {
  EXPECT_TRUE(LinkCuts(*builtinTopology("cpu-4")).getGroups().empty());
  EXPECT_TRUE(LinkCuts(*builtinTopology("p100-1x4")).getGroups().empty());
}

} // namespace
