//===- ElementwiseOps.cpp - The elementwise family ------------------------===//
//
// Iteration spaces of unary and binary ops, bias, gradients of unary ops, and
// accumulate. All loops are the dims of the result.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

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
IterationSpace ReluGradOp::getIterationSpace() { return unarySpace(*this, 1); }
IterationSpace TanhGradOp::getIterationSpace() { return unarySpace(*this, 3); }
IterationSpace SigmoidGradOp::getIterationSpace() {
  return unarySpace(*this, 3);
}
IterationSpace SqrtGradOp::getIterationSpace() { return unarySpace(*this, 2); }

//===----------------------------------------------------------------------===//
// Binary ops
//===----------------------------------------------------------------------===//

/// NumPy's rule: aligned at the last dim, extents equal or 1.
static LogicalResult inferBroadcast(StringRef name,
                                    std::optional<Location> location,
                                    ValueRange operands,
                                    SmallVectorImpl<Type> &types) {
  return inferTypes(name, location, operands, [&](EmitError emitError) {
    ArrayRef<int64_t> x = shapeOf(operands[0]), y = shapeOf(operands[1]);
    SmallVector<int64_t> shape(std::max(x.size(), y.size()));
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t a = i < x.size() ? x[x.size() - 1 - i] : 1;
      int64_t b = i < y.size() ? y[y.size() - 1 - i] : 1;
      if (a != b && a != 1 && b != 1)
        return LogicalResult(emitError()
                             << "shapes " << shapeString(x) << " and "
                             << shapeString(y) << " do not broadcast");
      shape[shape.size() - 1 - i] = std::max(a, b);
    }
    types.push_back(tensorLike(operands[0], shape));
    return success();
  });
}

/// Sums are linear in both operands together; only where neither is repeated,
/// so that partial operands stay as small as they are.
static IterationSpace binarySpace(Operation *op, bool sum) {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  IterationSpace space = elementwiseSpace(op, shape);
  bool repeats = false;
  for (unsigned i = 0; i < 2; ++i) {
    space.operands[i].map = broadcastMap(shapeOf(op->getOperand(i)), shape);
    repeats |= shapeOf(op->getOperand(i)) != shape;
  }
  space.linear = sum && !repeats;
  return space;
}

#define SOAP_BINARY_OP(OP, SUM)                                                \
  IterationSpace OP::getIterationSpace() { return binarySpace(*this, SUM); }   \
  LogicalResult OP::inferReturnTypes(                                          \
      MLIRContext *, std::optional<Location> location, ValueRange operands,    \
      DictionaryAttr, OpaqueProperties, RegionRange,                           \
      SmallVectorImpl<Type> &types) {                                          \
    return inferBroadcast(getOperationName(), location, operands, types);      \
  }
SOAP_BINARY_OP(AddOp, true)
SOAP_BINARY_OP(SubOp, true)
SOAP_BINARY_OP(MulOp, false)
SOAP_BINARY_OP(DivOp, false)
SOAP_BINARY_OP(MaximumOp, false)
SOAP_BINARY_OP(MinimumOp, false)
SOAP_BINARY_OP(GreaterEqualOp, false)
SOAP_BINARY_OP(EqualOp, false)
#undef SOAP_BINARY_OP

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

/// What is absent adds nothing.
Operation *AccumulateOp::localize(OpBuilder &builder, const LoopBox &,
                                  ArrayRef<TileRegion>,
                                  ArrayRef<TileRegion> resultRegions,
                                  ValueRange operands) {
  return localizeDefault(*this, builder, resultRegions, operands);
}
