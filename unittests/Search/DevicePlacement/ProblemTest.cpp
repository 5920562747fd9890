//===- ProblemTest.cpp - Placement problems and their files ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Well-formed problems, messages for others, and round trips of files.
//
//===----------------------------------------------------------------------===//

#include "Problems.h"
#include "Soap/Search/DevicePlacement/Files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace soap;
using namespace soap::placement;
using namespace soap::test;

namespace {

void expectRefused(const std::function<void(Problem &)> &change,
                   const std::string &message) {
  Problem problem = makePath({1, 2, 3}, 2, 1);
  ASSERT_FALSE(problem.check());
  change(problem);
  MaybeError error = problem.check();
  ASSERT_TRUE(error) << message;
  EXPECT_NE(error->message.find(message), std::string::npos) << error->message;
}

void expectFileRefused(const std::string &from, const std::string &to,
                       const std::string &message) {
  std::string text = printProblem(makePath({1, 2, 3}, 2, 1));
  size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  Expected<Problem> problem = parseProblem(text, "p.json");
  ASSERT_FALSE(problem) << to;
  EXPECT_EQ(problem.error().rfind("p.json: ", 0), 0u) << problem.error();
  EXPECT_NE(problem.error().find(message), std::string::npos)
      << problem.error();
}

} // namespace

TEST(PlacementProblem, RefusesWhatIsNotWellFormed) {
  expectRefused([](Problem &p) { p = Problem(); }, "at least one node");
  expectRefused([](Problem &p) { p.accelerators = p.cpus = 0; },
                "accelerators or CPUs");
  expectRefused([](Problem &p) { p.cpus = -1; }, "accelerators or CPUs");
  expectRefused([](Problem &p) { p.acceleratorMemoryBytes = NAN; },
                "memory of accelerators");
  expectRefused([](Problem &p) { p.nodes[1].id = 10; }, "two of 10");
  expectRefused([](Problem &p) { p.nodes[1].acceleratorTime = -1; },
                "node 11: expected a time on an accelerator");
  expectRefused([](Problem &p) { p.nodes[1].cpuTime = INFINITY; },
                "node 11: expected a time on a CPU");
  expectRefused([](Problem &p) { p.nodes[2].memoryBytes = NAN; },
                "node 12: expected a size");
  expectRefused([](Problem &p) { p.nodes[2].gradientBytes = -1; },
                "node 12: expected a size of gradients from 0 to the size");
  expectRefused([](Problem &p) { p.nodes[2].gradientBytes = 1e9; },
                "node 12: expected a size of gradients from 0 to the size");
  expectRefused([](Problem &p) { p.transferTime[0] = -2; },
                "node 10: expected a time of its transfer");
  expectRefused([](Problem &p) { p.transferTime.pop_back(); }, "for each of 3");
  expectRefused([](Problem &p) { p.nodes[0].cpuTime = 5e299; },
                "sum of the times on a CPU overflows");
  expectRefused([](Problem &p) { p.edges.push_back({0, 3}); },
                "edges between nodes");
  expectRefused([](Problem &p) { p.edges.push_back({2, 0}); },
                "without cycles, got ");
  expectRefused([](Problem &p) { p.edges.push_back({1, 1}); }, "11 -> 11");
  expectRefused([](Problem &p) { p.nodes[0].backward = true; },
                "from the backward to the forward pass");
  expectRefused([](Problem &p) { p.nodes[2].backward = true; },
                "a color class of forward and backward nodes");
}

TEST(PlacementProblem, NamesShortAndLongCycles) {
  Problem problem = makePath(std::vector<double>(30, 1), 2, 1);
  problem.edges.push_back({29, 0});
  MaybeError error = problem.check();
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("... -> "), std::string::npos);
  EXPECT_LT(topologicalOrder(problem).size(), problem.nodes.size());
}

TEST(PlacementProblem, RandomProblemsAreWellFormedAndSurviveFiles) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Problem problem = makeRandom(seed);
    MaybeError error = problem.check();
    ASSERT_FALSE(error) << error->message;
    std::string text = printProblem(problem);
    Expected<Problem> again = parseProblem(text, "p.json");
    ASSERT_TRUE(static_cast<bool>(again)) << again.error();
    EXPECT_EQ(printProblem(*again), text);
  }
}

TEST(PlacementProblem, FilesAreCheckedByPath) {
  expectFileRefused("{", "", "at /: expected an object, got \"edges\"");
  expectFileRefused("\"maxCPUs\":", "\"maxCPUs\"", "invalid JSON");
  expectFileRefused("\"maxCPUs\":1", "\"maxCPUs\":{}",
                    "at /maxCPUs: expected an integer from 0 to 4096, got an "
                    "object");
  expectFileRefused("\"maxCPUs\":1", "\"maxCPUs\":1,\"maxCPUs\":1",
                    "at /: duplicate key \"maxCPUs\"");
  expectFileRefused("\"edges\":[", "\"edges\":7,\"nodes\":[",
                    "at /edges: expected an array, got 7");
  expectFileRefused("\"nodes\":[", "\"nodes\":[null,",
                    "at /nodes/0: expected an object, got null");
  expectFileRefused("\"nodes\":[", "\"nodes\":[{},",
                    "at /nodes/0: expected key \"id\", which is missing");
  expectFileRefused("\"id\":11", "\"id\":11,\"weight\":3",
                    "at /nodes/1: unknown key \"weight\"");
  expectFileRefused("\"id\":11", "\"id\":[11]",
                    "at /nodes/1/id: expected an integer from "
                    "-9007199254740992 to 9007199254740992, got an array");
  expectFileRefused("\"id\":11", "\"id\":11,\"name\":\"\"",
                    "at /nodes/1/name: expected a string that is not empty");
  expectFileRefused("\"id\":11", "\"id\":18446744073709551615",
                    "at /nodes/1/id");
  expectFileRefused("\"maxFPGAs\":2", "\"maxFPGAs\":-2", "at /maxFPGAs");
  expectFileRefused("\"maxFPGAs\":2", "\"maxGPUs\":2", "maxGPUs");
  expectFileRefused("\"cpuLatency\":10.0", "\"cpuLatency\":-1",
                    "at /nodes/0/cpuLatency");
  expectFileRefused("\"cpuLatency\":10.0", "\"cpuLatency\":1e999",
                    "number overflow");
  expectFileRefused("\"supportedOnFpga\":true", "\"supportedOnFpga\":2",
                    "at /nodes/0/supportedOnFpga");
  expectFileRefused("\"id\":11", "\"id\":10", "duplicate identifier 10");
  expectFileRefused("\"destId\":11", "\"destId\":77",
                    "expected the identifier of a node, got 77");
  expectFileRefused("\"destId\":11", "\"destId\":10", "without cycles");
  expectFileRefused("\"edges\":[",
                    "\"edges\":[{\"sourceId\":10,\"destId\":12,"
                    "\"cost\":2},",
                    "cost of the other edges from node 10");
}

TEST(PlacementProblem, IdentifiersNeedNotBeDense) {
  for (int64_t factor : {1, 7, 1000, 1'000'000'007}) {
    Problem problem = makePath({1, 2, 3}, 2, 1);
    for (Node &node : problem.nodes)
      node.id = (node.id - 11) * factor;
    Expected<Problem> again = parseProblem(printProblem(problem), "p.json");
    ASSERT_TRUE(static_cast<bool>(again)) << again.error();
    EXPECT_EQ(printProblem(*again), printProblem(problem));
    problem.nodes[2].id = problem.nodes[0].id;
    MaybeError error = problem.check();
    ASSERT_TRUE(error);
    EXPECT_NE(error->message.find("two of " + std::to_string(-factor)),
              std::string::npos)
        << error->message;
  }
}

TEST(PlacementProblem, FlagsMayBeNumbers) {
  std::string text =
      R"({"maxSizePerFPGA": 1, "maxFPGAs": 1, "maxCPUs": 0, "edges": [],
          "nodes": [{"id": 5, "supportedOnFpga": 1, "isBackwardNode": 0,
                     "cpuLatency": 2, "fpgaLatency": 1, "size": 0}]})";
  Expected<Problem> problem = parseProblem(text, "p.json");
  ASSERT_TRUE(static_cast<bool>(problem)) << problem.error();
  EXPECT_TRUE(problem->nodes[0].acceleratable);
  EXPECT_FALSE(problem->nodes[0].backward);
  EXPECT_FALSE(problem->nodes[0].colorClass);
}
