//===- MicrobatchGraph.cpp - A training step on fewer samples -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MicrobatchGraph.h.
//
//===----------------------------------------------------------------------===//

#include "MicrobatchGraph.h"

#include <algorithm>
#include <cassert>
#include <limits>

using namespace soap;

Expected<int64_t> soap::batchOf(const Graph &graph,
                                const std::vector<std::vector<Role>> &roles) {
  assert(roles.size() == graph.nodes.size() && "roles of each node");
  int64_t batch = std::numeric_limits<int64_t>::max();
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (size_t l = 0; l < roles[n].size(); ++l)
      if (roles[n][l] == Role::Sample)
        batch = std::min(batch, graph.nodes[n].whole.space.loops[l].extent);
  if (batch == std::numeric_limits<int64_t>::max())
    return Error{"no op has a loop over samples, expected a training step with "
                 "data"};
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (size_t l = 0; l < roles[n].size(); ++l)
      if (roles[n][l] == Role::Sample &&
          graph.nodes[n].whole.space.loops[l].extent % batch != 0)
        return Error{
            "op '" + graph.nodes[n].whole.name +
            "' has a loop over samples of extent " +
            std::to_string(graph.nodes[n].whole.space.loops[l].extent) +
            ", expected a multiple of the batch " + std::to_string(batch)};
  return batch;
}

namespace {

/// Shortens loops and dims by the factor `samples / batch`.
class Shrinker {
public:
  Shrinker(Graph &graph, int64_t batch, int64_t samples)
      : graph(graph), batch(batch), samples(samples) {
    for (const GraphValue &value : graph.values)
      isScaled.emplace_back(value.shape.size());
  }

  MaybeError shrink(Kernel &kernel, const std::vector<bool> &isSample) {
    IterationSpace &space = kernel.space;
    for (size_t l = 0; l < space.loops.size(); ++l)
      if (isSample[l])
        if (!scale(space.loops[l].extent))
          return fault(kernel);
    for (size_t o = 0; o < kernel.operands.size(); ++o)
      if (!shrink(space.operands[o].map, kernel.operands[o], isSample))
        return fault(kernel);
    for (size_t r = 0; r < kernel.results.size(); ++r)
      if (!shrink(space.results[r].map, kernel.results[r], isSample))
        return fault(kernel);
    return std::nullopt;
  }

  MaybeError finish() {
    for (size_t v = 0; v < graph.values.size(); ++v)
      for (size_t d = 0; d < isScaled[v].size(); ++d)
        if (isScaled[v][d] && !scale(graph.values[v].shape[d]))
          return Error{"value '" + graph.values[v].name + "': dim " +
                       std::to_string(d) + " does not divide into samples"};
    return std::nullopt;
  }

private:
  Graph &graph;
  int64_t batch, samples;
  std::vector<std::vector<bool>> isScaled; ///< by value and dim

  bool scale(int64_t &number) const {
    if (number * samples % batch != 0)
      return false;
    number = number * samples / batch;
    return true;
  }

  bool shrink(AccessMap &map, int value, const std::vector<bool> &isSample) {
    for (size_t d = 0; d < map.size(); ++d) {
      DimMap &dim = map[d];
      int64_t smallest = std::numeric_limits<int64_t>::max();
      for (const Term &term : dim.terms)
        if (isSample[term.loop])
          smallest = std::min(smallest, term.coefficient);
      if (smallest == std::numeric_limits<int64_t>::max())
        continue;
      // A window that does not move is the loop itself.
      bool isIdentity = dim.terms.size() == 1 && dim.divisor == 1 &&
                        dim.scale == 1 && dim.extraLow == 0 &&
                        dim.extraHigh == 0;
      if (dim.kind == DimMap::Kind::Window && isIdentity && dim.clip >= 0)
        if (!scale(dim.clip))
          return false;
      if ((dim.kind != DimMap::Kind::Radix && !isIdentity) || dim.offset != 0)
        return false;
      isScaled[value][d] = true;
      for (Term &term : dim.terms)
        if (term.coefficient > smallest && !scale(term.coefficient))
          return false;
    }
    return true;
  }

  static Error fault(const Kernel &kernel) {
    return {"op '" + kernel.name +
            "' has samples that are no digit of its dims, expected a model "
            "whose batch can be split in microbatches"};
  }
};

} // namespace

MaybeError soap::scaleSamples(Graph &graph,
                              const std::vector<std::vector<Role>> &roles,
                              int64_t batch, int64_t samples) {
  assert(batch > 0 && samples > 0 && "at least one sample");
  Shrinker shrinker(graph, batch, samples);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    GraphNode &node = graph.nodes[n];
    std::vector<bool> isSample;
    for (size_t l = 0; l < roles[n].size(); ++l) {
      isSample.push_back(roles[n][l] == Role::Sample);
      if (isSample[l] && node.whole.space.loops[l].stage)
        return Error{"op '" + node.whole.name +
                     "' has statistics of the whole batch, expected ops that "
                     "compute each sample by itself"};
    }
    if (MaybeError error = shrinker.shrink(node.whole, isSample))
      return *error;
    for (Kernel &stage : node.stages) {
      std::vector<bool> ofStage;
      for (size_t l = 0; l < stage.space.loops.size(); ++l)
        ofStage.push_back(stage.wholeLoops[l] >= 0 &&
                          isSample[stage.wholeLoops[l]]);
      if (MaybeError error = shrinker.shrink(stage, ofStage))
        return *error;
    }
  }
  return shrinker.finish();
}

Expected<MicrobatchGraph>
soap::makeMicrobatchGraph(const Graph &graph,
                          const std::vector<OpGroup> &groups,
                          const std::vector<std::vector<Role>> &roles,
                          int64_t batch, int64_t samples) {
  MicrobatchGraph made;
  made.graph.values = graph.values;
  made.graph.precision = graph.precision;
  made.nodeOf.assign(graph.nodes.size(), -1);
  std::vector<bool> isUpdated(graph.values.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphNode &node = graph.nodes[n];
    if (node.whole.phase == Phase::Update) {
      for (int value : node.whole.results)
        isUpdated[value] = true;
      continue;
    }
    made.nodeOf[n] = static_cast<int>(made.graph.nodes.size());
    made.graph.nodes.push_back(node);
    made.roles.push_back(roles[n]);
  }
  for (GraphInput input : graph.inputs) {
    input.updateNode = input.updateOperand = input.updateResult = -1;
    made.graph.inputs.push_back(std::move(input));
  }
  // Values that updates write and passes read, such as the number of the
  // iteration, are there from the start.
  std::vector<bool> isRead(graph.values.size());
  for (const GraphNode &node : made.graph.nodes)
    for (int value : node.whole.operands)
      isRead[value] = true;
  for (size_t v = 0; v < graph.values.size(); ++v)
    if (isUpdated[v] && isRead[v]) {
      GraphInput input;
      input.value = static_cast<int>(v);
      made.graph.inputs.push_back(std::move(input));
    }
  for (const GraphOutput &output : graph.outputs)
    if (!isUpdated[output.value])
      made.graph.outputs.push_back(output);

  if (MaybeError error = scaleSamples(made.graph, made.roles, batch, samples))
    return *error;

  for (const OpGroup &group : groups) {
    OpGroup kept;
    for (size_t m = 0; m < group.nodes.size(); ++m)
      if (int node = made.nodeOf[group.nodes[m]]; node >= 0) {
        kept.nodes.push_back(node);
        kept.loops.push_back(group.loops[m]);
      }
    kept.leader = made.nodeOf[group.leader];
    if (kept.nodes.empty())
      continue;
    if (kept.leader >= 0) {
      made.groups.push_back(std::move(kept));
      continue;
    }
    // Constants and counters that an update reads, as the bound of finite
    // gradients: each is alone.
    for (int node : kept.nodes) {
      const Kernel &kernel = made.graph.nodes[node].whole;
      const std::vector<Role> &own = made.roles[node];
      if (std::find(own.begin(), own.end(), Role::Sample) != own.end())
        return Error{"op '" + kernel.name + "' of the passes follows '" +
                     graph.nodes[group.leader].whole.name +
                     "', which is an update"};
      OpGroup alone;
      alone.leader = node;
      alone.nodes = {node};
      std::vector<int> &loops = alone.loops.emplace_back();
      for (size_t l = 0; l < kernel.space.loops.size(); ++l)
        loops.push_back(static_cast<int>(l));
      made.groups.push_back(std::move(alone));
    }
  }
  return made;
}
