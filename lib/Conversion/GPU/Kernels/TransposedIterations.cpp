//===- TransposedIterations.cpp - Iterations in tiles ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TransposedIterations.h.
//
//===----------------------------------------------------------------------===//

#include "TransposedIterations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <array>
#include <numeric>

using namespace mlir;
using namespace mlir::soap;

namespace {

constexpr int64_t lanes = kWideLanes;

/// Two digits of an iteration's number: the last one, `row`, along which one
/// buffer lies, and one that counts steps of `step` iterations, `column`, along
/// which another one does.
struct Tiling {
  int64_t row = 0, step = 0, column = 0;

  bool isComplete() const { return row && step; }
};

/// Threads of a warp along a row.
constexpr int64_t rowThreads = 8;

/// The numbers that `digits` counts one by one, from the digit on that moves
/// the address by one; 0: there is none.
int64_t lengthOf(const Digits &digits, int64_t extent, int64_t &step) {
  int64_t length = 0;
  step = 0;
  for (auto [digit, factor] : digits)
    if (factor == 1)
      step = digit.first;
  if (!step)
    return 0;
  length = 1;
  for (bool isLonger = true; isLonger;) {
    isLonger = false;
    for (auto [digit, factor] : digits) {
      auto [divisor, modulus] = digit;
      if (factor != length || divisor != step * length)
        continue;
      length *= modulus ? modulus : extent / divisor;
      // Of one iteration the digit is the same as none.
      isLonger = modulus > 1;
      break;
    }
  }
  return length;
}

/// The tiling of a part; none if it is no transpose.
std::optional<Tiling> tilingOf(const Iterations &iterations) {
  Tiling tiling;
  bool stores = false;
  auto fits = [&](MemRefType type, ValueRange indices, bool isLoad) {
    std::optional<Digits> digits =
        addressOf(type, indices, iterations.iteration);
    if (!digits)
      return false;
    int64_t step = 0, length = lengthOf(*digits, iterations.extent, step);
    if (length > 1 && step == 1) {
      tiling.row = std::gcd(tiling.row, length);
      return true;
    }
    bool isSame =
        !tiling.step || (tiling.step == step && tiling.column == length);
    if (length > 1 && isSame) {
      tiling.step = step;
      tiling.column = length;
      return true;
    }
    return isLoad && type.getNumElements() <= iterations.extent / 2;
  };
  for (Operation &op : iterations.block->without_terminator()) {
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (stores || !fits(load.getMemRefType(), load.getIndices(), true))
        return std::nullopt;
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      stores = true;
      if (!fits(store.getMemRefType(), store.getIndices(), false))
        return std::nullopt;
    } else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op)) {
      return std::nullopt;
    }
  }
  if (!stores || !tiling.isComplete())
    return std::nullopt;
  // A row is within a step.
  tiling.row = std::gcd(tiling.row, tiling.step);
  if (tiling.row % rowThreads != 0 || tiling.column % lanes != 0 ||
      iterations.extent % (tiling.step * tiling.column) != 0)
    return std::nullopt;
  return tiling;
}

class Transposer {
public:
  Transposer(OpBuilder &builder, const Iterations &iterations,
             const Tiling &tiling, const IRMapping &shared)
      : builder(builder), iterations(iterations), tiling(tiling) {
    maps.fill(shared);
  }

  void run(Value number) {
    Location loc = number.getLoc();
    constexpr auto noWrap =
        arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    // number = ((high, middle), block of the row, four of the column, thread).
    auto takeDigit = [&](int64_t extent) -> Value {
      Value digit =
          arith::RemUIOp::create(builder, loc, number, constant(extent));
      number = arith::DivUIOp::create(builder, loc, number, constant(extent));
      return digit;
    };
    Value first;
    auto add = [&](Value digit, int64_t factor) {
      Value scaled =
          arith::MulIOp::create(builder, loc, digit, constant(factor), noWrap);
      first = first ? arith::AddIOp::create(builder, loc, first, scaled, noWrap)
                    : scaled;
    };
    add(takeDigit(rowThreads), 1);
    add(takeDigit(tiling.column / lanes), lanes * tiling.step);
    add(takeDigit(tiling.row / rowThreads), rowThreads);
    add(takeDigit(tiling.step / tiling.row), tiling.row);
    add(number, tiling.step * tiling.column);
    for (auto [lane, map] : llvm::enumerate(maps)) {
      Value here = first;
      if (lane > 0)
        here = arith::AddIOp::create(
            builder, loc, first,
            constant(static_cast<int64_t>(lane) * tiling.step), noWrap);
      map.map(iterations.iteration, here);
    }
    varying.insert(iterations.iteration);
    for (Operation &op : iterations.block->without_terminator())
      if (iterations.iteration.getDefiningOp() != &op)
        clone(op);
  }

private:
  OpBuilder &builder;
  const Iterations &iterations;
  Tiling tiling;
  std::array<IRMapping, lanes> maps;
  llvm::DenseSet<Value> varying; ///< differ between the four

  /// A digit of the number that all four have in common.
  bool isCommon(Value value) const {
    auto digits = digitsOf(value, iterations.iteration);
    if (!digits || digits->size() != 1 || digits->begin()->second != 1)
      return false;
    auto [divisor, modulus] = digits->begin()->first;
    return (modulus != 0 && tiling.step % (divisor * modulus) == 0) ||
           divisor % (lanes * tiling.step) == 0;
  }

  void clone(Operation &op) {
    bool varies = isa<memref::StoreOp>(op) ||
                  llvm::any_of(op.getOperands(), [&](Value operand) {
                    return varying.contains(operand);
                  });
    if (varies && op.getNumResults() == 1 && isCommon(op.getResult(0)))
      varies = false;
    if (varies) {
      for (IRMapping &map : maps)
        builder.clone(op, map);
      varying.insert(op.result_begin(), op.result_end());
      return;
    }
    Operation *once = builder.clone(op, maps[0]);
    for (IRMapping &map : maps)
      map.map(op.getResults(), once->getResults());
  }
};

} // namespace

bool mlir::soap::canBeTransposed(const Iterations &iterations) {
  return tilingOf(iterations).has_value();
}

void mlir::soap::transposeIterations(OpBuilder &builder,
                                     const Iterations &iterations, Value number,
                                     const IRMapping &shared) {
  std::optional<Tiling> tiling = tilingOf(iterations);
  assert(tiling && "no transpose");
  Transposer(builder, iterations, *tiling, shared).run(number);
}
