//===- Rewrite.h - Graphs that compute something again ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph of a training step whose backward pass computes nodes again and
// whose values are kept in one form, made of the graph of the plain step. It is
// the graph that the rewritten IR has (Analysis/OpGraph.h), so that a search
// can simulate such a plan without IR.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_REWRITE_H
#define SOAP_MODEL_REWRITE_H

#include "Soap/Model/ForwardPass.h"
#include "Soap/Model/Reuse.h"
#include "Soap/Model/Roles.h"

namespace soap {

/// Facts of a function that its graph does not say.
struct StepFacts {
  /// By node, the node whose gradient or update it computes, -1: none.
  std::vector<int> forwardOf;
  /// By node: it computes a node of the forward pass again.
  std::vector<bool> isClone;
  /// By node: it may do more than write its results.
  std::vector<bool> hasEffects;
  /// By graph input: it holds samples or labels, not weights or state.
  std::vector<bool> isData;
};

/// A message about a node.
struct NodeError {
  int node = -1;
  std::string message;
};

/// The forms in which values are kept, as IR says it: by node, for all of its
/// results that can be kept so, and by graph input. `Both`: nothing is decided.
struct KeptForms {
  std::vector<Keep> ofNodes, ofInputs;
};
KeptForms keptForms(const Graph &graph, const std::vector<KeptValue> &keeps);

/// Restores what is kept in one form. The error has the node, or -1 and the
/// graph input in `input`.
struct KeepError : NodeError {
  int input = -1;
};
std::optional<KeepError> restoreKept(Graph &graph, const KeptForms &forms);

/// Has the clones of a graph wait for the backward pass, all those together
/// that read each other: none of them runs before the gradient has come that
/// the first reader of one of them waits for. An error if a clone would save
/// nothing.
std::optional<NodeError> delayClones(Graph &graph,
                                     const std::vector<bool> &isClone,
                                     const KeptForms &kept);

struct RewrittenGraph {
  Graph graph;
  /// By node: the node of the plain graph that it is, or that it computes
  /// again.
  std::vector<int> of;
  /// By node of the plain graph: its number here.
  std::vector<int> numberOf;
  /// By node: it computes a node again, here or in the plain graph already.
  std::vector<bool> isClone;

  /// Configs of the plain graph's nodes; clones have that of their node.
  Strategy configs(const Strategy &strategy) const;
  /// Roles of loops of the plain graph's nodes. Of a clone, that of its node's
  /// loop of the same name.
  std::vector<std::vector<Role>>
  roles(const Graph &plain, const std::vector<std::vector<Role>> &of) const;
  /// Of what is known of the plain graph.
  StepFacts facts(const StepFacts &plain) const;
};

/// The graph in which the backward pass computes `nodes` again. Nodes must have
/// passed `whyNot` of the pass; those whose results no gradient reads are left
/// out. Nodes and values have the same numbers as in the graph of the rewritten
/// IR. A clone is called `NAME.recompute`. `keeps` replaces what the graph
/// keeps in one form. `isClone`: by node, whether the graph computes it again
/// already; empty: no node. An error if a clone would save nothing.
Expected<RewrittenGraph>
withRecomputation(const ForwardPass &pass, const std::vector<bool> &nodes,
                  const std::vector<KeptValue> &keeps,
                  const std::vector<bool> &isClone = {});

} // namespace soap

#endif // SOAP_MODEL_REWRITE_H
