//===- MeshSearchTest.cpp - Search over mesh strategies -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of the search, its text, and that it depends on nothing
// else.
//
//===----------------------------------------------------------------------===//

#include "Search/Problems.h"

#include "Soap/Search/Mesh/MeshSearch.h"
#include "Soap/Search/Presets/Presets.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;

namespace {

Mlp equalLayers(int64_t batch, int64_t width) {
  Mlp mlp = makeMlp(batch, {width, width, width, width, width});
  mlp.graph.outputs.clear(); // activations, which would be gathered
  return mlp;
}

TEST(MeshSearch, IsAtLeastAsGoodAsDataParallelism) {
  MlpProblem problem(equalLayers(64, 512), *builtinTopology("h100-4x2"));
  MeshOptions options;
  options.proposals = 400;
  MeshResult found = searchMesh(problem.problem, options);
  EXPECT_FALSE(problem.problem.verify(found.search.best));
  Evaluation price = problem.problem.evaluate(found.search.best);
  EXPECT_EQ(price.makespanNs, found.search.bestEvaluation.makespanNs);
  EXPECT_LE(price.makespanNs,
            problem.problem.evaluate(dataParallelStrategy(problem.problem))
                .makespanNs);
  EXPECT_GT(found.folded, 0);
  // The first layer has no gradient of its input; the others are mates.
  EXPECT_EQ(found.decisions, 2);
  EXPECT_EQ(searchMesh(problem.problem, options).search.best,
            found.search.best);
  options.untied = true;
  EXPECT_EQ(searchMesh(problem.problem, options).decisions, 4);
}

TEST(MeshSearch, SharesUpdatesWhereMemoryIsShort) {
  // Weights of 4 layers, 1 MB each, and their gradients; little else.
  Topology topology = *builtinTopology("h100-4x2");
  topology.deviceTypes[0].memoryBytes = 7 << 20;
  MlpProblem problem(equalLayers(64, 512), topology);
  ASSERT_GT(problem.problem.evaluate(dataParallelStrategy(problem.problem))
                .excessBytes,
            0);
  MeshOptions options;
  options.proposals = 400;
  MeshResult found = searchMesh(problem.problem, options);
  EXPECT_EQ(found.search.bestEvaluation.excessBytes, 0);
  EXPECT_FALSE(problem.problem.verify(found.search.best));
}

TEST(MeshSearch, WithoutACluster) {
  MlpProblem problem(equalLayers(64, 64), 4);
  MeshOptions options;
  options.proposals = 50;
  MeshResult found = searchMesh(problem.problem, options);
  EXPECT_EQ(found.folded, 0);
  EXPECT_GT(found.unfolded, 0);
  EXPECT_FALSE(problem.problem.verify(found.search.best));
}

} // namespace
