//===- Finish.cpp - What an import does with the whole function ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes ops, fuses elementwise ones, removes unused ones, gives booleans a
// byte.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Soap/Dialect/Soap/FixedAttribute.h"
#include "Soap/Extensions/RecognizeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::stablehlo_import;
namespace shlo = mlir::soap::stablehlo_import;

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

/// A point costs a few operations of arith.
static bool isCheap(linalg::LinalgOp op) {
  unsigned count = 0;
  constexpr unsigned few = 3;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (isa<arith::ConstantOp, linalg::IndexOp>(inner))
      continue;
    if (!isa<arith::ArithDialect>(inner.getDialect()) ||
        isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>(inner) ||
        ++count > few)
      return false;
  }
  return true;
}

/// Products and windows stay as they are: the library computes them, and a
/// producer would be computed for each use of an element.
static bool mayTake(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  if (!consumer || !producer || !producer->hasOneUse() ||
      consumer->hasAttr(kFixed) || producer->hasAttr(kFixed))
    return false;
  if (consumer.getNumReductionLoops() > 0 &&
      (linalg::isaContractionOpInterface(consumer) ||
       !llvm::all_of(consumer.getIndexingMapsArray(), [](AffineMap own) {
         return own.isProjectedPermutation(/*allowZeroInResults=*/true);
       })))
    return false;
  // Each element is computed once.
  SmallVector<int64_t> loops = consumer.getStaticLoopRanges();
  int64_t points = 1, elements = 1;
  for (int64_t extent : loops)
    points *= extent;
  for (int64_t extent :
       cast<RankedTensorType>(operand->get().getType()).getShape())
    elements *= extent;
  return points <= elements || isCheap(producer);
}

static void fuseElementwise(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  RewritePatternSet patterns(context);
  linalg::populateElementwiseOpsFusionPatterns(patterns, mayTake);
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal(true);
  (void)applyPatternsGreedily(function, std::move(patterns), config);
}

static void removeUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

//===----------------------------------------------------------------------===//
// Booleans
//===----------------------------------------------------------------------===//

static bool isBoolean(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isInteger(1);
}

static Type byteType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(),
                               IntegerType::get(type.getContext(), 8));
}

static void useBytes(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(body);
  Location loc = op.getLoc();
  for (BlockArgument argument : body->getArguments()) {
    if (!argument.getType().isInteger(1) ||
        !isa<RankedTensorType>(
            op->getOperand(argument.getArgNumber()).getType()))
      continue;
    argument.setType(builder.getI8Type());
    if (argument.use_empty())
      continue;
    auto narrow =
        arith::TruncIOp::create(builder, loc, builder.getI1Type(), argument);
    argument.replaceAllUsesExcept(narrow, narrow);
  }
  // Elements of booleans that the body reads at places of its own.
  op->walk([&](tensor::ExtractOp extract) {
    if (!extract.getType().isInteger(1))
      return;
    builder.setInsertionPointAfter(extract);
    extract.getResult().setType(builder.getI8Type());
    auto narrow = arith::TruncIOp::create(builder, loc, builder.getI1Type(),
                                          extract.getResult());
    extract.getResult().replaceAllUsesExcept(narrow, narrow);
  });
  Operation *yield = body->getTerminator();
  builder.setInsertionPoint(yield);
  for (OpOperand &operand : yield->getOpOperands())
    if (operand.get().getType().isInteger(1))
      operand.set(arith::ExtUIOp::create(builder, loc, builder.getI8Type(),
                                         operand.get()));
}

/// Tensors of i1 have no layout in memory that all parts of Soap agree on: a
/// byte of 0 or 1 holds each element.
static void giveBooleansBytes(func::FuncOp function) {
  Block &block = function.getBody().front();
  for (Operation &op : block) {
    if (auto structured = dyn_cast<linalg::GenericOp>(op)) {
      useBytes(structured);
    } else if (auto fill = dyn_cast<linalg::FillOp>(op)) {
      if (isBoolean(fill->getResult(0).getType())) {
        OpBuilder builder(fill);
        fill->setOperand(0, arith::ExtUIOp::create(builder, fill.getLoc(),
                                                   builder.getI8Type(),
                                                   fill->getOperand(0)));
        Block *body = fill.getBlock();
        for (BlockArgument argument : body->getArguments())
          argument.setType(builder.getI8Type());
      }
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
          elements && isBoolean(elements.getType())) {
        auto i8 = IntegerType::get(op.getContext(), 8);
        constant.setValueAttr(cast<TypedAttr>(Attribute(elements.mapValues(
            i8, [](const APInt &value) { return value.zext(8); }))));
      }
    } else if (auto pad = dyn_cast<tensor::PadOp>(op)) {
      if (isBoolean(pad.getType())) {
        Operation *yield = pad.getBody()->getTerminator();
        OpBuilder builder(yield);
        yield->setOperand(0, arith::ExtUIOp::create(builder, pad.getLoc(),
                                                    builder.getI8Type(),
                                                    yield->getOperand(0)));
      }
    }
    for (Value result : op.getResults())
      if (isBoolean(result.getType()))
        result.setType(byteType(result.getType()));
  }
  for (BlockArgument argument : block.getArguments())
    if (isBoolean(argument.getType()))
      argument.setType(byteType(argument.getType()));
  function.setFunctionType(
      FunctionType::get(function.getContext(), block.getArgumentTypes(),
                        block.getTerminator()->getOperandTypes()));
}

LogicalResult shlo::finish(func::FuncOp function,
                           const StableHLOImportOptions &options) {
  Block &block = function.getBody().front();
  removeUnused(block);
  if (options.recognize)
    if (RecognizedOps found = recognizeOps(function); found.count())
      function.emitRemark() << "recognized " << found.text();
  if (options.fuse)
    fuseElementwise(function);
  placeProducers(function);
  removeUnused(block);
  giveBooleansBytes(function);
  return success();
}
