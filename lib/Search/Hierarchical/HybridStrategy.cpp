//===- HybridStrategy.cpp - Hybrid plans as strategies --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configs of a replica, over the replicas of a stage: pieces of the sample
// loop, or the same on every replica; updates in pieces under ZeRO, over all
// places of sequences of all replicas.
//
//===----------------------------------------------------------------------===//

#include "HybridStrategy.h"

#include "Model/Writers.h"
#include "Soap/Pipeline/Pipeline.h"
#include "Soap/Plan/PassOrder.h"
#include "Soap/Search/Presets/Presets.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace soap;

/// Coordinates of piece `index`, row-major over `degrees`.
static std::vector<int64_t> decode(int64_t index,
                                   const std::vector<int64_t> &degrees) {
  std::vector<int64_t> at(degrees.size());
  for (size_t l = degrees.size(); l-- > 0;) {
    at[l] = index % degrees[l];
    index /= degrees[l];
  }
  return at;
}

static int64_t encode(const std::vector<int64_t> &at,
                      const std::vector<int64_t> &degrees) {
  int64_t index = 0;
  for (size_t l = 0; l < degrees.size(); ++l)
    index = index * degrees[l] + at[l];
  return index;
}

Config soap::overReplicas(const Config &config, int loop, bool isOutside,
                          int first, int count, int width) {
  Config result = config;
  if (loop < 0)
    result.replicas *= count;
  else
    result.degrees[loop] *= count;
  int64_t inner = config.piecesPerReplica(), pieces = result.piecesPerReplica();
  result.devices.clear();
  for (int64_t i = 0; i < result.replicas * pieces; ++i) {
    int64_t replica = i / pieces, at = 0, copy = replica, piece = i % pieces;
    if (loop < 0) {
      at = replica / config.replicas;
      copy = replica % config.replicas;
    } else {
      std::vector<int64_t> place = decode(piece, result.degrees);
      int64_t own = config.degrees[loop];
      at = isOutside ? place[loop] / own : place[loop] % count;
      place[loop] = isOutside ? place[loop] % own : place[loop] / count;
      piece = encode(place, config.degrees);
    }
    result.devices.push_back(first + static_cast<int>(at) * width +
                             config.devices[copy * inner + piece]);
  }
  return result;
}

int soap::sampleLoopOf(const Kernel &kernel, const std::vector<Role> &roles) {
  for (size_t l = 0; l < kernel.space.loops.size(); ++l)
    if (roles[l] == Role::Sample &&
        kernel.space.loops[l].type != IteratorType::Serial)
      return static_cast<int>(l);
  return -1;
}

/// The loop that walks along a dim by itself, -1: none.
static int loopAlong(const DimMap &map) {
  return map.terms.size() == 1 && map == DimMap::loop(map.terms[0].loop)
             ? map.terms[0].loop
             : -1;
}

static int64_t pointsOf(const Kernel &kernel) {
  int64_t points = 1;
  for (const Loop &loop : kernel.space.loops)
    points *= loop.extent;
  return points;
}

/// Updates that every device of a tensor-parallel group repeats, of weights of
/// more elements than norms and biases have: each device takes a part, and
/// computes the gradient of that part alone. So the pieces of all replicas are
/// on one device each, and one all-gather makes the weight.
static void cutRepeatedUpdates(const Graph &graph,
                               const std::vector<std::vector<Role>> &roles,
                               int tensor, Strategy &strategy) {
  constexpr int64_t small = 1 << 20; // elements
  std::vector<int> writers = writersOf(graph);
  auto isRepeated = [&](const Config &config) {
    return config.replicas == tensor && config.piecesPerReplica() == 1;
  };
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &update = graph.nodes[n].whole;
    if (update.phase != Phase::Update || !isRepeated(strategy[n]) ||
        pointsOf(update) <= small)
      continue;
    for (size_t o = 0; o < update.operands.size(); ++o) {
      int value = update.operands[o], writer = writers[value];
      if (writer < 0)
        continue;
      const GraphNode &node = graph.nodes[writer];
      Config &config = strategy[writer];
      if (node.whole.phase != Phase::Backward || !node.stages.empty() ||
          node.whole.results.size() != 1 || !isRepeated(config))
        continue;
      // The longest dim that both have a loop for.
      int ofUpdate = -1, ofGradient = -1;
      int64_t length = 0;
      for (size_t d = 0; d < graph.values[value].shape.size(); ++d) {
        int64_t extent = graph.values[value].shape[d];
        int mine = loopAlong(update.space.operands[o].map[d]),
            its = loopAlong(node.whole.space.results[0].map[d]);
        if (mine < 0 || its < 0 || extent <= length || extent % tensor != 0 ||
            update.space.loops[mine].type != IteratorType::Parallel ||
            node.whole.space.loops[its].type != IteratorType::Parallel ||
            roles[writer][its] == Role::Sample)
          continue;
        ofUpdate = mine;
        ofGradient = its;
        length = extent;
      }
      if (ofUpdate < 0)
        continue;
      config.replicas = strategy[n].replicas = 1;
      config.degrees[ofGradient] = strategy[n].degrees[ofUpdate] = tensor;
      break;
    }
  }
}

/// The loop of an update that its holders cut, -1: none. The longest one that
/// they share evenly, so that all do the same; else, of weights that are not
/// small, the longest one. An update that a tensor-parallel group repeats stays
/// whole: several devices would have each piece, which makes a broadcast of
/// each out of one all-gather.
static int loopToCut(const Kernel &update, const Config &config, int holders) {
  constexpr int64_t small = 1 << 20; // elements
  if (config.replicas > 1)
    return -1;
  int longest = -1, even = -1;
  int64_t length = 0, evenLength = 0;
  for (size_t l = 0; l < update.space.loops.size(); ++l) {
    const Loop &loop = update.space.loops[l];
    int64_t own = loop.extent / config.degrees[l];
    if (loop.type != IteratorType::Parallel || own < holders)
      continue;
    if (own > length) {
      longest = static_cast<int>(l);
      length = own;
    }
    if (own > evenLength && loop.extent % (config.degrees[l] * holders) == 0) {
      even = static_cast<int>(l);
      evenLength = own;
    }
  }
  if (even < 0 && pointsOf(update) <= small)
    return -1;
  return even < 0 ? longest : even;
}

/// Values that several stages read, and values that follow from constants and
/// counters of steps alone, as tables of positions and bias corrections: every
/// device computes it for itself, as sending it would keep links from others.
static void repeatConstants(const Graph &graph,
                            const std::vector<std::vector<Role>> &roles,
                            const std::vector<int> &stages, int devices,
                            Strategy &strategy) {
  constexpr int64_t counterBytes = 16;
  std::vector<bool> isFixed(graph.values.size());
  std::vector<int> writer(graph.values.size(), -1);
  for (const GraphInput &input : graph.inputs)
    isFixed[input.value] = input.updateNode >= 0 &&
                           graph.values[input.value].bytes() <= counterBytes;
  std::vector<bool> isRepeated(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    bool fixed = std::find(roles[n].begin(), roles[n].end(), Role::Sample) ==
                 roles[n].end();
    for (int value : kernel.operands) {
      fixed &= isFixed[value];
      if (isFixed[value] && writer[value] >= 0 &&
          stages[writer[value]] != stages[n])
        isRepeated[writer[value]] = true;
    }
    for (int value : kernel.results) {
      isFixed[value] = fixed;
      writer[value] = static_cast<int>(n);
    }
  }
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    if (!isRepeated[n])
      continue;
    const Kernel &kernel = graph.nodes[n].whole;
    for (int value : kernel.operands)
      if (writer[value] >= 0)
        isRepeated[writer[value]] = true;
    Config &config = strategy[n];
    config = Config::single(kernel.space);
    config.replicas = devices;
    config.devices.clear();
    for (int d = 0; d < devices; ++d)
      config.devices.push_back(d);
  }
}

/// By node: what its stage computes again.
static std::vector<bool>
recomputedNodes(const Graph &graph, const std::vector<std::vector<Role>> &roles,
                const ModelSegments &segments, const SegmentCosts &costs,
                const HybridPlan &plan, const std::vector<int> &stages) {
  std::vector<Recompute> levelOf(segments.count);
  std::vector<bool> isKept(graph.values.size());
  for (const HybridStage &stage : plan.stages)
    for (int s = stage.firstSegment; s < stage.firstSegment + stage.segments;
         ++s) {
      levelOf[s] = stage.recompute;
      // Values that enter a layer are kept.
      if (s == stage.firstSegment ||
          segments.layerOf[s] != segments.layerOf[s - 1])
        for (int value : segments.boundary[s])
          isKept[value] = true;
    }
  std::vector<bool> mayBeRecomputed = mayRecompute(graph, roles, stages);
  std::vector<bool> isRecomputed(graph.nodes.size());
  for (size_t n = 0; n < isRecomputed.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    if (!mayBeRecomputed[n])
      continue;
    Recompute level = levelOf[segments.ofNode[n]];
    if (level == Recompute::Selective)
      isRecomputed[n] = costs.isRecomputed[n];
    else if (level == Recompute::Whole)
      isRecomputed[n] =
          std::none_of(kernel.results.begin(), kernel.results.end(),
                       [&](int value) { return isKept[value]; });
  }
  return isRecomputed;
}

HybridPlacement soap::placeHybrid(const Graph &graph,
                                  const std::vector<std::vector<Role>> &roles,
                                  const ModelSegments &segments,
                                  const SegmentCosts &costs,
                                  const HybridPlan &plan,
                                  const std::vector<int> &forwardOf) {
  const HybridShape &shape = plan.shape;
  HybridPlacement made;
  made.strategy = costs.strategy;
  if (shape.zero > 0 && shape.tensor > 1 && shape.context == 1)
    cutRepeatedUpdates(graph, roles, shape.tensor, made.strategy);
  int width = shape.width();
  for (size_t s = 0; s < plan.stages.size(); ++s) {
    int first = 0;
    while (graph.nodes[first].whole.phase != Phase::Forward ||
           segments.ofNode[first] < plan.stages[s].firstSegment)
      ++first;
    made.firsts.push_back(first);
    std::vector<int> &devices = made.devices.emplace_back();
    for (int d = 0; d < width; ++d)
      devices.push_back(static_cast<int>(s) % shape.groups * width + d);
  }
  std::vector<int> stages = stagesOfNodes(graph, forwardOf, made.firsts);
  // Many ops have the same devices, which are as many as the topology has. By
  // degrees, loops over experts and that replicas cut, and the rest: nodes with
  // their configs.
  struct Made {
    Config ofGroup, config;
  };
  std::map<std::tuple<std::vector<int64_t>, int, int, bool, int>,
           std::vector<Made>>
      known;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    int stage = std::max(stages[n], 0);
    Config &config = made.strategy[n];
    // Replicas that follow each other split the experts; the others have as
    // many again.
    int experts = costs.expertLoops[n];
    bool isOfExperts = experts >= 0;
    if (isOfExperts)
      config = overReplicas(config, experts, /*isOutside=*/false, /*first=*/0,
                            shape.experts, shape.tensor);
    int holders = isOfExperts ? shape.expertHolders() : shape.holders();
    int loop = -1;
    bool isUpdate = kernel.phase == Phase::Update;
    if (isUpdate && shape.zero > 0)
      loop = loopToCut(kernel, config, holders);
    else if (!isUpdate)
      loop = sampleLoopOf(kernel, roles[n]);
    int firstDevice = made.devices[stage][0];
    std::vector<Made> &alike =
        known[{config.degrees, experts, loop, isUpdate, firstDevice}];
    auto it = std::find_if(alike.begin(), alike.end(), [&](const Made &other) {
      return other.ofGroup == config;
    });
    if (it == alike.end()) {
      int sharing = isOfExperts ? shape.experts : 1;
      Config spread =
          isUpdate ? overReplicas(config, loop, /*isOutside=*/false,
                                  firstDevice, holders, sharing * shape.tensor)
                   : overReplicas(config, loop, /*isOutside=*/true, firstDevice,
                                  shape.data / sharing, sharing * shape.unit());
      it = alike.insert(alike.end(), {config, std::move(spread)});
    }
    config = it->config;
  }
  if (plan.stages.size() > 1)
    repeatConstants(graph, roles, stages, width * shape.groups, made.strategy);
  if (shape.zero > 0)
    shardWorkingCopies(graph, made.strategy);
  if (shape.zero == 3)
    for (const GatheredWeight &weight : segments.gathered)
      made.keeps.push_back({weight.value, Keep::Before});
  made.isRecomputed =
      recomputedNodes(graph, roles, segments, costs, plan, stages);
  return made;
}
