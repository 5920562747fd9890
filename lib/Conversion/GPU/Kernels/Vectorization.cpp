//===- Vectorization.cpp - Several elements an iteration ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass. A GPU moves 16 bytes with one instruction where it can, and a
// thread that computes one number of f32 asks for four. Parts whose iterations
// each read and write their own element do four of them: first all loads, then
// the computation, then all stores, each four in a row, which LLVM joins
// because the buffers are known to be aligned. Others, whose iterations differ
// in their channel alone, are joined (JoinedIterations.h), and transposes have
// tiles (TransposedIterations.h).
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Conversion/Parallelize/IndependentLoops.h"
#include "ElementwiseIterations.h"
#include "JoinedIterations.h"
#include "TransposedIterations.h"

#include "Dialect/Soap/PassStatistics.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPWIDENKERNELS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

constexpr int64_t lanes = kWideLanes, alignment = 16;

class Widener {
public:
  explicit Widener(ModuleOp module) : symbols(module) {}

  /// The part with four elements an iteration, for buffers of which some are
  /// aligned; null: there is none.
  StringAttr widened(StringAttr name, int64_t extent, ArrayRef<bool> aligned) {
    auto [place, isNew] = known.try_emplace({name, extent});
    Wide &wide = place->second;
    auto part = symbols.lookup<func::FuncOp>(name);
    if (isNew && part && canBeWidened(part, extent)) {
      wide.exists = true;
      for (const Iterations &iterations : iterationsOf(part, extent))
        if (!canBeJoined(iterations, wide.own) && !canBeTransposed(iterations))
          isStraight(iterations, wide.own);
      for (Operation *op : wide.own)
        if (std::optional<unsigned> argument = argumentOf(op))
          wide.aligned.insert(*argument);
    }
    if (!wide.exists || !llvm::all_of(wide.aligned, [&](unsigned argument) {
          return aligned[argument];
        }))
      return nullptr;
    if (!wide.name)
      wide.name = create(part, extent, wide.own, wide.aligned);
    return wide.name;
  }

private:
  SymbolTable symbols;
  /// A part of some extent, analysed.
  struct Wide {
    bool exists = false;              ///< else it stays as it is
    llvm::DenseSet<Operation *> own;  ///< accesses of neighbours
    llvm::DenseSet<unsigned> aligned; ///< buffers that have to be
    StringAttr name;                  ///< null: not made yet
  };
  llvm::DenseMap<std::pair<StringAttr, int64_t>, Wide> known;

  /// The number of the buffer that a load or store touches; none for memory of
  /// a block.
  static std::optional<unsigned> argumentOf(Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    Value buffer =
        load ? load.getMemRef() : cast<memref::StoreOp>(op).getMemRef();
    auto argument = dyn_cast<BlockArgument>(rootBuffer(buffer));
    return argument ? std::optional(argument.getArgNumber()) : std::nullopt;
  }

  StringAttr create(func::FuncOp part, int64_t extent,
                    const llvm::DenseSet<Operation *> &own,
                    const llvm::DenseSet<unsigned> &aligned) {
    Location loc = part.getLoc();
    OpBuilder builder(part.getContext());
    auto wide = func::FuncOp::create(
        builder, loc, (part.getName() + "_by_4").str(), part.getFunctionType());
    wide.setPrivate();
    wide->setDiscardableAttrs(llvm::to_vector(part->getDiscardableAttrs()));
    if (auto block = part->getAttrOfType<IntegerAttr>(kBlock))
      wide->setAttr(kBlock, builder.getI64IntegerAttr(block.getInt() / lanes));
    StringAttr name = symbols.insert(wide);
    Block *body = wide.addEntryBlock();
    unsigned buffers = part.getNumArguments() - 2;
    for (unsigned i = 0; i < part.getNumArguments(); ++i) {
      if (DictionaryAttr attributes = part.getArgAttrDict(i))
        wide.setArgAttrs(i, attributes);
      if (aligned.contains(i))
        wide.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(alignment));
    }
    IRMapping shared;
    shared.map(part.getArguments(), body->getArguments());
    builder.setInsertionPointToEnd(body);
    scf::ForOp loop = rangeLoopOf(part);
    for (Operation &op : part.getBody().front().without_terminator())
      if (&op != loop)
        builder.clone(op, shared);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto range = scf::ForOp::create(builder, loc, body->getArgument(buffers),
                                    body->getArgument(buffers + 1), one);
    func::ReturnOp::create(builder, loc);
    builder.setInsertionPoint(range.getBody()->getTerminator());
    SmallVector<Iterations> all = iterationsOf(part, extent);
    SmallVector<int64_t> firsts =
        llvm::map_to_vector(all, [](const Iterations &iterations) {
          return iterations.first / lanes;
        });
    chooseLaunch(builder, range.getInductionVar(), firsts, [&](size_t i) {
      widen(builder, all[i], range.getInductionVar(), shared, own);
    });
    return name;
  }

  /// Four iterations, of which `number` counts the fours of the launch.
  static void widen(OpBuilder &builder, const Iterations &iterations,
                    Value number, IRMapping shared,
                    const llvm::DenseSet<Operation *> &own) {
    Location loc = number.getLoc();
    constexpr auto noWrap =
        arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    if (iterations.first > 0)
      number = arith::SubIOp::create(builder, loc, number,
                                     constant(iterations.first / lanes));
    if (llvm::DenseSet<Operation *> joined; canBeJoined(iterations, joined))
      return joinIterations(builder, iterations, number, shared);
    if (canBeTransposed(iterations))
      return transposeIterations(builder, iterations, number, shared);
    Value first =
        arith::MulIOp::create(builder, loc, number, constant(lanes), noWrap);
    // Ops that do not depend on the iteration: once.
    auto isShared = [](Operation &op) {
      return isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(op) ||
             op.hasTrait<OpTrait::ConstantLike>();
    };
    for (Operation &op : iterations.block->without_terminator())
      if (isShared(op))
        builder.clone(op, shared);
    SmallVector<IRMapping> maps(lanes, shared);
    SmallVector<Value> places;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value here = first;
      if (lane > 0)
        here =
            arith::AddIOp::create(builder, loc, first, constant(lane), noWrap);
      places.push_back(here);
      maps[lane].map(iterations.iteration, here);
    }
    auto ops = iterations.block->without_terminator();
    // Loads of one buffer side by side, the computation of each lane, stores.
    for (Operation &op : ops)
      if (auto load = dyn_cast<memref::LoadOp>(op); load && own.contains(&op)) {
        Value row = asRow(builder, shared.lookupOrDefault(load.getMemRef()));
        for (auto [map, place] : llvm::zip(maps, places))
          map.map(load.getResult(),
                  memref::LoadOp::create(builder, loc, row, place).getResult());
      }
    for (IRMapping &map : maps)
      for (Operation &op : ops)
        if (!own.contains(&op) && !isShared(op) &&
            iterations.iteration.getDefiningOp() != &op)
          builder.clone(op, map);
    for (Operation &op : ops)
      if (auto store = dyn_cast<memref::StoreOp>(op)) {
        Value row = asRow(builder, shared.lookupOrDefault(store.getMemRef()));
        for (auto [map, place] : llvm::zip(maps, places))
          memref::StoreOp::create(
              builder, loc, map.lookupOrDefault(store.getValue()), row, place);
      }
  }
};

/// Which buffers begin at a multiple of 16 bytes of an argument of the program,
/// which are all aligned to more. Constants may begin anywhere.
FailureOr<SmallVector<bool>> alignedBuffers(ParallelCallOp call) {
  auto accesses = accessesOf(call);
  if (failed(accesses))
    return failure();
  SmallVector<bool> aligned;
  const Access *next = accesses->begin();
  for (Value buffer : call.getBuffers()) {
    bool isConstant =
        rootBuffer(buffer).getDefiningOp<memref::GetGlobalOp>() != nullptr;
    aligned.push_back(!isConstant && (next++)->begin % alignment == 0);
  }
  return aligned;
}

struct WidenKernelsPass
    : public mlir::soap::impl::SoapWidenKernelsBase<WidenKernelsPass> {
  using SoapWidenKernelsBase::SoapWidenKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (minExtent < lanes) {
      module.emitError("expected min-extent of at least ")
          << lanes << ", got " << minExtent.getValue();
      return signalPassFailure();
    }
    Widener widener(module);
    for (func::FuncOp program : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (isProgram(program))
        for (auto call : program.getOps<ParallelCallOp>()) {
          auto extent = static_cast<int64_t>(call.getExtent());
          if (extent < minExtent || extent % lanes != 0)
            continue;
          FailureOr<SmallVector<bool>> aligned = alignedBuffers(call);
          if (failed(aligned))
            return signalPassFailure();
          StringAttr part =
              widener.widened(call.getCalleeAttr().getAttr(), extent, *aligned);
          if (!part)
            continue;
          call.setCalleeAttr(FlatSymbolRefAttr::get(part));
          call.setExtent(static_cast<uint64_t>(extent / lanes));
          call.setGrain(std::max<uint64_t>(1, call.getGrain() / lanes));
          addTo(widened);
        }
  }
};

} // namespace
