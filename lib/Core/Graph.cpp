//===- Graph.cpp - Op graph that searches and plans work on ---------------===//
//
// Stages of a node and their configs.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/Graph.h"

namespace soap {

bool usesStages(const GraphNode &node, const Config &config) {
  if (node.stages.empty())
    return false;
  for (size_t l = 0; l < node.whole.space.loops.size(); ++l)
    if (node.whole.space.loops[l].stage && config.degrees[l] > 1)
      return true;
  return false;
}

Config stageConfig(const GraphNode &node, const Config &config,
                   const Kernel &stage) {
  const std::vector<Loop> &whole = node.whole.space.loops;
  Config result;
  // The others become replicas.
  const std::vector<int> &position = stage.wholeLoops;
  std::vector<bool> kept(whole.size(), false);
  for (int p : position) {
    if (p >= 0)
      kept[p] = true;
    result.degrees.push_back(p >= 0 ? config.degrees[p] : 1);
  }
  result.replicas = config.replicas;
  for (size_t l = 0; l < whole.size(); ++l)
    if (!kept[l])
      result.replicas *= config.degrees[l];

  int64_t pieces = result.piecesPerReplica();
  std::vector<int64_t> coordinate(whole.size());
  for (int64_t r = 0; r < result.replicas; ++r) {
    int64_t rest = r;
    std::fill(coordinate.begin(), coordinate.end(), 0);
    for (size_t l = whole.size(); l-- > 0;)
      if (!kept[l]) {
        coordinate[l] = rest % config.degrees[l];
        rest /= config.degrees[l];
      }
    for (int64_t p = 0; p < pieces; ++p) {
      int64_t piece = p;
      for (size_t l = stage.space.loops.size(); l-- > 0;) {
        if (position[l] >= 0)
          coordinate[position[l]] = piece % result.degrees[l];
        piece /= result.degrees[l];
      }
      int64_t index = rest; // replica of the whole op
      for (size_t l = 0; l < whole.size(); ++l)
        index = index * config.degrees[l] + coordinate[l];
      result.devices.push_back(config.devices[index]);
    }
  }
  return result;
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
