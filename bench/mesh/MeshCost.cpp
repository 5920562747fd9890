//===- MeshCost.cpp - Time to price mesh strategies -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prices strategies of a problem file over the mesh of each cluster: by the
// quotient plan, and, up to some number of devices, by the unfolded plan, whose
// time and memory must be the same. One JSON object a line.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/Symmetry/QuotientPlan.h"
#include "Soap/Search/Problem/ProblemFile.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace soap;

namespace {

/// `data`: samples over all devices. `tensor`: samples over the machines, and
/// inside of each the largest parameter loop, or else samples.
MeshStrategy makeStrategy(const std::string &name, const Mesh &mesh,
                          const ParallelizationProblem &problem) {
  const Graph &graph = problem.getGraph();
  MeshStrategy strategy(graph.nodes.size());
  for (const OpGroup &group : problem.getGroups()) {
    const IterationSpace &space = graph.nodes[group.leader].whole.space;
    const std::vector<Role> &roles = problem.getRoles()[group.leader];
    int samples = MeshConfig::replicas, parameter = -1;
    for (size_t l = 0; l < space.loops.size(); ++l) {
      if (!problem.mayCut(group.leader, static_cast<int>(l)))
        continue;
      if (roles[l] == Role::Sample && samples < 0)
        samples = static_cast<int>(l);
      if (roles[l] == Role::Parameter &&
          (parameter < 0 ||
           space.loops[l].extent > space.loops[parameter].extent))
        parameter = static_cast<int>(l);
    }
    int inside = name == "tensor" && parameter >= 0 ? parameter : samples;
    MeshConfig leader;
    for (const MeshAxis &axis : mesh.axes)
      leader.targets.push_back(axis.isAcross ? samples : inside);
    for (size_t i = 0; i < group.nodes.size(); ++i)
      strategy[group.nodes[i]] = followMesh(leader, group.loops[i]);
  }
  return strategy;
}

double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

} // namespace

int main(int argc, char **argv) {
  if (argc < 5) {
    std::printf("usage: MeshCost PROBLEM.json data|tensor LARGEST-UNFOLDED "
                "TOPOLOGY...\n");
    return 2;
  }
  Expected<ProblemFile> file = loadProblemFile(argv[1]);
  if (!file) {
    std::printf("%s\n", file.error().c_str());
    return 2;
  }
  int largest = std::atoi(argv[3]), status = 0;
  for (int i = 4; i < argc; ++i) {
    Expected<Topology> topology = loadTopology(argv[i]);
    if (!topology) {
      std::printf("%s\n", topology.error().c_str());
      return 2;
    }
    Expected<Mesh> mesh = makeMesh(*topology);
    if (!mesh) {
      std::printf("%s\n", mesh.error().c_str());
      return 2;
    }
    ParallelizationProblem problem(file->graph, *topology, file->groups,
                                   file->roles);
    MeshStrategy strategy = makeStrategy(argv[2], *mesh, problem);
    double start = now();
    auto model = QuotientModel::make(*topology, *mesh);
    if (!model) {
      std::printf("%s\n", model.error().c_str());
      return 2;
    }
    MeshPricer pricer(file->graph, *topology, *mesh, model->get());
    MeshPrice price = pricer.price(strategy);
    double first = now() - start;
    // From nothing but the prices of collectives, as a new plan would be.
    constexpr int repeats = 5;
    start = now();
    for (int r = 0; r < repeats; ++r)
      price = MeshPricer(file->graph, *topology, *mesh, model->get())
                  .price(strategy);
    double next = (now() - start) / repeats;
    start = now();
    for (int r = 0; r < repeats; ++r)
      pricer.price(strategy);
    double again = (now() - start) / repeats;
    std::string same = "null";
    double unfolded = 0;
    if (topology->deviceCount() <= largest) {
      start = now();
      MeshPrice all =
          MeshPricer(file->graph, *topology, *mesh, nullptr).price(strategy);
      unfolded = now() - start;
      bool isSame = all.makespanNs == price.makespanNs &&
                    all.peakBytes == price.peakBytes;
      same = isSame ? "true" : "false";
      status |= !isSame;
    }
    std::printf("{\"topology\":\"%s\",\"devices\":%d,\"strategy\":\"%s\","
                "\"makespan_ns\":%lld,\"peak_bytes\":%lld,\"tasks\":%lld,"
                "\"unfolded\":\"%s\",\"first_s\":%.5f,\"new_plan_s\":%.5f,"
                "\"same_plan_s\":%.5f,\"unfolded_s\":%.4f,\"same\":%s}\n",
                argv[i], topology->deviceCount(), argv[2],
                static_cast<long long>(price.makespanNs),
                static_cast<long long>(price.peakBytes),
                static_cast<long long>(price.tasks), price.unfolded.c_str(),
                first, next, again, unfolded, same.c_str());
    std::fflush(stdout);
  }
  return status;
}
