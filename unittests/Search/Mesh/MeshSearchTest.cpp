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

#include <set>

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

TEST(MeshSearch, ShardingsHaveEqualPiecesOnAllDevices) {
  // 1200 samples are no 32 equal pieces, and columns of 2000 no 64.
  MlpProblem problem(makeMlp(1200, {2000, 4800, 2000, 4800}),
                     *builtinTopology("h100-4x4"));
  MeshOptions options;
  options.proposals = 300;
  options.shardings = true;
  MeshResult found = searchMesh(problem.problem, options);
  EXPECT_FALSE(problem.problem.verify(found.search.best));
  const Graph &graph = problem.problem.getGraph();
  bool isCut = false;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Config &config = found.search.best[n];
    std::set<int> devices(config.devices.begin(), config.devices.end());
    EXPECT_EQ(devices.size(), 16U);
    EXPECT_EQ(config.devices.size(), 16U);
    const std::vector<Loop> &loops = graph.nodes[n].whole.space.loops;
    for (size_t l = 0; l < loops.size(); ++l)
      EXPECT_EQ(loops[l].extent % config.degrees[l], 0);
    isCut |= config.piecesPerReplica() > 1;
  }
  EXPECT_TRUE(isCut);
}

} // namespace
