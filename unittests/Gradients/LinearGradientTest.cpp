//===- LinearGradientTest.cpp - Gradients of convolution, matmul, sums ----===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strides, padding on each side, dilations, groups; transposes, batch dims.
//
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"

#include <gtest/gtest.h>

using namespace soap_test;

namespace {

struct ConvCase {
  const char *name;
  const char *x, *w, *y;
  const char *strides, *padding, *dilations;
  int groups = 1;
};

void PrintTo(const ConvCase &testCase, std::ostream *os) {
  *os << testCase.name;
}

class ConvGradient : public testing::TestWithParam<ConvCase> {};
TEST_P(ConvGradient, MatchesDifferences) {
  const ConvCase &c = GetParam();
  auto array = [](const char *name, const char *values) {
    return std::string(name) + " = array<i64: " + values + ">, ";
  };
  std::string attributes = array("strides", c.strides) +
                           array("padding", c.padding) +
                           array("dilations", c.dilations) +
                           "groups = " + std::to_string(c.groups) + " : i64";
  EXPECT_EQ(
      checkGradients(functionOf("soap.conv2d", attributes, {c.x, c.w}, c.y)),
      "");
}
INSTANTIATE_TEST_SUITE_P(
    Attributes, ConvGradient,
    testing::Values(ConvCase{"plain", "2x3x5x6", "4x3x3x2", "2x4x3x5", "1, 1",
                             "0, 0, 0, 0", "1, 1"},
                    ConvCase{"padded", "2x2x4x4", "3x2x3x3", "2x3x4x4", "1, 1",
                             "1, 1, 1, 1", "1, 1"},
                    ConvCase{"asymmetric", "1x2x4x5", "2x2x3x3", "1x2x4x6",
                             "1, 1", "2, 0, 0, 3", "1, 1"},
                    ConvCase{"strided", "2x2x7x8", "3x2x3x3", "2x3x3x2", "2, 3",
                             "0, 0, 0, 0", "1, 1"},
                    // Rows and columns that no window reads.
                    ConvCase{"strided_past", "1x1x8x9", "2x1x2x2", "1x2x3x3",
                             "3, 3", "0, 0, 0, 0", "1, 1"},
                    ConvCase{"dilated", "1x2x7x7", "2x2x3x2", "1x2x5x6", "1, 1",
                             "1, 1, 1, 1", "2, 3"},
                    ConvCase{"grouped", "2x4x4x4", "6x2x3x3", "2x6x2x2", "1, 1",
                             "0, 0, 0, 0", "1, 1", 2},
                    ConvCase{"depthwise", "1x3x5x5", "3x1x3x3", "1x3x3x3",
                             "2, 2", "1, 1, 1, 1", "1, 1", 3},
                    ConvCase{"all", "2x4x9x7", "6x2x3x2", "2x6x4x6", "2, 1",
                             "1, 2, 2, 0", "2, 3", 2},
                    ConvCase{"cropped", "1x1x6x6", "1x1x2x2", "1x1x4x4", "1, 1",
                             "-1, 0, 0, -1", "1, 1"},
                    ConvCase{"pointwise", "2x3x4x4", "2x3x1x1", "2x2x2x2",
                             "2, 2", "0, 0, 0, 0", "1, 1"}),
    [](const auto &info) { return std::string(info.param.name); });

struct MatmulCase {
  const char *a, *b, *y;
  const char *attributes;
};

void PrintTo(const MatmulCase &c, std::ostream *os) {
  *os << c.a << " * " << c.b << " " << c.attributes;
}

class MatmulGradient : public testing::TestWithParam<MatmulCase> {};
TEST_P(MatmulGradient, MatchesDifferences) {
  const MatmulCase &c = GetParam();
  EXPECT_EQ(
      checkGradients(functionOf("soap.matmul", c.attributes, {c.a, c.b}, c.y)),
      "");
}
INSTANTIATE_TEST_SUITE_P(
    Attributes, MatmulGradient,
    testing::Values(
        MatmulCase{"3x4", "4x5", "3x5", ""},
        MatmulCase{"4x3", "4x5", "3x5", "transpose_a"},
        MatmulCase{"3x4", "5x4", "3x5", "transpose_b"},
        MatmulCase{"4x3", "5x4", "3x5", "transpose_a, transpose_b"},
        MatmulCase{"2x3x4", "2x4x5", "2x3x5", ""},
        MatmulCase{"2x4x3", "2x4x5", "2x3x5", "transpose_a"},
        MatmulCase{"2x3x4", "2x5x4", "2x3x5", "transpose_b"},
        MatmulCase{"2x2x4x3", "2x2x5x4", "2x2x3x5", "transpose_a, transpose_b"},
        MatmulCase{"2x3x4", "4x5", "2x3x5", ""},
        MatmulCase{"2x4x3", "4x5", "2x3x5", "transpose_a"},
        MatmulCase{"2x3x3x4", "2x4x5", "2x3x3x5", ""},
        MatmulCase{"2x1x2x3x4", "2x1x5x4", "2x1x2x3x5", "transpose_b"},
        MatmulCase{"2x3x4x3", "2x5x4", "2x3x3x5", "transpose_a, transpose_b"},
        MatmulCase{"2x2x3x4", "5x4", "2x2x3x5", "transpose_b"},
        MatmulCase{"2x4x3", "5x4", "2x3x5", "transpose_a, transpose_b"},
        MatmulCase{"1x4", "4x1", "1x1", ""},
        MatmulCase{"1x3x4", "4x5", "1x3x5", ""}));

TEST(ReduceGradient, Kinds) {
  for (const char *op :
       {"soap.reduce sum", "soap.reduce max", "soap.reduce min"}) {
    EXPECT_EQ(checkGradients(
                  functionOf(op, "axes = array<i64: 1>", {"3x4x5"}, "3x5")),
              "")
        << op;
    EXPECT_EQ(checkGradients(
                  functionOf(op, "axes = array<i64: 0, 2>", {"3x4x5"}, "4")),
              "")
        << op;
    EXPECT_EQ(
        checkGradients(functionOf(op, "axes = array<i64: 0, 1>", {"3x4"}, "")),
        "")
        << op;
  }
}

TEST(BroadcastGradient, Axes) {
  EXPECT_EQ(checkGradients(functionOf("soap.broadcast", "axes = array<i64: 1>",
                                      {"3x5"}, "3x4x5")),
            "");
  EXPECT_EQ(checkGradients(functionOf("soap.broadcast",
                                      "axes = array<i64: 0, 1>", {""}, "3x4")),
            "");
}

} // namespace
