//===- PoolingGradientTest.cpp - Gradients of pooling ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strides, overlapping windows, padding, dilations.
//
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"

#include <gtest/gtest.h>

using namespace soap_test;

namespace {

struct PoolCase {
  const char *name;
  const char *x, *y;
  const char *kernel, *strides, *padding, *dilations;
};

void PrintTo(const PoolCase &c, std::ostream *os) { *os << c.name; }

class PoolGradient : public testing::TestWithParam<PoolCase> {
protected:
  std::string check(const char *op, const char *more = "") {
    const PoolCase &c = GetParam();
    auto array = [](const char *name, const char *values) {
      return std::string(name) + " = array<i64: " + values + ">";
    };
    return checkGradients(functionOf(op,
                                     array("kernel", c.kernel) + ", " +
                                         array("strides", c.strides) + ", " +
                                         array("padding", c.padding) + ", " +
                                         array("dilations", c.dilations) + more,
                                     {c.x}, c.y));
  }
};
TEST_P(PoolGradient, Max) { EXPECT_EQ(check("soap.max_pool2d"), ""); }
TEST_P(PoolGradient, Average) { EXPECT_EQ(check("soap.avg_pool2d"), ""); }
TEST_P(PoolGradient, AverageWithPadding) {
  EXPECT_EQ(check("soap.avg_pool2d", ", count_include_pad"), "");
}
INSTANTIATE_TEST_SUITE_P(
    Attributes, PoolGradient,
    testing::Values(PoolCase{"plain", "2x3x4x6", "2x3x2x3", "2, 2", "2, 2",
                             "0, 0, 0, 0", "1, 1"},
                    PoolCase{"overlapping", "2x2x6x5", "2x2x4x4", "3, 2",
                             "1, 1", "0, 0, 0, 0", "1, 1"},
                    PoolCase{"padded", "1x2x7x7", "1x2x4x4", "3, 3", "2, 2",
                             "1, 1, 1, 1", "1, 1"},
                    PoolCase{"asymmetric", "1x2x5x6", "1x2x3x3", "3, 2", "2, 3",
                             "2, 1, 0, 1", "1, 1"},
                    PoolCase{"gaps", "1x2x8x8", "1x2x3x3", "2, 2", "3, 3",
                             "0, 0, 0, 0", "1, 1"},
                    PoolCase{"dilated", "1x2x7x8", "1x2x5x2", "2, 3", "1, 2",
                             "0, 0, 0, 0", "2, 2"},
                    PoolCase{"global", "2x3x4x5", "2x3x1x1", "4, 5", "1, 1",
                             "0, 0, 0, 0", "1, 1"}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
