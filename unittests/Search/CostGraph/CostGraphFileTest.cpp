//===- CostGraphFileTest.cpp - Cost graphs as JSON ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Round trips, and a message for everything that is not as it should be.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/CostGraph/CostGraphFile.h"
#include "Search/CostGraphs.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;

static const std::string good =
    R"({"problem": {"name": "pair",
 "nodes": {"intervals": [[0, 2], [1, 3]], "costs": [[1, 5], [2]],
           "usages": [[10, 4], [7]]},
 "edges": {"nodes": [[0, 1]], "costs": [[0, 8]]},
 "usage_limit": 17}})";

/// The good file with one text replaced by another.
static std::string changed(const std::string &from, const std::string &to) {
  std::string text = good;
  size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

TEST(CostGraphFile, ReadsAFile) {
  auto graph = parseCostGraph(good, "f.json");
  ASSERT_TRUE(graph) << graph.error();
  EXPECT_EQ(graph->name, "pair");
  EXPECT_EQ(graph->nodeCount(), 2);
  EXPECT_EQ(graph->nodes[0].memory, (std::vector<int64_t>{10, 4}));
  EXPECT_EQ(graph->nodes[1].liveTo, 3);
  EXPECT_EQ(graph->edges[0].costs, (std::vector<int64_t>{0, 8}));
  EXPECT_EQ(graph->capacity, 17);
}

TEST(CostGraphFile, RoundTrip) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    CostGraph graph = CostGraphGenerator(seed).draw(9, 5);
    std::string text = printCostGraph(graph);
    auto again = parseCostGraph(text, "printed");
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(printCostGraph(*again), text);
    EXPECT_EQ(again->capacity, graph.capacity);
  }
}

TEST(CostGraphFile, Messages) {
  auto refuse = [](const std::string &text, const std::string &message) {
    auto graph = parseCostGraph(text, "f.json");
    ASSERT_FALSE(graph) << message;
    EXPECT_EQ(graph.error().rfind("f.json: ", 0), 0u) << graph.error();
    EXPECT_NE(graph.error().find(message), std::string::npos)
        << graph.error() << "\nexpected " << message;
  };
  refuse("", "line 1");
  refuse(good.substr(0, good.size() - 1), "syntax error");
  refuse(good + "x", "syntax error");
  refuse("[]", "at /: expected an object, got an array");
  refuse("7", "at /: expected an object, got 7");
  refuse("{}", "at /: expected a key \"problem\"");
  refuse(changed("\"name\"", "\"nam\""), "at /problem: unknown key \"nam\"");
  refuse(changed("\"usage_limit\"", "\"name\""), "duplicate key \"name\"");
  refuse(changed("\"pair\"", "4"), "at /problem/name: expected a string");
  refuse(changed("17", "-17"), "at /problem/usage_limit: expected an integer");
  refuse(changed("17", "1.5"), "got 1.5");
  refuse(changed("17", "9223372036854775808"), "got 9223372036854775808");
  refuse(changed("17", "[17]"), "expected an integer of 0 to 2^63 - 1, got an "
                                "array");
  refuse(changed("[1, 5]", "[1, -5]"),
         "at /problem/nodes/costs/0/1: expected an integer");
  refuse(changed("[1, 5]", "[1, null]"), "got null");
  refuse(changed("[1, 5]", "[1, NaN]"), "syntax error");
  refuse(changed("[1, 5]", "[1, 1e999]"), "f.json");
  refuse(changed("[1, 5]", "5"), "at /problem/nodes/costs/0: expected a list");
  refuse(changed("[1, 5]", "[[1], 5]"), "got an array");
  refuse(changed("[1, 5]", "[]"), "node 0: expected at least one config");
  refuse(changed("[10, 4]", "[10]"), "expected a memory for each of its 2");
  refuse(changed("[10, 4], ", ""), "at /problem/nodes/usages: expected one "
                                   "for each of 2 nodes/costs, got 1");
  refuse(changed("[0, 2]", "[0]"), "expected two integers, got 1");
  refuse(changed("[[0, 1]]", "[[0, 2]]"),
         "at /problem/edges/nodes/0: expected nodes below 2, got 2");
  refuse(changed("[[0, 1]]", "[[0, 4294967296]]"), "got 4294967296");
  refuse(changed("[[0, 1]]", "[[1, 1]]"), "two different nodes");
  refuse(changed("[[0, 8]]", "[[0, 8, 1]]"), "expected 2 * 1 costs");
  refuse(changed("[[0, 8]]", "[]"), "at /problem/edges/costs");
  refuse(std::string(100000, '['), "expected an object");
  refuse(changed("\"pair\"", "\"" + std::string(1, '\xff') + "\""),
         "syntax error");
}

TEST(CostGraphFile, Solutions) {
  CostGraphSolution solution{{0, 2, 1}, 45, false, 40, 0.5, {}};
  auto again = parseCostGraphSolution(printCostGraphSolution(solution), "s");
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->choice, solution.choice);
  EXPECT_EQ(again->cost, 45);
  EXPECT_EQ(again->bound, 40);
  EXPECT_FALSE(again->optimal);
  EXPECT_FALSE(again->ties);
  solution.ties = CostGraphTies{2, 43};
  again = parseCostGraphSolution(printCostGraphSolution(solution), "s");
  ASSERT_TRUE(again) << again.error();
  ASSERT_TRUE(again->ties);
  EXPECT_EQ(again->ties->nodes, 2);
  EXPECT_EQ(again->ties->untiedCost, 43);
  for (const char *text :
       {"{}", "[]",
        R"({"version":2,"cost":1,"solution":[],"optimal":true,)"
        R"("bound":1,"seconds":0})",
        R"({"version":1,"cost":-1,"solution":[],"optimal":true,"bound":1,)"
        R"("seconds":0})",
        R"({"version":1,"cost":1,"solution":[0],"optimal":true,"bound":1,)"
        R"("seconds":0,"ties":{"nodes":2,"untied_cost":1}})",
        R"({"version":1,"cost":1,"solution":[0.5],"optimal":true,"bound":1,)"
        R"("seconds":0})"})
    EXPECT_FALSE(parseCostGraphSolution(text, "s")) << text;
}
