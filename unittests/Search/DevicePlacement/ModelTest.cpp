//===- ModelTest.cpp - Models as placement problems -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The placement problem of a model for inference against the model: a
// split that fits has room for every weight that its devices read.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/DevicePlacement/Model.h"
#include "../Problems.h"
#include "Soap/Search/DevicePlacement/Throughput.h"

#include <gtest/gtest.h>

#include <set>

using namespace soap;
using namespace soap::placement;
using namespace soap::test;

namespace {

constexpr int64_t width = 32, weightBytes = 4 * width * width;

/// Products one after the other, each with a weight of a few, so that some are
/// read by several.
class Inference {
public:
  Inference(Random &random, int products, int weights) {
    std::vector<int> inputs;
    int at = builder.input("x", {width, width});
    for (int i = 0; i < weights; ++i)
      inputs.push_back(builder.input("w" + std::to_string(i), {width, width}));
    for (int i = 0; i < products; ++i) {
      int weight = static_cast<int>(random(0, weights - 1));
      int out = builder.value("y" + std::to_string(i), {width, width});
      builder.node(
          "product" + std::to_string(i), "matmul", Phase::Forward,
          {{"n", width}, {"k", width}, {"c", width, IteratorType::Reduction}},
          {Role::Sample, Role::Parameter, Role::Reduction},
          {{at, {0, 2}}, {inputs[weight], {2, 1}}}, out, {0, 1}, 2);
      weightOf.push_back(weight);
      at = out;
    }
    GraphOutput output;
    output.value = at;
    output.name = "y";
    builder.graph.outputs.push_back(output);
  }

  std::vector<int> weightOf; ///< per product

  ModelProblem problem(int devices, int64_t memoryBytes) {
    topology = *builtinTopology("cpu-" + std::to_string(devices));
    topology.deviceTypes[0].memoryBytes = memoryBytes;
    ParallelizationProblem model(builder.graph, topology, {}, builder.roles);
    auto made = makeModelProblem(model, std::vector<int>(weightOf.size(), -1),
                                 4, PipelineSchedule::OneForwardOneBackward);
    EXPECT_TRUE(static_cast<bool>(made)) << made.error();
    return *made;
  }

  int64_t bytesOf(const std::vector<int> &deviceOf, int device) const {
    std::set<int> held;
    for (size_t i = 0; i < deviceOf.size(); ++i)
      if (deviceOf[i] == device)
        held.insert(weightOf[i]);
    return static_cast<int64_t>(held.size()) * weightBytes;
  }

private:
  GraphBuilder builder;
  Topology topology;
};

} // namespace

TEST(PlacementModel, WeightsOfInferenceFitWhereTheyAreRead) {
  Random random(7);
  int fitting = 0, several = 0;
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(random.trace(round));
    int products = static_cast<int>(random(2, 8));
    Inference model(random, products, static_cast<int>(random(1, products)));
    int devices = static_cast<int>(random(1, 3));
    int64_t memory = random(1, 2 * products) * weightBytes / 2;
    ModelProblem made = model.problem(devices, memory);
    Answer answer = solveDp(made.problem, {}, {});
    int distinct = static_cast<int>(
        std::set<int>(model.weightOf.begin(), model.weightOf.end()).size());
    if (!answer.placement) {
      // All on one device would do.
      EXPECT_GT(distinct * weightBytes, memory * 0.95);
      continue;
    }
    ++fitting;
    std::set<int> used;
    for (int device = 0; device < devices; ++device)
      EXPECT_LE(model.bytesOf(answer.placement->deviceOf, device), memory);
    for (int device : answer.placement->deviceOf)
      used.insert(device);
    several += used.size() > 1;
  }
  EXPECT_GT(fitting, 50);
  EXPECT_GT(several, 5);
}

/// A weight that is small beside the memory is copied to whom reads it: it does
/// not keep the model on one device.
TEST(PlacementModel, SmallWeightsAreCopied) {
  Random random(8);
  Inference model(random, 8, 1);
  ModelProblem small = model.problem(2, 1000 * weightBytes);
  for (const Node &node : small.problem.nodes) {
    EXPECT_FALSE(node.colorClass);
    EXPECT_EQ(node.memoryBytes, weightBytes);
  }
  ModelProblem large = model.problem(2, 2 * weightBytes);
  double sum = 0;
  for (const Node &node : large.problem.nodes) {
    EXPECT_EQ(node.colorClass, large.problem.nodes[0].colorClass);
    sum += node.memoryBytes;
  }
  EXPECT_EQ(sum, weightBytes);
}
