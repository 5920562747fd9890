//===- RopePlugin.cpp - An op of another dialect in Soap's searches -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect of Rope.td as a plugin of mlir-opt. Its op implements two
// interfaces of Soap: one says how the op is split, the other one has its
// gradient.
//
//===----------------------------------------------------------------------===//

#include "Soap/Dialect/Soap/SoapInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "llvm/Config/llvm-config.h"

#include "RopeDialect.h.inc"
#define GET_OP_CLASSES
#include "RopeOps.h.inc"

#include "RopeDialect.cpp.inc"
#define GET_OP_CLASSES
#include "RopeOps.cpp.inc"

using namespace mlir;

void rope::RopeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "RopeOps.cpp.inc"
      >();
}

// Samples, positions and heads are independent of each other. A rotation needs
// both channels of a pair, so channels are a serial loop: it is never split.
::soap::IterationSpace rope::RotateOp::getIterationSpace() {
  ArrayRef<int64_t> shape = getX().getType().getShape();
  ::soap::IterationSpace space;
  space.loops = {{"sample", shape[0], ::soap::IteratorType::Parallel},
                 {"position", shape[1], ::soap::IteratorType::Parallel},
                 {"head", shape[2], ::soap::IteratorType::Parallel},
                 {"channel", shape[3], ::soap::IteratorType::Serial}};
  ::soap::AccessMap map;
  for (int loop = 0; loop < 4; ++loop)
    map.push_back(::soap::DimMap::loop(loop));
  space.operands = {{map}};
  space.results = {{map}};
  space.flopsPerPoint = 3; // two products and a sum
  return space;
}

// A shard that begins at a later position rotates by the angles of there.
Operation *rope::RotateOp::localize(OpBuilder &builder,
                                    const ::soap::LoopBox &box,
                                    ArrayRef<::soap::Region>,
                                    ArrayRef<::soap::Region> resultRegions,
                                    ValueRange operands) {
  return RotateOp::create(
      builder, getLoc(),
      mlir::soap::tileType(getY().getType(), resultRegions[0]), operands[0],
      getFirst() + box[1].lo, getInverse());
}

// A rotation is orthogonal: its gradient is the inverse rotation.
LogicalResult rope::RotateOp::buildGradient(OpBuilder &builder,
                                            ArrayRef<Value> resultGrads,
                                            ArrayRef<bool> wanted,
                                            SmallVectorImpl<Value> &grads) {
  grads.assign(1, nullptr);
  if (wanted[0]) {
    auto gradient = RotateOp::create(builder, getLoc(), getY().getType(),
                                     resultGrads[0], getFirst(), !getInverse());
    mlir::soap::setGradientOf(gradient, *this);
    grads[0] = gradient;
  }
  return success();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {
      MLIR_PLUGIN_API_VERSION, "Rope", LLVM_VERSION_STRING,
      [](DialectRegistry *registry) { registry->insert<rope::RopeDialect>(); }};
}
