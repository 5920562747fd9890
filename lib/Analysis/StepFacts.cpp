//===- StepFacts.cpp - What a graph does not say of its function ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StepFacts.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Analysis/StepFacts.h"

#include "LoopCorrespondence.h"
#include "Soap/Analysis/Stages.h"
#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/SoapDialect.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::soap;

std::vector<bool> mlir::soap::nodesWithEffects(const OpGraph &opGraph) {
  std::vector<bool> hasEffects;
  for (Operation *op : opGraph.ops)
    hasEffects.push_back(op->getNumRegions() != 0 &&
                         !isa_and_nonnull<SoapDialect>(op->getDialect()) &&
                         !isMemoryEffectFree(op));
  return hasEffects;
}

::soap::StepFacts mlir::soap::stepFactsOf(const OpGraph &opGraph) {
  ::soap::StepFacts facts;
  facts.forwardOf = forwardNodesOf(opGraph);
  facts.hasEffects = nodesWithEffects(opGraph);
  for (Operation *op : opGraph.ops)
    facts.isClone.push_back(op->hasAttr(kRecomputeOf));
  for (BlockArgument argument : opGraph.inputs)
    facts.isData.push_back(isDataArgument(argument));
  return facts;
}
