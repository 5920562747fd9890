//===- HybridModelTest.cpp - Prices of hybrid plans -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes, memory, the search against pricing everything, and strategies.
//
//===----------------------------------------------------------------------===//

#include "Search/Problems.h"

#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace soap;
using namespace soap::test;

namespace {

Mlp layersOf(int count, int64_t batch, int64_t width) {
  Mlp mlp = makeMlp(
      batch, std::vector<int64_t>(static_cast<size_t>(count) + 1, width));
  mlp.graph.outputs.clear(); // activations, which would be gathered
  return mlp;
}

HybridShape shapeOf(int groups, int data, int tensor, int64_t samples) {
  HybridShape shape;
  shape.groups = groups;
  shape.data = data;
  shape.tensor = tensor;
  shape.samples = samples;
  return shape;
}

TEST(HybridModel, SaysWhyAShapeIsNone) {
  MlpProblem problem(layersOf(8, 64, 256), *builtinTopology("h100-2x4"));
  auto model = HybridModel::make(problem.problem);
  ASSERT_TRUE(model) << model.error();
  auto expect = [&](HybridShape shape, const std::string &part) {
    std::string message = (*model)->check(shape);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  EXPECT_EQ((*model)->check(shapeOf(2, 2, 2, 8)), "");
  expect(shapeOf(2, 2, 4, 8), "are not the topology's 8 devices");
  expect(shapeOf(1, 1, 8, 8), "does not divide the devices of a machine, 4");
  EXPECT_EQ((*model)->check(shapeOf(2, 2, 2, 3)), "");
  expect(shapeOf(2, 2, 2, 9),
         "samples 9: the batch of 64 is 4 microbatches of at most 8 samples on "
         "2 replicas, expected samples 8");
  expect(shapeOf(0, 2, 2, 3), "at least one stage");
  HybridShape zero = shapeOf(8, 1, 1, 8);
  zero.zero = 1;
  expect(zero, "ZeRO without replicas");
  zero = shapeOf(2, 4, 1, 8);
  zero.zero = 2;
  expect(zero, "would reduce gradients");
  HybridShape chunks = shapeOf(1, 8, 1, 8);
  chunks.chunks = 2;
  expect(chunks, "chunks without pipeline stages");
  chunks = shapeOf(2, 4, 1, 16);
  chunks.chunks = 2;
  expect(chunks, "2 microbatches of at most 8 samples");
  MlpProblem few(layersOf(8, 3, 256), *builtinTopology("h100-2x4"));
  model = HybridModel::make(few.problem);
  ASSERT_TRUE(model) << model.error();
  expect(shapeOf(1, 8, 1, 1), "8 replicas for a batch of 3 samples");
  chunks = shapeOf(4, 1, 2, 1);
  chunks.chunks = 2;
  expect(chunks, "3 samples cannot be interleaved over 4 groups");
}

/// The samples of each replica in each microbatch, as plans cut them.
std::vector<int64_t> samplesOf(const HybridPlan &plan, int64_t batch) {
  int64_t pieces = plan.microbatches * plan.shape.data;
  std::vector<int64_t> samples;
  for (int64_t i = 0; i < pieces; ++i)
    samples.push_back((i + 1) * batch / pieces - i * batch / pieces);
  return samples;
}

TEST(HybridModel, MicrobatchesAndReplicasMayBeUneven) {
  for (int64_t batch : {2048, 2304, 2520, 70, 71}) {
    MlpProblem problem(layersOf(8, batch, 256), *builtinTopology("h100-2x4"));
    auto model = HybridModel::make(problem.problem);
    ASSERT_TRUE(model) << model.error();
    int shapes = 0, uneven = 0;
    for (int groups : {1, 2})
      for (int64_t samples = 1; samples <= batch; ++samples) {
        HybridShape shape = shapeOf(groups, 8 / groups, 1, samples);
        if (!(*model)->check(shape).empty())
          continue;
        HybridPlan plan = (*model)->price(shape);
        std::vector<int64_t> found = samplesOf(plan, batch);
        EXPECT_EQ(*std::max_element(found.begin(), found.end()), samples);
        bool isEven = *std::min_element(found.begin(), found.end()) == samples;
        EXPECT_EQ(plan.isUneven, !isEven);
        EXPECT_EQ(describe(plan).find("at most") != std::string::npos, !isEven);
        ++shapes;
        uneven += !isEven;
      }
    EXPECT_GT(shapes, 4) << batch;
    EXPECT_GT(uneven, 2) << batch;
  }
}

/// 35 devices have all plans of 7.
TEST(HybridModel, MoreDevicesAreNotSlower) {
  for (int64_t batch : {16, 64, 105}) {
    int64_t before = 0;
    for (const char *name : {"h100-1x7", "h100-5x7"}) {
      MlpProblem problem(layersOf(8, batch, 64), *builtinTopology(name));
      auto model = HybridModel::make(problem.problem);
      ASSERT_TRUE(model) << model.error();
      HierarchicalResult found = searchHybrid(**model, problem.problem);
      ASSERT_TRUE(found.best.exists());
      EXPECT_TRUE(found.complete);
      if (before > 0) {
        EXPECT_LE(found.best.makespanNs, before) << batch;
      }
      before = found.best.makespanNs;
    }
  }
}

TEST(HybridModel, CountsLayersThatRepeat) {
  MlpProblem equal(layersOf(8, 64, 256), *builtinTopology("h100-2x4"));
  EXPECT_GE((*HybridModel::make(equal.problem))->getRepeatedLayerCount(), 6);
  Mlp mlp = makeMlp(64, {64, 128, 256, 512, 384, 192, 96, 48});
  mlp.graph.outputs.clear();
  MlpProblem different(std::move(mlp), *builtinTopology("h100-2x4"));
  EXPECT_EQ((*HybridModel::make(different.problem))->getRepeatedLayerCount(),
            0);
}

TEST(HybridModel, RefusesStepsWithoutKnownGradients) {
  MlpProblem problem(layersOf(8, 64, 256), *builtinTopology("h100-2x4"));
  Mlp imported = problem.mlp;
  for (GraphNode &node : imported.graph.nodes)
    node.whole.phase = Phase::Forward;
  MlpProblem other(std::move(imported), *builtinTopology("h100-2x4"));
  auto model = HybridModel::make(other.problem);
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().find("no op is known as a gradient"),
            std::string::npos);
}

TEST(HybridModel, FindsWhatPricingEverythingFinds) {
  for (int64_t megabytes : {1024, 24, 12, 6, 1}) {
    Topology topology = *builtinTopology("h100-2x4");
    topology.deviceTypes[0].memoryBytes = megabytes << 20;
    MlpProblem problem(layersOf(12, 64, 512), topology);
    auto model = HybridModel::make(problem.problem);
    ASSERT_TRUE(model) << model.error();
    HierarchicalOptions all;
    all.exhaustive = true;
    HierarchicalResult found = searchHybrid(**model, problem.problem),
                       reference = searchHybrid(**model, problem.problem, all);
    EXPECT_TRUE(found.complete);
    EXPECT_EQ(reference.priced, reference.shapes);
    EXPECT_LE(found.priced, reference.priced);
    EXPECT_EQ(found.best.makespanNs, reference.best.makespanNs) << megabytes;
    EXPECT_EQ(found.best.excessBytes, reference.best.excessBytes) << megabytes;
    EXPECT_EQ(found.best.excessBytes > 0, megabytes == 1);
    EXPECT_GE(found.best.makespanNs, (*model)->boundNs(found.best.shape));
  }
}

TEST(HybridModel, RecomputationCostsTimeAndSavesMemory) {
  MlpProblem problem(layersOf(32, 64, 512), *builtinTopology("h100-2x4"));
  auto model = HybridModel::make(problem.problem);
  ASSERT_TRUE(model) << model.error();
  HybridShape shape = shapeOf(2, 4, 1, 4);
  Recompute none = Recompute::None, selective = Recompute::Selective,
            whole = Recompute::Whole;
  HybridPlan kept = (*model)->price(shape, &none),
             some = (*model)->price(shape, &selective),
             again = (*model)->price(shape, &whole);
  EXPECT_GT(again.makespanNs, some.makespanNs);
  EXPECT_GE(some.makespanNs, kept.makespanNs);
  EXPECT_LT(again.stages[0].activationBytes, kept.stages[0].activationBytes);
}

TEST(HybridModel, PlacesEveryOpOnItsStage) {
  MlpProblem problem(layersOf(8, 64, 256), *builtinTopology("h100-2x4"));
  auto model = HybridModel::make(problem.problem);
  ASSERT_TRUE(model) << model.error();
  const Graph &graph = problem.problem.getGraph();
  std::vector<int> forwardOf(graph.nodes.size(), -1);
  for (const MlpLayer &layer : problem.mlp.layers)
    for (int node : {layer.inputGrad, layer.weightGrad, layer.update})
      if (node >= 0)
        forwardOf[node] = layer.matmul;
  for (int zero : {0, 1})
    for (int chunks : {1, 2}) {
      HybridShape shape = shapeOf(2, 2, 2, 8);
      shape.zero = zero;
      shape.chunks = chunks;
      ASSERT_EQ((*model)->check(shape), "");
      HybridPlan plan = (*model)->price(shape);
      auto made = (*model)->place(plan, forwardOf);
      ASSERT_TRUE(made) << made.error();
      ASSERT_EQ(made->firsts.size(), static_cast<size_t>(2 * chunks));
      EXPECT_EQ(made->firsts[0], 0);
      for (size_t n = 0; n < graph.nodes.size(); ++n) {
        const Config &config = made->strategy[n];
        ConfigCheck check =
            checkConfig(graph.nodes[n].whole.space, config, /*deviceCount=*/8);
        EXPECT_EQ(check.fault, ConfigFault::None) << check.message;
        // All devices of one group.
        ASSERT_EQ(config.devices.size(), 4u);
        std::vector<int> devices = config.devices;
        std::sort(devices.begin(), devices.end());
        EXPECT_EQ(devices, made->devices[devices[0] / 4]);
      }
    }
  HybridShape gathered = shapeOf(1, 4, 2, 8);
  gathered.zero = 3;
  ASSERT_EQ((*model)->check(gathered), "");
  auto sharded = (*model)->place((*model)->price(gathered), forwardOf);
  ASSERT_TRUE(sharded) << sharded.error();
  // All weights but that of the first layer, which no backward pass reads.
  EXPECT_EQ(sharded->keeps.size(), problem.mlp.layers.size() - 1);
  gathered.zero = 2;
  EXPECT_FALSE((*model)->place((*model)->price(gathered), forwardOf));
  auto longer = HybridModel::make(problem.problem, 128);
  ASSERT_TRUE(longer);
  auto none =
      (*longer)->place((*longer)->price(shapeOf(2, 2, 2, 8)), forwardOf);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error(),
            "an iteration of 128 samples, expected the 64 of the step");
}

} // namespace
