//===- PresetsTest.cpp - Strategies that need no search -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configs of each preset, and that all of them are solutions whatever the
// number of devices.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Presets/Presets.h"
#include "Search/Problems.h"
#include "Soap/Search/Presets/FewerDevices.h"
#include "Soap/Simulator/TaskGraph.h"

#include <gtest/gtest.h>

#include <limits>

using namespace soap;
using namespace soap::test;

TEST(Presets, AreSolutions) {
  for (int devices : {1, 2, 3, 4, 7, 16})
    for (int64_t batch : {1, 3, 64}) {
      MlpProblem p(makeMlp(batch, {20, 16, 4}), devices);
      for (const std::string &name : presetNames()) {
        SCOPED_TRACE(name + " on " + std::to_string(devices) + ", batch " +
                     std::to_string(batch));
        Expected<Strategy> strategy = presetStrategy(name, p.problem);
        ASSERT_TRUE(static_cast<bool>(strategy));
        MaybeError error = p.problem.verify(*strategy);
        EXPECT_FALSE(error) << error->message;
        EXPECT_GT(p.problem.evaluate(*strategy).makespanNs, 0);
      }
    }
}

TEST(Presets, UnknownName) {
  MlpProblem p(makeMlp(4, {4, 4}), 2);
  EXPECT_EQ(presetStrategy("fastest", p.problem).error(),
            "unknown preset 'fastest', expected single, data-parallel, "
            "model-parallel, spatial, expert, zero, weighted, fast-devices, "
            "context(cp=N,zigzag,tp=N,zero), fsdp, gshard(ep=N) or "
            "megatron(tp=N,sp), each also with the options devices=N and "
            "offload");
}

TEST(Presets, OfSomeDevices) {
  MlpProblem p(makeMlp(64, {20, 16, 4}), 8);
  for (int count : {1, 3, 4, 8}) {
    MlpProblem few(makeMlp(64, {20, 16, 4}), count);
    for (const std::string &name : presetNames())
      EXPECT_EQ(
          *presetStrategy(name + "(devices=" + std::to_string(count) + ")",
                          p.problem),
          *presetStrategy(name, few.problem))
          << name << " on " << count;
  }
  for (const char *wrong : {"0", "9", "x", "4,devices=4"}) {
    Expected<Strategy> made =
        presetStrategy(std::string("zero(devices=") + wrong + ")", p.problem);
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().find("expected one number of devices from 1 to 8"),
              std::string::npos)
        << made.error();
  }
}

/// Starts of a search on more devices are those on fewer devices, and others.
TEST(Presets, StartsOnMoreDevicesAreNotSlower) {
  for (int64_t width : {4, 64, 1024}) {
    int64_t before = 0;
    for (int devices : {1, 2, 4, 8, 16}) {
      MlpProblem p(makeMlp(64, {width, width, width}), devices);
      int64_t best = std::numeric_limits<int64_t>::max();
      for (const auto &[name, strategy] : presetStartsOnAnyDevices(p.problem))
        best = std::min(best, p.problem.evaluate(strategy).makespanNs);
      if (before > 0) {
        EXPECT_LE(best, before) << width << " on " << devices;
      }
      before = best;
    }
  }
}

TEST(Presets, Decisions) {
  MlpProblem p(makeMlp(8, {16, 8, 2}), 4);
  const std::vector<int> all = {0, 1, 2, 3};
  const MlpLayer &first = p.mlp.layers[0], &second = p.mlp.layers[1];

  Strategy single = *presetStrategy("single", p.problem);
  for (const Config &config : single)
    EXPECT_EQ(config.devices, std::vector<int>{0});

  Strategy data = *presetStrategy("data-parallel", p.problem);
  EXPECT_EQ(data[first.matmul], (Config{{4, 1, 1}, 1, all}));
  EXPECT_EQ(data[first.relu], (Config{{4, 1}, 1, all}));
  EXPECT_EQ(data[first.weightGrad], (Config{{4, 1, 1}, 1, all}));
  EXPECT_EQ(data[first.update], (Config{{1, 1}, 4, all}));

  // The second layer has too few outputs: whole on the device with the least
  // work.
  Strategy model = *presetStrategy("model-parallel", p.problem);
  EXPECT_EQ(model[first.matmul], (Config{{1, 4, 1}, 1, all}));
  EXPECT_EQ(model[first.update], (Config{{1, 4}, 1, all}));
  EXPECT_EQ(model[second.matmul], (Config{{1, 1, 1}, 1, {0}}));
}

/// Linear layers by outputs: "one weird trick" on a network without
/// convolutions.
TEST(Presets, ExpertOnLinearLayers) {
  MlpProblem p(makeMlp(8, {16, 8, 2}), 4);
  EXPECT_EQ(familyOf(p.problem), NetworkFamily::Feedforward);
  const std::vector<int> all = {0, 1, 2, 3};
  const MlpLayer &first = p.mlp.layers[0], &second = p.mlp.layers[1];
  Strategy expert = *presetStrategy("expert", p.problem);
  EXPECT_EQ(expert[first.matmul], (Config{{1, 4, 1}, 1, all}));
  EXPECT_EQ(expert[first.relu], (Config{{1, 4}, 1, all}));
  EXPECT_EQ(expert[first.update], (Config{{1, 4}, 1, all}));
  EXPECT_EQ(expert[second.matmul], (Config{{1, 2, 1}, 1, {0, 1}}));
}

/// Updates are split, all else is data parallelism; each gradient is summed
/// once and each weight sent to the others once, as in an all-reduce.
TEST(Presets, Zero) {
  MlpProblem p(makeMlp(8, {16, 8, 2}), 4);
  Strategy zero = *presetStrategy("zero", p.problem),
           data = *presetStrategy("data-parallel", p.problem);
  for (size_t n = 0; n < zero.size(); ++n)
    if (p.mlp.graph.nodes[n].whole.phase != Phase::Update)
      EXPECT_EQ(zero[n], data[n]);
  EXPECT_EQ(zero[p.mlp.layers[0].update],
            (Config{{4, 1}, 1, {0, 1, 2, 3}})); // 16 x 8
  EXPECT_EQ(zero[p.mlp.layers[1].update],
            (Config{{4, 1}, 1, {0, 1, 2, 3}})); // 8 x 2
  auto bytes = [&](const Strategy &strategy) {
    Plan plan = buildPlan(p.mlp.graph, strategy, p.topology);
    TaskGraph tasks = buildTaskGraph(p.mlp.graph, plan, CostModel(p.topology));
    int64_t sum = 0;
    for (const Task &task : tasks.tasks)
      sum += task.bytes;
    return sum;
  };
  EXPECT_EQ(bytes(zero), bytes(data));
}

/// Where devices outnumber samples, updates are on those that have gradients:
/// between two sets of devices there is no collective.
TEST(Presets, ZeroWithFewerSamplesThanDevices) {
  MlpProblem p(makeMlp(16, {1024, 2048, 1024}), *builtinTopology("h100-8x8"));
  Strategy zero = zeroStrategy(p.problem),
           data = dataParallelStrategy(p.problem);
  for (const MlpLayer &layer : p.mlp.layers) {
    EXPECT_EQ(data[layer.weightGrad].degrees[0], 16);
    EXPECT_EQ(zero[layer.update].devices, data[layer.weightGrad].devices);
  }
  int64_t zeroNs = p.problem.evaluate(zero).makespanNs,
          dataNs = p.problem.evaluate(data).makespanNs;
  EXPECT_LT(zeroNs, dataNs + dataNs / 2);
  // Per update, where ops have different numbers of samples: a gradient that is
  // summed by an op without samples is still where its parts are.
  Mlp mixed = makeMlp(16, {64, 64, 64});
  Kernel &gradient = mixed.graph.nodes[mixed.layers[1].weightGrad].whole;
  gradient.space.loops[0].extent = 4;
  int sum = static_cast<int>(mixed.graph.values.size());
  mixed.graph.values.push_back({"sum", {64, 64}});
  Kernel &update = mixed.graph.nodes[mixed.layers[1].update].whole;
  update.operands[1] = sum;
  GraphNode add = mixed.graph.nodes[mixed.layers[1].update];
  add.whole.name = "add";
  add.whole.phase = Phase::Backward;
  add.whole.operands = {gradient.results[0], gradient.results[0]};
  add.whole.results = {sum};
  auto at = mixed.layers[1].update;
  mixed.graph.nodes.insert(mixed.graph.nodes.begin() + at, add);
  mixed.roles.insert(mixed.roles.begin() + at, mixed.roles[at]);
  for (GraphInput &input : mixed.graph.inputs)
    input.updateNode += input.updateNode >= at;
  ParallelizationProblem problem(mixed.graph, p.topology,
                                 untiedGroups(mixed.graph), mixed.roles);
  EXPECT_FALSE(problem.check());
  Strategy strategy = zeroStrategy(problem);
  EXPECT_EQ(strategy[at + 1].devices.size(), 4U);
  EXPECT_EQ(strategy.back().devices.size(), 16U);
}

TEST(Topology, Machines) {
  using Machines = std::vector<std::vector<int>>;
  EXPECT_EQ(builtinTopology("k80-2x4")->machines(),
            (Machines{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(builtinTopology("h200-2x2")->machines(),
            (Machines{{0, 1}, {2, 3}}));
  EXPECT_EQ(builtinTopology("p100-1x4")->machines(), (Machines{{0, 1, 2, 3}}));
  EXPECT_EQ(builtinTopology("cpu-3")->machines(), (Machines{{0, 1, 2}}));
  EXPECT_EQ(builtinTopology("ring-4")->machines(), (Machines{{0, 1, 2, 3}}));
}

/// A convolution over rows: oh split, with its elementwise follower.
TEST(Presets, Spatial) {
  using enum Role;
  GraphBuilder b;
  int x = b.input("x", {2, 8, 6}), y = b.value("y", {2, 8, 6});
  int conv = b.node(
      "conv", "conv2d", Phase::Forward,
      {{"n", 2}, {"oh", 8}, {"ow", 6}, {"kh", 3, IteratorType::Reduction}},
      {Sample, Attribute, Attribute, Reduction}, {{x, {0, 1, 2}}}, y,
      {0, 1, 2});
  AccessMap &map = b.graph.nodes[conv].whole.space.operands[0].map;
  map[1] = DimMap::window({{1, 1}, {3, 1}}, -1);
  map[2] = DimMap::window({{2, 1}}, 0);
  int z = b.value("z", {2, 8, 6});
  b.node("bias", "add", Phase::Forward, {{"d0", 2}, {"d1", 8}, {"d2", 6}},
         {Sample, Attribute, Attribute}, {{y, {0, 1, 2}}}, z, {0, 1, 2});
  std::vector<OpGroup> groups = untiedGroups(b.graph);
  for (auto [devices, degrees] :
       std::vector<std::pair<int, std::vector<int64_t>>>{{4, {1, 4, 1, 1}},
                                                         {16, {1, 8, 2, 1}},
                                                         {6, {1, 6, 1, 1}},
                                                         {1, {1, 1, 1, 1}}}) {
    Topology topology = *builtinTopology("cpu-" + std::to_string(devices));
    ParallelizationProblem problem(b.graph, topology, groups, b.roles);
    Strategy strategy = spatialStrategy(problem);
    EXPECT_EQ(strategy[0].degrees, degrees);
    EXPECT_EQ(strategy[1].degrees[0],
              std::min(devices, 2)); // no window: by samples
    EXPECT_FALSE(problem.verify(strategy));
  }
}
