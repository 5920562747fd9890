//===- MachinesTest.cpp - Which devices share a machine -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters whose machines are known, with and without names that say them.
//
//===----------------------------------------------------------------------===//

#include "Soap/Topology/Cluster.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace soap;

using Machines = std::vector<std::vector<int>>;

namespace {

/// Devices of one type; switches behind them.
class Made {
public:
  explicit Made(int devices) {
    DeviceType type;
    type.name = "gpu";
    type.collectives = true;
    topology.deviceTypes = {type};
    for (int d = 0; d < devices; ++d)
      topology.devices.push_back({"gpu" + std::to_string(d), 0});
  }
  int addSwitch(const std::string &name) {
    topology.switches.push_back(name);
    return topology.deviceCount() + static_cast<int>(topology.switches.size()) -
           1;
  }
  void connect(int a, int b, double bandwidth, int64_t latencyNs) {
    for (auto [from, to] : {std::pair(a, b), std::pair(b, a)})
      topology.links.push_back(
          {std::to_string(from) + "->" + std::to_string(to), from, to,
           bandwidth, latencyNs});
  }
  Topology take() {
    EXPECT_FALSE(topology.computeRoutes());
    return topology;
  }

  Topology topology;
};

} // namespace

/// Two hosts of two GPUs at a switch each, which Ethernet joins.
static Topology twoHosts(double ethernet, int64_t latencyNs,
                         const std::vector<std::string> &names) {
  Made made(4);
  int first = made.addSwitch(names[0]), second = made.addSwitch(names[1]),
      network = made.addSwitch(names[2]);
  for (int d = 0; d < 4; ++d)
    made.connect(d, d < 2 ? first : second, 24e9, 1500);
  made.connect(first, network, ethernet, latencyNs);
  made.connect(second, network, ethernet, latencyNs);
  return made.take();
}

TEST(Machines, NamesOfSwitchesDoNotMatter) {
  const Machines two = {{0, 1}, {2, 3}};
  EXPECT_EQ(twoHosts(12.5e9, 5000, {"a.pcie", "b.pcie", "net"}).machines(),
            two);
  Topology plain = twoHosts(12.5e9, 5000, {"pcie0", "pcie1", "eth"});
  EXPECT_EQ(plain.machines(), two);
  // The switch between them is in neither: all machines are alike.
  Expected<Cluster> cluster = Cluster::of(plain);
  ASSERT_TRUE(cluster) << cluster.error();
  EXPECT_EQ(cluster->getMachineCount(), 2);
  // Faster cables than those inside, of more latency.
  EXPECT_EQ(twoHosts(50e9, 5000, {"pcie0", "pcie1", "eth"}).machines(), two);
  // Two PCIe switches of one host.
  EXPECT_EQ(twoHosts(24e9, 1500, {"pcie0", "pcie1", "host"}).machines(),
            (Machines{{0, 1, 2, 3}}));
}

TEST(Machines, OfBuiltInTopologiesWithoutTheirNames) {
  for (const char *name :
       {"k80-3x8", "p100-4x4", "dgx1-2x8", "p3-2x8", "v100-2x8", "a100-2x4",
        "h100-3x8", "h200-2x2", "cpu-4", "cpu-96", "ring-8", "h100-8", "p100-4",
        "b200-2x8", "gb200-2x72", "mi300x-2x8", "trn2-2x16", "tpu-v5p-8"}) {
    Expected<Topology> topology = builtinTopology(name);
    ASSERT_TRUE(topology) << topology.error();
    Machines named = topology->machines();
    for (Device &device : topology->devices)
      device.machine.clear();
    EXPECT_EQ(topology->machines(), named) << name;
  }
}

TEST(Machines, DevicesMaySayWhichTheyAreIn) {
  // Fast links between two hosts, which are one by them.
  Topology topology = twoHosts(24e9, 1500, {"a.pcie", "b.pcie", "net"});
  EXPECT_EQ(topology.machines(), (Machines{{0, 1, 2, 3}}));
  for (int d = 0; d < 4; ++d)
    topology.devices[static_cast<size_t>(d)].machine = d % 2 ? "b" : "a";
  EXPECT_EQ(topology.machines(), (Machines{{0, 2}, {1, 3}}));
}

TEST(Machines, CardsAndRailsBetweenMachines) {
  // Four hosts of two GPUs at an NVSwitch; each GPU has a card of its own, and
  // cards of the same number share a rail.
  Made made(8);
  std::vector<int> rails = {made.addSwitch("rail0"), made.addSwitch("rail1")};
  int spine = made.addSwitch("spine");
  for (int rail : rails)
    made.connect(rail, spine, 50e9, 1000);
  for (int host = 0; host < 4; ++host) {
    int inside = made.addSwitch("nvswitch" + std::to_string(host));
    for (int g = 0; g < 2; ++g) {
      int device = 2 * host + g;
      int card = made.addSwitch("card" + std::to_string(device));
      made.connect(device, inside, 450e9, 700);
      made.connect(device, card, 50e9, 1000);
      made.connect(card, rails[static_cast<size_t>(g)], 50e9, 1000);
    }
  }
  EXPECT_EQ(made.take().machines(), (Machines{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
}

TEST(Machines, SlowerDevicesDoNotJoinFasterOnes) {
  // A host with NVLink and one with PCIe, whose links are slower than the
  // network's.
  Made made(4);
  made.topology.deviceTypes.push_back(made.topology.deviceTypes[0]);
  made.topology.deviceTypes[1].name = "card";
  made.topology.devices[2].type = made.topology.devices[3].type = 1;
  made.connect(0, 1, 300e9, 1000);
  int first = made.addSwitch("first"), second = made.addSwitch("second"),
      network = made.addSwitch("network");
  made.connect(0, first, 25e9, 1500);
  made.connect(1, first, 25e9, 1500);
  made.connect(2, second, 12e9, 1500);
  made.connect(3, second, 12e9, 1500);
  made.connect(first, network, 25e9, 3000);
  made.connect(second, network, 25e9, 3000);
  EXPECT_EQ(made.take().machines(), (Machines{{0, 1}, {2, 3}}));
}
