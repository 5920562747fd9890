//===- NarrowReads.cpp - Numbers of 16 bits are read as such --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See NarrowReads.h.
//
//===----------------------------------------------------------------------===//

#include "NarrowReads.h"

#include "Conversion/Parallelize/IndependentLoops.h"
#include "ElementwiseIterations.h"

#include "Soap/Dialect/Soap/GpuAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::soap;

int64_t NarrowReads::run(Block &block) {
  int64_t gone = 0;
  for (Operation &op : llvm::make_early_inc_range(block))
    if (auto call = dyn_cast<ParallelCallOp>(op))
      gone += readNarrow(call);
  return gone;
}

/// Whether an iteration of `part` does nothing but make its element f32, and
/// of which argument which other one.
static bool isWidening(func::FuncOp part, int64_t extent, unsigned &from,
                       unsigned &to) {
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
  Value iteration = loop.getInductionVar();
  if (!widened || widened.getIn() != load.getResult() || !source || !target ||
      !isOwnElement(load, iteration, extent) ||
      !isOwnElement(store, iteration, extent))
    return false;
  from = source.getArgNumber();
  to = target.getArgNumber();
  return true;
}

/// A launch that makes numbers of 16 bits f32, which only launches read: they
/// read the 16 bits. That is exact.
bool NarrowReads::readNarrow(ParallelCallOp call) {
  func::FuncOp part = buffers.partOf(call);
  unsigned from = 0, to = 0;
  if (!part || part.isExternal() || call->hasAttr(kUpdate) ||
      !isWidening(part, static_cast<int64_t>(call.getExtent()), from, to))
    return false;
  Value narrow = call.getBuffers()[from], wide = call.getBuffers()[to];
  Value root = rootBuffer(wide), source = rootBuffer(narrow);
  auto shape = cast<MemRefType>(wide.getType());
  if (wide != root || !root.getDefiningOp<memref::AllocOp>() ||
      cast<ShapedType>(narrow.getType()).getShape() != shape.getShape() ||
      !cast<MemRefType>(narrow.getType()).getLayout().isIdentity() ||
      !shape.getLayout().isIdentity() || source == root)
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
  // The numbers that are read are still there.
  auto changes = [&](Operation *user) {
    return user->getBlock() != call->getBlock() ||
           (call->isBeforeInBlock(user) &&
            buffers.touchedBy(user).written.contains(source));
  };
  if (readers.empty() || llvm::any_of(usersOf(source), changes))
    return false;
  ParallelCallOp earliest = readers.front();
  for (ParallelCallOp reader : readers)
    if (reader->isBeforeInBlock(earliest))
      earliest = reader;
  setSlots(earliest, earliest, {call, earliest});
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
bool NarrowReads::canReadNarrow(ParallelCallOp reader, ParallelCallOp call,
                                Value root) {
  func::FuncOp part = buffers.partOf(reader);
  if (!part || part.isExternal() || reader->getBlock() != call->getBlock() ||
      !call->isBeforeInBlock(reader))
    return false;
  if (llvm::count_if(reader.getBuffers(), [&](Value buffer) {
        return rootBuffer(buffer) == root;
      }) != 1)
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
StringAttr NarrowReads::createNarrow(func::FuncOp reading, unsigned operand,
                                     MemRefType type) {
  func::FuncOp function = reading.clone();
  StringAttr name = symbols.insert(function);
  Type element = type.getElementType();
  SmallVector<Value> views{function.getArgument(operand)};
  function.getArgument(operand).setType(type);
  SmallVector<Type> types(function.getArgumentTypes());
  types[operand] = type;
  function.setFunctionType(FunctionType::get(function.getContext(), types, {}));
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

void mlir::soap::foldRoundings(func::FuncOp function) {
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
