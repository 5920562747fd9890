//===- RaiseProducts.cpp - Products of linalg for the library -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RaiseProducts.h. A product is recognized by its maps and its body,
// whatever it is called; a convolution by its name.
//
//===----------------------------------------------------------------------===//

#include "RaiseProducts.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

bool isF32(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getElementType().isF32();
}

/// All elements are known to be +0 or -0.
bool isZero(Value init) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
  return matchPattern(init, m_AnyZeroFloat());
}

/// The shape of a product as `soap.matmul` has it.
struct Product {
  bool transposeA = false, transposeB = false;
};

/// Dims of the operands are batches in order, then a row and a column.
std::optional<Product> matchProduct(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op->getNumResults() != 1 ||
      !llvm::all_of(op->getOperandTypes(), isF32) ||
      !linalg::isaContractionOpInterface(op))
    return std::nullopt;
  // acc + x * y, and nothing else.
  Block *body = op.getBlock();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || llvm::range_size(body->without_terminator()) != 2 ||
      !isa<arith::MulFOp>(body->front()))
    return std::nullopt;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.size() != 1 || dims->n.size() != 1 ||
      dims->k.size() != 1)
    return std::nullopt;
  auto has = [&](AffineMap map, unsigned row, unsigned column) {
    if (map.getNumResults() != dims->batch.size() + 2)
      return false;
    SmallVector<unsigned> expected(dims->batch.begin(), dims->batch.end());
    expected.append({row, column});
    for (auto [expr, loop] : llvm::zip_equal(map.getResults(), expected)) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || dim.getPosition() != loop)
        return false;
    }
    return true;
  };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned m = dims->m[0], n = dims->n[0], k = dims->k[0];
  Product product;
  product.transposeA = has(maps[0], k, m);
  product.transposeB = has(maps[1], n, k);
  if ((!product.transposeA && !has(maps[0], m, k)) ||
      (!product.transposeB && !has(maps[1], k, n)) || !has(maps[2], m, n))
    return std::nullopt;
  return product;
}

class Raiser {
public:
  explicit Raiser(linalg::LinalgOp op) : op(op), builder(op) {}

  bool run() {
    if (std::optional<Product> product = matchProduct(op)) {
      auto flag = [&](bool set) {
        return set ? builder.getUnitAttr() : UnitAttr();
      };
      finish(mark(MatmulOp::create(
          builder, op.getLoc(), op->getResult(0).getType(), op->getOperand(0),
          op->getOperand(1), flag(product->transposeA),
          flag(product->transposeB), DenseI64ArrayAttr())));
      return true;
    }
    if (!llvm::all_of(op->getOperandTypes(), isF32))
      return false;
    if (auto conv = dyn_cast<linalg::Conv2DNchwFchwOp>(op.getOperation()))
      return raiseConvolution(conv, /*channelsLast=*/false);
    if (auto conv = dyn_cast<linalg::Conv2DNhwcHwcfOp>(op.getOperation()))
      return raiseConvolution(conv, /*channelsLast=*/true);
    return false;
  }

private:
  linalg::LinalgOp op;
  OpBuilder builder;

  template <typename Op>
  Value mark(Op created) {
    if (Attribute slot = op->getAttr(SoapDialect::kSlot))
      created->setAttr(SoapDialect::kSlot, slot);
    return created->getResult(0);
  }

  static SmallVector<int64_t> permuted(Value value, ArrayRef<int64_t> order) {
    SmallVector<int64_t> shape;
    for (int64_t dim : order)
      shape.push_back(cast<RankedTensorType>(value.getType()).getDimSize(dim));
    return shape;
  }
  Value transpose(Value value, ArrayRef<int64_t> order) {
    auto type =
        RankedTensorType::get(permuted(value, order), builder.getF32Type());
    return mark(TransposeOp::create(builder, op.getLoc(), type, value, order));
  }

  /// An accumulator that is not 0 at the beginning is added at the end.
  void finish(Value product) {
    Value init = op.getDpsInits()[0];
    if (!isZero(init))
      product = mark(AddOp::create(builder, op.getLoc(), product.getType(),
                                   product, init));
    op->getResult(0).replaceAllUsesWith(product);
    op->erase();
  }

  template <typename Conv>
  bool raiseConvolution(Conv conv, bool channelsLast) {
    auto numbers = [](DenseIntElementsAttr attribute) {
      return llvm::to_vector(attribute.getValues<int64_t>());
    };
    SmallVector<int64_t> strides = numbers(conv.getStrides()),
                         dilations = numbers(conv.getDilations());
    Value x = op->getOperand(0), w = op->getOperand(1);
    constexpr int64_t toFirst[] = {0, 3, 1, 2}, toLast[] = {0, 2, 3, 1},
                      weights[] = {3, 2, 0, 1}, same[] = {0, 1, 2, 3};
    ArrayRef<int64_t> first = channelsLast ? toFirst : same;
    SmallVector<int64_t> image = permuted(x, first),
                         kernel = permuted(w, channelsLast ? weights : same),
                         result = permuted(op->getResult(0), first);
    // Rows that no window reaches are no error in linalg.
    for (unsigned i : {0, 1}) {
      int64_t span = (kernel[2 + i] - 1) * dilations[i] + 1;
      if ((image[2 + i] - span) / strides[i] + 1 != result[2 + i])
        return false;
    }
    if (channelsLast) {
      x = transpose(x, toFirst);
      w = transpose(w, weights);
    }
    int64_t zeros[] = {0, 0, 0, 0};
    Value y = mark(
        Conv2DOp::create(builder, op.getLoc(),
                         RankedTensorType::get(result, builder.getF32Type()), x,
                         w, strides, zeros, dilations, /*groups=*/1));
    finish(channelsLast ? transpose(y, toLast) : y);
    return true;
  }
};

} // namespace

void mlir::soap::raiseProducts(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      (void)Raiser(structured).run();
}
