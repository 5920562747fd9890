//===- MeshTest.cpp - Devices as a product of axes ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meshes of topologies, device lists of mesh configs, and clusters.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/Symmetry/QuotientModel.h"
#include "Soap/Topology/Cluster.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace soap;

namespace {

Mesh meshOf(const std::string &name, const std::vector<int64_t> &across = {},
            const std::vector<int64_t> &inside = {}) {
  Expected<Mesh> mesh = makeMesh(*builtinTopology(name), across, inside);
  EXPECT_TRUE(mesh) << mesh.error();
  return *mesh;
}

std::string errorOf(const std::string &name, const std::vector<int64_t> &across,
                    const std::vector<int64_t> &inside) {
  Expected<Mesh> mesh = makeMesh(*builtinTopology(name), across, inside);
  return mesh ? "" : mesh.error();
}

IterationSpace spaceOf(const std::vector<int64_t> &extents) {
  return tensorSpace(extents);
}

TEST(Mesh, FollowsTheMachines) {
  Mesh mesh = meshOf("h100-4x2");
  ASSERT_EQ(mesh.axes.size(), 2u);
  EXPECT_EQ(mesh.axes[0].name, "across");
  EXPECT_EQ(mesh.axes[0].size, 4);
  EXPECT_TRUE(mesh.axes[0].isAcross);
  EXPECT_EQ(mesh.axes[1].name, "inside");
  EXPECT_EQ(mesh.axes[1].size, 2);
  EXPECT_EQ(mesh.deviceCount(), 8);
  EXPECT_EQ(mesh.machineCount(), 4);
  mesh = meshOf("h100-4x4", {2, 2}, {2, 2});
  ASSERT_EQ(mesh.axes.size(), 4u);
  EXPECT_EQ(mesh.axes[1].name, "across1");
  EXPECT_EQ(mesh.axes[2].name, "inside0");
  EXPECT_EQ(meshOf("cpu-4").machineCount(), 1);
}

TEST(Mesh, SizesThatDoNotMultiply) {
  EXPECT_EQ(errorOf("h100-4x2", {3}, {}),
            "sizes of the axes across must multiply to the 4 machines, got 3");
  EXPECT_EQ(errorOf("h100-4x2", {}, {2, 2}),
            "sizes of the axes inside must multiply to the 2 devices of a "
            "machine, got 2 x 2");
  EXPECT_EQ(errorOf("h100-4x2", {4, 0}, {}),
            "size of an axis across must be at least 1, got 0");
}

TEST(Mesh, DeviceListsAreRowMajor) {
  Mesh mesh = meshOf("h100-2x4", {2}, {2, 2});
  IterationSpace space = spaceOf({16, 16});
  // Axis 0 and axis 2 cut the first loop, axis 1 makes replicas.
  Config config = unfold(mesh, {{0, MeshConfig::replicas, 0}}, 2);
  EXPECT_EQ(config.degrees, (std::vector<int64_t>{4, 1}));
  EXPECT_EQ(config.replicas, 2);
  EXPECT_EQ(config.devices, (std::vector<int>{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(checkConfig(space, config, 8).fault, ConfigFault::None);
  // Only the first device of each machine.
  config = unfold(mesh, {{1, MeshConfig::nothing, MeshConfig::nothing}}, 2);
  EXPECT_EQ(config.degrees, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(config.devices, (std::vector<int>{0, 4}));
}

TEST(Mesh, ConfigsThatDoNotFit) {
  Mesh mesh = meshOf("h100-2x4");
  IterationSpace space = spaceOf({16, 16});
  auto errorOf = [&](const MeshConfig &config) {
    MaybeError error = checkMeshConfig(mesh, space, config);
    return error ? error->message : "";
  };
  EXPECT_EQ(errorOf({{0, 1}}), "");
  EXPECT_EQ(errorOf({{0}}),
            "expected 2 targets, one per axis of the mesh, got 1");
  EXPECT_EQ(errorOf({{0, 2}}),
            "target of axis 'inside' is loop 2, but there are 2 loops");
  space.loops[1].type = IteratorType::Serial;
  EXPECT_EQ(errorOf({{0, 1}}),
            "loop 'd1' is serial and may not be cut, got axis 'inside'");
}

TEST(Mesh, FollowersMakeReplicas) {
  // The follower has the leader's second loop only.
  MeshConfig leader{{0, 1, MeshConfig::replicas, MeshConfig::nothing}};
  MeshConfig config = followMesh(leader, {-1, 1});
  EXPECT_EQ(config.targets,
            (std::vector<int>{MeshConfig::replicas, 1, MeshConfig::replicas,
                              MeshConfig::nothing}));
}

TEST(Cluster, BuiltinTopologies) {
  for (const char *name : {"h100-4x2", "p100-4x4", "k80-2x4", "dgx1-2x8",
                           "v100-3x8", "pcie-2x2", "h100-8"}) {
    Expected<Cluster> cluster = Cluster::of(*builtinTopology(name));
    EXPECT_TRUE(cluster) << cluster.error();
  }
  for (auto [name, reason] :
       {std::pair{"cpu-4", "topology 'cpu-4' is not a cluster of equal "
                           "machines: devices have no collectives"},
        std::pair{"fat-tree-4", "topology 'fat-tree-4' is not a cluster of "
                                "equal machines: "}}) {
    Expected<Cluster> cluster = Cluster::of(*builtinTopology(name));
    ASSERT_FALSE(cluster) << name;
    EXPECT_TRUE(cluster.error().starts_with(reason)) << cluster.error();
  }
  Topology slow = *builtinTopology("h100-2x2");
  slow.links.back().bandwidthBytesPerSecond /= 2;
  ASSERT_FALSE(slow.computeRoutes());
  Expected<Cluster> cluster = Cluster::of(slow);
  ASSERT_FALSE(cluster);
  EXPECT_NE(cluster.error().find("differs from"), std::string::npos)
      << cluster.error();
}

TEST(Cluster, FewMachinesHaveTheSameRoutes) {
  Topology all = *builtinTopology("dgx1-4x8");
  Expected<Cluster> cluster = Cluster::of(all);
  ASSERT_TRUE(cluster) << cluster.error();
  Topology two = cluster->firstMachines(all, 2);
  ASSERT_EQ(two.deviceCount(), 16);
  for (int a = 0; a < 16; ++a)
    for (int b = 0; b < 16; ++b) {
      std::vector<std::string> first, second;
      for (int link : all.route(a, b))
        first.push_back(all.links[link].name);
      for (int link : two.route(a, b))
        second.push_back(two.links[link].name);
      EXPECT_EQ(first, second);
    }
}

TEST(QuotientModel, PricesAreThoseOfTheTopology) {
  Topology topology = *builtinTopology("p100-4x4");
  Expected<std::unique_ptr<QuotientModel>> model =
      QuotientModel::make(topology, meshOf("p100-4x4", {2, 2}));
  ASSERT_TRUE(model) << model.error();
  QuotientModel::Group group;
  group.spans = {true, false, false};
  group.inside = {1, 3};
  std::vector<int> devices = {1, 3, 9, 11};
  for (int64_t bytes : {100, 1 << 20}) {
    CollectiveCost expected =
        collectiveCost(topology, CollectiveKind::AllReduce, devices, bytes);
    QuotientModel::Price price = (*model)->price(group, bytes);
    EXPECT_EQ(price.ns, expected.ns);
    EXPECT_TRUE(price.isEven);
    std::vector<std::string> names;
    for (int link : expected.links)
      if ((*model)->getCluster().machineOf(link) == 0)
        names.push_back(topology.links[link].name);
    std::vector<std::string> found;
    for (int link : (*model)->linksAt(price.links))
      found.push_back((*model)->getReducedTopology().links[link].name);
    EXPECT_EQ(found, names);
  }
  EXPECT_FALSE(QuotientModel::make(topology, meshOf("h100-2x4")));
}

} // namespace
