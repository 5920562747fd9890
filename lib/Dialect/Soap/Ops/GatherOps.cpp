//===- GatherOps.cpp - Rows of a table, and their gradient ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of the table are a reduction of gather: a shard that holds some rows
// gives zeros for the others, and its result is a partial sum.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Soap/OpSupport.h"

using namespace mlir;
using namespace mlir::soap;

/// Loops i0, i1, ... (indices), v (rows of the table), d0, d1, ... (its other
/// dims), and where they are.
namespace {
struct GatherLoops {
  std::vector<Loop> loops;
  AccessMap table, indices, rows;

  GatherLoops(ArrayRef<int64_t> tableShape, ArrayRef<int64_t> indexShape,
              bool sumsRows) {
    auto other = sumsRows ? IteratorType::Parallel : IteratorType::Reduction;
    for (auto [i, extent] : llvm::enumerate(indexShape))
      loops.push_back({"i" + std::to_string(i), extent, other});
    int v = static_cast<int>(loops.size());
    loops.push_back(
        {"v", tableShape[0],
         sumsRows ? IteratorType::Reduction : IteratorType::Parallel});
    for (auto [d, extent] : llvm::enumerate(tableShape.drop_front()))
      loops.push_back({"d" + std::to_string(d), extent});
    indices = identityMap(indexShape.size());
    table = identityMap(tableShape.size(), v);
    rows = indices;
    llvm::append_range(rows, ArrayRef(table).drop_front());
  }
};
} // namespace

static LogicalResult checkGather(EmitError emitError, ArrayRef<int64_t> table,
                                 uint64_t offset, uint64_t wrap) {
  if (table.empty())
    return emitError() << "expected a table of rank 1 or more, got a scalar";
  for (auto [name, attribute] :
       {std::pair("offset", offset), std::pair("wrap", wrap)}) {
    auto value = static_cast<int64_t>(attribute);
    if (value < 0 || value > maxExtent)
      return emitError() << "'" << name << "' must be in [0, " << maxExtent
                         << "], got " << value;
  }
  return success();
}

static SmallVector<int64_t> gatheredShape(ArrayRef<int64_t> table,
                                          ArrayRef<int64_t> indices) {
  SmallVector<int64_t> shape(indices);
  llvm::append_range(shape, table.drop_front());
  return shape;
}

/// The tile begins at row `lo` of the table.
template <typename OpTy>
static OpTy localizeRows(OpTy op, OpBuilder &builder, int64_t lo,
                         ArrayRef<TileRegion> resultRegions,
                         ValueRange operands) {
  auto local =
      cast<OpTy>(localizeDefault(op, builder, resultRegions, operands));
  local.setOffset(op.getOffset() + lo);
  return local;
}

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

LogicalResult
GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(
      getOperationName(), location, operands,
      [&](EmitError emitError) -> LogicalResult {
        ArrayRef<int64_t> table = shapeOf(op.getTable());
        if (failed(checkGather(emitError, table, op.getOffset(), op.getWrap())))
          return failure();
        types.push_back(tensorLike(
            op.getTable(), gatheredShape(table, shapeOf(op.getIndices()))));
        return success();
      });
}

IterationSpace GatherOp::getIterationSpace() {
  GatherLoops space(shapeOf(getTable()), shapeOf(getIndices()),
                    /*sumsRows=*/true);
  IterationSpace result;
  result.loops = std::move(space.loops);
  result.operands = {{std::move(space.table)}, {std::move(space.indices)}};
  result.results = {{std::move(space.rows)}};
  // Moves bytes: the points of the space are not visited.
  result.flopsPerPoint = 0;
  return result;
}

Operation *GatherOp::localize(OpBuilder &builder, const LoopBox &,
                              ArrayRef<TileRegion> operandRegions,
                              ArrayRef<TileRegion> resultRegions,
                              ValueRange operands) {
  return localizeRows(*this, builder, operandRegions[0][0].lo(), resultRegions,
                      operands);
}

//===----------------------------------------------------------------------===//
// GatherGradOp
//===----------------------------------------------------------------------===//

LogicalResult GatherGradOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  ArrayRef<int64_t> table = shapeOf(getDtable());
  if (failed(checkGather(emitError, table, getOffset(), getWrap())))
    return failure();
  return checkShape(emitError, "dy", getDy().getType(),
                    gatheredShape(table, shapeOf(getIndices())));
}

IterationSpace GatherGradOp::getIterationSpace() {
  GatherLoops space(shapeOf(getDtable()), shapeOf(getIndices()),
                    /*sumsRows=*/false);
  IterationSpace result;
  result.loops = std::move(space.loops);
  result.operands = {{std::move(space.rows)}, {std::move(space.indices)}};
  result.results = {{std::move(space.table)}};
  result.flopsPerPoint = 0;
  return result;
}

Operation *GatherGradOp::localize(OpBuilder &builder, const LoopBox &,
                                  ArrayRef<TileRegion>,
                                  ArrayRef<TileRegion> resultRegions,
                                  ValueRange operands) {
  return localizeRows(*this, builder, resultRegions[0][0].lo(), resultRegions,
                      operands);
}
