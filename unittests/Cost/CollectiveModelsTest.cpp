//===- CollectiveModelsTest.cpp - Collectives by patterns of routes -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models found by patterns against models built for each list of devices.
//
//===----------------------------------------------------------------------===//

#include "Soap/Cost/CollectiveModels.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

using namespace soap;
using soap::test::Random;

namespace {

TEST(CollectiveModels, PricesAreThoseOfEachList) {
  Random random(82);
  for (const char *name : {"k80-16x4", "dgx1-2x8", "h200-2x8", "p100-4x4",
                           "ring-8", "fat-tree-4", "cpu-6"}) {
    Topology topology = *builtinTopology(name);
    TransferTable transfers(topology);
    RouteLevels levels(topology);
    CollectiveModels models(topology, transfers, levels);
    CollectiveWorkspace workspace(topology);
    for (int round = 0; round < 400; ++round) {
      SCOPED_TRACE(std::string(name) + ", " + random.trace(round));
      auto kind = static_cast<CollectiveKind>(random(0, 5));
      // Mostly small groups: they are the ones that have patterns.
      int64_t most = random.chance(80) ? std::min(4, topology.deviceCount())
                                       : topology.deviceCount();
      std::vector<int> devices;
      for (int64_t count = random(1, most); count > 0; --count)
        devices.push_back(
            static_cast<int>(random(0, topology.deviceCount() - 1)));
      int64_t bytes = int64_t(1) << random(0, 30);
      CollectiveCost expected = collectiveCost(workspace, kind, devices, bytes);
      CollectiveModels::Price actual = models.price(kind, devices, bytes);
      ASSERT_EQ(actual.ns, expected.ns);
      for (int &link : expected.links)
        link += topology.deviceCount();
      ASSERT_TRUE(std::ranges::equal(
          transfers.resourceLists()[actual.resources], expected.links));
    }
  }
}

} // namespace
