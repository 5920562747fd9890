//===- Recompute.cpp - Ops that the backward pass computes again ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Recompute.h. That clones do not run before the backward pass gets there
// is decided where the op graph is built (Analysis/OpGraph.cpp), from the
// attribute alone.
//
//===----------------------------------------------------------------------===//

#include "Recompute.h"

#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

#include <cassert>

using namespace mlir;
using namespace mlir::soap;

/// Computes an op a second time. Of a batch norm only the normalization: the
/// statistics are kept.
static Operation *cloneOp(OpBuilder &builder, Operation *op,
                          IRMapping &mapping) {
  auto norm = dyn_cast<BatchNormTrainOp>(op);
  if (!norm)
    return builder.clone(*op, mapping);
  Operation *clone = BatchNormApplyOp::create(
      builder, op->getLoc(), norm.getY().getType(),
      mapping.lookupOrDefault(norm.getX()), norm.getStats(),
      mapping.lookupOrDefault(norm.getGamma()),
      mapping.lookupOrDefault(norm.getBeta()), norm.getEpsilonAttr(),
      norm.getGroupsAttr());
  if (Attribute config = op->getAttr(SoapDialect::kConfig))
    clone->setAttr(SoapDialect::kConfig, config);
  mapping.map(norm.getY(), clone->getResult(0));
  return clone;
}

FailureOr<int> mlir::soap::recompute(const ForwardPass &pass,
                                     const std::vector<bool> &nodes) {
  assert(llvm::all_of(::soap::nodesIn(nodes),
                      [&](int n) { return pass.whyNot(n).empty(); }) &&
         "nodes must have passed `whyNot`");
  const OpGraph &opGraph = pass.getOpGraph();
  int count = 0;
  for (const ForwardPass::Together &together :
       pass.findTogether(pass.findRead(nodes))) {
    if (together.isUseless)
      return opGraph.ops[together.nodes.front()]->emitOpError()
             << "\"" << pass.kernel(together.nodes.front()).name
             << "\" is recomputed for no op of the backward pass that waits "
                "for "
                "a gradient, so it would save nothing";
    assert(together.firstReader > together.nodes.back() &&
           "gradients read what was computed before");
    OpBuilder builder(opGraph.ops[together.firstReader]);
    IRMapping mapping;
    for (int n : together.nodes) {
      Operation *op = opGraph.ops[n];
      std::string name = pass.kernel(n).name;
      op->setAttr(SoapDialect::kName, builder.getStringAttr(name));
      Operation *clone = cloneOp(builder, op, mapping);
      clone->setAttr(SoapDialect::kName,
                     builder.getStringAttr(name + ".recompute"));
      clone->setAttr(kRecomputeOf, builder.getStringAttr(name));
      clone->removeAttr(kKeep);
      ++count;
    }
    for (int n : together.nodes)
      for (auto [value, result] :
           llvm::zip(pass.recomputedResults(n), opGraph.ops[n]->getResults()))
        for (int reader : pass.readersOf(value))
          if (pass.kernel(reader).phase == ::soap::Phase::Backward)
            opGraph.ops[reader]->replaceUsesOfWith(
                result, mapping.lookup(Value(result)));
  }
  return count;
}

std::vector<std::string> mlir::soap::recomputedOps(func::FuncOp function) {
  std::vector<std::string> names;
  for (Operation &op : function.getBody().front())
    if (auto name = op.getAttrOfType<StringAttr>(kRecomputeOf))
      names.push_back(name.str());
  return names;
}

void mlir::soap::dropRecomputation(func::FuncOp function) {
  llvm::StringMap<Operation *> named;
  SmallVector<Operation *> clones;
  for (Operation &op : function.getBody().front()) {
    if (auto name = op.getAttrOfType<StringAttr>(SoapDialect::kName))
      named[name.getValue()] = &op;
    if (op.hasAttr(kRecomputeOf))
      clones.push_back(&op);
  }
  for (Operation *clone : llvm::reverse(clones)) {
    Operation *of =
        named.lookup(clone->getAttrOfType<StringAttr>(kRecomputeOf).getValue());
    if (!of)
      continue; // building the op graph says so
    for (auto [again, result] :
         llvm::zip(clone->getResults(), of->getResults()))
      again.replaceAllUsesWith(result);
    clone->erase();
  }
}

LogicalResult mlir::soap::recomputeNamed(func::FuncOp function,
                                         ArrayRef<std::string> names) {
  dropRecomputation(function);
  FailureOr<OpGraph> opGraph = buildOpGraph(function);
  if (failed(opGraph))
    return failure();
  ForwardPass pass(*opGraph);
  llvm::StringMap<int> nodes;
  for (auto [n, node] : llvm::enumerate(opGraph->graph.nodes))
    nodes[node.whole.name] = static_cast<int>(n);
  std::vector<bool> chosen(opGraph->graph.nodes.size());
  for (const std::string &name : names) {
    auto it = nodes.find(name);
    if (it == nodes.end())
      return function.emitError()
             << "'@" << function.getName() << "' has no op \"" << name
             << "\" that could be recomputed";
    if (std::string why = pass.whyNot(it->second); !why.empty())
      return opGraph->ops[it->second]->emitOpError()
             << "\"" << name << "\" cannot be recomputed: " << why;
    chosen[it->second] = true;
  }
  std::vector<bool> read = pass.findRead(chosen);
  for (int n : ::soap::nodesIn(chosen))
    if (!read[n])
      return opGraph->ops[n]->emitOpError()
             << "\"" << pass.kernel(n).name
             << "\" cannot be recomputed: no op of the backward pass reads it";
  return failure(failed(recompute(pass, chosen)));
}
