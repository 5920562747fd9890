//===- PoolingKernelTest.cpp - Pooling against plain loops ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows with strides, dilations and padding, also negative; gradients on
// whole images and on tiles of them; counts of averages.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <optional>

using namespace soap::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Pool {
  std::vector<int64_t> x, kernel, strides, padding, dilations;

  int64_t extent(int i) const {
    return (x[2 + i] + padding[i] + padding[i + 2] -
            (kernel[i] - 1) * dilations[i] - 1) /
               strides[i] +
           1;
  }
  std::vector<int64_t> result() const {
    return {x[0], x[1], extent(0), extent(1)};
  }
  /// Element (i, j) of the window of `out`.
  std::vector<int64_t> at(const std::vector<int64_t> &out, int64_t i,
                          int64_t j) const {
    return {out[0], out[1], out[2] * strides[0] + i * dilations[0] - padding[0],
            out[3] * strides[1] + j * dilations[1] - padding[1]};
  }
  static std::string list(const char *name,
                          const std::vector<int64_t> &values) {
    std::string text = std::string(name) + " = array<i64: ";
    for (size_t i = 0; i < values.size(); ++i)
      text += (i ? ", " : "") + std::to_string(values[i]);
    return text + ">";
  }
  std::string attributes() const {
    return list("kernel", kernel) + ", " + list("strides", strides) + ", " +
           list("padding", padding) + ", " + list("dilations", dilations);
  }
};

const Pool pools[] = {
    {{2, 3, 6, 6}, {2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}},
    {{1, 2, 7, 5}, {3, 2}, {2, 1}, {1, 1, 1, 0}, {1, 1}},
    {{1, 1, 9, 9}, {3, 3}, {1, 2}, {1, 2, 2, 1}, {2, 1}},
    {{1, 1, 6, 6}, {2, 3}, {1, 1}, {-1, 1, 0, -2}, {1, 1}},
};

Array maxPool(const Pool &pool, const Array &x) {
  Array y(pool.result(), -infinity);
  y.forEach([&](std::vector<int64_t> out) {
    for (int64_t i = 0; i < pool.kernel[0]; ++i)
      for (int64_t j = 0; j < pool.kernel[1]; ++j)
        y(out) = std::max(y(out), x.get(pool.at(out, i, j), -infinity));
  });
  return y;
}

TEST(PoolingKernels, MaxPool) {
  for (const Pool &pool : pools) {
    Array x = integers(pool.x, 1), y = maxPool(pool, x);
    checkEverywhere(function("soap.max_pool2d", pool.attributes(), {x}, {y}),
                    {x}, {y});
  }
}

/// dx of the tile of `shape` that begins at `offset` in the tile of x.
Array maxPoolGrad(const Pool &pool, const Array &dy, const Array &x,
                  const Array &y, std::vector<int64_t> shape,
                  std::vector<int64_t> offset) {
  Array dx(std::move(shape));
  dy.forEach([&](std::vector<int64_t> out) {
    for (int64_t i = 0; i < pool.kernel[0]; ++i)
      for (int64_t j = 0; j < pool.kernel[1]; ++j) {
        std::vector<int64_t> at = pool.at(out, i, j);
        if (x.get(at, NAN) != y(out))
          continue;
        at[2] -= offset[0];
        at[3] -= offset[1];
        if (!std::isnan(dx.get(at, NAN)))
          dx(at) += dy(out);
        return;
      }
  });
  return dx;
}

TEST(PoolingKernels, MaxPoolGradient) {
  for (const Pool &pool : pools) {
    // Few different numbers: windows with several maxima.
    Array x = integers(pool.x, 2), y = maxPool(pool, x),
          dy = integers(y.shape, 3),
          dx = maxPoolGrad(pool, dy, x, y, pool.x, {0, 0});
    checkEverywhere(
        function("soap.max_pool2d_grad", pool.attributes(), {dy, x, y}, {dx}),
        {dy, x, y}, {dx});
  }
}

TEST(PoolingKernels, MaxPoolGradientOfATile) {
  const Pool &pool = pools[0];
  Array x = integers(pool.x, 4), y = maxPool(pool, x),
        dy = integers(y.shape, 5);
  for (std::vector<int64_t> offset :
       {std::vector<int64_t>{2, 1}, std::vector<int64_t>{-1, 0}}) {
    Array dx = maxPoolGrad(pool, dy, x, y, {2, 3, 3, 4}, offset);
    checkEverywhere(
        function("soap.max_pool2d_grad",
                 pool.attributes() + ", " + Pool::list("x_offset", offset),
                 {dy, x, y}, {dx}),
        {dy, x, y}, {dx});
  }
}

struct Counted {
  const char *attributes;
  std::optional<std::vector<int64_t>> low, size; ///< none: the image itself
  bool padded = false;

  double count(const Pool &pool, const std::vector<int64_t> &out) const {
    double result = 0;
    for (int64_t i = 0; i < pool.kernel[0]; ++i)
      for (int64_t j = 0; j < pool.kernel[1]; ++j) {
        std::vector<int64_t> at = pool.at(out, i, j);
        bool inside = true;
        for (int d = 0; d < 2; ++d) {
          int64_t from = low ? (*low)[d] : padded ? -pool.padding[d] : 0;
          int64_t to = size     ? from + (*size)[d]
                       : padded ? pool.x[2 + d] + pool.padding[d + 2]
                                : pool.x[2 + d];
          inside &= at[2 + d] >= from && at[2 + d] < to;
        }
        result += inside;
      }
    return std::max(result, 1.0);
  }
};

const Counted counts[] = {{"", {}, {}}, {", count_include_pad", {}, {}, true}};

Array avgPool(const Pool &pool, const Counted &counted, const Array &x) {
  Array y(pool.result());
  y.forEach([&](std::vector<int64_t> out) {
    for (int64_t i = 0; i < pool.kernel[0]; ++i)
      for (int64_t j = 0; j < pool.kernel[1]; ++j)
        y(out) += x.get(pool.at(out, i, j), 0);
    y(out) /= counted.count(pool, out);
  });
  return y;
}

TEST(PoolingKernels, AveragePool) {
  for (const Pool &pool : pools)
    for (const Counted &counted : counts) {
      Array x = integers(pool.x, 6), y = avgPool(pool, counted, x);
      checkEverywhere(function("soap.avg_pool2d",
                               pool.attributes() + counted.attributes, {x},
                               {y}),
                      {x}, {y});
    }
}

Array avgPoolGrad(const Pool &pool, const Counted &counted, const Array &dy) {
  Array dx(pool.x);
  dy.forEach([&](std::vector<int64_t> out) {
    for (int64_t i = 0; i < pool.kernel[0]; ++i)
      for (int64_t j = 0; j < pool.kernel[1]; ++j) {
        std::vector<int64_t> at = pool.at(out, i, j);
        if (!std::isnan(dx.get(at, NAN)))
          dx(at) += dy(out) / counted.count(pool, out);
      }
  });
  return dx;
}

TEST(PoolingKernels, AveragePoolGradient) {
  for (const Pool &pool : pools)
    for (const Counted &counted : counts) {
      Array dy = integers(pool.result(), 7),
            dx = avgPoolGrad(pool, counted, dy);
      checkEverywhere(function("soap.avg_pool2d_grad",
                               pool.attributes() + counted.attributes, {dy},
                               {dx}),
                      {dy}, {dx});
    }
}

/// Channels last, four of them in an iteration: what GPUs get of large images.
/// Cells of windows and of elements that are whole and that are not.
void checkChannelsLast(const char *op, const std::string &attributes,
                       const std::vector<Array> &inputs,
                       const Array &expected) {
  std::string layouts = ", soap.layouts = [#soap.layout<nhwc>";
  for (size_t i = 0; i < inputs.size(); ++i)
    layouts += ", #soap.layout<nhwc>";
  SCOPED_TRACE(op);
  std::vector<Array> results =
      run(function(op, attributes + layouts + "]", inputs, {expected}), "f64",
          loweringOfLarge(), inputs);
  ASSERT_EQ(results.size(), 1u);
  for (size_t i = 0; i < expected.values.size(); ++i)
    ASSERT_NEAR(results[0].values[i], expected.values[i],
                1e-12 * std::max(1.0, std::fabs(expected.values[i])))
        << "element " << i << " of " << attributes;
}

TEST(PoolingKernels, ChannelsLastInFours) {
  const Pool large[] = {
      {{1, 8, 7, 6}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
      {{2, 4, 6, 5}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {{1, 4, 6, 4}, {2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}},
      {{1, 4, 8, 7}, {2, 3}, {3, 1}, {-1, 1, 0, -2}, {1, 1}},
  };
  for (const Pool &pool : large) {
    Array x = integers(pool.x, 8), y = maxPool(pool, x),
          dy = integers(y.shape, 9);
    checkChannelsLast("soap.max_pool2d", pool.attributes(), {x}, y);
    checkChannelsLast("soap.max_pool2d_grad", pool.attributes(), {dy, x, y},
                      maxPoolGrad(pool, dy, x, y, pool.x, {0, 0}));
    checkChannelsLast(
        "soap.max_pool2d_grad",
        pool.attributes() + ", x_offset = array<i64: 1, -1>", {dy, x, y},
        maxPoolGrad(pool, dy, x, y, {pool.x[0], pool.x[1], 3, 4}, {1, -1}));
    for (const Counted &counted : counts) {
      std::string attributes = pool.attributes() + counted.attributes;
      checkChannelsLast("soap.avg_pool2d", attributes, {x},
                        avgPool(pool, counted, x));
      checkChannelsLast("soap.avg_pool2d_grad", attributes, {dy},
                        avgPoolGrad(pool, counted, dy));
    }
  }
}

} // namespace
