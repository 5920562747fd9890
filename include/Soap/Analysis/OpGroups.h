//===- OpGroups.h - Ops that share one decision -----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search space of the SOAP paper: a forward op, its gradients and its
// updates share one config through recorded loop correspondence, and ops that
// only pass elements on follow the op that produces them. See docs/Analysis.md.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_ANALYSIS_OPGROUPS_H
#define SOAP_ANALYSIS_OPGROUPS_H

#include "Soap/Analysis/OpGraph.h"
#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace mlir::soap {

/// Groups for a search, in program order of their leaders; every node is in
/// exactly one. For the space where every op decides alone see
/// `::soap::untiedGroups`.
std::vector<::soap::OpGroup> computeGroups(const OpGraph &opGraph);

} // namespace mlir::soap

#endif // SOAP_ANALYSIS_OPGROUPS_H
