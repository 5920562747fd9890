//===- Partition.h - From configs to device programs ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns every function with configs into device programs: writes its
// communication plan as IR, one function per device class, and a rank table
// (docs/Partition.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TRANSFORMS_PARTITION_H
#define SOAP_TRANSFORMS_PARTITION_H

#include "Soap/Analysis/OpGraph.h"
#include "Soap/Simulator/TaskGraph.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::soap {

/// The plan of one function, priced and simulated: what the search priced and
/// what partition writes.
struct PricedFunction {
  OpGraph opGraph;
  ::soap::Strategy strategy;
  ::soap::Plan plan;
  ::soap::TaskGraph tasks;
};

/// Builds op graph, plan and task graph of a function whose ops have configs,
/// and simulates it.
FailureOr<PricedFunction> priceFunction(func::FuncOp function,
                                        const ::soap::Topology &topology);

/// Replaces every function of soap ops by its device programs and adds them to
/// the module attribute `soap.programs`. All ops are written out
/// (Analysis/SharedOps.h).
LogicalResult partitionModule(ModuleOp module,
                              const ::soap::Topology &topology);

} // namespace mlir::soap

#endif // SOAP_TRANSFORMS_PARTITION_H
