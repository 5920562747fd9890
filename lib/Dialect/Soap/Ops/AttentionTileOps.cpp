//===- AttentionTileOps.cpp - Verifiers of tiles of attention -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands and results fit the shape of the products of a tile.
//
//===----------------------------------------------------------------------===//

#include "AttentionMask.h"
#include "Dialect/Soap/OpSyntax.h"

#include "Soap/Dialect/Soap/SoapAttentionTiles.h"

using namespace mlir;
using namespace mlir::soap;

#define GET_OP_CLASSES
#include "Soap/Dialect/Soap/SoapAttentionTiles.cpp.inc"

void mlir::soap::registerAttentionTileOps(SoapDialect *dialect) {
  RegisteredOperationName::insert<AttentionWeightsOp>(*dialect);
  RegisteredOperationName::insert<AttentionWeightsGradOp>(*dialect);
}

/// Types of all values, the shape of the products, and the mask.
template <typename Op>
static LogicalResult checkTile(Op op) {
  auto emitError = [&] { return op.emitOpError(); };
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                llvm::to_vector(op->getResultTypes())))
    if (failed(checkTensorType(emitError, type)))
      return failure();
  if (failed(checkRank(emitError, "products", op.getProducts(), 4)))
    return failure();
  return checkAttentionMask(emitError, op, shapeOf(op.getProducts()));
}

/// `value` has the element type of the products, and their shape without the
/// last `dropped` dims.
template <typename Op>
static LogicalResult checkLike(Op op, StringRef what, Value value,
                               size_t dropped) {
  RankedTensorType expected = tensorLike(
      op.getProducts(), shapeOf(op.getProducts()).drop_back(dropped));
  if (value.getType() == expected)
    return success();
  return op.emitOpError() << "expected " << what << " of type " << expected
                          << ", got " << value.getType();
}

template <typename Op>
static LogicalResult checkResult(Op op, StringRef what, Value value) {
  return checkShape([&] { return op.emitOpError(); }, what, value.getType(),
                    shapeOf(op.getProducts()));
}

LogicalResult AttentionWeightsOp::verify() {
  return failure(failed(checkTile(*this)) ||
                 failed(checkResult(*this, "weights", getWeights())) ||
                 failed(checkLike(*this, "lse", getLse(), 1)));
}

LogicalResult AttentionWeightsGradOp::verify() {
  return failure(
      failed(checkTile(*this)) ||
      failed(checkLike(*this, "dweights", getDweights(), 0)) ||
      failed(checkLike(*this, "lse", getLse(), 1)) ||
      failed(checkLike(*this, "excess", getExcess(), 1)) ||
      failed(checkResult(*this, "weights", getWeights())) ||
      failed(checkResult(*this, "dproducts", getDproducts())) ||
      (getDscores() && failed(checkLike(*this, "dscores", getDscores(), 0))));
}
