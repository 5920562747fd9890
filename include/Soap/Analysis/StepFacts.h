//===- StepFacts.h - What a graph does not say of its function --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recomputation and orders of passes need facts of a function besides its
// graph, which are read here.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_ANALYSIS_STEPFACTS_H
#define SOAP_ANALYSIS_STEPFACTS_H

#include "Soap/Analysis/OpGraph.h"
#include "Soap/Model/Rewrite.h"

namespace mlir::soap {

/// By node: a region of it may have side effects.
std::vector<bool> nodesWithEffects(const OpGraph &opGraph);

::soap::StepFacts stepFactsOf(const OpGraph &opGraph);

} // namespace mlir::soap

#endif // SOAP_ANALYSIS_STEPFACTS_H
