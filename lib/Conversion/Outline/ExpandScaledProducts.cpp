//===- ExpandScaledProducts.cpp - Products of 8-bit floats ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operand that several products read is converted once.
//
//===----------------------------------------------------------------------===//

#include "ExpandScaledProducts.h"

#include "Soap/Dialect/Soap/SoapQuantized.h"
#include "Soap/Dialect/Soap/SumAttribute.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

class Expansion {
public:
  explicit Expansion(Block &block)
      : block(block), builder(block.getParentOp()->getContext()) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (auto product = dyn_cast<MatmulScaledOp>(op))
        expand(product);
  }

private:
  Block &block;
  OpBuilder builder;
  /// By value and scales.
  llvm::DenseMap<std::pair<Value, Value>, Value> known;

  /// A task of the op that it stands for.
  template <typename OpTy>
  OpTy mark(OpTy made, Operation *op) {
    if (Attribute slot = op->getAttr(SoapDialect::kSlot))
      made->setAttr(SoapDialect::kSlot, slot);
    return made;
  }

  Value converted(Value value, Value scales, Operation *op) {
    Value &made = known[{value, scales}];
    if (!made)
      made = mark(
          DequantizeOp::create(builder, op->getLoc(),
                               typeOf(value).clone(Type(builder.getBF16Type())),
                               value, scales),
          op);
    return made;
  }

  void expand(MatmulScaledOp op) {
    builder.setInsertionPoint(op);
    bool hasBlocks = typeOf(op.getAScales()).getRank() > 0;
    Value a = converted(op.getA(), hasBlocks ? op.getAScales() : Value(), op),
          b = converted(op.getB(), hasBlocks ? op.getBScales() : Value(), op);
    Type f32 = builder.getF32Type(),
         element = typeOf(op.getY()).getElementType();
    // Of blocks, the sums are the result: in bf16 the product rounds them.
    bool rounds = hasBlocks && element.isBF16();
    auto product = MatmulOp::create(
        builder, op.getLoc(), typeOf(op.getY()).clone(rounds ? element : f32),
        a, b, op.getTransposeA(), op.getTransposeB(), op.getKFactorsAttr());
    if (!rounds)
      product->setAttr(kSumType, TypeAttr::get(f32));
    Value y = mark(product, op);
    if (!hasBlocks)
      y = mark(UnscaleOp::create(builder, op.getLoc(), op.getY().getType(), y,
                                 op.getAScales(), op.getBScales(),
                                 typeOf(op.getA()).getElementType(),
                                 typeOf(op.getB()).getElementType()),
               op);
    else if (y.getType() != op.getY().getType())
      y = mark(CastOp::create(builder, op.getLoc(), op.getY().getType(), y),
               op);
    op.getY().replaceAllUsesWith(y);
    op.erase();
  }
};

} // namespace

void mlir::soap::expandScaledProducts(Block &block) { Expansion(block).run(); }
