//===- Totals.cpp - Sums of sums over samples -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Totals.h.
//
//===----------------------------------------------------------------------===//

#include "Totals.h"

#include "Soap/Analysis/SampleMixing.h"
#include "Soap/Dialect/Soap/FixedAttribute.h"
#include "Soap/Dialect/Soap/Ops/ForeignOps.h"
#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Dialect/Soap/SumAttribute.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

/// A value that a chain of additions reads. The map is from the dims of the sum
/// to its dims.
struct Leaf {
  Value value;
  AffineMap map;
};

constexpr unsigned narrowBits = 16;

Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }
bool isNarrow(Type element) {
  return isa<FloatType>(element) &&
         element.getIntOrFloatBitWidth() == narrowBits;
}

/// An op of one result, the elements of its operands at permutations; the op of
/// its body, and nothing else in it. Null: it is none.
template <typename Inner>
Inner onlyOp(linalg::GenericOp op) {
  if (!op || op.getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      op->hasAttr(kFixed))
    return {};
  Block *body = op.getBlock();
  auto inner = dyn_cast<Inner>(body->front());
  if (!inner || &body->back() != inner->getNextNode() ||
      body->back().getOperand(0) != inner->getResult(0) ||
      inner->getNumOperands() != op.getNumDpsInputs() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return {};
  llvm::SmallDenseSet<Value> read(inner->operand_begin(), inner->operand_end());
  for (OpOperand *operand : op.getDpsInputOperands())
    if (!read.contains(body->getArgument(operand->getOperandNumber())) ||
        !op.getMatchingIndexingMap(operand).isPermutation())
      return {};
  return inner;
}

class Totals {
public:
  explicit Totals(func::FuncOp function)
      : block(function.getBody().front()), builder(function.getContext()),
        mixing(findSampleMixing(function)) {}

  int run() {
    widenProducts();
    find();
    int count = 0;
    SmallVector<linalg::GenericOp> additions;
    for (auto op : block.getOps<linalg::GenericOp>())
      if (onlyOp<arith::AddFOp>(op))
        additions.push_back(op);
    // The last addition of a chain comes first.
    for (linalg::GenericOp op : llvm::reverse(additions))
      if (!inChain.contains(op) && replace(op))
        ++count;
    return count;
  }

private:
  Block &block;
  OpBuilder builder;
  SampleMixing mixing;
  llvm::DenseSet<Value> totals;
  /// Additions whose sum is a part of another one.
  llvm::DenseSet<Operation *> inChain;

  /// Sums of 16-bit products over samples are f32, as devices add up parts of
  /// them; they are rounded behind.
  void widenProducts() {
    for (Operation *op : mixing.totals) {
      if (!mayHaveSumType(op) || !isNarrow(elementOf(op->getResult(0))) ||
          op->hasAttr(kFixed))
        continue;
      Value sum = op->getResult(0);
      auto narrow = cast<RankedTensorType>(sum.getType());
      op->setAttr(kSumType, TypeAttr::get(builder.getF32Type()));
      sum.setType(narrow.clone(Type(builder.getF32Type())));
      builder.setInsertionPointAfter(op);
      auto rounded =
          CastOp::create(builder, op->getLoc(), sum, narrow.getElementType());
      sum.replaceAllUsesExcept(rounded.getY(), rounded);
    }
  }

  /// Where a value is rounded that has been summed in f32, that value.
  static OpOperand *roundedBy(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !isNarrow(elementOf(value)))
      return nullptr;
    OpOperand *from = nullptr;
    if (isa<CastOp>(op))
      from = &op->getOpOperand(0);
    else if (auto generic = dyn_cast<linalg::GenericOp>(op);
             onlyOp<arith::TruncFOp>(generic))
      from = generic.getDpsInputOperand(0);
    return from && elementOf(from->get()).isF32() ? from : nullptr;
  }

  /// Where a value has been extended from 16 bits to f32, that value.
  static OpOperand *extendedBy(Value value) {
    auto op = value.getDefiningOp<linalg::GenericOp>();
    if (!op || !elementOf(value).isF32() || !onlyOp<arith::ExtFOp>(op))
      return nullptr;
    return op.getDpsInputOperand(0);
  }

  /// Where an op only moves elements, or adds 0 to them as the first step of a
  /// scan does, what it reads.
  static OpOperand *movedBy(Value value) {
    auto op = value.getDefiningOp<linalg::GenericOp>();
    if (!op || op.getNumResults() != 1 || op.getNumDpsInputs() != 1 ||
        op.getNumReductionLoops() != 0 || op->hasAttr(kFixed) ||
        !op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isPermutation() ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
      return nullptr;
    Block *body = op.getBlock();
    Value element = body->getArgument(0),
          result = body->getTerminator()->getOperand(0);
    auto sum = result.getDefiningOp<arith::AddFOp>();
    if (sum && sum.getLhs() == element &&
        matchPattern(sum.getRhs(), m_AnyZeroFloat()))
      result = sum.getLhs();
    return result == element ? op.getDpsInputOperand(0) : nullptr;
  }

  void find() {
    llvm::DenseSet<Operation *> sums(mixing.totals.begin(),
                                     mixing.totals.end());
    for (Operation &op : block) {
      if (!isModelOp(&op) || op.hasAttr(kFixed))
        continue;
      auto isTotal = [&](OpOperand *operand) {
        return totals.contains(operand->get());
      };
      bool isSum = sums.contains(&op);
      if (!isSum && llvm::any_of(readOperands(&op), isTotal))
        isSum =
            cast<IterationSpaceOpInterface>(op).getIterationSpace().linear ||
            onlyOp<arith::AddFOp>(dyn_cast<linalg::GenericOp>(op)) ||
            roundedBy(op.getResult(0)) || movedBy(op.getResult(0));
      if (isSum)
        totals.insert_range(op.getResults());
    }
  }

  void flatten(linalg::GenericOp op, AffineMap map, SmallVector<Leaf> &leaves) {
    arith::AddFOp addition = onlyOp<arith::AddFOp>(op);
    for (Value argument : addition->getOperands()) {
      unsigned number = cast<BlockArgument>(argument).getArgNumber();
      OpOperand &operand = op->getOpOperand(number);
      Leaf leaf{operand.get(),
                op.getMatchingIndexingMap(&operand).compose(map)};
      bool isOnlyRead = leaf.value.hasOneUse();
      auto lookThrough = [&](OpOperand *from) {
        if (auto generic = dyn_cast<linalg::GenericOp>(from->getOwner()))
          leaf.map = generic.getMatchingIndexingMap(from).compose(leaf.map);
        leaf.value = from->get();
        isOnlyRead &= leaf.value.hasOneUse();
      };
      while (OpOperand *from = movedBy(leaf.value))
        lookThrough(from);
      auto producer = leaf.value.getDefiningOp<linalg::GenericOp>();
      if (isOnlyRead && onlyOp<arith::AddFOp>(producer)) {
        inChain.insert(producer);
        flatten(producer, leaf.map, leaves);
        continue;
      }
      // A sum that was rounded and extended again is taken as it was.
      Leaf known = leaf;
      for (OpOperand *from = nullptr; (from = movedBy(leaf.value)) ||
                                      (from = extendedBy(leaf.value)) ||
                                      (from = roundedBy(leaf.value));) {
        lookThrough(from);
        if (elementOf(leaf.value).isF32() && totals.contains(leaf.value))
          known = leaf;
      }
      leaves.push_back(known);
    }
  }

  /// `value` at `map`, in elements of another type where it has one.
  Value copy(Location loc, Value value, AffineMap map, Type element) {
    auto type = cast<RankedTensorType>(value.getType());
    Type own = type.getElementType();
    if (map.isIdentity() && own == element)
      return value;
    SmallVector<int64_t> shape(map.getNumDims());
    for (auto [dim, extent] : llvm::enumerate(type.getShape()))
      shape[map.getDimPosition(static_cast<unsigned>(dim))] = extent;
    Value empty = tensor::EmptyOp::create(builder, loc, shape, element);
    SmallVector<utils::IteratorType> loops(shape.size(),
                                           utils::IteratorType::parallel);
    SmallVector<AffineMap> maps = {
        map, builder.getMultiDimIdentityMap(map.getNumDims())};
    auto copied = linalg::GenericOp::create(
        builder, loc, empty.getType(), value, empty, maps, loops,
        [&](OpBuilder &inner, Location place, ValueRange scalars) {
          Value x = scalars[0];
          if (own.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
            x = arith::ExtFOp::create(inner, place, element, x);
          else if (own != element)
            x = arith::TruncFOp::create(inner, place, element, x);
          linalg::YieldOp::create(inner, place, x);
        });
    return copied.getResult(0);
  }

  bool replace(linalg::GenericOp root) {
    Value result = root.getResult(0);
    if (!totals.contains(result))
      return false;
    auto rank = static_cast<unsigned>(
        cast<RankedTensorType>(result.getType()).getRank());
    SmallVector<Leaf> leaves;
    flatten(root, builder.getMultiDimIdentityMap(rank), leaves);
    auto isTotal = [&](const Leaf &leaf) {
      return totals.contains(leaf.value);
    };
    if (llvm::count_if(leaves, isTotal) < 2)
      return false;
    Type element = elementOf(result);
    Type sumElement = isNarrow(element) ? builder.getF32Type() : element;
    builder.setInsertionPoint(root);
    Location loc = root.getLoc();
    // In the layout of the first sum: sums of one chain mostly have the same.
    AffineMap layout = llvm::find_if(leaves, isTotal)->map;
    SmallVector<Value> operands;
    for (const Leaf &leaf : leaves)
      operands.push_back(copy(loc, leaf.value,
                              leaf.map.compose(inversePermutation(layout)),
                              sumElement));
    auto sum =
        AccumulateOp::create(builder, loc, operands[0].getType(), operands);
    result.replaceAllUsesWith(copy(loc, sum.getSum(), layout, element));
    return true;
  }
};

} // namespace

int mlir::soap::recognize::accumulateTotals(func::FuncOp function) {
  return Totals(function).run();
}
