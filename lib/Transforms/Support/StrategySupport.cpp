//===- StrategySupport.cpp - What strategy passes share -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StrategySupport.h.
//
//===----------------------------------------------------------------------===//

#include "StrategySupport.h"

#include "ModuleContents.h"
#include "OptionFile.h"

#include "Search/Report/SearchSummary.h"
#include "Soap/Analysis/HostMemory.h"
#include "Soap/Analysis/OpGroups.h"
#include "Soap/Analysis/Stages.h"
#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Dialect/Soap/FixedAttribute.h"
#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/StageAttributes.h"
#include "Soap/Memory/HostMemory.h"
#include "Soap/Memory/PlanMemory.h"
#include "Soap/Model/BandPieces.h"
#include "Soap/Plan/StrategyFile.h"
#include "Soap/Plan/StrategyPlan.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::soap;

FailureOr<func::FuncOp> mlir::soap::chooseFunction(ModuleOp module,
                                                   StringRef name) {
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      candidates.push_back(function);
  auto find = [&](StringRef wanted) -> func::FuncOp {
    for (func::FuncOp function : candidates)
      if (function.getName() == wanted)
        return function;
    return {};
  };
  auto checked = [](func::FuncOp function) -> FailureOr<func::FuncOp> {
    if (failed(checkModelOps(function)))
      return failure();
    return function;
  };
  if (!name.empty()) {
    if (func::FuncOp function = find(name))
      return checked(function);
    return module.emitError()
           << "option 'function=" << name
           << "' names no function with a body: the module has "
           << describeFunctions(module);
  }
  for (StringRef wanted : {"train_step", "evaluate", "forward"})
    if (func::FuncOp function = find(wanted))
      return checked(function);
  if (candidates.size() == 1)
    return checked(candidates.front());
  if (candidates.empty())
    return module.emitError("has no function with a body, expected "
                            "'@train_step', '@evaluate' or '@forward': the "
                            "module has ")
           << describeFunctions(module);
  return module.emitError()
         << "has " << candidates.size()
         << " functions with a body and none is '@train_step', '@evaluate' or "
            "'@forward', expected one of these or the option 'function=NAME': "
            "the module has "
         << describeFunctions(module);
}

LogicalResult mlir::soap::checkHasStrategy(ModuleOp module,
                                           StringRef function) {
  FailureOr<func::FuncOp> chosen = chooseFunction(module, function);
  if (failed(chosen))
    return failure();
  auto ops = chosen->getBody().getOps<IterationSpaceOpInterface>();
  if (ops.empty() || llvm::any_of(ops, [](Operation *op) {
        return op->hasAttr(SoapDialect::kConfig);
      }))
    return success();
  return chosen->emitError()
         << "'@" << chosen->getName()
         << "' has no strategy: no op has a 'soap.config', "
            "expected one on every op (run "
            "'--soap-auto-parallel' or '--soap-apply-strategy' "
            "first)";
}

/// Says of ops of other dialects which of their loops are not searched.
static void remarkUncutLoops(const OpGraph &opGraph) {
  for (auto [op, node] : llvm::zip_equal(opGraph.ops, opGraph.graph.nodes)) {
    if (isa_and_nonnull<SoapDialect>(op->getDialect()))
      continue;
    std::string names;
    for (const ::soap::Loop &loop : node.whole.space.loops)
      if (loop.type == ::soap::IteratorType::Serial && loop.extent > 1)
        names += (names.empty() ? "" : ", ") + loop.name;
    if (!names.empty())
      op->emitRemark() << "'" << op->getName() << "' is not split along "
                       << names
                       << ": its model does not allow it (docs/Linalg.md lists "
                          "the maps and folds that do)";
  }
}

/// The configs that `soap.fixed` keeps.
static LogicalResult readFixed(const OpGraph &opGraph, int deviceCount,
                               ::soap::ParallelizationProblem &problem) {
  for (auto [number, op] : llvm::enumerate(opGraph.ops)) {
    if (!op->hasAttr(kFixed))
      continue;
    const ::soap::Kernel &kernel = opGraph.graph.nodes[number].whole;
    auto fail = [&, op = op] {
      return op->emitOpError()
             << "\"" << kernel.name << "\" has '" << kFixed << "', ";
    };
    auto attr = op->getAttrOfType<ConfigAttr>(SoapDialect::kConfig);
    if (!attr)
      return fail() << "expected a '" << SoapDialect::kConfig
                    << "' beside it, which a search keeps";
    std::string error;
    std::optional<::soap::Config> config =
        resolveConfig(attr, kernel.space, error);
    if (!config)
      return fail() << "and a bad '" << SoapDialect::kConfig << "': " << error;
    ::soap::ConfigCheck check =
        ::soap::checkConfig(kernel.space, *config, deviceCount);
    if (check.fault != ::soap::ConfigFault::None)
      return fail() << "and a bad '" << SoapDialect::kConfig
                    << "': " << check.message;
    problem.fix(static_cast<int>(number), std::move(*config));
  }
  return success();
}

/// Says which ops get another config although theirs is fixed: strategies of
/// files, pipelines and placements name all configs themselves.
static void warnOfFixed(const OpGraph &opGraph,
                        const ::soap::Strategy &strategy) {
  for (auto [op, node, config] :
       llvm::zip_equal(opGraph.ops, opGraph.graph.nodes, strategy))
    if (auto former = op->getAttrOfType<ConfigAttr>(SoapDialect::kConfig);
        former && op->hasAttr(kFixed)) {
      std::string error;
      auto own = resolveConfig(former, node.whole.space, error);
      if (own && *own != config)
        op->emitWarning() << "\"" << node.whole.name << "\" has '" << kFixed
                          << "' and " << former
                          << ", and the strategy gives it "
                          << makeConfigAttr(op->getContext(), config,
                                            node.whole.space);
    }
}

FailureOr<std::unique_ptr<FunctionProblem>>
mlir::soap::openProblem(ModuleOp module, ::soap::Topology topology,
                        StringRef function, bool untied) {
  FailureOr<func::FuncOp> chosen = chooseFunction(module, function);
  if (failed(chosen))
    return failure();
  FailureOr<OpGraph> opGraph = buildOpGraph(*chosen);
  if (failed(opGraph) || failed(resolveHostMemory(*opGraph, *chosen, topology)))
    return failure();
  if (topology.executor.permutes())
    ::soap::permuteBands(opGraph->graph);
  remarkUncutLoops(*opGraph);
  auto result = std::make_unique<FunctionProblem>(FunctionProblem{
      std::move(topology), *chosen, std::move(*opGraph), std::nullopt});
  const ::soap::Graph &graph = result->opGraph.graph;
  result->problem.emplace(graph, result->topology,
                          untied ? ::soap::untiedGroups(graph)
                                 : computeGroups(result->opGraph),
                          computeRoles(result->opGraph));
  if (failed(readFixed(result->opGraph, result->topology.deviceCount(),
                       *result->problem)))
    return failure();
  if (auto error = result->problem->check())
    return module.emitError() << error->message;
  return std::move(result);
}

FailureOr<std::unique_ptr<FunctionProblem>>
mlir::soap::openProblem(ModuleOp module, StringRef topology, StringRef profile,
                        StringRef function, bool untied, StringRef executor) {
  FailureOr<::soap::Topology> resolved =
      resolveTopology(module, topology, profile, executor);
  if (failed(resolved))
    return failure();
  return openProblem(module, std::move(*resolved), function, untied);
}

std::vector<int64_t> mlir::soap::neededBytes(const FunctionProblem &problem,
                                             const ::soap::Strategy &strategy) {
  const ::soap::Topology &topology = problem.topology;
  ::soap::CostModel cost(topology);
  ::soap::StrategyPlan plan(problem.opGraph.graph, cost);
  plan.set(strategy);
  bool fits = llvm::all_of(llvm::seq(topology.deviceCount()), [&](int device) {
    return plan.tileBytes()[device] <= topology.memoryBytes(device);
  });
  return fits ? plan.tileBytes() : ::soap::peakBytes(plan);
}

std::string mlir::soap::describeLack(const ::soap::Topology &topology,
                                     ArrayRef<int64_t> neededBytes) {
  int worst = -1, others = -1;
  int64_t largest = 0;
  for (int device = 0; device < topology.deviceCount(); ++device) {
    int64_t excess = neededBytes[device] - topology.memoryBytes(device);
    others += excess > 0;
    if (excess > largest) {
      largest = excess;
      worst = device;
    }
  }
  if (worst < 0)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << ::soap::describeBytes(neededBytes[worst]) << " on device \""
         << topology.devices[worst].name << "\", which has "
         << ::soap::describeBytes(topology.memoryBytes(worst));
  if (others > 0)
    stream << "; " << others << " more devices have less than they need";
  return text;
}

/// Says that a function needs more than there is, if it does.
static bool reportLack(const FunctionProblem &problem, const std::string &lack,
                       DiagnosticSeverity severity) {
  if (lack.empty())
    return true;
  func::FuncOp function = problem.function;
  InFlightDiagnostic diagnostic = severity == DiagnosticSeverity::Error
                                      ? function.emitError()
                                      : function.emitWarning();
  diagnostic << "'@" << function.getName() << "' needs " << lack;
  return false;
}

bool mlir::soap::checkMemory(const FunctionProblem &problem,
                             ArrayRef<int64_t> neededBytes,
                             DiagnosticSeverity severity) {
  return reportLack(problem, describeLack(problem.topology, neededBytes),
                    severity);
}

bool mlir::soap::checkHostMemory(const FunctionProblem &problem,
                                 const ::soap::Strategy &strategy,
                                 DiagnosticSeverity severity) {
  const ::soap::Graph &graph = problem.opGraph.graph;
  if (llvm::none_of(graph.values, [](const ::soap::GraphValue &value) {
        return value.inHost;
      }))
    return true;
  ::soap::CostModel cost(problem.topology);
  ::soap::StrategyPlan plan(graph, cost);
  plan.set(strategy);
  return reportLack(
      problem,
      ::soap::describeHostLack(problem.topology, ::soap::hostBytes(plan)),
      severity);
}

LogicalResult mlir::soap::chooseOffload(ModuleOp module, StringRef offload,
                                        StringRef function) {
  if (!llvm::is_contained({"as-is", "none", "optimizer"}, offload))
    return module.emitError("option 'offload=")
           << offload << "': expected as-is, none or optimizer";
  if (offload == "as-is")
    return success();
  FailureOr<func::FuncOp> chosen = chooseFunction(module, function);
  if (failed(chosen))
    return failure();
  if (offload == "optimizer")
    return offloadOptimizer(*chosen, "option 'offload=optimizer': ");
  dropHostMemory(*chosen);
  return success();
}

/// Loops of an op of another function as loops of the op that has its name: by
/// name, else (batch norm in inference) by the dims of the first result.
static std::vector<int> matchLoops(const ::soap::Kernel &own,
                                   const ::soap::Kernel &other) {
  std::vector<int> loops(own.space.loops.size(), -1);
  if (own.kind == other.kind || own.space.results.empty() ||
      other.space.results.empty()) {
    for (auto [loop, match] : llvm::zip_equal(own.space.loops, loops))
      if (loop.type != ::soap::IteratorType::Serial)
        match = other.space.findLoop(loop.name);
    return loops;
  }
  const ::soap::AccessMap &ownMap = own.space.results.front().map;
  const ::soap::AccessMap &otherMap = other.space.results.front().map;
  llvm::SmallDenseSet<int> taken;
  for (size_t d = 0; d < ownMap.size() && d < otherMap.size(); ++d)
    if (ownMap[d].terms.size() == 1 && otherMap[d].terms.size() == 1 &&
        taken.insert(otherMap[d].terms.front().loop).second)
      loops[ownMap[d].terms.front().loop] = otherMap[d].terms.front().loop;
  return loops;
}

namespace {

/// Where ops of other functions run that the strategy's function lacks.
class OtherPlaces {
public:
  OtherPlaces(const OpGraph &opGraph, const ModulePipeline *pipeline)
      : graph(opGraph.graph), pipeline(pipeline),
        writers(graph.values.size(), -1) {}

  LogicalResult findStages(const OpGraph &opGraph) {
    if (!pipeline || pipeline->stages.empty())
      return success();
    FailureOr<std::vector<int>> firsts =
        firstNodesOf(opGraph, pipeline->stages);
    if (failed(firsts))
      return failure();
    stages = ::soap::stagesOfNodes(graph, forwardNodesOf(opGraph), *firsts);
    return success();
  }

  /// The config of the next op; `given`: that of the op with its name, if any.
  ::soap::Config configOf(size_t node, std::optional<::soap::Config> given) {
    const ::soap::Kernel &kernel = graph.nodes[node].whole;
    if (!given || !isOfStage(node, *given)) {
      given = ::soap::Config::single(kernel.space);
      given->devices = {deviceOf(node)};
    }
    for (int value : kernel.results)
      writers[value] = static_cast<int>(node);
    firstDevices.push_back(given->devices.front());
    return std::move(*given);
  }

private:
  const ::soap::Graph &graph;
  const ModulePipeline *pipeline;
  std::vector<int> stages;       ///< by node; empty: there are none
  std::vector<int> writers;      ///< by value
  std::vector<int> firstDevices; ///< by node

  const StageEntry *stageOf(size_t node) const {
    if (stages.empty() || stages[node] < 0)
      return nullptr;
    return &pipeline->stages[static_cast<size_t>(stages[node])];
  }
  bool isOfStage(size_t node, const ::soap::Config &config) const {
    const StageEntry *stage = stageOf(node);
    return !stage || llvm::all_of(config.devices, [&](int device) {
      return llvm::is_contained(stage->devices, device);
    });
  }
  int deviceOf(size_t node) const {
    if (const StageEntry *stage = stageOf(node))
      return stage->devices.front();
    int last = -1;
    for (int value : graph.nodes[node].whole.operands)
      last = std::max(last, writers[graph.rootOf(value)]);
    return last < 0 ? 0 : firstDevices[static_cast<size_t>(last)];
  }
};

} // namespace

LogicalResult mlir::soap::writeModuleStrategy(ModuleOp module,
                                              const OpGraph &opGraph,
                                              const ::soap::Strategy &strategy,
                                              const ::soap::Topology &topology,
                                              const ModulePipeline *pipeline) {
  llvm::StringMap<size_t> byName;
  for (size_t i = 0; i < strategy.size(); ++i)
    byName[opGraph.graph.nodes[i].whole.name] = i;
  auto own = opGraph.ops.empty()
                 ? func::FuncOp()
                 : opGraph.ops.front()->getParentOfType<func::FuncOp>();

  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || function == own)
      continue;
    FailureOr<OpGraph> other = buildOpGraph(function);
    if (failed(other))
      return failure();
    OtherPlaces places(*other, pipeline);
    if (failed(places.findStages(*other)))
      return failure();
    ::soap::Strategy copied;
    for (auto [n, op] : llvm::enumerate(other->ops)) {
      const ::soap::GraphNode &node = other->graph.nodes[n];
      auto it = op->hasAttr(SoapDialect::kName) ? byName.find(node.whole.name)
                                                : byName.end();
      std::optional<::soap::Config> given;
      if (it != byName.end()) {
        const ::soap::Kernel &from = opGraph.graph.nodes[it->second].whole;
        given = ::soap::followConfig(from.space, strategy[it->second],
                                     node.whole.space,
                                     matchLoops(node.whole, from));
      }
      copied.push_back(places.configOf(n, std::move(given)));
    }
    writeStrategy(*other, copied);
  }
  warnOfFixed(opGraph, strategy);
  writeStrategy(opGraph, strategy);
  writeKeeps(opGraph);

  // Stages belong to the former placement.
  module->removeAttr(kStages);
  module->removeAttr(SoapDialect::kPipeline);
  if (pipeline) {
    module->setAttr(SoapDialect::kPipeline, pipeline->attribute);
    if (!pipeline->stages.empty())
      module->setAttr(kStages,
                      makeStagesAttr(module.getContext(), pipeline->stages));
  }
  module->setAttr(SoapDialect::kTopology,
                  TopologyAttr::get(module.getContext(), topology));
  return success();
}

FailureOr<::soap::StrategyFile> mlir::soap::readStrategyFile(ModuleOp module,
                                                             StringRef option,
                                                             StringRef path) {
  FailureOr<std::string> text = readOptionFile(module, option, path);
  if (failed(text))
    return failure();
  ::soap::Expected<::soap::StrategyFile> file =
      ::soap::parseStrategyFile(*text, path.str());
  if (!file)
    return module.emitError() << file.error();
  return std::move(*file);
}

FailureOr<::soap::Strategy>
mlir::soap::readStrategyFile(ModuleOp module, StringRef option, StringRef path,
                             const ::soap::Graph &graph,
                             const ::soap::Topology &topology) {
  FailureOr<::soap::StrategyFile> file = readStrategyFile(module, option, path);
  if (failed(file))
    return failure();
  if (auto error =
          ::soap::checkTopologyFingerprint(*file, topology, path.str()))
    return module.emitError() << error->message;
  ::soap::Expected<::soap::Strategy> resolved =
      ::soap::resolveStrategy(graph, *file, topology.deviceCount(), path.str());
  if (!resolved)
    return module.emitError() << resolved.error();
  return std::move(*resolved);
}

std::string mlir::soap::drawingTitle(ModuleOp module, StringRef topology) {
  std::string model = module.getSymName().value_or("").str();
  if (auto file = dyn_cast<FileLineColLoc>(module.getLoc());
      model.empty() && file)
    model = llvm::sys::path::stem(file.getFilename().getValue()).str();
  if (model.empty() || model.front() == '<' || model == "-")
    model = "model";
  return model + " on " + topology.str();
}
