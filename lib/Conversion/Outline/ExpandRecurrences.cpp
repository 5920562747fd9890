//===- ExpandRecurrences.cpp - LSTMs as library products ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chunk becomes its stages, the steps; a step becomes a matmul and a cell.
//
//===----------------------------------------------------------------------===//

#include "ExpandRecurrences.h"

#include "Soap/Dialect/Soap/SoapOps.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Writes the ops that replace one op; each gets its slot.
class Expansion {
public:
  explicit Expansion(Operation *op) : builder(op), op(op) {}

  Value reshape(Value x, ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(x.getType()).clone(shape);
    return mark(ReshapeOp::create(builder, op->getLoc(), type, x));
  }
  Value matmul(Value a, Value b, bool transposeB) {
    return mark(MatmulOp::create(builder, op->getLoc(), a, b,
                                 /*transpose_a=*/false, transposeB,
                                 /*k_factors=*/DenseI64ArrayAttr()));
  }
  template <typename OpTy>
  OpTy mark(OpTy added) {
    if (Attribute slot = op->getAttr(SoapDialect::kSlot))
      added->setAttr(SoapDialect::kSlot, slot);
    return added;
  }

  OpBuilder builder;
  Operation *op;
};

} // namespace

/// z = x + h * r, then the cell.
static void expandStep(LstmStepOp op) {
  Expansion e(op);
  ArrayRef<int64_t> h = shapeOf(op.getH()), r = shapeOf(op.getR());
  Value product = e.matmul(e.reshape(op.getH(), {h[1], h[2]}),
                           e.reshape(op.getR(), {r[0] * r[1], r[2]}),
                           /*transposeB=*/true);
  auto cell = e.mark(LstmCellOp::create(
      e.builder, op.getLoc(), op.getNewH().getType(), op.getNewC().getType(),
      op.getGates().getType(), op.getX(),
      e.reshape(product, {h[1], r[0], r[1]}), op.getC(), op.getTAttr()));
  op->replaceAllUsesWith(cell->getResults());
  op->erase();
}

/// dh = dy + dz * r, then the cell.
static void expandStep(LstmStepGradOp op) {
  Expansion e(op);
  Value product;
  if (Value dz = op.getNextDz()) {
    ArrayRef<int64_t> gates = shapeOf(dz), r = shapeOf(op.getR());
    product = e.matmul(e.reshape(dz, {gates[1], gates[2] * gates[3]}),
                       e.reshape(op.getR(), {r[0] * r[1], r[2]}),
                       /*transposeB=*/false);
  }
  auto cell = e.mark(LstmCellGradOp::create(
      e.builder, op.getLoc(), op.getDz().getType(), op.getDc().getType(),
      op.getDy(), op.getGates(), op.getCells(), op.getPrevious(),
      op.getDcells(), product, op.getNextDc(), op.getTAttr(),
      op.getPreviousTAttr()));
  op->replaceAllUsesWith(cell->getResults());
  op->erase();
}

void mlir::soap::expandRecurrences(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isa<LstmOp, LstmGradOp>(op))
      continue;
    Operation *before = op.getPrevNode();
    OpBuilder builder(&op);
    FailureOr<SmallVector<Value>> values =
        cast<IterationSpaceOpInterface>(op).decomposeStages(builder);
    if (failed(values))
      continue;
    for (Operation *stage = before ? before->getNextNode() : &block.front();
         stage != &op; stage = stage->getNextNode())
      if (Attribute slot = op.getAttr(SoapDialect::kSlot))
        stage->setAttr(SoapDialect::kSlot, slot);
    op.replaceAllUsesWith(*values);
    op.erase();
  }
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto step = dyn_cast<LstmStepOp>(op))
      expandStep(step);
    else if (auto grad = dyn_cast<LstmStepGradOp>(op))
      expandStep(grad);
  }
}
