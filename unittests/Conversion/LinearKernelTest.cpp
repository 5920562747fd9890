//===- LinearKernelTest.cpp - Linear ops against plain loops --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolution with its gradients over strides, dilations, groups and negative
// padding; matmul; reductions.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace soap::test;

namespace {

struct Conv {
  std::vector<int64_t> x, w, strides, padding, dilations;
  int64_t groups;

  int64_t extent(int i) const {
    return (x[2 + i] + padding[i] + padding[i + 2] -
            (w[2 + i] - 1) * dilations[i] - 1) /
               strides[i] +
           1;
  }
  std::vector<int64_t> result() const {
    return {x[0], w[0], extent(0), extent(1)};
  }
  std::string attributes() const {
    auto list = [](const std::vector<int64_t> &values) {
      std::string text = "array<i64: ";
      for (size_t i = 0; i < values.size(); ++i)
        text += (i ? ", " : "") + std::to_string(values[i]);
      return text + ">";
    };
    return "strides = " + list(strides) + ", padding = " + list(padding) +
           ", dilations = " + list(dilations) +
           ", groups = " + std::to_string(groups) + " : i64";
  }

  /// Calls `body(x index, w index, y index)` for every product.
  template <typename Body>
  void forEach(Body body) const {
    int64_t outputs = w[0] / groups;
    Array y(result()), kernel(w);
    y.forEach([&](std::vector<int64_t> out) {
      Array window({w[1], w[2], w[3]});
      window.forEach([&](std::vector<int64_t> k) {
        int64_t group = out[1] / outputs;
        body(
            std::vector<int64_t>{
                out[0], group * w[1] + k[0],
                out[2] * strides[0] + k[1] * dilations[0] - padding[0],
                out[3] * strides[1] + k[2] * dilations[1] - padding[1]},
            std::vector<int64_t>{out[1], k[0], k[1], k[2]}, out);
      });
    });
  }
};

const Conv convs[] = {
    {{2, 3, 5, 6}, {4, 3, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 1},
    {{1, 4, 7, 8}, {6, 2, 3, 2}, {2, 3}, {2, 0, 1, 1}, {1, 1}, 2},
    {{2, 2, 9, 9}, {2, 1, 3, 3}, {1, 2}, {0, 1, 2, 0}, {2, 3}, 2},
    {{1, 1, 8, 8}, {1, 1, 3, 3}, {1, 1}, {-2, 1, -1, -3}, {1, 1}, 1},
    {{1, 1, 4, 4}, {2, 1, 1, 1}, {2, 2}, {0, 0, 0, 0}, {1, 1}, 1},
    {{1, 1, 1, 1}, {1, 1, 5, 5}, {1, 1}, {4, 4, 4, 4}, {1, 1}, 1},
};

TEST(LinearKernels, Convolution) {
  for (const Conv &conv : convs) {
    Array x = integers(conv.x, 1), w = integers(conv.w, 2), y(conv.result());
    conv.forEach(
        [&](auto xi, auto wi, auto yi) { y(yi) += x.get(xi, 0) * w(wi); });
    check(function("soap.conv2d", conv.attributes(), {x, w}, {y}), {x, w}, {y});
  }
}

TEST(LinearKernels, ConvolutionInputGradient) {
  for (const Conv &conv : convs) {
    Array dy = integers(conv.result(), 3), w = integers(conv.w, 4), dx(conv.x);
    conv.forEach([&](auto xi, auto wi, auto yi) {
      if (dx.get(xi, NAN) == dx.get(xi, NAN))
        dx(xi) += dy(yi) * w(wi);
    });
    check(function("soap.conv2d_input_grad", conv.attributes(), {dy, w}, {dx}),
          {dy, w}, {dx});
  }
}

TEST(LinearKernels, ConvolutionWeightGradient) {
  for (const Conv &conv : convs) {
    Array x = integers(conv.x, 5), dy = integers(conv.result(), 6), dw(conv.w);
    conv.forEach(
        [&](auto xi, auto wi, auto yi) { dw(wi) += x.get(xi, 0) * dy(yi); });
    check(function("soap.conv2d_weight_grad", conv.attributes(), {x, dy}, {dw}),
          {x, dy}, {dw});
  }
}

TEST(LinearKernels, Matmul) {
  for (bool ta : {false, true})
    for (bool tb : {false, true})
      for (int shared : {0, 1, 2}) { // of the two batch dims, the last ones
        int64_t m = 3, n = 4, k = 5;
        std::vector<int64_t> as = ta ? std::vector<int64_t>{2, 2, k, m}
                                     : std::vector<int64_t>{2, 2, m, k};
        std::vector<int64_t> bs =
            tb ? std::vector<int64_t>{n, k} : std::vector<int64_t>{k, n};
        bs.insert(bs.begin(), 2 - shared, 2);
        Array a = integers(as, 7), b = integers(bs, 8), y({2, 2, m, n});
        y.forEach([&](std::vector<int64_t> i) {
          for (int64_t j = 0; j < k; ++j) {
            std::vector<int64_t> ai{i[0], i[1], ta ? j : i[2], ta ? i[2] : j};
            std::vector<int64_t> bi{i[0], i[1], tb ? i[3] : j, tb ? j : i[3]};
            bi.erase(bi.begin() + 2 - shared, bi.begin() + 2);
            y(i) += a(ai) * b(bi);
          }
        });
        std::string attributes = ta ? "transpose_a" : "";
        if (tb)
          attributes += ta ? ", transpose_b" : "transpose_b";
        check(function("soap.matmul", attributes, {a, b}, {y}), {a, b}, {y},
              {"f32", "f64"});
        check(narrowFunction("soap.matmul", attributes, {a, b}, y), {a, b}, {y},
              {"bf16"});
      }
}

TEST(LinearKernels, Reduce) {
  struct Case {
    const char *kind;
    double init;
    double (*fold)(double, double);
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Case cases[] = {
      {"sum", 0, [](double a, double b) { return a + b; }},
      {"max", -infinity, [](double a, double b) { return std::max(a, b); }},
      {"min", infinity, [](double a, double b) { return std::min(a, b); }}};
  const std::vector<std::vector<int64_t>> axesOf = {{0},       {2}, {0, 2},
                                                    {0, 1, 2}, {1}, {}};
  for (const Case &kind : cases)
    for (const std::vector<int64_t> &axes : axesOf) {
      Array x = integers({3, 4, 5}, 9);
      auto kept = [&](const std::vector<int64_t> &index) {
        std::vector<int64_t> result;
        for (int64_t d = 0; d < 3; ++d)
          if (std::find(axes.begin(), axes.end(), d) == axes.end())
            result.push_back(index[d]);
        return result;
      };
      Array y(kept(x.shape), kind.init);
      x.forEach([&](std::vector<int64_t> i) {
        y(kept(i)) = kind.fold(y(kept(i)), x(i));
      });
      std::string list = "axes = array<i64";
      for (size_t i = 0; i < axes.size(); ++i)
        list += (i ? ", " : ": ") + std::to_string(axes[i]);
      check(function(std::string("soap.reduce ") + kind.kind, list + ">", {x},
                     {y}),
            {x}, {y});
    }
}

TEST(LinearKernels, Broadcast) {
  Array x = random({3, 4}, 10), y({2, 3, 5, 4});
  y.forEach([&](std::vector<int64_t> i) { y(i) = x({i[1], i[3]}); });
  check(function("soap.broadcast", "axes = array<i64: 0, 2>", {x}, {y}), {x},
        {y});
}

} // namespace
