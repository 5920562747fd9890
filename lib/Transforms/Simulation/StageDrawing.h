//===- StageDrawing.h - A strategy with stages as a drawing -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages from left to right, the devices of each as a grid, and one of the
// blocks that repeat.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_SIMULATION_STAGEDRAWING_H
#define SOAP_LIB_TRANSFORMS_SIMULATION_STAGEDRAWING_H

#include "Transforms/Support/StrategySupport.h"

#include "Soap/Plan/PassOrder.h"

#include <string>

namespace mlir::soap {

/// An SVG. A stage is a column: its devices as a grid of replicas (rows) and
/// their members (columns), coloured by machine, and what it computes, blocks
/// of one kind together. Below, one block that repeats is drawn once: its ops
/// without views and conversions, coloured by what the members of a replica
/// split. `schedule` is in words; a legend explains every mark.
std::string drawStages(const FunctionProblem &target,
                       const ::soap::Strategy &strategy,
                       const ::soap::PassOrder &order,
                       const std::string &schedule, const std::string &title);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_SIMULATION_STAGEDRAWING_H
