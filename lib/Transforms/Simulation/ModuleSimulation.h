//===- ModuleSimulation.h - The strategy of a module, priced ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A strategy simulated as its module runs it: the whole batch at once, or, with
// `soap.pipeline`, in microbatches.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_SIMULATION_MODULESIMULATION_H
#define SOAP_LIB_TRANSFORMS_SIMULATION_MODULESIMULATION_H

#include "Transforms/Report/SimulationReport.h"
#include "Transforms/Support/StrategySupport.h"

namespace mlir::soap {

/// Simulates an iteration in microbatches op by op, as programs run it. Emits
/// an error where the pipeline does not fit the strategy.
FailureOr<Simulation> simulateMicrobatches(ModuleOp module,
                                           const FunctionProblem &target,
                                           const ::soap::Strategy &strategy,
                                           PipelineAttr pipeline);

/// `48.211 ms per iteration, simulated`, and of a pipeline also how many
/// microbatches go through how many stages: for titles. Without the time where
/// a pipeline has too many pieces to be simulated.
FailureOr<std::string> describePrice(ModuleOp module,
                                     const FunctionProblem &target,
                                     const ::soap::Strategy &strategy);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_SIMULATION_MODULESIMULATION_H
