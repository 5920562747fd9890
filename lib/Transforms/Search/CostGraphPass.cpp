//===- CostGraphPass.cpp - Models as cost graphs, and back ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-cost-graph: the cost graph of a model for solvers that know
// nothing of models, and the configs of a solution.
//
//===----------------------------------------------------------------------===//

#include "FrontierAlgorithm.h"
#include "Transforms/Support/OptionFile.h"
#include "Transforms/Support/ProgramCheck.h"
#include "Transforms/Support/StrategySupport.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Search/CostGraph/CostGraphFile.h"
#include "Soap/Search/Frontier/FrontierGraph.h"
#include "Soap/Search/Frontier/FrontierSearch.h"
#include "Soap/Transforms/Passes.h"

#include "llvm/Support/DebugLog.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPCOSTGRAPH
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

#define DEBUG_TYPE "soap-cost-graph"

using namespace mlir;
using namespace mlir::soap;

namespace {

struct CostGraphPass : mlir::soap::impl::SoapCostGraphBase<CostGraphPass> {
  using SoapCostGraphBase::SoapCostGraphBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run();
  FailureOr<std::vector<int>> readSolution(const ::soap::CostGraph &graph);
};

} // namespace

/// A solution that is what it says of this very graph.
FailureOr<std::vector<int>>
CostGraphPass::readSolution(const ::soap::CostGraph &graph) {
  ModuleOp module = getOperation();
  FailureOr<std::string> text = readOptionFile(module, "solution", solution);
  if (failed(text))
    return failure();
  ::soap::Expected<::soap::CostGraphSolution> read =
      ::soap::parseCostGraphSolution(*text, solution);
  if (!read)
    return module.emitError() << read.error();
  if (auto error = graph.verify(*read))
    return module.emitError()
           << solution.getValue() << ": " << error->message
           << ", expected a solution of the cost graph that this pass writes "
              "with the same options";
  return std::move(read->choice);
}

LogicalResult CostGraphPass::run() {
  ModuleOp module = getOperation();
  if (instance.empty() == solution.empty())
    return module.emitError()
           << "expected exactly one of the options 'instance=FILE' and "
              "'solution=FILE'";
  if (configs < 1 || configs > 1000)
    return module.emitError() << "option 'configs=" << configs.getValue()
                              << "': expected a number from 1 to 1000";
  std::optional<int64_t> limit = -1;
  if (!memoryLimit.empty() && !(limit = parseBytes(memoryLimit)))
    return module.emitError()
           << "option 'memory-limit=" << memoryLimit.getValue()
           << "': expected bytes as 16GB or 15GiB, at least 1";
  for (auto other : module.getOps<func::FuncOp>())
    dropKeeps(other);
  auto opened = openProblem(module, topology, profile, function);
  if (failed(opened))
    return failure();
  FunctionProblem &target = **opened;
  ::soap::FrontierGraphOptions options;
  options.devices = target.topology.deviceCount();
  options.maxConfigs = static_cast<int>(configs);
  options.reuse = false; // an edge of the format has one cost
  ::soap::FrontierGraph model(*target.problem, options);
  ::soap::CostGraph graph =
      model.lifetimeGraph(::soap::capacityOf(target.topology, *limit));
  graph.name = target.function.getName().str() + " on " + target.topology.name;
  if (auto error = graph.check())
    return module.emitError() << "cannot be a cost graph: " << error->message;
  LDBG() << "cost graph '" << graph.name << "': " << graph.nodes.size()
         << " nodes, " << graph.edges.size() << " edges";
  if (!instance.empty())
    return writeOptionFile(module, "instance", instance,
                           ::soap::printCostGraph(graph));
  FailureOr<std::vector<int>> choice = readSolution(graph);
  if (failed(choice))
    return failure();
  choice->resize(target.problem->getGroups().size());
  return failure(
      failed(writeModuleStrategy(module, target.opGraph,
                                 model.strategy(*choice), target.topology)) ||
      failed(checkPrograms(module, target.topology)));
}
