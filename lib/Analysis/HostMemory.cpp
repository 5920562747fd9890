//===- HostMemory.cpp - Which arguments are in the host's memory ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HostMemory.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Analysis/HostMemory.h"

#include "Soap/Dialect/Soap/MemoryAttribute.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Memory/HostMemory.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::soap;

LogicalResult mlir::soap::resolveHostMemory(OpGraph &opGraph,
                                            func::FuncOp function,
                                            const ::soap::Topology &topology) {
  if (auto error = ::soap::resolveHostMemory(opGraph.graph, topology))
    return function.emitError()
           << "'@" << function.getName() << "' has arguments with '" << kMemory
           << "' = \"" << kHost << "\": " << error->message;
  return success();
}

static void setInHost(func::FuncOp function, unsigned argument) {
  function.setArgAttr(argument, kMemory,
                      StringAttr::get(function.getContext(), kHost));
}

LogicalResult mlir::soap::offloadOptimizer(func::FuncOp function,
                                           const Twine &prefix) {
  dropHostMemory(function);
  FailureOr<OpGraph> opGraph = buildOpGraph(function);
  if (failed(opGraph))
    return failure();
  if (auto error = ::soap::putOptimizerInHost(opGraph->graph))
    return function.emitError()
           << prefix << "'@" << function.getName() << "': " << error->message;
  for (int input : ::soap::optimizerStates(opGraph->graph))
    setInHost(function, opGraph->inputs[input].getArgNumber());
  return success();
}

LogicalResult mlir::soap::offloadNamed(func::FuncOp function,
                                       const std::vector<std::string> &names,
                                       StringRef file) {
  dropHostMemory(function);
  llvm::StringMap<unsigned> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto name =
            function.getArgAttrOfType<StringAttr>(i, SoapDialect::kName))
      arguments[name.getValue()] = i;
  for (auto [i, name] : llvm::enumerate(names)) {
    auto it = arguments.find(name);
    if (it == arguments.end())
      return function.emitError()
             << file << ": at /host/" << i << ": unknown argument '" << name
             << "', expected the name of a state of '@" << function.getName()
             << "'";
    if (enumValue<ValueKindAttr>(function.getArgAttr(
            it->second, SoapDialect::kKind)) != ValueKind::State)
      return function.emitError()
             << file << ": at /host/" << i << ": '" << name
             << "' is no state of '@" << function.getName() << "'";
    setInHost(function, it->second);
  }
  return success();
}

void mlir::soap::dropHostMemory(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, kMemory);
}

std::vector<std::string> mlir::soap::hostArguments(func::FuncOp function) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, kMemory))
      if (auto name =
              function.getArgAttrOfType<StringAttr>(i, SoapDialect::kName))
        names.push_back(name.str());
  return names;
}
