//===- WriteHybrid.cpp - Hybrid plans as strategies of modules ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WriteHybrid.h.
//
//===----------------------------------------------------------------------===//

#include "WriteHybrid.h"

#include "Transforms/Recomputation/Recompute.h"
#include "Transforms/Support/ProgramCheck.h"

#include "Soap/Analysis/HostMemory.h"
#include "Soap/Analysis/Stages.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/StageAttributes.h"
#include "Soap/Model/Reuse.h"

using namespace mlir;
using namespace mlir::soap;

/// Clones nodes into the backward pass; of those that have configs, with them.
/// What cannot be recomputed, or need not be, stays. The graph holds no longer.
static LogicalResult recomputeNodes(const OpGraph &opGraph,
                                    const std::vector<bool> &isRecomputed) {
  ForwardPass pass(opGraph);
  return failure(failed(recompute(pass, pass.findRecomputable(isRecomputed))));
}

FailureOr<::soap::Strategy>
mlir::soap::writeHybrid(FunctionProblem &target, ::soap::HybridModel &model,
                        const ::soap::HybridPlan &best) {
  auto module = target.function->getParentOfType<ModuleOp>();
  ::soap::Expected<::soap::HybridPlacement> placement =
      model.place(best, forwardNodesOf(target.opGraph));
  if (!placement) {
    module.emitRemark("the plan is not written as a strategy: ")
        << placement.error();
    return ::soap::Strategy();
  }
  for (auto other : module.getOps<func::FuncOp>())
    dropKeeps(other);
  OpGraph &opGraph = target.opGraph;
  // Passes gather weights in the order in which they read them.
  std::optional<ModulePipeline> pipeline;
  if (best.microbatches > 1 || best.stages.size() > 1 ||
      !placement->keeps.empty()) {
    pipeline.emplace();
    pipeline->attribute = PipelineAttr::get(
        module.getContext(), best.microbatches,
        best.shape.overlap
            ? mlir::soap::PipelineSchedule::Overlapped
            : mlir::soap::PipelineSchedule::OneForwardOneBackward,
        ArrayRef<int64_t>());
    for (auto [first, devices] :
         llvm::zip_equal(placement->firsts, placement->devices))
      pipeline->stages.push_back(
          {opGraph.graph.nodes[first].whole.name, devices});
  }
  ::soap::Graph plain = opGraph.graph;
  for (const ::soap::KeptValue &kept : placement->keeps)
    ::soap::restoreValue(opGraph.graph, kept.value, kept.keep);
  LogicalResult written =
      writeModuleStrategy(module, opGraph, placement->strategy, target.topology,
                          pipeline ? &*pipeline : nullptr);
  opGraph.graph = std::move(plain);
  if (failed(written))
    return failure();
  // A plan that is priced so, of a step that does not say it.
  if (best.hostBytes > 0 && hostArguments(target.function).empty() &&
      failed(offloadOptimizer(target.function, "")))
    return failure();
  if (failed(recomputeNodes(target.opGraph, placement->isRecomputed)) ||
      failed(checkPrograms(module, target.topology)))
    return failure();
  return std::move(placement->strategy);
}
