//===- HybridBlocks.cpp - Hybrid plans of long sequences ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HybridBlocks.h.
//
//===----------------------------------------------------------------------===//

#include "HybridBlocks.h"

#include "HybridChecks.h"
#include "Transforms/RingAttention/BlockAttention.h"

#include "Soap/Analysis/Stages.h"
#include "Soap/Analysis/StepFacts.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::soap;

/// From here on scores of an attention are most of the memory.
static constexpr int64_t longSequence = 16384;
/// Enough that a zigzag over the devices of a machine has a block for each
/// part.
static constexpr int64_t maxBlocks = 16, minBlocks = 2;

bool mlir::soap::hasLongSequences(func::FuncOp function) {
  return longestAttention(function) >= longSequence;
}

/// Null: attention of the function is not written in blocks.
static std::unique_ptr<BlockedStep> blockedStep(const FunctionProblem &target,
                                                int64_t batch) {
  func::FuncOp function = target.function;
  // A step that stays as it is needs no diagnostics.
  ScopedDiagnosticHandler quiet(function.getContext(),
                                [](Diagnostic &) { return success(); });
  auto step = std::make_unique<BlockedStep>();
  int64_t length = longestAttention(function);
  for (step->blocks = maxBlocks;
       step->blocks >= minBlocks && length % step->blocks != 0;
       step->blocks /= 2) {
  }
  if (step->blocks < minBlocks)
    return nullptr;
  step->module = cast<ModuleOp>(function->getParentOfType<ModuleOp>()->clone());
  StringRef name = function.getName();
  SmallVector<func::FuncOp> functions = functionsWithAttention(*step->module);
  if (llvm::none_of(functions,
                    [&](func::FuncOp each) { return each.getName() == name; }))
    functions = {step->module->lookupSymbol<func::FuncOp>(name)};
  for (func::FuncOp each : functions)
    if (failed(blockAttention(each, {step->blocks, /*ahead=*/1})))
      return nullptr;
  auto opened = openProblem(*step->module, target.topology, name);
  if (failed(opened))
    return nullptr;
  step->target = std::move(*opened);
  auto model = ::soap::HybridModel::make(*step->target->problem, batch,
                                         forwardNodesOf(step->target->opGraph));
  if (!model)
    return nullptr;
  step->model = std::move(*model);
  return step;
}

HybridSearch mlir::soap::searchHybridPlans(
    const FunctionProblem &target, ::soap::HybridModel &model,
    const ::soap::HierarchicalOptions &options, int64_t batch) {
  ::soap::HierarchicalOptions own = options;
  judgePlans(own, target.opGraph, target.topology, model);
  HybridSearch search;
  if (!hasLongSequences(target.function)) {
    static_cast<::soap::OffloadSearch &>(search) = ::soap::searchWithOffload(
        model, stepFactsOf(target.opGraph), own, batch);
    return search;
  }
  // Whole rows of scores fit of few sequences as long.
  constexpr double shareOfWhole = 0.2;
  own.seconds = shareOfWhole * options.seconds;
  search.result = ::soap::searchHybrid(model, *target.problem, own);
  if (isStopped(options) || !(search.blocked = blockedStep(target, batch)))
    return search;
  FunctionProblem &step = *search.blocked->target;
  own.seconds = std::max(options.seconds - search.result.seconds,
                         (1 - shareOfWhole) * options.seconds);
  own.part = "blocks";
  judgePlans(own, step.opGraph, step.topology, *search.blocked->model);
  ::soap::OffloadSearch other = ::soap::searchWithOffload(
      *search.blocked->model, stepFactsOf(step.opGraph), own, batch);
  if (!other.result.best.exists() ||
      (search.result.best.exists() &&
       !::soap::isBetter(other.result.best, search.result.best)))
    return search;
  other.result.shapes += search.result.shapes;
  other.result.priced += search.result.priced;
  other.result.simulated += search.result.simulated;
  other.result.seconds += search.result.seconds;
  other.result.complete &= search.result.complete;
  static_cast<::soap::OffloadSearch &>(search) = std::move(other);
  search.usesBlocks = true;
  return search;
}

FunctionProblem &mlir::soap::replaceStep(FunctionProblem &target,
                                         HybridSearch &search) {
  if (!search.usesBlocks)
    return target;
  BlockedStep &step = *search.blocked;
  auto module = target.function->getParentOfType<ModuleOp>();
  module.getBodyRegion().takeBody(step.module->getBodyRegion());
  target.function = step.target->function;
  step.target->function.emitRemark()
      << "attention is written in " << step.blocks
      << " blocks, as '--soap-block-attention=blocks=" << step.blocks
      << "' does";
  return *step.target;
}
