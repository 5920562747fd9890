//===- FusionTest.cpp -----------------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops are generated into one kernel, and what that saves.
//
//===----------------------------------------------------------------------===//

#include "Model/Fusion.h"

#include "Soap/Cost/CostModel.h"
#include "Support/Graphs.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;

namespace {

constexpr int64_t rows = 64, columns = 32;

/// Ops on tensors of rows x columns.
class FusionTest : public ::testing::Test {
protected:
  GraphBuilder b;

  int tensor(const std::string &name) { return b.value(name, {rows, columns}); }
  int input(const std::string &name) { return b.input(name, {rows, columns}); }
  int elementwise(const std::string &name, const std::vector<int> &operands,
                  Phase phase = Phase::Forward) {
    std::vector<std::pair<int, std::vector<int>>> accesses;
    for (int value : operands)
      accesses.push_back({value, {0, 1}});
    int result = tensor(name + ".out");
    b.node(name, operands.size() > 1 ? "add" : "relu", phase,
           {{"d0", rows}, {"d1", columns}}, {Role::Sample, Role::Attribute},
           accesses, result, {0, 1});
    return result;
  }
  int matmul(const std::string &name, int x) {
    int w = b.input(name + ".w", {columns, columns}),
        result = tensor(name + ".out");
    b.node(
        name, "matmul", Phase::Forward,
        {{"m", rows}, {"n", columns}, {"k", columns, IteratorType::Reduction}},
        {Role::Sample, Role::Parameter, Role::Reduction},
        {{x, {0, 2}}, {w, {2, 1}}}, result, {0, 1}, 2);
    return result;
  }
  /// Over rows, as a batch norm.
  int normalize(const std::string &name, int x, Phase phase = Phase::Forward) {
    int result = tensor(name + ".out");
    int node =
        b.node(name, "batch_norm_train", phase, {{"n", rows}, {"c", columns}},
               {Role::Sample, Role::Attribute}, {{x, {0, 1}}}, result, {0, 1});
    b.graph.nodes[node].whole.space.loops[0].stage = true;
    return result;
  }
  void output(int value) {
    GraphOutput output;
    output.value = value;
    output.name = "y";
    b.graph.outputs.push_back(output);
  }
  const Kernel &kernel(const std::string &name) {
    for (const GraphNode &node : b.graph.nodes)
      if (node.whole.name == name)
        return node.whole;
    ADD_FAILURE() << name;
    return b.graph.nodes[0].whole;
  }
  bool joins(const std::string &name) { return kernel(name).registers.joins; }
  bool reads(const std::string &name, size_t operand = 0) {
    return !kernel(name).registers.operands[operand];
  }
  bool writes(const std::string &name) {
    return !kernel(name).registers.results[0];
  }
  Work work(const std::string &name) {
    const Kernel &op = kernel(name);
    return kernelWork(b.graph, op, op.space.wholeBox());
  }
};

TEST_F(FusionTest, ChainOfElementwiseOps) {
  int x = matmul("fc", input("x"));
  x = elementwise("a", {x});
  x = elementwise("b", {x});
  output(matmul("fc2", elementwise("c", {x})));
  keepInRegisters(b.graph);
  EXPECT_FALSE(joins("fc"));
  EXPECT_FALSE(joins("a"));
  EXPECT_TRUE(reads("a")); // from the library's kernel
  EXPECT_FALSE(writes("a"));
  EXPECT_TRUE(joins("b"));
  EXPECT_FALSE(reads("b"));
  EXPECT_FALSE(writes("b"));
  EXPECT_TRUE(joins("c"));
  EXPECT_FALSE(reads("c"));
  EXPECT_TRUE(writes("c"));
  int64_t bytes = rows * columns * 4;
  EXPECT_EQ(work("a").bytes, 2 * bytes);
  EXPECT_EQ(work("a").registerBytes, bytes);
  EXPECT_EQ(work("b").registerBytes, 2 * bytes);
  EXPECT_EQ(work("fc").registerBytes, 0);
  EXPECT_TRUE(work("b").joins);
}

TEST_F(FusionTest, WrittenForOthers) {
  int a = elementwise("a", {input("x")});
  int c = elementwise("b", {a});
  output(matmul("fc", a));
  output(c);
  keepInRegisters(b.graph);
  EXPECT_TRUE(writes("a")); // for the product
  EXPECT_FALSE(reads("b"));
  EXPECT_TRUE(writes("b")); // it is an output
}

/// The result of a library kernel is not there yet.
TEST_F(FusionTest, NoWayAroundAnotherKernel) {
  int a = elementwise("a", {input("x")});
  int c = elementwise("b", {matmul("fc", a)});
  output(elementwise("sum", {a, c}));
  keepInRegisters(b.graph);
  // The sum goes with what comes last.
  EXPECT_TRUE(joins("sum"));
  EXPECT_TRUE(reads("sum", 0));
  EXPECT_FALSE(reads("sum", 1));
  EXPECT_TRUE(writes("a"));
}

/// Between forward and backward lies the rest of the network.
TEST_F(FusionTest, PhasesApart) {
  int a = elementwise("a", {input("x")});
  output(elementwise("b", {a}, Phase::Backward));
  keepInRegisters(b.graph);
  EXPECT_FALSE(joins("b"));
  EXPECT_TRUE(reads("b"));
}

TEST_F(FusionTest, OneNormalizationInAKernel) {
  int x = matmul("fc", input("x"));
  x = elementwise("relu", {normalize("norm", x)});
  output(normalize("norm2", x));
  keepInRegisters(b.graph);
  EXPECT_TRUE(joins("relu"));
  EXPECT_FALSE(writes("norm"));
  // The operand of the second sum must be complete first.
  EXPECT_FALSE(joins("norm2"));
  EXPECT_TRUE(writes("relu"));
}

/// A sum over rows, and what is added to every row, have other elements.
TEST_F(FusionTest, RowsAreNotElements) {
  int row = b.value("row", {columns});
  int x = input("x");
  int a = elementwise("a", {x});
  b.node("sum", "reduce", Phase::Forward,
         {{"n", rows, IteratorType::Reduction}, {"c", columns}},
         {Role::Reduction, Role::Attribute}, {{a, {0, 1}}}, row, {1});
  int scaled = b.value("scaled", {columns});
  b.node("scale", "scale", Phase::Forward, {{"d0", columns}}, {Role::Attribute},
         {{row, {0}}}, scaled, {0});
  int y = tensor("y");
  b.node("bias", "bias_add", Phase::Forward, {{"d0", rows}, {"d1", columns}},
         {Role::Sample, Role::Attribute}, {{x, {0, 1}}, {scaled, {1}}}, y,
         {0, 1});
  output(y);
  keepInRegisters(b.graph);
  for (const char *name : {"sum", "scale", "bias"})
    EXPECT_FALSE(joins(name)) << name;
  EXPECT_TRUE(writes("scale"));
}

/// Chains cost less than their ops, in shards, too, and never less for more.
TEST_F(FusionTest, Costs) {
  int x = normalize("norm", matmul("fc", input("x")));
  output(elementwise("b", {elementwise("a", {x})}));
  Graph apart = b.graph;
  keepInRegisters(b.graph);
  for (const char *name : {"cpu-2", "h200-1x2", "p100-1x4"}) {
    Topology topology = *builtinTopology(name);
    CostModel cost(topology);
    for (size_t n = 1; n < b.graph.nodes.size(); ++n) {
      int64_t last = 0;
      for (int64_t extent = 1; extent <= rows; extent *= 2) {
        const Kernel &op = b.graph.nodes[n].whole;
        LoopBox box = op.space.wholeBox();
        box[0] = {0, extent};
        int64_t ns = cost.computeNs(0, kernelWork(b.graph, op, box));
        EXPECT_GE(ns, last) << op.name;
        EXPECT_LE(
            ns, cost.computeNs(0, kernelWork(apart, apart.nodes[n].whole, box)))
            << op.name;
        last = ns;
      }
    }
    int64_t joined = cost.computeNs(0, work("a"));
    EXPECT_LT(joined, cost.computeNs(
                          0, kernelWork(apart, apart.nodes[2].whole,
                                        apart.nodes[2].whole.space.wholeBox())))
        << name;
    EXPECT_LT(joined, topology.typeOf(0).launchNs) << name;
  }
}

} // namespace
