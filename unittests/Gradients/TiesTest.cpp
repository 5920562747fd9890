//===- TiesTest.cpp - Gradients where maxima are not unique ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where finite differences say nothing: which of several equal elements gets
// the gradient.
//
//===----------------------------------------------------------------------===//

#include "ReferenceProgram.h"

#include "Transforms/TrainingStep/Differentiation.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;
using namespace soap_test;

namespace {

/// Gradients of the arguments of `@forward` for result gradients of 1. The
/// function returns the value it is asked to differentiate.
std::vector<Values> gradients(StringRef text,
                              const std::vector<Values> &arguments) {
  Context context;
  OwningOpRef<ModuleOp> module = context.parse(text);
  if (!module) {
    ADD_FAILURE() << context.messages;
    return {};
  }
  auto function = module->lookupSymbol<func::FuncOp>("forward");
  Operation *terminator = function.front().getTerminator();
  OpBuilder builder(terminator);
  // The first argument is the gradient of the result.
  llvm::DenseMap<Value, Value> map;
  map[terminator->getOperand(0)] = function.getArgument(0);
  SmallVector<Value> wanted(llvm::drop_begin(function.getArguments()));
  if (failed(
          mlir::soap::buildBackward(builder, function.front(), wanted, map))) {
    ADD_FAILURE() << context.messages;
    return {};
  }
  SmallVector<Value> results;
  for (Value value : wanted)
    results.push_back(map.lookup(value));
  terminator->setOperands(results);
  function.setType(builder.getFunctionType(
      function.getArgumentTypes(),
      SmallVector<Type>(ValueRange(results).getTypes())));
  auto program = ReferenceProgram::compile(*module);
  if (!program) {
    ADD_FAILURE() << context.messages;
    return {};
  }
  return program->run("forward", arguments);
}

/// Of a binary op for dz = [5, 6, 7], x = [1, 2, 3] and y = [1, 3, 2].
std::vector<Values> gradientsOfBinary(const std::string &op) {
  return gradients(
      R"(
    func.func @forward(%dz: tensor<3xf64>, %x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
      %z = )" +
          op + R"( %x, %y {} : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      return %z : tensor<3xf64>
    })",
      {{5, 6, 7}, {1, 2, 3}, {1, 3, 2}});
}

TEST(Ties, MaximumIsShared) {
  EXPECT_EQ(gradientsOfBinary("soap.maximum"),
            (std::vector<Values>{{2.5, 0, 7}, {2.5, 6, 0}}));
}

TEST(Ties, MinimumIsShared) {
  EXPECT_EQ(gradientsOfBinary("soap.minimum"),
            (std::vector<Values>{{2.5, 6, 0}, {2.5, 0, 7}}));
}

/// Of the root of the sum of `power` of the rows of x, of which one is 0.
std::vector<Values> gradientsOfNorm(const std::string &power,
                                    const std::string &root) {
  return gradients(R"(
    func.func @forward(%dy: tensor<2xf64>, %x: tensor<2x2xf64>) -> tensor<2xf64> {
      %p = soap.constant dense<4.0> : tensor<f64> : tensor<f64>
      %q = soap.constant dense<0.25> : tensor<f64> : tensor<f64>
      )" + power + R"(
      %s = soap.reduce sum %a {axes = array<i64: 1>} : (tensor<2x2xf64>) -> tensor<2xf64>
      %h = soap.scale %s {factor = 0.25 : f64} : (tensor<2xf64>) -> tensor<2xf64>
      )" + root + R"(
      return %y : tensor<2xf64>
    })",
                   {{6, 8}, {0, 0, 2, 0}});
}

TEST(Ties, NormsHaveNoGradientAtZero) {
  const std::string square =
      "%a = soap.mul %x, %x : (tensor<2x2xf64>, tensor<2x2xf64>) -> "
      "tensor<2x2xf64>";
  const std::string fourth =
      "%b = soap.abs %x {} : (tensor<2x2xf64>) -> tensor<2x2xf64> "
      "%a = soap.pow %b, %p : (tensor<2x2xf64>, tensor<f64>) -> "
      "tensor<2x2xf64>";
  EXPECT_EQ(
      gradientsOfNorm(
          square, "%y = soap.sqrt %h {} : (tensor<2xf64>) -> tensor<2xf64>"),
      (std::vector<Values>{{0, 0, 4, 0}}));
  // (2^4 / 4)^(1/4) = sqrt(2), of which the derivative is sqrt(2) / 2.
  std::vector<Values> fourths = gradientsOfNorm(
      fourth, "%y = soap.pow %h, %q : (tensor<2xf64>, tensor<f64>) -> "
              "tensor<2xf64>");
  ASSERT_EQ(fourths.size(), 1U);
  EXPECT_EQ(fourths[0][0], 0);
  EXPECT_EQ(fourths[0][1], 0);
  EXPECT_NEAR(fourths[0][2], 8 / std::sqrt(2.0), 1e-12);
  EXPECT_EQ(fourths[0][3], 0);
}

TEST(Ties, NothingFlowsThroughComparisons) {
  EXPECT_EQ(gradients(R"(
    func.func @forward(%dy: tensor<3xf64>, %x: tensor<3xf64>) -> tensor<3xf64> {
      %s = soap.sign %x {} : (tensor<3xf64>) -> tensor<3xf64>
      %h = soap.stop_gradient %x {} : (tensor<3xf64>) -> tensor<3xf64>
      %g = soap.greater %x, %s : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      %a = soap.mul %x, %s : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      %b = soap.mul %a, %h : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      %y = soap.add %b, %g : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      return %y : tensor<3xf64>
    })",
                      {{5, 6, 7}, {-2, 0, 3}}),
            (std::vector<Values>{{10, 0, 21}}));
}

/// Of x^y with both wanted: PyTorch's zeros, where a formula has 0 * infinity.
TEST(Ties, PowersOfZeroAndToZero) {
  EXPECT_EQ(gradients(R"(
    func.func @forward(%dz: tensor<4xf64>, %x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xf64> {
      %z = soap.pow %x, %y : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
      return %z : tensor<4xf64>
    })",
                      {{5, 6, 7, 8}, {0, 0, 0, 1}, {0, 2, 1, 3}}),
            (std::vector<Values>{{0, 0, 7, 24}, {0, 0, 0, 0}}));
}

TEST(Ties, ReducedMaximaShareEvenly) {
  EXPECT_EQ(gradients(R"(
    func.func @forward(%dy: tensor<2xf64>, %x: tensor<2x4xf64>) -> tensor<2xf64> {
      %y = soap.reduce max %x {axes = array<i64: 1>} : (tensor<2x4xf64>) -> tensor<2xf64>
      return %y : tensor<2xf64>
    })",
                      {{6, 8}, {1, 3, 3, 2, 4, 4, 4, 4}}),
            (std::vector<Values>{{0, 3, 3, 0, 2, 2, 2, 2}}));
}

TEST(Ties, MaxPoolingGoesToTheFirstElement) {
  EXPECT_EQ(gradients(R"(
    func.func @forward(%dy: tensor<1x1x1x2xf64>, %x: tensor<1x1x2x4xf64>) -> tensor<1x1x1x2xf64> {
      %y = soap.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
         : (tensor<1x1x2x4xf64>) -> tensor<1x1x1x2xf64>
      return %y : tensor<1x1x1x2xf64>
    })",
                      {{5, 7}, {1, 2, 0, 0, 2, 1, 0, 0}}),
            (std::vector<Values>{{0, 5, 7, 0, 0, 0, 0, 0}}));
}

TEST(Ties, RectifierHasNoGradientAtZero) {
  EXPECT_EQ(gradients(R"(
    func.func @forward(%dy: tensor<3xf64>, %x: tensor<3xf64>) -> tensor<3xf64> {
      %y = soap.relu %x {} : (tensor<3xf64>) -> tensor<3xf64>
      return %y : tensor<3xf64>
    })",
                      {{5, 6, 7}, {-1, 0, 1}}),
            (std::vector<Values>{{0, 0, 7}}));
}

} // namespace
