//===- ShapeGradientTest.cpp - Gradients of ops that move elements --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshape, transpose, concat, slice, pad.
//
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"

#include <gtest/gtest.h>

using namespace soap_test;

namespace {

TEST(ShapeGradient, Reshape) {
  for (auto [from, to] :
       {std::pair("2x3x4", "2x12"), std::pair("6x4", "2x3x2x2"),
        std::pair("4x6", "8x3"), std::pair("1x6x1", "6"), std::pair("1x1", "")})
    EXPECT_EQ(checkGradients(functionOf("soap.reshape", "", {from}, to)), "")
        << from << " to " << to;
}

TEST(ShapeGradient, Transpose) {
  EXPECT_EQ(checkGradients(functionOf("soap.transpose",
                                      "permutation = array<i64: 2, 0, 1>",
                                      {"3x4x5"}, "5x3x4")),
            "");
  EXPECT_EQ(checkGradients(functionOf("soap.transpose",
                                      "permutation = array<i64: 3, 1, 0, 2>",
                                      {"2x3x4x5"}, "5x3x2x4")),
            "");
}

TEST(ShapeGradient, Concat) {
  EXPECT_EQ(checkGradients(functionOf("soap.concat", "axis = 1 : i64",
                                      {"2x3x4", "2x1x4", "2x5x4"}, "2x9x4")),
            "");
  EXPECT_EQ(
      checkGradients(functionOf("soap.concat", "axis = 0 : i64", {"3"}, "3")),
      "");
}

TEST(ShapeGradient, Slice) {
  EXPECT_EQ(checkGradients(functionOf(
                "soap.slice",
                "offsets = array<i64: 1, 0>, sizes = array<i64: 3, 4>, "
                "strides = array<i64: 1, 1>",
                {"5x4"}, "3x4")),
            "");
  EXPECT_EQ(checkGradients(functionOf(
                "soap.slice",
                "offsets = array<i64: 1, 2>, sizes = array<i64: 3, 2>, "
                "strides = array<i64: 2, 3>",
                {"7x9"}, "3x2")),
            "");
}

struct PadCase {
  const char *low, *interior, *x, *y;
};

TEST(ShapeGradient, Pad) {
  for (const PadCase &c : {
           PadCase{"1, 2", "0, 0", "3x4", "5x6"},
           PadCase{"1, 0", "2, 1", "3x4", "9x8"},
           // Cropped at the low end, at the high end, between elements.
           PadCase{"-1, 0", "0, 0", "4x3", "3x3"},
           PadCase{"0, 1", "0, 0", "4x3", "2x4"},
           PadCase{"-2, -3", "1, 2", "4x5", "4x8"},
           PadCase{"-1, 0", "2, 0", "3x3", "4x2"},
       }) {
    std::string attributes = std::string("low = array<i64: ") + c.low +
                             ">, interior = array<i64: " + c.interior +
                             ">, value = 1.5 : f64";
    EXPECT_EQ(checkGradients(functionOf("soap.pad", attributes, {c.x}, c.y)),
              "")
        << attributes;
  }
}

TEST(ShapeGradient, PadThatCropsAll) {
  // No element arrives: the gradient is 0.
  EXPECT_EQ(checkGradients(functionOf(
                "soap.pad", "low = array<i64: -4>, interior = array<i64: 0>",
                {"3"}, "2")),
            "");
}

} // namespace
