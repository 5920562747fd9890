//===- SequenceGradientTest.cpp - Gradients of gather and LSTM ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables with rows that are read several times and never, and an LSTM's
// gradients in all operands, from outputs and from cells.
//
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"

#include <gtest/gtest.h>

using namespace soap_test;

namespace {

std::string gather(const std::string &table, const std::string &indices,
                   const std::string &result, const std::string &attributes) {
  std::string t = "tensor<" + table + "xf64>",
              i = "tensor<" + indices + (indices.empty() ? "" : "x") + "i32>",
              y = "tensor<" + result + (result.empty() ? "" : "x") + "f64>";
  return "func.func @forward(%t: " + t + ", %i: " + i + ") -> " + y +
         " { %y = soap.gather %t, %i {" + attributes + "} : (" + t + ", " + i +
         ") -> " + y + " return %y : " + y + " }";
}

TEST(GatherGradient, Rows) {
  EXPECT_EQ(checkGradients(gather("4x3", "2x5", "2x5x3", ""), Range::Signed, 4),
            "");
  EXPECT_EQ(checkGradients(gather("4x3x2", "6", "6x3x2", "wrap = 4 : i64"),
                           Range::Signed, 4),
            "");
  EXPECT_EQ(checkGradients(gather("5", "3", "3", "offset = 1 : i64"),
                           Range::Signed, 6),
            "");
  EXPECT_EQ(checkGradients(gather("3x2", "", "2", ""), Range::Signed, 3), "");
}

/// Parts of a matrix of six columns; the second one begins at `offset`.
std::string takenApart(int offset, int size) {
  std::string o = std::to_string(offset), e = std::to_string(size);
  auto slice = [](const std::string &o, const std::string &e) {
    return "soap.slice %x {offsets = array<i64: 0, " + o +
           ">, sizes = array<i64: 3, " + e +
           ">, strides = array<i64: 1, 1>} : (tensor<3x6xf64>) -> tensor<3x" +
           e + "xf64> ";
  };
  return "func.func @forward(%x: tensor<3x6xf64>) -> (tensor<3x" + e +
         "xf64>, tensor<3x1xf64>, tensor<3x2xf64>) { %b = " + slice(o, e) +
         "%c = " + slice("5", "1") + "%a = " + slice("0", "2") +
         "return %b, %c, %a : tensor<3x" + e +
         "xf64>, tensor<3x1xf64>, tensor<3x2xf64> }";
}

TEST(SliceGradient, Parts) {
  // Without gap or overlap, with a gap, with an overlap.
  EXPECT_EQ(checkGradients(takenApart(2, 3)), "");
  EXPECT_EQ(checkGradients(takenApart(2, 2)), "");
  EXPECT_EQ(checkGradients(takenApart(1, 4)), "");
}

/// `results` of y and cells are returned.
std::string lstm(int t, int n, int h, bool y, bool cells) {
  auto type = [](std::initializer_list<int> shape) {
    std::string text = "tensor<";
    for (int extent : shape)
      text += std::to_string(extent) + "x";
    return text + "f64>";
  };
  std::string x = type({t, n, 4, h}), r = type({4, h, h}), s = type({1, n, h}),
              all = type({t, n, h});
  std::string values = y && cells ? "%y, %c" : y ? "%y" : "%c";
  std::string types = y && cells ? all + ", " + all : all;
  return "func.func @forward(%x: " + x + ", %r: " + r + ", %h: " + s +
         ", %c0: " + s + ") -> (" + types +
         ") { %y, %c, %g = soap.lstm %x, %r, %h, %c0 : (" + x + ", " + r +
         ", " + s + ", " + s + ") -> (" + all + ", " + all + ", " + x +
         ") return " + values + " : " + types + " }";
}

TEST(LstmGradient, AllOperands) {
  EXPECT_EQ(checkGradients(lstm(1, 2, 3, true, false)), "");
  EXPECT_EQ(checkGradients(lstm(2, 2, 2, true, false)), "");
  EXPECT_EQ(checkGradients(lstm(4, 2, 3, true, true)), "");
  EXPECT_EQ(checkGradients(lstm(3, 1, 2, false, true)), "");
}

} // namespace
