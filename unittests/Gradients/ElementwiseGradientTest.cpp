//===- ElementwiseGradientTest.cpp - Gradients of elementwise ops ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unary and binary ops, broadcasting, bias.
//
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"

#include <gtest/gtest.h>

using namespace soap_test;

namespace {

struct OpCase {
  const char *op;
  Range range = Range::Signed;
};

void PrintTo(const OpCase &testCase, std::ostream *os) { *os << testCase.op; }

class UnaryGradient : public testing::TestWithParam<OpCase> {};
TEST_P(UnaryGradient, MatchesDifferences) {
  EXPECT_EQ(checkGradients(functionOf(GetParam().op, "", {"3x4x5"}, "3x4x5"),
                           GetParam().range),
            "");
  EXPECT_EQ(
      checkGradients(functionOf(GetParam().op, "", {""}, ""), GetParam().range),
      "");
}
INSTANTIATE_TEST_SUITE_P(
    Ops, UnaryGradient,
    testing::Values(OpCase{"soap.relu"}, OpCase{"soap.neg"}, OpCase{"soap.abs"},
                    OpCase{"soap.exp"}, OpCase{"soap.log", Range::Positive},
                    OpCase{"soap.sqrt", Range::Positive}, OpCase{"soap.tanh"},
                    OpCase{"soap.sigmoid"}, OpCase{"soap.erf"},
                    OpCase{"soap.gelu"}, OpCase{"soap.sin"}, OpCase{"soap.cos"},
                    OpCase{"soap.reciprocal", Range::Positive},
                    OpCase{"soap.rsqrt", Range::Positive},
                    OpCase{"soap.log1p", Range::Unit}, OpCase{"soap.expm1"},
                    OpCase{"soap.softplus"}, OpCase{"soap.asin", Range::Unit},
                    OpCase{"soap.acos", Range::Unit}, OpCase{"soap.atan"},
                    OpCase{"soap.asinh"}, OpCase{"soap.acosh", Range::AboveOne},
                    OpCase{"soap.atanh", Range::Unit}));

TEST(ElementwiseGradient, Attributes) {
  EXPECT_EQ(
      checkGradients(functionOf("soap.gelu", "approximate", {"4x5"}, "4x5")),
      "");
  for (const char *beta : {"", "beta = 1.702 : f64"})
    EXPECT_EQ(
        checkGradients(functionOf("soap.swiglu", beta, {"4x5", "4x5"}, "4x5")),
        "");
  EXPECT_EQ(checkGradients(
                functionOf("soap.rsqrt", "epsilon = 0.5 : f64", {"4x5"}, "4x5"),
                Range::Positive),
            "");
}

TEST(ElementwiseGradient, Where) {
  auto function = [](const std::string &mask, const std::string &x,
                     const std::string &y, const std::string &z) {
    auto type = [](const std::string &shape) {
      return "tensor<" + shape + (shape.empty() ? "" : "x") + "f64>";
    };
    // The mask is a comparison: about half of it is set.
    return "func.func @forward(%m: " + type(mask) +
           " {soap.kind = #soap.kind<state>}, %x: " + type(x) +
           ", %y: " + type(y) + ") -> " + type(z) +
           " { %0 = soap.constant dense<0.0> : tensor<f64> : tensor<f64> "
           "%c = soap.greater %m, %0 : (" +
           type(mask) + ", tensor<f64>) -> " + type(mask) +
           " %z = soap.where %c, %x, %y : (" + type(mask) + ", " + type(x) +
           ", " + type(y) + ") -> " + type(z) + " return %z : " + type(z) +
           " }";
  };
  EXPECT_EQ(checkGradients(function("3x4", "3x4", "3x4", "3x4")), "");
  EXPECT_EQ(checkGradients(function("4", "2x1x4", "3x1", "2x3x4")), "");
  EXPECT_EQ(checkGradients(function("2x3", "", "3", "2x3")), "");
}

TEST(ElementwiseGradient, Cast) {
  // Through a wider type and back would lose nothing, but the check has one
  // type: the cast to itself.
  EXPECT_EQ(checkGradients(functionOf("soap.cast", "", {"3x4"}, "3x4")), "");
}

TEST(ElementwiseGradient, Dropout) {
  const char *text = R"(
    func.func @forward(%x: tensor<5x7xf64>) -> tensor<5x7xf64> {
      %s = soap.constant dense<3> : tensor<i32> : tensor<i32>
      %y = soap.dropout %x, %s {rate = 0.25 : f64, seed = 5 : i64}
         : (tensor<5x7xf64>, tensor<i32>) -> tensor<5x7xf64>
      return %y : tensor<5x7xf64>
    })";
  EXPECT_EQ(checkGradients(text), "");
}

TEST(ElementwiseGradient, Scale) {
  EXPECT_EQ(checkGradients(functionOf("soap.scale", "factor = -2.5 : f64",
                                      {"4x5"}, "4x5")),
            "");
}

class BinaryGradient : public testing::TestWithParam<OpCase> {
protected:
  void check(const char *x, const char *y, const char *z) {
    EXPECT_EQ(checkGradients(functionOf(GetParam().op, "", {x, y}, z),
                             GetParam().range),
              "")
        << x << ", " << y;
  }
};
TEST_P(BinaryGradient, SameShape) { check("3x4", "3x4", "3x4"); }
TEST_P(BinaryGradient, Broadcasting) {
  check("2x3x4", "4", "2x3x4");
  check("3x1", "2x3x4", "2x3x4");
  check("2x1x4", "1x3x1", "2x3x4");
  check("", "2x3", "2x3");
  check("2x3", "1x2x3", "1x2x3");
  check("1", "1x1", "1x1");
}
INSTANTIATE_TEST_SUITE_P(Ops, BinaryGradient,
                         testing::Values(OpCase{"soap.add"}, OpCase{"soap.sub"},
                                         OpCase{"soap.mul"},
                                         OpCase{"soap.div", Range::Positive},
                                         OpCase{"soap.pow", Range::Positive},
                                         OpCase{"soap.maximum"},
                                         OpCase{"soap.minimum"}));

TEST(ElementwiseGradient, BiasAdd) {
  EXPECT_EQ(checkGradients(functionOf("soap.bias_add", "axis = 1 : i64",
                                      {"2x3x4x5", "3"}, "2x3x4x5")),
            "");
  EXPECT_EQ(checkGradients(
                functionOf("soap.bias_add", "axis = 0 : i64", {"5", "5"}, "5")),
            "");
  EXPECT_EQ(checkGradients(functionOf("soap.bias_add", "axis = 2 : i64",
                                      {"2x3x4", "4"}, "2x3x4")),
            "");
}

TEST(ElementwiseGradient, SeveralUses) {
  // The same value as both operands, and a value with three uses.
  EXPECT_EQ(checkGradients(R"(
    func.func @forward(%x: tensor<3x4xf64>, %w: tensor<4xf64>) -> (tensor<3x4xf64>, tensor<3x4xf64>) {
      %0 = soap.mul %x, %w {} : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
      %1 = soap.mul %0, %0 {} : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
      %2 = soap.add %1, %w {} : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
      %3 = soap.tanh %0 {} : (tensor<3x4xf64>) -> tensor<3x4xf64>
      return %2, %3 : tensor<3x4xf64>, tensor<3x4xf64>
    })"),
            "");
}

} // namespace
