//===- CooperativeBlocks.cpp - What blocks of threads end with ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CooperativeBlocks.h.
//
//===----------------------------------------------------------------------===//

#include "CooperativeBlocks.h"

#include "IndependentLoops.h"

#include "Soap/Dialect/Soap/GpuAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::soap;

scf::IfOp mlir::soap::blockEndOf(Operation *op) {
  scf::IfOp found;
  op->walk([&](scf::IfOp end) {
    if (end->hasAttr(kTogether))
      found = end;
  });
  return found;
}

static int64_t blockOf(Operation *op) {
  auto block = op ? op->getAttrOfType<IntegerAttr>(kBlock) : IntegerAttr();
  return block ? block.getInt() : 0;
}

int64_t mlir::soap::iterationsOfBlock(scf::ForOp nest) {
  return blockOf(blockEndOf(nest));
}

int64_t mlir::soap::iterationsOfBlock(func::FuncOp part) {
  return blockOf(part);
}

namespace {

class BlockBuilder {
public:
  BlockBuilder(gpu::GPUFuncOp kernel, func::FuncOp part)
      : kernel(kernel), part(part), builder(kernel.getContext()),
        loc(part.getLoc()) {}

  LogicalResult build(int64_t extent) {
    int64_t iterations = iterationsOfBlock(part);
    scf::ForOp range = rangeLoopOf(part);
    scf::IfOp end = blockEndOf(part);
    if (!range || !end || iterations <= 0 || extent % iterations != 0 ||
        end->getParentOp() != range)
      return part.emitOpError("has blocks of ")
             << iterations << " iterations, of " << extent
             << ": expected a loop over the range, at its end an scf.if with '"
             << kTogether << "', and whole blocks";
    builder.setInsertionPointToEnd(&kernel.getBody().front());
    IRMapping map;
    map.map(part.getArguments().drop_back(2),
            kernel.getArguments().take_front(part.getNumArguments() - 2));
    cloneOutside(range, map);
    auto dimension = gpu::Dimension::x;
    thread = gpu::ThreadIdOp::create(builder, loc, dimension);
    threads = gpu::BlockDimOp::create(builder, loc, dimension);
    Value first = gpu::BlockIdOp::create(builder, loc, dimension);
    Value grid = gpu::GridDimOp::create(builder, loc, dimension);
    Value length = constant(iterations);
    count = shared(MemRefType::get({1}, builder.getI32Type()));
    auto blocks = scf::ForOp::create(builder, loc, first,
                                     constant(extent / iterations), grid);
    gpu::ReturnOp::create(builder, loc);
    builder.setInsertionPoint(blocks.getBody()->getTerminator());
    Value begin = arith::MulIOp::create(builder, loc, blocks.getInductionVar(),
                                        length, noWrap);
    auto own = scf::ForOp::create(builder, loc, thread, length, threads);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(own.getBody()->getTerminator());
      IRMapping inside(map);
      inside.map(range.getInductionVar(),
                 Value(arith::AddIOp::create(builder, loc, begin,
                                             own.getInductionVar(), noWrap)));
      for (Operation &op : range.getBody()->without_terminator())
        if (&op != end)
          builder.clone(op, inside);
    }
    gpu::BarrierOp::create(builder, loc);
    // Every thread computes the numbers of the last iteration.
    map.map(range.getInductionVar(),
            Value(arith::AddIOp::create(builder, loc, begin,
                                        constant(iterations - 1), noWrap)));
    if (failed(cloneNeeds(end, range, map)))
      return failure();
    return together(*end.thenBlock(), map);
  }

private:
  static constexpr auto noWrap =
      arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;

  gpu::GPUFuncOp kernel;
  func::FuncOp part;
  OpBuilder builder;
  Location loc;
  Value thread, threads;
  Value count; ///< of one number: what an atomic op gave the first thread

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// Memory of a block.
  Value shared(MemRefType type) {
    auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                            gpu::AddressSpace::Workgroup);
    return kernel.addWorkgroupAttribution(
        MemRefType::get(type.getShape(), type.getElementType(),
                        MemRefLayoutAttrInterface(), space),
        loc);
  }

  /// Ops beside the loop over the range.
  void cloneOutside(scf::ForOp range, IRMapping &map) {
    for (Operation &op : part.getBody().front().without_terminator()) {
      if (&op == range)
        continue;
      auto memory = dyn_cast<memref::AllocaOp>(op);
      if (memory && op.hasAttr(kTogether))
        map.map(memory.getResult(), shared(memory.getType()));
      else
        builder.clone(op, map);
    }
  }

  /// The numbers of an iteration that the end of its block uses.
  LogicalResult cloneNeeds(scf::IfOp end, scf::ForOp range, IRMapping &map) {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(end->getRegions(), used);
    for (size_t i = 0; i < used.size(); ++i) // The list grows.
      if (Operation *op = used[i].getDefiningOp();
          op && op->getBlock() == range.getBody())
        used.insert(op->operand_begin(), op->operand_end());
    for (Operation &op : range.getBody()->without_terminator()) {
      if (!llvm::is_contained(used, op.getNumResults() == 1 ? op.getResult(0)
                                                            : Value()))
        continue;
      if (!isMemoryEffectFree(&op) || op.getNumRegions() != 0)
        return op.emitOpError("is used at the end of a block: expected "
                              "arithmetic of the iteration's number");
      builder.clone(op, map);
    }
    return success();
  }

  LogicalResult together(Block &block, IRMapping &map) {
    for (Operation &op : block.without_terminator()) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (!tripCountOf(loop) || loop.getNumResults() != 0)
          return loop.emitOpError("ends a block: expected a loop from 0, in "
                                  "steps of 1, without results");
        share(loop, map);
      } else if (auto counting = dyn_cast<memref::AtomicRMWOp>(op)) {
        countOnce(counting, map);
      } else if (auto choice = dyn_cast<scf::IfOp>(op);
                 choice && choice->getNumResults() == 0 &&
                 !choice.elseBlock()) {
        auto same = scf::IfOp::create(
            builder, loc, map.lookupOrDefault(choice.getCondition()),
            /*withElseRegion=*/false);
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(same.thenBlock()->getTerminator());
        if (failed(together(*choice.thenBlock(), map)))
          return failure();
      } else if (op.getNumRegions() == 0 && isMemoryEffectFree(&op)) {
        builder.clone(op, map);
      } else {
        return op.emitOpError("ends a block: expected arithmetic, loops, "
                              "atomic counts and conditions");
      }
    }
    return success();
  }

  void share(scf::ForOp loop, IRMapping &map) {
    auto copy = cast<scf::ForOp>(builder.clone(*loop, map));
    copy.setLowerBound(thread);
    copy.setStep(threads);
    gpu::BarrierOp::create(builder, loc);
  }

  /// In the memory of the device: what stands before is seen by all threads
  /// that see what stands behind.
  void fence() {
    LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::acq_rel,
                          "device");
  }

  /// The first thread counts for all, with a fence before and behind: LLVM
  /// gives an atomic op of PTX no order. By the barriers around it, what any
  /// thread of a block has stored is seen by any thread of a block that counts
  /// later. The fences of all threads keep the compiler from moving their
  /// accesses.
  void countOnce(memref::AtomicRMWOp counting, IRMapping &map) {
    fence();
    gpu::BarrierOp::create(builder, loc);
    Value zero = constant(0);
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, thread, zero);
    auto once = scf::IfOp::create(builder, loc, isFirst,
                                  /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(once.thenBlock()->getTerminator());
      IRMapping inside(map);
      fence();
      Operation *one = builder.clone(*counting, inside);
      fence();
      memref::StoreOp::create(builder, loc, one->getResult(0), count, zero);
    }
    gpu::BarrierOp::create(builder, loc);
    map.map(counting.getResult(),
            memref::LoadOp::create(builder, loc, count, zero).getResult());
    fence();
  }
};

} // namespace

LogicalResult mlir::soap::buildBlocks(gpu::GPUFuncOp kernel, func::FuncOp part,
                                      int64_t extent) {
  return BlockBuilder(kernel, part).build(extent);
}
