// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An op of one's own from search to run: its loops and maps for the search and
// the partition, its kernel on buffers for the lowering.

#include "Soap/Dialect/Soap/KernelOpInterface.h"
#include "Soap/Dialect/Soap/SoapInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "llvm/Config/llvm-config.h"

#include "MyDialect.h.inc"
#define GET_OP_CLASSES
#include "MyOps.h.inc"

#include "MyDialect.cpp.inc"
#define GET_OP_CLASSES
#include "MyOps.cpp.inc"

using namespace mlir;
using ::soap::DimMap;

void my::MyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "MyOps.cpp.inc"
      >();
}

/// Loops d0, d1, ... of the dims; every tensor is accessed at [d0, d1, ...].
static ::soap::IterationSpace elementwise(Operation *op) {
  ::soap::IterationSpace space;
  ::soap::AccessMap map;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (auto [d, extent] : llvm::enumerate(type.getShape())) {
    space.loops.push_back({"d" + std::to_string(d), extent});
    map.push_back(DimMap::loop(static_cast<int>(d)));
  }
  space.operands.assign(op->getNumOperands(), {map});
  space.results = {{map}};
  return space;
}

/// Loops over all elements of a buffer.
static void forEach(OpBuilder &builder, Location loc, Value buffer,
                    function_ref<void(OpBuilder &, ValueRange)> body) {
  SmallVector<Value> low, high, step;
  for (int64_t extent : cast<MemRefType>(buffer.getType()).getShape()) {
    low.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
    high.push_back(arith::ConstantIndexOp::create(builder, loc, extent));
    step.push_back(arith::ConstantIndexOp::create(builder, loc, 1));
  }
  scf::buildLoopNest(
      builder, loc, low, high, step,
      [&](OpBuilder &inner, Location, ValueRange i) { body(inner, i); });
}

//===----------------------------------------------------------------------===//
// axpy
//===----------------------------------------------------------------------===//

::soap::IterationSpace my::AxpyOp::getIterationSpace() {
  ::soap::IterationSpace space = elementwise(*this);
  space.flopsPerPoint = 2;
  return space;
}

LogicalResult my::AxpyOp::emitKernel(OpBuilder &builder, ValueRange inputs,
                                     ValueRange outputs) {
  Location loc = getLoc();
  Type type = getResult().getType().getElementType();
  Value a = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(type, getA().convertToDouble()));
  forEach(builder, loc, outputs[0], [&](OpBuilder &inner, ValueRange i) {
    Value x = memref::LoadOp::create(inner, loc, inputs[0], i),
          y = memref::LoadOp::create(inner, loc, inputs[1], i);
    Value sum = arith::AddFOp::create(
        inner, loc, arith::MulFOp::create(inner, loc, a, x), y);
    memref::StoreOp::create(inner, loc, sum, outputs[0], i);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// cumsum
//===----------------------------------------------------------------------===//

/// The last loop may not be split: every element needs the one before.
::soap::IterationSpace my::CumsumOp::getIterationSpace() {
  ::soap::IterationSpace space = elementwise(*this);
  if (!space.loops.empty())
    space.loops.back().type = ::soap::IteratorType::Serial;
  return space;
}

LogicalResult my::CumsumOp::emitKernel(OpBuilder &builder, ValueRange inputs,
                                       ValueRange outputs) {
  Location loc = getLoc();
  auto type = cast<MemRefType>(outputs[0].getType());
  if (type.getRank() == 0)
    return failure();
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  forEach(builder, loc, outputs[0], [&](OpBuilder &inner, ValueRange i) {
    Value x = memref::LoadOp::create(inner, loc, inputs[0], i);
    Value isFirst = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::eq,
                                          i.back(), zero);
    SmallVector<Value> before(i);
    before.back() = arith::SelectOp::create(
        inner, loc, isFirst, zero,
        arith::SubIOp::create(inner, loc, i.back(), one));
    Value soFar = memref::LoadOp::create(inner, loc, outputs[0], before);
    Value sum = arith::SelectOp::create(
        inner, loc, isFirst, x, arith::AddFOp::create(inner, loc, soFar, x));
    memref::StoreOp::create(inner, loc, sum, outputs[0], i);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Plugin
//===----------------------------------------------------------------------===//

static void registerDialect(DialectRegistry *registry) {
  registry->insert<my::MyDialect>();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "MyDialect", LLVM_VERSION_STRING,
          registerDialect};
}
