//===- CalibrationProfileTest.cpp - From measurements to files ------------===//
//
// What has to be measured before files are written, and what they say then.
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
