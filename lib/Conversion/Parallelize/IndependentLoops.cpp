//===- IndependentLoops.cpp - Loops whose iterations may run together -----===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A position in a dim is linear in the loops around it. Where it can be taken
// apart again - as digits of a number - it says which iteration of the loop it
// belongs to. A loop is independent if all accesses of a written buffer say so
// in the same dim and in the same way.
//
//===----------------------------------------------------------------------===//

#include "IndependentLoops.h"

#include "Soap/Dialect/Soap/GpuAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;
using namespace mlir::soap;

std::optional<int64_t> mlir::soap::tripCountOf(scf::ForOp loop) {
  auto low = getConstantIntValue(loop.getLowerBound()),
       high = getConstantIntValue(loop.getUpperBound()),
       step = getConstantIntValue(loop.getStep());
  if (!low || !high || !step || *low != 0 || *step != 1)
    return std::nullopt;
  return std::max<int64_t>(*high, 0);
}

Value mlir::soap::rootBuffer(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

Value mlir::soap::writtenBy(Operation *op) {
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getMemRef();
  auto atomic = dyn_cast<memref::AtomicRMWOp>(op);
  return atomic ? Value(atomic.getMemref()) : Value();
}

scf::ForOp mlir::soap::rangeLoopOf(func::FuncOp part) {
  if (part.isExternal() || !part.getBody().hasOneBlock() ||
      part.getNumArguments() < 2)
    return nullptr;
  // Lanes of a row are no iterations of their own.
  if (part->hasAttr(kLanes))
    return nullptr;
  Block &body = part.getBody().front();
  scf::ForOp found;
  for (Operation &op : body.without_terminator()) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (found)
        return nullptr;
      found = loop;
    } else if (!isMemoryEffectFree(&op) && !op.hasAttr(kTogether)) {
      return nullptr;
    }
  }
  unsigned count = body.getNumArguments();
  if (!found || found.getLowerBound() != body.getArgument(count - 2) ||
      found.getUpperBound() != body.getArgument(count - 1) ||
      getConstantIntValue(found.getStep()) != 1 || found->getNumResults() != 0)
    return nullptr;
  return found;
}

namespace {

/// A load or a store.
struct Access {
  Operation *op;
  Value buffer; ///< as the op has it: maybe a view
  ValueRange indices;
};

struct Accesses {
  /// By root buffer; of these, all accesses.
  llvm::MapVector<Value, SmallVector<Access>> all;
  llvm::DenseSet<Value> written;
  bool known = true; ///< nothing but loads and stores touches memory
};

Accesses collect(scf::ForOp nest) {
  Accesses accesses;
  nest->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // The end of a block is no iteration's own.
    if (op->hasAttr(kTogether))
      return WalkResult::skip();
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      accesses.all[rootBuffer(load.getMemRef())].push_back(
          {op, load.getMemRef(), load.getIndices()});
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      Value root = rootBuffer(store.getMemRef());
      accesses.all[root].push_back({op, store.getMemRef(), store.getIndices()});
      accesses.written.insert(root);
    } else if (!isMemoryEffectFree(op) &&
               !isa<scf::ForOp, scf::IfOp, scf::WhileOp, cf::AssertOp>(op)) {
      accesses.known = false;
    }
    return WalkResult::advance();
  });
  return accesses;
}

/// A sum of multiples of loop variables.
struct Linear {
  llvm::SmallMapVector<Value, int64_t, 4> factors;
  int64_t constant = 0;

  void add(const Linear &other, int64_t factor) {
    for (auto [variable, f] : other.factors)
      factors[variable] += f * factor;
    constant += other.constant * factor;
  }
};

std::optional<Linear> linearOf(Value value) {
  Linear result;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    result.constant = constant.getSExtValue();
    return result;
  }
  if (isa<BlockArgument>(value)) {
    result.factors[value] = 1;
    return result;
  }
  Operation *op = value.getDefiningOp();
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<Linear> a = linearOf(op->getOperand(0)),
                        b = linearOf(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::MulIOp>(op)) {
    if (!a->factors.empty())
      std::swap(a, b);
    if (!a->factors.empty())
      return std::nullopt;
    result.add(*b, a->constant);
    return result;
  }
  result.add(*a, 1);
  result.add(*b, isa<arith::SubIOp>(op) ? -1 : 1);
  return result;
}

/// A position is base + factor * i + low + (a multiple of period), where i is
/// the iteration and 0 <= low < factor; no period: 0.
struct Digit {
  int64_t base, factor, period;
};

std::optional<Digit> digitOf(scf::ForOp loop, int64_t trips, Value index) {
  std::optional<Linear> linear = linearOf(index);
  if (!linear)
    return std::nullopt;
  auto own = linear->factors.find(loop.getInductionVar());
  if (own == linear->factors.end() || own->second <= 0)
    return std::nullopt;
  Digit digit{linear->constant, own->second, 0};
  int64_t low = 0;
  for (auto [variable, factor] : linear->factors) {
    if (variable == loop.getInductionVar() || factor == 0)
      continue;
    auto other = dyn_cast<scf::ForOp>(
        cast<BlockArgument>(variable).getOwner()->getParentOp());
    if (!other || other.getInductionVar() != variable || factor < 0)
      return std::nullopt;
    std::optional<int64_t> count = tripCountOf(other);
    if (!count)
      return std::nullopt;
    if (factor < digit.factor)
      low += factor * std::max<int64_t>(*count - 1, 0);
    else
      digit.period = std::gcd(digit.period, factor);
  }
  if (low >= digit.factor ||
      (digit.period && digit.factor * trips > digit.period))
    return std::nullopt;
  return digit;
}

/// Every position in some dim says which iteration of `loop` it belongs to.
bool belongsToOneIteration(scf::ForOp loop, int64_t trips,
                           ArrayRef<Access> accesses) {
  Type type = accesses.front().buffer.getType();
  size_t rank = accesses.front().indices.size();
  for (const Access &access : accesses)
    if (access.buffer.getType() != type || !loop->isAncestor(access.op))
      return false;
  for (size_t dim = 0; dim < rank; ++dim) {
    std::optional<Digit> common;
    int64_t period = 0;
    bool same = true;
    for (const Access &access : accesses) {
      std::optional<Digit> digit = digitOf(loop, trips, access.indices[dim]);
      same = digit && (!common || (digit->base == common->base &&
                                   digit->factor == common->factor));
      if (!same)
        break;
      common = digit;
      period = std::gcd(period, digit->period);
    }
    if (same && (!period || common->factor * trips <= period))
      return true;
  }
  return false;
}

} // namespace

scf::ForOp mlir::soap::findIndependentLoop(scf::ForOp nest) {
  Accesses accesses = collect(nest);
  if (!accesses.known || nest.getNumResults() != 0)
    return nullptr;
  constexpr int64_t enough = 16, shortest = 64;
  scf::ForOp best;
  int64_t bestTrips = 1;
  nest->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    std::optional<int64_t> trips = tripCountOf(loop);
    if (bestTrips >= enough || !trips || *trips <= bestTrips ||
        loop.getNumResults() != 0)
      return;
    // Parts of a short innermost loop would be no vectors.
    if (*trips < shortest && loop != nest &&
        loop.getBody()->getOps<scf::ForOp>().empty())
      return;
    for (auto &[buffer, list] : accesses.all)
      if (accesses.written.contains(buffer) &&
          !belongsToOneIteration(loop, *trips, list))
        return;
    best = loop;
    bestTrips = *trips;
  });
  return best;
}

SmallVector<scf::ForOp> mlir::soap::findIndependentLoops(scf::ForOp nest) {
  Accesses accesses = collect(nest);
  SmallVector<scf::ForOp> found;
  if (!accesses.known || nest.getNumResults() != 0 || accesses.written.empty())
    return found;
  nest->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->hasAttr(kTogether))
      return WalkResult::skip();
    auto loop = dyn_cast<scf::ForOp>(op);
    std::optional<int64_t> trips = loop ? tripCountOf(loop) : std::nullopt;
    if (!trips || *trips < 2 || loop.getNumResults() != 0)
      return WalkResult::advance();
    if (!loop->hasAttr(kIndependent))
      for (auto &[buffer, list] : accesses.all)
        if (accesses.written.contains(buffer) &&
            !belongsToOneIteration(loop, *trips, list))
          return WalkResult::advance();
    // All accesses of what is written are inside of each loop, so that one is
    // inside of another; and what is outside only reads.
    found.push_back(loop);
    return WalkResult::advance();
  });
  return found;
}

bool mlir::soap::isOfOneIteration(Value buffer, scf::ForOp loop,
                                  scf::ForOp nest) {
  Accesses accesses = collect(nest);
  std::optional<int64_t> trips = tripCountOf(loop);
  auto found = accesses.all.find(buffer);
  return accesses.known && trips && found != accesses.all.end() &&
         belongsToOneIteration(loop, *trips, found->second);
}

Operation *mlir::soap::combinerOf(scf::ForOp loop, unsigned index) {
  Value argument = loop.getRegionIterArg(index);
  Value yielded = loop.getBody()->getTerminator()->getOperand(index);
  if (!argument.hasOneUse())
    return nullptr;
  Operation *op = yielded.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || !yielded.hasOneUse())
    return nullptr;
  if (auto inner = dyn_cast<scf::ForOp>(op)) {
    unsigned result = cast<OpResult>(yielded).getResultNumber();
    if (inner.getInitArgs()[result] != argument)
      return nullptr;
    return combinerOf(inner, result);
  }
  if (!isa<arith::AddFOp, arith::MaximumFOp, arith::MinimumFOp, arith::AddIOp>(
          op) ||
      !llvm::is_contained(op->getOperands(), argument))
    return nullptr;
  return op;
}

TypedAttr mlir::soap::neutralOf(Operation *combiner) {
  Type type = combiner->getResult(0).getType();
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerAttr::get(integer, 0);
  auto number = cast<FloatType>(type);
  if (isa<arith::AddFOp>(combiner))
    return FloatAttr::get(number, 0.0);
  return FloatAttr::get(
      number, APFloat::getInf(number.getFloatSemantics(),
                              /*Negative=*/isa<arith::MaximumFOp>(combiner)));
}

int64_t mlir::soap::countWork(scf::ForOp nest) {
  auto trips = [](scf::ForOp loop) { return tripCountOf(loop).value_or(1); };
  auto count = [&](auto &self, Region &region) -> int64_t {
    int64_t sum = 0;
    for (Operation &op : region.getOps()) {
      auto loop = dyn_cast<scf::ForOp>(op);
      int64_t inner = 0;
      for (Region &body : op.getRegions())
        inner += self(self, body);
      sum += loop ? trips(loop) * inner : inner;
      // Arithmetic of positions is mostly gone in the end.
      sum += isa<memref::LoadOp, memref::StoreOp>(op) ||
             (op.getNumResults() == 1 &&
              isa<FloatType>(op.getResult(0).getType()) &&
              op.getNumRegions() == 0);
    }
    return sum;
  };
  return trips(nest) * count(count, nest.getRegion());
}
