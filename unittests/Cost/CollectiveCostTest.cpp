//===- CollectiveCostTest.cpp - Time of collectives -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-computed times of switches, rings and nodes; no time falls when bytes
// grow, on any topology; order and repetition of devices do not matter.
//
//===----------------------------------------------------------------------===//

#include "Soap/Cost/CollectiveCost.h"
#include "Soap/Profile/ProfileModel.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace soap;
using soap::test::Random;

namespace {

/// Time to post a message after the first of a step.
constexpr int64_t messageNs = 200;

constexpr CollectiveKind allKinds[] = {
    CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
    CollectiveKind::AllGather, CollectiveKind::AllToAll,
    CollectiveKind::Broadcast, CollectiveKind::Reduce};

std::vector<int> firstDevices(int count) {
  std::vector<int> devices(count);
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

/// The topology without measured times.
Topology byLinks(Topology topology) {
  for (DeviceType &type : topology.deviceTypes)
    type.costs = nullptr;
  return topology;
}

/// Bandwidths of 1 byte/ns, no latency, no time to launch or to add.
Topology plain(const char *name) {
  Topology topology = *builtinTopology(name);
  for (Link &link : topology.links) {
    link.bandwidthBytesPerSecond = 1e9;
    link.latencyNs = 0;
  }
  for (DeviceType &type : topology.deviceTypes) {
    type.launchNs = 0;
    type.memoryBandwidthBytesPerSecond = 1e18;
  }
  EXPECT_FALSE(topology.computeRoutes());
  return topology;
}

int64_t nsOf(const Topology &topology, CollectiveKind kind, int count,
             int64_t bytes) {
  std::vector<int> devices = firstDevices(count);
  return collectiveCost(topology, kind, devices, bytes).ns;
}

} // namespace

TEST(CollectiveCost, Switch) {
  Topology topology = plain("h200-1x8");
  constexpr int64_t bytes = 8000000;
  EXPECT_EQ(nsOf(topology, CollectiveKind::AllReduce, 8, bytes),
            2 * bytes * 7 / 8);
  EXPECT_EQ(nsOf(topology, CollectiveKind::ReduceScatter, 8, bytes),
            bytes * 7 / 8);
  EXPECT_EQ(nsOf(topology, CollectiveKind::AllGather, 8, bytes), bytes * 7 / 8);
  EXPECT_EQ(nsOf(topology, CollectiveKind::AllToAll, 8, bytes),
            bytes * 7 / 64 + 6 * messageNs);
  // A pipeline of 16 pieces over seven hops, or pieces scattered and exchanged.
  EXPECT_EQ(nsOf(topology, CollectiveKind::Broadcast, 8, bytes),
            bytes * (16 + 6) / 16);
  EXPECT_EQ(nsOf(topology, CollectiveKind::Reduce, 2, bytes), bytes);
}

TEST(CollectiveCost, LatencyDecidesForFewBytes) {
  Topology topology = plain("h200-1x8");
  for (Link &link : topology.links)
    link.latencyNs = 500;
  ASSERT_FALSE(topology.computeRoutes());
  // One hop there and one back, over two links each, and 0.2 us for each
  // message but the first.
  EXPECT_EQ(nsOf(topology, CollectiveKind::AllReduce, 8, 0),
            3000); // in steps of 1, 2, 4
  EXPECT_EQ(nsOf(topology, CollectiveKind::AllGather, 8, 0), 2200);
  EXPECT_EQ(nsOf(topology, CollectiveKind::AllToAll, 8, 0), 2200);
  // Four messages in turn against 31.
  Topology large = byLinks(*builtinTopology("h200-8x8"));
  std::vector<int> devices = firstDevices(64);
  EXPECT_STREQ(
      CollectiveModel(large, CollectiveKind::AllGather, devices).best(0)->name,
      "hierarchical");
}

TEST(CollectiveCost, RingUsesBothDirections) {
  Topology topology = plain("ring-8");
  constexpr int64_t bytes = 8000000;
  EXPECT_EQ(nsOf(topology, CollectiveKind::AllGather, 8, bytes),
            bytes / 2 * 7 / 8 + 7 * messageNs);
  // Of all pairs, those over the same link share it: 1 + 2 + 3 hops to
  // one side, and 4 that the two sides share by the number of the receiver.
  EXPECT_GE(nsOf(topology, CollectiveKind::AllToAll, 8, bytes), bytes * 8 / 64);
}

TEST(CollectiveCost, RingFollowsFastLinks) {
  // Pairs of the cube mesh with two lanes form a ring of all eight.
  Topology topology = *builtinTopology("dgx1-1x8");
  CollectiveModel model(topology, CollectiveKind::AllReduce, firstDevices(8));
  constexpr int64_t bytes = 1 << 30;
  double expected = 2 * 7.0 / 8 * bytes / 2 / 50e9 * 1e9;
  EXPECT_NEAR(static_cast<double>(model.ns(bytes)), expected, expected * 0.02);
  EXPECT_STREQ(model.best(bytes)->name, "rings");
}

TEST(CollectiveCost, NodesAreUsedOneAfterTheOther) {
  Topology topology = byLinks(*builtinTopology("h200-2x8"));
  CollectiveModel model(topology, CollectiveKind::AllReduce, firstDevices(16));
  constexpr int64_t bytes = 1 << 30;
  ASSERT_STREQ(model.best(bytes)->name, "hierarchical");
  // Inside over 450 GB/s, across an eighth of the bytes a card of 50 GB/s.
  double expected = 2 * bytes * (7.0 / 8 / 450 + 1.0 / 2 / 8 / 50);
  EXPECT_NEAR(static_cast<double>(model.ns(bytes)), expected, expected * 0.03);
  // All links between GPUs and switches.
  EXPECT_EQ(model.best(bytes)->links.size(), 64u);
}

TEST(CollectiveCost, CopiesOfTheReceiverComeOneAfterTheOther) {
  Topology topology = plain("cpu-4");
  // Each receives three parts, though over links of their own.
  EXPECT_EQ(nsOf(topology, CollectiveKind::AllGather, 4, 4000), 3000);
  topology.deviceTypes[0].copiesOccupyReceiver = false;
  EXPECT_EQ(nsOf(topology, CollectiveKind::AllGather, 4, 4000),
            1000 + 2 * messageNs);
}

TEST(CollectiveCost, SumsTakeMemoryBandwidth) {
  Topology topology = plain("h200-1x2");
  topology.deviceTypes[0].memoryBandwidthBytesPerSecond = 1e9;
  EXPECT_EQ(nsOf(topology, CollectiveKind::AllGather, 2, 4000), 2000);
  EXPECT_EQ(nsOf(topology, CollectiveKind::ReduceScatter, 2, 4000),
            3 * 2000); // beside the copies
  topology.deviceTypes[0].copiesOccupyReceiver = true;
  EXPECT_EQ(nsOf(topology, CollectiveKind::ReduceScatter, 2, 4000),
            2000 + 3 * 2000);
}

TEST(CollectiveCost, OneDeviceHasNothingToDo) {
  Topology topology = *builtinTopology("p100-4x4");
  for (CollectiveKind kind : allKinds)
    for (const std::vector<int> &devices :
         {std::vector<int>{}, std::vector<int>{3}, std::vector<int>{3, 3}}) {
      CollectiveCost cost = collectiveCost(topology, kind, devices, 1 << 20);
      EXPECT_EQ(cost.ns, 1);
      EXPECT_TRUE(cost.links.empty());
    }
}

/// Random groups of devices of many topologies.
TEST(CollectiveCost, Laws) {
  const char *names[] = {"cpu-8",    "k80-4x4",  "p100-4x4",  "dgx1-2x8",
                         "p3-2x8",   "a100-2x8", "h100-4x8",  "h200-3x5",
                         "pcie-2x4", "ring-9",   "fat-tree-4"};
  Random random(71);
  for (const char *name : names) {
    Topology topology = *builtinTopology(name);
    CollectiveWorkspace workspace(topology);
    for (int round = 0; round < 60; ++round) {
      SCOPED_TRACE(std::string(name) + ", " + random.trace(round));
      std::vector<int> devices = firstDevices(topology.deviceCount());
      std::shuffle(devices.begin(), devices.end(), random.engine);
      devices.resize(random(2, topology.deviceCount()));
      int64_t bytes = random(0, 1) ? random(0, 1 << 12) : random(0, 1 << 28);
      int64_t more = bytes + random(0, 1 << random(1, 28));
      for (CollectiveKind kind : allKinds) {
        SCOPED_TRACE(collectiveName(kind));
        CollectiveCost cost = collectiveCost(workspace, kind, devices, bytes);
        ASSERT_GE(cost.ns, 1);
        ASSERT_LE(cost.ns, collectiveCost(workspace, kind, devices, more).ns);
        ASSERT_TRUE(std::is_sorted(cost.links.begin(), cost.links.end()));
        // Every device takes part.
        for (int device : devices)
          ASSERT_TRUE(
              std::any_of(cost.links.begin(), cost.links.end(), [&](int link) {
                return topology.links[link].from == device ||
                       topology.links[link].to == device;
              }));
        // The root stays the first; all else is a set.
        std::vector<int> other = devices;
        std::shuffle(other.begin() + 1, other.end(), random.engine);
        other.push_back(devices[random(0, devices.size() - 1)]);
        CollectiveCost same = collectiveCost(workspace, kind, other, bytes);
        ASSERT_EQ(same.ns, cost.ns);
        ASSERT_EQ(same.links, cost.links);
      }
      // No shortcut: an all-reduce gives each device its part of the sum, too.
      ASSERT_GE(
          collectiveCost(workspace, CollectiveKind::AllReduce, devices, bytes)
              .ns,
          collectiveCost(workspace, CollectiveKind::AllGather, devices, bytes)
              .ns);
    }
  }
}

/// The same topology as one machine, so that no machine
/// stands for others.
static Topology withoutMachines(Topology topology) {
  topology = byLinks(std::move(topology));
  for (Device &device : topology.devices)
    device.machine = "all";
  EXPECT_FALSE(topology.computeRoutes());
  return topology;
}

TEST(CollectiveCost, OneMachineStandsForAll) {
  // Of machines of 8: how many, and which devices of each.
  struct Case {
    const char *topology;
    int machines;
    std::vector<int> inside;
  };
  std::vector<int> all = firstDevices(8);
  for (const Case &test :
       {Case{"h100-40x8", 40, all}, Case{"h100-40x8", 37, all},
        Case{"h100-40x8", 40, {0, 1, 2, 3, 5, 6, 7}},
        Case{"dgx1-33x8", 33, all}, Case{"h100-300x1", 300, {0}},
        Case{"h100-40x8", 40, {1, 6}}}) {
    Topology topology = byLinks(*builtinTopology(test.topology));
    Topology plain = withoutMachines(topology);
    ASSERT_GT(topology.machines().size(), 1u);
    ASSERT_EQ(plain.machines().size(), 1u);
    int per =
        topology.deviceCount() / static_cast<int>(topology.machines().size());
    std::vector<int> devices;
    for (int m = 0; m < test.machines; ++m)
      for (int place : test.inside)
        devices.push_back(m * per + place);
    for (CollectiveKind kind : allKinds) {
      CollectiveModel folded(topology, kind, devices),
          expected(plain, kind, devices);
      ASSERT_EQ(folded.getAlgorithms().size(), expected.getAlgorithms().size());
      for (size_t i = 0; i < expected.getAlgorithms().size(); ++i) {
        const CollectiveAlgorithm &a = folded.getAlgorithms()[i],
                                  &b = expected.getAlgorithms()[i];
        EXPECT_STREQ(a.name, b.name);
        EXPECT_EQ(a.latencyNs, b.latencyNs) << b.name;
        EXPECT_EQ(a.nsPerByte, b.nsPerByte) << b.name;
        EXPECT_EQ(a.links, b.links) << b.name;
      }
    }
  }
}

/// NVSwitch and card as the measured machine has them.
TEST(CollectiveCost, MeasuredInsideOfAMachine) {
  Topology topology = *builtinTopology("h100-2x8");
  const Profile &profile = topology.deviceTypes[0].costs->getProfile();
  int seen = 0;
  for (const CollectiveEntries &entries : profile.collectives)
    for (auto [bytes, ns] : entries.entries) {
      EXPECT_EQ(nsOf(topology, entries.kind, entries.devices, bytes), ns)
          << collectiveName(entries.kind) << " of " << entries.devices;
      ++seen;
    }
  EXPECT_EQ(seen, 4 * 3 * 21);
  // The same devices behind slower links are not those that were measured.
  Topology slower = topology;
  for (Link &link : slower.links)
    link.bandwidthBytesPerSecond /= 2;
  ASSERT_FALSE(slower.computeRoutes());
  auto isMeasured = [](const Topology &topology, int count) {
    return CollectiveModel(topology, CollectiveKind::AllReduce,
                           firstDevices(count))
               .getMeasured() != nullptr;
  };
  EXPECT_TRUE(isMeasured(topology, 8));
  EXPECT_FALSE(isMeasured(slower, 8));
  // Neighbours in a ring of network cables are not on an NVSwitch.
  EXPECT_FALSE(isMeasured(*builtinTopology("ring-4"), 4));
  EXPECT_FALSE(isMeasured(*builtinTopology("fat-tree-4"), 4));
  EXPECT_FALSE(isMeasured(*builtinTopology("v100-2x8"), 16));
  // As fast links as an H200's.
  EXPECT_TRUE(isMeasured(*builtinTopology("h20-8"), 8));
}

TEST(CollectiveCost, BetweenMachinesTheLongerOfCardsAndSwitch) {
  Topology topology = *builtinTopology("h100-4x8");
  constexpr int64_t bytes = int64_t(1) << 29;
  double inside =
      static_cast<double>(nsOf(topology, CollectiveKind::AllGather, 8, bytes));
  // Of four machines, each card passes on an eighth of three quarters of the
  // bytes at 94 % of 50 bytes/ns; the machine itself is slower.
  double cards = static_cast<double>(bytes) / 8 * 3 / 4 / 50 / 0.94;
  double latency = 2 * 2 * 2500;
  EXPECT_NEAR(
      static_cast<double>(nsOf(topology, CollectiveKind::AllGather, 32, bytes)),
      std::max(inside, cards) + latency, 2);
  // One device a machine: the card alone.
  std::vector<int> devices = {0, 8, 16, 24};
  EXPECT_NEAR(
      static_cast<double>(
          collectiveCost(topology, CollectiveKind::AllGather, devices, bytes)
              .ns),
      static_cast<double>(bytes) * 3 / 4 / 50 / 0.94 + latency, 2);
  // Half of the bandwidth between machines: twice the time on cards.
  for (Link &link : topology.links)
    if (link.bandwidthBytesPerSecond == 50e9)
      link.bandwidthBytesPerSecond = 25e9;
  ASSERT_FALSE(topology.computeRoutes());
  EXPECT_NEAR(
      static_cast<double>(
          collectiveCost(topology, CollectiveKind::AllGather, devices, bytes)
              .ns),
      static_cast<double>(bytes) * 3 / 4 / 25 / 0.94 + latency, 2);
}

TEST(CollectiveCost, ExtremesStayFinite) {
  Topology topology = *builtinTopology("h200-2x8");
  std::vector<int> devices = firstDevices(16);
  for (CollectiveKind kind : allKinds) {
    EXPECT_LE(collectiveCost(topology, kind, devices, INT64_MAX).ns,
              int64_t(1e15));
    EXPECT_EQ(collectiveCost(topology, kind, devices, -5).ns,
              collectiveCost(topology, kind, devices, 0).ns);
  }
}
