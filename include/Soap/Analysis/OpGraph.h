//===- OpGraph.h - From IR to the core's op graph and back ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds `soap::Graph` from a function of soap ops, reads strategies from
// `soap.config` attributes and writes them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_ANALYSIS_OPGRAPH_H
#define SOAP_ANALYSIS_OPGRAPH_H

#include "Soap/Model/Graph.h"
#include "Soap/Model/Roles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::soap {

/// A function as op graph, with the correspondence to IR.
struct OpGraph {
  ::soap::Graph graph;
  /// Op of each graph node, in program order.
  SmallVector<Operation *> ops;
  /// Id of each SSA value of the function body (arguments included).
  DenseMap<Value, int> valueIds;
  /// Function argument of each graph input; graph inputs are the arguments in
  /// order.
  SmallVector<BlockArgument> inputs;
  /// Function result number of each graph output.
  SmallVector<int> outputResults;
};

/// Every op of the body but the terminator becomes a node with its iteration
/// space, stages (from `decomposeStages`, names `OP/MNEMONIC`), phase (from
/// soap.grad_of and soap.update_of) and name (soap.name, else MNEMONIC_N).
/// Emits errors for ops without an iteration space and duplicate names.
FailureOr<OpGraph> buildOpGraph(func::FuncOp function);

/// Configs from `soap.config`; an op without one is an error that names it,
/// unless `defaultToSingle`. Argument and result configs go into the graph.
FailureOr<::soap::Strategy> readStrategy(OpGraph &opGraph, int deviceCount,
                                         bool defaultToSingle = false);
/// Checks that the configs of arguments and results name devices that exist.
LogicalResult checkPlacements(const OpGraph &opGraph, int deviceCount);
/// Writes `soap.config` on every op.
void writeStrategy(const OpGraph &opGraph, const ::soap::Strategy &strategy);

/// Writes `soap.keep` for what the graph restores (Model/Reuse.h), and takes it
/// off everything else.
void writeKeeps(const OpGraph &opGraph);
/// Takes `soap.keep` off a function: another strategy is to be found.
void dropKeeps(func::FuncOp function);

/// Role of every loop of every node (DESIGN.md, section 1): sample; parameter
/// if splitting it splits a weight operand; reduction if no result has it; else
/// attribute. Sample dims are propagated from the arguments with
/// `soap.sample_dim` through the maps.
std::vector<std::vector<::soap::Role>> computeRoles(const OpGraph &opGraph);

} // namespace mlir::soap

#endif // SOAP_ANALYSIS_OPGRAPH_H
