//===- PipelineTest.cpp ---------------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines against closed forms, and pipelines of placements.
//
//===----------------------------------------------------------------------===//

#include "Soap/Pipeline/OneForwardOneBackward.h"

#include "Support/Graphs.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace soap;
using namespace soap::test;

namespace {

constexpr PipelineSchedule gpipe = PipelineSchedule::GPipe,
                           alternating =
                               PipelineSchedule::OneForwardOneBackward;

Pipeline equalStages(int stages, int64_t microbatches) {
  Pipeline pipeline;
  pipeline.microbatches = microbatches;
  for (int s = 0; s < stages; ++s) {
    PipelineStage &stage = pipeline.stages.emplace_back();
    stage.device = s;
    stage.forwardNs = 1000000;
    stage.backwardNs = 2000000;
    stage.weightBytes = 100;
    stage.activationBytes = 10;
  }
  return pipeline;
}

/// Values from stage to stage, and gradients back.
void connect(Pipeline &pipeline, int64_t bytes = 1) {
  for (int s = 0; s + 1 < static_cast<int>(pipeline.stages.size()); ++s) {
    pipeline.transfers.push_back({s, s + 1, false, bytes});
    pipeline.transfers.push_back({s + 1, s, true, bytes});
  }
}

/// Stages do their passes in the order in which devices run them.
TEST(Pipeline, OrderOfPrograms) {
  Topology topology = *builtinTopology("h100-1x8");
  for (int stages : {1, 2, 4})
    for (int64_t microbatches : {1, 3, 8})
      for (PipelineSchedule schedule : {gpipe, alternating}) {
        Pipeline pipeline = equalStages(stages, microbatches);
        connect(pipeline);
        PipelineResult result = simulatePipeline(pipeline, schedule, topology);
        std::vector<std::vector<int>> devices;
        for (int s = 0; s < stages; ++s)
          devices.push_back({s});
        auto order = schedulePasses(schedule, devices, microbatches,
                                    topology.deviceCount(), result.inFlight);
        ASSERT_TRUE(order) << order.error();
        std::vector<const Task *> tasks;
        for (const Task &task : result.tasks.tasks)
          if (task.kind == "forward" || task.kind == "backward")
            tasks.push_back(&task);
        std::sort(tasks.begin(), tasks.end(),
                  [](auto a, auto b) { return a->startNs < b->startNs; });
        std::vector<std::vector<std::string>> found(stages), expected(stages);
        for (const Task *task : tasks)
          found[task->device].push_back(task->name);
        for (int s = 0; s < stages; ++s)
          for (const PipelinePass &pass : (*order)[s])
            expected[s].push_back("stage" + std::to_string(s) +
                                  (pass.backward ? ".backward[" : ".forward[") +
                                  std::to_string(pass.microbatch) + "]");
        EXPECT_EQ(found, expected) << scheduleName(schedule);
      }
}

/// p equal stages take (m + p - 1) (F + B), of which p - 1 are the bubble, if
/// values arrive at once; with latency, a little more.
TEST(Pipeline, EqualStages) {
  Topology topology = *builtinTopology("h100-1x8");
  int64_t latency = topology.transferNs(0, 1, 1);
  for (int stages : {1, 2, 4, 8})
    for (int64_t microbatches : {1, 3, 16})
      for (PipelineSchedule schedule : {gpipe, alternating}) {
        Pipeline pipeline = equalStages(stages, microbatches);
        connect(pipeline);
        PipelineResult result = simulatePipeline(pipeline, schedule, topology);
        int64_t ideal = (microbatches + stages - 1) * 3000000;
        EXPECT_GE(result.tasks.makespanNs, ideal);
        EXPECT_LE(result.tasks.makespanNs, ideal + 2 * stages * latency);
        EXPECT_EQ(result.loadNs, 3000000);
        EXPECT_EQ(result.steadyNs, 3000000);
        EXPECT_NEAR(result.bubble,
                    (stages - 1.0) /
                        static_cast<double>(microbatches + stages - 1),
                    0.01);
        for (int s = 0; s < stages; ++s) {
          // One more for each latency on the way that has to be hidden.
          int64_t least = schedule == gpipe
                              ? microbatches
                              : std::min<int64_t>(microbatches, stages - s);
          EXPECT_GE(result.inFlight[s], least);
          EXPECT_LE(result.inFlight[s],
                    std::min<int64_t>(microbatches, least + stages - 1 - s));
          EXPECT_EQ(result.peakBytes[s], 100 + 10 * result.inFlight[s]);
        }
      }
}

/// However uneven, a full pipeline goes at the pace of its slowest stage.
TEST(Pipeline, SlowestStageSetsThePace) {
  Topology topology = *builtinTopology("h100-1x8");
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    Pipeline pipeline = equalStages(static_cast<int>(random(1, 8)), 40);
    for (PipelineStage &stage : pipeline.stages) {
      stage.forwardNs = random(100000, 1000000);
      stage.backwardNs = random(100000, 2000000);
    }
    connect(pipeline, random(1, 1 << 20));
    int64_t slowest = 0, forward = 0, backward = 0;
    for (const PipelineStage &stage : pipeline.stages) {
      slowest = std::max(slowest, stage.forwardNs + stage.backwardNs);
      forward = std::max(forward, stage.forwardNs);
      backward = std::max(backward, stage.backwardNs);
    }
    PipelineResult result = simulatePipeline(pipeline, alternating, topology);
    EXPECT_EQ(result.loadNs, slowest) << seed;
    EXPECT_EQ(result.steadyNs, slowest) << seed;
    // All forward passes come first.
    result = simulatePipeline(pipeline, gpipe, topology);
    EXPECT_EQ(result.loadNs, forward + backward) << seed;
    EXPECT_EQ(result.steadyNs, forward + backward) << seed;
  }
}

/// A link can be the slowest part.
TEST(Pipeline, SlowLink) {
  Topology topology = *builtinTopology("h100-1x8");
  Pipeline pipeline = equalStages(2, 64);
  connect(pipeline, int64_t(1) << 31);
  PipelineResult result = simulatePipeline(pipeline, alternating, topology);
  int64_t ns = topology.transferNs(0, 1, int64_t(1) << 31);
  ASSERT_GT(ns, 3000000);
  EXPECT_EQ(result.loadNs, ns);
  EXPECT_NE(result.bottleneck, topology.devices[0].name);
  EXPECT_NE(result.bottleneck, topology.devices[1].name);
  EXPECT_EQ(result.steadyNs, ns);
  EXPECT_EQ(result.tasks.tasks.size(), 64u * 6);
}

class PlacedMlp : public ::testing::Test {
protected:
  Mlp mlp = makeMlp(64, {100, 80, 60, 40, 10});
  Topology topology = *builtinTopology("h100-1x8");
  CostModel cost{topology};

  /// A device per layer.
  std::vector<int> place(const std::vector<int> &devices) {
    std::vector<int> deviceOf(mlp.graph.nodes.size());
    for (size_t l = 0; l < mlp.layers.size(); ++l) {
      const MlpLayer &layer = mlp.layers[l];
      for (int node : {layer.matmul, layer.relu, layer.reluGrad,
                       layer.inputGrad, layer.weightGrad, layer.update})
        if (node >= 0)
          deviceOf[node] = devices[l];
    }
    return deviceOf;
  }
};

TEST_F(PlacedMlp, StagesOfAPlacement) {
  Expected<Pipeline> made =
      makePipeline(mlp.graph, mlp.roles, place({3, 3, 1, 1}), 4, cost);
  ASSERT_TRUE(made) << made.error();
  ASSERT_EQ(made->stages.size(), 2u);
  const PipelineStage &first = made->stages[0], &second = made->stages[1];
  EXPECT_EQ(first.device, 3);
  EXPECT_EQ(second.device, 1);
  EXPECT_EQ(first.nodes, 11); // no gradient of the input
  EXPECT_EQ(second.nodes, 12);
  // Weights and their gradients.
  EXPECT_EQ(first.weightBytes, 2 * 4 * (100 * 80 + 80 * 60));
  // 16 samples of what relus and products read again; the second stage keeps
  // its input.
  EXPECT_EQ(second.activationBytes, 16 * 4 * (60 + 2 * 40 + 10));
  ASSERT_EQ(made->transfers.size(), 2u);
  for (const PipelineTransfer &transfer : made->transfers) {
    EXPECT_EQ(transfer.bytes, 16 * 4 * 60);
    EXPECT_EQ(transfer.backward, transfer.from == 1);
  }
  int64_t forward = 0;
  for (int layer : {0, 1})
    for (int node : {mlp.layers[layer].matmul, mlp.layers[layer].relu}) {
      const Kernel &kernel = mlp.graph.nodes[node].whole;
      LoopBox box = kernel.space.wholeBox();
      box[0] = {0, 16};
      forward += cost.computeNs(3, kernelWork(mlp.graph, kernel, box));
    }
  EXPECT_EQ(first.forwardNs, forward);
}

TEST_F(PlacedMlp, OneDeviceIsAPipelineOfOneStage) {
  Expected<Pipeline> made =
      makePipeline(mlp.graph, mlp.roles, place({5, 5, 5, 5}), 1, cost);
  ASSERT_TRUE(made);
  PipelineResult result = simulatePipeline(*made, alternating, topology);
  const PipelineStage &stage = made->stages[0];
  EXPECT_EQ(result.tasks.makespanNs,
            stage.forwardNs + stage.backwardNs + stage.updateNs);
  EXPECT_NEAR(result.bubble, 0, 1e-12);
}

/// A counter of steps on the first stage, which updates of the second one read,
/// is no part of the passes.
TEST_F(PlacedMlp, UpdatesForLaterStagesAreNoTransfers) {
  Graph &graph = mlp.graph;
  int counted =
      graph.nodes[static_cast<size_t>(mlp.layers[0].update)].whole.results[0];
  Kernel &last = graph.nodes[static_cast<size_t>(mlp.layers[3].update)].whole;
  std::vector<int> devices = place({0, 0, 1, 1});
  Expected<Pipeline> before = makePipeline(graph, mlp.roles, devices, 4, cost);
  last.operands.push_back(counted);
  last.space.operands.push_back(last.space.operands.back());
  Expected<Pipeline> made = makePipeline(graph, mlp.roles, devices, 4, cost);
  ASSERT_TRUE(before && made);
  EXPECT_EQ(made->transfers.size(), before->transfers.size());
  EXPECT_GT(simulatePipeline(*made, alternating, topology).steadyNs, 0);
}

TEST_F(PlacedMlp, CirclesAreRefused) {
  Expected<Pipeline> made =
      makePipeline(mlp.graph, mlp.roles, place({0, 1, 0, 2}), 4, cost);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().find("need forward values of each other"),
            std::string::npos)
      << made.error();
}

} // namespace
