//===- LayerMates.h - A step with fewer layers ------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers that are alike cost the same. A microbatch is planned with three of
// them, which stand for all.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_HIERARCHICAL_LAYERMATES_H
#define SOAP_LIB_SEARCH_HIERARCHICAL_LAYERMATES_H

#include "MicrobatchGraph.h"
#include "ModelSegments.h"

namespace soap {

struct LayerMates {
  /// By node of the step, and by segment: the one that is planned for it,
  /// itself if it is planned.
  std::vector<int> ofNode, ofSegment;
  /// The layers that are left out, `first` to `end` - 1.
  int first = 0, end = 0;

  bool leavesOut(int node) const { return ofNode[node] != node; }
  bool exist() const { return first < end; }
};

/// The longest run of layers that are alike: of equal segments, whose ops have
/// equal kinds, loops, phases, roles and shapes, in one order. Of it the first
/// two and the last one are planned. All layers are, where ops of a layer that
/// is planned follow ops of one that is not.
LayerMates findLayerMates(const Graph &graph,
                          const std::vector<OpGroup> &groups,
                          const std::vector<std::vector<Role>> &roles,
                          const ModelSegments &segments);
/// All layers are planned.
LayerMates withoutMates(const Graph &graph, const ModelSegments &segments);

/// Takes layers out of the passes of a step: what the layers before and after
/// them read of them, they read of each other. `segments`: of the step; what
/// those that are planned read of others is brought up to date.
void leaveOut(const LayerMates &mates, const Graph &step,
              ModelSegments &segments, MicrobatchGraph &passes);

} // namespace soap

#endif // SOAP_LIB_SEARCH_HIERARCHICAL_LAYERMATES_H
