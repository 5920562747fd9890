//===- LinearOps.cpp - Matmul, reduce, broadcast --------------------------===//
//
// Iteration spaces and shapes of the contractions that have no windows. Their
// shards are the same op on packed tiles, without changes.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

using namespace mlir;
using namespace mlir::soap;

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

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
        if (b.size() > 2 && b.drop_back(2) != batch)
          return emitError() << "batch dims of shapes " << shapeString(a)
                             << " and " << shapeString(b) << " differ";
        ArrayRef<int64_t> aMatrix = a.take_back(2), bMatrix = b.take_back(2);
        bool ta = op.getTransposeA(), tb = op.getTransposeB();
        if (aMatrix[ta ? 0 : 1] != bMatrix[tb ? 1 : 0])
          return emitError()
                 << "contracted dims differ: " << aMatrix[ta ? 0 : 1]
                 << " of shape " << shapeString(a) << " and "
                 << bMatrix[tb ? 1 : 0] << " of shape " << shapeString(b);
        SmallVector<int64_t> shape(batch);
        shape.push_back(aMatrix[ta ? 1 : 0]);
        shape.push_back(bMatrix[tb ? 0 : 1]);
        types.push_back(tensorLike(op.getA(), shape));
        return success();
      });
}

IterationSpace MatmulOp::getIterationSpace() {
  ArrayRef<int64_t> a = shapeOf(getA()), y = shapeOf(getY());
  int batch = static_cast<int>(y.size()) - 2;
  int m = batch, n = batch + 1, k = batch + 2;
  IterationSpace space;
  for (int i = 0; i < batch; ++i)
    space.loops.push_back({"b" + std::to_string(i), y[i]});
  space.loops.push_back({"m", y[m]});
  space.loops.push_back({"n", y[n]});
  space.loops.push_back(
      {"k", a[getTransposeA() ? batch : batch + 1], IteratorType::Reduction});

  AccessMap batchMap = identityMap(batch);
  auto matrix = [&](AccessMap map, int rows, int columns) {
    map.push_back(DimMap::loop(rows));
    map.push_back(DimMap::loop(columns));
    return map;
  };
  bool shared = shapeOf(getB()).size() == 2;
  AccessMap bBatch = shared ? AccessMap() : batchMap;
  space.operands = {
      {getTransposeA() ? matrix(batchMap, k, m) : matrix(batchMap, m, k)},
      {getTransposeB() ? matrix(bBatch, n, k) : matrix(bBatch, k, n)}};
  space.results = {{matrix(batchMap, m, n)}};
  space.flopsPerPoint = 2;
  return space;
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
        types.push_back(tensorLike(op.getX(), shape));
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
