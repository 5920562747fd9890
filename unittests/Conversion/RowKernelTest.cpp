//===- RowKernelTest.cpp - Kernels whose warps share rows -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax and norms of rows of any length, on threads of the host that are
// lanes of warps (GpuThreads.h), beside plain loops.
//
//===----------------------------------------------------------------------===//

#include "GpuThreads.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace soap::test;

namespace {

/// Fewer lanes than a warp has, a warp and part of one, whole warps, and more
/// than stay in registers.
const int64_t lengths[] = {17, 31, 33, 49, 64, 100, 1024, 1025, 4097};

void checkOnThreads(const std::string &text, const std::vector<Array> &inputs,
                    const Array &expected) {
  // More warps than rows, and fewer.
  for (int64_t blocks : {1, 3}) {
    std::vector<Array> results =
        runOnThreads(text, "f32", "soap-lower-to-cuda{until=launches}", inputs,
                     blocks, /*threads=*/64);
    ASSERT_EQ(results.size(), 1u);
    for (size_t i = 0; i < expected.values.size(); ++i)
      ASSERT_NEAR(results[0].values[i], expected.values[i], 1e-5)
          << "element " << i << ", " << blocks << " blocks";
  }
}

TEST(RowKernels, Softmax) {
  for (int64_t length : lengths) {
    SCOPED_TRACE(length);
    Array x = random({5, length}, 1), y({5, length});
    for (int64_t row = 0; row < 5; ++row) {
      double sum = 0;
      for (int64_t i = 0; i < length; ++i)
        sum += std::exp(x({row, i}));
      for (int64_t i = 0; i < length; ++i)
        y({row, i}) = std::exp(x({row, i})) / sum;
    }
    checkOnThreads(function("soap.softmax", "axis = 1 : i64", {x}, {y}), {x},
                   y);
  }
}

TEST(RowKernels, SoftmaxGradient) {
  for (int64_t length : lengths) {
    SCOPED_TRACE(length);
    Array dy = random({5, length}, 1), y = random({5, length}, 2),
          dx({5, length});
    for (int64_t row = 0; row < 5; ++row) {
      double sum = 0;
      for (int64_t i = 0; i < length; ++i) {
        y({row, i}) /= static_cast<double>(length);
        sum += dy({row, i}) * y({row, i});
      }
      for (int64_t i = 0; i < length; ++i)
        dx({row, i}) = (dy({row, i}) - sum) * y({row, i});
    }
    checkOnThreads(
        function("soap.softmax_grad", "axis = 1 : i64", {dy, y}, {dx}), {dy, y},
        dx);
  }
}

} // namespace
