//===- OrderStreams.cpp - Programs on several streams ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: gives every op of a planned program a stream, puts messages that
// follow each other into groups, and makes streams wait for each other by
// events, where one would touch what another still uses.
//
//===----------------------------------------------------------------------===//

#include "Conversion/GPU/Kernels/Accesses.h"

#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapCollectives.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/Pass.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPORDERSTREAMS
#include "Soap/Conversion/Passes.h.inc"

#include <cassert>
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

bool isTransfer(Operation *op) { return isa<SendBufferOp, RecvBufferOp>(op); }

/// A unit that a stream runs as one: an op, or a group of messages.
struct Unit {
  SmallVector<Operation *> ops;
  SmallVector<Access> accesses;
  int64_t stream = 0;
  int64_t position = 0; ///< in its stream, from 1 on
  /// By stream: the position up to which everything is done when it runs.
  SmallVector<int64_t> done;
  std::optional<int64_t> event = {}; ///< recorded behind it
  Operation *first = nullptr, *last = nullptr;

  bool isTransfer() const { return ::isTransfer(ops.front()); }
  /// Collectives are never part of a group.
  bool communicates() const {
    return isTransfer() || isa<CollectiveBufferOp>(ops.front());
  }
  bool conflictsWith(ArrayRef<Access> others) const {
    return llvm::any_of(accesses, [&](const Access &access) {
      return llvm::any_of(others, [&](const Access &other) {
        return access.conflictsWith(other);
      });
    });
  }
};

/// An access that later ones may have to wait for.
struct Pending {
  Access access;
  size_t unit;
};

class Ordering {
public:
  Ordering(func::FuncOp program, int64_t streams)
      : program(program), streams(streams), state(streams),
        builder(program.getContext()) {}

  LogicalResult run() {
    if (failed(collect()))
      return failure();
    for (size_t i = 0; i < units.size(); ++i)
      place(i);
    program->setAttr(kStreams, builder.getI64IntegerAttr(streams));
    return success();
  }

private:
  struct Stream {
    int64_t position = 0;
    /// By stream: what the next unit of this one comes after.
    SmallVector<int64_t> done;
    std::optional<size_t> latest = {}; ///< unit
  };

  func::FuncOp program;
  int64_t streams;
  SmallVector<Stream> state;
  OpBuilder builder;
  std::vector<Unit> units;
  std::vector<Pending> pending;
  int64_t events = 0;

  LogicalResult collect() {
    bool adjacent = false; // to the last unit
    for (Operation &op : program.getBody().front().without_terminator()) {
      if (!runsOnStream(&op)) {
        // Constants and views may stand between messages of a group.
        adjacent &= isMemoryEffectFree(&op);
        continue;
      }
      FailureOr<SmallVector<Access>> accesses = accessesOf(&op);
      if (failed(accesses))
        return failure();
      bool joins = adjacent && streams > 1 && isTransfer(&op) &&
                   units.back().isTransfer() &&
                   !units.back().conflictsWith(*accesses);
      if (!joins)
        units.emplace_back();
      units.back().ops.push_back(&op);
      llvm::append_range(units.back().accesses, *accesses);
      adjacent = true;
    }
    return success();
  }

  /// The latest unit of each stream that has to end before `unit`; 0: none.
  SmallVector<size_t> predecessorsOf(const Unit &unit) {
    SmallVector<size_t> latest(streams, units.size());
    for (const Pending &before : pending) {
      if (!unit.conflictsWith(before.access))
        continue;
      size_t &known = latest[units[before.unit].stream];
      if (known == units.size() ||
          units[known].position < units[before.unit].position)
        known = before.unit;
    }
    return latest;
  }

  /// Messages and collectives have the last stream. Other work goes on where
  /// what it needs has just been made, else where least was done.
  int64_t chooseStream(const Unit &unit, ArrayRef<size_t> predecessors) {
    if (streams == 1)
      return 0;
    if (unit.communicates())
      return streams - 1;
    int64_t best = 0;
    std::optional<size_t> newest;
    for (int64_t stream = 0; stream + 1 < streams; ++stream) {
      size_t before = predecessors[stream];
      if (before != units.size() && state[stream].latest == before &&
          (!newest || *newest < before)) {
        newest = before;
        best = stream;
      }
      if (!newest && state[stream].position < state[best].position)
        best = stream;
    }
    return best;
  }

  void place(size_t index) {
    Unit &unit = units[index];
    group(unit);
    SmallVector<size_t> predecessors = predecessorsOf(unit);
    unit.stream = chooseStream(unit, predecessors);
    Stream &own = state[unit.stream];
    own.done.resize(streams);
    for (int64_t stream = 0; stream < streams; ++stream) {
      size_t before = predecessors[stream];
      if (before == units.size() || stream == unit.stream ||
          own.done[stream] >= units[before].position)
        continue;
      waitFor(units[before], unit);
      for (auto [mine, theirs] : llvm::zip(own.done, units[before].done))
        mine = std::max(mine, theirs);
    }
    assert(unit.stream >= 0 && unit.stream < streams && "no such stream");
    unit.position = own.done[unit.stream] = ++own.position;
    assert(llvm::all_of(llvm::seq<int64_t>(0, streams),
                        [&](int64_t stream) {
                          return own.done[stream] <= state[stream].position;
                        }) &&
           "a unit waits for what has been issued");
    own.latest = index;
    unit.done = own.done;
    if (unit.stream != 0)
      for (Operation *op : unit.ops)
        op->setAttr(kStream, builder.getI64IntegerAttr(unit.stream));
    // Whoever comes after a write of all its bytes comes after an access.
    llvm::erase_if(pending, [&](const Pending &before) {
      return llvm::any_of(unit.accesses, [&](const Access &access) {
        return access.writes && access.argument == before.access.argument &&
               access.begin <= before.access.begin &&
               before.access.end <= access.end;
      });
    });
    for (const Access &access : unit.accesses)
      pending.push_back({access, index});
  }

  void group(Unit &unit) {
    assert(!unit.ops.empty() && "a unit of at least one op");
    unit.first = unit.ops.front();
    unit.last = unit.ops.back();
    if (unit.ops.size() < 2)
      return;
    builder.setInsertionPoint(unit.first);
    unit.first = BeginTransfersOp::create(builder, unit.first->getLoc());
    builder.setInsertionPointAfter(unit.last);
    unit.last = EndTransfersOp::create(builder, unit.last->getLoc());
  }

  void waitFor(Unit &before, const Unit &unit) {
    assert(before.stream != unit.stream && "a stream waits for another one");
    if (!before.event) {
      before.event = events++;
      builder.setInsertionPointAfter(before.last);
      RecordEventOp::create(builder, before.last->getLoc(), *before.event,
                            before.stream);
    }
    builder.setInsertionPoint(unit.first);
    WaitEventOp::create(builder, unit.first->getLoc(), *before.event,
                        unit.stream);
  }
};

struct OrderStreamsPass
    : public mlir::soap::impl::SoapOrderStreamsBase<OrderStreamsPass> {
  using SoapOrderStreamsBase::SoapOrderStreamsBase;

  void runOnOperation() override {
    if (streams < 1 || streams > 64) {
      getOperation().emitError()
          << "expected 1 to 64 streams, got " << streams.getValue();
      return signalPassFailure();
    }
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isProgram(function) && failed(Ordering(function, streams).run()))
        return signalPassFailure();
  }
};

} // namespace
