//===- WriteHybrid.h - Hybrid plans as strategies of modules ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the plan of a hybrid search on the ops of a function.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_HYBRID_WRITEHYBRID_H
#define SOAP_LIB_TRANSFORMS_HYBRID_WRITEHYBRID_H

#include "Transforms/Support/StrategySupport.h"

#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

namespace mlir::soap {

/// Writes the plan on the ops of the function, and its stages on the module. A
/// remark says what no strategy says. The configs, none if it is not written.
FailureOr<::soap::Strategy> writeHybrid(FunctionProblem &target,
                                        ::soap::HybridModel &model,
                                        const ::soap::HybridPlan &plan);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_HYBRID_WRITEHYBRID_H
