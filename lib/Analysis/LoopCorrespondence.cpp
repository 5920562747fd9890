//===- LoopCorrespondence.cpp - Loops of related ops ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loop of a forward op each loop of its gradients and updates is.
//
//===----------------------------------------------------------------------===//

#include "LoopCorrespondence.h"

#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Model/DominantLoop.h"

#include <cassert>

using namespace mlir;
using namespace mlir::soap;

llvm::StringMap<int> mlir::soap::nodesByName(const OpGraph &opGraph) {
  llvm::StringMap<int> nodes;
  for (size_t i = 0; i < opGraph.graph.nodes.size(); ++i)
    nodes[opGraph.graph.nodes[i].whole.name] = static_cast<int>(i);
  return nodes;
}

/// Loops of an update by how the forward op accesses the tensors that both
/// read: the updated parameter, or statistics that the forward op writes.
static void mapThroughTensors(const OpGraph &opGraph, int update,
                              Origin &origin) {
  const ::soap::Kernel &own = opGraph.graph.nodes[update].whole;
  const ::soap::Kernel &forward = opGraph.graph.nodes[origin.node].whole;
  auto match = [&](size_t operand, int value,
                   const ::soap::AccessMap &forwardMap) {
    if (own.operands[operand] != value)
      return;
    const ::soap::AccessMap &ownMap = own.space.operands[operand].map;
    for (size_t d = 0; d < ownMap.size() && d < forwardMap.size(); ++d)
      if (int loop = ::soap::dominantLoop(own.space, ownMap[d]);
          loop >= 0 && origin.loops[loop] < 0)
        origin.loops[loop] = ::soap::dominantLoop(forward.space, forwardMap[d]);
  };
  for (size_t o = 0; o < own.operands.size(); ++o) {
    for (size_t f = 0; f < forward.operands.size(); ++f)
      match(o, forward.operands[f], forward.space.operands[f].map);
    for (size_t f = 0; f < forward.results.size(); ++f)
      match(o, forward.results[f], forward.space.results[f].map);
  }
}

Origin mlir::soap::originOf(const OpGraph &opGraph,
                            const llvm::StringMap<int> &nodes, int node) {
  assert(node >= 0 && static_cast<size_t>(node) < opGraph.ops.size() &&
         "no such node");
  Origin origin;
  Operation *op = opGraph.ops[node];
  auto update = op->getAttrOfType<StringAttr>(SoapDialect::kUpdateOf);
  auto name =
      update ? update : op->getAttrOfType<StringAttr>(SoapDialect::kGradOf);
  if (!name)
    name = op->getAttrOfType<StringAttr>(kRecomputeOf);
  if (!name)
    return origin;
  auto it = nodes.find(name.getValue());
  if (it == nodes.end() || it->second == node)
    return origin;
  origin.node = it->second;
  const ::soap::IterationSpace &own = opGraph.graph.nodes[node].whole.space;
  const ::soap::IterationSpace &forward =
      opGraph.graph.nodes[origin.node].whole.space;
  origin.loops.assign(own.loops.size(), -1);
  auto map = op->getAttrOfType<DictionaryAttr>(SoapDialect::kLoopMap);
  if (update && !map) {
    mapThroughTensors(opGraph, node, origin);
    return origin;
  }
  for (auto [loop, result] : llvm::zip_equal(own.loops, origin.loops)) {
    std::string other = loop.name;
    if (map)
      if (auto attr = map.getAs<StringAttr>(loop.name))
        other = attr.str();
    result = forward.findLoop(other);
  }
  return origin;
}

bool mlir::soap::isDataArgument(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto kind = enumValue<ValueKindAttr>(
      function.getArgAttr(argument.getArgNumber(), SoapDialect::kKind));
  return kind != ValueKind::Parameter && kind != ValueKind::State;
}
