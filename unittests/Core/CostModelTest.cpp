//===- CostModelTest.cpp - Analytic costs ---------------------------------===//
//
// Costs are at least 1 ns and never decrease in flops or bytes.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/CostModel.h"
#include "Random.h"

#include <gtest/gtest.h>

using namespace soap;
using soap::test::Random;

TEST(CostModel, Monotone) {
  Topology topology = *builtinTopology("cpu-2");
  CostModel cost(topology);
  Random random(20);
  const char *kinds[] = {"conv2d", "matmul",   "relu",
                         "fill",   "assemble", "combine"};
  for (int round = 0; round < 5000; ++round) {
    SCOPED_TRACE(random.trace(round));
    Work work{kinds[random(0, 5)], static_cast<double>(random(0, 1 << 30)),
              random(0, 1 << 30), 1 << random(0, 3)};
    Work flops = work, bytes = work;
    flops.flops += static_cast<double>(random(0, 1 << 30));
    bytes.bytes += random(0, 1 << 30);
    int64_t ns = cost.computeNs(0, work);
    ASSERT_GE(ns, topology.typeOf(0).launchNs);
    ASSERT_GE(cost.computeNs(0, flops), ns);
    ASSERT_GE(cost.computeNs(0, bytes), ns);
    ASSERT_GE(cost.transferNs(0, 1, bytes.bytes),
              cost.transferNs(0, 1, work.bytes));
  }
}

TEST(CostModel, Roofline) {
  Topology topology = *builtinTopology("cpu-1");
  DeviceType &type = topology.deviceTypes[0];
  type.launchNs = 100;
  type.flopsPerSecond = {{"f32", 1e9}};
  type.memoryBandwidthBytesPerSecond = 1e9;
  CostModel cost(topology);
  // 700 flops at 70 % of 1 per ns; 400 bytes at 80 % of 1 per ns.
  EXPECT_EQ(cost.computeNs(0, {"matmul", 700, 1, 4}), 1100);
  EXPECT_EQ(cost.computeNs(0, {"matmul", 1, 400, 4}), 600);
  EXPECT_GT(cost.computeNs(0, {"relu", 700, 1, 4}), 1100);
  EXPECT_EQ(cost.computeNs(0, {"matmul", 700, 1, 8}),
            2100); // f64 at half the rate where not given
}

/// Packed tiles are reshaped without a kernel, with a profile or without.
TEST(CostModel, ReshapeIsAView) {
  for (const char *name : {"cpu-2", "h200-1x2"}) {
    Topology topology = *builtinTopology(name);
    CostModel cost(topology);
    Work work{"reshape", 1e6, 1 << 26, 4};
    EXPECT_EQ(cost.computeNs(0, work), 1);
  }
}

/// So is what a slice takes without gaps; with gaps it is copied.
TEST(CostModel, SlicesWithoutGapsAreViews) {
  Topology topology = *builtinTopology("cpu-2");
  CostModel cost(topology);
  Work work{"slice", 0, 1 << 26, 4};
  work.operandBytes = work.bytes / 2;
  EXPECT_EQ(cost.computeNs(0, work), 1);
  work.operandBytes += 4;
  EXPECT_GT(cost.computeNs(0, work), 1000);
}

TEST(CostModel, ExtremesStayFinite) {
  Topology topology = *builtinTopology("cpu-2");
  CostModel cost(topology);
  EXPECT_LE(cost.computeNs(0, {"matmul", 1e300, INT64_MAX, 4}), int64_t(1e15));
  EXPECT_LE(cost.transferNs(0, 1, INT64_MAX), int64_t(1e15));
  EXPECT_EQ(cost.transferNs(1, 1, 1000), 1);
}
