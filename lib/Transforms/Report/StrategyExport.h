//===- StrategyExport.h - Strategies written to files -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option `export` of the passes that choose a strategy.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_REPORT_STRATEGYEXPORT_H
#define SOAP_LIB_TRANSFORMS_REPORT_STRATEGYEXPORT_H

#include "Transforms/Support/StrategySupport.h"

namespace mlir::soap {

/// The strategy as a file, with the ops that are recomputed and the pipeline of
/// the module, but without a simulated schedule.
FailureOr<::soap::StrategyFile>
makeStrategyFile(ModuleOp module, const OpGraph &opGraph,
                 const ::soap::Strategy &strategy,
                 const ::soap::Topology &topology);

/// Writes the strategy, with the ops that are recomputed and the pipeline of
/// the module, to the file that pass option `export` names. Where there is no
/// pipeline, the simulated schedule is in it.
LogicalResult exportStrategy(ModuleOp module, const OpGraph &opGraph,
                             const ::soap::Strategy &strategy,
                             const ::soap::Topology &topology, StringRef path);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_REPORT_STRATEGYEXPORT_H
