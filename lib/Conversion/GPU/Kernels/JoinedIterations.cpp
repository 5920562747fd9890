//===- JoinedIterations.cpp - Four neighbours as one iteration ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See JoinedIterations.h.
//
//===----------------------------------------------------------------------===//

#include "JoinedIterations.h"

#include "Soap/Dialect/Soap/GpuAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <array>

using namespace mlir;
using namespace mlir::soap;

namespace {

constexpr int64_t lanes = kWideLanes;

/// Which values differ between the iterations that are joined.
class Varying {
public:
  explicit Varying(const Iterations &iterations) : iterations(iterations) {}

  bool contains(Value value) const { return steps.contains(value); }
  int64_t digit() const { return extent; }

  /// False: they cannot be joined.
  bool analyze(llvm::DenseSet<Operation *> &own) {
    Value number = iterations.iteration;
    for (Operation *user : number.getUsers()) {
      if (!isa<arith::RemUIOp, arith::DivUIOp>(user) ||
          user->getOperand(0) != number)
        continue;
      std::optional<int64_t> by = getConstantIntValue(user->getOperand(1));
      if (!by || (extent && *by != extent))
        return false;
      extent = *by;
    }
    if (extent < lanes || extent % lanes != 0 ||
        iterations.extent % extent != 0)
      return false;
    steps[number] = 1;
    fours.insert(number);
    return visit(*iterations.block, own) && stores && !own.empty();
  }

private:
  const Iterations &iterations;
  int64_t extent = 0; ///< of the last digit
  /// By how much a position grows from one of the iterations to the next; none
  /// where that is not known, and for numbers.
  llvm::DenseMap<Value, std::optional<int64_t>> steps;
  /// Positions of which the first of the iterations has a multiple of four, and
  /// the next ones those that follow.
  llvm::DenseSet<Value> fours;
  bool stores = false;

  std::optional<int64_t> stepOf(Value value) const {
    auto found = steps.find(value);
    return found == steps.end() ? 0 : found->second;
  }

  bool areNeighbours(MemRefType type, ValueRange indices) const {
    return type.getLayout().isIdentity() && !indices.empty() &&
           stepOf(indices.back()) == 1 &&
           llvm::none_of(indices.drop_back(),
                         [&](Value index) { return contains(index); });
  }

  std::optional<int64_t> stepOf(Operation *op) const {
    if (op->getNumOperands() != 2)
      return std::nullopt;
    auto a = stepOf(op->getOperand(0)), b = stepOf(op->getOperand(1));
    if (!a || !b)
      return std::nullopt;
    if (isa<arith::AddIOp>(op))
      return *a + *b;
    if (isa<arith::SubIOp>(op))
      return *a - *b;
    std::optional<int64_t> factor = getConstantIntValue(op->getOperand(1));
    if (isa<arith::MulIOp>(op) && factor)
      return *a * *factor;
    return std::nullopt;
  }

  /// A product that is the same in all of them, and that sums take up with one
  /// rounding: whether they do depends on how many there are.
  static bool isContracted(Operation *op) {
    return isa<arith::MulFOp>(op) &&
           llvm::any_of(op->getUsers(), [](Operation *user) {
             return isa<arith::AddFOp, arith::SubFOp>(user);
           });
  }

  bool visit(Block &block, llvm::DenseSet<Operation *> &own) {
    constexpr int64_t maxLoads = 32;
    int64_t loads = 0;
    for (Operation &op : block.without_terminator()) {
      // The last iteration of a block does it: one of four that are joined.
      if (op.hasAttr(kTogether))
        continue;
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (!visitLoop(loop, own))
          return false;
      } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
        if (!visitIf(choice, own))
          return false;
      } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
        if (!llvm::any_of(load.getIndices(),
                          [&](Value index) { return contains(index); }))
          continue;
        if (!areNeighbours(load.getMemRefType(), load.getIndices()) ||
            ++loads > maxLoads)
          return false;
        own.insert(load);
        steps[load.getResult()] = std::nullopt;
      } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
        if (!areNeighbours(store.getMemRefType(), store.getIndices()))
          return false;
        own.insert(store);
        stores = true;
      } else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op)) {
        return false;
      } else if (!visitOp(&op)) {
        return false;
      }
    }
    return true;
  }

  /// Whether a bound is at none but the first of four neighbours, so that all
  /// are below it, or none.
  bool isAlike(arith::CmpIOp compare) const {
    std::optional<int64_t> bound = getConstantIntValue(compare.getRhs());
    if (!bound || !fours.contains(compare.getLhs()))
      return false;
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::sge:
    case arith::CmpIPredicate::ult:
    case arith::CmpIPredicate::uge:
      return *bound % lanes == 0;
    default:
      return false;
    }
  }

  /// `fours` plus or minus a multiple of four.
  bool areFours(Operation *op) const {
    if (!isa<arith::AddIOp, arith::SubIOp>(op))
      return false;
    std::optional<int64_t> shift = getConstantIntValue(op->getOperand(1));
    return shift && *shift % lanes == 0 && fours.contains(op->getOperand(0));
  }

  bool visitOp(Operation *op) {
    if (op->getNumOperands() > 0 && op->getOperand(0) == iterations.iteration &&
        isa<arith::RemUIOp, arith::DivUIOp>(op)) {
      if (isa<arith::RemUIOp>(op)) {
        steps[op->getResult(0)] = 1;
        fours.insert(op->getResult(0));
      }
      return true;
    }
    if (auto compare = dyn_cast<arith::CmpIOp>(op); compare && isAlike(compare))
      return true;
    if (areFours(op))
      fours.insert(op->getResult(0));
    if (llvm::none_of(op->getOperands(),
                      [&](Value operand) { return contains(operand); }))
      return !isContracted(op);
    for (Value result : op->getResults())
      steps[result] = stepOf(op);
    return true;
  }

  bool visitLoop(scf::ForOp loop, llvm::DenseSet<Operation *> &own) {
    for (Value bound :
         {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      if (contains(bound))
        return false;
    for (bool isNew = true; isNew;) {
      isNew = false;
      if (!visit(*loop.getBody(), own))
        return false;
      for (auto [argument, initial, yielded, result] :
           llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(),
                     loop.getYieldedValues(), loop.getResults()))
        if (!contains(argument) && (contains(initial) || contains(yielded))) {
          steps[argument] = steps[result] = std::nullopt;
          isNew = true;
        }
    }
    return true;
  }

  bool visitIf(scf::IfOp choice, llvm::DenseSet<Operation *> &own) {
    if (contains(choice.getCondition()))
      return false;
    for (Region &region : choice->getRegions())
      for (Block &block : region) {
        if (!visit(block, own))
          return false;
        for (auto [result, yielded] : llvm::zip(
                 choice.getResults(), block.getTerminator()->getOperands()))
          if (contains(yielded))
            steps[result] = std::nullopt;
      }
    return true;
  }
};

class Joiner {
public:
  Joiner(OpBuilder &builder, const Varying &varying, const IRMapping &shared)
      : builder(builder), varying(varying) {
    maps.fill(shared);
  }

  void run(const Iterations &iterations, Value number) {
    Location loc = number.getLoc();
    constexpr auto noWrap =
        arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    auto fours = [&](Value first, Value original) {
      Value begin =
          arith::MulIOp::create(builder, loc, first, constant(lanes), noWrap);
      for (auto [lane, map] : llvm::enumerate(maps))
        map.map(original,
                lane == 0 ? begin
                          : Value(arith::AddIOp::create(
                                builder, loc, begin,
                                constant(static_cast<int64_t>(lane)), noWrap)));
    };
    Value digits = constant(varying.digit() / lanes);
    for (Operation *user : iterations.iteration.getUsers()) {
      if (isa<arith::RemUIOp>(user)) {
        fours(arith::RemUIOp::create(builder, loc, number, digits),
              user->getResult(0));
      } else if (isa<arith::DivUIOp>(user)) {
        Value quotient = arith::DivUIOp::create(builder, loc, number, digits);
        mapAll(user->getResult(0), quotient);
      }
      if (isa<arith::RemUIOp, arith::DivUIOp>(user))
        made.insert(user);
    }
    fours(number, iterations.iteration);
    // In merged launches it is computed in the block.
    if (Operation *op = iterations.iteration.getDefiningOp())
      made.insert(op);
    join(*iterations.block);
  }

private:
  OpBuilder &builder;
  const Varying &varying;
  std::array<IRMapping, lanes> maps;
  llvm::DenseSet<Operation *> made; ///< written already

  void mapAll(Value from, Value to) {
    for (IRMapping &map : maps)
      map.map(from, to);
  }

  /// One value, or one of each iteration.
  void append(SmallVector<Value> &list, Value like, Value value) const {
    if (!varying.contains(like))
      list.push_back(maps[0].lookupOrDefault(value));
    else
      for (const IRMapping &map : maps)
        list.push_back(map.lookupOrDefault(value));
  }
  /// Takes them from `list` again.
  void take(ValueRange &list, Value original) {
    if (!varying.contains(original)) {
      mapAll(original, list.front());
      list = list.drop_front();
      return;
    }
    for (auto [map, value] : llvm::zip(maps, list))
      map.map(original, value);
    list = list.drop_front(lanes);
  }

  void join(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (made.contains(&op))
        continue;
      if (op.hasAttr(kTogether)) {
        builder.clone(op, maps.back());
        continue;
      }
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        joinLoop(loop);
      } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
        joinIf(choice);
      } else if (isa<memref::StoreOp>(op) ||
                 llvm::any_of(op.getResults(), [&](Value result) {
                   return varying.contains(result);
                 })) {
        for (IRMapping &map : maps)
          builder.clone(op, map);
      } else {
        Operation *once = builder.clone(op, maps[0]);
        for (auto [from, to] : llvm::zip(op.getResults(), once->getResults()))
          mapAll(from, to);
      }
    }
  }

  void yield(Block &block, ValueRange likes, Location loc) {
    SmallVector<Value> yielded;
    for (auto [like, value] :
         llvm::zip(likes, block.getTerminator()->getOperands()))
      append(yielded, like, value);
    if (!yielded.empty())
      scf::YieldOp::create(builder, loc, yielded);
  }

  void joinLoop(scf::ForOp loop) {
    SmallVector<Value> initial;
    for (auto [argument, value] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
      append(initial, argument, value);
    auto joined = scf::ForOp::create(
        builder, loop.getLoc(), maps[0].lookupOrDefault(loop.getLowerBound()),
        maps[0].lookupOrDefault(loop.getUpperBound()),
        maps[0].lookupOrDefault(loop.getStep()), initial);
    mapAll(loop.getInductionVar(), joined.getInductionVar());
    ValueRange arguments = joined.getRegionIterArgs();
    for (Value argument : loop.getRegionIterArgs())
      take(arguments, argument);
    {
      OpBuilder::InsertionGuard guard(builder);
      if (initial.empty())
        builder.setInsertionPoint(joined.getBody()->getTerminator());
      else
        builder.setInsertionPointToEnd(joined.getBody());
      join(*loop.getBody());
      yield(*loop.getBody(), loop.getRegionIterArgs(), loop.getLoc());
    }
    ValueRange results = joined.getResults();
    for (Value result : loop.getResults())
      take(results, result);
  }

  void joinIf(scf::IfOp choice) {
    SmallVector<Type> types;
    for (Value result : choice.getResults())
      types.append(varying.contains(result) ? lanes : 1, result.getType());
    auto joined = scf::IfOp::create(
        builder, choice.getLoc(), types,
        maps[0].lookupOrDefault(choice.getCondition()),
        /*addThenBlock=*/true, /*addElseBlock=*/choice.elseBlock() != nullptr);
    auto fill = [&](Block *from, Block *to) {
      if (!from)
        return;
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(to);
      join(*from);
      yield(*from, choice.getResults(), choice.getLoc());
      if (choice.getNumResults() == 0)
        scf::YieldOp::create(builder, choice.getLoc());
    };
    fill(choice.thenBlock(), joined.thenBlock());
    fill(choice.elseBlock(), joined.elseBlock());
    ValueRange results = joined.getResults();
    for (Value result : choice.getResults())
      take(results, result);
  }
};

} // namespace

bool mlir::soap::canBeJoined(const Iterations &iterations,
                             llvm::DenseSet<Operation *> &own) {
  llvm::DenseSet<Operation *> found;
  if (!Varying(iterations).analyze(found))
    return false;
  own.insert(found.begin(), found.end());
  return true;
}

void mlir::soap::joinIterations(OpBuilder &builder,
                                const Iterations &iterations, Value number,
                                const IRMapping &shared) {
  Varying varying(iterations);
  llvm::DenseSet<Operation *> own;
  [[maybe_unused]] bool fits = varying.analyze(own);
  assert(fits && "iterations that cannot be joined");
  Joiner(builder, varying, shared).run(iterations, number);
}
