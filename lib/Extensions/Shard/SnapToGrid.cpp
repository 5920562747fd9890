//===- SnapToGrid.cpp - Strategies that shardings describe ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-snap-to-grid: the nearest strategy of one grid in place of the
// strategy, where that takes hardly longer.
//
//===----------------------------------------------------------------------===//

#include "ExportedFunction.h"
#include "NearestGrid.h"

#include "Soap/Analysis/OpGraph.h"
#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Extensions/Passes.h"
#include "Soap/Search/Problem/PricedStrategy.h"

#include "llvm/Support/Format.h"

#include <algorithm>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPSNAPTOGRID
#include "Soap/Extensions/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

struct Price {
  double milliseconds;
  int64_t peakBytes;
};

Price priceOf(const ::soap::Graph &graph, const ::soap::Topology &topology,
              const ::soap::Strategy &strategy) {
  ::soap::PricedStrategy priced = ::soap::priceStrategy(
      graph, strategy, ::soap::CostModel(topology), /*names=*/false);
  std::vector<int64_t> peaks =
      priced.peakBytes(graph, priced.schedule(), topology.deviceCount());
  return {static_cast<double>(priced.tasks.makespanNs) * 1e-6,
          *std::max_element(peaks.begin(), peaks.end())};
}

struct SnapToGrid : public mlir::soap::impl::SoapSnapToGridBase<SnapToGrid> {
  using SoapSnapToGridBase::SoapSnapToGridBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run() {
    ModuleOp module = getOperation();
    if (!(slowdown >= 0))
      return module.emitError("option 'slowdown=")
             << std::to_string(slowdown)
             << "': expected a number of at least 0";
    FailureOr<::soap::Topology> topology = resolveTopology(module, "");
    FailureOr<func::FuncOp> chosen = exportedFunction(module, function);
    if (failed(topology) || failed(chosen))
      return failure();
    FailureOr<OpGraph> opGraph = buildOpGraph(*chosen);
    if (failed(opGraph))
      return failure();
    FailureOr<::soap::Strategy> own =
        readStrategy(*opGraph, topology->deviceCount());
    if (failed(own))
      return failure();
    const ::soap::Graph &graph = opGraph->graph;
    std::vector<GridOp> ops;
    for (auto [node, config] : llvm::zip_equal(graph.nodes, *own))
      ops.push_back({node.whole.name, node.whole.space, config});
    std::vector<GridOp> nearest = nearestOnGrid(
        ops, topology->deviceCount(),
        [&](size_t i, const GridOp &entry, const Split &axes) {
          return llvm::all_of_zip(
              entry.space.results, graph.nodes[i].whole.results,
              [&](const ::soap::ResultAccess &access, int value) {
                return ::soap::splitOf(access.map, graph.values[value].shape,
                                       entry.space, entry.config.degrees, axes)
                    .has_value();
              });
        });
    ::soap::Strategy snapped;
    std::string first;
    size_t count = 0;
    for (auto [op, before] : llvm::zip_equal(nearest, *own)) {
      snapped.push_back(op.config);
      if (op.config == before)
        continue;
      if (count++ == 0)
        first = op.name;
    }
    if (count == 0)
      return success();
    Price before = priceOf(graph, *topology, *own);
    Price after = priceOf(graph, *topology, snapped);
    bool isSlower = after.milliseconds > before.milliseconds * (1 + slowdown);
    bool isLarger = after.peakBytes > before.peakBytes &&
                    llvm::any_of(topology->deviceTypes, [&](const auto &type) {
                      return after.peakBytes >
                             topology->executor.usableBytes(type.memoryBytes);
                    });
    std::string text;
    llvm::raw_string_ostream(text)
        << "the nearest strategy of a grid has other configs for " << count
        << " of " << ops.size() << " ops, of which '" << first
        << "' is the first, and takes "
        << llvm::format("%.3f ms an iteration instead of %.3f ms",
                        after.milliseconds, before.milliseconds)
        << " (simulated on " << topology->name << ")";
    if (isSlower || isLarger) {
      chosen->emitWarning() << text << (isSlower ? "" : ", but does not fit")
                            << ": the strategy stays as it is";
      return success();
    }
    chosen->emitRemark() << text;
    writeStrategy(*opGraph, snapped);
    return success();
  }
};

} // namespace
