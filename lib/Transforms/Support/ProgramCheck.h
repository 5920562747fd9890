//===- ProgramCheck.h - Can programs be made of a module? -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partition reads configs and stages of a function before it makes programs,
// and may refuse them. Passes that write a strategy ask the same before they
// hand it out, so that no plan is made, simulated and then refused.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_SUPPORT_PROGRAMCHECK_H
#define SOAP_LIB_TRANSFORMS_SUPPORT_PROGRAMCHECK_H

#include "Soap/Analysis/OpGraph.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Plan/PassOrder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::soap {

/// A function whose ops have configs.
struct PlacedFunction {
  OpGraph opGraph;
  ::soap::Strategy strategy;
  /// Of the module; null: the whole batch runs at once.
  PipelineAttr pipeline;
  /// Of a pipeline.
  std::optional<::soap::PassOrder> passes;
};

/// The functions of which programs are made: those with soap ops.
SmallVector<func::FuncOp> functionsWithPrograms(ModuleOp module);

/// Emits an error where configs, host memory or stages cannot be run.
FailureOr<PlacedFunction> readPlacedFunction(func::FuncOp function,
                                             const ::soap::Topology &topology);

/// Emits the errors with which partition would refuse the module. Of pipelines
/// that are too large to be planned here, passes that wait for each other are
/// left to the simulation.
LogicalResult checkPrograms(ModuleOp module, const ::soap::Topology &topology);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_SUPPORT_PROGRAMCHECK_H
