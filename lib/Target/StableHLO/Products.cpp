//===- Products.cpp - Products ------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of tensors: soap.matmul of floats, a structured op of integers.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::stablehlo_import;
namespace shlo = mlir::soap::stablehlo_import;

Type shlo::sumType(Type element) {
  auto type = dyn_cast<FloatType>(element);
  return type && type.getWidth() == 16 ? Float32Type::get(element.getContext())
                                       : element;
}

TensorRef shlo::convertElements(Importer &importer, const TensorRef &tensor,
                                bool isUnsignedSource, Type element) {
  Type from = tensor->type.getElementType();
  if (from == element)
    return tensor;
  Location loc = importer.loc();
  return importer.elementwise(
      tensor->type.getShape(), element, tensor,
      [&](OpBuilder &builder, ValueRange x) {
        Value result;
        if (isa<IntegerType>(from))
          result =
              isUnsignedSource
                  ? builder.createOrFold<arith::ExtUIOp>(loc, element, x[0])
                  : builder.createOrFold<arith::ExtSIOp>(loc, element, x[0]);
        else if (element.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth())
          result = builder.createOrFold<arith::ExtFOp>(loc, element, x[0]);
        else
          result = builder.createOrFold<arith::TruncFOp>(loc, element, x[0]);
        return SmallVector<Value>{result};
      });
}

namespace {

int64_t productOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims)
    product *= shape[dim];
  return product;
}

SmallVector<int64_t> extentsOf(ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> dims) {
  SmallVector<int64_t> extents;
  for (int64_t dim : dims)
    extents.push_back(shape[dim]);
  return extents;
}

SmallVector<int64_t> join(ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                          ArrayRef<int64_t> c = {}) {
  SmallVector<int64_t> all(a);
  llvm::append_range(all, b);
  llvm::append_range(all, c);
  return all;
}

bool isIncreasing(ArrayRef<int64_t> order) { return llvm::is_sorted(order); }

/// One operand: its dims by what they are.
struct Side {
  TensorRef tensor;
  SmallVector<int64_t> batch, contracted, free;

  ArrayRef<int64_t> shape() const { return tensor->type.getShape(); }
};

/// Batches, then `first` and `second` as one dim each.
TensorRef asMatrix(Importer &importer, const Side &side,
                   ArrayRef<int64_t> first, ArrayRef<int64_t> second) {
  SmallVector<int64_t> shape = extentsOf(side.shape(), side.batch);
  shape.push_back(productOf(side.shape(), first));
  shape.push_back(productOf(side.shape(), second));
  return importer.reshape(
      importer.transpose(side.tensor, join(side.batch, first, second)), shape);
}

TensorRef multiplyFloats(Importer &importer, Location loc, const Side &a,
                         const Side &b, ArrayRef<int64_t> resultShape) {
  OpBuilder &builder = importer.builder();
  auto flag = [&](bool set) {
    return set ? builder.getUnitAttr() : UnitAttr();
  };
  // The order that moves nothing, if there is one.
  bool transposeA = isIncreasing(join(a.batch, a.contracted, a.free)) &&
                    !isIncreasing(join(a.batch, a.free, a.contracted)),
       transposeB = isIncreasing(join(b.batch, b.free, b.contracted)) &&
                    !isIncreasing(join(b.batch, b.contracted, b.free));
  TensorRef right = transposeB ? asMatrix(importer, b, b.free, b.contracted)
                               : asMatrix(importer, b, b.contracted, b.free);
  // Rows that share one right operand stay several dims: batch and sequence can
  // be cut apart.
  bool sharesRight = a.batch.empty() && a.free.size() > 1 &&
                     a.contracted.size() == 1 && b.free.size() >= 1;
  TensorRef left;
  if (sharesRight) {
    transposeA = false;
    left = importer.transpose(a.tensor, join(a.free, a.contracted));
  } else {
    left = transposeA ? asMatrix(importer, a, a.contracted, a.free)
                      : asMatrix(importer, a, a.free, a.contracted);
  }
  DenseI64ArrayAttr factors;
  if (a.batch.empty() && a.contracted.size() > 1)
    factors = builder.getDenseI64ArrayAttr(extentsOf(a.shape(), a.contracted));
  Value leftValue = importer.whole(left), rightValue = importer.whole(right);
  SmallVector<int64_t> shape =
      sharesRight
          ? extentsOf(a.shape(), a.free)
          : join(extentsOf(a.shape(), a.batch), {productOf(a.shape(), a.free)});
  shape.push_back(productOf(b.shape(), b.free));
  Value product = MatmulOp::create(
      builder, loc, RankedTensorType::get(shape, left->type.getElementType()),
      leftValue, rightValue, flag(transposeA), flag(transposeB), factors);
  return importer.reshape(importer.fromValue(product), resultShape);
}

TensorRef multiplyIntegers(Importer &importer, Location loc, const Side &a,
                           const Side &b, ArrayRef<int64_t> resultShape,
                           Type element) {
  SmallVector<int64_t> loops = extentsOf(a.shape(), a.contracted);
  SmallVector<AffineExpr> left(a.shape().size()), right(b.shape().size());
  unsigned next = 0;
  auto loop = [&] { return getAffineDimExpr(next++, importer.context()); };
  for (auto [i, j] : llvm::zip_equal(a.batch, b.batch))
    left[i] = right[j] = loop();
  for (int64_t i : a.free)
    left[i] = loop();
  for (int64_t j : b.free)
    right[j] = loop();
  for (auto [i, j] : llvm::zip_equal(a.contracted, b.contracted))
    left[i] = right[j] = loop();
  TensorRef zero = importer.splat(RankedTensorType::get(resultShape, element),
                                  importer.builder().getZeroAttr(element));
  return importer.fold(resultShape, loops, {a.tensor, b.tensor},
                       {AffineMap::get(next, 0, left, importer.context()),
                        AffineMap::get(next, 0, right, importer.context())},
                       zero, [&](OpBuilder &builder, ValueRange x) {
                         Value product =
                             arith::MulIOp::create(builder, loc, x[0], x[1]);
                         return SmallVector<Value>{arith::AddIOp::create(
                             builder, loc, x[2], product)};
                       })[0];
}

} // namespace

FailureOr<Type> shlo::productType(Importer &importer, Operation *op) {
  RankedTensorType result = importer.resultType(op);
  if (!result)
    return failure();
  Type element = result.getElementType();
  for (unsigned i : {0, 1}) {
    Type own = importer.get(op, i)->type.getElementType();
    if (isa<FloatType>(own) != isa<FloatType>(element) || own.isInteger(1) ||
        element.isInteger(1))
      return importer.error(op)
             << "multiplies " << op->getOperand(i).getType() << " to "
             << op->getResult(0).getType()
             << ", expected floats, or integers of at least 8 bits";
    if (own.getIntOrFloatBitWidth() > element.getIntOrFloatBitWidth())
      element = own;
  }
  // Of f16 and bf16 neither holds the other.
  for (unsigned i : {0, 1}) {
    Type own = importer.get(op, i)->type.getElementType();
    if (own != element &&
        own.getIntOrFloatBitWidth() == element.getIntOrFloatBitWidth())
      element = importer.builder().getF32Type();
  }
  return element;
}

LogicalResult shlo::importDotGeneral(Importer &importer, Operation *op) {
  FailureOr<DimensionNumbers> numbers =
      dimensionNumbers(importer, op, "dot_dimension_numbers", "dot");
  FailureOr<Type> element = productType(importer, op);
  if (failed(numbers) || failed(element))
    return failure();
  Side sides[2];
  static constexpr StringRef prefix[] = {"lhs", "rhs"};
  SmallVector<int64_t> shape;
  for (unsigned i : {0, 1}) {
    Side &side = sides[i];
    side.tensor = importer.get(op, i);
    side.batch = SmallVector<int64_t>(
        (*numbers)[(prefix[i] + "_batching_dimensions").str()]);
    side.contracted = SmallVector<int64_t>(
        (*numbers)[(prefix[i] + "_contracting_dimensions").str()]);
    auto rank = static_cast<int64_t>(side.shape().size());
    SmallVector<int64_t> named = join(side.batch, side.contracted);
    if (failed(importer.checkDims(op, "dot_dimension_numbers", named, rank)))
      return failure();
    for (int64_t d = 0; d < rank; ++d)
      if (!llvm::is_contained(named, d))
        side.free.push_back(d);
  }
  if (extentsOf(sides[0].shape(), sides[0].batch) !=
          extentsOf(sides[1].shape(), sides[1].batch) ||
      extentsOf(sides[0].shape(), sides[0].contracted) !=
          extentsOf(sides[1].shape(), sides[1].contracted))
    return importer.error(op)
           << "multiplies " << op->getOperand(0).getType() << " by "
           << op->getOperand(1).getType()
           << ": batch and contracted dims have different extents";
  shape = join(extentsOf(sides[0].shape(), sides[0].batch),
               extentsOf(sides[0].shape(), sides[0].free),
               extentsOf(sides[1].shape(), sides[1].free));
  if (importer.resultType(op).getShape() != ArrayRef(shape))
    return importer.error(op) << "multiplies " << op->getOperand(0).getType()
                              << " by " << op->getOperand(1).getType() << " to "
                              << op->getResult(0).getType()
                              << ", which is not the shape of their product";
  for (unsigned i : {0, 1})
    sides[i].tensor =
        convertElements(importer, sides[i].tensor,
                        isUnsigned(elementOf(op->getOperand(i))), *element);
  TensorRef product =
      isa<FloatType>(*element)
          ? multiplyFloats(importer, op->getLoc(), sides[0], sides[1], shape)
          : multiplyIntegers(importer, op->getLoc(), sides[0], sides[1], shape,
                             *element);
  Type wanted = signless(elementOf(op->getResult(0)));
  if (isa<IntegerType>(wanted) && wanted != *element)
    return importer.error(op) << "has a result that is narrower than its "
                                 "operands";
  return importer.set(op, 0, convertElements(importer, product, false, wanted));
}
