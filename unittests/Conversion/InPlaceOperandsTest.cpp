//===- InPlaceOperandsTest.cpp - Decisions equal upstream's ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs on tensors: each operand is in place exactly if One-Shot
// Analysis says so. Sums over microbatches: the work grows as they do.
//
//===----------------------------------------------------------------------===//

#include "Conversion/Bufferization/InPlaceOperands.h"

#include "Conversion/Bufferization/BufferizationModels.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::soap;

namespace {

const std::string row = "tensor<8xf32>", square = "tensor<2x4xf32>",
                  half = "tensor<4xf32>";

/// Kernels of one to four operands that the programs call.
std::string kernels() {
  std::string text;
  for (int arguments = 1; arguments <= 4; ++arguments) {
    text += "func.func private @k" + std::to_string(arguments) + "(";
    for (int i = 0; i < arguments; ++i)
      text += (i ? ", memref<?xf32>" : "memref<?xf32>");
    text += ")\n";
  }
  return text;
}

/// Writes a program whose ops read and write few values again and again, so
/// that many of them are in conflict.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random(seed) {}

  std::string text() {
    std::string head = "func.func @step(";
    constexpr unsigned arguments = 4;
    for (unsigned i = 0; i < arguments; ++i) {
      std::string name = "%a" + std::to_string(i);
      head += (i ? ", " : "") + name + ": " + row +
              " {bufferization.writable = " + (i < 2 ? "true" : "false") + "}";
      rows.push_back(name);
    }
    for (unsigned i = 0, count = 5 + below(30); i < count; ++i)
      op();
    // The first two arguments get new values, as weights do.
    std::string results, types;
    for (unsigned i = 0; i < 2; ++i) {
      std::string value = made.size() > i ? made[made.size() - 1 - i]
                                          : "%a" + std::to_string(i);
      std::string place = "%a" + std::to_string(i);
      std::string result = fresh();
      body += result + " = bufferization.materialize_in_destination " + value +
              " in " + place + " : (" + row + ", " + row + ") -> " + row + "\n";
      results += (i ? ", " : " ") + result;
      types += (i ? ", " : "") + row;
    }
    return kernels() + head + ") -> (" + types + ") {\n" + body + "return" +
           results + " : " + types + "\n}\n";
  }

private:
  unsigned below(size_t count) {
    return static_cast<unsigned>(random() % count);
  }
  std::string fresh() { return "%v" + std::to_string(next++); }

  /// One of the values, mostly a late one.
  const std::string &pick(const std::vector<std::string> &values) {
    size_t late = std::min<size_t>(values.size(), 4);
    return below(3) == 0 ? values[below(values.size())]
                         : values[values.size() - 1 - below(late)];
  }

  std::string empty() {
    std::string name = fresh();
    body += name + " = tensor.empty() : " + row + "\n";
    return name;
  }

  /// A place to write to: mostly new, at times one that has a value.
  std::string destination() { return below(3) == 0 ? pick(rows) : empty(); }

  void kernel() {
    unsigned inputs = below(3), outputs = below(4) == 0 ? 2 : 1;
    std::string ins, insTypes, outs, types;
    for (unsigned i = 0; i < inputs; ++i) {
      ins += (i ? ", " : "") + pick(rows);
      insTypes += (i ? ", " : "") + row;
    }
    bool inPlace = below(2) == 0;
    for (unsigned i = 0; i < outputs; ++i) {
      outs += (i ? ", " : "") + (inPlace ? pick(rows) : destination());
      types += (i ? ", " : "") + row;
    }
    std::string name = fresh();
    body += name + ":" + std::to_string(outputs) + " = soap.kernel_call @k" +
            std::to_string(inputs + outputs) +
            (inputs ? " ins(" + ins + " : " + insTypes + ")" : "") + " outs(" +
            outs + " : " + types + ") {soap.slot = 0 : i64" +
            (inPlace ? ", in_place" : "") +
            (below(2) == 0 ? ", elementwise" : "") + "} -> " + types + "\n";
    for (unsigned i = 0; i < outputs; ++i) {
      rows.push_back(name + "#" + std::to_string(i));
      made.push_back(rows.back());
    }
  }

  void op() {
    switch (below(12)) {
    case 0:
      body += "soap.send_buffer " + pick(rows) +
              " {soap.slot = 0 : i64} : " + row + "\n";
      return;
    case 1: {
      std::string place = destination(), name = fresh();
      body += name + " = soap.recv_buffer outs(" + place + " : " + row +
              ") {soap.slot = 0 : i64} -> " + row + "\n";
      rows.push_back(name);
      made.push_back(name);
      return;
    }
    case 2: {
      std::string source = pick(rows), name = fresh();
      body += name + " = tensor.expand_shape " + source +
              " [[0, 1]] output_shape [2, 4] : " + row + " into " + square +
              "\n";
      squares.push_back(name);
      return;
    }
    case 3: {
      if (squares.empty())
        return;
      std::string source = pick(squares), name = fresh();
      body += name + " = tensor.collapse_shape " + source +
              " [[0, 1]] : " + square + " into " + row + "\n";
      rows.push_back(name);
      return;
    }
    case 4: {
      std::string source = pick(rows), name = fresh();
      body += name + " = tensor.extract_slice " + source + "[" +
              std::to_string(below(2) * 4) + "] [4] [1] : " + row + " to " +
              half + "\n";
      halves.push_back(name);
      return;
    }
    case 5: {
      if (halves.empty())
        return;
      std::string a = pick(halves), b = pick(halves), name = fresh();
      body += name + " = soap.assemble " + a + ", " + b +
              " {sources = [#soap.region<[0:4]>, #soap.region<[0:4]>], targets "
              "= [#soap.region<[0:4]>, #soap.region<[4:8]>], soap.slot = 0 : "
              "i64} : (" +
              half + ", " + half + ") -> " + row + "\n";
      rows.push_back(name);
      made.push_back(name);
      return;
    }
    case 6: {
      std::string name = fresh();
      body += name + " = arith.constant dense<1.0> : " + row + "\n";
      rows.push_back(name);
      return;
    }
    case 7: {
      std::string source = pick(rows), name = fresh();
      body += name + " = bufferization.alloc_tensor() copy(" + source +
              ") : " + row + "\n";
      rows.push_back(name);
      return;
    }
    case 8: {
      std::string name = empty();
      rows.push_back(name);
      return;
    }
    default:
      kernel();
    }
  }

  std::mt19937 random;
  std::string body;
  std::vector<std::string> rows, squares, halves, made;
  unsigned next = 0;
};

class InPlaceOperandsTest : public ::testing::Test {
protected:
  InPlaceOperandsTest() {
    DialectRegistry registry;
    registry.insert<SoapDialect, arith::ArithDialect, func::FuncDialect,
                    tensor::TensorDialect, memref::MemRefDialect,
                    bufferization::BufferizationDialect>();
    registerBufferizationModels(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    options.bufferizeFunctionBoundaries = true;
  }

  static func::FuncOp programOf(ModuleOp module) {
    return module.lookupSymbol<func::FuncOp>("step");
  }

  /// A line for each operand, the text of its op in front.
  static std::string decisions(ModuleOp module,
                               const bufferization::AnalysisState &state) {
    std::string text;
    llvm::raw_string_ostream out(text);
    for (Operation &op : programOf(module).getBody().front()) {
      out << op << ":";
      for (OpOperand &operand : op.getOpOperands())
        out << (state.isInPlace(operand) ? " in place" : " copied")
            << (state.hasUndefinedContents(&operand) ? " undefined" : "");
      out << "\n";
    }
    return text;
  }

  MLIRContext context;
  bufferization::OneShotBufferizationOptions options;
};

TEST_F(InPlaceOperandsTest, DecisionsAreUpstreams) {
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  unsigned compared = 0, copied = 0, shared = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::string text = RandomProgram(seed).text();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    auto upstream = parseSourceString<ModuleOp>(text, &context);
    auto ours = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(upstream && ours);

    IRRewriter rewriter(&context);
    bufferization::OneShotAnalysisState undecided(*ours, options);
    ASSERT_TRUE(succeeded(
        bufferization::eliminateEmptyTensors(rewriter, *ours, undecided)));
    InPlaceOperands found(options);
    bool isPossible = succeeded(found.analyze(programOf(*ours)));

    // Upstream refuses a few more programs: before it decides, it takes an
    // operand and the result of its op for one buffer.
    if (failed(bufferization::eliminateEmptyTensors(rewriter, *upstream)))
      continue;
    bufferization::OneShotAnalysisState expected(*upstream, options);
    if (failed(bufferization::analyzeModuleOp(*upstream, expected)))
      continue;
    ASSERT_TRUE(isPossible);
    std::string decided = decisions(*ours, found);
    ASSERT_EQ(decided, decisions(*upstream, expected));
    ++compared;
    copied += StringRef(decided).count(" copied");
    shared += StringRef(decided).count(" in place");
  }
  // All of it happens often, or the comparison says little.
  EXPECT_GT(compared, 200u);
  EXPECT_GT(copied, 250u);
  EXPECT_GT(shared, 2500u);
}

/// Sums of gradients over microbatches, each from a weight that all read.
std::string sums(unsigned microbatches) {
  std::string text = kernels() + "func.func @step(%w: " + row +
                     " {bufferization.writable = false}, %g: " + row + ") -> " +
                     row + " {\n%s0 = tensor.empty() : " + row +
                     "\n%z0 = soap.kernel_call @k2 ins(%w : " + row +
                     ") outs(%s0 : " + row + ") -> " + row + "\n";
  std::string sum = "%z0";
  for (unsigned i = 1; i < microbatches; ++i) {
    std::string number = std::to_string(i);
    text += "%e" + number + " = tensor.empty() : " + row + "\n%c" + number +
            " = soap.kernel_call @k2 ins(%w : " + row + ") outs(%e" + number +
            " : " + row + ") -> " + row + "\n%z" + number +
            " = soap.kernel_call @k2 ins(%c" + number + " : " + row +
            ") outs(" + sum + " : " + row + ") {in_place} -> " + row + "\n";
    sum = "%z" + number;
  }
  return text + "%r = bufferization.materialize_in_destination " + sum +
         " in %g : (" + row + ", " + row + ") -> " + row +
         "\nreturn %r : " + row + "\n}\n";
}

TEST_F(InPlaceOperandsTest, WorkGrowsAsMicrobatches) {
  auto workOf = [&](unsigned microbatches) {
    auto module = parseSourceString<ModuleOp>(sums(microbatches), &context);
    EXPECT_TRUE(module);
    InPlaceOperands found(options);
    EXPECT_TRUE(succeeded(found.analyze(programOf(*module))));
    // The sum stays in one buffer.
    for (Operation &op : programOf(*module).getBody().front())
      for (OpOperand &operand : op.getOpOperands())
        EXPECT_TRUE(found.isInPlace(operand));
    return found.comparedLives();
  };
  int64_t few = workOf(16), many = workOf(256);
  EXPECT_GT(few, 0);
  EXPECT_LE(many, 18 * few);
}

} // namespace
