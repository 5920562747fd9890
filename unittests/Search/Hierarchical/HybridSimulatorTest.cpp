//===- HybridSimulatorTest.cpp - Hybrid plans simulated from a graph ------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulated plans of a perceptron beside their prices, and what recomputation
// adds to them. Graphs of real networks are compared with IR in
// Transforms/RewriteTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Search/Problems.h"

#include "Soap/Search/Hierarchical/HybridSimulator.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;

namespace {

class HybridSimulators : public ::testing::Test {
protected:
  HybridSimulators()
      : problem(layers(), *builtinTopology("h100-2x4")),
        model(std::move(*HybridModel::make(problem.problem, /*batch=*/0,
                                           facts().forwardOf))) {}

  static Mlp layers() {
    constexpr int64_t batch = 64, width = 512;
    constexpr size_t count = 12;
    Mlp mlp = makeMlp(batch, std::vector<int64_t>(count + 1, width));
    mlp.graph.outputs.clear(); // activations, which would be gathered
    return mlp;
  }

  StepFacts facts() const {
    const Graph &graph = problem.mlp.graph;
    StepFacts facts;
    facts.forwardOf.assign(graph.nodes.size(), -1);
    for (const MlpLayer &layer : problem.mlp.layers) {
      auto belongsTo = [&](int node, int forward) {
        if (node >= 0)
          facts.forwardOf[static_cast<size_t>(node)] = forward;
      };
      belongsTo(layer.reluGrad, layer.relu);
      belongsTo(layer.inputGrad, layer.matmul);
      belongsTo(layer.weightGrad, layer.matmul);
      belongsTo(layer.update, layer.matmul);
    }
    facts.isClone.assign(graph.nodes.size(), false);
    facts.hasEffects.assign(graph.nodes.size(), false);
    for (const GraphInput &input : graph.inputs)
      facts.isData.push_back(input.updateNode < 0);
    return facts;
  }

  /// The plan of a shape with its simulated figures.
  HybridPlan simulated(const HybridShape &shape, Recompute recompute) {
    EXPECT_EQ(model->check(shape), "");
    HybridPlan plan = model->price(shape, &recompute);
    EXPECT_TRUE(plan.exists());
    auto made = simulatorOf(*model, facts(), problem.topology)(
        plan, secondsLeftOf(/*limit=*/0, /*passed=*/0));
    EXPECT_TRUE(made) << (made ? "" : made.error());
    if (made)
      useSimulation(plan, std::move(*made), model->getMemoryBytes());
    return plan;
  }

  MlpProblem problem;
  std::unique_ptr<HybridModel> model;
};

TEST_F(HybridSimulators, AreNearPrices) {
  HybridShape replicas;
  replicas.data = 8;
  replicas.samples = 8;
  HybridShape stages = replicas;
  stages.groups = 2;
  stages.data = 4;
  stages.samples = 4;
  for (const HybridShape &shape : {replicas, stages}) {
    HybridPlan plan = simulated(shape, Recompute::None);
    EXPECT_EQ(plan.simulatedMicrobatches, plan.microbatches);
    EXPECT_EQ(plan.groupBytes.size(), static_cast<size_t>(shape.groups));
    // Prices hide less communication: by 8 % and 2 % here.
    EXPECT_NEAR(static_cast<double>(plan.makespanNs),
                static_cast<double>(plan.pricedNs),
                0.1 * static_cast<double>(plan.pricedNs));
  }
}

/// 64 samples on 8 replicas in 3 microbatches of 2 or 3: no longer than 72
/// samples, no shorter than 48, and nothing is rounded up.
TEST_F(HybridSimulators, HaveTheSamplesOfUnevenPlans) {
  HybridShape shape;
  shape.data = 8;
  shape.samples = 3;
  HybridPlan plan = simulated(shape, Recompute::None);
  EXPECT_TRUE(plan.isUneven);
  EXPECT_FALSE(plan.simulatedFull);
  EXPECT_EQ(plan.microbatches, 3);
  EXPECT_EQ(plan.simulatedMicrobatches, 3);
  EXPECT_LT(plan.makespanNs, plan.pricedNs);
  shape.samples = 8;
  EXPECT_GT(plan.makespanNs, simulated(shape, Recompute::None).makespanNs);
}

TEST_F(HybridSimulators, ComputeAgainWhatAPlanRecomputes) {
  HybridShape shape;
  shape.data = 8;
  shape.samples = 2;
  HybridPlan kept = simulated(shape, Recompute::None),
             again = simulated(shape, Recompute::Whole);
  EXPECT_GT(again.simulatedTasks, kept.simulatedTasks);
  EXPECT_GT(again.makespanNs, kept.makespanNs);
  // The model's graph stays as it is.
  EXPECT_EQ(model->getProblem().getGraph().restores.size(), 0u);
}

} // namespace
