//===- NarrowProducts.cpp - Products of bf16 ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: rounds operands of convolutions, matmuls and attention to bf16. It
// works on programs, behind partitioning: a strategy, its tiles and messages
// are the same in all precisions.
//
//===----------------------------------------------------------------------===//

#include "../Outline/ExpandRecurrences.h"
#include "../Outline/ExpandScaledProducts.h"
#include "../Outline/Library.h"
#include "../Reference/Kernels.h"

#include "Soap/Analysis/SharedOps.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/PrecisionAttribute.h"
#include "Soap/Dialect/Soap/SoapQuantized.h"
#include "Soap/Dialect/Soap/SumAttribute.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPNARROWPRODUCTS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

bool isProduct(Operation *op) {
  return isa<Conv2DOp, Conv2DInputGradOp, Conv2DWeightGradOp, MatmulOp>(op);
}

/// An op whose products read what is rounded.
bool multiplies(Operation *op) {
  return isProduct(op) ||
         isa<AttentionOp, AttentionPartialOp, AttentionGradOp>(op);
}
/// How many operands of `multiplies` that are: all of a product; of an
/// attention q, k and v, of its gradient dout and out, too.
size_t factorsOf(Operation *op) {
  return isProduct(op)              ? op->getNumOperands()
         : isa<AttentionGradOp>(op) ? 5
                                    : 3;
}

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

class Narrowing {
public:
  explicit Narrowing(Block &block) : block(block), builder(block.getParent()) {}

  void run() {
    SmallVector<Operation *> products;
    for (Operation &op : block)
      if (multiplies(&op) && isF32(op.getResult(0)) && isF32(op.getOperand(0)))
        products.push_back(&op);
    for (Operation *op : products)
      for (OpOperand &operand : op->getOpOperands().take_front(factorsOf(op)))
        if (isF32(operand.get()))
          roundOperand(operand);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (moved.contains(&op) && op.use_empty())
        op.erase();
    for (Operation *op : products)
      if (isProduct(op) && !isa<MatmulOp>(op))
        roundResult(op);
    for (Operation &op : llvm::make_early_inc_range(block))
      if (auto grad = dyn_cast<ReluGradOp>(op))
        readRounded(grad);
  }

private:
  Block &block;
  OpBuilder builder;
  /// The rounded value of each value.
  llvm::DenseMap<Value, Value> narrow;
  /// Ops of f32 whose place others may have taken.
  llvm::DenseSet<Operation *> moved;

  static bool isF32(Value value) {
    return typeOf(value).getElementType().isF32();
  }

  template <typename OpTy>
  OpTy like(Operation *task, OpTy made) {
    if (Attribute slot = task->getAttr(SoapDialect::kSlot))
      made->setAttr(SoapDialect::kSlot, slot);
    return made;
  }

  Value castTo(Value value, Type element, Operation *task) {
    return like(task, CastOp::create(builder, value.getLoc(),
                                     typeOf(value).clone(element), value));
  }

  /// `value` in bf16, made at its definition where that is a kernel that can
  /// write it, else before `user`, the first of its readers.
  Value narrowed(Value value, Operation *user) {
    if (Value known = narrow.lookup(value))
      return known;
    Operation *definition = value.getDefiningOp();
    OpBuilder::InsertionGuard guard(builder);
    if (definition && movesOnly(definition)) {
      moved.insert(definition);
      Value source = narrowed(definition->getOperand(0), definition);
      Operation *after = definition;
      if (Operation *maker = source.getDefiningOp();
          maker && definition->isBeforeInBlock(maker))
        after = maker;
      Operation *copy = definition->clone();
      copy->setDiscardableAttrs(ArrayRef<NamedAttribute>());
      builder.setInsertionPointAfter(after);
      builder.insert(like(definition, copy));
      copy->setOperand(0, source);
      copy->getResult(0).setType(
          typeOf(value).clone(Type(builder.getBF16Type())));
      return narrow[value] = copy->getResult(0);
    }
    Operation *task = user;
    builder.setInsertionPoint(user);
    if (definition && (isElementwise(definition) || multiplies(definition))) {
      task = definition;
      builder.setInsertionPointAfter(definition);
    }
    return narrow[value] = castTo(value, builder.getBF16Type(), task);
  }

  /// Reshapes are free; transposes are worth it if no one else reads them.
  static bool movesOnly(Operation *op) {
    if (isa<ReshapeOp>(op))
      return true;
    return isa<TransposeOp>(op) && llvm::all_of(op->getUsers(), multiplies);
  }

  void roundOperand(OpOperand &operand) {
    Operation *user = operand.getOwner();
    Value rounded = narrowed(operand.get(), user);
    builder.setInsertionPoint(user);
    operand.set(castTo(rounded, builder.getF32Type(), user));
  }

  /// cuDNN's results have the type of its operands.
  void roundResult(Operation *op) {
    Value result = op->getResult(0);
    Value rounded = narrow.lookup(result);
    builder.setInsertionPointAfter(op);
    if (!rounded) {
      rounded = castTo(result, builder.getBF16Type(), op);
      builder.setInsertionPointAfterValue(rounded);
    } else {
      builder.setInsertionPointAfter(rounded.getDefiningOp());
    }
    // Made right behind the op in both cases: before all other readers.
    Value wide = castTo(rounded, builder.getF32Type(), op);
    result.replaceAllUsesExcept(wide, rounded.getDefiningOp());
    if (wide.use_empty())
      wide.getDefiningOp()->erase();
  }

  /// relu_grad asks only whether y is above 0, which rounding keeps.
  void readRounded(ReluGradOp op) {
    Value y = op.getY(), rounded = narrow.lookup(y);
    if (!rounded || !rounded.getDefiningOp<CastOp>() ||
        !rounded.getDefiningOp()->isBeforeInBlock(op) ||
        !y.getDefiningOp<ReluOp>())
      return;
    builder.setInsertionPoint(op);
    Value wide = castTo(rounded, builder.getF32Type(), op);
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == y)
        operand.set(wide);
  }
};

/// Products of 16-bit floats as products of f32 between conversions, for
/// which libraries have kernels; a library that reads bf16 finds it behind the
/// conversions. So are the ops whose kernels add to their result in memory.
class Widening {
public:
  /// Of `library`: products that it computes as they are stay.
  Widening(Block &block, LibraryOptions library)
      : block(block), builder(block.getParent()), library(library) {}

  void run() {
    SmallVector<Operation *> ops;
    for (auto conv :
         llvm::make_early_inc_range(block.getOps<Conv2DWeightGradOp>()))
      roundResult(conv);
    for (Operation &op : block)
      if ((isProduct(&op) ||
           isa<GatherGradOp, MaxPool2DGradOp, AvgPool2DGradOp>(&op)) &&
          isNarrow(op.getOperand(0)) && !libraryFunctionOf(&op, library))
        ops.push_back(&op);
    for (Operation *op : ops)
      widen(op);
  }

private:
  static bool isNarrow(Value value) {
    auto element = dyn_cast<FloatType>(typeOf(value).getElementType());
    return element && element.getWidth() < 32;
  }

  void widen(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isNarrow(operand.get()))
        continue;
      Value &known = wide[operand.get()];
      if (!known) {
        builder.setInsertionPoint(op);
        known = castTo(operand.get(), builder.getF32Type(), op);
      }
      operand.set(known);
    }
    if (op->removeAttr(kSumType))
      return; // The sum stays as it is.
    Value result = op->getResult(0);
    RankedTensorType type = typeOf(result);
    result.setType(type.clone(Type(builder.getF32Type())));
    builder.setInsertionPointAfter(op);
    Value rounded = castTo(result, type.getElementType(), op);
    result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
  }

  /// Convolutions of bf16 write bf16, as libraries do: a sum in f32 is that of
  /// rounded parts.
  void roundResult(Conv2DWeightGradOp conv) {
    Type element = typeOf(conv.getX()).getElementType();
    if (!conv->hasAttr(kSumType) || !element.isBF16())
      return;
    conv->removeAttr(kSumType);
    Value result = conv.getDw();
    RankedTensorType type = typeOf(result);
    result.setType(type.clone(element));
    builder.setInsertionPointAfter(conv);
    Value sum = castTo(result, type.getElementType(), conv);
    result.replaceAllUsesExcept(sum, sum.getDefiningOp());
  }

  Value castTo(Value value, Type element, Operation *task) {
    auto cast = CastOp::create(builder, value.getLoc(),
                               typeOf(value).clone(element), value);
    if (Attribute slot = task->getAttr(SoapDialect::kSlot))
      cast->setAttr(SoapDialect::kSlot, slot);
    return cast;
  }

  Block &block;
  OpBuilder builder;
  LibraryOptions library;
  /// The f32 of each narrow value.
  llvm::DenseMap<Value, Value> wide;
};

LogicalResult refuseScaledProducts(Block &block) {
  for (auto product : block.getOps<MatmulScaledOp>())
    return product.emitError()
           << "'soap.matmul_scaled' of "
           << typeOf(product.getA()).getElementType()
           << " has no lowering to GPUs, expected '--soap-lower-to-cpu', or a "
              "training step of 'precision=bf16'";
  return success();
}

struct NarrowProductsPass
    : public mlir::soap::impl::SoapNarrowProductsBase<NarrowProductsPass> {
  using SoapNarrowProductsBase::SoapNarrowProductsBase;

  void runOnOperation() override {
    if (failed(inlineSharedOps(getOperation())))
      return signalPassFailure();
    auto resolved = resolvePrecision(getOperation(), precision);
    if (!resolved)
      return signalPassFailure();
    bool narrows = *resolved == ::soap::ProductPrecision::BF16;
    LibraryOptions options;
    options.library = keepNarrow ? Library::OneDnn : Library::None;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !function.getBody().hasOneBlock())
        continue;
      Block &block = function.getBody().front();
      if (recurrences || narrows)
        expandRecurrences(block);
      if (!scaledProducts && failed(refuseScaledProducts(block)))
        return signalPassFailure();
      expandScaledProducts(block);
      Widening(block, options).run();
      if (!narrows)
        continue;
      Narrowing(block).run();
    }
  }
};

} // namespace
