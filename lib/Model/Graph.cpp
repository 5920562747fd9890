//===- Graph.cpp - Op graph that searches and plans work on ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages of a node and their configs.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/Graph.h"

#include "Soap/Model/OpShape.h"

#include <algorithm>
#include <cassert>

namespace soap {

bool usesStages(const GraphNode &node, const Config &config) {
  assert((node.stages.empty() ||
          config.degrees.size() == node.whole.space.loops.size()) &&
         "a degree a loop");
  if (node.stages.empty())
    return false;
  for (size_t l = 0; l < node.whole.space.loops.size(); ++l)
    if (node.whole.space.loops[l].stage && config.degrees[l] > 1)
      return true;
  return false;
}

/// One replica, if all are on the same devices: the pieces of a loop that only
/// another stage has are on one device, as the keys of ring attention.
static void leaveOutRepeated(Config &config) {
  auto pieces = static_cast<ptrdiff_t>(config.piecesPerReplica());
  std::vector<int> &devices = config.devices;
  // Each device is that of the replica before.
  if (!std::equal(devices.begin() + pieces, devices.end(), devices.begin()))
    return;
  devices.resize(static_cast<size_t>(pieces));
  config.replicas = 1;
}

Config stageConfig(const GraphNode &node, const Config &config,
                   const Kernel &stage) {
  assert(stage.wholeLoops.size() == stage.space.loops.size() &&
         "a loop of the whole op for each of the stage");
  Config own = followLoops(config, stage.wholeLoops);
  if (own.replicas > config.replicas && isAttention(node.whole.kind))
    leaveOutRepeated(own);
  return own;
}

IterationSpace tensorSpace(const std::vector<int64_t> &shape) {
  IterationSpace space;
  AccessMap map;
  for (size_t d = 0; d < shape.size(); ++d) {
    space.loops.push_back(
        {"d" + std::to_string(d), shape[d], IteratorType::Parallel, false});
    map.push_back(DimMap::loop(static_cast<int>(d)));
  }
  space.results.push_back({std::move(map), Combiner::Sum});
  return space;
}

} // namespace soap
