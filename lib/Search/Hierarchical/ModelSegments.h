//===- ModelSegments.h - Where a model may be cut into stages ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Segments are the parts of a model between which few values pass: between two
// additions of a transformer's residual stream, or two layers of a chain. They
// are what pipeline stages consist of. Segments that repeat make layers, the
// units of activation recomputation.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_HIERARCHICAL_MODELSEGMENTS_H
#define SOAP_LIB_SEARCH_HIERARCHICAL_MODELSEGMENTS_H

#include "Soap/Model/ZeRO.h"
#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace soap {

/// The least size of a weight that each pass gathers.
inline constexpr int64_t largeWeightBytes = int64_t(1) << 18;

struct ModelSegments {
  int count = 0;
  /// By node: the segment that computes it, 0 to count - 1. Nodes of the
  /// backward pass are where their forward ops are, updates where their
  /// gradients are.
  std::vector<int> ofNode;
  /// By segment: the values of samples that it reads from segments before it.
  std::vector<std::vector<int>> boundary;
  /// By segment: its layer. Layers are consecutive segments, ascending.
  std::vector<int> layerOf;
  int layers = 0;
  /// The segments that repeated blocks begin with, ascending; empty: nothing
  /// repeats.
  std::vector<int> blocks;
  /// The segment behind the last of these; may be `count`.
  int blocksEnd = 0;
  /// The weights of the step, and those that passes gather under ZeRO-3: that
  /// both passes read, and that are large. Others are gathered once.
  std::vector<GatheredWeight> weights, gathered;
  /// How many layers are alike; 0: nothing repeats, layers are some segments.
  int repeated = 0;
};

/// The segments of a training step (or of its passes). `forwardOf`: by node,
/// the node whose gradient or update it computes, -1: none; empty: that is not
/// known, and gradients are where what they read comes from.
ModelSegments findSegments(const Graph &graph,
                           const std::vector<OpGroup> &groups,
                           const std::vector<std::vector<Role>> &roles,
                           const std::vector<int> &forwardOf = {});

} // namespace soap

#endif // SOAP_LIB_SEARCH_HIERARCHICAL_MODELSEGMENTS_H
