//===- PassOrderTest.cpp --------------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of passes against the papers' tables, and plans in microbatches
// against pipelines that are described by times of passes alone.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/PassOrder.h"

#include "Soap/Model/Reuse.h"
#include "Soap/Pipeline/OneForwardOneBackward.h"
#include "Soap/Simulator/Algorithm1Simulator.h"
#include "Soap/Simulator/TaskGraph.h"

#include "Support/Graphs.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <tuple>

using namespace soap;
using namespace soap::test;

namespace {

constexpr PipelineSchedule gpipe = PipelineSchedule::GPipe,
                           alternating =
                               PipelineSchedule::OneForwardOneBackward,
                           overlapped = PipelineSchedule::Overlapped;

/// `F0.1`: the forward pass of microbatch 1 on stage 0.
std::string text(const std::vector<PipelinePass> &passes) {
  std::string result;
  for (const PipelinePass &pass : passes)
    result += std::string(result.empty() ? "" : " ") +
              (pass.backward ? "B" : "F") + std::to_string(pass.stage) + "." +
              std::to_string(pass.microbatch);
  return result;
}

TEST(PassSchedule, GPipe) {
  auto order = schedulePasses(gpipe, {{0}, {1}}, 3, 2);
  ASSERT_TRUE(order) << order.error();
  EXPECT_EQ(text((*order)[0]), "F0.0 F0.1 F0.2 B0.0 B0.1 B0.2");
  EXPECT_EQ(text((*order)[1]), "F1.0 F1.1 F1.2 B1.0 B1.1 B1.2");
}

/// Figure 3 of Narayanan et al., 2021.
TEST(PassSchedule, OneForwardOneBackward) {
  auto order = schedulePasses(alternating, {{0, 1}, {2, 3}}, 4, 5);
  ASSERT_TRUE(order) << order.error();
  EXPECT_EQ(text((*order)[0]), "F0.0 F0.1 B0.0 F0.2 B0.1 F0.3 B0.2 B0.3");
  EXPECT_EQ(text((*order)[1]), text((*order)[0]));
  EXPECT_EQ(text((*order)[3]), "F1.0 B1.0 F1.1 B1.1 F1.2 B1.2 F1.3 B1.3");
  EXPECT_TRUE((*order)[4].empty());
}

/// Two stages on each of two groups: 0 and 2, 1 and 3.
TEST(PassSchedule, Interleaved) {
  auto order = schedulePasses(alternating, {{0}, {1}, {0}, {1}}, 4, 2);
  ASSERT_TRUE(order) << order.error();
  EXPECT_EQ(text((*order)[0]),
            "F0.0 F0.1 F2.0 F2.1 F0.2 B2.0 F0.3 B2.1 F2.2 B0.0 F2.3 B0.1 "
            "B2.2 B2.3 B0.2 B0.3");
  EXPECT_EQ(text((*order)[1]),
            "F1.0 F1.1 F3.0 B3.0 F3.1 B3.1 F1.2 B1.0 F1.3 B1.1 F3.2 B3.2 "
            "F3.3 B3.3 B1.2 B1.3");
}

/// One more pass on the way than a backward pass beside each forward pass
/// needs, as Megatron-Core schedules it.
TEST(PassSchedule, Overlapped) {
  auto one = schedulePasses(overlapped, {{0}}, 3, 1);
  ASSERT_TRUE(one) << one.error();
  EXPECT_EQ(text((*one)[0]), "F0.0 F0.1 B0.0 F0.2 B0.1 B0.2");
  auto two = schedulePasses(overlapped, {{0}, {1}}, 4, 2);
  ASSERT_TRUE(two) << two.error();
  EXPECT_EQ(text((*two)[0]), "F0.0 F0.1 F0.2 F0.3 B0.0 B0.1 B0.2 B0.3");
  EXPECT_EQ(text((*two)[1]), "F1.0 F1.1 B1.0 F1.2 B1.1 F1.3 B1.2 B1.3");
  auto chunks = schedulePasses(overlapped, {{0}, {1}, {0}, {1}}, 4, 2);
  ASSERT_TRUE(chunks) << chunks.error();
  EXPECT_EQ(text((*chunks)[1]),
            "F1.0 F1.1 F3.0 F3.1 B3.0 F1.2 B3.1 F1.3 B1.0 F3.2 B1.1 F3.3 "
            "B3.2 B3.3 B1.2 B1.3");
}

TEST(PassSchedule, EveryPassOnce) {
  for (int groups : {1, 2, 3, 4})
    for (int chunks : {1, 2, 3})
      for (int rounds : {1, 2, 3})
        for (PipelineSchedule schedule : {gpipe, alternating, overlapped}) {
          std::vector<std::vector<int>> stages;
          for (int s = 0; s < groups * chunks; ++s)
            stages.push_back({s % groups});
          int64_t microbatches = groups * rounds;
          auto order = schedulePasses(schedule, stages, microbatches, groups);
          ASSERT_TRUE(order) << order.error();
          for (int g = 0; g < groups; ++g) {
            const std::vector<PipelinePass> &own = (*order)[g];
            std::set<PipelinePass> seen;
            for (const PipelinePass &pass : own) {
              EXPECT_EQ(pass.stage % groups, g);
              EXPECT_TRUE(seen.insert(pass).second) << text(own);
              if (pass.backward) {
                EXPECT_TRUE(seen.contains({pass.stage, pass.microbatch, false}))
                    << text(own);
              }
            }
            EXPECT_EQ(own.size(),
                      static_cast<size_t>(2 * chunks * microbatches));
          }
        }
}

TEST(PassSchedule, Refusals) {
  auto error = [](auto order) { return order ? "" : order.error(); };
  EXPECT_EQ(error(schedulePasses(alternating, {{0}, {1}, {0}, {1}}, 3, 2)),
            "3 microbatches cannot be interleaved over 2 groups of devices, "
            "expected a multiple");
  EXPECT_EQ(error(schedulePasses(gpipe, {{0}, {1}, {1}}, 2, 2)),
            "stage 2 is on other devices than expected: stages go round the 2 "
            "groups of devices that the first ones have");
  EXPECT_EQ(error(schedulePasses(gpipe, {{0}, {1}, {0}}, 2, 2)),
            "there are 3 stages on 2 groups of devices, expected as many on "
            "each");
}

/// A loop in the middle: its pieces, microbatch outermost, inside of the pieces
/// of the loop before it.
TEST(PassOrder, Cut) {
  PassOrder passes;
  passes.microbatches = 2;
  passes.stages = {0, -1};
  passes.sampleLoops = {1, 1};
  Config config;
  config.degrees = {2, 1, 2};
  config.devices = {0, 1, 2, 3};
  Strategy cut = cutIntoMicrobatches({config, config}, passes);
  EXPECT_EQ(cut[0].degrees, (std::vector<int64_t>{2, 2, 2}));
  EXPECT_EQ(std::vector<int>(cut[0].devices.begin(), cut[0].devices.end()),
            (std::vector<int>{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(cut[1].degrees, config.degrees); // runs once
}

TEST(PassOrder, SampleLoop) {
  using enum Role;
  IterationSpace space;
  space.loops = {{"t", 1}, {"m", 1}, {"n", 8}};
  EXPECT_EQ(sampleLoopOf(space, {Parameter, Sample, Sample}), 2);
  EXPECT_EQ(sampleLoopOf(space, {Parameter, Sample, Attribute}), 1);
  EXPECT_EQ(sampleLoopOf(space, {Parameter, Attribute, Attribute}), -1);
}

class MlpPasses : public ::testing::Test {
protected:
  Mlp mlp = makeMlp(64, {100, 80, 60, 40, 10});
  Topology topology = *builtinTopology("h100-1x8");
  CostModel cost{topology};
  std::vector<int> deviceOf;
  Strategy strategy;
  PassOrder passes;

  /// Layers whole on devices, which are stages in their order.
  void place(const std::vector<int> &devices, PipelineSchedule schedule,
             int64_t microbatches) {
    size_t count = mlp.graph.nodes.size();
    deviceOf.assign(count, 0);
    passes = {microbatches,
              std::vector<int>(count, -1),
              std::vector<int>(count, -1),
              {},
              {}};
    for (size_t l = 0; l < mlp.layers.size(); ++l) {
      const MlpLayer &layer = mlp.layers[l];
      for (int node : {layer.matmul, layer.relu, layer.reluGrad,
                       layer.inputGrad, layer.weightGrad, layer.update})
        if (node >= 0)
          deviceOf[static_cast<size_t>(node)] = devices[l];
    }
    std::vector<std::vector<int>> stages;
    for (int device : devices)
      if (stages.empty() || stages.back()[0] != device)
        stages.push_back({device});
    strategy.clear();
    for (size_t n = 0; n < count; ++n) {
      const Kernel &kernel = mlp.graph.nodes[n].whole;
      Config config;
      config.degrees.assign(kernel.space.loops.size(), 1);
      config.devices = {deviceOf[n]};
      strategy.push_back(config);
      if (kernel.phase == Phase::Update)
        continue;
      passes.sampleLoops[n] = sampleLoopOf(kernel.space, mlp.roles[n]);
      for (size_t s = 0; s < stages.size(); ++s)
        if (stages[s][0] == deviceOf[n])
          passes.stages[n] = static_cast<int>(s);
    }
    auto order =
        schedulePasses(schedule, stages, microbatches, topology.deviceCount());
    ASSERT_TRUE(order) << order.error();
    passes.order = *order;
  }

  Expected<Plan> plan() {
    return buildPipelinePlan(mlp.graph, strategy, passes, topology, nullptr);
  }
};

/// Passes of a device follow each other in the order of the schedule, and take
/// what `microbatchNs` says of their kernels.
TEST_F(MlpPasses, FollowTheSchedule) {
  for (PipelineSchedule schedule : {gpipe, alternating})
    for (int64_t microbatches : {1, 4, 64}) {
      place({0, 0, 1, 2}, schedule, microbatches);
      auto made = plan();
      ASSERT_TRUE(made) << made.error();
      TaskGraph tasks = buildTaskGraph(mlp.graph, *made, cost);
      simulateFull(tasks);
      struct Times {
        int64_t startNs = -1, endNs = 0, busyNs = 0;
      };
      std::map<std::pair<int, PipelinePass>, Times> found;
      for (const Action &action : made->actions)
        if (auto pass = passOf(mlp.graph, passes, action)) {
          const Task &task = tasks.tasks[static_cast<size_t>(action.task)];
          Times &times = found[{action.device, *pass}];
          if (times.startNs < 0 || task.startNs < times.startNs)
            times.startNs = task.startNs;
          times.endNs = std::max(times.endNs, task.endNs);
          times.busyNs += task.durationNs;
        }
      for (int device : {0, 1, 2}) {
        int64_t end = 0;
        for (const PipelinePass &pass : passes.order[device]) {
          ASSERT_TRUE(found.contains({device, pass}));
          const Times &times = found[{device, pass}];
          EXPECT_GE(times.startNs, end);
          end = times.endNs;
          int64_t ns = 0;
          for (size_t n = 0; n < mlp.graph.nodes.size(); ++n)
            if (const Kernel &kernel = mlp.graph.nodes[n].whole;
                passes.stages[n] == pass.stage &&
                (kernel.phase == Phase::Backward) == pass.backward)
              ns += microbatchNs(mlp.graph, kernel, mlp.roles[n], microbatches,
                                 cost, device);
          EXPECT_EQ(times.busyNs, ns);
        }
      }
    }
}

/// Little more time than the pipeline that is described by its passes: only the
/// plan has sums of gradients.
TEST_F(MlpPasses, TimesOfThePipeline) {
  for (PipelineSchedule schedule : {gpipe, alternating})
    for (int64_t microbatches : {1, 2, 8, 16}) {
      place({0, 0, 1, 2}, schedule, microbatches);
      auto pipeline =
          makePipeline(mlp.graph, mlp.roles, deviceOf, microbatches, cost);
      ASSERT_TRUE(pipeline) << pipeline.error();
      PipelineResult predicted =
          simulatePipeline(*pipeline, schedule, topology);
      std::vector<std::vector<int>> stages = {{0}, {1}, {2}};
      auto order = schedulePasses(schedule, stages, microbatches,
                                  topology.deviceCount(), predicted.inFlight);
      ASSERT_TRUE(order) << order.error();
      passes.order = *order;
      auto made = plan();
      ASSERT_TRUE(made) << made.error();
      TaskGraph tasks = buildTaskGraph(mlp.graph, *made, cost);
      simulateFull(tasks);
      int64_t sumNs = 0;
      for (const Action &action : made->actions)
        if (action.kind == ActionKind::Combine)
          sumNs += tasks.tasks[static_cast<size_t>(action.task)].durationNs;
      EXPECT_EQ(sumNs > 0, microbatches > 1);
      EXPECT_LE(tasks.makespanNs, predicted.tasks.makespanNs + sumNs)
          << scheduleName(schedule) << ", " << microbatches;
      // Kernels of a pass need not wait for its other inputs, and values leave
      // before the pass ends.
      EXPECT_GE(tasks.makespanNs, predicted.tasks.makespanNs * 3 / 4)
          << scheduleName(schedule) << ", " << microbatches;
    }
}

/// Gradients are added up as they come: one sum and one contribution.
TEST_F(MlpPasses, RunningSums) {
  place({0, 0, 0, 0}, alternating, 16);
  auto made = plan();
  ASSERT_TRUE(made) << made.error();
  int combines = 0;
  for (const Action &action : made->actions)
    if (action.kind == ActionKind::Combine) {
      ++combines;
      EXPECT_EQ(action.inputs.size(), 2u);
    }
  EXPECT_EQ(combines, 4 * 15); // by weight
}

/// Weights that are kept as their updates leave them are gathered for each
/// pass, and their gradients reduced after each.
TEST_F(MlpPasses, GathersForEachPass) {
  constexpr int64_t microbatches = 8;
  const std::vector<int> devices = {0, 1, 2, 3};
  std::map<int, int> layerOf; // by weight and gradient
  for (size_t l = 0; l < mlp.layers.size(); ++l) {
    int weight = mlp.graph.inputs[1 + l].value;
    layerOf[weight] = static_cast<int>(l);
    layerOf[mlp.graph.nodes[static_cast<size_t>(mlp.layers[l].weightGrad)]
                .whole.results[0]] = static_cast<int>(l);
    // No backward pass reads the first one.
    if (l > 0) {
      ASSERT_FALSE(checkKeep(mlp.graph, weight, Keep::Before));
      restoreValue(mlp.graph, weight, Keep::Before);
    }
  }
  place({0, 0, 0, 0}, alternating, microbatches);
  for (size_t n = 0; n < strategy.size(); ++n) {
    int loop = std::max(passes.sampleLoops[n], 0);
    strategy[n].degrees[static_cast<size_t>(loop)] = 4;
    strategy[n].devices = devices;
  }
  for (int device : devices)
    passes.order[static_cast<size_t>(device)] = passes.order[0];
  auto made = plan();
  ASSERT_TRUE(made) << made.error();
  std::map<std::pair<CollectiveKind, int>, int> counts; // by layer
  std::set<int> gathers;
  for (const PlanCollective &collective : made->collectives) {
    const Action &first = made->actions[static_cast<size_t>(
        made->taskStart[static_cast<size_t>(collective.task)])];
    int value = mlp.graph.rootOf(
        made->buffers[static_cast<size_t>(first.outputs[0])].value);
    auto layer = layerOf.find(value);
    if (layer == layerOf.end())
      continue;
    ++counts[{collective.kind, layer->second}];
    if (collective.kind == CollectiveKind::AllGather && layer->second > 0)
      gathers.insert(collective.task);
  }
  for (int l = 0; l < 4; ++l) {
    EXPECT_EQ((counts[{CollectiveKind::AllGather, l}]),
              l == 0 ? 1 : 2 * microbatches);
    EXPECT_EQ((counts[{CollectiveKind::ReduceScatter, l}]),
              l == 0 ? 1 : microbatches);
  }
  // Of 4,800, 2,400 and 400 elements: the first four fit into twice the
  // largest. Others wait until one has been read.
  std::set<int> waiting;
  for (auto [before, task] : made->waits)
    if (gathers.contains(task))
      waiting.insert(task);
  EXPECT_EQ(waiting.size() + 4, gathers.size());
}

/// Where receivers copy messages, a pass is the same tasks in the same order
/// for all microbatches but the first, which adds up nothing: messages begin
/// it, and sums end it.
TEST_F(MlpPasses, OneOrderForAllMicrobatches) {
  topology = *builtinTopology("cpu-4");
  CostModel cpus(topology);
  size_t messages = 0, sums = 0;
  for (PipelineSchedule schedule : {gpipe, alternating})
    for (const std::vector<int> &devices :
         {std::vector{0, 0, 1, 2}, std::vector{0, 1, 1, 2},
          std::vector{0, 1, 2, 3}}) {
      place(devices, schedule, 16);
      auto made = plan();
      ASSERT_TRUE(made) << made.error();
      TaskGraph tasks = buildTaskGraph(mlp.graph, *made, cpus);
      simulateFull(tasks);
      // By device, stage and direction: what a pass of each microbatch does.
      std::map<std::tuple<int, int, bool>, std::map<int64_t, std::string>>
          texts;
      std::vector<std::string> received(4);
      std::vector<std::optional<PipelinePass>> current(4);
      for (int id : scheduleOrder(tasks)) {
        const Action &action = made->actions[static_cast<size_t>(
            made->taskStart[static_cast<size_t>(id)])];
        auto device = static_cast<size_t>(action.device);
        std::string value = std::to_string(
            made->buffers[static_cast<size_t>(action.outputs[0])].value);
        if (action.kind == ActionKind::Transfer) {
          received[device] += " <" + value;
          ++messages;
          continue;
        }
        bool isSum = action.kind == ActionKind::Combine;
        auto pass = passOf(mlp.graph, passes, action);
        if (!isSum && !pass)
          continue; // an update
        // A message is for the next kernel.
        if (pass)
          current[device] = pass;
        ASSERT_TRUE(current[device]);
        EXPECT_TRUE(pass || received[device].empty());
        sums += isSum;
        const PipelinePass &at = *current[device];
        texts[{action.device, at.stage, at.backward}][at.microbatch] +=
            received[device] + (isSum ? " +" : " ") + value;
        received[device].clear();
      }
      for (const auto &[pass, ofMicrobatch] : texts) {
        ASSERT_EQ(ofMicrobatch.size(), 16u);
        for (int64_t m = 2; m < 16; ++m)
          EXPECT_EQ(ofMicrobatch.at(m), ofMicrobatch.at(1))
              << "device " << std::get<0>(pass) << ", microbatch " << m;
      }
    }
  EXPECT_EQ(messages, 2u * (2 + 2 + 3) * 2 * 16);
  EXPECT_GT(sums, 2u * 3 * 4 * 14);
}

TEST_F(MlpPasses, CirclesAreRefused) {
  place({0, 0, 1, 1}, alternating, 2);
  auto &order = passes.order[1];
  // The second device begins with what needs the end of the first one's work.
  std::reverse(order.begin(), order.end());
  auto made = plan();
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().find("wait for each other in a circle"),
            std::string::npos)
      << made.error();
}

/// An op that runs once between passes needs all samples.
TEST_F(MlpPasses, WholeBatchIsRefused) {
  place({0, 0, 1, 1}, gpipe, 4);
  passes.sampleLoops[static_cast<size_t>(mlp.layers[1].relu)] = -1;
  auto made = plan();
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().find("waits for 'relu1', which needs all samples of "
                              "the batch at once"),
            std::string::npos)
      << made.error();
}

} // namespace
