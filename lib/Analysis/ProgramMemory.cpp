//===- ProgramMemory.cpp - Peak memory of partitioned IR ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks through each program, op by op, but through the ops of a collective at
// once: programs gather into a tile and scatter from one where the pieces lie
// one after the other, and pack them else (lib/Plan/ValueCollectives.cpp says
// the same of plans).
//
//===----------------------------------------------------------------------===//

#include "Soap/Analysis/ProgramMemory.h"

#include "Soap/Analysis/ProgramTables.h"
#include "Soap/Dialect/Soap/MemoryAttribute.h"
#include "Soap/Dialect/Soap/ShardPosition.h"
#include "Soap/Dialect/Soap/SoapCollectives.h"
#include "Soap/Profile/CopyGeometry.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::soap;
using Part = ::soap::Region;

static int64_t elementBytesOf(Type type) {
  return (cast<RankedTensorType>(type).getElementTypeBitWidth() + 7) / 8;
}

static int64_t bytesOf(Type type) {
  return cast<RankedTensorType>(type).getNumElements() * elementBytesOf(type);
}

/// Whether a part of a tile lies in it in one piece.
static bool isRun(const Part &part, Type tile) {
  std::vector<int64_t> shape = part.shape();
  return ::soap::contiguousRuns(
             Part::whole(shape), shape, part,
             cast<RankedTensorType>(tile).getShape().vec()) == 1;
}

static bool areRuns(ArrayAttr parts, Type tile) {
  return llvm::all_of(parts.getAsRange<RegionAttr>(), [&](RegionAttr part) {
    return isRun(part.getRegion(), tile);
  });
}

/// Bytes of pieces that do not lie one after the other in the tile that is
/// assembled from them.
static int64_t receivedBytes(Operation *op) {
  for (Operation *user : op->getUsers())
    if (auto assemble = dyn_cast<AssembleOp>(user))
      if (Type tile = assemble.getTile().getType();
          !areRuns(assemble.getTargets(), tile))
        return bytesOf(tile);
  return 0;
}

/// Bytes that a collective needs besides its tiles.
static int64_t temporaryBytes(Operation *op) {
  return TypeSwitch<Operation *, int64_t>(op)
      .Case([](AllGatherOp gather) { return receivedBytes(gather); })
      .Case([](AllToAllOp exchange) {
        Type tile = exchange.getTile().getType();
        int64_t packed = 0;
        for (auto source : exchange.getSources().getAsRange<RegionAttr>())
          if (!isRun(source.getRegion(), tile))
            packed += source.getRegion().volume() * elementBytesOf(tile);
        return packed + receivedBytes(exchange);
      })
      .Case([](ReduceScatterOp scatter) {
        Type tile = scatter.getTile().getType();
        return areRuns(scatter.getSources(), tile) ? 0 : bytesOf(tile);
      })
      .Case([](GatherToRootOp gather) {
        int64_t bytes = 0;
        for (Type piece : gather.getPieces().getTypes())
          bytes += bytesOf(piece);
        return bytes;
      })
      .Case([](BroadcastFromRootOp broadcast) -> int64_t {
        if (!broadcast.getTile())
          return 0;
        Type tile = broadcast.getTile().getType();
        Part part = broadcast.getSource()->getRegion();
        return isRun(part, tile) ? 0 : part.volume() * elementBytesOf(tile);
      })
      .Default([](Operation *) { return 0; });
}

namespace {

/// Walks through the program of one device.
class Walk {
public:
  Walk(func::FuncOp program, ArrayRef<int64_t> tasks)
      : block(program.getBody().front()), tasks(tasks) {
    for (BlockArgument argument : program.getArguments())
      if (enumValue<ValueKindAttr>(program.getArgAttr(argument.getArgNumber(),
                                                      SoapDialect::kKind)) !=
              ValueKind::Positions &&
          !program.getArgAttr(argument.getArgNumber(), kMemory))
        live += bytesOf(argument.getType());
    for (OpOperand &operand : block.getTerminator()->getOpOperands())
      if (program.getResultAttr(operand.getOperandNumber(),
                                SoapDialect::kUpdates))
        inPlace.insert(operand.get());
    findLastUses();
  }

  int64_t peakBytes() {
    peak = live;
    for (Block::iterator op = block.begin(), last = std::prev(block.end());
         op != last;) {
      Block::iterator end = std::next(op);
      while (end != last && taskOf(*end) >= 0 && taskOf(*end) == taskOf(*op))
        ++end;
      bool atOnce =
          llvm::any_of(llvm::make_range(op, end),
                       [](Operation &part) { return isCollective(&part); });
      if (atOnce)
        visitCollective(op, end);
      for (; op != end; ++op)
        if (!atOnce)
          visit(*op);
    }
    return peak;
  }

private:
  Block &block;
  ArrayRef<int64_t> tasks; ///< by slot
  /// New values of updated tiles replace their arguments in place.
  llvm::SmallDenseSet<Value> inPlace;
  DenseMap<Operation *, SmallVector<Value>> lastUses;
  int64_t live = 0, peak = 0;

  int64_t taskOf(Operation &op) const {
    auto slot = op.getAttrOfType<IntegerAttr>(SoapDialect::kSlot);
    return slot ? tasks[static_cast<size_t>(slot.getInt())] : -1;
  }

  void findLastUses() {
    for (Operation &op : block)
      for (Value result : op.getResults()) {
        Operation *last = &op;
        auto use = [&](Operation *user) {
          if (last->isBeforeInBlock(user))
            last = user;
        };
        for (Operation *user : result.getUsers()) {
          use(user);
          if (makesPositions(user))
            llvm::for_each(user->getUsers(), use);
        }
        lastUses[last].push_back(result);
      }
  }

  int64_t sizeOf(Value value) const {
    // Plans do not know indices of a shard that are made of others.
    return inPlace.contains(value) || makesPositions(value.getDefiningOp())
               ? 0
               : bytesOf(value.getType());
  }

  void visit(Operation &op) {
    for (Value result : op.getResults())
      live += sizeOf(result);
    int64_t message = 0;
    if (auto send = dyn_cast<SendOp>(op))
      message = send.getSource().getRegion().volume() *
                elementBytesOf(send.getTile().getType());
    peak = std::max(peak, live + message);
    for (Value dead : lastUses.lookup(&op))
      live -= sizeOf(dead);
  }

  /// Ops of one task: cuts of a tile, collectives, and what is made of their
  /// results. Sums are made in place of a cut.
  void visitCollective(Block::iterator begin, Block::iterator end) {
    llvm::SmallPtrSet<Operation *, 4> ops;
    for (Operation &op : llvm::make_range(begin, end))
      ops.insert(&op);
    auto isInside = [&](Value value) {
      return value.getDefiningOp() && ops.contains(value.getDefiningOp()) &&
             !value.use_empty() &&
             llvm::all_of(value.getUsers(),
                          [&](Operation *user) { return ops.contains(user); });
    };
    int64_t more = 0;
    for (Operation &op : llvm::make_range(begin, end)) {
      more += temporaryBytes(&op);
      for (Value result : op.getResults())
        if (!isInside(result))
          live += sizeOf(result);
        // A root sums or folds it for others only.
        else if (isa<ReduceToRootOp, CombineOp>(op))
          more += sizeOf(result);
    }
    peak = std::max(peak, live + more);
    for (Operation &op : llvm::make_range(begin, end))
      for (Value dead : lastUses.lookup(&op))
        if (!isInside(dead))
          live -= sizeOf(dead);
  }
};

} // namespace

FailureOr<std::vector<int64_t>>
mlir::soap::programPeakBytes(ModuleOp module, DictionaryAttr entry,
                             int deviceCount) {
  ::soap::Expected<DictionaryAttr> listed = listTasks(entry);
  if (!listed)
    return module.emitError("'")
           << SoapDialect::kPrograms << "': " << listed.error();
  std::vector<int64_t> peaks(static_cast<size_t>(deviceCount), 0);
  for (Attribute attribute : listed->getAs<ArrayAttr>("ranks")) {
    auto rank = cast<DictionaryAttr>(attribute);
    if (auto program = module.lookupSymbol<func::FuncOp>(
            rank.getAs<FlatSymbolRefAttr>("program")))
      peaks[static_cast<size_t>(rank.getAs<IntegerAttr>("device").getInt())] =
          Walk(program, rank.getAs<DenseI64ArrayAttr>("tasks").asArrayRef())
              .peakBytes();
  }
  return peaks;
}
