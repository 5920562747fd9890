//===- HybridStrategy.h - Hybrid plans as strategies ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configs that a hybrid plan stands for, on all devices of the cluster.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_HIERARCHICAL_HYBRIDSTRATEGY_H
#define SOAP_LIB_SEARCH_HIERARCHICAL_HYBRIDSTRATEGY_H

#include "ModelSegments.h"
#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

namespace soap {

/// `group`: by node, its config in a tensor-parallel group (SegmentCosts).
HybridPlacement placeHybrid(const Graph &graph,
                            const std::vector<std::vector<Role>> &roles,
                            const ModelSegments &segments,
                            const Strategy &group, const HybridPlan &plan,
                            const std::vector<int> &forwardOf);

} // namespace soap

#endif // SOAP_LIB_SEARCH_HIERARCHICAL_HYBRIDSTRATEGY_H
