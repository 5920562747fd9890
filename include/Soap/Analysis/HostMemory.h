//===- HostMemory.h - Which arguments are in the host's memory --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes `soap.memory` of arguments (docs/HostMemory.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_ANALYSIS_HOSTMEMORY_H
#define SOAP_ANALYSIS_HOSTMEMORY_H

#include "Soap/Analysis/OpGraph.h"
#include "Soap/Topology/Topology.h"

#include <string>
#include <vector>

namespace mlir::soap {

/// Takes a graph to the devices that it runs on (`soap::resolveHostMemory`).
/// An error is one of the function.
LogicalResult resolveHostMemory(OpGraph &opGraph, func::FuncOp function,
                                const ::soap::Topology &topology);

/// Puts all states of the optimizer into the memory of the host. `prefix`
/// begins the message if it has none.
LogicalResult offloadOptimizer(func::FuncOp function, const Twine &prefix);
/// Puts the arguments with these names there, and no others. `file` begins
/// messages.
LogicalResult offloadNamed(func::FuncOp function,
                           const std::vector<std::string> &names,
                           StringRef file);
/// Takes all arguments back into the memory of devices.
void dropHostMemory(func::FuncOp function);
/// The names of the arguments that are in the memory of the host.
std::vector<std::string> hostArguments(func::FuncOp function);

} // namespace mlir::soap

#endif // SOAP_ANALYSIS_HOSTMEMORY_H
