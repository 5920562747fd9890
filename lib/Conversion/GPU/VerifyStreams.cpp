//===- VerifyStreams.cpp - Nothing is touched too early -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: replays a program on its streams. An op happens before another one
// if it comes earlier on the same stream, or if events lead from it to the
// other; of two that touch the same bytes, one has to happen before the other.
// It knows nothing of how the order came about.
//
//===----------------------------------------------------------------------===//

#include "Conversion/GPU/Kernels/Accesses.h"

#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Pass/Pass.h"

#include <map>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPVERIFYSTREAMS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Number of steps of each stream that have happened.
using Clock = SmallVector<int64_t, 4>;

class Replay {
public:
  Replay(func::FuncOp program, int64_t streams)
      : program(program), clocks(streams, Clock(streams, 0)) {}

  LogicalResult run() {
    for (Operation &op : program.getBody().front())
      if (failed(step(&op)))
        return failure();
    if (!group.empty())
      return group.front()->emitOpError(
          "is in a group of transfers that does not end");
    return success();
  }

private:
  /// An access by an op that was step `time` of its stream.
  struct Done {
    Access access;
    Operation *op;
    int64_t stream, time;
  };

  func::FuncOp program;
  SmallVector<Clock> clocks; ///< by stream: what has happened for its next op
  std::map<int64_t, Clock> events;
  std::vector<Done> history;
  bool inGroup = false;
  SmallVector<Operation *> group;

  LogicalResult step(Operation *op) {
    if (auto record = dyn_cast<RecordEventOp>(op)) {
      if (failed(checkStream(op, record.getStream())))
        return failure();
      if (inGroup)
        return op->emitOpError("stands in a group of transfers");
      if (!events.try_emplace(record.getEvent(), clocks[record.getStream()])
               .second)
        return op->emitOpError("records event ")
               << record.getEvent() << " a second time";
      return success();
    }
    if (auto wait = dyn_cast<WaitEventOp>(op)) {
      if (failed(checkStream(op, wait.getStream())))
        return failure();
      auto event = events.find(wait.getEvent());
      if (inGroup)
        return op->emitOpError("stands in a group of transfers");
      if (event == events.end())
        return op->emitOpError("waits for event ")
               << wait.getEvent() << ", which no op before it records";
      join(clocks[wait.getStream()], event->second);
      return success();
    }
    if (isa<BeginTransfersOp>(op)) {
      if (inGroup)
        return op->emitOpError("stands in a group of transfers");
      inGroup = true;
      return success();
    }
    if (isa<EndTransfersOp>(op)) {
      if (!inGroup)
        return op->emitOpError("ends no group of transfers");
      inGroup = false;
      group.clear();
      return success();
    }
    return runsOnStream(op) ? work(op) : success();
  }

  LogicalResult checkStream(Operation *op, int64_t stream) {
    if (stream >= 0 && stream < static_cast<int64_t>(clocks.size()))
      return success();
    return op->emitOpError("runs on stream ")
           << stream << ", but its program has " << clocks.size();
  }

  static void join(Clock &clock, const Clock &other) {
    for (auto [mine, theirs] : llvm::zip(clock, other))
      mine = std::max(mine, theirs);
  }

  LogicalResult work(Operation *op) {
    int64_t stream = streamOf(op);
    if (failed(checkStream(op, stream)))
      return failure();
    bool isTransfer = isa<SendBufferOp, RecvBufferOp>(op);
    if (inGroup && !isTransfer)
      return op->emitOpError("stands in a group of transfers");
    FailureOr<SmallVector<Access>> accesses = accessesOf(op);
    if (failed(accesses))
      return failure();
    // Messages of a group are one step: none comes before another one.
    Clock &clock = clocks[stream];
    bool continues = inGroup && !group.empty();
    if (continues && streamOf(group.front()) != stream)
      return op->emitOpError("is on another stream than its group");
    int64_t time = continues ? clock[stream] : clock[stream] + 1;
    for (const Access &access : *accesses)
      if (failed(check(op, access, clock, time)))
        return failure();
    clock[stream] = time;
    if (inGroup)
      group.push_back(op);
    remember(op, *accesses, stream, time);
    return success();
  }

  static int64_t streamOf(Operation *op) {
    auto attribute = op->getAttrOfType<IntegerAttr>(kStream);
    return attribute ? attribute.getInt() : 0;
  }

  /// All that touched the same bytes has happened when step `time` of the op's
  /// stream begins.
  LogicalResult check(Operation *op, const Access &access, const Clock &clock,
                      int64_t time) {
    int64_t own = streamOf(op);
    for (const Done &before : history) {
      if (!access.conflictsWith(before.access))
        continue;
      bool ordered = before.stream == own ? before.time < time
                                          : before.time <= clock[before.stream];
      if (ordered)
        continue;
      InFlightDiagnostic error = op->emitOpError();
      error << (access.writes ? "writes" : "reads") << " bytes ["
            << std::max(access.begin, before.access.begin) << ", "
            << std::min(access.end, before.access.end) << ") of argument #"
            << access.argument << " on stream " << own
            << ", and no event orders it after the op of stream "
            << before.stream << " that "
            << (before.access.writes ? "writes" : "reads") << " them";
      error.attachNote(before.op->getLoc()) << "that op is here";
      return error;
    }
    return success();
  }

  /// An access that a later, ordered write covers need not be looked at again:
  /// an op that comes after the write comes after it.
  void remember(Operation *op, ArrayRef<Access> accesses, int64_t stream,
                int64_t time) {
    for (const Access &access : accesses)
      if (access.writes)
        llvm::erase_if(history, [&](const Done &before) {
          return access.argument == before.access.argument &&
                 access.begin <= before.access.begin &&
                 before.access.end <= access.end;
        });
    for (const Access &access : accesses)
      history.push_back({access, op, stream, time});
  }
};

struct VerifyStreamsPass
    : public mlir::soap::impl::SoapVerifyStreamsBase<VerifyStreamsPass> {
  using SoapVerifyStreamsBase::SoapVerifyStreamsBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!isProgram(function))
        continue;
      auto streams = function->getAttrOfType<IntegerAttr>(kStreams);
      if (!streams) {
        function.emitError("program '")
            << function.getName() << "' has no '" << kStreams
            << "': expected --soap-order-streams before";
        return signalPassFailure();
      }
      if (failed(Replay(function, streams.getInt()).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
