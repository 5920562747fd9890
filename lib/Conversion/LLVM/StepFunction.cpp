//===- StepFunction.cpp - Programs as LLVM functions ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls with raw pointers, between begin and end of their task.
//
//===----------------------------------------------------------------------===//

#include "StepFunction.h"

#include "../PostedSends.h"
#include "KernelHandles.h"

#include "Soap/ABI/Runtime.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapCollectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

#include <array>

using namespace mlir;
using namespace mlir::soap;

//===----------------------------------------------------------------------===//
// RuntimeSymbols
//===----------------------------------------------------------------------===//

RuntimeSymbols::RuntimeSymbols(ModuleOp module)
    : module(module), symbols(module) {}

LLVM::LLVMFuncOp RuntimeSymbols::function(StringRef name, ArrayRef<Type> types,
                                          Type result) {
  if (auto known = symbols.lookup<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(
      result ? result : LLVM::LLVMVoidType::get(module.getContext()), types);
  auto function =
      LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
  symbols.insert(function);
  return function;
}

LLVM::GlobalOp RuntimeSymbols::create(StringRef name, Type type,
                                      Attribute value, LLVM::Linkage linkage) {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto global = LLVM::GlobalOp::create(builder, module.getLoc(), type,
                                       /*isConstant=*/true, linkage, name,
                                       value, /*alignment=*/64);
  symbols.insert(global);
  return global;
}

void RuntimeSymbols::exportArray(StringRef name, ArrayRef<int64_t> values) {
  Builder builder(module.getContext());
  create(name, LLVM::LLVMArrayType::get(builder.getI64Type(), values.size()),
         builder.getI64TensorAttr(values), LLVM::Linkage::External);
}

LLVM::GlobalOp RuntimeSymbols::array(ArrayRef<int64_t> values) {
  Builder builder(module.getContext());
  auto value = builder.getI64TensorAttr(values);
  LLVM::GlobalOp &global = arrays[value];
  if (!global)
    global = create(
        "shape", LLVM::LLVMArrayType::get(builder.getI64Type(), values.size()),
        value);
  return global;
}

LLVM::GlobalOp RuntimeSymbols::elements(StringRef name, ElementsAttr values) {
  auto type = cast<ShapedType>(values.getShapedType());
  auto row =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  Attribute flat = values;
  if (auto dense = dyn_cast<DenseElementsAttr>(values))
    flat = dense.reshape(row);
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(values))
    flat = DenseResourceElementsAttr::get(row, resource.getRawHandle());
  return create(
      name,
      LLVM::LLVMArrayType::get(type.getElementType(), type.getNumElements()),
      flat);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {

class ProgramLowering {
public:
  ProgramLowering(func::FuncOp program, RuntimeSymbols &runtime)
      : program(program), runtime(runtime), builder(program.getContext()),
        pointer(LLVM::LLVMPointerType::get(program.getContext())),
        i64(builder.getI64Type()), onStreams(program->hasAttr(kStreams)) {}

  LogicalResult run() {
    createFunction();
    for (Operation &op : program.getBody().front().without_terminator()) {
      enterTask(&op);
      enterStream(&op);
      if (failed(lower(&op)))
        return failure();
    }
    leaveTask();
    LLVM::ReturnOp::create(builder, program.getLoc(), ValueRange());
    std::string name = program.getName().str();
    runtime.table().erase(program);
    function.setName(name);
    runtime.table().insert(function);
    exportInterface(name);
    return success();
  }

private:
  func::FuncOp program;
  RuntimeSymbols &runtime;
  OpBuilder builder;
  Type pointer, i64;
  bool onStreams; ///< for a GPU
  /// Of the buffers of the program, the arena at the end.
  SmallVector<Type> signature;
  LLVM::LLVMFuncOp function;
  Value context;
  /// The buffers of a launch or collective, one after the other.
  Value launched;
  int64_t stream = 0;
  DenseMap<Value, Value> pointers; ///< by buffer
  DenseMap<int64_t, Value> constants;
  std::optional<int64_t> task;
  int64_t slots = 0;
  /// Slot, kind and bytes of every message (`soap_interface_NAME`).
  SmallVector<std::array<int64_t, 3>> messages;

  static int64_t interfaceType(Type element) {
    return element.isF32()         ? SOAP_INTERFACE_F32
           : element.isF64()       ? SOAP_INTERFACE_F64
           : element.isInteger(32) ? SOAP_INTERFACE_I32
           : element.isInteger(64) ? SOAP_INTERFACE_I64
           : element.isF16()       ? SOAP_INTERFACE_F16
           : element.isBF16()      ? SOAP_INTERFACE_BF16
                                   : SOAP_INTERFACE_OTHER;
  }

  void exportInterface(StringRef name) {
    auto bufferType = [](Type type) { return cast<MemRefType>(type); };
    ArrayRef<Type> types = signature;
    SmallVector<int64_t> words = {0, sizeInBytes(bufferType(types.back())),
                                  slots,
                                  static_cast<int64_t>(types.size()) - 1};
    for (Type type : types.drop_back())
      words.append({sizeInBytes(bufferType(type)),
                    interfaceType(bufferType(type).getElementType())});
    words.push_back(static_cast<int64_t>(messages.size()));
    for (const std::array<int64_t, 3> &message : messages)
      words.append(message.begin(), message.end());
    words[0] = static_cast<int64_t>(words.size()) - 1;
    runtime.exportArray(("soap_interface_" + name).str(), words);
  }

  void createFunction() {
    builder.setInsertionPoint(program);
    function = LLVM::LLVMFuncOp::create(
        builder, program.getLoc(), "program",
        LLVM::LLVMFunctionType::get(
            LLVM::LLVMVoidType::get(builder.getContext()),
            {pointer, pointer, pointer}));
    // Nothing to optimize, and much of it.
    function->setAttr("passthrough",
                      builder.getStrArrayAttr({"noinline", "optnone"}));
    Block *entry = function.addEntryBlock(builder);
    builder.setInsertionPointToStart(entry);
    context = entry->getArgument(0);
    auto arguments = program.getArguments();
    llvm::append_range(signature, program.getArgumentTypes());
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      if (i + 1 == arguments.size()) {
        pointers[argument] = entry->getArgument(2);
        continue;
      }
      Value place = LLVM::GEPOp::create(
          builder, argument.getLoc(), pointer, pointer, entry->getArgument(1),
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      pointers[argument] =
          LLVM::LoadOp::create(builder, argument.getLoc(), pointer, place);
    }
  }

  Value constant(int64_t value) {
    Value &known = constants[value];
    if (!known) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&function.getBody().front());
      known = LLVM::ConstantOp::create(builder, program.getLoc(), i64,
                                       builder.getI64IntegerAttr(value));
    }
    return known;
  }

  LLVM::CallOp call(Location loc, StringRef name, ArrayRef<Value> operands,
                    Type result = {}) {
    SmallVector<Type> types;
    for (Value operand : operands)
      types.push_back(operand.getType());
    return LLVM::CallOp::create(
        builder, loc, runtime.function(name, types, result), operands);
  }

  //===--------------------------------------------------------------------===//
  // Tasks
  //===--------------------------------------------------------------------===//

  void begin(int64_t slot) {
    slots = std::max(slots, slot + 1);
    call(program.getLoc(), "soap_rt_task_begin", {context, constant(slot)});
  }
  void end(int64_t slot) {
    call(program.getLoc(), "soap_rt_task_end", {context, constant(slot)});
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

  Value currentSlot() { return constant(task.value_or(-1)); }

  /// Launches, library calls, copies and messages go to the current stream.
  void enterStream(Operation *op) {
    bool works = isa<ParallelCallOp, LibraryCallOp, memref::CopyOp,
                     SendBufferOp, RecvBufferOp, CollectiveBufferOp>(op);
    auto attribute = op->getAttrOfType<IntegerAttr>(kStream);
    int64_t wanted = attribute ? attribute.getInt() : 0;
    if (!onStreams || !works || wanted == stream)
      return;
    stream = wanted;
    call(op->getLoc(), "soap_rt_use_stream", {context, constant(stream)});
  }

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  FailureOr<Value> pointerOf(Value buffer) {
    auto found = pointers.find(buffer);
    if (found == pointers.end())
      return failure();
    return found->second;
  }

  LogicalResult lower(Operation *op) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType())) {
        auto found = pointers.find(operand);
        if (found == pointers.end())
          return op->emitOpError("uses a buffer without a place");
        operands.push_back(found->second);
      }
    Location loc = op->getLoc();
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        // Offsets of views, which are folded into them.
        .Case([&](arith::ConstantOp) { return success(); })
        .Case([&](memref::ViewOp view) { return lowerView(view, operands[0]); })
        .Case<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp>(
            [&](Operation *view) {
              pointers[view->getResult(0)] = operands[0];
              return success();
            })
        .Case([&](memref::SubViewOp view) {
          return lowerSubView(view, operands[0]);
        })
        .Case([&](memref::GetGlobalOp global) { return lowerGlobal(global); })
        .Case([&](memref::CopyOp copy) { return lowerCopy(copy, operands); })
        .Case([&](KernelCallOp kernel) {
          LLVM::CallOp::create(builder, loc, TypeRange(),
                               kernel.getCalleeAttr(), operands);
          return success();
        })
        .Case([&](ParallelCallOp launch) {
          return lowerLaunch(launch, operands);
        })
        .Case([&](RecordEventOp record) {
          call(loc, "soap_rt_record_event",
               {context, constant(record.getEvent()),
                constant(record.getStream())});
          return success();
        })
        .Case([&](WaitEventOp wait) {
          call(
              loc, "soap_rt_wait_event",
              {context, constant(wait.getEvent()), constant(wait.getStream())});
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
          Value shape = LLVM::AddressOfOp::create(
              builder, loc, runtime.array(library.getDescriptor()));
          if (takesList(library))
            operands = {listOf(loc, operands)};
          operands.insert(operands.begin(), {context, shape});
          call(loc, ("soap_rt_" + library.getName()).str(), operands);
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
          return lowerCollective(collective, operands);
        })
        .Default([](Operation *other) {
          return other->emitOpError(
              "has no lowering in a program: expected calls, sends, "
              "receives, copies and views of buffers");
        });
  }

  void transfer(Location loc, StringRef name, Value data, Value buffer) {
    int64_t bytes = sizeInBytes(cast<MemRefType>(buffer.getType()));
    messages.push_back(
        {task.value_or(-1),
         name == "soap_rt_recv" ? SOAP_INTERFACE_RECV : SOAP_INTERFACE_SEND,
         bytes});
    call(loc, name, {context, currentSlot(), data, constant(bytes)});
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
  LogicalResult lowerCollective(CollectiveBufferOp op,
                                ArrayRef<Value> buffers) {
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
    Location loc = op.getLoc();
    messages.push_back({task.value_or(-1), SOAP_INTERFACE_COLLECTIVE, kind});
    (void)listOf(loc, buffers);
    call(loc, "soap_rt_collective",
         {context, currentSlot(),
          LLVM::AddressOfOp::create(builder, loc, runtime.array(descriptor)),
          launchedBuffers()});
    return success();
  }

  LogicalResult lowerView(memref::ViewOp view, Value base) {
    IntegerAttr offset;
    if (auto constant = view.getByteShift().getDefiningOp<arith::ConstantOp>())
      offset = dyn_cast<IntegerAttr>(constant.getValue());
    if (!offset || !view.getType().hasStaticShape())
      return view.emitOpError("must have a constant offset and shape");
    pointers[view.getResult()] = offsetBy(view.getLoc(), base, offset.getInt());
    return success();
  }

  /// Elements next to each other.
  LogicalResult lowerSubView(memref::SubViewOp view, Value base) {
    auto [strides, offset] = view.getType().getStridesAndOffset();
    if (!isContiguous(view.getType()) || ShapedType::isDynamic(offset) ||
        !view.getSourceType().getLayout().isIdentity())
      return view.emitOpError("must be a contiguous part of a whole buffer");
    pointers[view.getResult()] =
        offsetBy(view.getLoc(), base,
                 offset * ((view.getType().getElementTypeBitWidth() + 7) / 8));
    return success();
  }

  static bool isContiguous(MemRefType type) {
    return type.hasStaticShape() &&
           (type.getLayout().isIdentity() ||
            memref::isStaticShapeAndContiguousRowMajor(type));
  }

  Value offsetBy(Location loc, Value base, int64_t bytes) {
    // The builder keeps constant indices in few bits, with sign: larger ones
    // would silently become negative.
    constexpr int64_t limit =
        (int64_t(1) << (LLVM::kGEPConstantBitWidth - 1)) - 1;
    LLVM::GEPArg index = bytes <= limit
                             ? LLVM::GEPArg(static_cast<int32_t>(bytes))
                             : LLVM::GEPArg(constant(bytes));
    return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{index});
  }

  LogicalResult lowerLaunch(ParallelCallOp launch, ArrayRef<Value> buffers) {
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
    Location loc = launch.getLoc();
    Value list = listOf(loc, buffers);
    call(loc, "soap_rt_launch",
         {context, LLVM::AddressOfOp::create(builder, loc, *handle), list});
    return success();
  }

  /// Functions of programs on streams, whose buffers depend on the descriptor.
  static bool takesList(LibraryCallOp library) {
    return llvm::is_contained(
        {"matmul", "conv2d", "pool2d", "batch_norm", "attention"},
        library.getName());
  }

  Value listOf(Location loc, ArrayRef<Value> buffers) {
    Value list = launchedBuffers();
    for (auto [i, buffer] : llvm::enumerate(buffers))
      LLVM::StoreOp::create(
          builder, loc, buffer,
          LLVM::GEPOp::create(builder, loc, pointer, pointer, list,
                              ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)}));
    return list;
  }

  /// The runtime reads the list before it returns, so one serves all calls.
  Value launchedBuffers() {
    if (launched)
      return launched;
    size_t most = 1;
    for (Operation &op : program.getBody().front())
      if (isa<ParallelCallOp, LibraryCallOp, CollectiveBufferOp>(op))
        most = std::max<size_t>(most, op.getNumOperands());
    Value count = constant(static_cast<int64_t>(most));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(count);
    return launched = LLVM::AllocaOp::create(builder, program.getLoc(), pointer,
                                             pointer, count);
  }

  LogicalResult lowerGlobal(memref::GetGlobalOp op) {
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
    Value address = LLVM::AddressOfOp::create(builder, op.getLoc(), global);
    if (onStreams)
      address =
          call(op.getLoc(), "soap_rt_constant",
               {context, address, constant(sizeInBytes(op.getType()))}, pointer)
              .getResult();
    pointers[op.getResult()] = address;
    return success();
  }

  LogicalResult lowerCopy(memref::CopyOp copy, ArrayRef<Value> operands) {
    auto from = cast<MemRefType>(copy.getSource().getType());
    auto to = cast<MemRefType>(copy.getTarget().getType());
    if (!isContiguous(from) || !isContiguous(to))
      return copy.emitOpError("must copy a static row-major buffer");
    if (onStreams) {
      call(copy.getLoc(), "soap_rt_copy",
           {context, operands[1], operands[0], constant(sizeInBytes(from))});
      return success();
    }
    LLVM::MemcpyOp::create(builder, copy.getLoc(), operands[1], operands[0],
                           constant(sizeInBytes(from)), /*isVolatile=*/false);
    return success();
  }
};

} // namespace

LogicalResult mlir::soap::lowerProgram(func::FuncOp program,
                                       RuntimeSymbols &runtime) {
  return ProgramLowering(program, runtime).run();
}
