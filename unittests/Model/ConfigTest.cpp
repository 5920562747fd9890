//===- ConfigTest.cpp - Numbering and checking of configs -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of shards, that they tile the iteration space, and every reason to
// refuse a config.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/Config.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

using namespace soap;
using soap::test::Random;

static IterationSpace makeSpace() {
  IterationSpace space;
  space.loops = {{"n", 5}, {"k", 4}, {"t", 3, IteratorType::Serial}};
  return space;
}

TEST(Config, ShardsAreRowMajorWithReplicasOutermost) {
  IterationSpace space = makeSpace();
  Config config{{2, 2, 1}, 2, {0, 1, 2, 3, 7, 6, 5, 4}};
  std::vector<Shard> shards = enumerateShards(space, config);
  ASSERT_EQ(shards.size(), 8u);
  EXPECT_EQ(shards[1].piece, (std::vector<int64_t>{0, 1, 0}));
  EXPECT_EQ(shards[1].box, (LoopBox{{0, 2}, {2, 4}, {0, 3}}));
  EXPECT_EQ(shards[6].replica, 1);
  EXPECT_EQ(shards[6].piece, (std::vector<int64_t>{1, 0, 0}));
  EXPECT_EQ(shards[6].box, (LoopBox{{2, 5}, {0, 2}, {0, 3}}));
  EXPECT_EQ(shards[6].device, 5);
}

TEST(Config, ShardsTileTheSpace) {
  Random random(5);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(random.trace(round));
    IterationSpace space;
    Config config;
    for (int l = 0, loops = random(0, 3); l < loops; ++l) {
      space.loops.push_back({"l" + std::to_string(l), random(1, 6)});
      config.degrees.push_back(random(1, 4));
    }
    config.replicas = random(1, 3);
    for (int64_t i = 0; i < config.replicas * config.piecesPerReplica(); ++i)
      config.devices.push_back(random(0, 7));
    std::map<std::vector<int64_t>, int64_t> covered;
    int64_t index = 0;
    for (const Shard &shard : enumerateShards(space, config)) {
      ASSERT_EQ(shard.index, index);
      ASSERT_EQ(shard.device, config.devices[index++]);
      if (isEmpty(shard.box))
        continue;
      std::vector<int64_t> point;
      for (const Interval &range : shard.box)
        point.push_back(range.lo);
      while (true) {
        ++covered[point];
        size_t l = point.size();
        while (l-- > 0 && ++point[l] == shard.box[l].hi)
          point[l] = shard.box[l].lo;
        if (l == static_cast<size_t>(-1))
          break;
      }
    }
    int64_t points = 1;
    for (const Loop &loop : space.loops)
      points *= loop.extent;
    ASSERT_EQ(static_cast<int64_t>(covered.size()), points);
    for (const auto &[point, times] : covered)
      ASSERT_EQ(times, config.replicas);
  }
}

TEST(Config, Single) {
  Config config = Config::single(makeSpace(), 3);
  EXPECT_EQ(config, (Config{{1, 1, 1}, 1, {3}}));
  EXPECT_EQ(checkConfig(makeSpace(), config, 4).fault, ConfigFault::None);
}

static void expectFault(const Config &config, int deviceCount,
                        ConfigFault fault, const std::string &message) {
  ConfigCheck check = checkConfig(makeSpace(), config, deviceCount);
  EXPECT_EQ(check.fault, fault) << faultName(check.fault);
  EXPECT_EQ(check.message, message);
}

TEST(Config, Faults) {
  expectFault({{1, 1}, 1, {0}}, 4, ConfigFault::UnknownLoop,
              "expected 3 degrees, one per loop, got 2");
  expectFault({{0, 1, 1}, 1, {}}, 4, ConfigFault::DegreeNotPositive,
              "degree of loop 'n' must be at least 1, got 0");
  expectFault({{1, 1, 3}, 1, {0, 1, 2}}, 4, ConfigFault::SerialLoopCut,
              "loop 't' is serial and may not be split, got degree 3");
  expectFault({{1, 1, 1}, 0, {}}, 4, ConfigFault::ReplicasNotPositive,
              "replicas must be at least 1, got 0");
  expectFault(
      {{2, 1, 1}, 2, {0, 1, 2}}, 4, ConfigFault::DeviceCount,
      "expected 4 devices, replicas times the product of the degrees, got 3");
  expectFault({{2, 1, 1}, 1, {0, 4}}, 4, ConfigFault::DeviceOutOfRange,
              "device 4 is not in the topology, which has 4 devices");
  expectFault({{2, 1, 1}, 1, {0, -1}}, -1, ConfigFault::DeviceOutOfRange,
              "device -1 is negative");
  EXPECT_EQ(checkConfig(makeSpace(), {{2, 1, 1}, 1, {0, 1000}}, -1).fault,
            ConfigFault::None);
}

TEST(Config, HugeDegreesDoNotOverflow) {
  int64_t huge = std::numeric_limits<int64_t>::max() / 2;
  EXPECT_EQ(checkConfig(makeSpace(), {{huge, huge, 1}, huge, {0}}, 4).fault,
            ConfigFault::DeviceCount);
}
