//===- ProgramCode.cpp - Programs as lists of calls -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProgramCode.h.
//
//===----------------------------------------------------------------------===//

#include "ProgramCode.h"

#include "../PostedSends.h"
#include "KernelHandles.h"

#include "Soap/ABI/Runtime.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapCollectives.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::soap;

void mlir::soap::forEachNumber(ProgramTask &task,
                               llvm::function_ref<void(CallNumber &)> visit) {
  auto visitAll = [&](MutableArrayRef<CallOperand> operands) {
    for (CallOperand &operand : operands)
      switch (operand.kind) {
      case CallOperand::Context:
      case CallOperand::Fixed:
      case CallOperand::Buffers:
        break;
      case CallOperand::Varying:
        visit(operand.number);
        break;
      case CallOperand::Argument:
        visit(operand.number);
        visit(operand.offset);
        break;
      case CallOperand::Arena:
      case CallOperand::Global:
        visit(operand.offset);
        break;
      }
  };
  for (ProgramCall &call : task) {
    visitAll(call.operands);
    visitAll(call.buffers);
  }
}

std::optional<std::string> mlir::soap::keyOf(const ProgramTask &task) {
  std::string key;
  auto add = [&](int64_t number) {
    key.append(reinterpret_cast<const char *>(&number), sizeof(number));
  };
  auto addPointer = [&](const void *pointer) {
    add(static_cast<int64_t>(reinterpret_cast<uintptr_t>(pointer)));
  };
  auto addAll = [&](ArrayRef<CallOperand> operands) {
    add(static_cast<int64_t>(operands.size()));
    for (const CallOperand &operand : operands) {
      add(operand.kind);
      if (operand.kind == CallOperand::Fixed)
        add(operand.number.value);
      if (operand.kind == CallOperand::Global)
        addPointer(LLVM::GlobalOp(operand.global).getOperation());
    }
  };
  for (const ProgramCall &call : task) {
    if (call.result >= 0)
      return std::nullopt;
    add(call.kind);
    addPointer(call.callee.getAsOpaquePointer());
    addAll(call.operands);
    addAll(call.buffers);
  }
  return key;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

CallOperand fixed(int64_t value) {
  return {CallOperand::Fixed, {value}, {}, {}};
}
CallOperand varying(int64_t value) {
  return {CallOperand::Varying, {value}, {}, {}};
}
CallOperand globalOf(LLVM::GlobalOp global) {
  return {CallOperand::Global, {}, {}, global};
}
CallOperand argument(int64_t number) {
  return {CallOperand::Argument, {number}, {}, {}};
}

CallOperand movedBy(CallOperand place, int64_t bytes) {
  place.offset.value += bytes;
  return place;
}

class ProgramReader {
public:
  ProgramReader(func::FuncOp program, RuntimeSymbols &runtime)
      : program(program), runtime(runtime),
        onStreams(program->hasAttr(kStreams)) {
    code.program = program;
  }

  FailureOr<ProgramCode> run() {
    llvm::append_range(code.signature, program.getArgumentTypes());
    for (auto [i, buffer] : llvm::enumerate(program.getArguments()))
      places[buffer] = argument(static_cast<int64_t>(i));
    places[program.getArguments().back()] = {CallOperand::Arena, {}, {}, {}};
    code.tasks.emplace_back();
    for (Operation &op : program.getBody().front().without_terminator()) {
      enterTask(&op);
      enterStream(&op);
      if (failed(read(&op)))
        return failure();
    }
    leaveTask();
    return std::move(code);
  }

private:
  func::FuncOp program;
  RuntimeSymbols &runtime;
  bool onStreams; ///< for a GPU
  ProgramCode code;
  int64_t stream = 0;
  DenseMap<Value, CallOperand> places; ///< by buffer
  std::optional<int64_t> task;

  const CallOperand context{};
  const CallOperand list{CallOperand::Buffers, {}, {}, {}};

  ProgramCall &add(ProgramCall::Kind kind, Location loc, StringRef callee,
                   ArrayRef<CallOperand> operands) {
    return code.tasks.back().emplace_back(
        ProgramCall{kind,
                    loc,
                    StringAttr::get(program.getContext(), callee),
                    SmallVector<CallOperand>(operands),
                    {},
                    -1});
  }
  ProgramCall &call(Location loc, StringRef name,
                    ArrayRef<CallOperand> operands) {
    return add(ProgramCall::Runtime, loc, name, operands);
  }

  //===--------------------------------------------------------------------===//
  // Tasks
  //===--------------------------------------------------------------------===//

  void begin(int64_t slot) {
    code.slots = std::max(code.slots, slot + 1);
    call(program.getLoc(), "soap_rt_task_begin", {context, varying(slot)});
  }
  void end(int64_t slot) {
    call(program.getLoc(), "soap_rt_task_end", {context, varying(slot)});
  }
  void leaveTask() {
    if (task)
      end(*task);
    task = std::nullopt;
  }

  static IntegerAttr slotOf(Operation *op) {
    return op->getAttrOfType<IntegerAttr>(SoapDialect::kSlot);
  }

  /// Ops without a slot belong to the task before them.
  void enterTask(Operation *op) {
    IntegerAttr slot = slotOf(op);
    if (!slot || task == slot.getInt())
      return;
    leaveTask();
    code.tasks.emplace_back();
    // Tasks that are part of this kernel are over as soon as they begin. The
    // task may begin with copies of the kernel's operands in other layouts.
    for (Operation *next = op; next && slotOf(next) == slot;
         next = next->getNextNode())
      if (auto others =
              next->getAttrOfType<DenseI64ArrayAttr>("soap.fused_slots"))
        for (int64_t other : others.asArrayRef()) {
          begin(other);
          end(other);
        }
    task = slot.getInt();
    begin(*task);
  }

  CallOperand currentSlot() { return varying(task.value_or(-1)); }

  /// Launches, library calls, copies and messages go to the current stream.
  void enterStream(Operation *op) {
    bool works = isa<ParallelCallOp, LibraryCallOp, memref::CopyOp,
                     SendBufferOp, RecvBufferOp, CollectiveBufferOp>(op);
    auto attribute = op->getAttrOfType<IntegerAttr>(kStream);
    int64_t wanted = attribute ? attribute.getInt() : 0;
    if (!onStreams || !works || wanted == stream)
      return;
    stream = wanted;
    call(op->getLoc(), "soap_rt_use_stream", {context, fixed(stream)});
  }

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  LogicalResult read(Operation *op) {
    SmallVector<CallOperand> operands;
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType())) {
        auto found = places.find(operand);
        if (found == places.end())
          return op->emitOpError("uses a buffer without a place");
        operands.push_back(found->second);
      }
    Location loc = op->getLoc();
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        // Offsets of views, which are folded into them.
        .Case([&](arith::ConstantOp) { return success(); })
        .Case([&](memref::ViewOp view) { return readView(view, operands[0]); })
        .Case<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp>(
            [&](Operation *view) {
              places[view->getResult(0)] = operands[0];
              return success();
            })
        .Case([&](memref::SubViewOp view) {
          return readSubView(view, operands[0]);
        })
        .Case([&](memref::GetGlobalOp global) { return readGlobal(global); })
        .Case([&](memref::CopyOp copy) { return readCopy(copy, operands); })
        .Case([&](KernelCallOp kernel) {
          add(ProgramCall::Kernel, loc, kernel.getCallee(), operands);
          return success();
        })
        .Case(
            [&](ParallelCallOp launch) { return readLaunch(launch, operands); })
        .Case([&](RecordEventOp record) {
          call(
              loc, "soap_rt_record_event",
              {context, varying(record.getEvent()), fixed(record.getStream())});
          return success();
        })
        .Case([&](WaitEventOp wait) {
          call(loc, "soap_rt_wait_event",
               {context, varying(wait.getEvent()), fixed(wait.getStream())});
          return success();
        })
        .Case([&](BeginTransfersOp) {
          call(loc, "soap_rt_begin_transfers", {context});
          return success();
        })
        .Case([&](EndTransfersOp) {
          call(loc, "soap_rt_end_transfers", {context});
          return success();
        })
        .Case([&](LibraryCallOp library) {
          CallOperand shape = globalOf(runtime.array(library.getDescriptor()));
          std::string name = ("soap_rt_" + library.getName()).str();
          if (takesList(library)) {
            call(loc, name, {context, shape, list}).buffers = operands;
          } else {
            operands.insert(operands.begin(), {context, shape});
            call(loc, name, operands);
          }
          return success();
        })
        .Case([&](SendBufferOp send) {
          transfer(loc, isPosted(send) ? "soap_rt_post" : "soap_rt_send",
                   operands[0], send.getTile());
          return success();
        })
        .Case([&](RecvBufferOp recv) {
          transfer(loc, "soap_rt_recv", operands[0], recv.getOutput());
          return success();
        })
        .Case([&](CollectiveBufferOp collective) {
          return readCollective(collective, operands);
        })
        .Default([](Operation *other) {
          return other->emitOpError(
              "has no lowering in a program: expected calls, sends, "
              "receives, copies and views of buffers");
        });
  }

  void transfer(Location loc, StringRef name, const CallOperand &data,
                Value buffer) {
    int64_t bytes = sizeInBytes(cast<MemRefType>(buffer.getType()));
    code.messages.push_back(
        {task.value_or(-1),
         name == "soap_rt_recv" ? SOAP_INTERFACE_RECV : SOAP_INTERFACE_SEND,
         bytes});
    call(loc, name, {context, currentSlot(), data, fixed(bytes)});
  }

  static int64_t runtimeNumber(CollectiveKind kind) {
    switch (kind) {
    case CollectiveKind::AllReduce:
      return SOAP_ALL_REDUCE;
    case CollectiveKind::ReduceToRoot:
      return SOAP_REDUCE;
    case CollectiveKind::ReduceScatter:
      return SOAP_REDUCE_SCATTER;
    case CollectiveKind::AllGather:
      return SOAP_ALL_GATHER;
    case CollectiveKind::GatherToRoot:
      return SOAP_GATHER;
    case CollectiveKind::AllToAll:
      return SOAP_ALL_TO_ALL;
    case CollectiveKind::BroadcastFromRoot:
      return SOAP_BROADCAST;
    }
    llvm_unreachable("all kinds are above");
  }

  /// The descriptor that `soap_rt_collective` documents.
  LogicalResult readCollective(CollectiveBufferOp op,
                               ArrayRef<CallOperand> buffers) {
    int64_t kind = runtimeNumber(op.getKind());
    Type element =
        cast<MemRefType>(op.getOperand(0).getType()).getElementType();
    int64_t type = element.isF32()    ? SOAP_F32
                   : element.isF64()  ? SOAP_F64
                   : element.isF16()  ? SOAP_F16
                   : element.isBF16() ? SOAP_BF16
                                      : SOAP_BYTES;
    SmallVector<int64_t> descriptor = {
        kind, type, static_cast<int64_t>(op.getInputs().size()),
        static_cast<int64_t>(op.getOutputs().size())};
    for (Value buffer : op.getOperands()) {
      auto memref = cast<MemRefType>(buffer.getType());
      if (!isContiguous(memref))
        return op.emitOpError("must be on static row-major buffers");
      descriptor.push_back(type == SOAP_BYTES ? sizeInBytes(memref)
                                              : memref.getNumElements());
    }
    code.messages.push_back(
        {task.value_or(-1), SOAP_INTERFACE_COLLECTIVE, kind});
    call(op.getLoc(), "soap_rt_collective",
         {context, currentSlot(), globalOf(runtime.array(descriptor)), list})
        .buffers.assign(buffers.begin(), buffers.end());
    return success();
  }

  LogicalResult readView(memref::ViewOp view, const CallOperand &base) {
    IntegerAttr offset;
    if (auto constant = view.getByteShift().getDefiningOp<arith::ConstantOp>())
      offset = dyn_cast<IntegerAttr>(constant.getValue());
    if (!offset || !view.getType().hasStaticShape())
      return view.emitOpError("must have a constant offset and shape");
    places[view.getResult()] = movedBy(base, offset.getInt());
    return success();
  }

  /// Elements next to each other.
  LogicalResult readSubView(memref::SubViewOp view, const CallOperand &base) {
    auto [strides, offset] = view.getType().getStridesAndOffset();
    if (!isContiguous(view.getType()) || ShapedType::isDynamic(offset) ||
        !view.getSourceType().getLayout().isIdentity())
      return view.emitOpError("must be a contiguous part of a whole buffer");
    places[view.getResult()] = movedBy(
        base, offset * ((view.getType().getElementTypeBitWidth() + 7) / 8));
    return success();
  }

  static bool isContiguous(MemRefType type) {
    return type.hasStaticShape() &&
           (type.getLayout().isIdentity() ||
            memref::isStaticShapeAndContiguousRowMajor(type));
  }

  LogicalResult readLaunch(ParallelCallOp launch,
                           ArrayRef<CallOperand> buffers) {
    if (!onStreams)
      return launch.emitOpError("stands in a program without streams: expected "
                                "--soap-order-streams before");
    auto target =
        runtime.getModule()->getAttrOfType<DictionaryAttr>(kGpuTarget);
    auto references =
        target ? target.getAs<BoolAttr>("host_references") : BoolAttr();
    FailureOr<LLVM::GlobalOp> handle = kernelHandle(
        launch, runtime.getModule(), !references || references.getValue());
    if (failed(handle))
      return failure();
    call(launch.getLoc(), "soap_rt_launch", {context, globalOf(*handle), list})
        .buffers.assign(buffers.begin(), buffers.end());
    return success();
  }

  /// Functions of programs on streams, whose buffers depend on the descriptor.
  static bool takesList(LibraryCallOp library) {
    return llvm::is_contained({"matmul", "conv2d", "pool2d", "batch_norm",
                               "attention", "attention_f32", "attention_bf16"},
                              library.getName());
  }

  LogicalResult readGlobal(memref::GetGlobalOp op) {
    Operation *symbol = runtime.table().lookup(op.getName());
    if (auto source = dyn_cast_or_null<memref::GlobalOp>(symbol)) {
      auto values = dyn_cast_or_null<ElementsAttr>(
          source.getInitialValue().value_or(Attribute()));
      if (!values)
        return op.emitOpError("needs the elements of '") << op.getName() << "'";
      runtime.table().erase(source);
      symbol = runtime.elements(op.getName(), values);
    }
    auto global = dyn_cast_or_null<LLVM::GlobalOp>(symbol);
    if (!global)
      return op.emitOpError("'") << op.getName() << "' is no constant";
    CallOperand place = globalOf(global);
    if (onStreams) {
      // The address is the device's.
      int64_t number =
          static_cast<int64_t>(code.signature.size()) - 1 + code.results++;
      call(op.getLoc(), "soap_rt_constant",
           {context, place, fixed(sizeInBytes(op.getType()))})
          .result = number;
      place = argument(number);
    }
    places[op.getResult()] = place;
    return success();
  }

  LogicalResult readCopy(memref::CopyOp copy, ArrayRef<CallOperand> operands) {
    auto from = cast<MemRefType>(copy.getSource().getType());
    auto to = cast<MemRefType>(copy.getTarget().getType());
    if (!isContiguous(from) || !isContiguous(to))
      return copy.emitOpError("must copy a static row-major buffer");
    CallOperand bytes = fixed(sizeInBytes(from));
    if (onStreams)
      call(copy.getLoc(), "soap_rt_copy",
           {context, operands[1], operands[0], bytes});
    else
      add(ProgramCall::Copy, copy.getLoc(), "",
          {operands[1], operands[0], bytes});
    return success();
  }
};

} // namespace

FailureOr<ProgramCode> mlir::soap::readProgram(func::FuncOp program,
                                               RuntimeSymbols &runtime) {
  return ProgramReader(program, runtime).run();
}
