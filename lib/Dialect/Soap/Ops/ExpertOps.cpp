//===- ExpertOps.cpp - Routing of tokens to experts -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of experts are counted in each sample alone, so that any op here may
// be split by samples. Where a token goes depends on the tokens before it, so
// the tokens of a sample stay together where places are given.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Soap/OpSupport.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

constexpr int64_t maxIndex = std::numeric_limits<int32_t>::max();
/// f32 counts so far.
constexpr int64_t maxChoices = int64_t(1) << 24;

//===----------------------------------------------------------------------===//
// TopKOp
//===----------------------------------------------------------------------===//

LogicalResult
TopKOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                         ValueRange operands, DictionaryAttr attributes,
                         OpaqueProperties properties, RegionRange regions,
                         SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(getOperationName(), location, operands,
                    [&](EmitError emitError) -> LogicalResult {
                      SmallVector<int64_t> shape(shapeOf(op.getX()));
                      if (shape.empty() || shape.back() > maxIndex)
                        return emitError()
                               << "expected x of rank 1 or more, with at most "
                               << maxIndex << " elements in a row, got "
                               << op.getX().getType();
                      auto k = static_cast<int64_t>(op.getK());
                      if (k < 1 || k > shape.back())
                        return emitError()
                               << "'k' must be in [1, " << shape.back()
                               << "], the extent of the last dim of "
                               << op.getX().getType() << ", got " << k;
                      shape.back() = k;
                      types.push_back(tensorLike(op.getX(), shape));
                      types.push_back(RankedTensorType::get(
                          shape, IntegerType::get(context, 32)));
                      return success();
                    });
}

/// Rows of the last dim of `shape`: a loop for each other dim, and a map whose
/// last dim is whole, for every operand and result.
static IterationSpace rowSpace(Operation *op, ArrayRef<int64_t> shape) {
  IterationSpace space;
  space.loops = dimLoops(shape.drop_back());
  AccessMap rows = identityMap(shape.size() - 1);
  rows.push_back(DimMap::whole());
  space.operands.assign(op->getNumOperands(), {rows});
  space.results.assign(op->getNumResults(), {rows});
  return space;
}

IterationSpace TopKOp::getIterationSpace() {
  ArrayRef<int64_t> x = shapeOf(getX());
  IterationSpace space = rowSpace(*this, x);
  // Each round compares all elements of the row.
  space.flopsPerPoint =
      static_cast<double>(x.back()) * static_cast<double>(getK());
  return space;
}

//===----------------------------------------------------------------------===//
// TopKGradOp
//===----------------------------------------------------------------------===//

LogicalResult TopKGradOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  ArrayRef<int64_t> dy = shapeOf(getDy()), dx = shapeOf(getDx());
  if (dy.empty())
    return emitError() << "expected dy of rank 1 or more, got a scalar";
  if (failed(checkShape(emitError, "indices", getIndices().getType(), dy)))
    return failure();
  if (dx.size() != dy.size() || dx.drop_back() != dy.drop_back())
    return emitError() << "expected dx of the shape of dy except the last "
                          "dim, got "
                       << getDx().getType() << " and " << getDy().getType();
  return success();
}

IterationSpace TopKGradOp::getIterationSpace() {
  ArrayRef<int64_t> dy = shapeOf(getDy());
  IterationSpace space = rowSpace(*this, dy);
  space.flopsPerPoint = static_cast<double>(dy.back()) *
                        static_cast<double>(shapeOf(getDx()).back());
  return space;
}

//===----------------------------------------------------------------------===//
// RouteOp
//===----------------------------------------------------------------------===//

LogicalResult RouteOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(checkRank(emitError, "indices", getIndices(), 3)) ||
      failed(checkRank(emitError, "tokens", getTokens(), 3)))
    return failure();
  ArrayRef<int64_t> indices = shapeOf(getIndices()),
                    tokens = shapeOf(getTokens());
  int64_t length = indices[1], choices = indices[2], experts = tokens[1],
          capacity = tokens[2];
  if (failed(checkShape(emitError, "slots", getSlots().getType(), indices)) ||
      failed(checkShape(emitError, "tokens", getTokens().getType(),
                        {indices[0], experts, capacity})) ||
      failed(checkShape(emitError, "a load", getLoad().getType(),
                        {indices[0], experts})))
    return failure();
  if (choices > experts)
    return emitError() << "a token has " << choices << " choices of " << experts
                       << " experts, expected at most " << experts;
  if (choices > maxChoices / length)
    return emitError() << length << " tokens with " << choices
                       << " choices each, expected at most " << maxChoices
                       << " choices in a sample";
  if (capacity > maxIndex / experts)
    return emitError() << experts << " experts of " << capacity
                       << " places, expected at most " << maxIndex
                       << " places in a sample";
  auto element = cast<FloatType>(
      cast<RankedTensorType>(getLoad().getType()).getElementType());
  if (element.getWidth() < 32)
    return emitError() << "expected a load of f32 or f64, got "
                       << getLoad().getType();
  return success();
}

IterationSpace RouteOp::getIterationSpace() {
  ArrayRef<int64_t> indices = shapeOf(getIndices());
  IterationSpace space;
  space.loops = {{"s", indices[0]}};
  space.operands = {{loopMap({0, -1, -1})}};
  space.results = {
      {loopMap({0, -1, -1})}, {loopMap({0, -1, -1})}, {loopMap({0, -1})}};
  // Every expert looks at every choice.
  space.flopsPerPoint = static_cast<double>(indices[1] * indices[2]) *
                        static_cast<double>(shapeOf(getLoad())[1]);
  return space;
}

//===----------------------------------------------------------------------===//
// Dispatch and combine
//===----------------------------------------------------------------------===//

/// Checks tokens [S, L, D], places [E, S, C, D], slots [S, L, K], and, where
/// the op has them, tokens [S, E, C] and gates [S, L, K].
static LogicalResult checkRouting(EmitError emitError, StringRef rowsName,
                                  Value rows, StringRef placesName,
                                  Value places, Value slots, Value tokens,
                                  Value gates) {
  if (failed(checkRank(emitError, rowsName, rows, 3)) ||
      failed(checkRank(emitError, placesName, places, 4)) ||
      failed(checkRank(emitError, "slots", slots, 3)))
    return failure();
  ArrayRef<int64_t> r = shapeOf(rows), p = shapeOf(places), s = shapeOf(slots);
  if (failed(checkShape(emitError, "slots", slots.getType(),
                        {r[0], r[1], s[2]})) ||
      failed(checkShape(emitError, placesName, places.getType(),
                        {p[0], r[0], p[2], r[2]})))
    return failure();
  if (tokens && failed(checkShape(emitError, "tokens", tokens.getType(),
                                  {r[0], p[0], p[2]})))
    return failure();
  if (gates && failed(checkShape(emitError, "gates", gates.getType(), s)))
    return failure();
  return success();
}

static LogicalResult checkFirstExpert(EmitError emitError, uint64_t first) {
  if (first <= static_cast<uint64_t>(maxIndex))
    return success();
  return emitError() << "'first_expert' must be in [0, " << maxIndex
                     << "], got " << static_cast<int64_t>(first);
}

LogicalResult DispatchOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  return checkRouting(emitError, "x", getX(), "a result", getY(), getSlots(),
                      getTokens(), getGates());
}

IterationSpace DispatchOp::getIterationSpace() {
  ArrayRef<int64_t> x = shapeOf(getX()), tokens = shapeOf(getTokens());
  IterationSpace space;
  enum { S, E, C, D };
  space.loops = {{"s", x[0]}, {"e", tokens[1]}, {"c", tokens[2]}, {"d", x[2]}};
  AccessMap choices = loopMap({S, -1, -1});
  space.operands = {{loopMap({S, -1, D})}, {choices}, {loopMap({S, E, C})}};
  if (getGates())
    space.operands.push_back({choices});
  space.results = {{loopMap({E, S, C, D})}};
  // Moves bytes, as a gather.
  space.flopsPerPoint = getGates() ? 1 : 0;
  return space;
}

LogicalResult CombineExpertsOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(checkFirstExpert(emitError, getFirstExpert())))
    return failure();
  return checkRouting(emitError, "a result", getZ(), "y", getY(), getSlots(),
                      getTokens(), getGates());
}

IterationSpace CombineExpertsOp::getIterationSpace() {
  ArrayRef<int64_t> z = shapeOf(getZ()), tokens = shapeOf(getTokens());
  IterationSpace space;
  enum { S, L, D, E, C };
  space.loops = {{"s", z[0]},
                 {"l", z[1]},
                 {"d", z[2]},
                 {"e", tokens[1], IteratorType::Reduction},
                 {"c", tokens[2], IteratorType::Serial}};
  AccessMap choices = loopMap({S, L, -1});
  space.operands = {{loopMap({E, S, C, D})}, {choices}, {loopMap({S, E, C})}};
  if (getGates())
    space.operands.push_back({choices});
  space.results = {{loopMap({S, L, D})}};
  // Not every expert is visited for every token.
  space.flopsPerPoint = 0;
  return space;
}

/// The tile of places begins at expert `lo`.
template <typename OpTy>
static OpTy localizeExperts(OpTy op, OpBuilder &builder, int64_t lo,
                            ArrayRef<TileRegion> resultRegions,
                            ValueRange operands) {
  auto local =
      cast<OpTy>(localizeDefault(op, builder, resultRegions, operands));
  local.setFirstExpert(op.getFirstExpert() + lo);
  return local;
}

Operation *CombineExpertsOp::localize(OpBuilder &builder, const LoopBox &,
                                      ArrayRef<TileRegion> operandRegions,
                                      ArrayRef<TileRegion> resultRegions,
                                      ValueRange operands) {
  return localizeExperts(*this, builder, operandRegions[0][0].lo(),
                         resultRegions, operands);
}

LogicalResult GatesGradOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(checkFirstExpert(emitError, getFirstExpert())) ||
      failed(checkRouting(emitError, "x", getX(), "y", getY(), getSlots(),
                          /*tokens=*/Value(), /*gates=*/Value())))
    return failure();
  return checkShape(emitError, "a result", getDgates().getType(),
                    shapeOf(getSlots()));
}

IterationSpace GatesGradOp::getIterationSpace() {
  ArrayRef<int64_t> x = shapeOf(getX()), y = shapeOf(getY());
  IterationSpace space;
  enum { S, L, D, E, C, K };
  space.loops = {{"s", x[0]},
                 {"l", x[1]},
                 {"d", x[2], IteratorType::Reduction},
                 {"e", y[0], IteratorType::Reduction},
                 {"c", y[2], IteratorType::Serial},
                 {"k", shapeOf(getSlots())[2], IteratorType::Serial}};
  AccessMap choices = loopMap({S, L, K});
  space.operands = {{loopMap({S, L, D})}, {loopMap({E, S, C, D})}, {choices}};
  space.results = {{choices}};
  space.flopsPerPoint = 0;
  return space;
}

Operation *GatesGradOp::localize(OpBuilder &builder, const LoopBox &,
                                 ArrayRef<TileRegion> operandRegions,
                                 ArrayRef<TileRegion> resultRegions,
                                 ValueRange operands) {
  return localizeExperts(*this, builder, operandRegions[1][0].lo(),
                         resultRegions, operands);
}
