//===- ZeRO.cpp - Weights that passes may gather --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ZeRO.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/ZeRO.h"

using namespace soap;

namespace {

class WeightFinder {
public:
  explicit WeightFinder(const Graph &graph)
      : graph(graph), writers(graph.values.size(), -1),
        copies(graph.values.size(), -1), quantized(graph.values.size(), -1),
        isListed(graph.values.size()), seenBy(graph.values.size(), -1) {
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      for (int value : graph.nodes[n].whole.results)
        writers[static_cast<size_t>(value)] = static_cast<int>(n);
    findCopies();
    findQuantized();
  }

  std::vector<GatheredWeight> run() {
    std::vector<GatheredWeight> weights;
    for (const GraphInput &input : graph.inputs) {
      if (input.updateNode < 0)
        continue;
      GatheredWeight weight;
      weight.parameter = input.value;
      weight.value = copies[static_cast<size_t>(input.value)];
      if (weight.value < 0)
        continue;
      if (int value = quantized[static_cast<size_t>(weight.value)]; value >= 0)
        weight.value = value;
      addGradients(input.updateNode, weight);
      if (!weight.gradients.empty())
        weights.push_back(std::move(weight));
    }
    return weights;
  }

private:
  const Graph &graph;
  std::vector<int> writers;   ///< by value: node, -1: none
  std::vector<int> copies;    ///< by value: what `GatheredWeight` reads of it
  std::vector<int> quantized; ///< by value: what the forward pass reads of it
                              ///< in 8 bits; negative: itself, too
  std::vector<bool> isListed;
  std::vector<int>
      seenBy; ///< by value: the parameter whose update has met it last

  /// The values that passes read of parameters: themselves, or their
  /// conversions; -1: no op of the forward pass reads it.
  void findCopies() {
    for (const GraphNode &node : graph.nodes) {
      const Kernel &kernel = node.whole;
      if (kernel.phase != Phase::Forward)
        continue;
      for (int operand : kernel.operands) {
        int &copy = copies[static_cast<size_t>(operand)];
        if (kernel.kind != "cast")
          copy = operand;
        else if (copy != operand)
          copy = kernel.results[0];
      }
    }
  }

  /// Values of which the forward pass reads one scaled cast, with one scale,
  /// and their largest element.
  void findQuantized() {
    constexpr int itself = -2;
    for (const GraphNode &node : graph.nodes) {
      const Kernel &kernel = node.whole;
      if (kernel.phase != Phase::Forward || kernel.kind == "amax")
        continue;
      bool isScaledCast =
          kernel.kind == "quantize" &&
          graph.values[static_cast<size_t>(kernel.operands[1])].shape.empty();
      for (int operand : kernel.operands) {
        int &value = quantized[static_cast<size_t>(operand)];
        value = isScaledCast && value == -1 ? kernel.results[0] : itself;
      }
    }
  }

  void addGradients(int update, GatheredWeight &weight) {
    std::vector<int> open =
        graph.nodes[static_cast<size_t>(update)].whole.operands;
    while (!open.empty()) {
      auto value = static_cast<size_t>(open.back());
      open.pop_back();
      int writer = writers[value];
      if (seenBy[value] == weight.parameter || writer < 0)
        continue;
      seenBy[value] = weight.parameter;
      const Kernel &kernel = graph.nodes[static_cast<size_t>(writer)].whole;
      if (kernel.phase == Phase::Update)
        open.insert(open.end(), kernel.operands.begin(), kernel.operands.end());
      else if (kernel.phase == Phase::Backward && !isListed[value] &&
               graph.values[value].shape ==
                   graph.values[static_cast<size_t>(weight.parameter)].shape) {
        isListed[value] = true;
        weight.gradients.push_back(static_cast<int>(value));
      }
    }
  }
};

} // namespace

std::vector<GatheredWeight> soap::gatheredWeights(const Graph &graph) {
  return WeightFinder(graph).run();
}
