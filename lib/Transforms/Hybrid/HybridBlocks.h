//===- HybridBlocks.h - Hybrid plans of long sequences ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Context parallelism in hybrid plans needs attention in blocks. Where
// sequences are long and attention is whole, plans of a copy of the step with
// attention in blocks are looked at, too (docs/Hierarchical.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDBLOCKS_H
#define SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDBLOCKS_H

#include "Transforms/Support/StrategySupport.h"

#include "Soap/Search/Hierarchical/HybridOffload.h"

#include "mlir/IR/OwningOpRef.h"

namespace mlir::soap {

/// A copy of a module whose attention is in blocks.
struct BlockedStep {
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<FunctionProblem> target;
  std::unique_ptr<::soap::HybridModel> model;
  int64_t blocks = 0;
};

/// Whether the sequences of an attention that is whole are long.
bool hasLongSequences(func::FuncOp function);

struct HybridSearch : ::soap::OffloadSearch {
  /// Of the result, if its plans are of the step with attention in blocks, or
  /// of the search that did not find better ones. Null: there was none.
  std::unique_ptr<BlockedStep> blocked;
  bool usesBlocks = false;

  /// The model of the result; `model` is that of the step as it was.
  ::soap::HybridModel &modelOf(::soap::HybridModel &model) const {
    if (usesOffload)
      return *offloaded->model;
    return usesBlocks ? *blocked->model : model;
  }
};

/// `searchWithOffload`, with simulators of its own; of long sequences with
/// attention in blocks, too, for most of the time.
HybridSearch searchHybridPlans(const FunctionProblem &target,
                               ::soap::HybridModel &model,
                               const ::soap::HierarchicalOptions &options,
                               int64_t batch = 0);

/// The step of the result takes the place of the one in the module, whose
/// problem is `target`, if it has attention in blocks. Returns its problem. A
/// remark says so.
FunctionProblem &replaceStep(FunctionProblem &target, HybridSearch &search);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDBLOCKS_H
