//===- CalibrationProfileTest.cpp - From measurements to files ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The measurements that must exist before files are written, and the files.
//
//===----------------------------------------------------------------------===//

#include "../../tools/soap-run/CalibrationProfile.h"

#include "gtest/gtest.h"

#include <filesystem>

using namespace soap;
using namespace soap::run;

static void addTimed(CalibrationProfile &result, CalibrationCase c,
                     int64_t ns) {
  c.ns = ns;
  result.add(c);
}

static std::string freshName(const char *suffix) {
  std::string name = testing::TempDir() + "soap-calibration-" + suffix;
  std::filesystem::remove(name + ".topology.json");
  std::filesystem::remove(name + ".profile.json");
  return name;
}

/// No number is made up: there are no files before all is known.
TEST(CalibrationProfile, WaitsForWhatATopologyNeeds) {
  std::string name = freshName("two");
  CalibrationProfile result;
  result.topology = *builtinTopology("cpu-2");
  result.profile.device = result.topology.deviceTypes[0].name;
  auto isWritten = [&] {
    EXPECT_FALSE(result.write(name));
    return std::filesystem::exists(name + ".topology.json") ||
           std::filesystem::exists(name + ".profile.json");
  };
  EXPECT_FALSE(isWritten());
  addTimed(result, matmulCase("forward", 8, 16, 32), 1000);
  EXPECT_FALSE(isWritten());
  result.setLinks(700, 3e9);
  EXPECT_FALSE(isWritten());
  EXPECT_EQ(result.endOf(false), CalibrationEnd::NothingKept);
  addTimed(result, elementwiseCase("add", 2, 6400), 1000);
  EXPECT_TRUE(isWritten());
  EXPECT_EQ(result.endOf(false), CalibrationEnd::Interrupted);
  EXPECT_EQ(result.endOf(true), CalibrationEnd::Complete);

  Expected<Topology> topology = loadTopology(name + ".topology.json");
  ASSERT_TRUE(topology) << topology.error();
  const DeviceType &type = topology->deviceTypes[0];
  EXPECT_EQ(type.memoryBandwidthBytesPerSecond, 3 * 4 * 6400 * 1e6);
  EXPECT_EQ(type.flopsPerSecond.at("f32"), 2 * 8 * 16 * 32 * 1e6);
  EXPECT_EQ(topology->links[0].latencyNs, 700);
  EXPECT_EQ(topology->links[0].bandwidthBytesPerSecond, 3e9);
}

/// Interrupted runs make a profile doubtful, however few of the ops they are if
/// these are long; single slow runs, and slow short ops, do not.
TEST(CalibrationProfile, SpreadOfRuns) {
  auto runs = [](int64_t ns, double slower, int count) {
    std::vector<int64_t> times(20, ns);
    for (int i = 0; i < count; ++i)
      times[size_t(3 * i) % times.size()] =
          static_cast<int64_t>(slower * static_cast<double>(ns));
    return times;
  };
  RunSpread idle, busy, shortOps;
  EXPECT_EQ(idle.value(), 0);
  for (int64_t ns : {1000, 50'000, 4'000'000}) {
    idle.add(runs(ns, 3, 4));
    busy.add(ns > 1'000'000 ? runs(ns, 2.4, 8) : runs(ns, 1, 0));
    shortOps.add(ns > 1'000'000 ? runs(ns, 1.02, 8) : runs(ns, 5, 8));
  }
  EXPECT_EQ(idle.value(), 0);
  EXPECT_NEAR(busy.value(), 1.4, 0.05);
  EXPECT_LT(shortOps.value(), 0.1);

  std::string name = freshName("spread");
  CalibrationProfile result;
  result.topology = *builtinTopology("cpu-1");
  result.profile.device = result.topology.deviceTypes[0].name;
  addTimed(result, matmulCase("forward", 8, 16, 32), 1000);
  addTimed(result, elementwiseCase("add", 2, 6400), 1000);
  result.spread = busy;
  EXPECT_FALSE(result.write(name));
  auto profile = loadProfile(name + ".profile.json");
  ASSERT_TRUE(profile) << profile.error();
  EXPECT_NEAR(profile->runSpread, busy.value(), 1e-6);
  EXPECT_EQ(doubtsOf(*profile).find("measured times of device type 'cpu' may "
                                    "be too long: slower runs took 138 %"),
            0u)
      << doubtsOf(*profile);
  result.spread = shortOps;
  EXPECT_FALSE(result.write(name));
  profile = loadProfile(name + ".profile.json");
  ASSERT_TRUE(profile) << profile.error();
  EXPECT_EQ(doubtsOf(*profile), "");
}

TEST(CalibrationProfile, OneDeviceNeedsNoLinks) {
  CalibrationProfile result;
  result.topology = *builtinTopology("cpu-1");
  addTimed(result, elementwiseCase("relu", 1, 6400), 1000);
  CalibrationCase narrow = matmulCase("forward", 8, 16, 32);
  narrow.dtype = "bf16";
  addTimed(result, narrow, 500);
  EXPECT_FALSE(result.isEnough()); // a topology says f32
  addTimed(result, matmulCase("forward", 8, 16, 32), 1000);
  EXPECT_TRUE(result.isEnough());
}
