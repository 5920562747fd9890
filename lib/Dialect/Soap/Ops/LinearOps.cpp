//===- LinearOps.cpp - Matmul, reduce, broadcast --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iteration spaces and shapes of the contractions that have no windows. Their
// shards are the same op on packed tiles; a matmul's factors of k shrink.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Soap/OpSupport.h"

#include "Soap/Dialect/Soap/SumAttribute.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::soap;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Type mlir::soap::sumTypeOf(Type element, DictionaryAttr attributes) {
  auto sum = attributes ? attributes.getAs<TypeAttr>(kSumType) : TypeAttr();
  return sum ? sum.getValue() : element;
}

bool mlir::soap::mayHaveSumType(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() == ReduceKind::Sum;
  return isa<MatmulOp, Conv2DWeightGradOp, GatherGradOp>(op);
}

/// As `tensorLike`, with elements of the type of sums.
static RankedTensorType sumLike(Value like, ArrayRef<int64_t> shape,
                                DictionaryAttr attributes) {
  RankedTensorType type = tensorLike(like, shape);
  return type.clone(sumTypeOf(type.getElementType(), attributes));
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

/// Product of factors of k; none if there are no factors, one of them is not
/// positive, or it overflows.
static std::optional<int64_t> productOf(ArrayRef<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    if (factor < 1 || llvm::MulOverflow(product, factor, product))
      return std::nullopt;
  return factors.empty() ? std::nullopt : std::optional(product);
}

LogicalResult
MatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(
      getOperationName(), location, operands,
      [&](EmitError emitError) -> LogicalResult {
        ArrayRef<int64_t> a = shapeOf(op.getA()), b = shapeOf(op.getB());
        if (a.size() < 2 || b.size() < 2)
          return emitError() << "expected operands of rank 2 or more, got "
                                "shapes "
                             << shapeString(a) << " and " << shapeString(b);
        ArrayRef<int64_t> batch = a.drop_back(2);
        if (b.size() > a.size() ||
            b.drop_back(2) != batch.take_front(b.size() - 2))
          return emitError() << "batch dims of shapes " << shapeString(a)
                             << " and " << shapeString(b) << " differ";
        ArrayRef<int64_t> aMatrix = a.take_back(2), bMatrix = b.take_back(2);
        bool ta = op.getTransposeA(), tb = op.getTransposeB();
        if (aMatrix[ta ? 0 : 1] != bMatrix[tb ? 1 : 0])
          return emitError()
                 << "contracted dims differ: " << aMatrix[ta ? 0 : 1]
                 << " of shape " << shapeString(a) << " and "
                 << bMatrix[tb ? 1 : 0] << " of shape " << shapeString(b);
        if (std::optional<ArrayRef<int64_t>> factors = op.getKFactors();
            factors && productOf(*factors) != aMatrix[ta ? 0 : 1])
          return emitError() << "'k_factors' [" << *factors
                             << "]: expected positive numbers whose product is "
                             << aMatrix[ta ? 0 : 1] << ", the contracted dim";
        SmallVector<int64_t> shape(batch);
        shape.push_back(aMatrix[ta ? 1 : 0]);
        shape.push_back(bMatrix[tb ? 0 : 1]);
        types.push_back(sumLike(op.getA(), shape, attributes));
        return success();
      });
}

IterationSpace MatmulOp::getIterationSpace() {
  ArrayRef<int64_t> a = shapeOf(getA()), y = shapeOf(getY());
  int batch = static_cast<int>(y.size()) - 2;
  int m = batch, n = batch + 1;
  IterationSpace space;
  for (int i = 0; i < batch; ++i)
    space.loops.push_back({"b" + std::to_string(i), y[i]});
  space.loops.push_back({"m", y[m]});
  space.loops.push_back({"n", y[n]});
  DimMap k;
  if (std::optional<ArrayRef<int64_t>> factors = getKFactors()) {
    int64_t inner = *productOf(*factors);
    for (auto [i, extent] : llvm::enumerate(*factors)) {
      inner /= extent;
      k.terms.push_back({static_cast<int>(space.loops.size()), inner});
      space.loops.push_back(
          {"k" + std::to_string(i), extent, IteratorType::Reduction});
    }
  } else {
    k = DimMap::loop(static_cast<int>(space.loops.size()));
    space.loops.push_back(
        {"k", a[getTransposeA() ? batch : batch + 1], IteratorType::Reduction});
  }

  AccessMap batchMap = identityMap(batch);
  auto matrix = [&](AccessMap map, const DimMap &rows, const DimMap &columns) {
    map.push_back(rows);
    map.push_back(columns);
    return map;
  };
  DimMap rows = DimMap::loop(m), columns = DimMap::loop(n);
  // Batches of the dims that b does not have share it.
  AccessMap bBatch = identityMap(shapeOf(getB()).size() - 2);
  space.operands = {
      {getTransposeA() ? matrix(batchMap, k, rows) : matrix(batchMap, rows, k)},
      {getTransposeB() ? matrix(bBatch, columns, k)
                       : matrix(bBatch, k, columns)}};
  space.results = {{matrix(batchMap, rows, columns)}};
  space.flopsPerPoint = 2;
  return space;
}

Operation *MatmulOp::localize(OpBuilder &builder, const LoopBox &box,
                              ArrayRef<TileRegion>,
                              ArrayRef<TileRegion> resultRegions,
                              ValueRange operands) {
  auto local =
      cast<MatmulOp>(localizeDefault(*this, builder, resultRegions, operands));
  if (std::optional<ArrayRef<int64_t>> factors = getKFactors()) {
    SmallVector<int64_t> extents;
    for (const ::soap::Interval &piece :
         ArrayRef(box).take_back(factors->size()))
      extents.push_back(piece.size());
    local.setKFactors(extents);
  }
  return local;
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

LogicalResult
ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(
      getOperationName(), location, operands,
      [&](EmitError emitError) -> LogicalResult {
        ArrayRef<int64_t> x = shapeOf(op.getX());
        if (failed(checkAxes(emitError, op.getAxes(),
                             static_cast<int64_t>(x.size()))))
          return failure();
        SmallVector<int64_t> shape;
        for (auto [i, extent] : llvm::enumerate(x))
          if (!llvm::is_contained(op.getAxes(), static_cast<int64_t>(i)))
            shape.push_back(extent);
        types.push_back(sumLike(op.getX(), shape, attributes));
        return success();
      });
}

IterationSpace ReduceOp::getIterationSpace() {
  ArrayRef<int64_t> x = shapeOf(getX());
  IterationSpace space;
  space.loops = dimLoops(x);
  space.operands = {{identityMap(x.size())}};
  space.results.emplace_back();
  for (size_t i = 0; i < x.size(); ++i) {
    if (llvm::is_contained(getAxes(), static_cast<int64_t>(i)))
      space.loops[i].type = IteratorType::Reduction;
    else
      space.results[0].map.push_back(DimMap::loop(static_cast<int>(i)));
  }
  switch (getKind()) {
  case ReduceKind::Sum:
    space.results[0].combiner = Combiner::Sum;
    space.linear = true;
    break;
  case ReduceKind::Max:
    space.results[0].combiner = Combiner::Max;
    break;
  case ReduceKind::Min:
    space.results[0].combiner = Combiner::Min;
    break;
  }
  return space;
}

//===----------------------------------------------------------------------===//
// BroadcastOp
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  ArrayRef<int64_t> y = shapeOf(getY());
  if (failed(checkAxes(emitError, getAxes(), static_cast<int64_t>(y.size()))))
    return failure();
  SmallVector<int64_t> kept;
  for (auto [i, extent] : llvm::enumerate(y))
    if (!llvm::is_contained(getAxes(), static_cast<int64_t>(i)))
      kept.push_back(extent);
  return checkShape(emitError, "an operand", getX().getType(), kept);
}

IterationSpace BroadcastOp::getIterationSpace() {
  ArrayRef<int64_t> y = shapeOf(getY());
  IterationSpace space = elementwiseSpace(*this, y);
  space.operands[0].map.clear();
  for (size_t i = 0; i < y.size(); ++i)
    if (!llvm::is_contained(getAxes(), static_cast<int64_t>(i)))
      space.operands[0].map.push_back(DimMap::loop(static_cast<int>(i)));
  space.linear = true;
  space.flopsPerPoint = 0;
  return space;
}
