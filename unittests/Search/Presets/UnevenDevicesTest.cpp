//===- UnevenDevicesTest.cpp - Data parallelism on unequal devices --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes of devices, the lists made of them, and that searches on random
// unequal clusters find nothing worse than these presets.
//
//===----------------------------------------------------------------------===//

#include "Search/Presets/UnevenDevices.h"
#include "Search/Problems.h"
#include "Soap/Search/MCMC/MCMC.h"
#include "Soap/Search/Presets/Presets.h"

#include <gtest/gtest.h>
#include <random>

using namespace soap;
using namespace soap::test;

namespace {

/// CPU devices whose kernels take no fixed time; device d computes as fast as
/// `speeds[d]` times the usual one.
Topology makeTopology(const std::vector<double> &speeds) {
  Topology topology = *builtinTopology("cpu-" + std::to_string(speeds.size()));
  const DeviceType usual = topology.deviceTypes[0];
  topology.deviceTypes.clear();
  for (size_t d = 0; d < speeds.size(); ++d) {
    size_t type = 0;
    while (type < d && speeds[type] != speeds[d])
      ++type;
    if (type < d) {
      topology.devices[d].type = topology.devices[type].type;
      continue;
    }
    topology.devices[d].type = static_cast<int>(topology.deviceTypes.size());
    topology.deviceTypes.push_back(usual);
    DeviceType &made = topology.deviceTypes.back();
    made.name += std::to_string(d);
    made.memoryBandwidthBytesPerSecond *= speeds[d];
    for (auto &[type, flops] : made.flopsPerSecond)
      flops *= speeds[d];
  }
  return topology;
}

/// All links of a device are `factor` times slower.
void slowLinks(Topology &topology, int device, double factor) {
  for (Link &link : topology.links)
    if (link.from == device || link.to == device)
      link.bandwidthBytesPerSecond /= factor;
  ASSERT_FALSE(topology.computeRoutes());
}

using Lists = std::vector<std::vector<int>>;

} // namespace

TEST(UnevenDevices, Classes) {
  EXPECT_EQ(deviceClasses(makeTopology({1, 1, 1})), (Lists{{0, 1, 2}}));
  EXPECT_EQ(deviceClasses(makeTopology({3, 1, 1, 3})), (Lists{{0, 3}, {1, 2}}));
  Topology straggler = makeTopology({1, 1, 1, 1});
  slowLinks(straggler, 2, 20);
  EXPECT_EQ(deviceClasses(straggler), (Lists{{0, 1, 3}, {2}}));
  EXPECT_EQ(deviceClasses(*builtinTopology("p100-4x4")).size(), 1u);
}

TEST(UnevenDevices, EqualDevicesHaveNoLists) {
  MlpProblem p(makeMlp(64, {20, 16, 4}), 4);
  EXPECT_TRUE(unevenDeviceLists(p.problem, 8).empty());
  Strategy equal = dataParallelStrategy(p.problem);
  EXPECT_EQ(weightedDataParallelStrategy(p.problem), equal);
  EXPECT_EQ(fastDevicesStrategy(p.problem), equal);
}

TEST(UnevenDevices, PiecesInProportionToSpeed) {
  MlpProblem p(makeMlp(4000, {512, 512, 512}), makeTopology({3, 1, 1}));
  Lists lists = unevenDeviceLists(p.problem, 8);
  ASSERT_FALSE(lists.empty());
  EXPECT_EQ(lists[0], (std::vector<int>{0, 0, 0, 1, 2}));
  // Equal pieces on all, and on each class alone.
  EXPECT_NE(std::find(lists.begin(), lists.end(), std::vector<int>{0, 1, 2}),
            lists.end());
  EXPECT_NE(std::find(lists.begin(), lists.end(), std::vector<int>{0}),
            lists.end());
}

TEST(UnevenDevices, FewSamples) {
  MlpProblem p(makeMlp(2, {8, 4}), makeTopology({3, 1, 1}));
  Strategy strategy = dataParallelOn(p.problem, {0, 0, 0, 1, 2});
  const Config &config = strategy[p.mlp.layers[0].matmul];
  EXPECT_EQ(config.degrees[0], 2);
  EXPECT_EQ(config.devices, (std::vector<int>{0, 1}));
  EXPECT_FALSE(p.problem.verify(strategy));
}

/// Found strategies are at least as good as both presets, and those as data
/// parallelism where a list of all devices is among the choices.
TEST(UnevenDevices, SearchesAreNotWorse) {
  constexpr unsigned firstSeed = 35800;
  for (unsigned seed = firstSeed; seed < firstSeed + 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::vector<double> speeds;
    for (unsigned d = 0, count = 2 + random() % 4; d < count; ++d)
      speeds.push_back(1 + random() % 4);
    Topology topology = makeTopology(speeds);
    if (random() % 2)
      slowLinks(topology, static_cast<int>(random() % speeds.size()), 20);
    auto width = [&] { return int64_t(32) << (random() % 5); };
    MlpProblem p(makeMlp(200 + random() % 400, {width(), width(), width()}),
                 std::move(topology));
    int64_t weighted =
        p.problem.evaluate(weightedDataParallelStrategy(p.problem)).makespanNs;
    int64_t fast =
        p.problem.evaluate(fastDevicesStrategy(p.problem)).makespanNs;
    EXPECT_LE(weighted, fast);
    McmcOptions options;
    options.seed = seed;
    options.proposals = 60;
    McmcResult found = searchMcmc(p.problem, options);
    EXPECT_LE(found.bestEvaluation.makespanNs, weighted);
    EXPECT_FALSE(p.problem.verify(found.best));
  }
}
