//===- SplitReductions.cpp - Long reductions in several threads -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: where few iterations of a kernel's loops are independent, a long
// sum, maximum or minimum in them is split into parts, which are independent,
// and folded over the parts. The parts lie in memory of the kernel.
//
//===----------------------------------------------------------------------===//

#include "Conversion/Parallelize/CooperativeBlocks.h"
#include "Conversion/Parallelize/CooperativeRows.h"
#include "Conversion/Parallelize/IndependentLoops.h"

#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>
#include <cmath>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPSPLITSUMS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

/// How a sum is cut: the iterations of its loop and, where each is a part of
/// its own, the iterations of the loop inside.
struct Cut {
  int64_t outer = 1, inner = 1;

  int64_t parts() const { return outer * inner; }
};

/// The only loop inside of `loop`, which folds what `loop` does; else null.
scf::ForOp onlyLoopOf(scf::ForOp loop) {
  scf::ForOp inner;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto nested = dyn_cast<scf::ForOp>(op)) {
      if (inner)
        return nullptr;
      inner = nested;
    } else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op)) {
      return nullptr;
    }
  }
  if (!inner || !llvm::equal(inner.getInitArgs(), loop.getRegionIterArgs()) ||
      !llvm::equal(loop.getBody()->getTerminator()->getOperands(),
                   inner.getResults()))
    return nullptr;
  return inner;
}

/// The largest divisor of `number` that is at most `limit`.
int64_t divisorBelow(int64_t number, int64_t limit) {
  int64_t divisor = std::max<int64_t>(std::min(number, limit), 1);
  while (number % divisor != 0)
    --divisor;
  return divisor;
}

/// Iterations of a loop and of those inside of it.
int64_t tripsOf(scf::ForOp loop) {
  int64_t inner = 1;
  for (auto nested : loop.getBody()->getOps<scf::ForOp>())
    inner = std::max(inner, tripsOf(nested));
  return inner * tripCountOf(loop).value_or(1);
}

class Splitter {
public:
  Splitter(func::FuncOp kernel, int64_t threads, int64_t minWork)
      : kernel(kernel), threads(threads), minWork(minWork),
        builder(kernel.getContext()) {}

  void run() {
    Block &body = kernel.getBody().front();
    // A split adds a nest before the one that it changes, and none behind it.
    for (auto nest : llvm::make_early_inc_range(body.getOps<scf::ForOp>())) {
      if (blockEndOf(nest) || hasWarpsEnough(nest))
        continue;
      SmallVector<scf::ForOp> loops = findIndependentLoops(nest);
      if (loops.empty() && nest.getNumResults() > 0)
        split(nest, loops);
      else if (!loops.empty())
        for (auto sum : llvm::make_early_inc_range(
                 loops.back().getBody()->getOps<scf::ForOp>()))
          split(sum, loops);
    }
  }

private:
  /// Whether warps that share rows are threads enough: they sum as they read,
  /// without parts in memory.
  bool hasWarpsEnough(scf::ForOp nest) const {
    constexpr int64_t enough = 8192;
    int64_t lanes = kWarpLanes;
    SmallVector<scf::ForOp> rows = findCooperativeRows(nest);
    for (scf::ForOp loop : rows)
      lanes *= *tripCountOf(loop);
    return !rows.empty() && lanes >= std::min(threads / 4, enough);
  }

  func::FuncOp kernel;
  int64_t threads, minWork;
  OpBuilder builder;
  llvm::DenseSet<Operation *> folds; ///< over parts, that this pass made

  /// The op outside of which everything is seen by all iterations.
  static Operation *outermost(scf::ForOp sum, ArrayRef<scf::ForOp> loops) {
    return loops.empty() ? sum : loops.front();
  }

  /// Ops between the loops and `sum` that it needs, in their order; none if
  /// they cannot be repeated in every part.
  std::optional<llvm::SetVector<Operation *>>
  needsOf(scf::ForOp sum, ArrayRef<scf::ForOp> loops, int64_t parts) {
    llvm::SetVector<Operation *> needs;
    Operation *nest = outermost(sum, loops);
    bool possible = true;
    // Nests before this one have written already.
    llvm::DenseSet<Value> written;
    nest->walk([&](memref::StoreOp store) {
      written.insert(rootBuffer(store.getMemRef()));
    });
    auto mayRead = [&](memref::LoadOp load) {
      return !written.contains(rootBuffer(load.getMemRef()));
    };
    auto visit = [&](auto &self, Value value) -> void {
      Operation *op = value.getDefiningOp();
      if (!op || !nest->isProperAncestor(op) || needs.contains(op))
        return;
      auto loop = dyn_cast<scf::ForOp>(op);
      bool isShort = loop && tripsOf(loop) <= 2 * parts;
      op->walk([&](Operation *inner) {
        auto load = dyn_cast<memref::LoadOp>(inner);
        possible &= load ? mayRead(load)
                         : isMemoryEffectFree(inner) || isa<scf::ForOp>(inner);
      });
      possible &= op->getNumRegions() == 0 || isShort;
      llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
      getUsedValuesDefinedAbove(op->getRegions(), used);
      for (Value operand : used)
        self(self, operand);
      needs.insert(op);
    };
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(sum->getRegions(), used);
    for (Value value : used)
      visit(visit, value);
    sum.walk([&](Operation *op) {
      auto load = dyn_cast<memref::LoadOp>(op);
      possible &=
          load ? mayRead(load) : isMemoryEffectFree(op) || isa<scf::ForOp>(op);
    });
    if (!possible)
      return std::nullopt;
    return needs;
  }

  /// The most parts of equal length that the threads are enough for, each of
  /// several elements.
  Cut cutOf(scf::ForOp sum, ArrayRef<scf::ForOp> loops) const {
    constexpr int64_t shortest = 8;
    std::optional<int64_t> trips = tripCountOf(sum);
    int64_t independent = 1, elements = tripsOf(sum);
    for (scf::ForOp loop : loops)
      independent *= *tripCountOf(loop);
    Cut cut;
    constexpr int64_t manyParts = 256;
    if (!trips || elements < (folds.contains(sum) ? manyParts : minWork))
      return cut;
    int64_t limit =
        std::min({threads / independent, maxPartsOf(sum, loops, elements),
                  elements / shortest});
    // One thread folds the parts of a sum that stands alone.
    if (loops.empty())
      while (limit > 1 && limit * limit > elements)
        limit /= 2;
    cut.outer = divisorBelow(*trips, limit);
    scf::ForOp inner = onlyLoopOf(sum);
    if (std::optional<int64_t> innerTrips =
            inner ? tripCountOf(inner) : std::nullopt;
        innerTrips && *innerTrips > 0 && cut.outer == *trips)
      cut.inner = divisorBelow(*innerTrips, limit / cut.outer);
    return cut;
  }

  /// A thread folds so many parts of its number, or a warp; then as many as
  /// make the sum of a part and the fold about as long, as a load of the one
  /// takes twice as long as one of the other.
  static int64_t maxPartsOf(scf::ForOp sum, ArrayRef<scf::ForOp> loops,
                            int64_t elements) {
    constexpr int64_t ofThread = 2048, ofWarp = 8192;
    if (!areFoldedByWarps(sum, loops))
      return ofThread;
    auto balanced = static_cast<int64_t>(
        std::sqrt(2.0 * kWarpLanes * static_cast<double>(elements)));
    return std::clamp(balanced, ofThread, ofWarp);
  }

  /// Warps fold where the parts of a number lie side by side.
  static bool areFoldedByWarps(scf::ForOp sum, ArrayRef<scf::ForOp> loops) {
    return !loops.empty() && llvm::all_of(sum.getResultTypes(), [](Type type) {
      return type.isF32();
    });
  }

  void split(scf::ForOp sum, ArrayRef<scf::ForOp> loops) {
    Cut cut = cutOf(sum, loops);
    if (cut.parts() < 2 || sum.getNumResults() == 0)
      return;
    SmallVector<Operation *> combiners;
    for (unsigned i = 0; i < sum.getNumResults(); ++i) {
      Operation *combiner = combinerOf(sum, i);
      if (!combiner || !isa<FloatType>(sum.getResult(i).getType()))
        return;
      combiners.push_back(combiner);
    }
    separateFolds(sum, loops);
    auto needs = needsOf(sum, loops, cut.parts());
    if (!needs)
      return;
    bool partsFirst = walksAlong(sum, loops);
    bool byWarps =
        cut.parts() >= 2 * kWarpLanes && areFoldedByWarps(sum, loops);
    Layout layout{partsFirst, partsFirst && !byWarps};
    SmallVector<Value> buffers = allocate(sum, loops, cut.parts(), layout);
    sumParts(sum, loops, cut, combiners, *needs, buffers, layout);
    scf::ForOp fold =
        foldParts(sum, loops, cut.parts(), combiners, buffers, layout);
    // One thread would fold them.
    if (loops.empty())
      split(fold, loops);
  }

  /// Whether parts are the outermost of the loops that sum them, and of the
  /// dims that hold them.
  struct Layout {
    bool loopsFirst, storedFirst;
  };

  /// Folds of parts that `sum` reads the results of get a nest of their own, so
  /// that not every part of `sum` folds again.
  void separateFolds(scf::ForOp sum, ArrayRef<scf::ForOp> loops) {
    if (loops.empty())
      return;
    for (auto fold : llvm::make_early_inc_range(
             scf::ForOp(loops.back()).getBody()->getOps<scf::ForOp>())) {
      if (fold == sum)
        return;
      if (folds.contains(fold) && isNeeded(fold, sum))
        separate(fold, loops);
    }
  }

  static bool isNeeded(scf::ForOp fold, scf::ForOp sum) {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(sum->getRegions(), used);
    // The list grows.
    for (size_t i = 0; i < used.size(); ++i) {
      Operation *op = used[i].getDefiningOp();
      if (op == fold)
        return true;
      if (op && op->getBlock() == fold->getBlock())
        used.insert(op->operand_begin(), op->operand_end());
    }
    return false;
  }

  void separate(scf::ForOp fold, ArrayRef<scf::ForOp> loops) {
    Location loc = fold.getLoc();
    llvm::SetVector<Value> used(fold->operand_begin(), fold->operand_end());
    getUsedValuesDefinedAbove(fold->getRegions(), used);
    SmallVector<Operation *> constants;
    for (Value value : used) {
      bool isVariable = llvm::any_of(loops, [&](scf::ForOp loop) {
        return loop.getInductionVar() == value;
      });
      Operation *op = value.getDefiningOp();
      if (isVariable || !op || !outermost(fold, loops)->isProperAncestor(op))
        continue;
      if (!op->hasTrait<OpTrait::ConstantLike>())
        return;
      constants.push_back(op);
    }
    SmallVector<int64_t> shape;
    for (scf::ForOp loop : loops)
      shape.push_back(*tripCountOf(loop));
    builder.setInsertionPointToStart(&kernel.getBody().front());
    SmallVector<Value> buffers;
    for (Type type : fold.getResultTypes())
      buffers.push_back(
          memref::AllocaOp::create(builder, loc, MemRefType::get(shape, type)));
    builder.setInsertionPoint(outermost(fold, loops));
    IRMapping map;
    SmallVector<Value> indices, own;
    for (scf::ForOp loop : loops) {
      auto copy = scf::ForOp::create(builder, loc, loop.getLowerBound(),
                                     loop.getUpperBound(), loop.getStep());
      map.map(loop.getInductionVar(), copy.getInductionVar());
      indices.push_back(copy.getInductionVar());
      own.push_back(loop.getInductionVar());
      builder.setInsertionPoint(copy.getBody()->getTerminator());
    }
    for (Operation *op : constants)
      builder.clone(*op, map);
    Operation *moved = builder.clone(*fold, map);
    for (auto [result, buffer] : llvm::zip(moved->getResults(), buffers))
      memref::StoreOp::create(builder, loc, result, buffer, indices);
    builder.setInsertionPoint(fold);
    for (auto [result, buffer] : llvm::zip(fold.getResults(), buffers))
      result.replaceAllUsesWith(
          memref::LoadOp::create(builder, loc, buffer, own));
    folds.erase(fold);
    fold.erase();
  }

  /// Neighbours in memory belong to iterations of the last
  /// loop, not to the sum: threads side by side are to have the same part.
  static bool walksAlong(scf::ForOp sum, ArrayRef<scf::ForOp> loops) {
    if (loops.empty())
      return false;
    Value along = scf::ForOp(loops.back()).getInductionVar();
    WalkResult result = sum.walk([&](memref::LoadOp load) {
      return !load.getIndices().empty() && load.getIndices().back() == along
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    return result.wasInterrupted() && !loadsAlongSum(sum, along);
  }

  /// The last position of some load is of a loop of the sum, of a tensor that
  /// has a number of its own for every iteration of `along`.
  static bool loadsAlongSum(scf::ForOp sum, Value along) {
    return sum
        .walk([&](memref::LoadOp load) {
          if (load.getIndices().empty() ||
              !llvm::is_contained(load.getIndices(), along))
            return WalkResult::advance();
          auto variable = dyn_cast<BlockArgument>(load.getIndices().back());
          bool isInside =
              variable && sum->isAncestor(variable.getOwner()->getParentOp());
          return isInside ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Whether a warp can share `length` iterations of the loop as a row.
  static bool isRow(scf::ForOp loop, int64_t length) {
    bool fits = length > kWarpLanes / 2 &&
                loop.getBody()->getOps<scf::ForOp>().empty() &&
                llvm::all_of(loop.getResultTypes(),
                             [](Type type) { return type.isF32(); });
    loop.walk([&](memref::LoadOp load) {
      auto at = llvm::find(load.getIndices(), loop.getInductionVar());
      fits &= at == load.getIndices().end() ||
              std::next(at) == load.getIndices().end();
    });
    return fits;
  }

  Value constant(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// For each result, a number per independent iteration and part, or per part
  /// and iteration.
  SmallVector<Value> allocate(scf::ForOp sum, ArrayRef<scf::ForOp> loops,
                              int64_t parts, Layout layout) {
    SmallVector<int64_t> shape;
    for (scf::ForOp loop : loops)
      shape.push_back(*tripCountOf(loop));
    shape.insert(layout.storedFirst ? shape.begin() : shape.end(), parts);
    builder.setInsertionPointToStart(&kernel.getBody().front());
    SmallVector<Value> buffers;
    for (Type type : sum.getResultTypes())
      buffers.push_back(memref::AllocaOp::create(builder, sum.getLoc(),
                                                 MemRefType::get(shape, type)));
    return buffers;
  }

  /// The loops again, and in them a loop over the parts, each from the neutral
  /// element on. A part has elements that follow each other; where these lie
  /// side by side in memory, every so manieth, so that threads side by side
  /// read side by side, if no warp shares them.
  void sumParts(scf::ForOp sum, ArrayRef<scf::ForOp> loops, Cut cut,
                ArrayRef<Operation *> combiners,
                const llvm::SetVector<Operation *> &needs,
                ArrayRef<Value> buffers, Layout layout) {
    Location loc = sum.getLoc();
    builder.setInsertionPoint(outermost(sum, loops));
    IRMapping map;
    SmallVector<Value> indices;
    Value part0 = constant(loc, 0), partEnd = constant(loc, cut.parts()),
          step = constant(loc, 1);
    auto overParts = [&] {
      auto loop = scf::ForOp::create(builder, loc, part0, partEnd, step);
      builder.setInsertionPoint(loop.getBody()->getTerminator());
      return loop.getInductionVar();
    };
    Value place;
    if (layout.loopsFirst)
      place = overParts();
    for (scf::ForOp loop : loops) {
      auto copy = scf::ForOp::create(builder, loc, loop.getLowerBound(),
                                     loop.getUpperBound(), loop.getStep());
      map.map(loop.getInductionVar(), copy.getInductionVar());
      indices.push_back(copy.getInductionVar());
      builder.setInsertionPoint(copy.getBody()->getTerminator());
    }
    if (!layout.loopsFirst)
      place = overParts();
    indices.insert(layout.storedFirst ? indices.begin() : indices.end(), place);
    for (Operation *op : needs)
      builder.clone(*op, map);
    SmallVector<Value> neutral;
    for (Operation *combiner : combiners)
      neutral.push_back(
          arith::ConstantOp::create(builder, loc, neutralOf(combiner)));
    scf::ForOp cutLoop = sum;
    Value own = place;
    int64_t parts = cut.outer;
    if (cut.inner > 1) {
      cutLoop = onlyLoopOf(sum);
      parts = cut.inner;
      Value inner = constant(loc, parts);
      map.map(sum.getInductionVar(),
              Value(arith::DivUIOp::create(builder, loc, place, inner)));
      own = arith::RemUIOp::create(builder, loc, place, inner);
      for (Operation &op : sum.getBody()->without_terminator())
        if (&op != cutLoop)
          builder.clone(op, map);
    }
    int64_t length = *tripCountOf(cutLoop) / parts;
    auto part =
        scf::ForOp::create(builder, loc, constant(loc, 0),
                           constant(loc, length), constant(loc, 1), neutral);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(part.getBody());
      bool isInterleaved =
          !layout.loopsFirst && !(loops.empty() && isRow(cutLoop, length));
      Value first = isInterleaved ? part.getInductionVar() : own;
      Value scaled = arith::MulIOp::create(
          builder, loc, first, constant(loc, isInterleaved ? parts : length));
      map.map(cutLoop.getInductionVar(),
              Value(arith::AddIOp::create(
                  builder, loc, scaled,
                  isInterleaved ? own : Value(part.getInductionVar()))));
      map.map(cutLoop.getRegionIterArgs(), part.getRegionIterArgs());
      for (Operation &op : *cutLoop.getBody())
        builder.clone(op, map);
    }
    builder.setInsertionPointAfter(part);
    for (auto [result, buffer] : llvm::zip(part.getResults(), buffers))
      memref::StoreOp::create(builder, loc, result, buffer, indices);
  }

  /// In place of the sum: what its initial values and the parts make.
  scf::ForOp foldParts(scf::ForOp sum, ArrayRef<scf::ForOp> loops,
                       int64_t parts, ArrayRef<Operation *> combiners,
                       ArrayRef<Value> buffers, Layout layout) {
    Location loc = sum.getLoc();
    builder.setInsertionPoint(sum);
    auto fold =
        scf::ForOp::create(builder, loc, constant(loc, 0), constant(loc, parts),
                           constant(loc, 1), sum.getInitArgs());
    builder.setInsertionPointToEnd(fold.getBody());
    SmallVector<Value> indices, results;
    for (scf::ForOp loop : loops)
      indices.push_back(loop.getInductionVar());
    indices.insert(layout.storedFirst ? indices.begin() : indices.end(),
                   fold.getInductionVar());
    for (auto [i, combiner] : llvm::enumerate(combiners)) {
      Value part = memref::LoadOp::create(builder, loc, buffers[i], indices);
      Operation *combined = builder.clone(*combiner);
      combined->setOperands({fold.getRegionIterArg(i), part});
      results.push_back(combined->getResult(0));
    }
    scf::YieldOp::create(builder, loc, results);
    sum.replaceAllUsesWith(fold.getResults());
    sum.erase();
    folds.insert(fold);
    return fold;
  }
};

struct SplitSumsPass
    : public mlir::soap::impl::SoapSplitSumsBase<SplitSumsPass> {
  using SoapSplitSumsBase::SoapSplitSumsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (threads < 1) {
      module.emitError() << "expected at least 1 thread, got "
                         << threads.getValue();
      return signalPassFailure();
    }
    llvm::SetVector<StringAttr> names;
    module.walk([&](KernelCallOp call) {
      names.insert(call.getCalleeAttr().getAttr());
    });
    for (StringAttr name : names)
      if (auto kernel = module.lookupSymbol<func::FuncOp>(name);
          kernel && kernel.getBody().hasOneBlock())
        Splitter(kernel, threads, minWork).run();
  }
};

} // namespace
