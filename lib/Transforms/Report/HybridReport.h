//===- HybridReport.h - What is said of hybrid plans ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines, JSON and diagnostics of hybrid plans and of searches for them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_REPORT_HYBRIDREPORT_H
#define SOAP_LIB_TRANSFORMS_REPORT_HYBRIDREPORT_H

#include "SchedulingAnomaly.h"
#include "Transforms/Support/StrategySupport.h"

#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

#include "llvm/Support/JSON.h"

namespace mlir::soap {

/// "8 stages x (tensor 8 x data 16), ...: 61.2 ms, ...": a line without its
/// end.
std::string printHybridPlan(const ::soap::HybridPlan &plan,
                            ::soap::HybridModel &model,
                            const ::soap::Topology &topology);
/// "; may need 91.2 GB": of a plan that fits by its price, but not with what a
/// price may fall short of. Else empty.
std::string memoryCaveat(const ::soap::HybridPlan &plan, int64_t memoryBytes);
/// "preset zero, the whole batch at once: 2.2 ms, 3.1 GB, faster than ...".
std::string printPreset(const ::soap::PresetResult &preset);
/// Lines: a preset that is faster, the best plan, what is said of its
/// anomalies, and the best of other kinds.
std::string printHybrid(const ::soap::HierarchicalResult &result,
                        ::soap::HybridModel &model,
                        const ::soap::Topology &topology,
                        const AnomalyCheck &anomaly);

/// The error of a search without a plan.
LogicalResult reportNoPlan(const FunctionProblem &target,
                           const ::soap::HierarchicalResult &result);

/// A remark where no simulation has judged the plan that a search has found.
void remarkIfPriced(func::FuncOp function,
                    const ::soap::HierarchicalResult &result);

llvm::json::Object hybridPlanJson(const ::soap::HybridPlan &plan,
                                  ::soap::HybridModel &model,
                                  const ::soap::Topology &topology);
/// The text of a report (docs/Hierarchical.md).
std::string printHybridReport(const ::soap::HierarchicalResult &result,
                              ::soap::HybridModel &model,
                              const ::soap::Topology &topology,
                              const AnomalyCheck &anomaly);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_REPORT_HYBRIDREPORT_H
