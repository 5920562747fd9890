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

#include "SegmentCosts.h"
#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

namespace soap {

/// `config` of a group of `width` devices on `count` such groups, the first of
/// which begins with device `first`. Loop `loop` is split by `count`, its
/// pieces outside of the others (`isOutside`) or inside; -1: replicas.
Config overReplicas(const Config &config, int loop, bool isOutside, int first,
                    int count, int width);

/// The loop over samples of a node that replicas split, -1: none.
int sampleLoopOf(const Kernel &kernel, const std::vector<Role> &roles);

/// `costs`: of the plan's tensor-parallel group.
HybridPlacement placeHybrid(const Graph &graph,
                            const std::vector<std::vector<Role>> &roles,
                            const ModelSegments &segments,
                            const SegmentCosts &costs, const HybridPlan &plan,
                            const std::vector<int> &forwardOf);

} // namespace soap

#endif // SOAP_LIB_SEARCH_HIERARCHICAL_HYBRIDSTRATEGY_H
