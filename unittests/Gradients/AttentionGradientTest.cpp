//===- AttentionGradientTest.cpp - Gradients of attention -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against central differences, of both results.
//
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"

#include <gtest/gtest.h>

using namespace soap_test;

namespace {

/// Two samples, `heads` heads of queries, two of keys, widths 3 and 4. `mask`
/// are types of the operands behind q, k and v.
std::string attention(int heads, int queries, int keys,
                      const std::string &attributes,
                      const std::vector<std::string> &mask = {},
                      const std::string &sizes = "0, 0, 0") {
  auto type = [](int n, int positions, int width) {
    return "tensor<2x" + std::to_string(n) + "x" + std::to_string(positions) +
           "x" + std::to_string(width) + "xf64>";
  };
  std::vector<std::string> types{type(heads, queries, 3), type(2, keys, 3),
                                 type(2, keys, 4)};
  types.insert(types.end(), mask.begin(), mask.end());
  std::string arguments, operands, list;
  for (size_t i = 0; i < types.size(); ++i) {
    std::string comma = i ? ", " : "", name = "%a" + std::to_string(i);
    arguments += comma + name + ": " + types[i];
    operands += comma + name;
    list += comma + types[i];
  }
  std::string results = "(" + type(heads, queries, 4) + ", tensor<2x" +
                        std::to_string(heads) + "x" + std::to_string(queries) +
                        "xf64>)";
  return "func.func @forward(" + arguments + ") -> " + results +
         " { %out, %lse = soap.attention " + operands +
         " {scale = 0.6 : f64, operandSegmentSizes = array<i32: 1, 1, 1, " +
         sizes + ">" + attributes + "} : (" + list + ") -> " + results +
         " return %out, %lse : " + results.substr(1, results.size() - 2) + " }";
}

TEST(AttentionGradient, OfBothResults) {
  EXPECT_EQ(checkGradients(attention(2, 3, 4, "")), "");
  EXPECT_EQ(checkGradients(attention(4, 3, 3, ", right = 0 : i64")), "");
  EXPECT_EQ(
      checkGradients(attention(
          2, 4, 5, ", left = 1 : i64, right = 0 : i64, offset = 1 : i64")),
      "");
  EXPECT_EQ(checkGradients(attention(2, 3, 3, ", softcap = 0.9 : f64")), "");
}

TEST(AttentionGradient, Bias) {
  for (const char *shape : {"2x4x3x3", "1x4x1x3", "2x1x3x3", "1x1x1x1"})
    EXPECT_EQ(checkGradients(attention(
                  4, 3, 3, ", right = 0 : i64",
                  {std::string("tensor<") + shape + "xf64>"}, "1, 0, 0")),
              "")
        << shape;
}

} // namespace
