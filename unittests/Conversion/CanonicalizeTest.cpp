//===- CanonicalizeTest.cpp - Canonicalization keeps every bit ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that `--canonicalize` shortens compute the same as before, on
// numbers for which a wrong identity would show: zeros of both signs,
// infinities, NaN, and numbers whose sums round.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace ::soap::test;

namespace {

/// `text` after `--canonicalize`, and how many soap ops it has.
std::pair<std::string, int> canonicalized(const std::string &text) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::soap::SoapDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return {"", -1};
  PassManager manager(&context);
  manager.addPass(createCanonicalizerPass());
  if (failed(manager.run(*module)))
    return {"", -1};
  int ops = 0;
  module->walk([&](Operation *op) {
    ops += isa<mlir::soap::SoapDialect>(op->getDialect());
  });
  std::string result;
  llvm::raw_string_ostream(result) << *module;
  return {result, ops};
}

bool sameBits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         (a == b && std::signbit(a) == std::signbit(b));
}

/// A function of x: tensor<12xf32> that ends with %r of the same type, and how
/// many ops are left of it.
struct Case {
  const char *name, *body;
  int left;
};

const char *const constants = R"(
  %zero = soap.constant dense<0.0> : tensor<12xf32> : tensor<12xf32>
  %negative = soap.constant dense<-0.0> : tensor<12xf32> : tensor<12xf32>
  %one = soap.constant dense<1.0> : tensor<12xf32> : tensor<12xf32>
  %third = soap.constant dense<0.1> : tensor<f32> : tensor<f32>
)";

const Case cases[] = {
    {"x + 0.0 is computed",
     "%r = soap.add %x, %zero : (tensor<12xf32>, tensor<12xf32>) -> "
     "tensor<12xf32>",
     3},
    {"x + -0.0",
     "%r = soap.add %x, %negative : (tensor<12xf32>, tensor<12xf32>) -> "
     "tensor<12xf32>",
     1},
    {"x - 0.0",
     "%r = soap.sub %x, %zero : (tensor<12xf32>, tensor<12xf32>) -> "
     "tensor<12xf32>",
     1},
    {"x * 1 / 1",
     "%a = soap.mul %one, %x : (tensor<12xf32>, tensor<12xf32>) -> "
     "tensor<12xf32>\n"
     "%r = soap.div %a, %one : (tensor<12xf32>, tensor<12xf32>) -> "
     "tensor<12xf32>",
     1},
    {"relu twice",
     "%a = soap.relu %x : (tensor<12xf32>) -> tensor<12xf32>\n"
     "%r = soap.relu %a : (tensor<12xf32>) -> tensor<12xf32>",
     2},
    {"abs twice",
     "%a = soap.abs %x : (tensor<12xf32>) -> tensor<12xf32>\n"
     "%r = soap.abs %a : (tensor<12xf32>) -> tensor<12xf32>",
     2},
    {"neg twice",
     "%a = soap.neg %x : (tensor<12xf32>) -> tensor<12xf32>\n"
     "%r = soap.neg %a : (tensor<12xf32>) -> tensor<12xf32>",
     1},
    {"maximum and minimum with itself",
     "%a = soap.maximum %x, %x : (tensor<12xf32>, tensor<12xf32>) -> "
     "tensor<12xf32>\n"
     "%r = soap.minimum %a, %a : (tensor<12xf32>, tensor<12xf32>) -> "
     "tensor<12xf32>",
     1},
    {"where with a constant mask",
     "%r = soap.where %zero, %one, %x : (tensor<12xf32>, tensor<12xf32>, "
     "tensor<12xf32>) -> tensor<12xf32>",
     1},
    {"wider and back",
     "%a = soap.cast %x : (tensor<12xf32>) -> tensor<12xf64>\n"
     "%r = soap.cast %a : (tensor<12xf64>) -> tensor<12xf32>",
     1},
    {"constants",
     "%a = soap.mul %third, %third : (tensor<f32>, tensor<f32>) -> "
     "tensor<f32>\n"
     "%b = soap.div %a, %third : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
     "%r = soap.mul %x, %b : (tensor<12xf32>, tensor<f32>) -> tensor<12xf32>",
     3},
    {"moves",
     "%a = soap.reshape %x : (tensor<12xf32>) -> tensor<3x4xf32>\n"
     "%b = soap.transpose %a {permutation = array<i64: 1, 0>} : "
     "(tensor<3x4xf32>) -> tensor<4x3xf32>\n"
     "%c = soap.reshape %b : (tensor<4x3xf32>) -> tensor<2x2x3xf32>\n"
     "%d = soap.transpose %c {permutation = array<i64: 2, 0, 1>} : "
     "(tensor<2x2x3xf32>) -> tensor<3x2x2xf32>\n"
     "%e = soap.transpose %d {permutation = array<i64: 1, 0, 2>} : "
     "(tensor<3x2x2xf32>) -> tensor<2x3x2xf32>\n"
     "%r = soap.reshape %e : (tensor<2x3x2xf32>) -> tensor<12xf32>",
     6},
    {"parts",
     "%a = soap.concat %x, %zero {axis = 0 : i64} : (tensor<12xf32>, "
     "tensor<12xf32>) -> tensor<24xf32>\n"
     "%b = soap.slice %a {offsets = array<i64: 1>, sizes = array<i64: 5>, "
     "strides = array<i64: 2>} : (tensor<24xf32>) -> tensor<5xf32>\n"
     "%c = soap.slice %b {offsets = array<i64: 1>, sizes = array<i64: 2>, "
     "strides = array<i64: 2>} : (tensor<5xf32>) -> tensor<2xf32>\n"
     "%d = soap.pad %c {low = array<i64: 3>, interior = array<i64: 0>, value = "
     "-0.0 : f64} : (tensor<2xf32>) -> tensor<6xf32>\n"
     "%r = soap.pad %d {low = array<i64: 2>, interior = array<i64: 0>, value = "
     "-0.0 : f64} : (tensor<6xf32>) -> tensor<12xf32>",
     3},
    {"broadcasts",
     "%a = soap.slice %x {offsets = array<i64: 3>, sizes = array<i64: 2>, "
     "strides = array<i64: 1>} : (tensor<12xf32>) -> tensor<2xf32>\n"
     "%b = soap.broadcast %a {axes = array<i64: 0>} : (tensor<2xf32>) -> "
     "tensor<3x2xf32>\n"
     "%c = soap.broadcast %b {axes = array<i64: 1>} : (tensor<3x2xf32>) -> "
     "tensor<3x2x2xf32>\n"
     "%r = soap.reshape %c : (tensor<3x2x2xf32>) -> tensor<12xf32>",
     4},
};

TEST(Canonicalize, KeepsEveryBit) {
  const double inf = std::numeric_limits<double>::infinity();
  Array x({12});
  x.values = {0.0,          -0.0, 1.5, -2.25,  inf, -inf,
              std::nan(""), 1e30, 0.1, -1e-30, 3.0, 1.0e-7};
  for (double &value : x.values)
    value = static_cast<float>(value);
  for (const Case &c : cases) {
    SCOPED_TRACE(c.name);
    std::string text =
        std::string("func.func @f(%x: tensor<12xf32>) -> tensor<12xf32> {\n") +
        constants + c.body +
        "\n  %n = soap.neg %r : (tensor<12xf32>) -> tensor<12xf32>\n"
        "  return %n : tensor<12xf32>\n}\n";
    auto [shorter, ops] = canonicalized(text);
    EXPECT_EQ(ops, c.left) << shorter;
    std::vector<Array> before = run(text, "f32", "soap-lower-to-cpu", {x}),
                       after = run(shorter, "f32", "soap-lower-to-cpu", {x});
    ASSERT_EQ(before.size(), 1U);
    ASSERT_EQ(after.size(), 1U);
    for (size_t i = 0; i < x.values.size(); ++i)
      EXPECT_TRUE(sameBits(before[0].values[i], after[0].values[i]))
          << "element " << i << " of " << x.values[i] << ": "
          << before[0].values[i] << " became " << after[0].values[i];
  }
}

} // namespace
