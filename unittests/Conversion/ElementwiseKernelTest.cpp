//===- ElementwiseKernelTest.cpp - Elementwise ops against plain loops ----===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every op of the family, broadcasting, bias, updates, and fused chains.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace soap::test;

namespace {

using Function = double (*)(double, double);

Array apply(Function f, const Array &x, const Array &y) {
  Array z(x.shape);
  for (size_t i = 0; i < z.values.size(); ++i)
    z.values[i] = f(x.values[i], y.values[i]);
  return z;
}

/// Positive where the function wants it; with zeros where it has a corner.
Array sample(std::vector<int64_t> shape, unsigned seed, bool positive) {
  Array x = random(std::move(shape), seed);
  for (double &value : x.values)
    if (positive)
      value = std::fabs(value) + 0.25;
  if (!positive)
    x.values[1] = 0;
  return x;
}

struct Unary {
  const char *op;
  Function f;
  bool positive = false;
};

/// One shape of an op is enough for GPUs: a compilation is long.
void checkOnCpu(const std::string &text, const std::vector<Array> &inputs,
                const std::vector<Array> &expected) {
  check(text, inputs, expected);
}

TEST(ElementwiseKernels, Unary) {
  const Unary ops[] = {
      {"soap.relu", [](double x, double) { return std::max(x, 0.0); }},
      {"soap.neg", [](double x, double) { return -x; }},
      {"soap.abs", [](double x, double) { return std::fabs(x); }},
      {"soap.exp", [](double x, double) { return std::exp(x); }},
      {"soap.log", [](double x, double) { return std::log(x); }, true},
      {"soap.sqrt", [](double x, double) { return std::sqrt(x); }, true},
      {"soap.tanh", [](double x, double) { return std::tanh(x); }},
      {"soap.sigmoid", [](double x, double) { return 1 / (1 + std::exp(-x)); }},
      {"soap.sign", [](double x, double) { return double((x > 0) - (x < 0)); }},
  };
  for (const Unary &op : ops)
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{3, 5}, {2, 1, 37}}) {
      Array x = sample(shape, 1, op.positive), y = apply(op.f, x, x);
      auto checkOp = shape.size() == 2 ? checkEverywhere : checkOnCpu;
      checkOp(function(op.op, "", {x}, {y}), {x}, {y});
    }
}

/// Within a few roundings of the C library's function, relative to each result:
/// also where results are tiny, and at and beyond the ends.
TEST(ElementwiseKernels, ExactFunctions) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  struct Exact {
    const char *op;
    Function f;
    std::vector<double> points;
  };
  const std::vector<double> all = {
      0, -0.0,  1e-30, -1e-30, 1e-8,  -1e-6, 1e-3,  -0.25, 0.5,  1,  -1,
      3, -17.5, 40,    1e4,    -1e10, 1e20,  -3e38, inf,   -inf, nan};
  const std::vector<double> inside = {0,     -0.0,  1e-30, -1e-30, 1e-8, -1e-6,
                                      1e-3,  -0.25, 0.5,   0.9999, -1,   1,
                                      -0.75, 1.5,   -2,    inf,    nan};
  const std::vector<double> powers = {0,   -0.0, 1e-30, -1e-30, 1e-8, -1e-6,
                                      0.5, -1,   1,     -17.5,  -60,  40,
                                      80,  inf,  -inf,  nan};
  const Exact ops[] = {
      {"soap.log1p",
       [](double x, double) { return std::log1p(x); },
       {0, -0.0, 1e-30, -1e-30, 1e-8, -1e-6, -0.5, 1, 1e4, 1e20, 3e38, -1, -2,
        inf, nan}},
      {"soap.expm1", [](double x, double) { return std::expm1(x); }, powers},
      {"soap.softplus",
       [](double x, double) {
         return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
       },
       powers},
      {"soap.asin", [](double x, double) { return std::asin(x); }, inside},
      {"soap.acos", [](double x, double) { return std::acos(x); }, inside},
      {"soap.atan", [](double x, double) { return std::atan(x); }, all},
      {"soap.asinh", [](double x, double) { return std::asinh(x); }, all},
      {"soap.acosh",
       [](double x, double) { return std::acosh(x); },
       {1, 1.0001, 1.5, 3, 100, 1e9, 2e10, 1e20, 3e38, inf, 0.5, 0, -1, -3,
        -1e8, -1e30, -inf, nan}},
      {"soap.atanh", [](double x, double) { return std::atanh(x); }, inside},
      {"soap.stop_gradient", [](double x, double) { return x; }, all},
  };
  for (const char *lowering :
       {"soap-lower-to-cpu{library=none fuse=false}",
        "soap-lower-to-cuda{format=isa library-norms=false}"})
    for (const char *type : {"f32", "f64"})
      for (const Exact &op : ops) {
        SCOPED_TRACE(std::string(op.op) + " " + type + " " + lowering);
        bool isNarrow = std::string(type) == "f32";
        Array x({static_cast<int64_t>(op.points.size())});
        x.values = op.points;
        if (isNarrow)
          for (double &value : x.values)
            value = static_cast<float>(value);
        std::vector<Array> y =
            run(function(op.op, "", {x}, {x}), type, lowering, {x});
        ASSERT_EQ(y.size(), 1U);
        for (size_t i = 0; i < x.values.size(); ++i) {
          double got = y[0].values[i], want = op.f(x.values[i], 0);
          if (got == want || (std::isnan(got) && std::isnan(want)))
            continue;
          EXPECT_LE(std::fabs(got - want),
                    std::fabs(want) * (isNarrow ? 1e-6 : 1e-14))
              << "of " << x.values[i] << ": " << got << ", expected " << want;
        }
      }
}

TEST(ElementwiseKernels, Scale) {
  Array x = random({4, 9}, 2), y = x;
  for (double &value : y.values)
    value *= -2.5;
  checkEverywhere(function("soap.scale", "factor = -2.5 : f64", {x}, {y}), {x},
                  {y});
}

TEST(ElementwiseKernels, Gradients) {
  const Unary ops[] = {
      {"soap.relu_grad", [](double dy, double y) { return y > 0 ? dy : 0; }},
      {"soap.tanh_grad", [](double dy, double y) { return dy * (1 - y * y); }},
      {"soap.sigmoid_grad",
       [](double dy, double y) { return dy * y * (1 - y); }},
      {"soap.sqrt_grad", [](double dy, double y) { return dy / (2 * y); },
       true},
  };
  for (const Unary &op : ops) {
    Array dy = random({3, 7}, 3), y = sample({3, 7}, 4, op.positive),
          dx = apply(op.f, dy, y);
    checkEverywhere(function(op.op, "", {dy, y}, {dx}), {dy, y}, {dx});
  }
}

/// Aligned at the last dim; extents of 1 repeat.
double broadcastAt(const Array &x, const std::vector<int64_t> &index) {
  std::vector<int64_t> own(index.end() - x.shape.size(), index.end());
  for (size_t d = 0; d < own.size(); ++d)
    if (x.shape[d] == 1)
      own[d] = 0;
  return x(own);
}

TEST(ElementwiseKernels, BinaryWithBroadcasting) {
  const Unary ops[] = {
      {"soap.add", [](double x, double y) { return x + y; }},
      {"soap.sub", [](double x, double y) { return x - y; }},
      {"soap.mul", [](double x, double y) { return x * y; }},
      {"soap.div", [](double x, double y) { return x / y; }, true},
      {"soap.maximum", [](double x, double y) { return std::max(x, y); }},
      {"soap.minimum", [](double x, double y) { return std::min(x, y); }},
      {"soap.greater_equal", [](double x, double y) { return double(x >= y); }},
      {"soap.equal", [](double x, double y) { return double(x == y); }},
  };
  using Shape = std::vector<int64_t>;
  const std::pair<Shape, Shape> shapes[] = {{{2, 3, 4, 5}, {2, 3, 4, 5}},
                                            {{2, 3, 4, 5}, {3, 1, 1}},
                                            {{4, 1}, {1, 5}},
                                            {{3}, {2, 3}},
                                            {{2, 1, 4}, {1, 3, 1}},
                                            {{}, {2, 2}}};
  for (const Unary &op : ops)
    for (const auto &[left, right] : shapes) {
      Array x = integers(left, 5), y = integers(right, 6);
      if (op.positive)
        for (double &value : y.values)
          value = std::fabs(value) + 1;
      Shape result(std::max(left.size(), right.size()), 1);
      for (const Shape &shape : {left, right})
        for (size_t d = 0; d < shape.size(); ++d) {
          int64_t &extent = result[result.size() - shape.size() + d];
          extent = std::max(extent, shape[d]);
        }
      Array z(result);
      z.forEach([&](std::vector<int64_t> i) {
        z(i) = op.f(broadcastAt(x, i), broadcastAt(y, i));
      });
      auto checkOp = left.size() == right.size() && left != right
                         ? checkEverywhere
                         : checkOnCpu;
      checkOp(function(op.op, "", {x, y}, {z}), {x, y}, {z});
    }
}

TEST(ElementwiseKernels, MaximumPropagatesNaN) {
  Array x({3}), y({3}), z({3});
  double nan = std::nan("");
  x.values = {nan, 1, -1};
  y.values = {0, nan, 2};
  z.values = {nan, nan, 2};
  checkEverywhere(function("soap.maximum", "", {x, y}, {z}), {x, y}, {z});
  Array relu({3});
  relu.values = {nan, 1, 0};
  checkEverywhere(function("soap.relu", "", {x}, {relu}), {x}, {relu});
}

TEST(ElementwiseKernels, Bias) {
  for (int64_t axis : {0, 1, 3}) {
    Array x = random({2, 3, 4, 5}, 7), b = random({x.dim(axis)}, 8), y(x.shape);
    y.forEach([&](std::vector<int64_t> i) { y(i) = x(i) + b({i[axis]}); });
    checkEverywhere(function("soap.bias_add",
                             "axis = " + std::to_string(axis) + " : i64",
                             {x, b}, {y}),
                    {x, b}, {y});
  }
}

TEST(ElementwiseKernels, Accumulate) {
  Array a = integers({3, 4}, 9), b = integers({3, 4}, 10),
        c = integers({3, 4}, 11), sum(a.shape);
  for (size_t i = 0; i < sum.values.size(); ++i)
    sum.values[i] = a.values[i] + b.values[i] + c.values[i];
  checkEverywhere(function("soap.accumulate", "", {a, b, c}, {sum}), {a, b, c},
                  {sum});
}

TEST(ElementwiseKernels, SgdWithMomentum) {
  Array w = random({5, 7}, 12), g = random({5, 7}, 13), v = random({5, 7}, 14),
        w2(w.shape), v2(w.shape);
  for (size_t i = 0; i < w.values.size(); ++i) {
    v2.values[i] = 0.9 * v.values[i] + (g.values[i] + 0.01 * w.values[i]);
    w2.values[i] = w.values[i] - 0.1 * v2.values[i];
  }
  std::string t = tensor(w.shape);
  checkEverywhere(
      "func.func @f(%w: " + t + ", %g: " + t + ", %v: " + t + ") -> (" + t +
          " {soap.updates = 0 : i64}, " + t +
          " {soap.updates = 2 : i64}) {\n"
          "  %w2, %v2 = soap.sgd %w, %g, %v {learning_rate = 0.1 : f64, "
          "momentum = 0.9 : f64, weight_decay = 0.01 : f64} : (" +
          t + ", " + t + ", " + t + ") -> (" + t + ", " + t +
          ")\n  return %w2, %v2 : " + t + ", " + t + "\n}",
      {w, g, v}, {w2, v2});
}

TEST(ElementwiseKernels, SgdWithoutMomentum) {
  Array w = random({6}, 15), g = random({6}, 16), w2({6});
  for (size_t i = 0; i < 6; ++i)
    w2.values[i] = w.values[i] - 0.5 * g.values[i];
  checkEverywhere(function("soap.sgd",
                           "learning_rate = 0.5 : f64, momentum = 0.0 : f64, "
                           "weight_decay = 0.0 : f64",
                           {w, g}, {w2}),
                  {w, g}, {w2});
}

TEST(ElementwiseKernels, FusedChainReadsEachOperandWhereItIs) {
  Array x = random({2, 3, 4, 4}, 17), b = random({3}, 18),
        r = random({4, 1}, 19), y(x.shape);
  y.forEach([&](std::vector<int64_t> i) {
    double biased = x(i) + b({i[1]});
    y(i) = std::max(biased * x(i), 0.0) + r({i[2], 0});
  });
  std::string t = tensor(x.shape);
  checkEverywhere(
      "func.func @f(%x: " + t + ", %b: tensor<3xT>, %r: tensor<4x1xT>) -> " +
          t + " {\n  %0 = soap.bias_add %x, %b {axis = 1 : i64} : (" + t +
          ", tensor<3xT>) -> " + t + "\n  %1 = soap.mul %0, %x : (" + t + ", " +
          t + ") -> " + t + "\n  %2 = soap.relu %1 : (" + t + ") -> " + t +
          "\n  %3 = soap.add %2, %r : (" + t + ", tensor<4x1xT>) -> " + t +
          "\n  return %3 : " + t + "\n}",
      {x, b, r}, {y});
}

TEST(ElementwiseKernels, NarrowFloatsComputeInF32) {
  Array x = integers({4, 8}, 20), y = integers({4, 8}, 21), z(x.shape);
  for (size_t i = 0; i < z.values.size(); ++i)
    z.values[i] = x.values[i] * y.values[i];
  check(narrowFunction("soap.mul", "", {x, y}, z), {x, y}, {z},
        {"f16", "bf16"});
}

} // namespace
