//===- CooperativeRows.cpp - Rows that a warp computes --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CooperativeRows.h.
//
//===----------------------------------------------------------------------===//

#include "CooperativeRows.h"

#include "IndependentLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Checks the body of the innermost loop over rows.
class RowCheck {
public:
  /// `reduces`: some loop has to reduce as many elements as are worth a warp.
  RowCheck(scf::ForOp row, scf::ForOp nest, bool reduces)
      : row(row), nest(nest), reduces(reduces) {
    nest.walk([&](memref::StoreOp store) {
      written.insert(rootBuffer(store.getMemRef()));
    });
  }

  bool passes() {
    for (Operation &op : row.getBody()->without_terminator()) {
      auto loop = dyn_cast<scf::ForOp>(op);
      if (loop ? !checkLoop(loop)
               : !isa<memref::StoreOp>(op) && !readsOnly(&op))
        return false;
    }
    return (hasLongReduction || !reduces) &&
           llvm::all_of(written,
                        [&](Value buffer) { return isWrittenOnce(buffer); });
  }

private:
  scf::ForOp row, nest;
  bool reduces;
  llvm::SetVector<Value> written;
  bool hasLongReduction = false;

  /// Arithmetic and loads of what the nest does not write.
  bool readsOnly(Operation *op) {
    return !op->walk([&](Operation *inner) {
                if (auto load = dyn_cast<memref::LoadOp>(inner))
                  return written.contains(rootBuffer(load.getMemRef()))
                             ? WalkResult::interrupt()
                             : WalkResult::advance();
                bool fits = isMemoryEffectFree(inner) || isa<scf::IfOp>(inner);
                return fits && !isa<scf::ForOp>(inner)
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              }).wasInterrupted();
  }

  /// Every access that moves with the loop moves by one element.
  static bool isAlong(scf::ForOp loop) {
    Value variable = loop.getInductionVar();
    auto fits = [&](ValueRange indices) {
      for (auto [i, index] : llvm::enumerate(indices))
        if (i + 1 == indices.size() ? false : dependsOn(index, variable))
          return false;
      return indices.empty() || movesByOne(indices.back(), variable) ||
             !dependsOn(indices.back(), variable);
    };
    return !loop.walk([&](Operation *op) {
                  auto load = dyn_cast<memref::LoadOp>(op);
                  auto store = dyn_cast<memref::StoreOp>(op);
                  bool good = load    ? fits(load.getIndices())
                              : store ? fits(store.getIndices())
                                      : true;
                  return good ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  /// The variable, from some position on, maybe up to an end.
  static bool movesByOne(Value value, Value variable) {
    if (value == variable)
      return true;
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<arith::AddIOp, arith::MinSIOp>(op))
      return false;
    Value a = op->getOperand(0), b = op->getOperand(1);
    return (movesByOne(a, variable) && !dependsOn(b, variable)) ||
           (movesByOne(b, variable) && !dependsOn(a, variable));
  }

  static bool dependsOn(Value value, Value variable) {
    if (value == variable)
      return true;
    Operation *op = value.getDefiningOp();
    return op && llvm::any_of(op->getOperands(), [&](Value operand) {
             return dependsOn(operand, variable);
           });
  }

  bool checkLoop(scf::ForOp loop) {
    std::optional<int64_t> trips = tripCountOf(loop);
    if (!trips || !isAlong(loop))
      return false;
    for (Operation &op : loop.getBody()->without_terminator())
      if (loop.getNumResults() == 0 && isa<memref::StoreOp>(op)
              ? false
              : !readsOnlyOwn(&op, loop))
        return false;
    for (unsigned i = 0; i < loop.getNumResults(); ++i)
      if (Type type = loop.getResult(i).getType();
          !combinerOf(loop, i) || !(type.isF32() || type.isInteger(32)))
        return false;
    // Fewer elements than half a warp are for a thread.
    hasLongReduction |= loop.getNumResults() > 0 && *trips > kWarpLanes / 2;
    return true;
  }

  /// As `readsOnly`, but a loop that writes may read what it writes.
  bool readsOnlyOwn(Operation *op, scf::ForOp loop) {
    auto load = dyn_cast<memref::LoadOp>(op);
    if (!load || loop.getNumResults() != 0)
      return readsOnly(op);
    Value buffer = rootBuffer(load.getMemRef());
    return !written.contains(buffer) || isOfOneIteration(buffer, loop, nest);
  }

  /// By stores beside the loops, which nothing reads, or by one loop.
  bool isWrittenOnce(Value buffer) {
    SmallVector<Operation *> accesses;
    nest.walk([&](Operation *op) {
      auto load = dyn_cast<memref::LoadOp>(op);
      auto store = dyn_cast<memref::StoreOp>(op);
      if ((load && rootBuffer(load.getMemRef()) == buffer) ||
          (store && rootBuffer(store.getMemRef()) == buffer))
        accesses.push_back(op);
    });
    if (llvm::all_of(accesses, [&](Operation *op) {
          return isa<memref::StoreOp>(op) && op->getBlock() == row.getBody();
        }))
      return true;
    for (auto loop : row.getBody()->getOps<scf::ForOp>())
      if (isOfOneIteration(buffer, loop, nest))
        return true;
    return false;
  }
};

} // namespace

/// Between the loop over rows and one along a row is what a thread an element
/// would repeat: arithmetic of floats.
static bool sharesArithmetic(scf::ForOp row) {
  return llvm::any_of(row.getBody()->without_terminator(), [](Operation &op) {
    return op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
           !op.hasTrait<OpTrait::ConstantLike>() && op.getNumResults() == 1 &&
           isa<FloatType>(op.getResult(0).getType());
  });
}

/// Rows of so many elements, and so many of them, that a warp for each fills a
/// GPU.
static bool isLongRow(scf::ForOp row, int64_t rows) {
  constexpr int64_t length = 1024, lanes = 65536;
  return rows * kWarpLanes >= lanes && sharesArithmetic(row) &&
         llvm::any_of(row.getBody()->getOps<scf::ForOp>(), [](scf::ForOp loop) {
           return tripCountOf(loop).value_or(0) >= length;
         });
}

SmallVector<scf::ForOp> mlir::soap::findCooperativeRows(scf::ForOp nest) {
  SmallVector<scf::ForOp> loops = findIndependentLoops(nest), rows;
  int64_t count = 1;
  for (scf::ForOp loop : loops) {
    rows.push_back(loop);
    count *= tripCountOf(loop).value_or(1);
    bool reduces = llvm::any_of(
        loop.getBody()->getOps<scf::ForOp>(),
        [](scf::ForOp inner) { return inner.getNumResults() > 0; });
    if (!reduces && !isLongRow(loop, count))
      continue;
    if (RowCheck(loop, nest, reduces).passes())
      return rows;
    if (reduces)
      break;
  }
  return {};
}

/// The reduction over lanes that a combiner is.
static gpu::AllReduceOperation overLanes(Operation *combiner) {
  if (isa<arith::AddFOp, arith::AddIOp>(combiner))
    return gpu::AllReduceOperation::ADD;
  return isa<arith::MaximumFOp>(combiner) ? gpu::AllReduceOperation::MAXIMUMF
                                          : gpu::AllReduceOperation::MINIMUMF;
}

/// Iterations of a lane; each result is folded over the lanes, then with the
/// initial value.
static void distributeReduction(scf::ForOp loop, OpBuilder &builder) {
  Location loc = loop.getLoc();
  SmallVector<Operation *> combiners;
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    combiners.push_back(combinerOf(loop, i));
  builder.setInsertionPointAfter(loop);
  for (auto [i, combiner] : llvm::enumerate(combiners)) {
    Value result = loop.getResult(i), initial = loop.getInitArgs()[i];
    auto all = gpu::SubgroupReduceOp::create(
        builder, loc, result, overLanes(combiner), /*uniform=*/true);
    Operation *combined = builder.clone(*combiner);
    combined->setOperands({initial, all.getResult()});
    result.replaceUsesWithIf(combined->getResult(0), [&](OpOperand &use) {
      return use.getOwner() != all.getOperation();
    });
  }
  builder.setInsertionPoint(loop);
  for (auto [i, combiner] : llvm::enumerate(combiners))
    loop.getInitArgsMutable()[i].assign(
        arith::ConstantOp::create(builder, loc, neutralOf(combiner)));
}

int64_t mlir::soap::numbersOfLane(scf::IfOp row) {
  // Of 255 registers; more loads are under way than a loop would have.
  constexpr int64_t maxNumbers = 128;
  int64_t loops = 0, perLane = 0;
  llvm::MapVector<Value, llvm::SmallDenseSet<Operation *>> readers;
  for (auto loop : row.thenBlock()->getOps<scf::ForOp>()) {
    int64_t trips = tripCountOf(loop).value_or(0);
    if (trips == 0)
      return 0;
    perLane = std::max(perLane, (trips + kWarpLanes - 1) / kWarpLanes);
    loop.walk([&](memref::LoadOp load) {
      if (llvm::any_of(load.getIndices(), [&](Value index) {
            return !loop.isDefinedOutsideOfLoop(index);
          }))
        readers[rootBuffer(load.getMemRef())].insert(loop);
    });
    ++loops;
  }
  int64_t kept = llvm::count_if(
      readers, [](const auto &one) { return one.second.size() > 1; });
  // Without any to keep, as many are loaded at once as of four.
  int64_t numbers = perLane * (kept > 0 ? kept : 4);
  return loops > 1 && numbers <= maxNumbers ? numbers : 0;
}

/// Nothing in an iteration loads what it has stored.
static bool storesMayWait(scf::ForOp loop) {
  llvm::SmallDenseSet<Value> stored;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto store = dyn_cast<memref::StoreOp>(op))
      stored.insert(rootBuffer(store.getMemRef()));
    if (op.walk([&](memref::LoadOp load) {
            return stored.contains(rootBuffer(load.getMemRef()))
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          }).wasInterrupted())
      return false;
  }
  return true;
}

/// Iterations `first`, `first` + 32, ... of a lane up to `end`, one after the
/// other, without a loop. Lanes that the last ones do not need load the last
/// element, too, so that no load is in a branch; they fold and store nothing.
/// Loads stand before all stores: no iteration touches what another one writes.
static void unrollRange(scf::ForOp loop, Value first, int64_t begin,
                        int64_t end, SmallVectorImpl<Value> &carried,
                        OpBuilder &builder) {
  Location loc = loop.getLoc();
  int64_t trips = *tripCountOf(loop);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  struct Iteration {
    IRMapping map;
    Value isInside;
  };
  SmallVector<Iteration> iterations;
  for (int64_t at = begin; at < end; at += kWarpLanes) {
    Iteration &one = iterations.emplace_back();
    Value element =
        arith::AddIOp::create(builder, loc, first, constant(at - begin));
    if (at + kWarpLanes > trips) {
      one.isInside = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::slt, element, constant(trips));
      element =
          arith::MinSIOp::create(builder, loc, element, constant(trips - 1));
    }
    one.map.map(loop.getInductionVar(), element);
  }
  bool isBehind = storesMayWait(loop);
  auto clone = [&](Operation &op, Iteration &one) {
    OpBuilder::InsertionGuard guard(builder);
    if (one.isInside && isa<memref::StoreOp>(op)) {
      auto store = scf::IfOp::create(builder, loc, one.isInside,
                                     /*withElseRegion=*/false);
      builder.setInsertionPoint(store.thenBlock()->getTerminator());
    }
    builder.clone(op, one.map);
  };
  for (Iteration &one : iterations) {
    one.map.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isBehind || !isa<memref::StoreOp>(op))
        clone(op, one);
    for (auto [value, yielded] :
         llvm::zip(carried, loop.getBody()->getTerminator()->getOperands())) {
      Value folded = one.map.lookupOrDefault(yielded);
      value = one.isInside ? Value(arith::SelectOp::create(
                                 builder, loc, one.isInside, folded, value))
                           : folded;
    }
  }
  for (Iteration &one : iterations)
    for (Operation &op : loop.getBody()->without_terminator())
      if (isBehind && isa<memref::StoreOp>(op))
        clone(op, one);
}

/// All iterations of a lane without a loop: what several loops load is loaded
/// once, and stays in registers.
static void unroll(scf::ForOp loop, Value lane, OpBuilder &builder) {
  builder.setInsertionPoint(loop);
  SmallVector<Value> carried(loop.getInitArgs());
  unrollRange(loop, lane, 0, *tripCountOf(loop), carried, builder);
  loop.replaceAllUsesWith(carried);
  loop.erase();
}

/// Iterations of a lane whose loads stand side by side, in a loop of a row that
/// does not stay in registers.
static int64_t iterationsAtOnce(scf::ForOp loop) {
  // The loads of a lane.
  constexpr int64_t loads = 8, least = 4, most = 8;
  int64_t own = 0;
  loop.walk([&](memref::LoadOp load) {
    own += llvm::is_contained(load.getIndices(), loop.getInductionVar());
  });
  return std::clamp(loads / std::max<int64_t>(own, 1), least, most);
}

/// A loop of a lane, several iterations at once, and the rest behind it.
static void unrollByLoads(scf::ForOp loop, Value lane, OpBuilder &builder) {
  Location loc = loop.getLoc();
  int64_t trips = *tripCountOf(loop),
          step = iterationsAtOnce(loop) * kWarpLanes,
          whole = trips / step * step;
  builder.setInsertionPoint(loop);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  SmallVector<Value> carried(loop.getInitArgs());
  if (whole > 0) {
    auto blocks = scf::ForOp::create(builder, loc, lane, constant(whole),
                                     constant(step), carried);
    OpBuilder::InsertionGuard guard(builder);
    Block *body = blocks.getBody();
    if (carried.empty())
      builder.setInsertionPoint(body->getTerminator());
    else
      builder.setInsertionPointToEnd(body);
    SmallVector<Value> inside(blocks.getRegionIterArgs());
    unrollRange(loop, blocks.getInductionVar(), 0, step, inside, builder);
    if (!carried.empty())
      scf::YieldOp::create(builder, loc, inside);
    carried.assign(blocks.getResults().begin(), blocks.getResults().end());
  }
  if (whole < trips) {
    Value first = arith::AddIOp::create(builder, loc, lane, constant(whole));
    unrollRange(loop, first, whole, trips, carried, builder);
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
}

void mlir::soap::distributeOverLanes(scf::IfOp row) {
  OpBuilder builder(row);
  Location loc = row.getLoc();
  auto isFirst = row.getCondition().getDefiningOp<arith::CmpIOp>();
  Value lane = isFirst.getLhs();
  bool isKept = numbersOfLane(row) > 0;
  for (Operation &op :
       llvm::make_early_inc_range(row.thenBlock()->without_terminator())) {
    op.moveBefore(row);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      distributeReduction(loop, builder);
      if (isKept)
        unroll(loop, lane, builder);
      else
        unrollByLoads(loop, lane, builder);
    } else if (isa<memref::StoreOp>(op)) {
      builder.setInsertionPoint(row);
      auto once = scf::IfOp::create(builder, loc, isFirst,
                                    /*withElseRegion=*/false);
      op.moveBefore(once.thenBlock()->getTerminator());
    }
  }
  row.erase();
}
