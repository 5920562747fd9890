//===- Indexing.cpp - Gathers, scatters and sorts -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements at places that other tensors hold.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::stablehlo_import;
namespace shlo = mlir::soap::stablehlo_import;

/// No op of a program runs over more points.
static constexpr int64_t maxPoints = int64_t(1) << 34;

namespace {

AffineExpr dim(Importer &importer, size_t d) {
  return getAffineDimExpr(d, importer.context());
}

SmallVector<int64_t> others(int64_t rank, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> result;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(dims, d))
      result.push_back(d);
  return result;
}

/// Positions in an operand, for each position of a batch.
struct Indices {
  /// The shape of the indices without the dim that counts components.
  SmallVector<int64_t> batch;
  /// The batch dims that go along with dims of the operand.
  SmallVector<int64_t> batchingDims;
  /// For each of `operandDims` a tensor of shape `batch`.
  SmallVector<TensorRef> components;
  SmallVector<int64_t> operandDims;
  bool isUnsignedInteger = false;
};

FailureOr<Indices> readIndices(Importer &importer, Operation *op,
                               const DimensionNumbers &numbers,
                               StringRef mapName, StringRef batchingName,
                               ArrayRef<int64_t> operandBatching,
                               int64_t operandRank) {
  TensorRef tensor = importer.get(op, 1);
  Indices result;
  ArrayRef<int64_t> vectorDim = numbers["index_vector_dim"];
  int64_t rank = tensor->type.getRank(),
          axis = vectorDim.empty() ? 0 : vectorDim.front();
  result.operandDims = SmallVector<int64_t>(numbers[mapName]);
  auto count = static_cast<int64_t>(result.operandDims.size());
  if (!isa<IntegerType>(tensor->type.getElementType()) || axis > rank ||
      tensor->type.getElementType().isInteger(1) ||
      (axis < rank ? tensor->type.getDimSize(axis) : 1) != count)
    return importer.error(op)
           << "has indices of type " << op->getOperand(1).getType()
           << ", expected integers with " << count << " in dim " << axis;
  if (failed(importer.checkDims(op, mapName, result.operandDims, operandRank)))
    return failure();
  result.isUnsignedInteger = isUnsigned(elementOf(op->getOperand(1)));
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis)
      result.batch.push_back(tensor->type.getDimSize(d));
  for (int64_t k = 0; k < count; ++k) {
    SmallVector<AffineExpr> exprs;
    size_t next = 0;
    for (int64_t d = 0; d < rank; ++d)
      exprs.push_back(d == axis ? getAffineConstantExpr(k, importer.context())
                                : dim(importer, next++));
    result.components.push_back(importer.view(
        tensor, result.batch,
        AffineMap::get(result.batch.size(), 0, exprs, importer.context())));
  }
  for (int64_t d : numbers[batchingName]) {
    if (d == axis || d >= rank)
      return importer.error(op) << "has " << d << " in '" << batchingName
                                << "', which is no batch dim of the indices";
    result.batchingDims.push_back(d > axis ? d - 1 : d);
  }
  if (result.batchingDims.size() != operandBatching.size())
    return importer.error(op)
           << "has " << operandBatching.size()
           << " batching dims of the operand and " << result.batchingDims.size()
           << " of the indices";
  return result;
}

/// An integer scalar as an index; negative ones stay negative.
Value asIndex(OpBuilder &builder, Location loc, Value value, bool isUnsigned) {
  Type index = builder.getIndexType();
  return isUnsigned ? arith::IndexCastUIOp::create(builder, loc, index, value)
                          .getResult()
                    : arith::IndexCastOp::create(builder, loc, index, value)
                          .getResult();
}

Value constantIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value clamp(OpBuilder &builder, Location loc, Value index, int64_t last) {
  index = arith::MaxSIOp::create(builder, loc, index,
                                 constantIndex(builder, loc, 0));
  return arith::MinSIOp::create(builder, loc, index,
                                constantIndex(builder, loc, last));
}

/// Indices moved into [first, last], as 32-bit integers, which these are.
TensorRef clampedIndices(Importer &importer, const TensorRef &indices,
                         bool isUnsigned, int64_t first, int64_t last) {
  Location loc = importer.loc();
  Type i64 = importer.builder().getI64Type(),
       i32 = importer.builder().getI32Type();
  return importer.elementwise(
      indices->type.getShape(), i32, indices,
      [&](OpBuilder &builder, ValueRange x) {
        Value index = x[0];
        if (index.getType() != i64)
          index = isUnsigned
                      ? builder.createOrFold<arith::ExtUIOp>(loc, i64, index)
                      : builder.createOrFold<arith::ExtSIOp>(loc, i64, index);
        auto number = [&](int64_t value) {
          return Importer::scalar(builder, loc,
                                  builder.getI64IntegerAttr(value));
        };
        if (isUnsigned) {
          index =
              builder.createOrFold<arith::MinUIOp>(loc, index, number(last));
        } else {
          index =
              builder.createOrFold<arith::MaxSIOp>(loc, index, number(first));
          index =
              builder.createOrFold<arith::MinSIOp>(loc, index, number(last));
        }
        return SmallVector<Value>{
            builder.createOrFold<arith::TruncIOp>(loc, i32, index)};
      });
}

/// Positions in a dim of at most so many elements fit 32 bits.
constexpr int64_t maxRows = (int64_t(1) << 31) - 2;

Value sum(OpBuilder &builder, Location loc, Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

} // namespace

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

LogicalResult shlo::importGather(Importer &importer, Operation *op) {
  TensorRef x = importer.get(op, 0);
  ArrayRef<int64_t> shape = x->type.getShape();
  auto rank = static_cast<int64_t>(shape.size());
  FailureOr<DimensionNumbers> numbers =
      dimensionNumbers(importer, op, "dimension_numbers", "gather");
  FailureOr<SmallVector<int64_t>> sizes =
      importer.integers(op, "slice_sizes", rank);
  RankedTensorType type = importer.resultType(op);
  if (failed(numbers) || failed(sizes) || !type)
    return failure();
  ArrayRef<int64_t> batching = (*numbers)["operand_batching_dims"],
                    offsetDims = (*numbers)["offset_dims"];
  SmallVector<int64_t> dropped((*numbers)["collapsed_slice_dims"]);
  llvm::append_range(dropped, batching);
  FailureOr<Indices> indices =
      readIndices(importer, op, *numbers, "start_index_map",
                  "start_indices_batching_dims", batching, rank);
  if (failed(indices) ||
      failed(importer.checkDims(op, "dimension_numbers", dropped, rank)) ||
      failed(importer.checkDims(op, "offset_dims", offsetDims, type.getRank())))
    return failure();
  SmallVector<int64_t> windowDims = others(rank, dropped),
                       batchDims = others(type.getRank(), offsetDims);
  bool isFine = windowDims.size() == offsetDims.size() &&
                batchDims.size() == indices->batch.size();
  for (int64_t d = 0; isFine && d < rank; ++d)
    isFine = (*sizes)[d] >= 1 && (*sizes)[d] <= shape[d] &&
             (!llvm::is_contained(dropped, d) || (*sizes)[d] == 1) &&
             (!llvm::is_contained(batching, d) ||
              !llvm::is_contained(indices->operandDims, d));
  for (size_t i = 0; isFine && i < windowDims.size(); ++i)
    isFine = type.getDimSize(offsetDims[i]) == (*sizes)[windowDims[i]];
  for (size_t i = 0; isFine && i < batchDims.size(); ++i)
    isFine = type.getDimSize(batchDims[i]) == indices->batch[i];
  for (size_t i = 0; isFine && i < batching.size(); ++i)
    isFine = shape[batching[i]] == indices->batch[indices->batchingDims[i]];
  if (!isFine)
    return importer.error(op)
           << "has dimension numbers and slice sizes that do not fit its types "
           << op->getOperand(0).getType() << ", " << op->getOperand(1).getType()
           << " and " << op->getResult(0).getType();

  Location loc = op->getLoc();
  // Rows of a table.
  bool isTable = isa<FloatType>(x->type.getElementType()) &&
                 indices->operandDims == SmallVector<int64_t>{0} &&
                 dropped == SmallVector<int64_t>{0} && batching.empty() &&
                 shape[0] <= maxRows;
  for (int64_t d = 1; d < rank; ++d)
    isTable &= (*sizes)[d] == shape[d];
  for (auto [i, d] : llvm::enumerate(offsetDims))
    isTable &= d == static_cast<int64_t>(batchDims.size() + i);
  if (isTable) {
    Value rows = importer.whole(clampedIndices(importer, indices->components[0],
                                               indices->isUnsignedInteger, 0,
                                               shape[0] - 1)),
          table = importer.whole(x);
    return importer.set(op, 0,
                        importer.fromValue(GatherOp::create(
                            importer.builder(), loc, type, table, rows)));
  }

  // The place of each operand dim: a dim of the result, or nothing.
  SmallVector<AffineExpr> place(rank);
  for (auto [d, window] : llvm::zip_equal(offsetDims, windowDims))
    place[window] = dim(importer, d);
  for (auto [d, own] : llvm::zip_equal(batching, indices->batchingDims))
    place[d] = dim(importer, batchDims[own]);
  SmallVector<AffineExpr> batchExprs;
  for (int64_t d : batchDims)
    batchExprs.push_back(dim(importer, d));
  unsigned results = type.getRank();

  // One element of each row: the sum over the row of where it is chosen. So
  // rows may be cut, which indices into them could not.
  int64_t axis =
      indices->operandDims.size() == 1 ? indices->operandDims[0] : -1;
  if (axis >= 0 && (*sizes)[axis] == 1 && shape[axis] <= maxRows &&
      !x->type.getElementType().isInteger(1) &&
      type.getNumElements() <= 4 * (x->type.getNumElements() / shape[axis])) {
    bool fullWindows = true;
    for (int64_t d : windowDims)
      fullWindows &= d == axis || (*sizes)[d] == shape[d];
    if (fullWindows) {
      place[axis] = dim(importer, results);
      TensorRef chosen =
          clampedIndices(importer, indices->components[0],
                         indices->isUnsignedInteger, 0, shape[axis] - 1);
      SmallVector<int64_t> all(type.getShape());
      all.push_back(shape[axis]);
      TensorRef position = importer.iota(
          RankedTensorType::get(all, importer.builder().getI32Type()), results);
      Attribute zero = importer.builder().getZeroAttr(x->type.getElementType());
      return importer.set(
          op, 0,
          importer.fold(
              type.getShape(), shape[axis], {x, chosen, position},
              {AffineMap::get(results + 1, 0, place, importer.context()),
               AffineMap::get(results + 1, 0, batchExprs, importer.context()),
               AffineMap::getMultiDimIdentityMap(results + 1,
                                                 importer.context())},
              importer.splat(type, zero),
              [&](OpBuilder &builder, ValueRange v) {
                Value isChosen = arith::CmpIOp::create(
                    builder, loc, arith::CmpIPredicate::eq, v[1], v[2]);
                Value part = arith::SelectOp::create(
                    builder, loc, isChosen, v[0],
                    Importer::scalar(builder, loc, zero));
                return SmallVector<Value>{sum(builder, loc, v[3], part)};
              })[0]);
    }
  }

  // Each element is read at its place.
  SmallVector<AffineMap> maps(
      indices->components.size(),
      AffineMap::get(results, 0, batchExprs, importer.context()));
  Value table = importer.whole(x);
  return importer.set(
      op, 0,
      importer.fold(
          type.getShape(), {}, indices->components, maps, {},
          [&](OpBuilder &builder, ValueRange v) {
            SmallVector<Value> position(rank);
            for (int64_t d = 0; d < rank; ++d)
              position[d] =
                  place[d] ? linalg::IndexOp::create(
                                 builder, loc,
                                 cast<AffineDimExpr>(place[d]).getPosition())
                                 .getResult()
                           : constantIndex(builder, loc, 0);
            for (auto [d, start] : llvm::zip_equal(indices->operandDims, v)) {
              Value first = clamp(
                  builder, loc,
                  asIndex(builder, loc, start, indices->isUnsignedInteger),
                  shape[d] - (*sizes)[d]);
              position[d] =
                  arith::AddIOp::create(builder, loc, position[d], first);
            }
            return SmallVector<Value>{
                tensor::ExtractOp::create(builder, loc, table, position)};
          })[0]);
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

LogicalResult shlo::importScatter(Importer &importer, Operation *op) {
  TensorRef x = importer.get(op, 0), updates = importer.get(op, 2);
  ArrayRef<int64_t> shape = x->type.getShape(),
                    updateShape = updates->type.getShape();
  auto rank = static_cast<int64_t>(shape.size()),
       updateRank = static_cast<int64_t>(updateShape.size());
  FailureOr<DimensionNumbers> numbers =
      dimensionNumbers(importer, op, "scatter_dimension_numbers", "scatter");
  if (failed(numbers))
    return failure();
  ArrayRef<int64_t> batching = (*numbers)["input_batching_dims"],
                    windowOfUpdate = (*numbers)["update_window_dims"],
                    inserted = (*numbers)["inserted_window_dims"];
  SmallVector<int64_t> dropped(inserted);
  llvm::append_range(dropped, batching);
  FailureOr<Indices> indices =
      readIndices(importer, op, *numbers, "scatter_dims_to_operand_dims",
                  "scatter_indices_batching_dims", batching, rank);
  if (failed(indices) ||
      failed(
          importer.checkDims(op, "scatter_dimension_numbers", dropped, rank)) ||
      failed(importer.checkDims(op, "update_window_dims", windowOfUpdate,
                                updateRank)))
    return failure();
  SmallVector<int64_t> windowDims = others(rank, dropped),
                       scatterDims = others(updateRank, windowOfUpdate);
  bool isFine = x->type.getElementType() == updates->type.getElementType() &&
                windowDims.size() == windowOfUpdate.size() &&
                scatterDims.size() == indices->batch.size();
  for (size_t i = 0; isFine && i < windowDims.size(); ++i)
    isFine = updateShape[windowOfUpdate[i]] <= shape[windowDims[i]];
  for (size_t i = 0; isFine && i < scatterDims.size(); ++i)
    isFine = updateShape[scatterDims[i]] == indices->batch[i];
  for (size_t i = 0; isFine && i < batching.size(); ++i)
    isFine = shape[batching[i]] == indices->batch[indices->batchingDims[i]] &&
             !llvm::is_contained(indices->operandDims, batching[i]);
  if (!isFine)
    return importer.error(op)
           << "has dimension numbers that do not fit its types "
           << op->getOperand(0).getType() << ", " << op->getOperand(1).getType()
           << " and " << op->getOperand(2).getType();
  Type scalarType = RankedTensorType::get({}, elementOf(op->getOperand(0)));
  if (failed(importer.checkScalarRegion(op, op->getRegion(0),
                                        {scalarType, scalarType}, scalarType)))
    return failure();
  Block &body = op->getRegion(0).front();
  Operation *combiner = foldingOp(op->getRegion(0));
  bool overwrites = body.getOperations().size() == 1 &&
                    body.front().getOperand(0) == body.getArgument(1);
  if (!combiner && !overwrites)
    return importer.error(op)
           << "has a region that is no reduction: expected one of add, "
              "multiply, maximum, minimum, and, or, xor of its two arguments, "
              "or the second one";
  bool adds = combiner &&
              combiner->getName().getStringRef() == "stablehlo.add" &&
              !x->type.getElementType().isInteger(1);
  Location loc = op->getLoc();

  // The gradient of rows of a table.
  bool isTable = adds && isa<FloatType>(x->type.getElementType()) &&
                 indices->operandDims == SmallVector<int64_t>{0} &&
                 dropped == SmallVector<int64_t>{0} && batching.empty() &&
                 shape[0] <= maxRows;
  for (auto [i, d] : llvm::enumerate(windowOfUpdate))
    isTable &= d == static_cast<int64_t>(scatterDims.size() + i) &&
               updateShape[d] == shape[windowDims[i]];
  if (isTable) {
    // Updates of rows outside of the table are dropped.
    TensorRef inside = clampedIndices(importer, indices->components[0],
                                      indices->isUnsignedInteger, -1, shape[0]);
    Value dy = importer.whole(updates), rows = importer.whole(inside);
    TensorRef gradient = importer.fromValue(
        GatherGradOp::create(importer.builder(), loc, x->type, dy, rows));
    auto zero = dyn_cast_or_null<FloatAttr>(Importer::splatValue(x));
    if (!zero || !zero.getValue().isZero())
      gradient = importer.elementwise(
          shape, x->type.getElementType(), {x, gradient},
          [&](OpBuilder &builder, ValueRange v) {
            return SmallVector<Value>{sum(builder, loc, v[0], v[1])};
          });
    return importer.set(op, 0, gradient);
  }

  Type element = x->type.getElementType();
  if (adds) {
    x = convertElements(importer, x, false, sumType(element));
    updates = convertElements(importer, updates, false, sumType(element));
  }
  // Every element of the operand looks at the updates of its batch, in order.
  SmallVector<int64_t> loops;
  SmallVector<AffineExpr> scatterExprs(scatterDims.size());
  for (auto [d, own] : llvm::zip_equal(batching, indices->batchingDims))
    scatterExprs[own] = dim(importer, d);
  for (auto [i, expr] : llvm::enumerate(scatterExprs))
    if (!expr) {
      expr = dim(importer, rank + loops.size());
      loops.push_back(indices->batch[i]);
    }
  __int128 points = x->type.getNumElements();
  for (int64_t extent : loops)
    points = std::min<__int128>(points * extent, __int128(1) << 100);
  if (points > maxPoints)
    return importer.error(op)
           << "of " << op->getOperand(2).getType() << " into "
           << op->getOperand(0).getType()
           << " is too large: only sums into rows of a table may be";
  unsigned count = rank + loops.size();
  AffineMap scatterMap =
      AffineMap::get(count, 0, scatterExprs, importer.context());
  // Window positions are known, except where a window begins at an index.
  SmallVector<AffineExpr> updateExprs(updateRank);
  for (auto [d, expr] : llvm::zip_equal(scatterDims, scatterExprs))
    updateExprs[d] = expr;
  bool isComputed = false;
  for (auto [d, window] : llvm::zip_equal(windowOfUpdate, windowDims)) {
    updateExprs[d] = dim(importer, window);
    isComputed |= llvm::is_contained(indices->operandDims, window) ||
                  updateShape[d] != shape[window];
  }
  SmallVector<TensorRef> operands(indices->components);
  SmallVector<AffineMap> maps(operands.size(), scatterMap);
  Value updateValue;
  if (isComputed) {
    updateValue = importer.whole(updates);
  } else {
    operands.push_back(updates);
    maps.push_back(AffineMap::get(count, 0, updateExprs, importer.context()));
  }
  auto windowSize = [&](int64_t d) {
    for (auto [own, window] : llvm::zip_equal(windowOfUpdate, windowDims))
      if (window == d)
        return updateShape[own];
    return int64_t(1);
  };
  TensorRef result = importer.fold(
      shape, loops, operands, maps, x, [&](OpBuilder &builder, ValueRange v) {
        Value fits = Importer::scalar(builder, loc, builder.getBoolAttr(true));
        // Positions in the window; of dims with an index, from the index.
        SmallVector<Value> inWindow(rank);
        for (int64_t d = 0; d < rank; ++d) {
          auto *it = llvm::find(indices->operandDims, d);
          bool isPlain = it == indices->operandDims.end();
          if (isPlain && windowSize(d) == shape[d])
            continue;
          if (isPlain && llvm::is_contained(batching, d))
            continue;
          Value position = linalg::IndexOp::create(builder, loc, d);
          if (!isPlain)
            position = arith::SubIOp::create(
                builder, loc, position,
                asIndex(builder, loc,
                        v[std::distance(indices->operandDims.begin(), it)],
                        indices->isUnsignedInteger));
          Value isInside = arith::CmpIOp::create(
              builder, loc, arith::CmpIPredicate::ult, position,
              constantIndex(builder, loc, windowSize(d)));
          inWindow[d] = arith::SelectOp::create(
              builder, loc, isInside, position, constantIndex(builder, loc, 0));
          fits = arith::AndIOp::create(builder, loc, fits, isInside);
        }
        Value update, old = v.back();
        if (isComputed) {
          SmallVector<Value> position(updateRank);
          for (auto [d, expr] : llvm::zip_equal(scatterDims, scatterExprs))
            position[d] = linalg::IndexOp::create(
                builder, loc, cast<AffineDimExpr>(expr).getPosition());
          for (auto [d, window] : llvm::zip_equal(windowOfUpdate, windowDims))
            position[d] =
                inWindow[window]
                    ? inWindow[window]
                    : linalg::IndexOp::create(builder, loc, window).getResult();
          update =
              tensor::ExtractOp::create(builder, loc, updateValue, position);
        } else {
          update = v[v.size() - 2];
        }
        if (adds) {
          Value zero = Importer::scalar(builder, loc,
                                        builder.getZeroAttr(old.getType()));
          Value part =
              arith::SelectOp::create(builder, loc, fits, update, zero);
          return SmallVector<Value>{sum(builder, loc, old, part)};
        }
        Value combined =
            overwrites
                ? update
                : importer.scalars(op->getRegion(0), builder, {old, update})[0];
        return SmallVector<Value>{
            arith::SelectOp::create(builder, loc, fits, combined, old)};
      })[0];
  return importer.set(op, 0, convertElements(importer, result, false, element));
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

namespace {

/// Sorts `count` elements of dim `axis` of all tensors to the front. `precedes`
/// says whether elements come before others: scalars of all tensors at one
/// place, then at another. The place of an element is the number of those
/// before it, which needs no moving of others: shards sort all but `axis`
/// apart.
SmallVector<TensorRef> sortTensors(
    Importer &importer, ArrayRef<TensorRef> tensors, int64_t axis,
    int64_t count,
    llvm::function_ref<Value(OpBuilder &, ValueRange, ValueRange)> precedes) {
  Location loc = importer.loc();
  ArrayRef<int64_t> shape = tensors[0]->type.getShape();
  auto rank = static_cast<int64_t>(shape.size());
  Type i64 = importer.builder().getI64Type();
  SmallVector<AffineExpr> own, other;
  for (int64_t d = 0; d < rank; ++d) {
    own.push_back(dim(importer, d));
    other.push_back(dim(importer, d == axis ? rank : d));
  }
  AffineMap ownMap = AffineMap::get(rank + 1, 0, own, importer.context()),
            otherMap = AffineMap::get(rank + 1, 0, other, importer.context());
  SmallVector<int64_t> all(shape);
  all.push_back(shape[axis]);
  auto allType = RankedTensorType::get(all, i64);
  SmallVector<TensorRef> operands(tensors);
  llvm::append_range(operands, tensors);
  SmallVector<AffineMap> maps(tensors.size(), ownMap);
  maps.append(tensors.size(), otherMap);
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(rank + 1, importer.context());
  operands.push_back(importer.iota(allType, axis));
  operands.push_back(importer.iota(allType, rank));
  maps.append(2, identity);
  size_t n = tensors.size();
  TensorRef places = importer.fold(
      shape, shape[axis], operands, maps,
      importer.splat(RankedTensorType::get(shape, i64),
                     importer.builder().getI64IntegerAttr(0)),
      [&](OpBuilder &builder, ValueRange v) {
        ValueRange mine = v.take_front(n), theirs = v.slice(n, n);
        Value before = precedes(builder, theirs, mine),
              after = precedes(builder, mine, theirs);
        // Equal ones keep their order.
        Value isEarlier = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::slt, v[2 * n + 1], v[2 * n]);
        Value no = Importer::scalar(builder, loc, builder.getBoolAttr(false));
        Value ties =
            arith::SelectOp::create(builder, loc, after, no, isEarlier);
        Value isBefore = arith::OrIOp::create(builder, loc, before, ties);
        Value one = arith::ExtUIOp::create(builder, loc, i64, isBefore);
        return SmallVector<Value>{sum(builder, loc, v.back(), one)};
      })[0];
  // Position p gets the element whose place it is.
  SmallVector<int64_t> resultShape(shape);
  resultShape[axis] = count;
  SmallVector<TensorRef> results;
  for (const TensorRef &tensor : tensors) {
    Type element = tensor->type.getElementType();
    Attribute zero = importer.builder().getZeroAttr(element);
    all = resultShape;
    all.push_back(shape[axis]);
    TensorRef position = importer.iota(RankedTensorType::get(all, i64), axis);
    results.push_back(importer.fold(
        resultShape, shape[axis], {tensor, places, position},
        {otherMap, otherMap, identity},
        importer.splat(RankedTensorType::get(resultShape, element), zero),
        [&](OpBuilder &builder, ValueRange v) {
          Value isMine = arith::CmpIOp::create(
              builder, loc, arith::CmpIPredicate::eq, v[1], v[2]);
          return SmallVector<Value>{
              arith::SelectOp::create(builder, loc, isMine, v[0], v[3])};
        })[0]);
  }
  return results;
}

LogicalResult checkSortSize(Importer &importer, Operation *op,
                            RankedTensorType type, int64_t axis) {
  if (type.getNumElements() <= maxPoints / type.getDimSize(axis))
    return success();
  return importer.error(op)
         << "sorts rows of " << type.getDimSize(axis) << " elements in " << type
         << ", which is too large";
}

} // namespace

LogicalResult shlo::importSort(Importer &importer, Operation *op) {
  size_t count = op->getNumOperands();
  if (count == 0 || op->getNumResults() != count)
    return importer.error(op) << "has " << count << " operands and "
                              << op->getNumResults() << " results";
  SmallVector<TensorRef> tensors;
  SmallVector<Type> arguments;
  for (Value operand : op->getOperands()) {
    tensors.push_back(importer.get(operand));
    if (tensors.back()->type.getShape() != tensors[0]->type.getShape())
      return importer.error(op) << "has operands of different shapes";
    arguments.append(2, RankedTensorType::get({}, elementOf(operand)));
  }
  RankedTensorType type = tensors[0]->type;
  FailureOr<int64_t> axis = importer.integer(op, "dimension");
  Type i1 = RankedTensorType::get({}, IntegerType::get(importer.context(), 1));
  if (failed(axis))
    return failure();
  if (*axis < 0)
    *axis += type.getRank();
  if (failed(importer.checkDims(op, "dimension", *axis, type.getRank())) ||
      failed(importer.checkScalarRegion(op, op->getRegion(0), arguments, i1)) ||
      failed(checkSortSize(importer, op, type, *axis)))
    return failure();
  SmallVector<TensorRef> results = sortTensors(
      importer, tensors, *axis, type.getDimSize(*axis),
      [&](OpBuilder &builder, ValueRange a, ValueRange b) {
        SmallVector<Value> pairs;
        for (auto [x, y] : llvm::zip_equal(a, b))
          pairs.append({x, y});
        return importer.scalars(op->getRegion(0), builder, pairs)[0];
      });
  for (auto [i, result] : llvm::enumerate(results))
    if (failed(importer.set(op, i, result)))
      return failure();
  return success();
}

LogicalResult shlo::importTopK(Importer &importer, Operation *op) {
  TensorRef x = importer.get(op, 0);
  FailureOr<int64_t> k = importer.integer(op, "k");
  if (failed(k))
    return failure();
  int64_t axis = x->type.getRank() - 1;
  Type element = x->type.getElementType();
  if (axis < 0 || *k < 1 || *k > x->type.getDimSize(axis) ||
      element.isInteger(1))
    return importer.error(op)
           << "takes " << *k << " elements of " << op->getOperand(0).getType();
  if (failed(checkSortSize(importer, op, x->type, axis)))
    return failure();
  Location loc = op->getLoc();
  bool isUnsignedInteger = isUnsigned(elementOf(op->getOperand(0)));
  TensorRef numbers =
      importer.iota(RankedTensorType::get(x->type.getShape(),
                                          importer.builder().getI32Type()),
                    axis);
  SmallVector<TensorRef> results =
      sortTensors(importer, {x, numbers}, axis, *k,
                  [&](OpBuilder &builder, ValueRange a, ValueRange b) -> Value {
                    Value mine = a[0], theirs = b[0];
                    if (isa<FloatType>(element)) {
                      mine = totalOrderKey(builder, loc, mine);
                      theirs = totalOrderKey(builder, loc, theirs);
                    }
                    return arith::CmpIOp::create(
                        builder, loc,
                        isUnsignedInteger ? arith::CmpIPredicate::ugt
                                          : arith::CmpIPredicate::sgt,
                        mine, theirs);
                  });
  for (auto [i, result] : llvm::enumerate(results))
    if (failed(importer.set(op, i, result)))
      return failure();
  return success();
}
