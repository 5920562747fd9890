//===- Describe.cpp - C API: modules and strategies as JSON ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Soap-c/Module.h.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "Soap-c/Module.h"

#include "Soap/Analysis/OpGraph.h"
#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Dialect/Soap/StageAttributes.h"
#include "Soap/Plan/StrategyFile.h"
#include "Soap/Topology/Topology.h"
#include "Transforms/Recomputation/Recompute.h"
#include "Transforms/Report/StrategyExport.h"
#include "Transforms/Support/StrategySupport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

#include <cstring>

using namespace soap::capi;
using mlir::soap::SoapDialect;
namespace json = llvm::json;

namespace {

json::Array arrayOf(llvm::ArrayRef<int64_t> numbers) {
  return json::Array(numbers);
}

/// Name, kind, shape and type of an argument or result. The attributes are its
/// own, or, without the prefix `soap.`, the columns of a table
/// of tensors.
json::Object describeValue(mlir::Type type, mlir::DictionaryAttr attributes,
                           bool hasPrefix = true) {
  auto key = [&](llvm::StringRef attribute) {
    return hasPrefix ? attribute : attribute.drop_front(strlen("soap."));
  };
  json::Object row;
  if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type)) {
    row["shape"] = arrayOf(tensor.getShape());
    row["dtype"] = typeName(tensor.getElementType());
  } else {
    row["dtype"] = typeName(type);
  }
  if (!attributes)
    return row;
  if (auto name = attributes.getAs<mlir::StringAttr>(key(SoapDialect::kName)))
    row["name"] = name.getValue();
  mlir::Attribute kind = attributes.get(key(SoapDialect::kKind));
  if (auto value = llvm::dyn_cast_or_null<mlir::soap::ValueKindAttr>(kind))
    row["kind"] = mlir::soap::stringifyValueKind(value.getValue());
  else if (auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(kind))
    row["kind"] = text.getValue();
  for (auto [field, attribute] :
       {std::pair("sample_dim", SoapDialect::kSampleDim),
        std::pair("updates", SoapDialect::kUpdates)})
    if (auto number = attributes.getAs<mlir::IntegerAttr>(key(attribute)))
      row[field] = number.getInt();
  if (auto classes =
          attributes.getAs<mlir::IntegerAttr>(key(SoapDialect::kClasses))) {
    row["classes"] = std::abs(classes.getInt());
    if (classes.getInt() < 0)
      row["counts_from_end"] = true;
  }
  return row;
}

json::Object describeFunction(mlir::func::FuncOp function) {
  json::Array arguments, results;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    arguments.push_back(
        describeValue(type, function.getArgAttrDict(unsigned(i))));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    results.push_back(
        describeValue(type, function.getResultAttrDict(unsigned(i))));
  int64_t ops = 0;
  if (!function.isExternal())
    ops = int64_t(function.getBody().front().getOperations().size()) - 1;
  return json::Object{{"name", function.getName()},
                      {"ops", ops},
                      {"arguments", std::move(arguments)},
                      {"results", std::move(results)}};
}

const char *phaseName(soap::Phase phase) {
  switch (phase) {
  case soap::Phase::Forward:
    return "forward";
  case soap::Phase::Backward:
    return "backward";
  case soap::Phase::Update:
    return "update";
  }
  return "";
}

/// The rows of a strategy, one per op.
json::Array describeOps(const mlir::soap::OpGraph &opGraph,
                        const soap::Strategy &strategy) {
  std::vector<std::vector<soap::Role>> roles =
      mlir::soap::computeRoles(opGraph);
  json::Array ops;
  for (auto [i, node] : llvm::enumerate(opGraph.graph.nodes)) {
    const soap::Kernel &kernel = node.whole;
    const soap::Config &config = strategy[i];
    json::Array loops, devices;
    json::Object degrees;
    for (auto [l, loop] : llvm::enumerate(kernel.space.loops)) {
      loops.push_back(
          json::Object{{"name", loop.name},
                       {"extent", loop.extent},
                       {"role", soap::roleName(loop, roles[i][l])}});
      if (config.degrees[l] > 1)
        degrees[loop.name] = config.degrees[l];
    }
    for (int device : config.devices)
      devices.push_back(device);
    ops.push_back(json::Object{{"name", kernel.name},
                               {"kind", kernel.kind},
                               {"phase", phaseName(kernel.phase)},
                               {"loops", std::move(loops)},
                               {"degrees", std::move(degrees)},
                               {"replicas", config.replicas},
                               {"devices", std::move(devices)}});
  }
  return ops;
}

/// Adds `pipeline`, if the module has one: microbatches, schedule, stages.
/// False after a diagnostic.
bool addPipeline(json::Object &result, mlir::ModuleOp module) {
  auto pipeline =
      mlir::soap::readPipeline(module->getAttr(SoapDialect::kPipeline));
  if (!pipeline)
    return true;
  auto read = mlir::soap::readStages(module->getAttr(mlir::soap::kStages));
  if (!read) {
    module.emitError() << "'" << mlir::soap::kStages << "': " << read.error();
    return false;
  }
  json::Array stages;
  for (const mlir::soap::StageEntry &stage : *read)
    stages.push_back(json::Object{{"first", stage.first},
                                  {"devices", json::Array(stage.devices)}});
  json::Object entries{
      {"microbatches", pipeline.getMicrobatches()},
      {"schedule", stringifyPipelineSchedule(pipeline.getSchedule())},
      {"stages", std::move(stages)}};
  if (!pipeline.getReplicas().empty())
    entries["replicas"] = json::Array(pipeline.getReplicas());
  result["pipeline"] = std::move(entries);
  return true;
}

/// For every dim a list of pairs [begin, end).
json::Array describeRegion(mlir::soap::RegionAttr region) {
  json::Array dims;
  llvm::ArrayRef<int64_t> bounds = region.getBounds();
  for (int64_t count : region.getCounts()) {
    json::Array intervals;
    for (int64_t i = 0; i < count; ++i) {
      intervals.push_back(json::Array{bounds[0], bounds[1]});
      bounds = bounds.drop_front(2);
    }
    dims.push_back(std::move(intervals));
  }
  return dims;
}

/// A tensor of a program table with its tiles.
struct PlacedTensor {
  json::Object row;
  json::Array tiles;
};

/// Adds the tiles of a rank to their tensors.
void addTiles(llvm::StringMap<PlacedTensor> &tensors, mlir::ArrayAttr tiles,
              int64_t device) {
  for (mlir::Attribute attribute : tiles) {
    auto tile = llvm::cast<mlir::DictionaryAttr>(attribute);
    auto placed =
        tensors.find(tile.getAs<mlir::StringAttr>("tensor").getValue());
    if (placed == tensors.end())
      continue;
    json::Object row{
        {"device", device},
        {"region",
         describeRegion(tile.getAs<mlir::soap::RegionAttr>("region"))}};
    if (tile.getAs<mlir::BoolAttr>("updated").getValue())
      row["updated"] = true;
    placed->second.tiles.push_back(std::move(row));
  }
}

/// A function on its topology, with its strategy.
struct FoundStrategy {
  std::unique_ptr<mlir::soap::FunctionProblem> problem;
  soap::Strategy strategy;
};

/// The strategy of a function; nothing after a diagnostic.
std::optional<FoundStrategy> findStrategy(mlir::ModuleOp module,
                                          const char *function) {
  llvm::StringRef name = function ? function : "";
  if (failed(mlir::soap::checkHasStrategy(module, name)))
    return std::nullopt;
  auto problem = mlir::soap::openProblem(module, "", "", name);
  if (failed(problem))
    return std::nullopt;
  mlir::FailureOr<soap::Strategy> strategy = mlir::soap::readStrategy(
      (*problem)->opGraph, (*problem)->topology.deviceCount());
  if (failed(strategy))
    return std::nullopt;
  return FoundStrategy{std::move(*problem), std::move(*strategy)};
}

} // namespace

SoapResult soapIRModuleDescribe(SoapIRModule module, SoapTextCallback callback,
                                void *user) {
  Module &target = beginCall(module);
  json::Array functions;
  for (auto function : target.op->getOps<mlir::func::FuncOp>())
    functions.push_back(describeFunction(function));
  json::Object result{{"topology", nullptr},
                      {"functions", std::move(functions)}};
  if ((*target.op)->hasAttr(SoapDialect::kTopology)) {
    auto topology = mlir::soap::resolveTopology(*target.op, "");
    if (failed(topology))
      return SOAP_FAILURE;
    result["topology"] = topology->name;
  }
  give(json::Value(std::move(result)), callback, user);
  return SOAP_SUCCESS;
}

SoapResult soapIRModuleNameArguments(SoapIRModule module, const char *function,
                                     const char *const *names, size_t count) {
  Module &target = beginCall(module);
  auto chosen =
      mlir::soap::chooseFunction(*target.op, function ? function : "");
  if (failed(chosen))
    return SOAP_FAILURE;
  if (count != chosen->getNumArguments())
    return target.state->fail("'@" + chosen->getName().str() + "' has " +
                              std::to_string(chosen->getNumArguments()) +
                              " arguments, got " + std::to_string(count) +
                              " names");
  llvm::StringSet<> known;
  for (size_t i = 0; i < count; ++i)
    if (!*names[i] || !known.insert(names[i]).second)
      return target.state->fail("name '" + std::string(names[i]) +
                                "' of argument " + std::to_string(i) +
                                " is empty or of an argument before it");
  for (size_t i = 0; i < count; ++i)
    chosen->setArgAttr(unsigned(i), SoapDialect::kName,
                       mlir::StringAttr::get(&target.state->context, names[i]));
  return SOAP_SUCCESS;
}

SoapResult soapIRModuleStrategy(SoapIRModule module, const char *function,
                                SoapTextCallback callback, void *user) {
  Module &target = beginCall(module);
  std::optional<FoundStrategy> found = findStrategy(*target.op, function);
  if (!found)
    return SOAP_FAILURE;
  mlir::soap::FunctionProblem &problem = *found->problem;
  json::Object result{
      {"function", problem.function.getName()},
      {"topology", problem.topology.name},
      {"devices", problem.topology.deviceCount()},
      {"ops", describeOps(problem.opGraph, found->strategy)},
      {"recomputed", json::Array(mlir::soap::recomputedOps(problem.function))}};
  if (!addPipeline(result, *target.op))
    return SOAP_FAILURE;
  give(json::Value(std::move(result)), callback, user);
  return SOAP_SUCCESS;
}

SoapResult soapIRModuleStrategyFile(SoapIRModule module, const char *function,
                                    SoapTextCallback callback, void *user) {
  Module &target = beginCall(module);
  std::optional<FoundStrategy> found = findStrategy(*target.op, function);
  if (!found)
    return SOAP_FAILURE;
  mlir::soap::FunctionProblem &problem = *found->problem;
  mlir::FailureOr<soap::StrategyFile> file = mlir::soap::makeStrategyFile(
      *target.op, problem.opGraph, found->strategy, problem.topology);
  if (failed(file))
    return SOAP_FAILURE;
  give(soap::printStrategyFile(*file), callback, user);
  return SOAP_SUCCESS;
}

SoapResult soapIRModulePlacement(SoapIRModule module, const char *function,
                                 SoapTextCallback callback, void *user) {
  Module &target = beginCall(module);
  ContextState &state = *target.state;
  llvm::StringRef name = function ? function : "";
  auto chosen = mlir::soap::chooseFunction(*target.op, name);
  if (failed(chosen))
    return SOAP_FAILURE;
  auto topology = mlir::soap::resolveTopology(*target.op, "");
  if (failed(topology))
    return SOAP_FAILURE;
  mlir::func::FuncOp original = *chosen;
  mlir::OwningOpRef<mlir::ModuleOp> copy = target.op->clone();
  if (runPasses(state, *copy, "soap-partition{outline-tasks=0}") !=
      SOAP_SUCCESS)
    return SOAP_FAILURE;
  mlir::DictionaryAttr entry;
  for (mlir::Attribute attribute :
       (*copy)->getAttrOfType<mlir::ArrayAttr>(SoapDialect::kPrograms)) {
    auto table = llvm::cast<mlir::DictionaryAttr>(attribute);
    if (table.getAs<mlir::StringAttr>("entry").getValue() == original.getName())
      entry = table;
  }
  if (!entry)
    return state.fail("'" + original.getName().str() +
                      "' has no ops to partition");
  llvm::StringMap<PlacedTensor> tensors;
  std::vector<std::string> order;
  int64_t position = 0;
  int64_t arguments = original.getNumArguments();
  for (mlir::Attribute attribute : entry.getAs<mlir::ArrayAttr>("tensors")) {
    auto table = llvm::cast<mlir::DictionaryAttr>(attribute);
    auto nameAttr = table.getAs<mlir::StringAttr>("name");
    auto type = table.getAs<mlir::TypeAttr>("type");
    if (!nameAttr || !type)
      return state.fail("'soap.programs' has a tensor without name and type");
    json::Object row = describeValue(type.getValue(), table,
                                     /*hasPrefix=*/false);
    row["name"] = nameAttr.getValue();
    row["argument"] = position < arguments ? position : int64_t(-1);
    ++position;
    order.push_back(nameAttr.getValue().str());
    tensors[nameAttr.getValue()].row = std::move(row);
  }
  int64_t devices = topology->deviceCount();
  for (mlir::Attribute attribute : entry.getAs<mlir::ArrayAttr>("ranks")) {
    auto rank = llvm::cast<mlir::DictionaryAttr>(attribute);
    int64_t device = rank.getAs<mlir::IntegerAttr>("device").getInt();
    addTiles(tensors, rank.getAs<mlir::ArrayAttr>("args"), device);
    // A new value has the tiles of its argument.
    llvm::SmallVector<mlir::Attribute> outputs;
    for (mlir::Attribute tile : rank.getAs<mlir::ArrayAttr>("results"))
      if (!llvm::cast<mlir::DictionaryAttr>(tile)
               .getAs<mlir::BoolAttr>("updated")
               .getValue())
        outputs.push_back(tile);
    addTiles(tensors, mlir::ArrayAttr::get(&state.context, outputs), device);
  }
  json::Array rows;
  for (const std::string &key : order) {
    PlacedTensor &placed = tensors[key];
    placed.row["tiles"] = std::move(placed.tiles);
    rows.push_back(std::move(placed.row));
  }
  give(json::Value(json::Object{{"function", original.getName()},
                                {"devices", devices},
                                {"tensors", std::move(rows)}}),
       callback, user);
  return SOAP_SUCCESS;
}
