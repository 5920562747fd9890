//===- BlockKernelTest.cpp - Kernels whose blocks fold together -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of batch norm over positions, on grids of threads of the host: the same
// bits on each grid, and what plain loops compute.
//
//===----------------------------------------------------------------------===//

#include "GpuThreads.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace soap::test;

namespace {

struct Grid {
  int64_t blocks, threads;
};
/// More blocks of threads than of iterations, and as many or fewer; a number of
/// threads that divides the iterations of a block, and one that does not.
const Grid grids[] = {{4, 16}, {2, 21}};

/// Stages that read no loops over lanes of a warp.
void checkOnThreads(const std::string &text, const std::vector<Array> &inputs,
                    const std::vector<Array> &expected) {
  for (const std::string &lowering :
       {std::string("soap-lower-to-cuda{until=launches}"),
        loweringOfLarge(/*untilLaunches=*/true)}) {
    SCOPED_TRACE(lowering);
    std::vector<Array> first;
    for (Grid grid : grids) {
      std::vector<Array> results = runOnThreads(text, "f64", lowering, inputs,
                                                grid.blocks, grid.threads);
      ASSERT_EQ(results.size(), expected.size());
      for (size_t r = 0; r < results.size(); ++r) {
        for (size_t i = 0; i < expected[r].values.size(); ++i)
          ASSERT_NEAR(results[r].values[i], expected[r].values[i],
                      1e-12 * std::max(1.0, std::fabs(expected[r].values[i])))
              << "result " << r << ", element " << i << ", " << grid.blocks
              << " blocks of " << grid.threads << " threads";
        if (!first.empty())
          ASSERT_EQ(results[r].values, first[r].values)
              << grid.blocks << " blocks of " << grid.threads << " threads";
      }
      first = results;
    }
  }
}

/// Positions by channels: two blocks of 32 channels and 27 rows, which threads
/// do not fold evenly, three of 16 channels and 64 rows, and one of 32 channels
/// and 28 rows, which seven of the eight threads of a channel fold evenly.
const std::vector<std::vector<int64_t>> shapes = {
    {216, 32}, {768, 16}, {196, 32}};

TEST(BlockKernels, Statistics) {
  for (const auto &shape : shapes) {
    Array x = random(shape, 1), stats({3, shape[1]});
    for (double &value : x.values)
      value += 100;
    x.forEach([&](std::vector<int64_t> i) {
      stats({0, i[1]}) += 1;
      stats({1, i[1]}) += x(i) / static_cast<double>(shape[0]);
    });
    x.forEach([&](std::vector<int64_t> i) {
      stats({2, i[1]}) += std::pow(x(i) - stats({1, i[1]}), 2);
    });
    checkOnThreads(function("soap.batch_norm_stats", "", {x}, {stats}), {x},
                   {stats});
  }
}

TEST(BlockKernels, SumsOfGradients) {
  constexpr double epsilon = 1e-3;
  for (const auto &shape : shapes) {
    Array dy = random(shape, 1), x = random(shape, 2), stats({3, shape[1]}),
          dgamma({shape[1]}), dbeta({shape[1]});
    for (int64_t c = 0; c < shape[1]; ++c) {
      stats({0, c}) = static_cast<double>(shape[0]);
      stats({1, c}) = 0.25;
      stats({2, c}) = 0.5 * static_cast<double>(shape[0]);
    }
    dy.forEach([&](std::vector<int64_t> i) {
      dbeta({i[1]}) += dy(i);
      dgamma({i[1]}) += dy(i) * (x(i) - 0.25) / std::sqrt(0.5 + epsilon);
    });
    checkOnThreads(function("soap.batch_norm_grad_reduce",
                            "epsilon = 1.0e-3 : f64", {dy, x, stats},
                            {dgamma, dbeta}),
                   {dy, x, stats}, {dgamma, dbeta});
  }
}

} // namespace
