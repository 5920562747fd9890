//===- FuseSwiGLU.cpp - Gated swish as one op -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FuseSwiGLU.h.
//
//===----------------------------------------------------------------------===//

#include "FuseSwiGLU.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

struct Swish {
  Value gate;
  llvm::APFloat beta{1.0};
  SmallVector<Operation *, 3> ops; ///< readers before what they read
};

} // namespace

/// The op of a value that no other op reads; none: it is another op.
template <typename OpTy>
static OpTy onlyReadHere(Value value) {
  return value.hasOneUse() ? value.getDefiningOp<OpTy>() : OpTy();
}

/// `factor` as sigmoid(beta * gate).
static std::optional<Swish> matchSwish(MulOp product, Value gate,
                                       Value factor) {
  auto share = onlyReadHere<SigmoidOp>(factor);
  if (!share || product.getX().getType() != product.getY().getType())
    return std::nullopt;
  Swish swish{gate, llvm::APFloat(1.0), {product, share}};
  if (share.getX() == gate)
    return swish;
  auto scale = onlyReadHere<ScaleOp>(share.getX());
  if (!scale || scale.getX() != gate)
    return std::nullopt;
  swish.beta = scale.getFactor();
  swish.ops.push_back(scale);
  return swish;
}

static std::optional<Swish> matchSwish(Value value) {
  auto product = onlyReadHere<MulOp>(value);
  if (!product)
    return std::nullopt;
  if (auto swish = matchSwish(product, product.getX(), product.getY()))
    return swish;
  return matchSwish(product, product.getY(), product.getX());
}

void mlir::soap::fuseSwiGLU(Block &block) {
  // Operands come before their product, so no later one is erased.
  for (MulOp product : llvm::to_vector(block.getOps<MulOp>())) {
    if (product.getX().getType() != product.getY().getType())
      continue;
    for (auto [inner, up] : {std::pair(product.getX(), product.getY()),
                             std::pair(product.getY(), product.getX())}) {
      std::optional<Swish> swish = matchSwish(inner);
      if (!swish)
        continue;
      OpBuilder builder(product);
      auto fused =
          SwiGLUOp::create(builder, product.getLoc(), product.getType(),
                           swish->gate, up, swish->beta);
      fused->setDiscardableAttrs(product->getDiscardableAttrDictionary());
      product.replaceAllUsesWith(fused.getY());
      product.erase();
      for (Operation *op : swish->ops)
        op->erase();
      break;
    }
  }
}
