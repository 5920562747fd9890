//===- GradientOrder.h - What waits for gradients ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which nodes of the backward pass cannot run before gradients arrive, and for
// which gradient recomputed ops have to wait.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_MODEL_GRADIENTORDER_H
#define SOAP_LIB_MODEL_GRADIENTORDER_H

#include "Soap/Model/Graph.h"

#include <span>
#include <vector>

namespace soap {

class GradientOrder {
public:
  /// `isClone`: by node, whether it is a recomputed op of the forward pass.
  GradientOrder(const Graph &graph, std::vector<bool> isClone);

  /// Whether a node computes a gradient from a gradient and from the forward
  /// pass. Other nodes of the backward pass can run as soon as the forward pass
  /// has what they read: the seed of the loss, reshapes of activations.
  bool isLate(int node) const { return late[static_cast<size_t>(node)]; }

  /// The value that recomputed ops with these results wait for: of the
  /// gradients that are there before node `before`, the last one that their
  /// first late reader needs. Readers that are not late stand for their own
  /// readers. -1: there is none, and recomputing saves nothing.
  int trigger(std::span<const int> results, int before) const;

  /// That reader; -1: there is none.
  int firstLateReader(std::span<const int> results) const;

private:
  const Graph &graph;
  std::vector<bool> isClone, late;       ///< by node
  std::vector<int> writer;               ///< by value, -1: none
  std::vector<std::vector<int>> readers; ///< by value
};

} // namespace soap

#endif // SOAP_LIB_MODEL_GRADIENTORDER_H
