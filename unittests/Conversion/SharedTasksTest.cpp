//===- SharedTasksTest.cpp - Shared tasks equal the program ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs on buffers: what their calls of shared tasks do, with the
// numbers of their rows, is the list of calls without sharing.
//
//===----------------------------------------------------------------------===//

#include "Conversion/LLVM/SharedTasks.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <map>
#include <random>
#include <set>

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Writes programs of tasks that are drawn from few forms: words of tasks that
/// repeat with other places.
class RandomModule {
public:
  explicit RandomModule(unsigned seed) : random(seed) {}

  std::string text() {
    std::string result =
        "memref.global \"private\" constant @c : memref<4xf32> = "
        "dense<[1.0, 2.0, 3.0, 4.0]>\n"
        "func.func private @k1(%a: memref<4xf32>) { return }\n"
        "func.func private @k2(%a: memref<4xf32>, %b: memref<4xf32>) "
        "{ return }\n";
    std::vector<std::string> words;
    for (unsigned i = 0, count = 1 + below(3); i < count; ++i) {
      std::string &word = words.emplace_back();
      for (unsigned j = 0, length = 2 + below(8); j < length; ++j)
        word += "kksrclnv"[below(8)];
    }
    for (unsigned p = 0, programs = 1 + below(3); p < programs; ++p) {
      body.clear();
      slot = values = 0;
      for (unsigned i = 0, count = below(9); i < count; ++i) {
        const std::string &word = words[below(words.size())];
        for (unsigned j = 0, times = below(3) ? 1 : 1 + below(5); j < times;
             ++j)
          for (char form : word)
            task(form);
      }
      result += "func.func @step__" + std::to_string(p) +
                "(%x0: memref<4xf32>, %x1: memref<4xf32>, %x2: memref<4xf32>, "
                "%arena: memref<4096xi8>) attributes {soap.arena_bytes = 4096 "
                ": i64} {\n" +
                body + "return\n}\n";
    }
    return result;
  }

private:
  std::mt19937 random;
  std::string body;
  unsigned slot = 0, values = 0;

  unsigned below(unsigned bound) { return unsigned(random() % bound); }

  /// A buffer of the program, a tile of the arena, or a constant.
  std::string buffer() {
    if (below(3) == 0)
      return "%x" + std::to_string(below(3));
    std::string number = std::to_string(values++);
    if (below(8) == 0) {
      body += "%v" + number + " = memref.get_global @c : memref<4xf32>\n";
      return "%v" + number;
    }
    body += "%o" + number + " = arith.constant " +
            std::to_string(64 * below(8)) + " : index\n%v" + number +
            " = memref.view %arena[%o" + number +
            "][] : memref<4096xi8> to memref<4xf32>\n";
    return "%v" + number;
  }

  void task(char form) {
    std::string a = buffer(), b = buffer();
    std::string fused =
        form == 'n'
            ? "soap.fused_slots = array<i64: " + std::to_string(slot++) + ">, "
            : "";
    std::string at =
        "{" + fused + "soap.slot = " + std::to_string(slot) + " : i64}";
    slot += 1 + below(2);
    const std::string type = "memref<4xf32>";
    switch (form) {
    case 's':
      body += "soap.send_buffer " + a + " " + at + " : " + type + "\n";
      break;
    case 'r':
      body += "soap.recv_buffer outs(" + a + " : " + type + ") " + at + "\n";
      break;
    case 'c':
      body += "memref.copy " + a + ", " + b + " " + at + " : " + type + " to " +
              type + "\n";
      break;
    case 'l':
      body += "soap.library_call \"matmul_f32\" [1, 2, 2, 2, 0, " +
              std::to_string(below(2)) + "] ins(" + a + ", " + b + " : " +
              type + ", " + type + ") outs(" + a + " : " + type + ") " + at +
              "\n";
      break;
    case 'v':
      body +=
          "soap.kernel_call @k1 outs(" + a + " : " + type + ") " + at + "\n";
      break;
    default:
      body += "soap.kernel_call @k2 ins(" + a + " : " + type + ") outs(" + b +
              " : " + type + ") " + at + "\n";
    }
  }
};

/// All that a task does, as text, with the numbers that a row gives.
std::string print(const ProgramTask &task, ArrayRef<int64_t> row) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto number = [&](const CallNumber &value) {
    os << (value.column < 0 ? value.value : value.value + row[value.column])
       << ' ';
  };
  for (const ProgramCall &call : task) {
    os << call.kind << ' ' << call.callee << ':';
    for (ArrayRef<CallOperand> list : {ArrayRef<CallOperand>(call.operands),
                                       ArrayRef<CallOperand>(call.buffers)}) {
      for (const CallOperand &operand : list) {
        os << " (" << operand.kind << ' ';
        number(operand.number);
        number(operand.offset);
        if (LLVM::GlobalOp global = operand.global)
          os << global.getSymName();
        os << ')';
      }
      os << " |";
    }
    os << '\n';
  }
  return text;
}

TEST(SharedTasks, ExpandToTheProgram) {
  DialectRegistry registry;
  registry.insert<SoapDialect, arith::ArithDialect, func::FuncDialect,
                  LLVM::LLVMDialect, memref::MemRefDialect>();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  size_t functions = 0, calls = 0, loops = 0, columns = 0, across = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::string text = RandomModule(seed).text();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    RuntimeSymbols runtime(*module);
    std::vector<ProgramCode> programs;
    for (func::FuncOp program : module->getOps<func::FuncOp>())
      if (program->hasAttr(SoapDialect::kArenaBytes)) {
        FailureOr<ProgramCode> code = readProgram(program, runtime);
        ASSERT_TRUE(succeeded(code)) << text;
        programs.push_back(std::move(*code));
      }
    ProgramSteps steps = shareTasks(programs, /*callCost=*/1 + seed % 3);
    functions += steps.shared.size();
    ASSERT_EQ(steps.steps.size(), programs.size());
    std::map<const SharedTasks *, std::set<size_t>> users;
    for (size_t p = 0; p < programs.size(); ++p) {
      std::string expected, got;
      for (const ProgramTask &task : programs[p].tasks)
        expected += print(task, {});
      for (const ProgramStep &step : steps.steps[p]) {
        if (step.calls.empty()) {
          ASSERT_EQ(step.count, 1U);
          got += print(programs[p].tasks[step.task], {});
          continue;
        }
        loops += step.rounds > 1;
        ArrayRef<int64_t> rest = step.rows;
        size_t count = 0;
        for (size_t round = 0; round < step.rounds; ++round)
          for (const SharedTasks *shared : step.calls) {
            ++calls;
            columns += shared->columns;
            users[shared].insert(p);
            count += shared->tasks.size();
            ASSERT_GE(rest.size(), shared->columns);
            for (const ProgramTask &task : shared->tasks)
              got += print(task, rest.take_front(shared->columns));
            rest = rest.drop_front(shared->columns);
          }
        EXPECT_TRUE(rest.empty());
        ASSERT_EQ(step.count, count);
      }
      EXPECT_EQ(got, expected) << text;
    }
    for (const auto &[shared, by] : users)
      across += by.size() > 1;
    // Without sharing, all tasks are written out.
    ProgramSteps plain = shareTasks(programs, /*callCost=*/0);
    EXPECT_TRUE(plain.shared.empty());
    for (size_t p = 0; p < programs.size(); ++p)
      EXPECT_EQ(plain.steps[p].size(), programs[p].tasks.size());
  }
  EXPECT_GT(functions, 100U);
  EXPECT_GT(calls, 300U);
  EXPECT_GT(loops, 10U);
  EXPECT_GT(columns, 500U);
  EXPECT_GT(across, 30U);
}

} // namespace
