//===- OpSupport.cpp - What the op implementations share ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of types and attributes with messages that name the offender, and
// builders of the access maps that many ops have.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

using namespace mlir;
using namespace mlir::soap;

std::string mlir::soap::shapeString(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t extent : shape) {
    if (!text.empty())
      text += 'x';
    text += ShapedType::isDynamic(extent) ? "?" : std::to_string(extent);
  }
  return text;
}

LogicalResult mlir::soap::checkTensorType(EmitError emitError, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return emitError() << "expected a ranked tensor, got " << type;
  if (!tensor.hasStaticShape())
    return emitError() << type
                       << " has a dynamic dim; soap ops need static shapes: "
                          "import the model with --batch=N, which fixes the "
                          "dynamic dims of its inputs";
  int64_t elements = 1;
  for (int64_t extent : tensor.getShape()) {
    if (extent == 0)
      return emitError() << type << " has a dim of extent 0";
    if (extent > maxExtent)
      return emitError() << type << " has a dim of more than 2^40";
    if (elements > maxElements / extent)
      return emitError() << type << " has more than 2^44 elements";
    elements *= extent;
  }
  return success();
}

LogicalResult mlir::soap::checkRank(EmitError emitError, StringRef what,
                                    Value value, int64_t rank) {
  if (static_cast<int64_t>(shapeOf(value).size()) == rank)
    return success();
  return emitError() << "expected " << what << " of rank " << rank << ", got "
                     << value.getType();
}

LogicalResult mlir::soap::checkShape(EmitError emitError, StringRef what,
                                     Type type, ArrayRef<int64_t> shape) {
  if (shapeOf(type) == shape)
    return success();
  return emitError() << "expected " << what << " of shape "
                     << shapeString(shape) << ", got " << type;
}

LogicalResult mlir::soap::checkArray(EmitError emitError, StringRef name,
                                     ArrayRef<int64_t> values, size_t count,
                                     int64_t low, int64_t high) {
  if (values.size() != count)
    return emitError() << "'" << name << "' must have " << count
                       << " entries, got " << values.size();
  for (int64_t value : values)
    if (value < low || value > high)
      return emitError() << "'" << name << "' must be in [" << low << ", "
                         << high << "], got " << value;
  return success();
}

LogicalResult mlir::soap::checkAxis(EmitError emitError, int64_t axis,
                                    int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return emitError() << "'axis' must be in [0, " << rank << "), got " << axis;
}

LogicalResult mlir::soap::checkAxes(EmitError emitError, ArrayRef<int64_t> axes,
                                    int64_t rank) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || axes[i] >= rank)
      return emitError() << "'axes' must be in [0, " << rank << "), got "
                         << axes[i];
    if (i > 0 && axes[i] <= axes[i - 1])
      return emitError() << "'axes' must be sorted and unique, got " << axes[i]
                         << " after " << axes[i - 1];
  }
  return success();
}

LogicalResult
mlir::soap::inferTypes(StringRef opName, std::optional<Location> location,
                       ValueRange operands,
                       function_ref<LogicalResult(EmitError)> body) {
  auto emitError = [&]() -> InFlightDiagnostic {
    if (!location)
      return {};
    return mlir::emitError(*location) << "'" << opName << "' op ";
  };
  for (Value operand : operands)
    if (failed(checkTensorType(emitError, operand.getType())))
      return failure();
  return body(emitError);
}

RankedTensorType mlir::soap::tensorLike(Value like, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(
      shape, cast<RankedTensorType>(like.getType()).getElementType());
}

RankedTensorType mlir::soap::statisticsLike(Value like,
                                            ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorLike(like, shape);
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!element || element.getWidth() >= 32)
    return type;
  return type.clone(Type(Float32Type::get(element.getContext())));
}

Value mlir::soap::widened(OpBuilder &builder, Location loc, Value x) {
  return castLike(builder, loc, x, statisticsLike(x, shapeOf(x)));
}

Value mlir::soap::castLike(OpBuilder &builder, Location loc, Value x,
                           Type type) {
  return x.getType() == type ? x : CastOp::create(builder, loc, type, x);
}

std::vector<Loop> mlir::soap::dimLoops(ArrayRef<int64_t> shape,
                                       IteratorType type) {
  std::vector<Loop> loops;
  for (auto [i, extent] : llvm::enumerate(shape))
    loops.push_back({"d" + std::to_string(i), extent, type});
  return loops;
}

AccessMap mlir::soap::identityMap(size_t rank, int first) {
  AccessMap map;
  for (size_t i = 0; i < rank; ++i)
    map.push_back(DimMap::loop(first + static_cast<int>(i)));
  return map;
}

AccessMap mlir::soap::loopMap(ArrayRef<int> loops) {
  AccessMap map;
  for (int loop : loops)
    map.push_back(loop < 0 ? DimMap::whole() : DimMap::loop(loop));
  return map;
}

AccessMap mlir::soap::broadcastMap(ArrayRef<int64_t> operand,
                                   ArrayRef<int64_t> result) {
  AccessMap map;
  size_t skipped = result.size() - operand.size();
  for (auto [i, extent] : llvm::enumerate(operand))
    map.push_back(extent == result[skipped + i]
                      ? DimMap::loop(static_cast<int>(skipped + i))
                      : DimMap::constant(0));
  return map;
}

IterationSpace mlir::soap::elementwiseSpace(Operation *op,
                                            ArrayRef<int64_t> shape) {
  IterationSpace space;
  space.loops = dimLoops(shape);
  space.operands.assign(op->getNumOperands(), {identityMap(shape.size())});
  space.results.assign(op->getNumResults(), {identityMap(shape.size())});
  return space;
}
