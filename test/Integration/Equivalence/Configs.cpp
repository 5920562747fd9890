//===- Configs.cpp - Random configs from the full product -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half of the loops stay whole, so that splits of several loops, replicas and
// repeated devices all occur often.
//
//===----------------------------------------------------------------------===//

#include "Configs.h"

#include "Soap/Analysis/OpGraph.h"
#include "Soap/Dialect/Soap/MemoryAttribute.h"
#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Memory/HostMemory.h"
#include "Soap/Model/Reuse.h"

using namespace mlir;
using mlir::soap::SoapDialect;

namespace soap::equivalence {

Config drawConfig(Random &random, const IterationSpace &space, int devices,
                  int64_t maxPieces, DrawStatistics &statistics) {
  for (;;) {
    Config config;
    for (const Loop &loop : space.loops) {
      bool serial = loop.type == IteratorType::Serial;
      bool whole = serial ? uniform(random, 0, 99) > 0 : uniform(random, 0, 1);
      config.degrees.push_back(whole ? 1 : uniform(random, 1, 8));
    }
    config.replicas = uniform(random, 0, 2) ? 1 : uniform(random, 1, 4);
    int64_t pieces = config.piecesPerReplica() * config.replicas;
    if (pieces > maxPieces)
      continue; // outside of the drawn space, not refused by Soap
    // A contiguous run of devices, or any list.
    bool ordered = uniform(random, 0, 2) == 0;
    for (int64_t i = 0; i < pieces; ++i)
      config.devices.push_back(static_cast<int>(
          ordered ? i % devices : uniform(random, 0, devices - 1)));
    ++statistics.draws;
    ConfigCheck check = checkConfig(space, config, devices);
    if (check.fault == ConfigFault::None)
      return config;
    ++statistics.refused[faultName(check.fault)];
  }
}

void drawStrategy(Random &random, func::FuncOp function, int devices,
                  int64_t maxPieces, DrawStatistics &statistics) {
  MLIRContext *context = function.getContext();
  auto draw = [&](const IterationSpace &space) {
    return mlir::soap::makeConfigAttr(
        context, drawConfig(random, space, devices, maxPieces, statistics),
        space);
  };
  for (auto op :
       function.getBody().getOps<mlir::soap::IterationSpaceOpInterface>())
    op->setAttr(SoapDialect::kConfig, draw(op.getIterationSpace()));
  auto tensor = [](Type type) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    return tensorSpace({shape.begin(), shape.end()});
  };
  // Arguments that an update replaces live where the update is.
  llvm::SmallDenseSet<int64_t> updated;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    if (auto update =
            function.getResultAttrOfType<IntegerAttr>(i, SoapDialect::kUpdates))
      updated.insert(update.getInt());
    else if (uniform(random, 0, 1))
      function.setResultAttr(i, SoapDialect::kConfig,
                             draw(tensor(function.getResultTypes()[i])));
  }
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!updated.contains(i) && uniform(random, 0, 1))
      function.setArgAttr(i, SoapDialect::kConfig,
                          draw(tensor(function.getArgumentTypes()[i])));
}

void drawKeeps(Random &random, func::FuncOp function) {
  FailureOr<mlir::soap::OpGraph> opGraph = mlir::soap::buildOpGraph(function);
  if (failed(opGraph))
    return;
  Graph &graph = opGraph->graph;
  for (int v = 0, count = static_cast<int>(graph.values.size()); v < count;
       ++v) {
    Keep keep = uniform(random, 0, 1) ? Keep::Before : Keep::After;
    if (uniform(random, 0, 1) && !checkKeep(graph, v, keep))
      restoreValue(graph, v, keep);
  }
  mlir::soap::writeKeeps(*opGraph);
}

void drawHostMemory(Random &random, func::FuncOp function) {
  FailureOr<mlir::soap::OpGraph> opGraph = mlir::soap::buildOpGraph(function);
  if (failed(opGraph))
    return;
  for (int input : optimizerStates(opGraph->graph))
    if (uniform(random, 0, 1) && !checkInHost(opGraph->graph, input))
      function.setArgAttr(
          opGraph->inputs[static_cast<size_t>(input)].getArgNumber(),
          mlir::soap::kMemory,
          StringAttr::get(function.getContext(), mlir::soap::kHost));
}

} // namespace soap::equivalence
