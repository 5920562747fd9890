//===- FuseLaunches.cpp - Elementwise launches as ends of others ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: a launch whose iterations read the element of their number of what
// another launch has made - a rounding behind a norm, the sum of two gradients
// - is done by that one, where it stores the element. Parts are loops on
// buffers, so it does not matter which ops they were. The other way round, one
// that only another launch reads - a scale and a mask before a softmax - is
// done there, where the element is loaded; one that others read, too - a sum
// of a residual before a norm - is done by the reduction that reads it first,
// which stores it. Numbers of 16 bits are not made f32 in memory if launches
// alone read them (NarrowReads.h).
//
//===----------------------------------------------------------------------===//

#include "Conversion/Parallelize/CooperativeRows.h"
#include "Conversion/Parallelize/IndependentLoops.h"
#include "Conversion/PostedSends.h"
#include "ElementwiseIterations.h"
#include "NarrowReads.h"
#include "TouchedBuffers.h"

#include "Dialect/Soap/PassStatistics.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

#include <map>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPFUSELAUNCHES
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Straight code on the elements of the iteration's number, which may read
/// elements of smaller buffers, too.
bool isElementwise(func::FuncOp part, int64_t extent) {
  scf::ForOp loop = rangeLoopOf(part);
  if (!loop)
    return false;
  Value iteration = loop.getInductionVar();
  llvm::DenseSet<Value> written;
  loop.walk([&](memref::StoreOp store) {
    written.insert(rootBuffer(store.getMemRef()));
  });
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      bool isSmall = load.getMemRefType().hasStaticShape() &&
                     load.getMemRefType().getNumElements() <= extent / 2 &&
                     !written.contains(rootBuffer(load.getMemRef()));
      if (!isSmall && !isOwnElement(load, iteration, extent))
        return false;
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      if (!isOwnElement(store, iteration, extent))
        return false;
    } else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op)) {
      return false;
    }
  }
  // Outside of the loop there are constants and views of the arguments.
  for (Operation &op : part.getBody().front().without_terminator())
    if (&op != loop &&
        !isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(op) &&
        !op.hasTrait<OpTrait::ConstantLike>())
      return false;
  return !written.empty();
}

/// All elements of a buffer, in their order.
bool isWhole(Type buffer, int64_t elements) {
  auto type = cast<MemRefType>(buffer);
  return type.hasStaticShape() && type.getLayout().isIdentity() &&
         type.getNumElements() == elements;
}

/// The loads of `part` from its argument.
SmallVector<memref::LoadOp> loadsOf(func::FuncOp part, size_t argument) {
  SmallVector<memref::LoadOp> loads;
  Value buffer = part.getArgument(static_cast<unsigned>(argument));
  part.walk([&](memref::LoadOp load) {
    if (rootBuffer(load.getMemRef()) == buffer)
      loads.push_back(load);
  });
  return loads;
}

/// How often `op` runs in a launch of `extent` iterations, whatever the data;
/// none if that is not known.
std::optional<int64_t> runsOf(Operation *op, func::FuncOp part,
                              int64_t extent) {
  int64_t runs = extent;
  for (op = op->getParentOp(); op != part; op = op->getParentOp()) {
    if (op->hasAttr(kLanes)) {
      runs /= kWarpLanes;
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return std::nullopt;
    // The loop over the range is of the extent.
    if (loop.getLowerBound() == part.getArguments().drop_back().back())
      continue;
    std::optional<int64_t> trips = tripCountOf(loop);
    if (!trips)
      return std::nullopt;
    runs *= *trips;
  }
  return runs;
}

/// The ops of `part` that touch its argument, if they are stores which store
/// each of `elements` once, whatever the data; else none.
SmallVector<memref::StoreOp> storesOf(func::FuncOp part, unsigned argument,
                                      int64_t extent, int64_t elements) {
  SmallVector<memref::StoreOp> stores;
  bool fits = true, areIndependent = true;
  int64_t runs = 0;
  Value buffer = part.getArgument(argument);
  part.walk([&](Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    if (load && rootBuffer(load.getMemRef()) == buffer)
      fits = false;
    auto store = dyn_cast<memref::StoreOp>(op);
    if (!store || rootBuffer(store.getMemRef()) != buffer)
      return;
    stores.push_back(store);
    fits &= isWhole(store.getMemRefType(), elements);
    areIndependent &= store->hasAttr(kIndependent);
    std::optional<int64_t> own = runsOf(store, part, extent);
    runs = own && runs >= 0 ? runs + *own : -1;
  });
  if (!fits || !(areIndependent || runs == elements))
    stores.clear();
  return stores;
}

/// Whether a launch of `part` loads each of the `elements` of its argument once
/// from memory: all `loads` together run so often, or are in a row that lanes
/// keep in registers, so that the compiler sees that they load the same.
bool loadsOnce(ArrayRef<memref::LoadOp> loads, func::FuncOp part,
               int64_t extent, int64_t elements) {
  for (memref::LoadOp load : loads)
    if (!isWhole(load.getMemRefType(), elements))
      return false;
  int64_t runs = 0;
  for (memref::LoadOp load : loads)
    runs += runsOf(load, part, extent).value_or(elements + 1);
  if (runs == elements)
    return true;
  return !loads.empty() && llvm::all_of(loads, [&](memref::LoadOp load) {
    auto loop = load->getParentOfType<scf::ForOp>();
    auto row =
        dyn_cast_or_null<scf::IfOp>(loop ? loop->getParentOp() : nullptr);
    return row && row->hasAttr(kLanes) && numbersOfLane(row) > 0 &&
           runsOf(load, part, extent) == elements;
  });
}

class Fuser {
public:
  explicit Fuser(ModuleOp module)
      : symbols(module), buffers(symbols), narrowReads(symbols, buffers) {}

  /// Launches that became part of others.
  int64_t run(Block &block) {
    int64_t fused = narrowReads.run(block);
    for (Operation &op : llvm::make_early_inc_range(block))
      if (auto call = dyn_cast<ParallelCallOp>(op))
        fused += fuse(call);
    // A reader that takes one over is behind it, and is not visited again.
    SmallVector<ParallelCallOp> calls =
        llvm::to_vector(block.getOps<ParallelCallOp>());
    for (ParallelCallOp call : llvm::reverse(calls))
      fused += fuseIntoReader(call);
    calls = llvm::to_vector(block.getOps<ParallelCallOp>());
    for (ParallelCallOp call : llvm::reverse(calls))
      fused += fuseIntoFirstReader(call);
    return fused;
  }

private:
  static constexpr size_t maxBuffers = 32;

  SymbolTable symbols;
  TouchedBuffers buffers;
  NarrowReads narrowReads;
  /// By part and extent.
  llvm::DenseMap<std::pair<Operation *, int64_t>, bool> elementwise;
  /// By part, whether products and sums in it may be contracted.
  llvm::DenseMap<Operation *, bool> contracting;
  /// Parts that were made, by the names of the two and what ties them.
  std::map<std::string, StringAttr> known;

  bool fuse(ParallelCallOp call) {
    func::FuncOp part = buffers.partOf(call);
    if (!part || part.isExternal() || call->hasAttr(kUpdate))
      return false;
    if (!isElementwiseLaunch(call, part))
      return false;
    for (auto [i, buffer] : llvm::enumerate(call.getBuffers()))
      if (!buffers.isWritten(part, i) && fuseAt(call, part, i))
        return true;
    return false;
  }

  bool isElementwiseLaunch(ParallelCallOp call, func::FuncOp part) {
    auto extent = static_cast<int64_t>(call.getExtent());
    auto [place, isNew] = elementwise.try_emplace({part, extent});
    if (isNew)
      place->second = isElementwise(part, extent);
    return place->second;
  }

  /// A product of one part and a sum of the other would become one operation
  /// with one rounding: on another device, which joins other parts, a replica
  /// has other bits.
  bool contractAcross(func::FuncOp one, func::FuncOp other) {
    auto contracts = [&](func::FuncOp part) {
      auto [place, isNew] = contracting.try_emplace(part);
      if (isNew)
        part.walk([&](arith::ArithFastMathInterface op) {
          // No other ops have roundings that may be left out.
          if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
            return;
          arith::FastMathFlagsAttr flags = op.getFastMathFlagsAttr();
          place->second |=
              flags && bitEnumContainsAny(flags.getValue(),
                                          arith::FastMathFlags::contract);
        });
      return place->second;
    };
    return contracts(one) && contracts(other);
  }

  /// Buffers of the launch that show `root`.
  static int64_t uses(ParallelCallOp launch, Value root) {
    return llvm::count_if(launch.getBuffers(), [&](Value buffer) {
      return rootBuffer(buffer) == root;
    });
  }

  /// Whether a launch shows memory of `place` in places that are known and
  /// apart from it.
  static bool isApart(ParallelCallOp launch, const ShownBytes &place) {
    return llvm::all_of(launch.getBuffers(), [&](Value buffer) {
      if (rootBuffer(buffer) != place.root)
        return true;
      std::optional<ShownBytes> shown = shownBytes(buffer);
      return shown && !shown->overlaps(place);
    });
  }

  /// The launch that alone writes into `place`, before `call`; null if there is
  /// none.
  ParallelCallOp onlyWriter(const ShownBytes &place, ParallelCallOp call) {
    ParallelCallOp writer;
    for (Operation *user : usersOf(place.root)) {
      if (user->getBlock() != call->getBlock() ||
          !buffers.touchedBy(user).written.contains(place.root))
        continue;
      if (auto other = dyn_cast<ParallelCallOp>(user);
          other && isApart(other, place))
        continue;
      auto launch = dyn_cast<ParallelCallOp>(user);
      if (!launch || (writer && writer != launch))
        return nullptr;
      writer = launch;
    }
    return writer && writer->isBeforeInBlock(call) ? writer : nullptr;
  }

  static bool isReadBeside(Value root, ParallelCallOp writer,
                           ParallelCallOp reader) {
    return llvm::any_of(usersOf(root), [&](Operation *user) {
      return user != writer && user != reader;
    });
  }

  /// Whether `call` may run where `writer` stands: nothing from there on
  /// conflicts with what it touches, `root` apart.
  bool canMove(ParallelCallOp call, ParallelCallOp writer, Value root) {
    Touched own = buffers.touchedBy(call);
    own.read.erase(root);
    if (own.written.contains(root))
      return false;
    auto conflicts = [&](Operation *user) {
      if (user == call ||
          (user->getBlock() == call->getBlock() &&
           (user->isBeforeInBlock(writer) || call->isBeforeInBlock(user))))
        return false;
      return own.conflictsWith(buffers.touchedBy(user));
    };
    for (const llvm::DenseSet<Value> &touched : {own.read, own.written})
      for (Value buffer : touched)
        if (llvm::any_of(usersOf(buffer), conflicts))
          return false;
    return llvm::all_of(call.getBuffers(), canMoveUp);
  }

  bool fuseAt(ParallelCallOp call, func::FuncOp part, size_t operand) {
    std::optional<ShownBytes> place = shownBytes(call.getBuffers()[operand]);
    if (!place || !place->root.getDefiningOp<memref::AllocOp>())
      return false;
    Value root = place->root;
    auto elements =
        cast<MemRefType>(call.getBuffers()[operand].getType()).getNumElements();
    if (static_cast<int64_t>(call.getExtent()) != elements ||
        uses(call, root) != 1)
      return false;
    // All that the buffer shows, each element by its own iteration.
    Value iteration = rangeLoopOf(part).getInductionVar();
    for (memref::LoadOp load : loadsOf(part, operand))
      if (!isOwnElement(load, iteration, elements))
        return false;
    ParallelCallOp writer = onlyWriter(*place, call);
    if (!writer || uses(writer, root) != 1 || writer->hasAttr(kUpdate) ||
        writer.getBuffers().size() + call.getBuffers().size() > maxBuffers)
      return false;
    func::FuncOp writing = buffers.partOf(writer);
    if (!writing || writing.isExternal() || !canMove(call, writer, root) ||
        contractAcross(writing, part))
      return false;
    size_t result = 0;
    while (rootBuffer(writer.getBuffers()[result]) != root)
      ++result;
    if (shownBytes(writer.getBuffers()[result]) != place)
      return false;
    auto extent = static_cast<int64_t>(writer.getExtent());
    if (storesOf(writing, static_cast<unsigned>(result), extent, elements)
            .empty())
      return false;
    bool isKept = !place->isWhole() || isReadBeside(root, writer, call);
    StringAttr made =
        partOfBoth(writing, result, extent, part, operand, isKept);
    for (Value buffer : call.getBuffers())
      moveUp(buffer, writer);
    SmallVector<Value> operands;
    for (auto [i, buffer] : llvm::enumerate(writer.getBuffers()))
      if (isKept || i != result)
        operands.push_back(buffer);
    for (auto [i, buffer] : llvm::enumerate(call.getBuffers()))
      if (i != operand)
        operands.push_back(buffer);
    OpBuilder builder(writer);
    auto launch =
        ParallelCallOp::create(builder, writer.getLoc(), made.getValue(),
                               writer.getExtent(), writer.getGrain(), operands);
    setSlots(launch, writer, {writer, call});
    writer->erase();
    call->erase();
    if (!isKept) {
      eraseViews(root);
      root.getDefiningOp()->erase();
    }
    return true;
  }

  /// `writing`, which at its store does what an iteration of `part` does, too.
  StringAttr partOfBoth(func::FuncOp writing, size_t result, int64_t extent,
                        func::FuncOp part, size_t operand, bool isKept) {
    std::string key = writing.getName().str() + " " + std::to_string(result) +
                      " " + std::to_string(extent) + " " +
                      part.getName().str() + " " + std::to_string(operand) +
                      (isKept ? " kept" : "");
    StringAttr &name = known[key];
    if (!name)
      name = create(writing, result, part, operand, isKept);
    return name;
  }

  StringAttr create(func::FuncOp writing, size_t result, func::FuncOp part,
                    size_t operand, bool isKept) {
    Location loc = writing.getLoc();
    OpBuilder builder(writing.getContext());
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes;
    auto add = [&](func::FuncOp from, size_t argument) {
      types.push_back(from.getArgumentTypes()[argument]);
      attributes.push_back(
          from.getArgAttrDict(static_cast<unsigned>(argument)));
    };
    size_t own = writing.getNumArguments() - 2,
           others = part.getNumArguments() - 2;
    for (size_t i = 0; i < own; ++i)
      if (isKept || i != result)
        add(writing, i);
    for (size_t i = 0; i < others; ++i)
      if (i != operand)
        add(part, i);
    types.append(2, builder.getIndexType());
    auto function = func::FuncOp::create(builder, loc, nameOf(writing, part),
                                         builder.getFunctionType(types, {}));
    function.setPrivate();
    function->setDiscardableAttrs(
        llvm::to_vector(writing->getDiscardableAttrs()));
    StringAttr name = symbols.insert(function);
    Block *body = function.addEntryBlock();
    for (auto [i, dictionary] : llvm::enumerate(attributes))
      if (dictionary)
        function.setArgAttrs(static_cast<unsigned>(i), dictionary);

    IRMapping map, ends;
    unsigned next = 0;
    builder.setInsertionPointToStart(body);
    // Nothing reads the buffer that is left out; its store goes below.
    Value leftOut;
    for (size_t i = 0; i < own; ++i) {
      Value argument = writing.getArgument(static_cast<unsigned>(i));
      if (isKept || i != result) {
        map.map(argument, body->getArgument(next++));
        continue;
      }
      leftOut = memref::AllocaOp::create(builder, loc,
                                         cast<MemRefType>(argument.getType()));
      map.map(argument, leftOut);
    }
    for (size_t i = 0; i < others; ++i)
      if (i != operand)
        ends.map(part.getArgument(static_cast<unsigned>(i)),
                 body->getArgument(next++));
    for (size_t i = 0; i < 2; ++i)
      map.map(writing.getArgument(static_cast<unsigned>(own + i)),
              body->getArgument(next++));
    builder.setInsertionPointToEnd(body);
    for (Operation &op : writing.getBody().front())
      builder.clone(op, map);

    Value place =
        map.lookup(Value(writing.getArgument(static_cast<unsigned>(result))));
    SmallVector<memref::StoreOp> stores;
    function.walk([&](memref::StoreOp op) {
      if (rootBuffer(op.getMemRef()) == place)
        stores.push_back(op);
    });
    prepareEnds(function, part, operand, ends);
    for (memref::StoreOp store : stores) {
      append(store, part, operand, ends);
      if (!isKept)
        store->erase();
    }
    if (!isKept) {
      eraseViews(leftOut);
      leftOut.getDefiningOp()->erase();
    }
    foldRoundings(function);
    return name;
  }

  //===--------------------------------------------------------------------===//
  // Elementwise launches as beginnings of their readers
  //===--------------------------------------------------------------------===//

  /// Whether an iteration is so little that doing it several times is.
  static bool isCheap(func::FuncOp part) {
    constexpr int64_t most = 24;
    int64_t ops = 0;
    bool cheap = true;
    rangeLoopOf(part).walk([&](Operation *op) {
      ++ops;
      cheap &=
          !isa<arith::DivFOp>(op) && !isa<math::MathDialect>(op->getDialect());
    });
    return cheap && ops <= most;
  }

  /// The launches that alone read `root`, behind `call`, in their order; with
  /// nothing but launches that change none of what `call` reads up to the last
  /// of them. None if others read it, too.
  SmallVector<ParallelCallOp> onlyReaders(Value root, ParallelCallOp call) {
    SmallVector<ParallelCallOp> readers;
    for (Operation *user : usersOf(root)) {
      if (user == call)
        continue;
      auto reader = dyn_cast<ParallelCallOp>(user);
      if (!reader || reader->getBlock() != call->getBlock() ||
          !call->isBeforeInBlock(reader) || uses(reader, root) != 1)
        return {};
      readers.push_back(reader);
    }
    if (readers.empty())
      return {};
    llvm::sort(readers, [](ParallelCallOp a, ParallelCallOp b) {
      return a->isBeforeInBlock(b);
    });
    if (!canMoveDown(call, readers.back()))
      return {};
    return readers;
  }

  /// Whether nothing up to `place`, and that included, is anything but launches
  /// that change none of what `call` reads.
  bool canMoveDown(ParallelCallOp call, ParallelCallOp place) {
    Touched own = buffers.touchedBy(call);
    own.written.clear();
    for (Operation *op = call->getNextNode();; op = op->getNextNode()) {
      bool isLaunch = isa<ParallelCallOp>(op);
      bool isHarmless = isa<ViewLikeOpInterface, memref::AllocOp>(op) ||
                        isMemoryEffectFree(op);
      if (!isHarmless &&
          (!isLaunch || own.conflictsWith(buffers.touchedBy(op))))
        return false;
      if (op == place)
        return true;
    }
  }

  /// Where an elementwise launch is the beginning of a reader.
  struct Beginning {
    func::FuncOp reading;
    size_t operand = 0;
  };

  std::optional<Beginning> beginningOf(func::FuncOp part, int64_t elements,
                                       ParallelCallOp call,
                                       ParallelCallOp reader, Value root) {
    if (reader->hasAttr(kUpdate) ||
        call.getBuffers().size() + reader.getBuffers().size() > maxBuffers)
      return std::nullopt;
    Beginning found{buffers.partOf(reader)};
    while (rootBuffer(reader.getBuffers()[found.operand]) != root)
      ++found.operand;
    if (!found.reading || found.reading.isExternal() ||
        buffers.isWritten(found.reading, found.operand) ||
        contractAcross(part, found.reading))
      return std::nullopt;
    SmallVector<memref::LoadOp> loads = loadsOf(found.reading, found.operand);
    if (!isWhole(reader.getBuffers()[found.operand].getType(), elements) ||
        !loadsOnce(loads, found.reading,
                   static_cast<int64_t>(reader.getExtent()), elements) ||
        (loads.size() > 1 && !isCheap(part)))
      return std::nullopt;
    return found;
  }

  /// Whether several readers that read what the launch reads move no more bytes
  /// than it does with them.
  static bool movesLess(ParallelCallOp call, size_t result, int64_t readers) {
    int64_t read = 0, written = 0;
    for (auto [i, buffer] : llvm::enumerate(call.getBuffers()))
      (i == result ? written : read) +=
          sizeInBytes(cast<MemRefType>(buffer.getType()));
    return readers * read <= read + (1 + readers) * written;
  }

  /// The one buffer that an elementwise launch makes, each element of it once.
  std::optional<size_t> onlyResult(ParallelCallOp call) {
    func::FuncOp part = buffers.partOf(call);
    if (!part || part.isExternal() || call->hasAttr(kUpdate) ||
        !isElementwiseLaunch(call, part))
      return std::nullopt;
    SmallVector<size_t> results;
    for (size_t i = 0; i < call.getBuffers().size(); ++i)
      if (buffers.isWritten(part, i))
        results.push_back(i);
    if (results.size() != 1)
      return std::nullopt;
    size_t result = results[0];
    Value root = rootBuffer(call.getBuffers()[result]);
    auto elements = static_cast<int64_t>(call.getExtent());
    // A part that also loads what it stores updates it.
    if (!root.getDefiningOp<memref::AllocOp>() || uses(call, root) != 1 ||
        !isWhole(call.getBuffers()[result].getType(), elements) ||
        !isWhole(root.getType(), elements) || !loadsOf(part, result).empty() ||
        storesOf(part, static_cast<unsigned>(result), elements, elements)
                .size() != 1)
      return std::nullopt;
    return result;
  }

  bool fuseIntoReader(ParallelCallOp call) {
    std::optional<size_t> found = onlyResult(call);
    if (!found)
      return false;
    size_t result = *found;
    func::FuncOp part = buffers.partOf(call);
    Value root = rootBuffer(call.getBuffers()[result]);
    auto elements = static_cast<int64_t>(call.getExtent());
    SmallVector<ParallelCallOp> readers = onlyReaders(root, call);
    if (readers.empty() ||
        (readers.size() > 1 &&
         (!isCheap(part) ||
          !movesLess(call, result, static_cast<int64_t>(readers.size())))))
      return false;
    SmallVector<Beginning> beginnings;
    for (ParallelCallOp reader : readers) {
      auto beginning = beginningOf(part, elements, call, reader, root);
      if (!beginning)
        return false;
      beginnings.push_back(*beginning);
    }
    for (auto [reader, beginning] : llvm::zip(readers, beginnings))
      begin(call, part, result, reader, beginning);
    call->erase();
    eraseViews(root);
    root.getDefiningOp()->erase();
    return true;
  }

  /// The first of the readers of `root` in program order, if it is a launch
  /// that reduces: rows by warps, or channels by blocks. Null otherwise.
  ParallelCallOp firstReduction(Value root, ParallelCallOp call) {
    Operation *first = nullptr;
    for (Operation *user : usersOf(root)) {
      if (user == call)
        continue;
      if (user->getBlock() != call->getBlock() || !call->isBeforeInBlock(user))
        return nullptr;
      if (!first || user->isBeforeInBlock(first))
        first = user;
    }
    auto reader = dyn_cast_or_null<ParallelCallOp>(first);
    func::FuncOp part = reader ? buffers.partOf(reader) : nullptr;
    bool reduces = part && !part.isExternal() &&
                   (part->hasAttr(kLanes) || part->hasAttr(kBlock));
    return reduces && uses(reader, root) == 1 ? reader : nullptr;
  }

  /// A sum of rows that others read, too, as the sum of a residual before a
  /// norm: the norm computes it, where it loads it, and stores it for the
  /// others.
  bool fuseIntoFirstReader(ParallelCallOp call) {
    std::optional<size_t> result = onlyResult(call);
    if (!result)
      return false;
    func::FuncOp part = buffers.partOf(call);
    Value root = rootBuffer(call.getBuffers()[*result]);
    ParallelCallOp reader = firstReduction(root, call);
    if (!reader || !canMoveDown(call, reader) || !areApart(call, reader))
      return false;
    auto beginning = beginningOf(part, static_cast<int64_t>(call.getExtent()),
                                 call, reader, root);
    if (!beginning || !loadsAllFirst(*beginning, reader))
      return false;
    begin(call, part, *result, reader, *beginning, /*isKept=*/true);
    call->erase();
    return true;
  }

  /// Whether the first of the loads loads every element, before others do.
  bool loadsAllFirst(const Beginning &beginning, ParallelCallOp reader) {
    func::FuncOp reading = beginning.reading;
    auto extent = static_cast<int64_t>(reader.getExtent());
    memref::LoadOp first = loadsOf(reading, beginning.operand).front();
    Operation *outermost = first;
    while (outermost->getParentOp() != reading)
      outermost = outermost->getParentOp();
    auto range = dyn_cast<scf::ForOp>(outermost);
    return range &&
           runsOf(first, reading, extent) ==
               first.getMemRefType().getNumElements() &&
           loadsAll(first, range.getInductionVar(), extent);
  }

  /// Whether what `call` touches is no buffer that `reader` writes, so that the
  /// compiler may take it for memory of its own.
  bool areApart(ParallelCallOp call, ParallelCallOp reader) {
    Touched own = buffers.touchedBy(call), others = buffers.touchedBy(reader);
    return llvm::none_of(others.written, [&](Value buffer) {
      return own.read.contains(buffer) || own.written.contains(buffer);
    });
  }

  /// Replaces `reader` by a launch that does what `call` does, too.
  void begin(ParallelCallOp call, func::FuncOp part, size_t result,
             ParallelCallOp reader, const Beginning &beginning,
             bool isKept = false) {
    std::string key = part.getName().str() + " before " +
                      std::to_string(beginning.operand) + " " +
                      func::FuncOp(beginning.reading).getName().str() +
                      (isKept ? " kept" : "");
    StringAttr &made = known[key];
    if (!made)
      made = createReading(part, result, beginning.reading, beginning.operand,
                           isKept);
    SmallVector<Value> operands;
    for (auto [i, buffer] : llvm::enumerate(reader.getBuffers()))
      if (i != beginning.operand)
        operands.push_back(buffer);
    for (auto [i, buffer] : llvm::enumerate(call.getBuffers()))
      if (isKept || i != result)
        operands.push_back(buffer);
    OpBuilder builder(reader);
    auto launch =
        ParallelCallOp::create(builder, reader.getLoc(), made.getValue(),
                               reader.getExtent(), reader.getGrain(), operands);
    setSlots(launch, reader, {call, reader});
    reader->erase();
  }

  /// `reading`, which in place of its loads from `operand` computes what an
  /// iteration of `part` stores to `result`. `isKept`: it stores that, too.
  StringAttr createReading(func::FuncOp part, size_t result,
                           func::FuncOp reading, size_t operand, bool isKept) {
    Location loc = reading.getLoc();
    OpBuilder builder(reading.getContext());
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes;
    size_t own = reading.getNumArguments() - 2,
           others = part.getNumArguments() - 2;
    auto addAll = [&](func::FuncOp from, size_t count, size_t without) {
      for (size_t i = 0; i < count; ++i)
        if (i != without) {
          types.push_back(from.getArgumentTypes()[i]);
          attributes.push_back(from.getArgAttrDict(static_cast<unsigned>(i)));
        }
    };
    size_t leaves = isKept ? others : result;
    addAll(reading, own, operand);
    size_t firstOfPart = types.size();
    addAll(part, others, leaves);
    types.append(2, builder.getIndexType());
    auto function = func::FuncOp::create(builder, loc, nameOf(part, reading),
                                         builder.getFunctionType(types, {}));
    function.setPrivate();
    function->setDiscardableAttrs(
        llvm::to_vector(reading->getDiscardableAttrs()));
    StringAttr name = symbols.insert(function);
    Block *body = function.addEntryBlock();
    for (auto [i, dictionary] : llvm::enumerate(attributes))
      if (dictionary)
        function.setArgAttrs(static_cast<unsigned>(i), dictionary);
    // Loads need not wait for the stores.
    for (size_t i = firstOfPart; isKept && i < attributes.size(); ++i)
      function.setArgAttr(static_cast<unsigned>(i),
                          LLVM::LLVMDialect::getNoAliasAttrName(),
                          builder.getUnitAttr());
    IRMapping map, begins;
    unsigned next = 0;
    builder.setInsertionPointToStart(body);
    // Nothing is left that loads from it.
    Value leftOut = memref::AllocaOp::create(
        builder, loc, cast<MemRefType>(reading.getArgumentTypes()[operand]));
    for (size_t i = 0; i < own; ++i)
      map.map(reading.getArgument(static_cast<unsigned>(i)),
              i == operand ? leftOut : Value(body->getArgument(next++)));
    for (size_t i = 0; i < others; ++i)
      if (i != leaves)
        begins.map(part.getArgument(static_cast<unsigned>(i)),
                   body->getArgument(next++));
    for (size_t i = 0; i < 2; ++i)
      map.map(reading.getArgument(static_cast<unsigned>(own + i)),
              body->getArgument(next++));
    scf::ForOp range = rangeLoopOf(part);
    Value stored = part.getArgument(static_cast<unsigned>(result));
    for (Operation &op : part.getBody().front().without_terminator())
      if (&op != range && (isKept || !(isa<ViewLikeOpInterface>(op) &&
                                       rootBuffer(op.getResult(0)) == stored)))
        builder.clone(op, begins);
    builder.setInsertionPointToEnd(body);
    for (Operation &op : reading.getBody().front())
      builder.clone(op, map);
    SmallVector<memref::LoadOp> loads;
    function.walk([&](memref::LoadOp load) {
      if (rootBuffer(load.getMemRef()) == leftOut)
        loads.push_back(load);
    });
    for (memref::LoadOp load : loads) {
      builder.setInsertionPoint(load);
      IRMapping once(begins);
      mapNumber(once, range.getInductionVar(), load, load.getMemRefType(),
                load.getIndices(), builder);
      for (Operation &op : range.getBody()->without_terminator()) {
        if (op.getNumResults() == 1 && once.contains(op.getResult(0)))
          continue;
        auto store = dyn_cast<memref::StoreOp>(op);
        if (store)
          load.getResult().replaceAllUsesWith(
              once.lookupOrDefault(store.getValue()));
        // Where each element is loaded first.
        if (!store || (isKept && load == loads.front()))
          builder.clone(op, once);
      }
      load->erase();
    }
    eraseViews(leftOut);
    leftOut.getDefiningOp()->erase();
    return name;
  }

  /// `kernel_3_layer_norm_cast_loop`: the first one's number, the kinds of
  /// both.
  static std::string nameOf(func::FuncOp writing, func::FuncOp part) {
    StringRef first = writing.getName(), second = part.getName();
    second.consume_front("kernel_");
    second = second.drop_while(llvm::isDigit);
    second.consume_front("_");
    StringRef kind = second.take_front(second.rfind("_loop"));
    size_t end = first.rfind("_loop");
    if (end == StringRef::npos)
      return (first + "_" + kind).str();
    return (first.take_front(end) + "_" + kind + "_loop").str();
  }

  /// At the start of `function`: what iterations of `part` need.
  static void prepareEnds(func::FuncOp function, func::FuncOp part,
                          size_t operand, IRMapping &ends) {
    scf::ForOp range = rangeLoopOf(part);
    Value read = part.getArgument(static_cast<unsigned>(operand));
    OpBuilder builder(function.getContext());
    builder.setInsertionPointToStart(&function.getBody().front());
    for (Operation &op : part.getBody().front().without_terminator()) {
      bool isOfRead =
          isa<ViewLikeOpInterface>(op) && rootBuffer(op.getResult(0)) == read;
      if (&op != range && !isOfRead)
        builder.clone(op, ends);
    }
  }

  /// In front of `store`: an iteration of `part` for the element that is
  /// stored.
  static void append(memref::StoreOp store, func::FuncOp part, size_t operand,
                     IRMapping ends) {
    scf::ForOp range = rangeLoopOf(part);
    Value read = part.getArgument(static_cast<unsigned>(operand));
    OpBuilder builder(store);
    mapNumber(ends, range.getInductionVar(), store, store.getMemRefType(),
              store.getIndices(), builder);
    for (Operation &op : range.getBody()->without_terminator()) {
      if (op.getNumResults() == 1 && ends.contains(op.getResult(0)))
        continue;
      auto load = dyn_cast<memref::LoadOp>(op);
      if (load && rootBuffer(load.getMemRef()) == read)
        ends.map(load.getResult(), store.getValue());
      else
        builder.clone(op, ends);
    }
  }

  /// Whether they are number / extent and number % extent of one number.
  static bool isQuotientAndRest(Value quotient, Value rest, int64_t extent) {
    auto divide = quotient.getDefiningOp<arith::DivUIOp>();
    auto remain = rest.getDefiningOp<arith::RemUIOp>();
    return divide && remain && divide.getLhs() == remain.getLhs() &&
           getConstantIntValue(divide.getRhs()) == extent &&
           getConstantIntValue(remain.getRhs()) == extent;
  }

  /// Maps an iteration's number to that of the element which `access` touches.
  /// Digits of it that the access has as positions are these, so that what
  /// depends on the last one alone is seen to.
  static void mapNumber(IRMapping &map, Value number, Operation *access,
                        MemRefType type, ValueRange indices,
                        OpBuilder &builder) {
    map.map(number, linearIndex(access, type, indices, builder));
    auto linear = [&](size_t first, size_t count) {
      auto part = MemRefType::get(type.getShape().slice(first, count),
                                  type.getElementType());
      return linearIndex(access, part, indices.slice(first, count), builder);
    };
    size_t rank = indices.size();
    for (Operation *user : number.getUsers()) {
      bool divides = isa<arith::DivUIOp>(user);
      if ((!divides && !isa<arith::RemUIOp>(user)) ||
          user->getOperand(0) != number)
        continue;
      std::optional<int64_t> by = getConstantIntValue(user->getOperand(1));
      int64_t inner = 1;
      for (size_t dim = rank; by && dim-- > 1;) {
        inner *= type.getDimSize(static_cast<unsigned>(dim));
        if (inner != *by)
          continue;
        map.map(user->getResult(0),
                divides ? linear(0, dim) : linear(dim, rank - dim));
        break;
      }
    }
  }

  /// The number of the element that `access` touches.
  static Value linearIndex(Operation *access, MemRefType type,
                           ValueRange indices, OpBuilder &builder) {
    Location loc = access->getLoc();
    constexpr auto noWrap =
        arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
    auto add = [&](Value outer, int64_t extent, Value inner) -> Value {
      Value factor = arith::ConstantIndexOp::create(builder, loc, extent);
      return arith::AddIOp::create(
          builder, loc,
          arith::MulIOp::create(builder, loc, outer, factor, noWrap), inner,
          noWrap);
    };
    Value index;
    for (auto [dim, position] : llvm::enumerate(indices)) {
      if (!index) {
        index = position;
        continue;
      }
      int64_t extent = type.getDimSize(static_cast<unsigned>(dim));
      index = isQuotientAndRest(index, position, extent)
                  ? index.getDefiningOp()->getOperand(0)
                  : add(index, extent, position);
    }
    return index ? index : arith::ConstantIndexOp::create(builder, loc, 0);
  }

  /// Views that nothing but views uses.
  static void eraseViews(Value buffer) {
    for (Operation *user : llvm::make_early_inc_range(buffer.getUsers())) {
      eraseViews(user->getResult(0));
      user->erase();
    }
  }
};

struct FuseLaunchesPass
    : public mlir::soap::impl::SoapFuseLaunchesBase<FuseLaunchesPass> {
  using SoapFuseLaunchesBase::SoapFuseLaunchesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Fuser fuser(module);
    // Parts are added to the module on the way.
    for (func::FuncOp program : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (!program.isExternal() && !program.isPrivate() &&
          program.getBody().hasOneBlock())
        addTo(fused, fuser.run(program.getBody().front()));
  }
};

} // namespace
