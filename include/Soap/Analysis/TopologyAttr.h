//===- TopologyAttr.h - The topology of a module ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The topology that a pass works on: the one that its option names, else the
// module attribute `soap.topology` that an earlier pass left.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_ANALYSIS_TOPOLOGYATTR_H
#define SOAP_ANALYSIS_TOPOLOGYATTR_H

#include "Soap/Topology/Topology.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::soap {

/// `option` (a built-in name or a file) if it is not empty, else the module's
/// `soap.topology` (JSON text or a built-in name), else an error that says how
/// to give one. `profile` (a built-in name or a file) gives its device types
/// measured times, if it is not empty. `executor` (a name or a file) is the
/// framework that runs plans, and is kept as the module's `soap.executor`;
/// empty: what that says, else Soap itself.
FailureOr<::soap::Topology> resolveTopology(ModuleOp module, StringRef option,
                                            StringRef profile = {},
                                            StringRef executor = {});

} // namespace mlir::soap

#endif // SOAP_ANALYSIS_TOPOLOGYATTR_H
