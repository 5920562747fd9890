//===- RouteSetsTest.cpp - What links carry of many messages --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads by sets against one message after the other.
//
//===----------------------------------------------------------------------===//

#include "Soap/Topology/RouteSets.h"
#include "Soap/Cost/ExchangeLoads.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace soap;
using soap::test::Random;

namespace {

std::vector<int> randomDevices(Random &random, int devices) {
  std::vector<int> list;
  for (int d = 0; d < devices; ++d)
    list.push_back(d);
  std::shuffle(list.begin(), list.end(), random.engine);
  list.resize(static_cast<size_t>(random(1, devices)));
  return list;
}

TEST(RouteSets, TreesAreProductsAndSharedRoutesAreNot) {
  for (const char *name : {"k80-16x4", "h200-2x8", "p100-4x4", "pcie-1x4"})
    EXPECT_TRUE(RouteSets(*builtinTopology(name)).areProducts()) << name;
  // Devices of a ring forward: a link is on routes to and from its own ends.
  EXPECT_FALSE(RouteSets(*builtinTopology("ring-8")).areProducts());
  // More pairs than are worth a table.
  EXPECT_FALSE(RouteSets(*builtinTopology("cpu-512")).areProducts());
}

TEST(RouteSets, LoadsAreThoseOfMessages) {
  Random random(81);
  for (const char *name :
       {"k80-16x4", "k80-3x2", "h200-2x8", "p100-4x4", "ring-8", "cpu-5"}) {
    Topology topology = *builtinTopology(name);
    RouteSets routes(topology);
    ExchangeLoads bySets(topology);
    for (int round = 0; round < 50; ++round) {
      SCOPED_TRACE(std::string(name) + ", " + random.trace(round));
      std::vector<Message> messages;
      for (int64_t part = random(1, 3); part > 0; --part) {
        std::vector<int> from = randomDevices(random, topology.deviceCount()),
                         to = randomDevices(random, topology.deviceCount());
        std::vector<int64_t> bytes;
        for (size_t i = 0; i < from.size(); ++i)
          bytes.push_back(random(1, 1 << 20));
        bySets.add(routes, from, bytes, to);
        for (size_t i = 0; i < from.size(); ++i)
          for (int device : to)
            messages.push_back({from[i], device, bytes[i]});
      }
      CollectiveCost expected = exchangeCost(topology, messages),
                     actual = bySets.take();
      ASSERT_EQ(actual.ns, expected.ns);
      ASSERT_EQ(actual.links, expected.links);
    }
  }
}

} // namespace
