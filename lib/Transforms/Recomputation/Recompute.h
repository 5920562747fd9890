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

#include "Model/GradientOrder.h"
#include "Soap/Analysis/OpGraph.h"

#include "llvm/ADT/BitVector.h"

namespace mlir::soap {

/// The structure of a function without recomputed ops.
/// Refers to the op graph.
class ForwardPass {
public:
  explicit ForwardPass(const OpGraph &opGraph);

  const OpGraph &getOpGraph() const { return opGraph; }
  const ::soap::Kernel &kernel(int node) const {
    return opGraph.graph.nodes[node].whole;
  }
  bool isForward(int node) const {
    return kernel(node).phase == ::soap::Phase::Forward;
  }
  /// The node that writes a value, -1: none.
  int writerOf(int value) const { return writer[value]; }
  ArrayRef<int> readersOf(int value) const { return readers[value]; }
  /// Whether a gradient op reads a value that the forward pass writes: it is
  /// kept.
  bool isReadByGradients(int value) const;
  /// Why a node cannot be recomputed; empty: it can.
  std::string whyNot(int node) const;
  /// The values that computing a node a second time gives: of a batch norm, its
  /// statistics are kept.
  ArrayRef<int> recomputedResults(int node) const;

  /// Of some nodes, the ones whose clones would be read: by gradient ops, or by
  /// other clones.
  llvm::BitVector findRead(const llvm::BitVector &nodes) const;
  /// Nodes of `nodes` that are recomputed together, because clones read each
  /// other, in program order, and the gradient op before which they are.
  struct Together {
    SmallVector<int> nodes;
    int firstReader = -1;
    /// The first reader waits for no gradient: recomputing saves nothing.
    bool isUseless = false;
  };
  std::vector<Together> findTogether(const llvm::BitVector &nodes) const;
  /// Without the nodes whose clones would save nothing: those that the first
  /// reader of their clones needs before any gradient has come.
  llvm::BitVector findUseful(const llvm::BitVector &nodes) const;

private:
  const OpGraph &opGraph;
  std::vector<int> writer;               ///< by value
  std::vector<SmallVector<int>> readers; ///< by value, ascending
  llvm::BitVector isOutput;              ///< by value
  llvm::BitVector updatesState;          ///< by node
  ::soap::GradientOrder order;
};

/// Clones nodes of the forward pass into the backward pass; the op graph holds
/// no longer. Nodes must have passed `whyNot`. Nodes whose results no gradient
/// reads are left out; an error if one would save nothing. The number of
/// clones.
FailureOr<int> recompute(const ForwardPass &pass, const llvm::BitVector &nodes);

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
