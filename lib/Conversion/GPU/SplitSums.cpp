//===- SplitSums.cpp - Long reductions in several threads -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: where few iterations of a kernel's loops are independent, a long
// sum, maximum or minimum in them is split into parts, which are independent,
// and folded over the parts. The parts lie in memory of the kernel.
//
//===----------------------------------------------------------------------===//

#include "../Parallelize/CooperativeRows.h"
#include "../Parallelize/IndependentLoops.h"

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

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPSPLITSUMS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

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
        builder(kernel.getContext()) {
    kernel.walk([&](memref::StoreOp store) {
      written.insert(rootBuffer(store.getMemRef()));
    });
  }

  void run() {
    Block &body = kernel.getBody().front();
    // A split adds a nest before the one that it changes, and none behind it.
    for (auto nest : llvm::make_early_inc_range(body.getOps<scf::ForOp>())) {
      if (hasWarpsEnough(nest))
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
  /// Whether warps that share rows are a quarter of the threads or more: they
  /// sum as they read, without parts in memory.
  bool hasWarpsEnough(scf::ForOp nest) const {
    int64_t lanes = kWarpLanes;
    SmallVector<scf::ForOp> rows = findCooperativeRows(nest);
    for (scf::ForOp loop : rows)
      lanes *= *tripCountOf(loop);
    return !rows.empty() && lanes >= threads / 4;
  }

  func::FuncOp kernel;
  int64_t threads, minWork;
  OpBuilder builder;
  llvm::DenseSet<Value> written;

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

  /// The most parts of equal length that the threads are enough for.
  int64_t partsOf(scf::ForOp sum, ArrayRef<scf::ForOp> loops) const {
    constexpr int64_t most = 256;
    std::optional<int64_t> trips = tripCountOf(sum);
    int64_t independent = 1;
    for (scf::ForOp loop : loops)
      independent *= *tripCountOf(loop);
    if (!trips || tripsOf(sum) < minWork)
      return 1;
    int64_t limit = std::min({*trips, threads / independent, most});
    while (limit > 1 && *trips % limit != 0)
      --limit;
    return limit;
  }

  void split(scf::ForOp sum, ArrayRef<scf::ForOp> loops) {
    int64_t parts = partsOf(sum, loops);
    if (parts < 2 || sum.getNumResults() == 0)
      return;
    SmallVector<Operation *> combiners;
    for (unsigned i = 0; i < sum.getNumResults(); ++i) {
      Operation *combiner = combinerOf(sum, i);
      if (!combiner || !isa<FloatType>(sum.getResult(i).getType()))
        return;
      combiners.push_back(combiner);
    }
    auto needs = needsOf(sum, loops, parts);
    if (!needs)
      return;
    bool partsFirst = walksAlong(sum, loops);
    SmallVector<Value> buffers = allocate(sum, loops, parts, partsFirst);
    sumParts(sum, loops, parts, combiners, *needs, buffers, partsFirst);
    foldParts(sum, loops, parts, combiners, buffers, partsFirst);
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
    return result.wasInterrupted() && !loadsAlongSum(sum);
  }

  /// Some load's last position is of a loop of the sum.
  static bool loadsAlongSum(scf::ForOp sum) {
    return sum
        .walk([&](memref::LoadOp load) {
          if (load.getIndices().empty())
            return WalkResult::advance();
          auto variable = dyn_cast<BlockArgument>(load.getIndices().back());
          bool isInside =
              variable && sum->isAncestor(variable.getOwner()->getParentOp());
          return isInside ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  Value constant(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// For each result, a number per independent iteration and part, or per part
  /// and iteration.
  SmallVector<Value> allocate(scf::ForOp sum, ArrayRef<scf::ForOp> loops,
                              int64_t parts, bool partsFirst) {
    SmallVector<int64_t> shape;
    for (scf::ForOp loop : loops)
      shape.push_back(*tripCountOf(loop));
    shape.insert(partsFirst ? shape.begin() : shape.end(), parts);
    builder.setInsertionPointToStart(&kernel.getBody().front());
    SmallVector<Value> buffers;
    for (Type type : sum.getResultTypes())
      buffers.push_back(memref::AllocaOp::create(builder, sum.getLoc(),
                                                 MemRefType::get(shape, type)));
    return buffers;
  }

  /// The loops again, and in them a loop over the parts, each from the neutral
  /// element on.
  void sumParts(scf::ForOp sum, ArrayRef<scf::ForOp> loops, int64_t parts,
                ArrayRef<Operation *> combiners,
                const llvm::SetVector<Operation *> &needs,
                ArrayRef<Value> buffers, bool partsFirst) {
    Location loc = sum.getLoc();
    builder.setInsertionPoint(outermost(sum, loops));
    IRMapping map;
    SmallVector<Value> indices;
    Value part0 = constant(loc, 0), partEnd = constant(loc, parts),
          step = constant(loc, 1);
    auto overParts = [&] {
      auto loop = scf::ForOp::create(builder, loc, part0, partEnd, step);
      indices.push_back(loop.getInductionVar());
      builder.setInsertionPoint(loop.getBody()->getTerminator());
      return loop.getInductionVar();
    };
    Value place;
    if (partsFirst)
      place = overParts();
    for (scf::ForOp loop : loops) {
      auto copy = scf::ForOp::create(builder, loc, loop.getLowerBound(),
                                     loop.getUpperBound(), loop.getStep());
      map.map(loop.getInductionVar(), copy.getInductionVar());
      indices.push_back(copy.getInductionVar());
      builder.setInsertionPoint(copy.getBody()->getTerminator());
    }
    if (!partsFirst)
      place = overParts();
    for (Operation *op : needs)
      builder.clone(*op, map);
    int64_t length = *tripCountOf(sum) / parts;
    Value first =
        arith::MulIOp::create(builder, loc, place, constant(loc, length));
    SmallVector<Value> neutral;
    for (auto [combiner, type] : llvm::zip(combiners, sum.getResultTypes()))
      neutral.push_back(arith::ConstantOp::create(
          builder, loc, neutralOf(combiner, cast<FloatType>(type))));
    auto part =
        scf::ForOp::create(builder, loc, constant(loc, 0),
                           constant(loc, length), constant(loc, 1), neutral);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(part.getBody());
      map.map(sum.getInductionVar(),
              Value(arith::AddIOp::create(builder, loc, first,
                                          part.getInductionVar())));
      map.map(sum.getRegionIterArgs(), part.getRegionIterArgs());
      for (Operation &op : *sum.getBody())
        builder.clone(op, map);
    }
    builder.setInsertionPointAfter(part);
    for (auto [result, buffer] : llvm::zip(part.getResults(), buffers))
      memref::StoreOp::create(builder, loc, result, buffer, indices);
  }

  /// In place of the sum: what its initial values and the parts make.
  void foldParts(scf::ForOp sum, ArrayRef<scf::ForOp> loops, int64_t parts,
                 ArrayRef<Operation *> combiners, ArrayRef<Value> buffers,
                 bool partsFirst) {
    Location loc = sum.getLoc();
    builder.setInsertionPoint(sum);
    auto fold =
        scf::ForOp::create(builder, loc, constant(loc, 0), constant(loc, parts),
                           constant(loc, 1), sum.getInitArgs());
    builder.setInsertionPointToEnd(fold.getBody());
    SmallVector<Value> indices, results;
    for (scf::ForOp loop : loops)
      indices.push_back(loop.getInductionVar());
    indices.insert(partsFirst ? indices.begin() : indices.end(),
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
