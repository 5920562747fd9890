//===- ApplyStrategy.cpp - Strategies from files and presets --------------===//
//
// The pass soap-apply-strategy: writes a given strategy on a module.
//
//===----------------------------------------------------------------------===//

#include "StrategySupport.h"

#include "Soap/Analysis/OpGroups.h"
#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Core/StrategyFile.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Search/Presets.h"
#include "Soap/Transforms/Passes.h"

#include "llvm/Support/MemoryBuffer.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPAPPLYSTRATEGY
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

struct ApplyStrategy : mlir::soap::impl::SoapApplyStrategyBase<ApplyStrategy> {
  using SoapApplyStrategyBase::SoapApplyStrategyBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run();
  FailureOr<::soap::StrategyFile> readFile();
  FailureOr<::soap::Topology> chooseTopology(const ::soap::StrategyFile &file);
  FailureOr<::soap::Strategy>
  chooseStrategy(const OpGraph &opGraph, const ::soap::StrategyFile &file,
                 const ::soap::Topology &deviceTopology);
};

} // namespace

FailureOr<::soap::StrategyFile> ApplyStrategy::readFile() {
  auto buffer = llvm::MemoryBuffer::getFile(strategy, /*IsText=*/true);
  if (!buffer)
    return getOperation().emitError()
           << "option 'strategy=" << strategy
           << "': cannot read: " << buffer.getError().message();
  ::soap::Expected<::soap::StrategyFile> file =
      ::soap::parseStrategyFile((*buffer)->getBuffer().str(), strategy);
  if (!file)
    return getOperation().emitError() << file.error();
  return std::move(*file);
}

/// Option, module, then what the strategy was made for.
FailureOr<::soap::Topology>
ApplyStrategy::chooseTopology(const ::soap::StrategyFile &file) {
  ModuleOp module = getOperation();
  bool fromFile = topology.empty() && !file.topology.empty() &&
                  !module->hasAttr(SoapDialect::kTopology);
  FailureOr<::soap::Topology> chosen = resolveTopology(
      module, fromFile ? file.topology : topology.getValue(), profile);
  if (failed(chosen))
    return failure();
  if (auto error =
          ::soap::checkTopologyFingerprint(file, *chosen, strategy.getValue()))
    return module.emitError() << error->message;
  return chosen;
}

FailureOr<::soap::Strategy>
ApplyStrategy::chooseStrategy(const OpGraph &opGraph,
                              const ::soap::StrategyFile &file,
                              const ::soap::Topology &deviceTopology) {
  ModuleOp module = getOperation();
  if (!strategy.empty()) {
    ::soap::Expected<::soap::Strategy> resolved = ::soap::resolveStrategy(
        opGraph.graph, file, deviceTopology.deviceCount(), strategy);
    if (!resolved)
      return module.emitError() << resolved.error();
    return std::move(*resolved);
  }
  ::soap::ParallelizationProblem problem(opGraph.graph, deviceTopology,
                                         computeGroups(opGraph),
                                         computeRoles(opGraph));
  if (auto error = problem.check())
    return module.emitError() << error->message;
  ::soap::Expected<::soap::Strategy> made =
      ::soap::presetStrategy(preset, problem);
  if (!made)
    return module.emitError()
           << "option 'preset=" << preset << "': " << made.error();
  return std::move(*made);
}

LogicalResult ApplyStrategy::run() {
  ModuleOp module = getOperation();
  if (strategy.empty() == preset.empty())
    return module.emitError()
           << "expected exactly one of the options 'strategy=FILE' and "
              "'preset=NAME'";
  ::soap::StrategyFile file;
  if (!strategy.empty()) {
    FailureOr<::soap::StrategyFile> read = readFile();
    if (failed(read))
      return failure();
    file = std::move(*read);
  }
  FailureOr<::soap::Topology> deviceTopology = chooseTopology(file);
  if (failed(deviceTopology))
    return failure();
  FailureOr<func::FuncOp> chosen = chooseFunction(module, function);
  if (failed(chosen))
    return failure();
  FailureOr<OpGraph> opGraph = buildOpGraph(*chosen);
  if (failed(opGraph))
    return failure();
  FailureOr<::soap::Strategy> result =
      chooseStrategy(*opGraph, file, *deviceTopology);
  if (failed(result) ||
      failed(checkPlacements(*opGraph, deviceTopology->deviceCount())) ||
      failed(writeModuleStrategy(module, *opGraph, *result, *deviceTopology)))
    return failure();
  if (exportFile.empty())
    return success();
  return exportStrategy(module, opGraph->graph, *result, *deviceTopology,
                        exportFile);
}
