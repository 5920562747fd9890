//===- StrategyAttrs.cpp - Strategies as attributes of ops ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads `soap.config` attributes into a strategy of the core and writes them.
//
//===----------------------------------------------------------------------===//

#include "Soap/Analysis/OpGraph.h"

#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Model/Reuse.h"

using namespace mlir;
using namespace mlir::soap;

/// Placements of arguments and results were checked when the graph was built,
/// except for their devices.
LogicalResult mlir::soap::checkPlacements(const OpGraph &opGraph,
                                          int deviceCount) {
  auto check = [&](bool hasConfig, const ::soap::Config &config, int value,
                   const char *what, const std::string &name,
                   Location loc) -> LogicalResult {
    if (!hasConfig)
      return success();
    ::soap::ConfigCheck fault = ::soap::checkConfig(
        ::soap::tensorSpace(opGraph.graph.values[value].shape), config,
        deviceCount);
    if (fault.fault == ::soap::ConfigFault::None)
      return success();
    return emitError(loc) << "'soap.config' of " << what << " \"" << name
                          << "\": " << fault.message;
  };
  for (auto [input, argument] :
       llvm::zip_equal(opGraph.graph.inputs, opGraph.inputs))
    if (failed(check(input.hasConfig, input.config, input.value, "argument",
                     opGraph.graph.values[input.value].name,
                     argument.getLoc())))
      return failure();
  for (const ::soap::GraphOutput &output : opGraph.graph.outputs) {
    Location loc = opGraph.ops.empty() ? opGraph.inputs.front().getLoc()
                                       : opGraph.ops.back()->getLoc();
    if (failed(check(output.hasConfig, output.config, output.value, "result",
                     output.name, loc)))
      return failure();
  }
  return success();
}

FailureOr<::soap::Strategy> mlir::soap::readStrategy(OpGraph &opGraph,
                                                     int deviceCount,
                                                     bool defaultToSingle) {
  ::soap::Strategy strategy;
  for (auto [op, node] : llvm::zip_equal(opGraph.ops, opGraph.graph.nodes)) {
    const ::soap::IterationSpace &space = node.whole.space;
    auto attr = op->getAttrOfType<ConfigAttr>(SoapDialect::kConfig);
    if (!attr) {
      if (!defaultToSingle)
        return op->emitOpError()
               << "\"" << node.whole.name
               << "\" has no 'soap.config', expected one on every op (run "
                  "'--soap-auto-parallel' or '--soap-apply-strategy' first)";
      strategy.push_back(::soap::Config::single(space));
      continue;
    }
    std::string error;
    std::optional<::soap::Config> config = resolveConfig(attr, space, error);
    if (!config)
      return op->emitOpError() << "\"" << node.whole.name
                               << "\" has a bad 'soap.config': " << error;
    ::soap::ConfigCheck check =
        ::soap::checkConfig(space, *config, deviceCount);
    if (check.fault != ::soap::ConfigFault::None)
      return op->emitOpError()
             << "\"" << node.whole.name
             << "\" has a bad 'soap.config': " << check.message;
    strategy.push_back(std::move(*config));
  }
  if (failed(checkPlacements(opGraph, deviceCount)))
    return failure();
  return strategy;
}

void mlir::soap::writeStrategy(const OpGraph &opGraph,
                               const ::soap::Strategy &strategy) {
  for (auto [op, node, config] :
       llvm::zip_equal(opGraph.ops, opGraph.graph.nodes, strategy))
    op->setAttr(SoapDialect::kConfig,
                makeConfigAttr(op->getContext(), config, node.whole.space));
}

void mlir::soap::dropKeeps(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, kKeep);
  function.walk([](Operation *op) { op->removeAttr(kKeep); });
}

void mlir::soap::writeKeeps(const OpGraph &opGraph) {
  if (opGraph.ops.empty())
    return;
  auto function = opGraph.ops.front()->getParentOfType<func::FuncOp>();
  dropKeeps(function);
  const ::soap::Graph &graph = opGraph.graph;
  std::vector<Operation *> writers(graph.values.size());
  for (auto [op, node] : llvm::zip_equal(opGraph.ops, graph.nodes))
    for (int value : node.whole.results)
      writers[static_cast<size_t>(value)] = op;
  for (const ::soap::Restore &restore : graph.restores) {
    if (restore.delaysReaders)
      continue;
    auto keep =
        KeptFormAttr::get(function.getContext(),
                          *symbolizeKeptForm(::soap::keepName(restore.keep)));
    if (Operation *op = writers[static_cast<size_t>(restore.of)])
      op->setAttr(kKeep, keep);
    for (auto [argument, input] : llvm::zip_equal(opGraph.inputs, graph.inputs))
      if (input.value == restore.of)
        function.setArgAttr(argument.getArgNumber(), kKeep, keep);
  }
}
