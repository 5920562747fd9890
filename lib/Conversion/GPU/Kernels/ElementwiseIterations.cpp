//===- ElementwiseIterations.cpp - Iterations that touch their own element ===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ElementwiseIterations.h.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseIterations.h"

#include "Conversion/Parallelize/IndependentLoops.h"
#include "JoinedIterations.h"
#include "TransposedIterations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cassert>
#include <map>

using namespace mlir;
using namespace mlir::soap;

std::optional<Digits> mlir::soap::digitsOf(Value value, Value iteration) {
  if (value == iteration)
    return Digits{{{1, 0}, 1}};
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant == 0 ? std::optional<Digits>(Digits()) : std::nullopt;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return std::nullopt;
  auto left = digitsOf(op->getOperand(0), iteration);
  if (!left)
    return std::nullopt;
  if (isa<arith::AddIOp>(op)) {
    auto right = digitsOf(op->getOperand(1), iteration);
    if (!right)
      return std::nullopt;
    for (auto [digit, factor] : *right)
      (*left)[digit] += factor;
    return left;
  }
  std::optional<int64_t> number = getConstantIntValue(op->getOperand(1));
  if (!number || *number <= 0)
    return std::nullopt;
  if (isa<arith::MulIOp>(op)) {
    for (auto &[digit, factor] : *left)
      factor *= *number;
    return left;
  }
  // Digits are cut of what is one digit without a modulus.
  if (left->size() != 1 || left->begin()->second != 1 ||
      left->begin()->first.second != 0)
    return std::nullopt;
  int64_t divisor = left->begin()->first.first;
  if (isa<arith::DivUIOp>(op))
    return Digits{{{divisor * *number, 0}, 1}};
  if (isa<arith::RemUIOp>(op))
    return Digits{{{divisor, *number}, 1}};
  return std::nullopt;
}

namespace {

/// The digits, each at its place, make the iteration, which is below `extent`.
bool isIteration(const Digits &digits, int64_t extent) {
  int64_t place = 1;
  bool complete = false;
  for (auto [digit, factor] : digits) {
    if (factor == 0)
      continue;
    auto [divisor, modulus] = digit;
    if (complete || divisor != place || factor != place)
      return false;
    complete = modulus == 0;
    place *= modulus;
  }
  return complete || place == extent;
}

} // namespace

std::optional<Digits> mlir::soap::addressOf(MemRefType type, ValueRange indices,
                                            Value iteration) {
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return std::nullopt;
  Digits sum;
  int64_t stride = 1;
  for (size_t dim = indices.size(); dim-- > 0;) {
    auto digits = digitsOf(indices[dim], iteration);
    if (!digits)
      return std::nullopt;
    for (auto [digit, factor] : *digits)
      sum[digit] += factor * stride;
    stride *= type.getDimSize(static_cast<unsigned>(dim));
  }
  std::erase_if(sum, [](const auto &digit) { return digit.second == 0; });
  return sum;
}

bool mlir::soap::isOwnElement(MemRefType type, ValueRange indices,
                              Value iteration, int64_t extent) {
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      type.getNumElements() != extent ||
      !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0)
    return false;
  std::optional<Digits> address = addressOf(type, indices, iteration);
  return address && isIteration(*address, extent);
}

namespace {

/// An address as a sum of numbers that run from 0 independently of each other,
/// each times a factor.
class MixedRadix {
public:
  MixedRadix(Value iteration, int64_t extent)
      : iteration(iteration), extent(extent) {}

  /// False: it is no such sum.
  bool add(Value value, int64_t factor) {
    if (getConstantIntValue(value) == 0)
      return true;
    if (auto loop = dyn_cast_or_null<scf::ForOp>(
            isa<BlockArgument>(value)
                ? cast<BlockArgument>(value).getOwner()->getParentOp()
                : nullptr);
        loop && value == loop.getInductionVar() && value != iteration) {
      std::optional<int64_t> trips = tripCountOf(loop);
      if (trips)
        places[value] = {places[value].first + factor, *trips};
      return trips.has_value();
    }
    if (auto digits = digitsOf(value, iteration)) {
      for (auto [digit, times] : *digits)
        factors[digit] += times * factor;
      return true;
    }
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::AddIOp>(op))
      return add(op->getOperand(0), factor) && add(op->getOperand(1), factor);
    if (isa_and_nonnull<arith::MulIOp>(op))
      if (auto times = getConstantIntValue(op->getOperand(1)))
        return add(op->getOperand(0), factor * *times);
    return false;
  }

  /// Whether it takes every value below `count`.
  bool isComplete(int64_t count) const {
    std::map<int64_t, int64_t> extents; ///< by factor
    for (const auto &[value, place] : places)
      if (place.second != 1 && !extents.insert(place).second)
        return false;
    int64_t next = 1;
    for (auto [digit, factor] : factors) {
      auto [divisor, modulus] = digit;
      // Digits that overlap do not run independently.
      if (divisor < next || divisor % next != 0 || extent % divisor != 0)
        return false;
      int64_t own = modulus ? modulus : extent / divisor;
      if (own <= 0 || extent / divisor % own != 0)
        return false;
      next = divisor * own;
      if (own != 1 && !extents.insert({factor, own}).second)
        return false;
    }
    int64_t place = 1;
    for (auto [factor, own] : extents) {
      if (factor != place)
        return false;
      place *= own;
    }
    return place == count;
  }

private:
  Value iteration;
  int64_t extent;
  Digits factors;
  /// Factor and extent of each variable of a loop.
  llvm::DenseMap<Value, std::pair<int64_t, int64_t>> places;
};

} // namespace

bool mlir::soap::loadsAll(memref::LoadOp load, Value iteration,
                          int64_t extent) {
  MemRefType type = load.getMemRefType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return false;
  MixedRadix address(iteration, extent);
  int64_t stride = 1;
  for (size_t dim = type.getRank(); dim-- > 0;) {
    if (!address.add(load.getIndices()[dim], stride))
      return false;
    stride *= type.getDimSize(static_cast<unsigned>(dim));
  }
  return address.isComplete(type.getNumElements());
}

/// The choice between the launches below and from some iteration on that all of
/// `block` is; null if it is something else.
static scf::IfOp choiceIn(Block &block, Value iteration, int64_t &bound) {
  scf::IfOp found;
  for (Operation &op : block.without_terminator()) {
    if (auto choice = dyn_cast<scf::IfOp>(op)) {
      if (found)
        return nullptr;
      found = choice;
    } else if (!isMemoryEffectFree(&op) || op.getNumRegions() != 0) {
      return nullptr;
    }
  }
  if (!found || found->getNumResults() != 0 || !found.elseBlock())
    return nullptr;
  auto compare = found.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult ||
      compare.getLhs() != iteration)
    return nullptr;
  std::optional<int64_t> constant = getConstantIntValue(compare.getRhs());
  if (!constant)
    return nullptr;
  bound = *constant;
  return found;
}

/// The number within the launch: `iteration` - `first`, which `block` computes.
static Value ownIteration(Block &block, Value iteration, int64_t first) {
  if (first == 0)
    return iteration;
  Value found;
  for (Operation *user : iteration.getUsers())
    if (auto minus = dyn_cast<arith::SubIOp>(user);
        minus && minus->getBlock() == &block && minus.getLhs() == iteration &&
        getConstantIntValue(minus.getRhs()) == first)
      found = minus;
  return found;
}

static bool collect(Block &block, Value iteration, int64_t first, int64_t end,
                    SmallVector<Iterations> &found) {
  int64_t bound = 0;
  scf::IfOp choice = choiceIn(block, iteration, bound);
  if (choice && bound > first && bound < end)
    return collect(*choice.thenBlock(), iteration, first, bound, found) &&
           collect(*choice.elseBlock(), iteration, bound, end, found);
  Value own = ownIteration(block, iteration, first);
  if (!own)
    return false;
  found.push_back({&block, own, first, end - first});
  return true;
}

SmallVector<Iterations> mlir::soap::iterationsOf(func::FuncOp part,
                                                 int64_t extent) {
  SmallVector<Iterations> found;
  scf::ForOp loop = rangeLoopOf(part);
  if (!loop ||
      !collect(*loop.getBody(), loop.getInductionVar(), 0, extent, found))
    return {};
  return found;
}

/// `first`: the number of the first launch of `firsts`.
static void chooseFrom(OpBuilder &builder, Value number,
                       ArrayRef<int64_t> firsts, size_t first,
                       function_ref<void(size_t)> emit) {
  if (firsts.size() == 1)
    return emit(first);
  size_t middle = firsts.size() / 2;
  Location loc = number.getLoc();
  Value bound = arith::ConstantIndexOp::create(builder, loc, firsts[middle]);
  Value isBelow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        number, bound);
  auto choice =
      scf::IfOp::create(builder, loc, isBelow, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(choice.thenBlock()->getTerminator());
  chooseFrom(builder, number, firsts.take_front(middle), first, emit);
  builder.setInsertionPoint(choice.elseBlock()->getTerminator());
  chooseFrom(builder, number, firsts.drop_front(middle), first + middle, emit);
}

void mlir::soap::chooseLaunch(OpBuilder &builder, Value number,
                              ArrayRef<int64_t> firsts,
                              function_ref<void(size_t)> emit) {
  assert(!firsts.empty() && firsts[0] == 0 && llvm::is_sorted(firsts) &&
         "launches one after the other, from 0");
  chooseFrom(builder, number, firsts, 0, emit);
}

bool mlir::soap::isStraight(const Iterations &iterations,
                            llvm::DenseSet<Operation *> &own) {
  Value iteration = iterations.iteration;
  llvm::DenseSet<Value> written;
  iterations.block->walk([&](memref::StoreOp store) {
    written.insert(rootBuffer(store.getMemRef()));
  });
  bool stores = false, wide = false;
  for (Operation &op : iterations.block->without_terminator()) {
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (stores)
        return false;
      if (isOwnElement(load, iteration, iterations.extent)) {
        own.insert(load);
        wide = true;
      } else if (written.contains(rootBuffer(load.getMemRef()))) {
        return false;
      }
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      stores = true;
      if (!isOwnElement(store, iteration, iterations.extent))
        return false;
      own.insert(store);
    } else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op)) {
      return false;
    }
  }
  return stores && wide;
}

bool mlir::soap::canBeWidened(func::FuncOp part, int64_t extent) {
  SmallVector<Iterations> all = iterationsOf(part, extent);
  llvm::DenseSet<Operation *> own;
  return !all.empty() && llvm::all_of(all, [&](const Iterations &iterations) {
    return iterations.first % kWideLanes == 0 &&
           iterations.extent % kWideLanes == 0 &&
           (isStraight(iterations, own) || canBeJoined(iterations, own) ||
            canBeTransposed(iterations));
  });
}
