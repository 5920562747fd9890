//===- Problems.h - Small problems for tests --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The perceptron of unittests/Core with the groups of the paper: a layer's
// forward, backward and update ops share a config.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_SEARCH_PROBLEMS_H
#define SOAP_UNITTESTS_SEARCH_PROBLEMS_H

#include "Soap/Search/Problem/ParallelizationProblem.h"
#include "Support/Graphs.h"

namespace soap::test {

inline std::vector<OpGroup> layerGroups(const Mlp &mlp) {
  std::vector<OpGroup> groups;
  for (const MlpLayer &layer : mlp.layers) {
    OpGroup group;
    group.leader = layer.matmul;
    auto add = [&](int node, std::vector<int> loops) {
      if (node < 0)
        return;
      group.nodes.push_back(node);
      group.loops.push_back(std::move(loops));
    };
    add(layer.matmul, {0, 1, 2});
    add(layer.relu, {0, 1});
    add(layer.reluGrad, {0, 1});
    add(layer.inputGrad, {0, 1, 2});
    add(layer.weightGrad, {0, 1, 2});
    add(layer.update, {2, 1});
    groups.push_back(std::move(group));
  }
  return groups;
}

/// Keeps what a problem refers to.
struct MlpProblem {
  Mlp mlp;
  Topology topology;
  ParallelizationProblem problem;

  MlpProblem(Mlp m, Topology of)
      : mlp(std::move(m)), topology(std::move(of)),
        problem(mlp.graph, topology, layerGroups(mlp), mlp.roles) {}
  MlpProblem(Mlp m, int devices, int64_t memoryBytes = int64_t(1) << 40)
      : MlpProblem(std::move(m), makeTopology(devices, memoryBytes)) {}
  MlpProblem(const MlpProblem &) = delete;

private:
  static Topology makeTopology(int devices, int64_t memoryBytes) {
    Topology topology = *builtinTopology("cpu-" + std::to_string(devices));
    topology.deviceTypes[0].memoryBytes = memoryBytes;
    return topology;
  }
};

} // namespace soap::test

#endif // SOAP_UNITTESTS_SEARCH_PROBLEMS_H
