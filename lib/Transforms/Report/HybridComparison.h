//===- HybridComparison.h - Recipes as hybrid plans -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recipes that a pipeline is compared with: as hybrid plans, simulated if
// they fit, else with the prices of --soap-plan-hybrid.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_REPORT_HYBRIDCOMPARISON_H
#define SOAP_LIB_TRANSFORMS_REPORT_HYBRIDCOMPARISON_H

#include "Soap/Search/Hierarchical/HierarchicalSearch.h"
#include "Soap/Support/Error.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::soap {

/// The best plan of a recipe.
struct HybridRow {
  std::string name;
  ::soap::HybridPlan plan; ///< one that exceeds memory least, if none fits
  int64_t memoryBytes = 0; ///< of a device
};

/// The plan that a text names, with the samples of a microbatch that are best:
/// - `data-parallel`, `zero` (ZeRO-1), `fsdp` (ZeRO-3) on all devices;
/// - `megatron(tp=N,pp=N,sp,zero=N)`: tensor parallelism of degree N (default:
///   the devices of a machine) with sequence parallelism, on N stages (default
///   1); the other devices are replicas, which share states with `zero=1`.
/// Stages recompute as little as fits. None: the text names no hybrid plan. An
/// error names an option that is wrong, or says why there is no such plan.
std::optional<::soap::Expected<HybridRow>>
priceRecipe(const std::string &text, ::soap::HybridModel &model,
            const ::soap::Topology &topology);

/// Gives a plan that fits by its price the figures of its simulation. One whose
/// simulation does not fit is made anew, as on devices with less memory. What
/// the simulator refuses, as replicas that differ on too many devices, keeps
/// its price.
void simulateRecipe(HybridRow &row, ::soap::HybridModel &model,
                    const ::soap::HybridSimulator &simulate);

/// A line for each row: time, gain over them of a strategy that takes
/// `makespanNs`, memory, and what does not fit.
void printHybridRows(int64_t makespanNs, const std::vector<HybridRow> &rows,
                     llvm::raw_ostream &stream);
/// The attribute `compared_plans`, an array with an object for each row.
void printHybridRows(llvm::json::OStream &json, int64_t makespanNs,
                     const std::vector<HybridRow> &rows);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_REPORT_HYBRIDCOMPARISON_H
