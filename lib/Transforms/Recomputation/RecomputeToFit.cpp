//===- RecomputeToFit.cpp - The least recomputation that fits -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RecomputeToFit.h. What is priced is the graph of what is written.
//
//===----------------------------------------------------------------------===//

#include "RecomputeToFit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "soap-recompute"

using namespace mlir;
using namespace mlir::soap;

/// The price of a strategy if some nodes are recomputed.
static FailureOr<::soap::Evaluation> tryNodes(const FunctionProblem &target,
                                              const ForwardPass &pass,
                                              const ::soap::Strategy &strategy,
                                              const std::vector<bool> &nodes) {
  auto made = ::soap::withRecomputation(
      pass, nodes, ::soap::keptValues(target.opGraph.graph));
  if (!made) {
    func::FuncOp function = target.function;
    return function.emitError() << made.error();
  }
  return ::soap::ParallelizationProblem(made->graph, target.topology,
                                        /*groups=*/{}, /*roles=*/{})
      .evaluate(made->configs(strategy));
}

FailureOr<RecomputeFit> mlir::soap::recomputeToFit(
    const FunctionProblem &target, const ForwardPass &pass,
    const ::soap::Strategy &strategy, const RecomputeChoice &choice) {
  size_t blocks = choice.blockCount();
  // Level 0: nothing; then one block more each, first selective, then whole.
  auto tryLevel = [&](size_t level) -> FailureOr<RecomputeFit> {
    RecomputeFit fit;
    for (size_t b = 0; b < blocks; ++b)
      fit.policies.push_back(b + blocks < level ? RecomputePolicy::Whole
                             : b < level        ? RecomputePolicy::Selective
                                                : RecomputePolicy::None);
    fit.nodes = choice.choose(fit.policies);
    FailureOr<::soap::Evaluation> evaluation =
        tryNodes(target, pass, strategy, fit.nodes);
    if (failed(evaluation))
      return failure();
    fit.evaluation = *evaluation;
    LDBG() << "level " << level << " of " << 2 * blocks << ": "
           << llvm::count(fit.nodes, true) << " ops, " << evaluation->makespanNs
           << " ns, " << evaluation->excessBytes << " bytes too many";
    return fit;
  };
  auto fits = [](const RecomputeFit &fit) {
    return fit.evaluation.excessBytes == 0;
  };
  FailureOr<RecomputeFit> best = tryLevel(0);
  if (failed(best) || fits(*best))
    return best;
  size_t low = 0; // does not fit
  for (size_t level : {blocks, 2 * blocks}) {
    FailureOr<RecomputeFit> all = tryLevel(level);
    if (failed(all))
      return failure();
    if (::soap::isBetter(all->evaluation, best->evaluation))
      best = all;
    if (!fits(*all)) {
      low = level;
      continue;
    }
    for (size_t high = level; high - low > 1;) {
      size_t middle = low + (high - low) / 2;
      FailureOr<RecomputeFit> tried = tryLevel(middle);
      if (failed(tried))
        return failure();
      (fits(*tried) ? high : low) = middle;
      if (fits(*tried))
        best = tried;
    }
    return best;
  }
  return best;
}

FailureOr<RecomputedProblem>
mlir::soap::recomputeBest(ModuleOp module, const FunctionProblem &target,
                          ArrayRef<::soap::Strategy> strategies,
                          double budget) {
  ForwardPass pass(target.opGraph);
  if (failed(checkHasBackward(target, pass)))
    return failure();
  std::optional<RecomputeFit> best;
  size_t bestStrategy = 0;
  for (auto [s, strategy] : llvm::enumerate(strategies)) {
    RecomputeChoice choice(target, pass, strategy, budget);
    FailureOr<RecomputeFit> fit =
        recomputeToFit(target, pass, strategy, choice);
    if (failed(fit))
      return failure();
    if (best && !::soap::isBetter(fit->evaluation, best->evaluation))
      continue;
    best = std::move(*fit);
    bestStrategy = s;
  }
  func::FuncOp function = target.function;
  writeStrategy(target.opGraph, strategies[bestStrategy]);
  RecomputedProblem result;
  FailureOr<int> ops = recompute(pass, best->nodes);
  if (failed(ops))
    return failure();
  result.ops = *ops;
  result.ofBlocks = best->policies.size();
  result.blocks = llvm::count_if(best->policies, [](RecomputePolicy policy) {
    return policy != RecomputePolicy::None;
  });
  auto opened = openProblem(module, target.topology, function.getName());
  if (failed(opened))
    return failure();
  result.target = std::move(*opened);
  FailureOr<::soap::Strategy> strategy = readStrategy(
      result.target->opGraph, result.target->topology.deviceCount());
  if (failed(strategy))
    return failure();
  result.strategy = std::move(*strategy);
  result.evaluation = best->evaluation;
  return result;
}

LogicalResult mlir::soap::recomputeBlocks(FunctionProblem &target,
                                          RecomputePolicy policy,
                                          double budget) {
  ForwardPass pass(target.opGraph);
  if (failed(checkHasBackward(target, pass)))
    return failure();
  FailureOr<::soap::Strategy> strategy =
      readStrategy(target.opGraph, target.topology.deviceCount(),
                   /*defaultToSingle=*/true);
  if (failed(strategy))
    return failure();
  RecomputeChoice choice(target, pass, *strategy, budget);
  std::vector<RecomputePolicy> policies(choice.blockCount(), policy);
  return failure(failed(recompute(pass, choice.choose(policies))));
}

LogicalResult mlir::soap::checkHasBackward(const FunctionProblem &target,
                                           const ForwardPass &pass) {
  size_t count = target.opGraph.graph.nodes.size();
  if (!llvm::all_of(llvm::seq<int>(count),
                    [&](int node) { return pass.isForward(node); }))
    return success();
  func::FuncOp function = target.function;
  return function.emitError()
         << "'@" << function.getName()
         << "' has no backward pass, expected a training step "
            "('--soap-build-training-step')";
}
