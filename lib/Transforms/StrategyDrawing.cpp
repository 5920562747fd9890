//===- StrategyDrawing.cpp - The strategy of a module as SVG --------------===//
//
// From IR to the drawing of the search library.
//
//===----------------------------------------------------------------------===//

#include "Soap/Transforms/StrategyDrawing.h"

#include "StrategySupport.h"

#include "Soap/Analysis/OpGroups.h"
#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Search/StrategyDrawing.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::soap;

FailureOr<std::string> mlir::soap::drawModuleStrategy(ModuleOp module,
                                                      StringRef topology,
                                                      StringRef function) {
  FailureOr<::soap::Topology> deviceTopology =
      resolveTopology(module, topology);
  if (failed(deviceTopology))
    return failure();
  FailureOr<func::FuncOp> chosen = chooseFunction(module, function);
  if (failed(chosen))
    return failure();
  FailureOr<OpGraph> opGraph = buildOpGraph(*chosen);
  if (failed(opGraph))
    return failure();
  FailureOr<::soap::Strategy> strategy =
      readStrategy(*opGraph, deviceTopology->deviceCount());
  if (failed(strategy))
    return failure();
  ::soap::ParallelizationProblem problem(opGraph->graph, *deviceTopology,
                                         computeGroups(*opGraph),
                                         computeRoles(*opGraph));
  if (auto error = problem.check())
    return module.emitError() << error->message;
  std::string title;
  llvm::raw_string_ostream(title)
      << "@" << chosen->getName() << " on " << deviceTopology->name << ": "
      << llvm::format("%.3f ms per iteration, simulated",
                      problem.evaluate(*strategy).makespanNs * 1e-6);
  return ::soap::drawStrategy(problem, *strategy, title);
}
