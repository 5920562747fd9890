//===- LoopCorrespondence.h - Loops of related ops --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loop of a forward op each loop of its gradients and updates is. Shared
// by roles and groups.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_ANALYSIS_LOOPCORRESPONDENCE_H
#define SOAP_LIB_ANALYSIS_LOOPCORRESPONDENCE_H

#include "Soap/Analysis/OpGraph.h"

#include "llvm/ADT/StringMap.h"

namespace mlir::soap {

/// The forward op that a gradient or update belongs to.
struct Origin {
  int node = -1; ///< -1: a forward op, or its origin is not in the function
  /// Per own loop, the loop of `node`, or -1.
  SmallVector<int> loops;
};

/// Nodes of a graph by name.
llvm::StringMap<int> nodesByName(const OpGraph &opGraph);

/// Origin of a node by `soap.grad_of` or `soap.update_of`. Loops correspond by
/// `soap.loop_map`, else by name; the loops of an update without
/// `soap.loop_map` through the access of the updated parameter.
Origin originOf(const OpGraph &opGraph, const llvm::StringMap<int> &nodes,
                int node);

/// The argument holds samples or their labels, not weights or state.
bool isDataArgument(BlockArgument argument);

} // namespace mlir::soap

#endif // SOAP_LIB_ANALYSIS_LOOPCORRESPONDENCE_H
