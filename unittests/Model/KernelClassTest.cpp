//===- KernelClassTest.cpp - Kernels that are alike -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results for the first kernel of a class hold for all of them.
//
//===----------------------------------------------------------------------===//

#include "Support/RandomGraphs.h"

#include "Soap/Plan/KernelGeometry.h"
#include "Soap/Topology/Topology.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

using namespace soap;
using namespace soap::randomgraphs;

namespace {

/// A geometry with the tables that it refers to.
struct Geometry {
  KernelClasses classes;
  GraphRegions regions;
  GeometryBuilder builder;
  Geometry(const Graph &graph, const CostModel &cost)
      : classes(graph), regions(graph), builder(graph, cost, classes, regions) {
  }
  KernelGeometry of(const Kernel &kernel, const std::vector<int64_t> &degrees) {
    KernelGeometry geometry = builder.build(kernel, degrees);
    builder.addRegions(kernel, geometry);
    return geometry;
  }
};

std::vector<Region> listRegions(const GraphRegions &tables, int value,
                                const std::vector<int> &numbers) {
  std::vector<Region> regions;
  for (int number : numbers)
    regions.push_back(number < 0 ? Region() : tables.table(value)[number]);
  return regions;
}

TEST(KernelClass, GeometriesAreThoseOfTheFirstKernel) {
  Topology topology = *loadTopology("k80-2x4");
  CostModel cost(topology);
  Random random(7);
  int shared = 0;
  for (int round = 0; round < 40; ++round) {
    RandomProblem problem = randomProblem(random, 10);
    const Graph &graph = problem.graph;
    Geometry all(graph, cost);
    std::map<int, const Kernel *> first;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const Kernel &kernel = graph.nodes[n].whole;
      auto [it, isNew] = first.try_emplace(all.classes.of(kernel), &kernel);
      shared += !isNew;
      const std::vector<int64_t> &degrees = problem.strategy[n].degrees;
      Geometry own(graph, cost);
      KernelGeometry expected = own.of(kernel, degrees),
                     actual = all.of(*it->second, degrees);
      EXPECT_EQ(expected.states, actual.states);
      EXPECT_EQ(expected.durationNs, actual.durationNs);
      EXPECT_EQ(expected.resultBytes, actual.resultBytes);
      for (size_t i = 0; i < kernel.operands.size(); ++i)
        EXPECT_EQ(listRegions(own.regions, kernel.operands[i],
                              expected.operands[i].regions),
                  listRegions(all.regions, kernel.operands[i],
                              actual.operands[i].regions));
      for (size_t r = 0; r < kernel.results.size(); ++r) {
        EXPECT_EQ(expected.results[r].blockOf, actual.results[r].blockOf);
        EXPECT_EQ(listRegions(own.regions, kernel.results[r],
                              expected.results[r].regions),
                  listRegions(all.regions, kernel.results[r],
                              actual.results[r].regions));
      }
    }
  }
  EXPECT_GT(shared, 20) << "random graphs must have equal kernels";
}

/// Pieces are priced by classes of coordinates: as each of them by itself.
TEST(KernelGeometry, PricesAreThoseOfEachPiece) {
  Topology topology = *loadTopology("k80-2x4");
  CostModel cost(topology);
  Random random(11);
  int cutTwice = 0, notAll = 0;
  for (int round = 0; round < 300; ++round) {
    RandomProblem problem = randomProblem(random, 6);
    const Graph &graph = problem.graph;
    Geometry all(graph, cost);
    for (const GraphNode &node : graph.nodes) {
      const Kernel &kernel = node.whole;
      const IterationSpace &space = kernel.space;
      Config config;
      int cuts = 0;
      for (const Loop &loop : space.loops) {
        int64_t degree = loop.type == IteratorType::Serial
                             ? 1
                             : uniform(random, 1, loop.extent + 1);
        config.degrees.push_back(degree);
        cuts += degree > 1;
      }
      cutTwice += cuts > 1;
      config.devices.assign(static_cast<size_t>(config.piecesPerReplica()), 0);
      KernelGeometry geometry = all.builder.build(kernel, config.degrees);
      notAll += !geometry.allCompute;
      std::vector<Shard> shards = enumerateShards(space, config);
      ASSERT_EQ(shards.size(), geometry.states.size());
      bool allCompute = true;
      for (size_t p = 0; p < shards.size(); ++p) {
        const LoopBox &box = shards[p].box;
        bool anyEmpty = false, allEmpty = !kernel.operands.empty();
        for (size_t i = 0; i < kernel.operands.size(); ++i) {
          bool isEmptyTile = image(space.operands[i].map, box,
                                   graph.values[kernel.operands[i]].shape)
                                 .volume() == 0;
          anyEmpty |= isEmptyTile;
          allEmpty &= isEmptyTile;
        }
        bool fills = space.allowsEmptyOperands ? allEmpty : anyEmpty;
        ShardState state = isEmpty(box) ? ShardState::Absent
                           : fills      ? ShardState::Fill
                                        : ShardState::Compute;
        allCompute &= state == ShardState::Compute;
        ASSERT_EQ(state, geometry.states[p]);
        if (state == ShardState::Absent)
          continue;
        Work work = state == ShardState::Fill ? fillWork(graph, kernel, box)
                                              : kernelWork(graph, kernel, box);
        EXPECT_EQ(cost.computeNs(0, work),
                  geometry.durationNs[topology.devices[0].type][p]);
        EXPECT_EQ(fillWork(graph, kernel, box).bytes, geometry.resultBytes[p]);
      }
      EXPECT_EQ(allCompute, geometry.allCompute);
    }
  }
  EXPECT_GT(cutTwice, 100);
  EXPECT_GT(notAll, 20);
}

TEST(KernelClass, WhatMattersTellsKernelsApart) {
  Random random(8);
  GraphBuilder builder{{}, random};
  int x = builder.input({8, 6}), y = builder.input({8, 6}),
      z = builder.input({8, 7});
  IterationSpace space = builder.loops({8, 6}, 2);
  AccessMap identity{DimMap::loop(0), DimMap::loop(1)};
  space.operands = {{identity}};
  space.results = {{identity, Combiner::Sum}};
  builder.node("relu", space, {x}, {8, 6});
  Graph &graph = builder.graph;
  graph.nodes.reserve(64);
  auto classOf = [&](const std::function<void(Kernel &)> &change) {
    graph.nodes.push_back(graph.nodes[0]);
    change(graph.nodes.back().whole);
    KernelClasses classes(graph);
    int first = classes.of(graph.nodes[0].whole);
    return classes.of(graph.nodes.back().whole) - first;
  };
  EXPECT_EQ(0, classOf([](Kernel &) {}));
  EXPECT_EQ(0, classOf([&](Kernel &k) { k.operands[0] = y; }));
  EXPECT_EQ(0, classOf([](Kernel &k) {
              k.name = "other";
              k.phase = Phase::Backward;
            }));
  EXPECT_NE(0, classOf([&](Kernel &k) { k.operands[0] = z; }));
  EXPECT_NE(0, classOf([](Kernel &k) { k.kind = "tanh"; }));
  EXPECT_NE(0, classOf([](Kernel &k) { k.space.flopsPerPoint = 2; }));
  EXPECT_NE(0, classOf([](Kernel &k) { k.space.loops[1].extent = 5; }));
  EXPECT_NE(0, classOf([](Kernel &k) { k.space.loops[1].name = "c"; }));
  EXPECT_NE(0, classOf([](Kernel &k) { k.space.loops[1].stage = true; }));
  EXPECT_NE(0, classOf([](Kernel &k) {
              k.space.loops[1].type = IteratorType::Reduction;
            }));
  EXPECT_NE(0, classOf([](Kernel &k) {
              k.space.operands[0].map[1] = DimMap::whole();
            }));
  EXPECT_NE(0,
            classOf([](Kernel &k) { k.space.results[0].map[0].offset = 1; }));
  EXPECT_NE(0, classOf([](Kernel &k) { k.space.allowsEmptyOperands = true; }));
  EXPECT_NE(0, classOf([](Kernel &k) { k.registers.joins = true; }));
  EXPECT_NE(0, classOf([](Kernel &k) { k.registers.operands = {1}; }));
  EXPECT_NE(0, classOf([](Kernel &k) { k.registers.results = {1}; }));
  EXPECT_NE(0, classOf([](Kernel &k) { k.wholeLoops = {0, -1}; }));
}

} // namespace
