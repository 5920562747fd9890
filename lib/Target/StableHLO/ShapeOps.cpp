//===- ShapeOps.cpp - Ops that move elements ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, broadcasts, slices, and what else changes shapes.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::soap::stablehlo_import;
namespace shlo = mlir::soap::stablehlo_import;

LogicalResult shlo::importConstant(Importer &importer, Operation *op) {
  RankedTensorType type = importer.resultType(op);
  if (!type)
    return failure();
  Attribute value = op->getAttr("value");
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(value)) {
    if (resource.getType() != op->getResult(0).getType())
      return importer.error(op) << "has a value of type " << resource.getType()
                                << ", expected its result's type";
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return importer.error(op)
             << "has a value that was left out when the module was printed "
                "('dense_resource<"
             << resource.getRawHandle().getKey()
             << ">' has no data): print with large_elements_limit=None";
    bool isSplat = false;
    if (!DenseElementsAttr::isValidRawBuffer(type, blob->getData(), isSplat))
      return importer.error(op) << "has " << blob->getData().size()
                                << " bytes of data, which do not fit " << type;
    return importer.set(
        op, 0,
        importer.fromConstant(
            DenseElementsAttr::getFromRawBuffer(type, blob->getData())));
  }
  auto elements = dyn_cast_or_null<DenseElementsAttr>(value);
  if (!elements)
    return importer.error(op) << "has no value of the form 'dense<...>'";
  if (elements.getType() != op->getResult(0).getType())
    return importer.error(op) << "has a value of type " << elements.getType()
                              << ", expected its result's type";
  if (elements.getType() != type)
    elements =
        elements.isSplat()
            ? DenseElementsAttr::get(type, elements.getSplatValue<APInt>())
            : DenseElementsAttr::getFromRawBuffer(type, elements.getRawData());
  return importer.set(op, 0, importer.fromConstant(elements));
}

LogicalResult shlo::importIota(Importer &importer, Operation *op) {
  RankedTensorType type = importer.resultType(op);
  FailureOr<int64_t> dim = importer.integer(op, "iota_dimension");
  if (!type || failed(dim) ||
      failed(importer.checkDims(op, "iota_dimension", *dim, type.getRank())))
    return failure();
  if (type.getElementType().isInteger(1))
    return importer.error(op) << "is not supported with i1 elements";
  return importer.set(op, 0, importer.iota(type, *dim));
}

LogicalResult shlo::importBroadcast(Importer &importer, Operation *op) {
  TensorRef x = importer.get(op, 0);
  RankedTensorType type = importer.resultType(op);
  if (!type)
    return failure();
  FailureOr<SmallVector<int64_t>> dims =
      importer.dims(op, "broadcast_dimensions", type.getRank());
  if (failed(dims))
    return failure();
  if (static_cast<int64_t>(dims->size()) != x->type.getRank())
    return importer.error(op) << "has " << dims->size()
                              << " broadcast dims for an operand of type "
                              << op->getOperand(0).getType();
  SmallVector<AffineExpr> exprs;
  for (auto [extent, dim] : llvm::zip_equal(x->type.getShape(), *dims)) {
    if (extent != 1 && extent != type.getDimSize(dim))
      return importer.error(op)
             << "broadcasts " << op->getOperand(0).getType() << " to "
             << op->getResult(0).getType() << ": dim " << dim << " has extent "
             << type.getDimSize(dim) << ", expected " << extent;
    bool isKept = extent == type.getDimSize(dim);
    exprs.push_back(isKept ? getAffineDimExpr(dim, importer.context())
                           : getAffineConstantExpr(0, importer.context()));
  }
  return importer.set(op, 0,
                      importer.view(x, type.getShape(),
                                    AffineMap::get(type.getRank(), 0, exprs,
                                                   importer.context())));
}

LogicalResult shlo::importTranspose(Importer &importer, Operation *op) {
  TensorRef x = importer.get(op, 0);
  FailureOr<SmallVector<int64_t>> permutation =
      importer.dims(op, "permutation", x->type.getRank());
  if (failed(permutation))
    return failure();
  if (static_cast<int64_t>(permutation->size()) != x->type.getRank())
    return importer.error(op) << "has a permutation of " << permutation->size()
                              << " dims, expected " << x->type.getRank();
  return importer.set(op, 0, importer.transpose(x, *permutation));
}

LogicalResult shlo::importReverse(Importer &importer, Operation *op) {
  TensorRef x = importer.get(op, 0);
  FailureOr<SmallVector<int64_t>> dims =
      importer.dims(op, "dimensions", x->type.getRank());
  if (failed(dims))
    return failure();
  SmallVector<AffineExpr> exprs;
  for (int64_t d = 0; d < x->type.getRank(); ++d) {
    AffineExpr dim = getAffineDimExpr(d, importer.context());
    exprs.push_back(
        llvm::is_contained(*dims, d) ? x->type.getDimSize(d) - 1 - dim : dim);
  }
  return importer.set(op, 0,
                      importer.view(x, x->type.getShape(),
                                    AffineMap::get(x->type.getRank(), 0, exprs,
                                                   importer.context())));
}

LogicalResult shlo::importReshape(Importer &importer, Operation *op) {
  TensorRef x = importer.get(op, 0);
  RankedTensorType type = importer.resultType(op);
  if (!type)
    return failure();
  if (type.getNumElements() != x->type.getNumElements())
    return importer.error(op)
           << "makes " << op->getResult(0).getType() << " of "
           << op->getOperand(0).getType() << ", expected as many elements";
  return importer.set(op, 0, importer.reshape(x, type.getShape()));
}

LogicalResult shlo::importSlice(Importer &importer, Operation *op) {
  TensorRef x = importer.get(op, 0);
  int64_t rank = x->type.getRank();
  FailureOr<SmallVector<int64_t>> start = importer.integers(op, "start_indices",
                                                            rank),
                                  limit = importer.integers(op, "limit_indices",
                                                            rank),
                                  strides =
                                      importer.integers(op, "strides", rank);
  if (failed(start) || failed(limit) || failed(strides))
    return failure();
  SmallVector<int64_t> sizes;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t from = (*start)[d], to = (*limit)[d], stride = (*strides)[d];
    if (from < 0 || to <= from || to > x->type.getDimSize(d) || stride < 1)
      return importer.error(op)
             << "takes [" << from << ", " << to << ") in steps of " << stride
             << " of dim " << d << ", which has extent "
             << x->type.getDimSize(d);
    sizes.push_back((to - from + stride - 1) / stride);
  }
  return importer.set(op, 0, importer.slice(x, *start, sizes, *strides));
}

LogicalResult shlo::importPad(Importer &importer, Operation *op) {
  TensorRef x = importer.get(op, 0), number = importer.get(op, 1);
  int64_t rank = x->type.getRank();
  FailureOr<SmallVector<int64_t>> low = importer.integers(
                                      op, "edge_padding_low", rank),
                                  high = importer.integers(
                                      op, "edge_padding_high", rank),
                                  interior = importer.integers(
                                      op, "interior_padding", rank);
  RankedTensorType type = importer.resultType(op);
  if (!type || failed(low) || failed(high) || failed(interior))
    return failure();
  if (number->type.getRank() != 0 ||
      number->type.getElementType() != x->type.getElementType())
    return importer.error(op)
           << "pads " << op->getOperand(0).getType() << " with a value of type "
           << op->getOperand(1).getType();
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t extent = x->type.getDimSize(d);
    if ((*interior)[d] < 0)
      return importer.error(op) << "has a negative interior padding";
    shape.push_back(extent + (extent - 1) * (*interior)[d] + (*low)[d] +
                    (*high)[d]);
  }
  if (llvm::ArrayRef(shape) != type.getShape())
    return importer.error(op)
           << "pads " << op->getOperand(0).getType() << " to "
           << op->getResult(0).getType()
           << ", which is not the shape that its padding gives";
  Attribute value = Importer::splatValue(number);
  if (value)
    return importer.set(op, 0, importer.pad(x, *low, *high, *interior, value));
  // The value is computed: it is put where a mask of the same padding has none.
  Builder builder(importer.context());
  Type i8 = builder.getI8Type();
  TensorRef mask = importer.splat(RankedTensorType::get(x->type.getShape(), i8),
                                  builder.getI8IntegerAttr(1));
  mask =
      importer.pad(mask, *low, *high, *interior, builder.getI8IntegerAttr(0));
  TensorRef padded = importer.pad(
      x, *low, *high, *interior, builder.getZeroAttr(x->type.getElementType()));
  TensorRef values = importer.view(
      number, shape, AffineMap::get(rank, 0, builder.getContext()));
  Location loc = op->getLoc();
  return importer.set(
      op, 0,
      importer.elementwise(
          shape, x->type.getElementType(), {mask, padded, values},
          [&](OpBuilder &ops, ValueRange v) {
            Value zero = Importer::scalar(ops, loc, ops.getI8IntegerAttr(0));
            Value isPadding = ops.createOrFold<arith::CmpIOp>(
                loc, arith::CmpIPredicate::eq, v[0], zero);
            return SmallVector<Value>{
                ops.createOrFold<arith::SelectOp>(loc, isPadding, v[2], v[1])};
          }));
}

LogicalResult shlo::importConcatenate(Importer &importer, Operation *op) {
  FailureOr<int64_t> dim = importer.integer(op, "dimension");
  if (failed(dim))
    return failure();
  if (op->getNumOperands() == 0)
    return importer.error(op) << "has no operands";
  SmallVector<TensorRef> tensors;
  RankedTensorType first = importer.get(op, 0)->type;
  if (failed(importer.checkDims(op, "dimension", *dim, first.getRank())))
    return failure();
  for (Value operand : op->getOperands()) {
    tensors.push_back(importer.get(operand));
    RankedTensorType type = tensors.back()->type;
    bool fits = type.getRank() == first.getRank() &&
                type.getElementType() == first.getElementType();
    for (int64_t d = 0; fits && d < first.getRank(); ++d)
      fits = d == *dim || type.getDimSize(d) == first.getDimSize(d);
    if (!fits)
      return importer.error(op)
             << "joins " << op->getOperand(0).getType() << " and "
             << operand.getType() << " along dim " << *dim;
    if (isEmpty(type))
      tensors.pop_back();
  }
  return importer.set(op, 0, importer.concat(tensors, *dim));
}

//===----------------------------------------------------------------------===//
// Slices at computed places
//===----------------------------------------------------------------------===//

namespace {

/// The starts of a slice of `sizes` elements, moved so that it lies inside.
struct Starts {
  /// Known ones; 0 where `operands` has one.
  SmallVector<int64_t> known;
  /// Null where it is known.
  SmallVector<TensorRef> operands;
  bool areKnown = true;
};

FailureOr<Starts> readStarts(Importer &importer, Operation *op, unsigned first,
                             ArrayRef<int64_t> shape, ArrayRef<int64_t> sizes) {
  if (op->getNumOperands() != first + shape.size())
    return importer.error(op) << "has " << op->getNumOperands() - first
                              << " start indices, expected " << shape.size();
  Starts starts;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (sizes[d] < 1 || sizes[d] > shape[d])
      return importer.error(op) << "takes " << sizes[d] << " elements of dim "
                                << d << ", which has extent " << shape[d];
    TensorRef start = importer.get(op, first + d);
    if (start->type.getRank() != 0 ||
        !isa<IntegerType>(start->type.getElementType()))
      return importer.error(op)
             << "has a start index of type "
             << op->getOperand(first + d).getType() << ", expected an integer";
    std::optional<int64_t> value = Importer::knownInteger(start);
    if (value && isUnsigned(elementOf(op->getOperand(first + d))) && *value < 0)
      value = shape[d];
    int64_t last = shape[d] - sizes[d];
    bool isKnown = value || last == 0;
    starts.known.push_back(
        isKnown ? std::clamp<int64_t>(value.value_or(0), 0, last) : 0);
    starts.operands.push_back(isKnown ? nullptr : start);
    starts.areKnown &= isKnown;
  }
  return starts;
}

/// An index between 0 and `last` of an integer scalar.
Value clampedIndex(OpBuilder &builder, Location loc, Value start, int64_t last,
                   bool isUnsignedStart) {
  Type index = builder.getIndexType();
  Value value =
      isUnsignedStart
          ? arith::IndexCastUIOp::create(builder, loc, index, start).getResult()
          : arith::IndexCastOp::create(builder, loc, index, start).getResult();
  Value low = arith::ConstantIndexOp::create(builder, loc, 0),
        high = arith::ConstantIndexOp::create(builder, loc, last);
  value = arith::MaxSIOp::create(builder, loc, value, low);
  return arith::MinSIOp::create(builder, loc, value, high);
}

} // namespace

LogicalResult shlo::importDynamicSlice(Importer &importer, Operation *op) {
  if (op->getNumOperands() == 0)
    return importer.error(op) << "has no operands";
  TensorRef x = importer.get(op, 0);
  ArrayRef<int64_t> shape = x->type.getShape();
  FailureOr<SmallVector<int64_t>> sizes =
      importer.integers(op, "slice_sizes", x->type.getRank());
  if (failed(sizes))
    return failure();
  FailureOr<Starts> starts = readStarts(importer, op, 1, shape, *sizes);
  if (failed(starts))
    return failure();
  SmallVector<int64_t> ones(shape.size(), 1);
  if (starts->areKnown)
    return importer.set(op, 0, importer.slice(x, starts->known, *sizes, ones));
  SmallVector<TensorRef> operands;
  SmallVector<AffineMap> maps;
  for (const TensorRef &start : starts->operands)
    if (start) {
      operands.push_back(start);
      maps.push_back(AffineMap::get(shape.size(), 0, importer.context()));
    }
  Value table = importer.whole(x);
  Location loc = op->getLoc();
  return importer.set(
      op, 0,
      importer.fold(*sizes, {}, operands, maps, {},
                    [&](OpBuilder &builder, ValueRange scalars) {
                      SmallVector<Value> indices;
                      size_t next = 0;
                      for (size_t d = 0; d < shape.size(); ++d) {
                        Value index = linalg::IndexOp::create(builder, loc, d);
                        Value start =
                            starts->operands[d]
                                ? clampedIndex(builder, loc, scalars[next++],
                                               shape[d] - (*sizes)[d],
                                               isUnsigned(elementOf(
                                                   op->getOperand(1 + d))))
                                : arith::ConstantIndexOp::create(
                                      builder, loc, starts->known[d])
                                      .getResult();
                        indices.push_back(
                            arith::AddIOp::create(builder, loc, index, start));
                      }
                      return SmallVector<Value>{tensor::ExtractOp::create(
                          builder, loc, table, indices)};
                    })[0]);
}

LogicalResult shlo::importDynamicUpdateSlice(Importer &importer,
                                             Operation *op) {
  if (op->getNumOperands() < 2)
    return importer.error(op) << "has " << op->getNumOperands()
                              << " operands, expected at least 2";
  TensorRef x = importer.get(op, 0), update = importer.get(op, 1);
  ArrayRef<int64_t> shape = x->type.getShape(), sizes = update->type.getShape();
  if (shape.size() != sizes.size() ||
      x->type.getElementType() != update->type.getElementType())
    return importer.error(op) << "writes " << op->getOperand(1).getType()
                              << " into " << op->getOperand(0).getType();
  FailureOr<Starts> starts = readStarts(importer, op, 2, shape, sizes);
  if (failed(starts))
    return failure();
  SmallVector<int64_t> ones(shape.size(), 1);
  if (x->type == update->type)
    return importer.set(op, 0, update);
  if (starts->areKnown) {
    Value into = importer.whole(x), part = importer.whole(update);
    return importer.set(
        op, 0,
        importer.fromValue(tensor::InsertSliceOp::create(
            importer.builder(), op->getLoc(), part, into,
            getAsIndexOpFoldResult(importer.context(), starts->known),
            getAsIndexOpFoldResult(importer.context(), sizes),
            getAsIndexOpFoldResult(importer.context(), ones))));
  }
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(shape.size(), importer.context());
  SmallVector<TensorRef> operands = {x};
  SmallVector<AffineMap> maps = {identity};
  for (const TensorRef &start : starts->operands)
    if (start) {
      operands.push_back(start);
      maps.push_back(AffineMap::get(shape.size(), 0, importer.context()));
    }
  Value part = importer.whole(update);
  Location loc = op->getLoc();
  return importer.set(
      op, 0,
      importer.fold(
          shape, {}, operands, maps, {},
          [&](OpBuilder &builder, ValueRange scalars) {
            auto constant = [&](int64_t value) -> Value {
              return arith::ConstantIndexOp::create(builder, loc, value);
            };
            SmallVector<Value> indices;
            size_t next = 1;
            Value isInside =
                Importer::scalar(builder, loc, builder.getBoolAttr(true));
            for (size_t d = 0; d < shape.size(); ++d) {
              Value index = linalg::IndexOp::create(builder, loc, d);
              Value start =
                  starts->operands[d]
                      ? clampedIndex(
                            builder, loc, scalars[next++], shape[d] - sizes[d],
                            isUnsigned(elementOf(op->getOperand(2 + d))))
                      : constant(starts->known[d]);
              Value own = arith::SubIOp::create(builder, loc, index, start);
              // Negative numbers are large unsigned ones.
              Value fits =
                  arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        own, constant(sizes[d]));
              isInside = arith::AndIOp::create(builder, loc, isInside, fits);
              indices.push_back(arith::SelectOp::create(builder, loc, fits, own,
                                                        constant(0)));
            }
            Value element =
                tensor::ExtractOp::create(builder, loc, part, indices);
            return SmallVector<Value>{arith::SelectOp::create(
                builder, loc, isInside, element, scalars[0])};
          })[0]);
}
