//===- Recompute.h - Ops that the backward pass computes again --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activation recomputation on a training step: chosen ops of the forward pass
// are cloned into the backward pass, right before the first gradient op that
// reads their results. A clone has `soap.recompute_of`, the config of its
// original, and the name NAME.recompute.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_RECOMPUTATION_RECOMPUTE_H
#define SOAP_LIB_TRANSFORMS_RECOMPUTATION_RECOMPUTE_H

#include "Soap/Analysis/StepFacts.h"

namespace mlir::soap {

/// The structure of a function without recomputed ops.
/// Refers to the op graph.
class ForwardPass : public ::soap::ForwardPass {
public:
  explicit ForwardPass(const OpGraph &opGraph)
      : ::soap::ForwardPass(opGraph.graph, nodesWithEffects(opGraph)),
        opGraph(opGraph) {}

  const OpGraph &getOpGraph() const { return opGraph; }

private:
  const OpGraph &opGraph;
};

/// Clones nodes of the forward pass into the backward pass; the op graph holds
/// no longer. Nodes must have passed `whyNot`. Nodes whose results no gradient
/// reads are left out; an error if one would save nothing. The number of
/// clones.
FailureOr<int> recompute(const ForwardPass &pass,
                         const std::vector<bool> &nodes);

/// Names of the ops that a function recomputes, in the order of the clones.
std::vector<std::string> recomputedOps(func::FuncOp function);

/// Erases clones; what they have computed is kept.
void dropRecomputation(func::FuncOp function);

/// `dropRecomputation`, then `recompute` for the ops with these names. An error
/// names what is no op of the forward pass.
LogicalResult recomputeNamed(func::FuncOp function,
                             ArrayRef<std::string> names);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_RECOMPUTATION_RECOMPUTE_H
