//===- ElementwiseOps.cpp - The elementwise family ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iteration spaces of unary and binary ops, bias, gradients of unary ops, and
// accumulate. All loops are the dims of the result.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Soap/OpSupport.h"

using namespace mlir;
using namespace mlir::soap;

//===----------------------------------------------------------------------===//
// Unary ops
//===----------------------------------------------------------------------===//

static IterationSpace unarySpace(Operation *op, double flops,
                                 bool linear = false) {
  IterationSpace space = elementwiseSpace(op, shapeOf(op->getResult(0)));
  space.flopsPerPoint = flops;
  space.linear = linear;
  return space;
}

// Transcendental functions take a handful of multiply-adds.
constexpr double transcendental = 10;

IterationSpace ReluOp::getIterationSpace() { return unarySpace(*this, 1); }
IterationSpace AbsOp::getIterationSpace() { return unarySpace(*this, 1); }
IterationSpace SignOp::getIterationSpace() { return unarySpace(*this, 1); }
IterationSpace NegOp::getIterationSpace() {
  return unarySpace(*this, 1, /*linear=*/true);
}
IterationSpace ScaleOp::getIterationSpace() {
  return unarySpace(*this, 1, /*linear=*/true);
}
IterationSpace ExpOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace LogOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace SqrtOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace TanhOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace SigmoidOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace Log1pOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace Expm1Op::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace SoftplusOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace AsinOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace AcosOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace AtanOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace AsinhOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace AcoshOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace AtanhOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace StopGradientOp::getIterationSpace() {
  return unarySpace(*this, 0, /*linear=*/true);
}
IterationSpace ErfOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace SinOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace CosOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace GeluOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace SwiGLUOp::getIterationSpace() {
  return unarySpace(*this, transcendental + 2);
}
IterationSpace RsqrtOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace ReciprocalOp::getIterationSpace() {
  return unarySpace(*this, 1);
}
IterationSpace CastOp::getIterationSpace() { return unarySpace(*this, 1); }
IterationSpace ErfGradOp::getIterationSpace() {
  return unarySpace(*this, transcendental);
}
IterationSpace GeluGradOp::getIterationSpace() {
  return unarySpace(*this, 2 * transcendental);
}
IterationSpace SwiGLUGradOp::getIterationSpace() {
  return unarySpace(*this, transcendental + 6);
}
IterationSpace ReluGradOp::getIterationSpace() { return unarySpace(*this, 1); }
IterationSpace TanhGradOp::getIterationSpace() { return unarySpace(*this, 3); }
IterationSpace SigmoidGradOp::getIterationSpace() {
  return unarySpace(*this, 3);
}
IterationSpace SqrtGradOp::getIterationSpace() { return unarySpace(*this, 2); }

LogicalResult CastOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  for (Type type : {getX().getType(), getY().getType()}) {
    Type element = cast<RankedTensorType>(type).getElementType();
    if (isa<IntegerType>(element) && (element.getIntOrFloatBitWidth() % 8 ||
                                      element.getIntOrFloatBitWidth() > 64))
      return emitOpError() << "expected floats or integers of 8 to 64 bits in "
                              "whole bytes, got "
                           << element;
  }
  return checkShape(emitError, "a result", getY().getType(), shapeOf(getX()));
}

//===----------------------------------------------------------------------===//
// Ops with broadcasting
//===----------------------------------------------------------------------===//

/// NumPy's rule: aligned at the last dim, extents equal or 1.
static LogicalResult inferBroadcast(StringRef name,
                                    std::optional<Location> location,
                                    ValueRange operands,
                                    SmallVectorImpl<Type> &types) {
  return inferTypes(name, location, operands, [&](EmitError emitError) {
    SmallVector<int64_t> shape(shapeOf(operands[0]));
    for (Value operand : operands.drop_front()) {
      SmallVector<int64_t> x = std::move(shape);
      ArrayRef<int64_t> y = shapeOf(operand);
      shape.assign(std::max(x.size(), y.size()), 1);
      for (size_t i = 0; i < shape.size(); ++i) {
        int64_t a = i < x.size() ? x[x.size() - 1 - i] : 1;
        int64_t b = i < y.size() ? y[y.size() - 1 - i] : 1;
        if (a != b && a != 1 && b != 1)
          return LogicalResult(emitError()
                               << "shapes " << shapeString(x) << " and "
                               << shapeString(y) << " do not broadcast");
        shape[shape.size() - 1 - i] = std::max(a, b);
      }
    }
    types.push_back(tensorLike(operands[0], shape));
    return success();
  });
}

/// Sums are linear in all operands together; only where none is repeated,
/// so that partial operands stay as small as they are.
static IterationSpace broadcastSpace(Operation *op, bool sum) {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  IterationSpace space = elementwiseSpace(op, shape);
  bool repeats = false;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    space.operands[i].map = broadcastMap(shapeOf(op->getOperand(i)), shape);
    repeats |= shapeOf(op->getOperand(i)) != shape;
  }
  space.linear = sum && !repeats;
  return space;
}

#define SOAP_BROADCAST_OP(OP, SUM)                                             \
  IterationSpace OP::getIterationSpace() {                                     \
    return broadcastSpace(*this, SUM);                                         \
  }                                                                            \
  LogicalResult OP::inferReturnTypes(                                          \
      MLIRContext *, std::optional<Location> location, ValueRange operands,    \
      DictionaryAttr, OpaqueProperties, RegionRange,                           \
      SmallVectorImpl<Type> &types) {                                          \
    return inferBroadcast(getOperationName(), location, operands, types);      \
  }
SOAP_BROADCAST_OP(AddOp, true)
SOAP_BROADCAST_OP(SubOp, true)
SOAP_BROADCAST_OP(MulOp, false)
SOAP_BROADCAST_OP(DivOp, false)
SOAP_BROADCAST_OP(MaximumOp, false)
SOAP_BROADCAST_OP(MinimumOp, false)
SOAP_BROADCAST_OP(GreaterEqualOp, false)
SOAP_BROADCAST_OP(GreaterOp, false)
SOAP_BROADCAST_OP(EqualOp, false)
SOAP_BROADCAST_OP(PowOp, false)
SOAP_BROADCAST_OP(WhereOp, false)
#undef SOAP_BROADCAST_OP

//===----------------------------------------------------------------------===//
// BiasAddOp
//===----------------------------------------------------------------------===//

LogicalResult
BiasAddOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                            ValueRange operands, DictionaryAttr attributes,
                            OpaqueProperties properties, RegionRange regions,
                            SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(getOperationName(), location, operands,
                    [&](EmitError emitError) -> LogicalResult {
                      ArrayRef<int64_t> x = shapeOf(op.getX());
                      auto axis = static_cast<int64_t>(op.getAxis());
                      if (failed(checkAxis(emitError, axis,
                                           static_cast<int64_t>(x.size()))) ||
                          failed(checkShape(emitError, "a bias",
                                            op.getB().getType(), {x[axis]})))
                        return failure();
                      types.push_back(tensorLike(op.getX(), x));
                      return success();
                    });
}

IterationSpace BiasAddOp::getIterationSpace() {
  IterationSpace space = elementwiseSpace(*this, shapeOf(getY()));
  space.operands[1].map = {DimMap::loop(static_cast<int>(getAxis()))};
  return space;
}

//===----------------------------------------------------------------------===//
// AccumulateOp
//===----------------------------------------------------------------------===//

IterationSpace AccumulateOp::getIterationSpace() {
  IterationSpace space = elementwiseSpace(*this, shapeOf(getSum()));
  space.linear = true;
  space.allowsEmptyOperands = true;
  space.flopsPerPoint = static_cast<double>(getXs().size()) - 1;
  return space;
}

/// Absent operands add nothing.
Operation *AccumulateOp::localize(OpBuilder &builder, const LoopBox &,
                                  ArrayRef<TileRegion>,
                                  ArrayRef<TileRegion> resultRegions,
                                  ValueRange operands) {
  return localizeDefault(*this, builder, resultRegions, operands);
}

//===----------------------------------------------------------------------===//
// DropoutOp
//===----------------------------------------------------------------------===//

LogicalResult DropoutOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  ArrayRef<int64_t> shape = shapeOf(getX());
  double rate = getRate().convertToDouble();
  if (!(rate >= 0 && rate < 1))
    return emitOpError() << "'rate' is " << rate
                         << ", expected a number in [0, 1)";
  // In programs of devices: the step, and where the tile begins.
  bool isPlaced = getStep() && shapeOf(getStep()) == ArrayRef<int64_t>({2});
  if (failed(checkShape(emitError, "a result", getY().getType(), shape)) ||
      (getStep() && !isPlaced &&
       failed(checkShape(emitError, "a step", getStep().getType(), {}))))
    return failure();
  if (!isPlaced && getOffsets().empty() && getExtents().empty())
    return success();
  if (failed(checkArray(emitError, "offsets", getOffsets(),
                        isPlaced ? 0 : shape.size(), 0, maxExtent)) ||
      failed(checkArray(emitError, "extents", getExtents(), shape.size(), 1,
                        maxExtent)))
    return failure();
  for (auto [d, extent] : llvm::enumerate(shape)) {
    int64_t offset = isPlaced ? 0 : getOffsets()[d];
    if (offset + extent > getExtents()[d])
      return emitOpError() << "a tile of extent " << extent << " at " << offset
                           << " leaves dim " << d << " of extent "
                           << getExtents()[d];
  }
  return success();
}

IterationSpace DropoutOp::getIterationSpace() {
  IterationSpace space = elementwiseSpace(*this, shapeOf(getX()));
  if (getStep())
    space.operands[1].map.assign(shapeOf(getStep()).size(), DimMap::whole());
  space.flopsPerPoint = getStep() ? transcendental : 0;
  return space;
}

/// The tile knows where it is in the whole tensor.
Operation *DropoutOp::localize(OpBuilder &builder, const LoopBox &box,
                               ArrayRef<TileRegion>,
                               ArrayRef<TileRegion> resultRegions,
                               ValueRange operands) {
  auto local =
      cast<DropoutOp>(localizeDefault(*this, builder, resultRegions, operands));
  if (!getStep())
    return local;
  SmallVector<int64_t> offsets;
  for (size_t d = 0; d < box.size(); ++d)
    offsets.push_back((getOffsets().empty() ? 0 : getOffsets()[d]) + box[d].lo);
  local.setOffsets(offsets);
  if (getExtents().empty())
    local.setExtents(shapeOf(getX()));
  return local;
}
