//===- SolutionTest.cpp - Loads, rules and pipelines ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads computed by hand, a placement for every rule that it breaks, and the
// pipeline whose steady state is the maximum load.
//
//===----------------------------------------------------------------------===//

#include "Problems.h"
#include "Soap/Search/DevicePlacement/Files.h"

#include <gtest/gtest.h>

#include <map>

using namespace soap;
using namespace soap::placement;
using namespace soap::test;

namespace {

void expectBroken(const Problem &problem, const Objective &objective,
                  const Placement &placement, const std::string &message) {
  auto evaluation = verify(problem, objective, placement);
  ASSERT_FALSE(evaluation) << message;
  EXPECT_NE(evaluation.error().find(message), std::string::npos)
      << evaluation.error();
}

double maxLoad(const Problem &problem, const Objective &objective,
               const Placement &placement) {
  auto evaluation = verify(problem, objective, placement);
  EXPECT_TRUE(static_cast<bool>(evaluation)) << evaluation.error();
  return evaluation ? evaluation->maxLoad() : -1;
}

/// Forward 0 -> 1, backward 2 -> 3; 0 and 3, 1 and 2 are of one class.
Problem trainingPath() {
  Problem problem = makePath({4, 2, 3, 5}, 2, 1);
  problem.nodes[2].backward = problem.nodes[3].backward = true;
  problem.nodes[0].colorClass = problem.nodes[3].colorClass = 0;
  problem.nodes[1].colorClass = problem.nodes[2].colorClass = 1;
  return problem;
}

} // namespace

TEST(PlacementLoads, TransfersArePaidOncePerDevice) {
  Problem problem = makePath({4, 2, 3, 5}, 2, 1);
  problem.edges.push_back({0, 2});
  problem.edges.push_back({0, 3});
  Objective objective;
  // Node 0 is read twice by accelerator 1, which pays once; so does the writer.
  Placement split{{0, 1, 1, 1}, {}};
  auto evaluation = verify(problem, objective, split);
  ASSERT_TRUE(static_cast<bool>(evaluation));
  EXPECT_EQ(evaluation->loads[0].total(), 4 + 1);
  EXPECT_EQ(evaluation->loads[1].total(), 2 + 3 + 5 + 1);
  // CPUs pay nothing.
  split.deviceOf = {2, 1, 1, 1};
  EXPECT_EQ(maxLoad(problem, objective, split), 40);
  objective.overlap = Overlap::Full;
  split.deviceOf = {0, 1, 1, 1};
  EXPECT_EQ(maxLoad(problem, objective, split), 10);
}

TEST(PlacementLoads, SchedulesOfTraining) {
  Problem problem = trainingPath();
  Objective objective;
  // 0: 4 + 5, writes 0, reads 2. 1: 2 + 3, reads 0, writes 2.
  Placement split{{0, 1, 1, 0}, {}};
  EXPECT_EQ(maxLoad(problem, objective, split), 11);
  objective.schedule = Schedule::GPipe;
  EXPECT_EQ(maxLoad(problem, objective, split), (4 + 1) + (5 + 1));
  problem.nodes[2].acceleratorTime = 9;
  EXPECT_EQ(maxLoad(problem, objective, split), (4 + 1) + (9 + 1));
}

TEST(PlacementLoads, ReplicasShareAStage) {
  Problem problem = trainingPath();
  problem.accelerators = 3;
  Objective objective;
  objective.replication = true;
  objective.allReduceBytesPerTime = 5;
  Placement split{{0, 1, 1, 0}, {2, 1, 1, 1}};
  // (9 + 2) / 2 and an all-reduce of 20 bytes.
  EXPECT_EQ(maxLoad(problem, objective, split), 5.5 + 2.0 * 1 / 2 * 20 / 5);
  split.replicas = {3, 1, 1, 1};
  expectBroken(problem, objective, split, "at most 3 accelerators, got 4");
  objective.replication = false;
  split.replicas = {2, 1, 1, 1};
  expectBroken(problem, objective, split, "expected one replica, got 2");
}

TEST(PlacementLoads, HostsMakeTransfersCheaper) {
  Problem problem = makePath({1, 1, 1, 1}, 4, 0);
  Objective objective;
  objective.acceleratorsPerHost = 2;
  objective.insideHostFactor = 0.25;
  auto evaluation = verify(problem, objective, {{0, 1, 2, 3}, {}});
  ASSERT_TRUE(static_cast<bool>(evaluation));
  EXPECT_EQ(evaluation->loads[0].total(), 1.25);
  EXPECT_EQ(evaluation->loads[1].total(), 1 + 0.25 + 1);
  EXPECT_EQ(evaluation->loads[3].total(), 1.25);
}

TEST(PlacementRules, AreAllChecked) {
  Problem problem = makePath({1, 2, 3}, 2, 1);
  Objective objective;
  expectBroken(problem, objective, {{0, 1}, {}}, "device for each of 3 nodes");
  expectBroken(problem, objective, {{0, 1, 3}, {}},
               "node 12: expected a device from 0 to 2, got 3");
  expectBroken(problem, objective, {{0, 1, 0}, {}}, "contiguous");
  problem.nodes[1].acceleratable = false;
  expectBroken(problem, objective, {{0, 1, 1}, {}},
               "node 11: expected it on a CPU");
  problem.nodes[0].colorClass = problem.nodes[2].colorClass = 8;
  expectBroken(problem, objective, {{0, 2, 1}, {}},
               "node 12: expected it on the device of node 10");
  objective.contiguous = false;
  problem.acceleratorMemoryBytes = 19;
  expectBroken(problem, objective, {{0, 2, 0}, {}},
               "accelerator 0: expected nodes of at most");
  EXPECT_EQ(maxLoad(problem, objective, {{2, 2, 2}, {}}), 60);
}

TEST(PlacementRules, BackwardOnlyClassesAreMirrored) {
  // Forward 0 -> 1 -> 2 -> 3, backward 4 -> 5; 4 belongs to 2, 5 to nothing: it
  // comes after 4, so it is ordered before 2.
  Problem problem = makePath({1, 1, 1, 1, 1, 1}, 3, 0);
  problem.edges.erase(problem.edges.begin() + 3);
  problem.nodes[4].backward = problem.nodes[5].backward = true;
  problem.nodes[2].colorClass = problem.nodes[4].colorClass = 0;
  Objective objective;
  EXPECT_GT(maxLoad(problem, objective, {{0, 0, 1, 2, 1, 0}, {}}), 0);
  expectBroken(problem, objective, {{0, 0, 1, 2, 1, 2}, {}}, "contiguous");
  objective.contiguous = false;
  EXPECT_GT(maxLoad(problem, objective, {{0, 0, 1, 2, 1, 2}, {}}), 0);
}

TEST(PlacementPipeline, ReachesTheMaximumLoad) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Problem problem = makeRandom(seed, 8);
    std::mt19937_64 random(seed);
    Placement placement;
    std::map<int64_t, int> deviceOfClass;
    for (const Node &node : problem.nodes) {
      int device = static_cast<int>(random() % problem.deviceCount());
      if (node.colorClass)
        device = deviceOfClass.emplace(*node.colorClass, device).first->second;
      placement.deviceOf.push_back(device);
    }
    std::vector<PipelineStage> stages = pipelineStages(problem, placement);
    MaybeError error = verifyPipeline(problem, placement, stages);
    ASSERT_FALSE(error) << error->message;
    // In each round of the steady state a device computes each of its stages
    // for another sample: its time is that of its nodes and of its transfers.
    std::vector<double> compute(problem.deviceCount());
    for (const PipelineStage &stage : stages)
      for (int node : stage.nodes)
        compute[stage.device] += problem.isAccelerator(stage.device)
                                     ? problem.nodes[node].acceleratorTime
                                     : problem.nodes[node].cpuTime;
    std::vector<StageCosts> costs = deviceCosts(problem, {}, placement);
    for (int device = 0; device < problem.deviceCount(); ++device)
      EXPECT_DOUBLE_EQ(compute[device], costs[device].forwardCompute +
                                            costs[device].backwardCompute);
  }
}

TEST(PlacementPipeline, WrongOnesAreRefused) {
  Problem problem = makePath({1, 2, 3}, 2, 0);
  Placement placement{{0, 1, 0}, {}};
  std::vector<PipelineStage> stages = pipelineStages(problem, placement);
  ASSERT_EQ(stages.size(), 3u);
  auto expectError = [&](const std::string &message) {
    MaybeError error = verifyPipeline(problem, placement, stages);
    ASSERT_TRUE(error);
    EXPECT_NE(error->message.find(message), std::string::npos)
        << error->message;
  };
  std::swap(stages[0], stages[2]);
  expectError("in an order that edges allow");
  stages[1].nodes.clear();
  expectError("node 11: expected it in a stage");
  stages[1] = {0, {0}};
  expectError("node 10: expected it in one stage");
  stages[0].nodes = {1};
  expectError("expected a node of device 0, it is on device 1");
}

TEST(PlacementSolution, FilesAreVerified) {
  Problem problem = makePath({4, 2, 3, 5}, 2, 1);
  SolutionFile solution;
  solution.objective.contiguous = false;
  solution.placement = {{0, 1, 1, 0}, {}};
  solution.devices = {0, 1};
  solution.loads = {11, 7};
  solution.maxLoad = 11;
  solution.bound = 10;
  solution.pipeline = pipelineStages(problem, solution.placement);
  solution.schedule = scheduleRounds(problem, solution.objective,
                                     solution.placement, solution.pipeline);
  std::string text = printSolution(problem, solution);
  auto judge = [&](const std::string &from, const std::string &to) {
    std::string changed = text;
    size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    Expected<SolutionFile> read = parseSolution(problem, changed, "s.json");
    if (!read)
      return read.error();
    Expected<std::string> verdict = verifySolution(problem, *read);
    return verdict ? *verdict : verdict.error();
  };
  auto expectVerdict = [&](const std::string &from, const std::string &to,
                           const std::string &message) {
    std::string verdict = judge(from, to);
    EXPECT_NE(verdict.find(message), std::string::npos) << verdict;
  };
  expectVerdict("", "", "ok: max_load 11, bound 10, and a schedule");
  expectVerdict("\"period\":11.0", "\"period\":10.0",
                "schedule: expected rounds as long as the greatest load");
  expectVerdict("\"compute\":2", "\"compute\":3", "at /schedule/tasks");
  expectVerdict("\"compute\":2", "\"write\":2",
                "schedule: accelerator 0 writes stage 2: expected no such");
  expectVerdict("\"compute\":2", "\"compute\":2,\"read\":1",
                "expected one of 'compute', 'write' and 'read'");
  expectVerdict("\"max_load\":11.0", "\"max_load\":10.5",
                "expected max_load 11, got 10.5");
  expectVerdict("\"load\":7.0", "\"load\":6", "accelerator 1: expected load 7");
  expectVerdict("\"bound\":10.0", "\"bound\":12", "bound of at most 11");
  expectVerdict("\"optimal\":false", "\"optimal\":true", "called optimal");
  expectVerdict("\"contiguous\":false", "\"contiguous\":true", "contiguous");
  expectVerdict("\"version\":1", "\"version\":2", "at /version");
  expectVerdict("[10,13]", "[10]", "expected node 13 on a device");
  expectVerdict("[10,13]", "[10,13,10]", "each node once, got node 10 again");
  expectVerdict("[10,13]", "[10,14]", "the identifier of a node, got 14");
  expectVerdict("\"kind\":\"accelerator\"", "\"kind\":\"gpu\"", "kind");
  expectVerdict("{\"kind\"", "{\"device\":1,\"kind\"", "unknown key");
  expectVerdict("\"device\":1", "\"device\":2", "at /pipeline");
}
