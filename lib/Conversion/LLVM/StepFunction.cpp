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
#include "SharedTasks.h"

#include "Soap/ABI/Runtime.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Writes calls at the end of a function.
class CallWriter {
public:
  /// Of a new function with `parameters` pointers: context, buffers of the
  /// program, arena, and a row of numbers if there are four.
  CallWriter(OpBuilder &at, Location loc, StringRef name, size_t parameters,
             RuntimeSymbols &runtime)
      : builder(at), runtime(runtime), loc(loc),
        pointer(LLVM::LLVMPointerType::get(at.getContext())),
        i64(at.getI64Type()) {
    SmallVector<Type> types(parameters, pointer);
    function = LLVM::LLVMFuncOp::create(
        builder, loc, name,
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(at.getContext()),
                                    types));
    // Nothing to optimize, and much of it.
    function->setAttr("passthrough",
                      builder.getStrArrayAttr({"noinline", "optnone"}));
    entry = function.addEntryBlock(builder);
    builder.setInsertionPointToStart(entry);
    buffers = entry->getArgument(1);
  }

  LLVM::LLVMFuncOp getFunction() const { return function; }

  /// Gives each later call room for its list of buffers.
  void reserve(ArrayRef<ProgramTask> tasks) {
    for (const ProgramTask &task : tasks)
      for (const ProgramCall &call : task)
        longestList = std::max(longestList, call.buffers.size());
  }

  /// Addresses of buffers, those among them that calls of this function make,
  /// in a list that shared functions read.
  void listBuffers(int64_t given, int64_t made) {
    if (!made)
      return;
    Value list = LLVM::AllocaOp::create(builder, loc, pointer, pointer,
                                        constant(given + made));
    for (int64_t i = 0; i < given; ++i)
      LLVM::StoreOp::create(builder, loc, bufferAt({i, -1}),
                            elementOf(list, i));
    madeBuffers = list;
  }

  void write(const ProgramTask &task) {
    for (const ProgramCall &call : task)
      write(call);
  }

  /// Calls functions that have tasks of several programs, with one row after
  /// the other, round after round.
  void callShared(ArrayRef<std::pair<LLVM::LLVMFuncOp, size_t>> functions,
                  size_t rounds, ArrayRef<int64_t> rows) {
    Value numbers = rows.empty()
                        ? Value(LLVM::ZeroOp::create(builder, loc, pointer))
                        : Value(LLVM::AddressOfOp::create(
                              builder, loc, runtime.array(rows, "row")));
    if (rounds == 1)
      return callRound(functions, numbers);
    Value first = constant(0), one = constant(1),
          count = constant(static_cast<int64_t>(rounds)),
          width = constant(static_cast<int64_t>(rows.size() / rounds));
    Block *before = builder.getInsertionBlock(), *body = new Block,
          *behind = new Block;
    before->getParent()->getBlocks().insertAfter(before->getIterator(), body);
    before->getParent()->getBlocks().insertAfter(body->getIterator(), behind);
    LLVM::BrOp::create(builder, loc, ValueRange(first), body);
    Value round = body->addArgument(i64, loc);
    builder.setInsertionPointToEnd(body);
    Value at = LLVM::MulOp::create(builder, loc, round, width);
    callRound(functions,
              LLVM::GEPOp::create(builder, loc, pointer, i64, numbers,
                                  ArrayRef<LLVM::GEPArg>{at}));
    Value next = LLVM::AddOp::create(builder, loc, round, one);
    Value isMore = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult,
                                        next, count);
    LLVM::CondBrOp::create(builder, loc, isMore, body, ValueRange(next), behind,
                           ValueRange());
    builder.setInsertionPointToEnd(behind);
  }

  void finish() { LLVM::ReturnOp::create(builder, loc, ValueRange()); }

private:
  OpBuilder builder;
  RuntimeSymbols &runtime;
  Location loc;
  Type pointer, i64;
  LLVM::LLVMFuncOp function;
  Block *entry = nullptr;
  Value buffers;
  Value madeBuffers;
  size_t longestList = 1;
  /// The buffers of a call, one after the other. The runtime reads the list
  /// before it returns, so one serves all calls.
  Value list;
  DenseMap<int64_t, Value> constants;
  DenseMap<int64_t, Value> columns, arenaColumns;
  DenseMap<std::pair<int64_t, int64_t>, Value> sums; ///< column, addend
  DenseMap<std::pair<int64_t, int64_t>, Value> bufferPlaces, arenaPlaces;
  DenseMap<Operation *, Value> globals;

  void callRound(ArrayRef<std::pair<LLVM::LLVMFuncOp, size_t>> functions,
                 Value numbers) {
    size_t column = 0;
    for (auto [shared, columns] : functions) {
      Value row = numbers;
      if (column > 0)
        row = LLVM::GEPOp::create(
            builder, loc, pointer, i64, numbers,
            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(column)});
      LLVM::CallOp::create(builder, loc, shared,
                           ValueRange{entry->getArgument(0),
                                      madeBuffers ? madeBuffers : buffers,
                                      entry->getArgument(2), row});
      column += columns;
    }
  }

  Value constant(int64_t value) {
    Value &known = constants[value];
    if (!known) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(entry);
      known = LLVM::ConstantOp::create(builder, loc, i64,
                                       builder.getI64IntegerAttr(value));
    }
    return known;
  }

  Value elementOf(Value list, int64_t index) {
    return LLVM::GEPOp::create(
        builder, loc, pointer, pointer, list,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  }

  /// Number `column` of the row.
  Value columnValue(int64_t column) {
    Value &known = columns[column];
    if (!known) {
      Value place = LLVM::GEPOp::create(
          builder, loc, pointer, i64, entry->getArgument(3),
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(column)});
      known = LLVM::LoadOp::create(builder, loc, i64, place);
    }
    return known;
  }

  Value valueOf(const CallNumber &number) {
    if (number.column < 0)
      return constant(number.value);
    if (!number.value)
      return columnValue(number.column);
    Value addend = constant(number.value), base = columnValue(number.column);
    Value &known = sums[{number.column, number.value}];
    if (!known)
      known = LLVM::AddOp::create(builder, loc, base, addend);
    return known;
  }

  Value offsetBy(Value base, const CallNumber &bytes) {
    if (bytes.column < 0 && !bytes.value)
      return base;
    // The builder keeps constant indices in few bits, with sign: larger ones
    // would silently become negative.
    constexpr int64_t limit =
        (int64_t(1) << (LLVM::kGEPConstantBitWidth - 1)) - 1;
    LLVM::GEPArg index =
        bytes.column < 0 && bytes.value >= 0 && bytes.value <= limit
            ? LLVM::GEPArg(static_cast<int32_t>(bytes.value))
            : LLVM::GEPArg(valueOf(bytes));
    return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{index});
  }

  Value bufferAt(const CallNumber &number) {
    auto key = std::pair(int64_t(number.column), number.value);
    if (Value known = bufferPlaces.lookup(key))
      return known;
    Value place = number.column < 0
                      ? elementOf(buffers, number.value)
                      : Value(LLVM::GEPOp::create(
                            builder, loc, pointer, pointer, buffers,
                            ArrayRef<LLVM::GEPArg>{valueOf(number)}));
    Value loaded = LLVM::LoadOp::create(builder, loc, pointer, place);
    return bufferPlaces[key] = loaded;
  }

  Value arenaAt(const CallNumber &offset) {
    auto key = std::pair(int64_t(offset.column), offset.value);
    if (Value known = arenaPlaces.lookup(key))
      return known;
    Value base = entry->getArgument(2);
    CallNumber rest = offset;
    // Tiles that move together are at constant distances.
    if (offset.column >= 0 && offset.value) {
      base = arenaAt({0, offset.column});
      rest.column = -1;
    }
    Value place = offsetBy(base, rest);
    return arenaPlaces[key] = place;
  }

  Value valueOf(const CallOperand &operand) {
    switch (operand.kind) {
    case CallOperand::Context:
      return entry->getArgument(0);
    case CallOperand::Fixed:
    case CallOperand::Varying:
      return valueOf(operand.number);
    case CallOperand::Argument:
      return offsetBy(bufferAt(operand.number), operand.offset);
    case CallOperand::Arena:
      return arenaAt(operand.offset);
    case CallOperand::Global: {
      LLVM::GlobalOp global = operand.global;
      Value address = globals.lookup(global);
      if (!address)
        address = globals[global] =
            LLVM::AddressOfOp::create(builder, loc, global);
      return offsetBy(address, operand.offset);
    }
    case CallOperand::Buffers:
      return bufferList();
    }
    llvm_unreachable("all kinds are above");
  }

  Value bufferList() {
    if (list)
      return list;
    Value count = constant(static_cast<int64_t>(longestList));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(count);
    return list = LLVM::AllocaOp::create(builder, loc, pointer, pointer, count);
  }

  void write(const ProgramCall &call) {
    loc = call.loc;
    for (auto [i, buffer] : llvm::enumerate(call.buffers)) {
      Value address = valueOf(buffer);
      LLVM::StoreOp::create(builder, loc, address,
                            elementOf(bufferList(), static_cast<int64_t>(i)));
    }
    SmallVector<Value> operands;
    for (const CallOperand &operand : call.operands)
      operands.push_back(valueOf(operand));
    switch (call.kind) {
    case ProgramCall::Copy:
      LLVM::MemcpyOp::create(builder, loc, operands[0], operands[1],
                             operands[2], /*isVolatile=*/false);
      return;
    case ProgramCall::Kernel:
      LLVM::CallOp::create(builder, loc, TypeRange(),
                           FlatSymbolRefAttr::get(call.callee), operands);
      return;
    case ProgramCall::Runtime:
      writeRuntime(call, operands);
      return;
    }
  }

  void writeRuntime(const ProgramCall &call, ArrayRef<Value> operands) {
    SmallVector<Type> types;
    for (Value operand : operands)
      types.push_back(operand.getType());
    bool gives = call.result >= 0;
    auto made = LLVM::CallOp::create(
        builder, loc,
        runtime.function(call.callee, types, gives ? pointer : Type()),
        operands);
    if (!gives)
      return;
    bufferPlaces[{-1, call.result}] = made.getResult();
    if (madeBuffers)
      LLVM::StoreOp::create(builder, loc, made.getResult(),
                            elementOf(madeBuffers, call.result));
  }
};

int64_t interfaceType(Type element) {
  return element.isF32()         ? SOAP_INTERFACE_F32
         : element.isF64()       ? SOAP_INTERFACE_F64
         : element.isInteger(32) ? SOAP_INTERFACE_I32
         : element.isInteger(64) ? SOAP_INTERFACE_I64
         : element.isF16()       ? SOAP_INTERFACE_F16
         : element.isBF16()      ? SOAP_INTERFACE_BF16
                                 : SOAP_INTERFACE_OTHER;
}

void exportInterface(const ProgramCode &code, StringRef name,
                     RuntimeSymbols &runtime) {
  auto bufferType = [](Type type) { return cast<MemRefType>(type); };
  ArrayRef<Type> types = code.signature;
  SmallVector<int64_t> words = {0, sizeInBytes(bufferType(types.back())),
                                code.slots,
                                static_cast<int64_t>(types.size()) - 1};
  for (Type type : types.drop_back())
    words.append({sizeInBytes(bufferType(type)),
                  interfaceType(bufferType(type).getElementType())});
  words.push_back(static_cast<int64_t>(code.messages.size()));
  for (const std::array<int64_t, 3> &message : code.messages)
    words.append(message.begin(), message.end());
  words[0] = static_cast<int64_t>(words.size()) - 1;
  runtime.exportArray(("soap_interface_" + name).str(), words);
}

/// Functions of shared tasks, before the first kernel.
class SharedFunctions {
public:
  SharedFunctions(ArrayRef<std::unique_ptr<SharedTasks>> all,
                  func::FuncOp behind, RuntimeSymbols &runtime) {
    if (all.empty())
      return;
    OpBuilder builder(behind);
    builder.setInsertionPointAfter(behind);
    for (const std::unique_ptr<SharedTasks> &shared : all) {
      CallWriter writer(builder, behind.getLoc(), "tasks", 4, runtime);
      writer.reserve(shared->tasks);
      for (const ProgramTask &task : shared->tasks)
        writer.write(task);
      writer.finish();
      LLVM::LLVMFuncOp function = writer.getFunction();
      function.setLinkage(LLVM::Linkage::Internal);
      runtime.table().insert(function);
      functions[shared.get()] = function;
    }
  }

  /// With the numbers that each of them reads.
  SmallVector<std::pair<LLVM::LLVMFuncOp, size_t>>
  of(ArrayRef<const SharedTasks *> calls) const {
    SmallVector<std::pair<LLVM::LLVMFuncOp, size_t>> result;
    for (const SharedTasks *call : calls)
      result.emplace_back(functions.lookup(call), call->columns);
    return result;
  }

private:
  DenseMap<const SharedTasks *, LLVM::LLVMFuncOp> functions;
};

void writeProgram(const ProgramCode &code, ArrayRef<ProgramStep> steps,
                  const SharedFunctions &shared, RuntimeSymbols &runtime) {
  func::FuncOp program = code.program;
  std::string name = program.getName().str();
  OpBuilder builder(program);
  CallWriter writer(builder, program.getLoc(), "program", 3, runtime);
  auto isCall = [](const ProgramStep &step) { return !step.calls.empty(); };
  for (const ProgramStep &step : steps)
    if (!isCall(step))
      writer.reserve(ArrayRef(code.tasks).slice(step.task, step.count));
  if (llvm::any_of(steps, isCall))
    writer.listBuffers(static_cast<int64_t>(code.signature.size()) - 1,
                       code.results);
  for (const ProgramStep &step : steps)
    if (isCall(step))
      writer.callShared(shared.of(step.calls), step.rounds, step.rows);
    else
      writer.write(code.tasks[step.task]);
  writer.finish();
  runtime.table().erase(program);
  LLVM::LLVMFuncOp function = writer.getFunction();
  function.setName(name);
  runtime.table().insert(function);
  exportInterface(code, name, runtime);
}

} // namespace

LogicalResult mlir::soap::lowerPrograms(ArrayRef<func::FuncOp> programs,
                                        RuntimeSymbols &runtime,
                                        int64_t callCost) {
  std::vector<ProgramCode> codes;
  for (func::FuncOp program : programs) {
    FailureOr<ProgramCode> code = readProgram(program, runtime);
    if (failed(code))
      return failure();
    codes.push_back(std::move(*code));
  }
  if (codes.empty())
    return success();
  ProgramSteps steps = shareTasks(codes, callCost);
  SharedFunctions shared(steps.shared, programs.back(), runtime);
  for (auto [code, own] : llvm::zip(codes, steps.steps))
    writeProgram(code, own, shared, runtime);
  return success();
}
