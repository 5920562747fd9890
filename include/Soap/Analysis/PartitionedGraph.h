//===- PartitionedGraph.h - Task graph of partitioned IR --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rebuilds the task graph of a partitioned module from device programs and rank
// table alone. It must equal the one that the search priced: what is simulated
// is what runs.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_ANALYSIS_PARTITIONEDGRAPH_H
#define SOAP_ANALYSIS_PARTITIONEDGRAPH_H

#include "Soap/Simulator/TaskGraph.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::soap {

/// Task graph of one entry of `soap.programs`: tasks in schedule order,
/// durations from the cost model and the types of local ops, dependencies from
/// SSA values and matching sends and receives. Simulated. Errors name what does
/// not fit (a send without a receive, sizes that differ).
FailureOr<::soap::TaskGraph> rebuildTaskGraph(ModuleOp module,
                                              DictionaryAttr entry,
                                              const ::soap::Topology &topology);

/// Compares tasks by key: name, kind, device, duration, bytes, dependencies,
/// times. Empty if equal, else what differs first.
std::string compareTaskGraphs(const ::soap::TaskGraph &expected,
                              const ::soap::TaskGraph &actual);

} // namespace mlir::soap

#endif // SOAP_ANALYSIS_PARTITIONEDGRAPH_H
