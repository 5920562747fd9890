//===- CostModelTest.cpp - Analytic costs ---------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs are at least 1 ns and never decrease in flops or bytes.
//
//===----------------------------------------------------------------------===//

#include "Soap/Cost/CostModel.h"
#include "Soap/Plan/ActionCost.h"
#include "Soap/Profile/ProfileModel.h"
#include "Support/Random.h"

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

/// Bytes in the memory of the host take the link of the device, beside what the
/// kernel takes anyway; devices without such memory know none of it.
TEST(CostModel, HostBytesTakeTheLink) {
  Topology gpus = *builtinTopology("h100-1x2"),
           cpus = *builtinTopology("cpu-1");
  DeviceType &type = gpus.deviceTypes[0];
  type.launchNs = 100;
  type.hostBandwidthBytesPerSecond = 1e9;
  CostModel cost(gpus);
  Work work{"adam", 0, 7000, 4}, inHost = work;
  inHost.hostBytes = 4000;
  EXPECT_EQ(cost.computeNs(0, inHost), 4100);
  inHost.joins = true;
  EXPECT_EQ(cost.computeNs(0, inHost), 4000);
  type.hostBandwidthBytesPerSecond = 1e18;
  inHost.joins = false;
  EXPECT_EQ(cost.computeNs(0, inHost), cost.computeNs(0, work));
  EXPECT_EQ(CostModel(cpus).computeNs(0, inHost),
            CostModel(cpus).computeNs(0, work));
  Random random(22);
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE(random.trace(round));
    type.hostBandwidthBytesPerSecond = static_cast<double>(random(1, 1 << 30));
    inHost.hostBytes = random(0, work.bytes / 2);
    Work more = inHost;
    more.hostBytes += random(0, work.bytes / 2);
    ASSERT_GE(cost.computeNs(0, more), cost.computeNs(0, inHost));
    ASSERT_GE(cost.computeNs(0, inHost), cost.computeNs(0, work));
  }
}

/// Copies that were measured by their runs: never cheaper for more bytes, for
/// shorter runs, or where they are cold.
TEST(CostModel, CopiesByRunsAreMonotone) {
  Random random(21);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(random.trace(round));
    Profile profile;
    profile.device = "cpu";
    profile.cacheBytes = random(1 << 10, 1 << 22);
    // As fitted to times without any order.
    ProfileTable table;
    table.op = "assemble";
    table.direction = "forward";
    table.dtype = "f32";
    table.loops.assign(copySizeNames.begin(), copySizeNames.end());
    for (int64_t i = random(1, 30); i-- > 0;)
      table.entries.push_back(
          {{random(1, 1 << 20), random(1, 1 << 10), random(1, 1 << 20),
            random(1, 1 << 10), random(1, 1 << 21)},
           random(100, 1 << 20)});
    profile.curves = {fitCurve(table)};
    Topology topology = *builtinTopology("cpu-2");
    topology.deviceTypes[0].costs =
        std::make_shared<const ProfileModel>(std::move(profile));
    CostModel cost(topology);
    auto nsOf = [&](const CopyPart &part) {
      Work work = localWork(ActionKind::Assemble, part.targetBytes / 4, 4, 1);
      work.parts = {part};
      return cost.computeNs(0, work);
    };
    for (int i = 0; i < 50; ++i) {
      int64_t bytes = 64 * random(1, 1 << 14);
      CopyPart part{bytes, random(2, bytes / 4), bytes * random(2, 4),
                    bytes * random(1, 4), random.chance(20)};
      CopyPart runs = part, cold = part, longer = part;
      runs.runs += random(1, 100);
      cold.isInput = true;
      longer.bytes += 4 * random(1, 100);
      longer.sourceBytes += 400;
      longer.targetBytes += 400;
      int64_t ns = nsOf(part), pack = cost.packNs(0, part);
      for (const CopyPart &more : {runs, cold, longer}) {
        ASSERT_GE(nsOf(more), ns);
        ASSERT_GE(cost.packNs(0, more), pack);
      }
      // A contiguous part is sent as it lies.
      CopyPart contiguous = part;
      contiguous.runs = 1;
      ASSERT_EQ(cost.packNs(0, contiguous), 0);
    }
  }
}

/// Without such measurements parts do not matter, nor on other devices than the
/// measured one.
TEST(CostModel, BytesAloneByDefault) {
  Profile profile;
  profile.device = "cpu";
  profile.curves = {{"assemble",
                     "forward",
                     "f32",
                     {{CurveResource::Launch, 100, {}},
                      {CurveResource::Memory, 0.5, {0, 1}}}}};
  Topology byBytes = *builtinTopology("cpu-2"), byRuns = byBytes;
  byBytes.deviceTypes[0].costs = std::make_shared<const ProfileModel>(profile);
  profile.curves[0].terms.push_back({CurveResource::Memory, 3, {0, 0, 0, 1}});
  byRuns.deviceTypes[0].costs = std::make_shared<const ProfileModel>(profile);
  Topology other = byRuns;
  other.deviceTypes[0].name = "other";
  CopyPart part{4096, 64, 8192, 4096, true};
  Work plain = localWork(ActionKind::Assemble, 1024, 4, 1), work = plain;
  work.parts = {part};
  for (const Topology &topology :
       {*builtinTopology("cpu-2"), *builtinTopology("h100-2"), byBytes,
        other}) {
    CostModel cost(topology);
    EXPECT_FALSE(cost.knowsRuns(0));
    EXPECT_EQ(cost.computeNs(0, work), cost.computeNs(0, plain));
    EXPECT_EQ(cost.packNs(0, part), 0);
  }
  CostModel cost(byRuns);
  EXPECT_TRUE(cost.knowsRuns(0));
  EXPECT_EQ(cost.computeNs(0, work), 100 + 4096 + 3 * 64);
  EXPECT_EQ(cost.packNs(0, part), 100 + 4096 + 3 * 64);
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

/// A square matrix product in some precision.
Work product(int64_t n, ProductPrecision precision, int64_t elementBytes = 4) {
  IterationSpace space;
  space.loops = {{"m", n}, {"n", n}, {"k", n, IteratorType::Reduction}};
  space.flopsPerPoint = 2;
  space.operands.resize(2);
  for (int loop : {0, 2})
    space.operands[0].map.push_back(DimMap::loop(loop));
  for (int loop : {1, 2})
    space.operands[1].map.push_back(DimMap::loop(loop));
  auto size = static_cast<double>(n);
  Work work{"matmul", 2 * size * size * size, 3 * elementBytes * n * n,
            elementBytes};
  work.shape = shapeOf("matmul", space, space.wholeBox(), work.bytes);
  work.precision = precision;
  return work;
}

/// Large products reach most of the rate that the data sheet has for their
/// precision, and never more (NVIDIA A100, H100 and H200 data sheets, dense).
TEST(CostModel, ProductsHaveTheRateOfTheirPrecision) {
  struct Rates {
    const char *topology;
    double f32, tf32, bf16; // TFLOP/s
  };
  for (const Rates &rates :
       {Rates{"a100-1x1", 19.5, 156, 312}, Rates{"h100-1x1", 67, 494.5, 990},
        Rates{"h200-1x1", 67, 494.5, 990},
        Rates{"v100-1x1", 15.7, 15.7, 15.7}}) {
    SCOPED_TRACE(rates.topology);
    Topology topology = *builtinTopology(rates.topology);
    for (bool hasProfile : {true, false}) {
      if (!hasProfile)
        topology.deviceTypes[0].costs = nullptr;
      auto reached = [&](ProductPrecision precision) {
        Work work = product(8192, precision);
        auto ns = static_cast<double>(CostModel(topology).computeNs(0, work));
        return work.flops / ns / 1e3;
      };
      for (auto [precision, rate] :
           {std::pair(ProductPrecision::F32, rates.f32),
            std::pair(ProductPrecision::TF32, rates.tf32),
            std::pair(ProductPrecision::BF16, rates.bf16)}) {
        SCOPED_TRACE(precisionName(precision));
        EXPECT_LE(reached(precision), rate);
        EXPECT_GE(reached(precision), 0.6 * rate);
      }
    }
  }
  // 8192^3 on an H200: 423 TFLOP/s in tf32, 670 in bf16, back to back.
  Topology h200 = *builtinTopology("h200-1x1");
  for (auto [precision, measured] : {std::pair(ProductPrecision::TF32, 423.),
                                     std::pair(ProductPrecision::BF16, 670.)}) {
    Work work = product(8192, precision);
    auto ns = static_cast<double>(CostModel(h200).computeNs(0, work));
    EXPECT_NEAR(work.flops / ns / 1e3, measured, 0.15 * measured);
  }
}

/// Products of 16 bits are priced as they are lowered: bf16 at its rate, f16 in
/// tf32, and in f32 where a device has neither. Other ops compute in f32.
TEST(CostModel, ProductsOf16BitsHaveTheRateOfTheirLowering) {
  struct Rates {
    const char *topology;
    double f16, bf16; // TFLOP/s
  };
  for (const Rates &rates :
       {Rates{"a100-1x1", 156, 312}, Rates{"h100-1x1", 494.5, 990},
        Rates{"h200-1x1", 494.5, 990}, Rates{"v100-1x1", 15.7, 15.7}}) {
    SCOPED_TRACE(rates.topology);
    Topology topology = *builtinTopology(rates.topology);
    CostModel cost(topology);
    for (auto [precision, rate] :
         {std::pair(ProductPrecision::F32, rates.f16),
          std::pair(ProductPrecision::BF16, rates.bf16)}) {
      Work work = product(8192, precision, 2);
      double reached =
          work.flops / static_cast<double>(cost.computeNs(0, work)) / 1e3;
      EXPECT_LE(reached, rate);
      EXPECT_GE(reached, 0.6 * rate);
    }
    Work narrow{"relu", 1 << 26, 1 << 28, 2}, wide{"relu", 1 << 26, 1 << 29, 4};
    EXPECT_LT(cost.computeNs(0, narrow), cost.computeNs(0, wide));
    EXPECT_GE(cost.computeNs(0, narrow), cost.computeNs(0, wide) / 2);
  }
}

/// Precision is a matter of products of f32, and of f16 or bf16: other types
/// and other ops cost the same whatever it is, and no precision is dearer than
/// a wider one.
TEST(CostModel, PrecisionIsOfProductsOfF32) {
  for (const char *name : {"cpu-1", "a100-1x1", "h200-1x1", "k80-1x1"}) {
    SCOPED_TRACE(name);
    Topology topology = *builtinTopology(name);
    CostModel cost(topology);
    auto ns = [&](Work work, ProductPrecision precision) {
      work.precision = precision;
      return cost.computeNs(0, work);
    };
    using enum ProductPrecision;
    IterationSpace space;
    space.loops = {{"d0", 1 << 20}};
    Work relu{"relu", 1 << 20, 1 << 23, 4};
    relu.shape = shapeOf("relu", space, space.wholeBox(), relu.bytes);
    for (const Work &work : {relu, product(4096, F32, 8)})
      for (ProductPrecision precision : {TF32, BF16})
        EXPECT_EQ(ns(work, precision), ns(work, F32));
    for (int64_t n : {64, 512, 4096, 8192}) {
      EXPECT_GE(ns(product(n, F32), F32), ns(product(n, F32), TF32));
      EXPECT_GE(ns(product(n, F32), TF32), ns(product(n, F32), BF16));
      // f64 has half of the rate of f32, or less.
      EXPECT_GE(ns(product(n, F32, 8), F32), ns(product(n, F32), F32));
    }
  }
}

TEST(CostModel, ExtremesStayFinite) {
  Topology topology = *builtinTopology("cpu-2");
  CostModel cost(topology);
  EXPECT_LE(cost.computeNs(0, {"matmul", 1e300, INT64_MAX, 4}), int64_t(1e15));
  EXPECT_LE(cost.transferNs(0, 1, INT64_MAX), int64_t(1e15));
  EXPECT_EQ(cost.transferNs(1, 1, 1000), 1);
}
