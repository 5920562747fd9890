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
// done there, where the element is loaded.
//
//===----------------------------------------------------------------------===//

#include "../Parallelize/CooperativeRows.h"
#include "../Parallelize/IndependentLoops.h"
#include "OwnElements.h"
#include "TouchedBuffers.h"

#include "Dialect/Soap/PassStatistics.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
/// from memory: `loads` are one that runs so often, or are in a row that lanes
/// keep in registers, so that the compiler sees that they load the same.
bool loadsOnce(ArrayRef<memref::LoadOp> loads, func::FuncOp part,
               int64_t extent, int64_t elements) {
  for (memref::LoadOp load : loads)
    if (!isWhole(load.getMemRefType(), elements))
      return false;
  if (loads.size() == 1)
    return runsOf(loads[0], part, extent) == elements;
  return !loads.empty() && llvm::all_of(loads, [&](memref::LoadOp load) {
    auto loop = load->getParentOfType<scf::ForOp>();
    auto row =
        dyn_cast_or_null<scf::IfOp>(loop ? loop->getParentOp() : nullptr);
    return row && row->hasAttr(kLanes) && keepsRow(row) &&
           runsOf(load, part, extent) == elements;
  });
}

class Fuser {
public:
  explicit Fuser(ModuleOp module) : symbols(module), buffers(symbols) {}

  /// Launches that became part of others.
  int64_t run(Block &block) {
    int64_t fused = 0;
    for (Operation &op : llvm::make_early_inc_range(block))
      if (auto call = dyn_cast<ParallelCallOp>(op))
        fused += readNarrow(call);
    for (Operation &op : llvm::make_early_inc_range(block))
      if (auto call = dyn_cast<ParallelCallOp>(op))
        fused += fuse(call);
    // A reader that takes one over is behind it, and is not visited again.
    SmallVector<ParallelCallOp> calls =
        llvm::to_vector(block.getOps<ParallelCallOp>());
    for (ParallelCallOp call : llvm::reverse(calls))
      fused += fuseIntoReader(call);
    return fused;
  }

private:
  static constexpr size_t maxBuffers = 32;

  SymbolTable symbols;
  TouchedBuffers buffers;
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

  /// Ops that use `root` or views of it, without the views.
  static SmallVector<Operation *> usersOf(Value root) {
    SmallVector<Operation *> found;
    SmallVector<Value> views{root};
    while (!views.empty())
      for (Operation *user : views.pop_back_val().getUsers()) {
        if (isa<ViewLikeOpInterface>(user))
          views.push_back(user->getResult(0));
        else
          found.push_back(user);
      }
    return found;
  }

  /// The launch that alone writes `root`, before `call`; null if there is none.
  ParallelCallOp onlyWriter(Value root, ParallelCallOp call) {
    ParallelCallOp writer;
    for (Operation *user : usersOf(root)) {
      if (user->getBlock() != call->getBlock() ||
          !buffers.touchedBy(user).written.contains(root))
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
    Value root = rootBuffer(call.getBuffers()[operand]);
    if (!root.getDefiningOp<memref::AllocOp>())
      return false;
    auto elements = cast<MemRefType>(root.getType()).getNumElements();
    if (static_cast<int64_t>(call.getExtent()) != elements ||
        cast<MemRefType>(call.getBuffers()[operand].getType())
                .getNumElements() != elements ||
        uses(call, root) != 1)
      return false;
    // The whole buffer, each element by its own iteration.
    Value iteration = rangeLoopOf(part).getInductionVar();
    for (memref::LoadOp load : loadsOf(part, operand))
      if (!isOwnElement(load, iteration, elements))
        return false;
    ParallelCallOp writer = onlyWriter(root, call);
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
    auto extent = static_cast<int64_t>(writer.getExtent());
    if (storesOf(writing, static_cast<unsigned>(result), extent, elements)
            .empty())
      return false;
    bool isKept = isReadBeside(root, writer, call);
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
  // Numbers of 16 bits that are made f32 where they are read
  //===--------------------------------------------------------------------===//

  /// Whether an iteration of `part` does nothing but make its element f32, and
  /// of which argument which other one.
  static bool isWidening(func::FuncOp part, unsigned &from, unsigned &to) {
    scf::ForOp loop = rangeLoopOf(part);
    if (!loop)
      return false;
    memref::LoadOp load;
    memref::StoreOp store;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isa<memref::LoadOp>(op) && !load)
        load = cast<memref::LoadOp>(op);
      else if (isa<memref::StoreOp>(op) && !store)
        store = cast<memref::StoreOp>(op);
      else if (!isa<arith::ExtFOp>(op) && op.getNumRegions() == 0 &&
               isMemoryEffectFree(&op) &&
               llvm::all_of(op.getResultTypes(),
                            [](Type type) { return type.isIndex(); }))
        continue;
      else if (!isa<arith::ExtFOp>(op))
        return false;
    }
    if (!load || !store)
      return false;
    auto widened = store.getValue().getDefiningOp<arith::ExtFOp>();
    auto source = dyn_cast<BlockArgument>(rootBuffer(load.getMemRef()));
    auto target = dyn_cast<BlockArgument>(rootBuffer(store.getMemRef()));
    if (!widened || widened.getIn() != load.getResult() || !source || !target)
      return false;
    from = source.getArgNumber();
    to = target.getArgNumber();
    return true;
  }

  /// A launch that makes numbers of 16 bits f32, which only launches read: they
  /// read the 16 bits. That is exact.
  bool readNarrow(ParallelCallOp call) {
    func::FuncOp part = buffers.partOf(call);
    unsigned from = 0, to = 0;
    if (!part || part.isExternal() || call->hasAttr(kUpdate) ||
        !isWidening(part, from, to) || !isElementwiseLaunch(call, part))
      return false;
    Value narrow = call.getBuffers()[from], wide = call.getBuffers()[to];
    Value root = rootBuffer(wide), source = rootBuffer(narrow);
    auto shape = cast<MemRefType>(wide.getType());
    if (wide != root || !root.getDefiningOp<memref::AllocOp>() ||
        cast<ShapedType>(narrow.getType()).getShape() != shape.getShape() ||
        !isWhole(narrow.getType(), shape.getNumElements()) ||
        !isWhole(shape, static_cast<int64_t>(call.getExtent())) ||
        !loadsOf(part, to).empty())
      return false;
    SmallVector<ParallelCallOp> readers;
    for (Operation *user : usersOf(root)) {
      if (user == call)
        continue;
      auto reader = dyn_cast<ParallelCallOp>(user);
      if (!reader || !canReadNarrow(reader, call, root))
        return false;
      readers.push_back(reader);
    }
    // What is read is still there.
    auto changes = [&](Operation *user) {
      return user->getBlock() != call->getBlock() ||
             (call->isBeforeInBlock(user) &&
              buffers.touchedBy(user).written.contains(source));
    };
    if (readers.empty() || llvm::any_of(usersOf(source), changes))
      return false;
    for (ParallelCallOp reader : readers) {
      size_t operand = 0;
      while (reader.getBuffers()[operand] != root)
        ++operand;
      func::FuncOp reading = buffers.partOf(reader);
      std::string key =
          reading.getName().str() + " narrow " + std::to_string(operand) + " ";
      llvm::raw_string_ostream(key) << narrow.getType();
      StringAttr &made = known[key];
      if (!made)
        made = createNarrow(reading, static_cast<unsigned>(operand),
                            cast<MemRefType>(narrow.getType()));
      reader.setCalleeAttr(FlatSymbolRefAttr::get(made));
      reader.getBuffersMutable()[operand].set(narrow);
    }
    call->erase();
    root.getDefiningOp()->erase();
    return true;
  }

  /// Whether the launch, behind `call`, reads `root` as it is and does not
  /// write it.
  bool canReadNarrow(ParallelCallOp reader, ParallelCallOp call, Value root) {
    func::FuncOp part = buffers.partOf(reader);
    if (!part || part.isExternal() || reader->getBlock() != call->getBlock() ||
        !call->isBeforeInBlock(reader) || uses(reader, root) != 1)
      return false;
    for (auto [i, buffer] : llvm::enumerate(reader.getBuffers()))
      if (rootBuffer(buffer) == root) {
        bool onlyLoads = buffer == root && !buffers.isWritten(part, i);
        SmallVector<Value> views{part.getArgument(static_cast<unsigned>(i))};
        while (onlyLoads && !views.empty())
          for (Operation *user : views.pop_back_val().getUsers()) {
            if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(user))
              views.push_back(user->getResult(0));
            else
              onlyLoads &= isa<memref::LoadOp>(user);
          }
        return onlyLoads;
      }
    return false;
  }

  /// `reading`, whose argument `operand` has another type of number.
  StringAttr createNarrow(func::FuncOp reading, unsigned operand,
                          MemRefType type) {
    func::FuncOp function = reading.clone();
    StringAttr name = symbols.insert(function);
    Type element = type.getElementType();
    SmallVector<Value> views{function.getArgument(operand)};
    function.getArgument(operand).setType(type);
    SmallVector<Type> types(function.getArgumentTypes());
    types[operand] = type;
    function.setFunctionType(
        FunctionType::get(function.getContext(), types, {}));
    while (!views.empty())
      for (Operation *user :
           llvm::make_early_inc_range(views.pop_back_val().getUsers())) {
        Value result = user->getResult(0);
        if (auto load = dyn_cast<memref::LoadOp>(user)) {
          Type wide = result.getType();
          result.setType(element);
          OpBuilder builder(user->getContext());
          builder.setInsertionPointAfter(user);
          auto widened =
              arith::ExtFOp::create(builder, load.getLoc(), wide, result);
          result.replaceAllUsesExcept(widened.getResult(), widened);
          continue;
        }
        result.setType(cast<MemRefType>(result.getType()).clone(element));
        views.push_back(result);
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

  /// The launch that alone reads `root`, behind `call`, with nothing but
  /// launches that change none of what `call` reads between them.
  ParallelCallOp onlyReader(Value root, ParallelCallOp call) {
    SmallVector<Operation *> users = usersOf(root);
    if (users.size() != 2)
      return nullptr;
    auto reader =
        dyn_cast<ParallelCallOp>(users[0] == call ? users[1] : users[0]);
    if (!reader || reader == call || reader->getBlock() != call->getBlock() ||
        !call->isBeforeInBlock(reader))
      return nullptr;
    Touched own = buffers.touchedBy(call);
    own.written.clear();
    for (Operation *op = call->getNextNode(); op != reader;
         op = op->getNextNode()) {
      if (isa<ViewLikeOpInterface, memref::AllocOp>(op) ||
          isMemoryEffectFree(op))
        continue;
      if (!isa<ParallelCallOp>(op) || own.conflictsWith(buffers.touchedBy(op)))
        return nullptr;
    }
    // Nor does the reader change it.
    return own.conflictsWith(buffers.touchedBy(reader)) ? nullptr : reader;
  }

  bool fuseIntoReader(ParallelCallOp call) {
    func::FuncOp part = buffers.partOf(call);
    if (!part || part.isExternal() || call->hasAttr(kUpdate) ||
        !isElementwiseLaunch(call, part))
      return false;
    SmallVector<size_t> results;
    for (size_t i = 0; i < call.getBuffers().size(); ++i)
      if (buffers.isWritten(part, i))
        results.push_back(i);
    if (results.size() != 1)
      return false;
    size_t result = results[0];
    Value root = rootBuffer(call.getBuffers()[result]);
    auto elements = static_cast<int64_t>(call.getExtent());
    // A part that also loads what it stores updates it.
    if (!root.getDefiningOp<memref::AllocOp>() || uses(call, root) != 1 ||
        !isWhole(call.getBuffers()[result].getType(), elements) ||
        !isWhole(root.getType(), elements) || !loadsOf(part, result).empty() ||
        storesOf(part, static_cast<unsigned>(result), elements, elements)
                .size() != 1)
      return false;
    ParallelCallOp reader = onlyReader(root, call);
    if (!reader || uses(reader, root) != 1 || reader->hasAttr(kUpdate) ||
        call.getBuffers().size() + reader.getBuffers().size() > maxBuffers)
      return false;
    func::FuncOp reading = buffers.partOf(reader);
    size_t operand = 0;
    while (rootBuffer(reader.getBuffers()[operand]) != root)
      ++operand;
    if (!reading || reading.isExternal() ||
        buffers.isWritten(reading, operand) || contractAcross(part, reading))
      return false;
    SmallVector<memref::LoadOp> loads = loadsOf(reading, operand);
    if (!isWhole(reader.getBuffers()[operand].getType(), elements) ||
        !loadsOnce(loads, reading, static_cast<int64_t>(reader.getExtent()),
                   elements) ||
        (loads.size() > 1 && !isCheap(part)))
      return false;
    std::string key = part.getName().str() + " before " +
                      std::to_string(operand) + " " + reading.getName().str();
    StringAttr &made = known[key];
    if (!made)
      made = createReading(part, result, reading, operand);
    SmallVector<Value> operands;
    for (auto [i, buffer] : llvm::enumerate(reader.getBuffers()))
      if (i != operand)
        operands.push_back(buffer);
    for (auto [i, buffer] : llvm::enumerate(call.getBuffers()))
      if (i != result)
        operands.push_back(buffer);
    OpBuilder builder(reader);
    auto launch =
        ParallelCallOp::create(builder, reader.getLoc(), made.getValue(),
                               reader.getExtent(), reader.getGrain(), operands);
    setSlots(launch, reader, {call, reader});
    call->erase();
    reader->erase();
    eraseViews(root);
    root.getDefiningOp()->erase();
    return true;
  }

  /// `reading`, which in place of its loads from `operand` computes what an
  /// iteration of `part` stores to `result`.
  StringAttr createReading(func::FuncOp part, size_t result,
                           func::FuncOp reading, size_t operand) {
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
    addAll(reading, own, operand);
    addAll(part, others, result);
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
      if (i != result)
        begins.map(part.getArgument(static_cast<unsigned>(i)),
                   body->getArgument(next++));
    for (size_t i = 0; i < 2; ++i)
      map.map(reading.getArgument(static_cast<unsigned>(own + i)),
              body->getArgument(next++));
    scf::ForOp range = rangeLoopOf(part);
    Value stored = part.getArgument(static_cast<unsigned>(result));
    for (Operation &op : part.getBody().front().without_terminator())
      if (&op != range && !(isa<ViewLikeOpInterface>(op) &&
                            rootBuffer(op.getResult(0)) == stored))
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
      once.map(
          range.getInductionVar(),
          linearIndex(load, load.getMemRefType(), load.getIndices(), builder));
      for (Operation &op : range.getBody()->without_terminator()) {
        if (auto store = dyn_cast<memref::StoreOp>(op))
          load.getResult().replaceAllUsesWith(
              once.lookupOrDefault(store.getValue()));
        else
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
    ends.map(range.getInductionVar(), linearIndex(store, store.getMemRefType(),
                                                  store.getIndices(), builder));
    for (Operation &op : range.getBody()->without_terminator()) {
      auto load = dyn_cast<memref::LoadOp>(op);
      if (load && rootBuffer(load.getMemRef()) == read)
        ends.map(load.getResult(), store.getValue());
      else
        builder.clone(op, ends);
    }
  }

  /// Of numbers that are rounded already no second rounding is left.
  static void foldRoundings(func::FuncOp function) {
    function.walk([](arith::TruncFOp op) {
      auto from = op.getIn().getDefiningOp<arith::ExtFOp>();
      if (!from || from.getIn().getType() != op.getType())
        return;
      op.replaceAllUsesWith(from.getIn());
      op->erase();
      if (from->use_empty())
        from->erase();
    });
  }

  /// Whether they are number / extent and number % extent of one number.
  static bool isQuotientAndRest(Value quotient, Value rest, int64_t extent) {
    auto divide = quotient.getDefiningOp<arith::DivUIOp>();
    auto remain = rest.getDefiningOp<arith::RemUIOp>();
    return divide && remain && divide.getLhs() == remain.getLhs() &&
           getConstantIntValue(divide.getRhs()) == extent &&
           getConstantIntValue(remain.getRhs()) == extent;
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
