//===- OpGroups.h - Ops that share one decision -----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of ops that share one config, the variables of a search
// (docs/Analysis.md): a forward op, its gradients and its updates, through
// recorded loop correspondence, and ops that follow the producer of their
// operand elementwise.
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
