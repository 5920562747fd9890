//===- ForwardPass.h - What the backward pass may compute again -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structure of a training step that recomputation needs: readers of values
// of the forward pass, nodes that are recomputed together, and nodes for which
// that saves anything (docs/Recomputation.md). The rewriting of IR and of
// graphs (Rewrite.h) both follow it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_FORWARDPASS_H
#define SOAP_MODEL_FORWARDPASS_H

#include "Soap/Model/Graph.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace soap {

class GradientOrder;

/// The nodes of a set, ascending.
std::vector<int> nodesIn(const std::vector<bool> &nodes);

/// The structure of a graph without recomputed nodes. Sets of nodes are a bit a
/// node.
class ForwardPass {
public:
  /// Keeps a reference. `hasEffects`: by node, whether it may do more than
  /// write its results, so that it runs once; empty: no node does.
  explicit ForwardPass(const Graph &graph, std::vector<bool> hasEffects = {});
  ~ForwardPass();

  const Graph &getGraph() const { return graph; }
  const Kernel &kernel(int node) const {
    return graph.nodes[static_cast<size_t>(node)].whole;
  }
  bool isForward(int node) const {
    return kernel(node).phase == Phase::Forward;
  }
  /// The node that writes a value, -1: none.
  int writerOf(int value) const { return writer[static_cast<size_t>(value)]; }
  /// Ascending.
  const std::vector<int> &readersOf(int value) const {
    return readers[static_cast<size_t>(value)];
  }
  /// Whether a gradient op reads a value that the forward pass writes: it is
  /// kept.
  bool isReadByGradients(int value) const;
  /// Why a node cannot be recomputed; empty: it can.
  std::string whyNot(int node) const;
  /// The values that computing a node a second time gives: of a batch norm, its
  /// statistics are kept.
  std::span<const int> recomputedResults(int node) const;

  /// Of some nodes, the ones whose clones would be read: by gradient ops, or by
  /// other clones.
  std::vector<bool> findRead(const std::vector<bool> &nodes) const;
  /// Nodes of `nodes` that are recomputed together, because clones read each
  /// other, in program order, and the gradient op before which they are.
  struct Together {
    std::vector<int> nodes;
    int firstReader = -1;
    /// The first reader waits for no gradient: recomputing saves nothing.
    bool isUseless = false;
  };
  std::vector<Together> findTogether(const std::vector<bool> &nodes) const;
  /// Without the nodes whose clones would save nothing: those that the first
  /// reader of their clones needs before any gradient has come.
  std::vector<bool> findUseful(const std::vector<bool> &nodes) const;
  /// `findUseful` of the nodes that can be recomputed.
  std::vector<bool> findRecomputable(std::vector<bool> nodes) const;

private:
  const Graph &graph;
  std::vector<bool> hasEffects;          ///< by node; or empty
  std::vector<int> writer;               ///< by value
  std::vector<std::vector<int>> readers; ///< by value
  std::vector<bool> isOutput;            ///< by value
  std::vector<bool> updatesState;        ///< by node
  std::unique_ptr<GradientOrder> order;

  bool has(const std::vector<bool> &nodes, int node) const {
    return nodes[static_cast<size_t>(node)];
  }
};

} // namespace soap

#endif // SOAP_MODEL_FORWARDPASS_H
