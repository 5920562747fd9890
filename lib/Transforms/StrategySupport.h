//===- StrategySupport.h - What strategy passes share -----------*- C++ -*-===//
//
// Choosing the function that a strategy is made for, carrying it over to the
// other functions of the module, and writing result files. Shared by
// apply-strategy, auto-parallel and simulate.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_STRATEGYSUPPORT_H
#define SOAP_LIB_TRANSFORMS_STRATEGYSUPPORT_H

#include "Soap/Analysis/OpGraph.h"
#include "Soap/Core/Topology.h"

namespace mlir::soap {

/// The function called `name`; without a name `@train_step`, else `@evaluate`,
/// else `@forward`, else the only function with a body. An error says what was
/// expected.
FailureOr<func::FuncOp> chooseFunction(ModuleOp module, StringRef name);

/// Writes the strategy on the ops of its function, and on those of every other
/// function: an op takes the config of the op with the same `soap.name`, else
/// it runs on device 0. Leaves the topology on the module.
LogicalResult writeModuleStrategy(ModuleOp module, const OpGraph &opGraph,
                                  const ::soap::Strategy &strategy,
                                  const ::soap::Topology &topology);

/// The strategy in the file that pass option `option` names, for an op graph.
/// An error names both.
FailureOr<::soap::Strategy> readStrategyFile(ModuleOp module, StringRef option,
                                             StringRef path,
                                             const ::soap::Graph &graph,
                                             const ::soap::Topology &topology);

/// Writes `text` to the file that pass option `option` names (`-`: standard
/// output). An error names both.
LogicalResult writeOptionFile(ModuleOp module, StringRef option, StringRef path,
                              StringRef text);

/// Writes a strategy file with the simulated schedule to the file that pass
/// option `export` names.
LogicalResult exportStrategy(ModuleOp module, const ::soap::Graph &graph,
                             const ::soap::Strategy &strategy,
                             const ::soap::Topology &topology, StringRef path);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_STRATEGYSUPPORT_H
