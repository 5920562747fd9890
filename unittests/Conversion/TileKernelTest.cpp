//===- TileKernelTest.cpp - Ops that move elements against loops ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape ops, and what device programs do with tiles: fill, assemble, combine.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace soap::test;

namespace {

using Index = std::vector<int64_t>;

TEST(ShapeKernels, Reshape) {
  const std::pair<Index, Index> cases[] = {{{2, 3, 4}, {6, 4}},
                                           {{4, 6}, {3, 8}},
                                           {{1, 1}, {}},
                                           {{}, {1}},
                                           {{6}, {6}}};
  for (const auto &[from, to] : cases) {
    Array x = random(from, 1), y(to);
    y.values = x.values;
    check(function("soap.reshape", "", {x}, {y}), {x}, {y});
  }
}

TEST(ShapeKernels, Transpose) {
  Array x = random({2, 3, 4}, 2), y({4, 2, 3});
  y.forEach([&](Index i) { y(i) = x({i[1], i[2], i[0]}); });
  check(
      function("soap.transpose", "permutation = array<i64: 2, 0, 1>", {x}, {y}),
      {x}, {y});
}

/// Tiles of threads: the first dim of the result has several places, the row is
/// longer than a tile, and dims lie between both.
TEST(ShapeKernels, TransposeInTiles) {
  Array x = random({2, 3, 24, 8}, 2), y({8, 2, 3, 24}), z({2, 24, 8, 3}),
        w({2, 24, 3, 8});
  y.forEach([&](Index i) { y(i) = x({i[1], i[2], i[3], i[0]}); });
  z.forEach([&](Index i) { z(i) = x({i[0], i[3], i[1], i[2]}); });
  w.forEach([&](Index i) { w(i) = x({i[0], i[2], i[1], i[3]}); });
  for (const auto &[permutation, expected] :
       {std::pair("3, 0, 1, 2", y), {"0, 2, 3, 1", z}, {"0, 2, 1, 3", w}}) {
    std::vector<Array> results = run(
        function("soap.transpose",
                 "permutation = array<i64: " + std::string(permutation) + ">",
                 {x}, {expected}),
        "f64", loweringOfLarge(), {x});
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].values, expected.values) << permutation;
  }
}

TEST(ShapeKernels, Concat) {
  Array a = random({2, 3}, 3), b = random({2, 1}, 4), c = random({2, 4}, 5),
        y({2, 8});
  y.forEach([&](Index i) {
    y(i) = i[1] < 3 ? a(i) : i[1] < 4 ? b({i[0], 0}) : c({i[0], i[1] - 4});
  });
  check(function("soap.concat", "axis = 1 : i64", {a, b, c}, {y}), {a, b, c},
        {y});
}

TEST(ShapeKernels, Buckets) {
  Array a = random({2, 3}, 13), b = random({4}, 14), c = random({}, 15),
        bucket({11});
  bucket.forEach([&](Index i) {
    bucket(i) = i[0] < 6    ? a({i[0] / 3, i[0] % 3})
                : i[0] < 10 ? b({i[0] - 6})
                            : c({});
  });
  check(function("soap.bucket", "", {a, b, c}, {bucket}), {a, b, c}, {bucket});
  check(function("soap.unbucket", "", {bucket}, {a, b, c}), {bucket},
        {a, b, c});
}

TEST(ShapeKernels, Slice) {
  Array x = random({5, 9}, 6), y({2, 3});
  y.forEach([&](Index i) { y(i) = x({1 + 3 * i[0], 2 + 2 * i[1]}); });
  check(function("soap.slice",
                 "offsets = array<i64: 1, 2>, sizes = array<i64: 2, 3>, "
                 "strides = array<i64: 3, 2>",
                 {x}, {y}),
        {x}, {y});
}

TEST(ShapeKernels, Pad) {
  struct Case {
    Index low, interior, result;
  };
  const Case cases[] = {{{1, 2}, {0, 0}, {6, 8}},
                        {{0, 1}, {1, 2}, {7, 12}},
                        {{-1, -2}, {0, 1}, {4, 5}},
                        {{-3, 4}, {2, 0}, {9, 10}}};
  for (const Case &pad : cases) {
    Array x = random({4, 4}, 7), y(pad.result, -1.5);
    x.forEach([&](Index i) {
      Index at{pad.low[0] + i[0] * (pad.interior[0] + 1),
               pad.low[1] + i[1] * (pad.interior[1] + 1)};
      if (!std::isnan(y.get(at, NAN)))
        y(at) = x(i);
    });
    auto list = [](const Index &values) {
      return "array<i64: " + std::to_string(values[0]) + ", " +
             std::to_string(values[1]) + ">";
    };
    check(function("soap.pad",
                   "low = " + list(pad.low) + ", interior = " +
                       list(pad.interior) + ", value = -1.5 : f64",
                   {x}, {y}),
          {x}, {y});
  }
}

TEST(ShapeKernels, Constant) {
  Array y({2, 2});
  y.values = {1, 2, 3, 4};
  check("func.func @f() -> tensor<2x2xT> {\n  %0 = soap.constant dense<[[1.0, "
        "2.0], [3.0, 4.0]]> : tensor<2x2xT> : tensor<2x2xT>\n  return %0 : "
        "tensor<2x2xT>\n}",
        {}, {y});
}

TEST(TileKernels, Fill) {
  Array y({3, 2}, -2.5), infinite({}, -std::numeric_limits<double>::infinity());
  check("func.func @f() -> (tensor<3x2xT>, tensor<T>) {\n  %0 = soap.fill -2.5 "
        ": tensor<3x2xT>\n  %1 = soap.fill 0xFFF0000000000000 : tensor<T>\n  "
        "return %0, %1 : tensor<3x2xT>, tensor<T>\n}",
        {}, {y, infinite});
}

TEST(TileKernels, Assemble) {
  // Columns in pieces that do not line up: source 0:2, 4:5 to target 1:4; the
  // even columns of another tile, which are one run with a step.
  Array a = random({4, 6}, 8), b = random({2, 8}, 9), y({4, 4});
  y.forEach([&](Index i) {
    const int64_t fromA[] = {-1, 0, 1, 4};
    if (i[1] > 0)
      y(i) = a({i[0], fromA[i[1]]});
    else
      y(i) = b({i[0] % 2, 2 * (i[0] / 2)});
  });
  check(
      "func.func @f(%a: tensor<4x6xT>, %b: tensor<2x8xT>) -> tensor<4x4xT> {\n"
      "  %0 = soap.assemble %a, %b, %b {sources = [#soap.region<[0:4], [0:2, "
      "4:5]>, #soap.region<[0:2], [0:1]>, #soap.region<[0:2], [2:3]>], "
      "targets = [#soap.region<[0:4], [1:4]>, #soap.region<[0:2], [0:1]>, "
      "#soap.region<[2:4], [0:1]>]} : (tensor<4x6xT>, tensor<2x8xT>, "
      "tensor<2x8xT>) -> tensor<4x4xT>\n  return %0 : tensor<4x4xT>\n}",
      {a, b}, {y});
}

TEST(TileKernels, AssembleEquallySpacedRuns) {
  Array a = random({12}, 10), y({12});
  y.forEach([&](Index i) {
    // 0:2, 4:6, 8:10 hold the first half, 2:4, 6:8, 10:12 the second.
    int64_t block = i[0] / 4, rest = i[0] % 4;
    y(i) = a({block * 2 + rest % 2 + (rest < 2 ? 0 : 6)});
  });
  check("func.func @f(%a: tensor<12xT>) -> tensor<12xT> {\n"
        "  %0 = soap.assemble %a, %a {sources = [#soap.region<[0:6]>, "
        "#soap.region<[6:12]>], targets = [#soap.region<[0:2, 4:6, 8:10]>, "
        "#soap.region<[2:4, 6:8, 10:12]>]} : (tensor<12xT>, tensor<12xT>) -> "
        "tensor<12xT>\n  return %0 : tensor<12xT>\n}",
        {a}, {y});
}

TEST(TileKernels, CombineElementwise) {
  struct Case {
    const char *name;
    double (*fold)(double, double);
  };
  const Case cases[] = {
      {"sum", [](double a, double b) { return a + b; }},
      {"max", [](double a, double b) { return std::max(a, b); }},
      {"min", [](double a, double b) { return std::min(a, b); }}};
  for (const Case &combiner : cases) {
    Array a = integers({2, 3}, 11), b = integers({4, 3}, 12),
          c = integers({2, 5}, 13), y({2, 3}), z({2, 3});
    y.forEach([&](Index i) {
      const int64_t columns[] = {0, 1, 4};
      y(i) = combiner.fold(combiner.fold(a(i), b({i[0] + 1, i[1]})),
                           c({i[0], columns[i[1]]}));
      z(i) = combiner.fold(a(i), a(i));
    });
    check(std::string("func.func @f(%a: tensor<2x3xT>, %b: tensor<4x3xT>, %c: "
                      "tensor<2x5xT>) -> (tensor<2x3xT>, tensor<2x3xT>) {\n  "
                      "%0 = soap.combine ") +
              combiner.name +
              " %a, %b, %c {sources = [#soap.region<[0:2], [0:3]>, "
              "#soap.region<[1:3], [0:3]>, #soap.region<[0:2], [0:2, 4:5]>]} : "
              "(tensor<2x3xT>, tensor<4x3xT>, tensor<2x5xT>) -> "
              "tensor<2x3xT>\n  %1 = soap.combine " +
              combiner.name +
              " %a, %a {sources = [#soap.region<[0:2], [0:3]>, "
              "#soap.region<[0:2], [0:3]>]} : (tensor<2x3xT>, tensor<2x3xT>) "
              "-> tensor<2x3xT>\n  return %0, %1 : tensor<2x3xT>, "
              "tensor<2x3xT>\n}",
          {a, b, c}, {y, z});
  }
}

/// 256 + 1 is 256 in bf16, so additions that round one by one give 256.
TEST(TileKernels, CombineRoundsOnce) {
  Array a({2, 2}), b({2, 2}), c({2, 3}), y({2, 2});
  a.values.assign(4, 256);
  b.values.assign(4, 1);
  c.values.assign(6, 1);
  y.values.assign(4, 258);
  for (const char *columns : {"[1:3]", "[0:1, 2:3]"})
    check(std::string(
              "func.func @f(%a: tensor<2x2xT>, %b: tensor<2x2xT>, %c: "
              "tensor<2x3xT>) -> tensor<2x2xT> {\n"
              "  %0 = soap.cast %a : (tensor<2x2xT>) -> tensor<2x2xbf16>\n"
              "  %1 = soap.cast %b : (tensor<2x2xT>) -> tensor<2x2xbf16>\n"
              "  %2 = soap.cast %c : (tensor<2x3xT>) -> tensor<2x3xbf16>\n"
              "  %3 = soap.combine sum %0, %1, %2 {sources = "
              "[#soap.region<[0:2], [0:2]>, #soap.region<[0:2], [0:2]>, "
              "#soap.region<[0:2], ") +
              columns +
              ">]} : (tensor<2x2xbf16>, tensor<2x2xbf16>, tensor<2x3xbf16>) -> "
              "tensor<2x2xbf16>\n"
              "  %4 = soap.cast %3 : (tensor<2x2xbf16>) -> tensor<2x2xT>\n"
              "  return %4 : tensor<2x2xT>\n}",
          {a, b, c}, {y}, {"f32"});
}

std::string combineStatistics(const char *combiner) {
  return std::string("func.func @f(%a: tensor<3x2xT>, %b: tensor<3x3xT>) -> "
                     "tensor<3x2xT> {\n  %0 = soap.combine ") +
         combiner +
         " %a, %b {sources = [#soap.region<[0:3], [0:2]>, #soap.region<[0:3], "
         "[1:3]>]} : (tensor<3x2xT>, tensor<3x3xT>) -> tensor<3x2xT>\n  return "
         "%0 : tensor<3x2xT>\n}";
}

TEST(TileKernels, CombineMoments) {
  // Channel 0: samples 1, 2, 6 and 5; channel 1: two empty sets.
  Array a({3, 2}), b({3, 3}), y({3, 2});
  a.values = {3, 0, 3, 0, 14, 0};
  b.values = {9, 1, 0, 9, 5, 0, 9, 0, 0};
  y.values = {4, 0, 3.5, 0, 17, 0};
  check(combineStatistics("moments"), {a, b}, {y});
}

TEST(TileKernels, CombineSoftmax) {
  double infinity = std::numeric_limits<double>::infinity();
  // Row 0: maxima 1 and 3; row 1: classes that are all -inf, twice.
  Array a({3, 2}), b({3, 3}), y({3, 2});
  a.values = {1, -infinity, 2, 1, 0.5, 0};
  b.values = {9, 3, -infinity, 9, 1.5, 2, 9, 0, 0.25};
  y.values = {3, -infinity, 2 * std::exp(-2.0) + 1.5, 3, 0.5, 0.25};
  check(combineStatistics("softmax"), {a, b}, {y});
}

TEST(TileKernels, CombineSoftmaxWithOneSideEmpty) {
  double infinity = std::numeric_limits<double>::infinity();
  Array a({3, 2}), b({3, 3}), y({3, 2});
  a.values = {-infinity, 2, 1, 1.25, 0, 2};
  b.values = {9, 4, -infinity, 9, 1.5, 3, 9, 4, 0};
  y.values = {4, 2, 1.5, 1.25, 4, 2};
  check(combineStatistics("softmax"), {a, b}, {y});
}

} // namespace
