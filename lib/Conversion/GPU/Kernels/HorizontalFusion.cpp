//===- HorizontalFusion.cpp - Updates of parameters in few launches -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass. A launch of a few hundred threads takes as long as one of a hundred
// thousand: what all parameters of a network need after each other is done in
// one launch, whose threads find out by their number whose element they update;
// and so what is made of parameters alone, as roundings of weights, and what
// neighbours do that do not need each other, as the parts of a concatenation.
//
//===----------------------------------------------------------------------===//

#include "Conversion/Parallelize/IndependentLoops.h"
#include "ElementwiseIterations.h"
#include "TouchedBuffers.h"

#include "Dialect/Soap/PassStatistics.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"

#include <array>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPMERGEUPDATES
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Launches that may become one, in program order.
struct Batch {
  SmallVector<ParallelCallOp> calls;
  Touched touched;
  /// Buffers that other ops between the calls touch.
  Touched between;
  size_t buffers = 0;

  void add(ParallelCallOp call, const Touched &own) {
    calls.push_back(call);
    buffers += call.getBuffers().size();
    touched.add(own);
  }
};

/// One batch of launches that `--soap-widen-kernels` can do four elements an
/// iteration of, one of others: a launch of both it could not.
using Batches = std::array<Batch, 2>;

class Merger {
public:
  Merger(ModuleOp module, int64_t maxExtent, size_t maxBuffers)
      : symbols(module), buffers(symbols), maxExtent(maxExtent),
        maxBuffers(maxBuffers) {}

  /// Launches that read nothing but arguments of the program become part of the
  /// first of them that they can move up to.
  int64_t runOnArguments(Block &block) {
    int64_t merged = 0;
    Batches batches;
    auto flush = [&](Batch &batch) {
      if (batch.calls.size() > 1) {
        for (ParallelCallOp call : ArrayRef(batch.calls).drop_front())
          for (Value buffer : call.getBuffers())
            moveUp(buffer, batch.calls.front());
        merge(batch.calls, batch.calls.front(), "kernel_arguments");
        merged += static_cast<int64_t>(batch.calls.size()) - 1;
      }
      batch = {};
    };
    for (Operation &op : llvm::make_early_inc_range(block)) {
      Touched own = buffers.touchedBy(&op);
      auto call = dyn_cast<ParallelCallOp>(op);
      Batch *its = call && readsArgumentsOnly(call, own)
                       ? &batches[isWide(call)]
                       : nullptr;
      for (Batch &batch : batches)
        if (&batch != its)
          batch.between.add(own);
      if (!its)
        continue;
      if (own.conflictsWith(its->between) || own.conflictsWith(its->touched) ||
          its->buffers + call.getBuffers().size() > maxBuffers)
        flush(*its);
      its->add(call, own);
    }
    llvm::for_each(batches, flush);
    return merged;
  }

  /// Launches near each other become part of the last of them that they can
  /// move down to.
  int64_t runOnNeighbours(Block &block, int64_t limit) {
    // Launches and calls between the first and the last of a batch: what the
    // first one reads is kept as long.
    constexpr int64_t span = 16;
    int64_t merged = 0, place = 0;
    Batches batches;
    std::array<int64_t, 2> begins{};
    auto flush = [&](Batch &batch) {
      if (batch.calls.size() > 1) {
        merge(batch.calls, batch.calls.back(), "kernel_neighbours");
        merged += static_cast<int64_t>(batch.calls.size()) - 1;
      }
      batch = {};
    };
    for (Operation &op : llvm::make_early_inc_range(block)) {
      Touched own = buffers.touchedBy(&op);
      place += isa<ParallelCallOp, LibraryCallOp>(op);
      for (Batch &batch : batches)
        if (own.conflictsWith(batch.touched))
          flush(batch);
      auto call = dyn_cast<ParallelCallOp>(op);
      if (!call || call->hasAttr(kUpdate) || !isSmall(call, limit) ||
          isMade(call))
        continue;
      size_t kind = isWide(call);
      Batch &its = batches[kind];
      if (its.buffers + call.getBuffers().size() > maxBuffers ||
          place - begins[kind] > span)
        flush(its);
      if (its.calls.empty())
        begins[kind] = place;
      its.add(call, own);
    }
    llvm::for_each(batches, flush);
    return merged;
  }

  /// Launches that became part of others.
  int64_t run(Block &block) {
    int64_t merged = 0;
    Batch batch;
    auto flush = [&] {
      if (batch.calls.size() > 1) {
        merge(batch.calls, batch.calls.back(), "kernel_updates")
            ->setAttr(kUpdate, UnitAttr::get(block.getParent()->getContext()));
        merged += static_cast<int64_t>(batch.calls.size()) - 1;
      }
      batch = {};
    };
    for (Operation &op : llvm::make_early_inc_range(block)) {
      Touched own = buffers.touchedBy(&op);
      // An update keeps its buffers until it has run, so it moves down.
      // And of two updates of one buffer the order counts.
      if (own.conflictsWith(batch.touched))
        flush();
      auto call = dyn_cast<ParallelCallOp>(op);
      if (!call || !isSmallUpdate(call))
        continue;
      if (batch.buffers + call.getBuffers().size() > maxBuffers)
        flush();
      batch.add(call, own);
    }
    flush();
    return merged;
  }

private:
  SymbolTable symbols;
  TouchedBuffers buffers;
  int64_t maxExtent;
  size_t maxBuffers;
  llvm::StringMap<StringAttr> known; ///< by the names of the parts
  llvm::DenseSet<StringAttr> made;   ///< names of parts of this pass
  llvm::DenseMap<std::pair<StringAttr, int64_t>, bool> wide;

  func::FuncOp partOf(ParallelCallOp call) { return buffers.partOf(call); }

  bool isSmallUpdate(ParallelCallOp call) {
    return call->hasAttr(kUpdate) && isSmall(call, maxExtent);
  }

  bool isSmall(ParallelCallOp call, int64_t limit) {
    func::FuncOp part = partOf(call);
    return call.getExtent() > 0 &&
           static_cast<int64_t>(call.getExtent()) <= limit && part &&
           !part->hasAttr(kBlock) && rangeLoopOf(part);
  }

  /// Whether four iterations of the launch can become one.
  bool isWide(ParallelCallOp call) {
    auto extent = static_cast<int64_t>(call.getExtent());
    auto [place, isNew] =
        wide.try_emplace({call.getCalleeAttr().getAttr(), extent});
    if (isNew)
      place->second = canBeWidened(partOf(call), extent);
    return place->second;
  }

  /// Whether the launch is one of this pass.
  bool isMade(ParallelCallOp call) {
    return made.contains(call.getCalleeAttr().getAttr());
  }

  /// It writes buffers of the program, whose making can move up with it: small
  /// ones, as counts that are cleared, where it reads nothing.
  bool readsArgumentsOnly(ParallelCallOp call, const Touched &own) {
    constexpr int64_t maxCleared = 1024;
    return !call->hasAttr(kUpdate) && isSmall(call, maxExtent) &&
           (!own.read.empty() ||
            static_cast<int64_t>(call.getExtent()) <= maxCleared) &&
           llvm::all_of(own.read, llvm::IsaPred<BlockArgument>) &&
           llvm::all_of(own.written,
                        [](Value buffer) {
                          return buffer.getDefiningOp<memref::AllocOp>();
                        }) &&
           llvm::all_of(call.getBuffers(), canMoveUp);
  }

  /// Makes one launch of all, where `place` stands, which is one of them.
  ParallelCallOp merge(ArrayRef<ParallelCallOp> calls, ParallelCallOp place,
                       StringRef name) {
    SmallVector<Value> operands;
    SmallVector<Operation *> launches;
    int64_t extent = 0;
    for (ParallelCallOp call : calls) {
      llvm::append_range(operands, call.getBuffers());
      launches.push_back(call);
      extent += static_cast<int64_t>(call.getExtent());
    }
    OpBuilder builder(place);
    auto launch = ParallelCallOp::create(builder, place.getLoc(),
                                         partOfAll(calls, name).getValue(),
                                         extent, /*grain=*/1, operands);
    setSlots(launch, place, launches);
    for (ParallelCallOp call : calls)
      call->erase();
    return launch;
  }

  /// The part that does all of them; devices with the same parameters share it.
  StringAttr partOfAll(ArrayRef<ParallelCallOp> calls, StringRef like) {
    std::string key;
    for (ParallelCallOp call : calls)
      key +=
          call.getCallee().str() + " " + std::to_string(call.getExtent()) + " ";
    StringAttr &name = known[key];
    if (!name)
      made.insert(name = create(calls, like));
    return name;
  }

  StringAttr create(ArrayRef<ParallelCallOp> calls, StringRef like) {
    Location loc = ParallelCallOp(calls.front()).getLoc();
    OpBuilder builder(loc.getContext());
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes;
    for (ParallelCallOp call : calls) {
      func::FuncOp part = partOf(call);
      llvm::append_range(types, part.getArgumentTypes().drop_back(2));
      for (unsigned i = 0; i + 2 < part.getNumArguments(); ++i)
        attributes.push_back(part.getArgAttrDict(i));
    }
    types.append(2, builder.getIndexType());
    attributes.append(2, DictionaryAttr());
    auto function = func::FuncOp::create(builder, loc, like,
                                         builder.getFunctionType(types, {}));
    function.setPrivate();
    function->setDiscardableAttrs(
        llvm::to_vector(partOf(calls.front())->getDiscardableAttrs()));
    StringAttr name = symbols.insert(function);
    Block *body = function.addEntryBlock();
    for (auto [i, dictionary] : llvm::enumerate(attributes))
      if (dictionary)
        function.setArgAttrs(i, dictionary);
    builder.setInsertionPointToEnd(body);
    SmallVector<unsigned> firstArgument{0};
    SmallVector<int64_t> firstIteration{0};
    for (ParallelCallOp call : calls) {
      firstArgument.push_back(firstArgument.back() + call.getBuffers().size());
      firstIteration.push_back(firstIteration.back() +
                               static_cast<int64_t>(call.getExtent()));
    }
    auto loop = scf::ForOp::create(
        builder, loc, body->getArgument(body->getNumArguments() - 2),
        body->getArgument(body->getNumArguments() - 1),
        arith::ConstantIndexOp::create(builder, loc, 1));
    func::ReturnOp::create(builder, loc);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    chooseLaunch(builder, loop.getInductionVar(),
                 ArrayRef(firstIteration).drop_back(), [&](size_t i) {
                   emitOne(builder, partOf(calls[i]), body, firstArgument[i],
                           loop.getInductionVar(), firstIteration[i]);
                 });
    return name;
  }

  /// One iteration of a part.
  static void emitOne(OpBuilder &builder, func::FuncOp part, Block *body,
                      unsigned firstArgument, Value iteration, int64_t offset) {
    Location loc = part.getLoc();
    scf::ForOp range = rangeLoopOf(part);
    IRMapping map;
    for (unsigned i = 0; i + 2 < part.getNumArguments(); ++i)
      map.map(part.getArgument(i), body->getArgument(firstArgument + i));
    for (Operation &op : part.getBody().front().without_terminator())
      if (&op != range)
        builder.clone(op, map);
    Value own = iteration;
    if (offset > 0)
      own = arith::SubIOp::create(
          builder, loc, iteration,
          arith::ConstantIndexOp::create(builder, loc, offset));
    map.map(range.getInductionVar(), own);
    for (Operation &op : range.getBody()->without_terminator())
      builder.clone(op, map);
  }
};

struct MergeUpdatesPass
    : public mlir::soap::impl::SoapMergeUpdatesBase<MergeUpdatesPass> {
  using SoapMergeUpdatesBase::SoapMergeUpdatesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (maxBuffers < 1 || maxBuffers > 500) {
      module.emitError("expected max-buffers of 1 to 500, got ")
          << maxBuffers.getValue();
      return signalPassFailure();
    }
    Merger merger(module, maxExtent, static_cast<size_t>(maxBuffers));
    // Parts are added to the module on the way.
    for (func::FuncOp program : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (!program.isExternal() && !program.isPrivate() &&
          program.getBody().hasOneBlock()) {
        Block &block = program.getBody().front();
        if (arguments)
          addTo(merged, merger.runOnArguments(block));
        addTo(merged, merger.run(block));
        if (neighbours > 0)
          addTo(merged, merger.runOnNeighbours(block, neighbours));
      }
  }
};

} // namespace
