//===- RouteLevelsTest.cpp - Topologies that are hierarchies --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routes assembled from what levels say, and exchanges counted by levels
// against one message after the other.
//
//===----------------------------------------------------------------------===//

#include "Soap/Topology/RouteLevels.h"
#include "Soap/Cost/ExchangeLoads.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace soap;
using soap::test::Random;

namespace {

TEST(RouteLevels, TreesAreHierarchies) {
  for (const char *name : {"k80-16x4", "k80-1x4", "h200-2x8", "a100-4x8"}) {
    RouteLevels levels(*builtinTopology(name));
    EXPECT_TRUE(levels.isHierarchy()) << name;
    EXPECT_TRUE(levels.isUniform()) << name;
  }
  EXPECT_EQ(RouteLevels(*builtinTopology("k80-16x4")).count(), 4);
  // Links of pairs; rings, on which others forward; one device; too many.
  for (const char *name : {"p100-4x4", "ring-8", "cpu-4", "cpu-1", "cpu-512"})
    EXPECT_FALSE(RouteLevels(*builtinTopology(name)).isHierarchy()) << name;
}

TEST(RouteLevels, OneSlowLinkIsNotUniform) {
  Topology topology = *builtinTopology("k80-4x4");
  topology.links[5].bandwidthBytesPerSecond /= 2;
  ASSERT_FALSE(topology.computeRoutes());
  RouteLevels levels(topology);
  EXPECT_TRUE(levels.isHierarchy());
  EXPECT_FALSE(levels.isUniform());
}

TEST(RouteLevels, RoutesAreLinksOfBothEnds) {
  for (const char *name : {"k80-16x4", "h200-2x8"}) {
    Topology topology = *builtinTopology(name);
    RouteLevels levels(topology);
    ASSERT_TRUE(levels.isHierarchy());
    for (int a = 0; a < topology.deviceCount(); ++a)
      for (int b = 0; b < topology.deviceCount(); ++b) {
        int level = levels.level(a, b);
        ASSERT_EQ(levels.latencyNs(level), topology.distance(a, b));
        std::span<const int> route = topology.route(a, b);
        std::vector<int> expected(route.begin(), route.end()), actual;
        if (a != b)
          for (std::span<const int> links :
               {levels.linksFrom(a, level), levels.linksTo(b, level)})
            actual.insert(actual.end(), links.begin(), links.end());
        std::sort(expected.begin(), expected.end());
        std::sort(actual.begin(), actual.end());
        ASSERT_EQ(actual, expected) << name << ": " << a << " to " << b;
        std::span<const int> near = levels.linksUpTo(a, level);
        for (int link : levels.linksFrom(a, level))
          ASSERT_EQ(std::count(near.begin(), near.end(), link), 1);
      }
  }
}

TEST(RouteLevels, ExchangesCostWhatTheirMessagesDo) {
  Random random(82);
  for (const char *name : {"k80-16x4", "k80-3x2", "h200-2x8"}) {
    Topology topology = *builtinTopology(name);
    RouteLevels levels(topology);
    ASSERT_TRUE(levels.isHierarchy());
    ExchangeLoads byLevels(topology, &levels);
    for (int round = 0; round < 100; ++round) {
      SCOPED_TRACE(std::string(name) + ", " + random.trace(round));
      std::vector<Message> messages;
      for (int64_t count = random(0, 40); count > 0; --count)
        messages.push_back(
            {static_cast<int>(random(0, topology.deviceCount() - 1)),
             static_cast<int>(random(0, topology.deviceCount() - 1)),
             random(0, 1 << 20)});
      for (const Message &message : messages)
        byLevels.add(message);
      CollectiveCost expected = exchangeCost(topology, messages),
                     actual = byLevels.take();
      ASSERT_EQ(actual.ns, expected.ns);
      ASSERT_EQ(actual.links, expected.links);
    }
  }
}

} // namespace
