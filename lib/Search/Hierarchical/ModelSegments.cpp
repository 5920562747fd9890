//===- ModelSegments.cpp - Where a model may be cut into stages -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ModelSegments.h.
//
//===----------------------------------------------------------------------===//

#include "ModelSegments.h"

#include "MicrobatchGraph.h"
#include "Soap/Model/Reuse.h"
#include "Soap/Pipeline/Pipeline.h"
#include "Soap/Plan/PassOrder.h"
#include "Soap/Search/Problem/GroupBlocks.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace soap;

namespace {

class SegmentFinder {
public:
  SegmentFinder(const Graph &graph, const std::vector<OpGroup> &groups,
                const std::vector<std::vector<Role>> &roles,
                const std::vector<int> &forwardOf)
      : graph(graph), groups(groups), roles(roles), forwardOf(forwardOf),
        hasSamples(valuesOfSamples(graph, roles)),
        producer(graph.values.size(), -1) {
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      for (int value : graph.nodes[n].whole.results)
        producer[value] = static_cast<int>(n);
    if (Expected<int64_t> samples = batchOf(graph, roles))
      batch = *samples;
  }

  ModelSegments run() {
    cutForward();
    if (forwardOf.empty())
      placeOthers();
    else
      placeAsStages();
    findLayers();
    findWeights();
    assert(found.boundary.size() == static_cast<size_t>(found.count) &&
           found.layerOf.size() == found.boundary.size() &&
           "an entry a segment");
    assert(std::ranges::is_sorted(found.layerOf) &&
           "layers are consecutive segments");
    assert(std::ranges::all_of(found.ofNode,
                               [&](int segment) {
                                 return segment >= 0 && segment < found.count;
                               }) &&
           "every node is in a segment");
    return std::move(found);
  }

private:
  const Graph &graph;
  const std::vector<OpGroup> &groups;
  const std::vector<std::vector<Role>> &roles;
  const std::vector<int> &forwardOf;
  std::vector<bool> hasSamples;
  std::vector<int> producer; ///< by value: node, -1: none
  int64_t batch = 0;
  ModelSegments found;

  bool isForward(int node) const {
    return graph.nodes[node].whole.phase == Phase::Forward;
  }

  /// A number of each sample, as a part of the loss: passes anywhere.
  bool isNumber(size_t value) const {
    int64_t elements = 1;
    for (int64_t extent : graph.values[value].shape)
      elements *= extent;
    return elements <= batch;
  }

  /// Cuts the forward pass, in program order, wherever the fewest values of
  /// samples pass.
  void cutForward() {
    std::vector<int> order, place(graph.nodes.size(), -1);
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      if (isForward(static_cast<int>(n))) {
        place[n] = static_cast<int>(order.size());
        order.push_back(static_cast<int>(n));
      }
    // By place: how many values are written before it and read there or later.
    std::vector<int> passing(order.size() + 1);
    std::vector<int> lastReader(graph.values.size(), -1);
    for (size_t i = 0; i < order.size(); ++i)
      for (int value : graph.nodes[order[i]].whole.operands)
        if (hasSamples[value] && producer[value] >= 0)
          lastReader[value] = static_cast<int>(i);
    for (size_t v = 0; v < lastReader.size(); ++v)
      if (lastReader[v] >= 0 && !isNumber(v)) {
        ++passing[static_cast<size_t>(place[producer[v]]) + 1];
        --passing[static_cast<size_t>(lastReader[v]) + 1];
      }
    int sum = 0, fewest = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      sum += passing[i];
      passing[i] = sum;
      if (sum > 0 && (fewest == 0 || sum < fewest))
        fewest = sum;
    }
    found.ofNode.assign(graph.nodes.size(), -1);
    for (size_t i = 0; i < order.size(); ++i) {
      if (i == 0 || (fewest > 0 && passing[i] == fewest)) {
        ++found.count;
        found.boundary.emplace_back();
      }
      found.ofNode[order[i]] = found.count - 1;
    }
    for (size_t v = 0; v < lastReader.size(); ++v)
      if (lastReader[v] >= 0) {
        int from = found.ofNode[producer[v]];
        int to = found.ofNode[order[lastReader[v]]];
        for (int s = from + 1; s <= to; ++s)
          found.boundary[s].push_back(static_cast<int>(v));
      }
  }

  /// The segment of a group whose forward ops are all in one; else -1.
  std::vector<int> groupSegments() const {
    std::vector<int> ofNode(graph.nodes.size(), -1);
    for (const OpGroup &group : groups) {
      int segment = -1;
      bool isOne = true;
      for (int node : group.nodes)
        if (isForward(node)) {
          isOne &= segment < 0 || segment == found.ofNode[node];
          segment = found.ofNode[node];
        }
      for (int node : group.nodes)
        ofNode[node] = isOne ? segment : -1;
    }
    return ofNode;
  }

  void placeOthers() {
    std::vector<int> ofGroup = groupSegments();
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      if (isForward(static_cast<int>(n)))
        continue;
      const Kernel &kernel = graph.nodes[n].whole;
      // A gradient of several contributions is summed where the first of them
      // comes to be, which is where the last reader of the value was.
      int forward = -1, backward = -1;
      for (int value : kernel.operands) {
        int node = producer[value];
        if (node < 0)
          continue;
        if (isForward(node))
          forward = std::max(forward, found.ofNode[node]);
        else
          backward = backward < 0 ? found.ofNode[node]
                                  : std::min(backward, found.ofNode[node]);
      }
      if (kernel.phase == Phase::Update)
        found.ofNode[n] = backward;
      else
        found.ofNode[n] =
            ofGroup[n] >= 0 ? ofGroup[n] : std::max(forward, backward);
      if (found.ofNode[n] < 0)
        found.ofNode[n] = ofGroup[n] >= 0 ? ofGroup[n] : found.count - 1;
    }
  }

  /// Where stages have gradients and updates, if every segment were one.
  void placeAsStages() {
    std::vector<int> firsts;
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      if (found.ofNode[n] == static_cast<int>(firsts.size()))
        firsts.push_back(static_cast<int>(n));
    found.ofNode = stagesOfNodes(graph, forwardOf, firsts);
    for (int &segment : found.ofNode)
      segment = std::max(segment, 0);
  }

  /// Layers begin where repeated blocks do. Without blocks that are most of the
  /// model they are about as many as segments in each, which keeps least (Chen
  /// et al., 2016, section 4.1).
  void findLayers() {
    std::vector<bool> opens(static_cast<size_t>(found.count) + 1);
    int inBlocks = 0;
    GroupBlocks blocks = findBlocks(graph, groups, roles);
    for (const RepeatedRun &run : blocks.runs) {
      std::vector<int> starts = startsOfRun(graph, groups, blocks, run);
      if (starts.empty())
        continue;
      for (int &start : starts) {
        start = found.ofNode[start];
        opens[start] = true;
        found.blocks.push_back(start);
      }
      int length = starts.back() - starts[starts.size() - 2];
      int end = std::min(starts.back() + length, found.count);
      opens[end] = true;
      found.blocksEnd = std::max(found.blocksEnd, end);
      inBlocks += end - starts.front();
      found.repeated = std::max(found.repeated, run.count);
    }
    if (2 * inBlocks < found.count) {
      found.repeated = 0;
      found.blocks.clear();
      int period =
          std::max(1, static_cast<int>(std::lround(std::sqrt(found.count))));
      for (int s = 0; s < found.count; ++s)
        opens[s] = s % period == 0;
    }
    std::ranges::sort(found.blocks);
    for (int s = 0; s < found.count; ++s) {
      found.layers += s == 0 || opens[s];
      found.layerOf.push_back(found.layers - 1);
    }
  }

  void findWeights() {
    found.weights = gatheredWeights(graph);
    for (const GatheredWeight &weight : found.weights)
      if (graph.values[weight.value].bytes() >= largeWeightBytes &&
          !checkKeep(graph, weight.value, Keep::Before))
        found.gathered.push_back(weight);
  }
};

} // namespace

ModelSegments soap::findSegments(const Graph &graph,
                                 const std::vector<OpGroup> &groups,
                                 const std::vector<std::vector<Role>> &roles,
                                 const std::vector<int> &forwardOf) {
  return SegmentFinder(graph, groups, roles, forwardOf).run();
}
