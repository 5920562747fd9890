//===- PassReads.h - What the passes of a pipeline read again ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recomputed ops in microbatches (docs/Pipeline.md): which values they make
// again from what their stage has kept, and what they wait for. Weights that
// each pass gathers for itself.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_PLAN_PASSREADS_H
#define SOAP_LIB_PLAN_PASSREADS_H

#include "Soap/Plan/PassOrder.h"
#include "Soap/Plan/ValuePlan.h"

namespace soap {

/// The values that each pass gathers or reduces for itself: weights that are
/// kept as their updates leave them (`soap.keep`), and their gradients. `graph`
/// is one of `graphOfPasses`.
PlanRounds roundsOfPasses(const Graph &graph, const PassOrder &passes);

/// The graph whose plan the passes run. Recomputed ops make a value again
/// (`delayReaders`) only if their own stage writes it, for each microbatch:
/// what comes from another stage, and what runs once, as copies of weights, is
/// there as the forward pass has read it. Numbers of values and nodes stay.
Graph graphOfPasses(const Graph &graph, const PassOrder &passes);

/// By node, the nodes of the backward pass that it waits for because it is
/// recomputed, or reads what is: those whose gradient the first reader needs.
std::vector<std::vector<int>> triggersOfNodes(const Graph &graph);

/// Why an op cannot run in microbatches that reads from another one, and for
/// ops of such a kind that can be asked to, how.
std::string describeCrossing(const std::string &kind);

} // namespace soap

#endif // SOAP_LIB_PLAN_PASSREADS_H
