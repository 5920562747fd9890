//===- SequenceKernelTest.cpp - Ops of sequence models against loops ------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax, norms along rows, gather, LSTM, dropout, casts and Adam by their
// definitions.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gtest/gtest.h"

#include <cmath>
#include <set>

using namespace soap::test;

namespace {

using Index = std::vector<int64_t>;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

Array mapped(const Array &x, const std::function<double(double)> &f) {
  Array y = x;
  for (double &value : y.values)
    value = f(value);
  return y;
}

Array positive(Index shape, unsigned seed) {
  return mapped(random(std::move(shape), seed),
                [](double x) { return 1.5 + x / 2; });
}

//===--- elementwise ------------------------------------------------------===//

TEST(SequenceKernels, Unary) {
  Array x = random({3, 17}, 1), p = positive({3, 17}, 2);
  // Angles of positions, as rotary embeddings have them.
  Array large = mapped(p, [](double v) { return std::floor(1e5 * v); });
  auto gelu = [](double v) { return v / 2 * (1 + std::erf(v / std::sqrt(2))); };
  auto curve = [](double v) {
    return std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v));
  };
  auto approximate = [&](double v) { return v / 2 * (1 + curve(v)); };
  struct Case {
    const char *op, *attributes;
    Array in;
    std::function<double(double)> f;
  };
  for (const Case &c : std::initializer_list<Case>{
           {"soap.erf", "", x, [](double v) { return std::erf(v); }},
           {"soap.sin", "", x, [](double v) { return std::sin(v); }},
           {"soap.cos", "", x, [](double v) { return std::cos(v); }},
           {"soap.sin", "", large, [](double v) { return std::sin(v); }},
           {"soap.cos", "", large, [](double v) { return std::cos(v); }},
           {"soap.gelu", "", x, gelu},
           {"soap.gelu", "approximate", x, approximate},
           {"soap.reciprocal", "", p, [](double v) { return 1 / v; }},
           {"soap.rsqrt", "epsilon = 0.5 : f64", p,
            [](double v) { return 1 / std::sqrt(v + 0.5); }}}) {
    Array y = mapped(c.in, c.f);
    checkEverywhere(function(c.op, c.attributes, {c.in}, {y}), {c.in}, {y});
  }
}

TEST(SequenceKernels, GradientsOfErfAndGelu) {
  Array dy = random({4, 5}, 1), x = random({4, 5}, 2), dx({4, 5});
  for (size_t i = 0; i < x.values.size(); ++i) {
    double v = x.values[i];
    dx.values[i] = dy.values[i] * 2 / std::sqrt(M_PI) * std::exp(-v * v);
  }
  checkEverywhere(function("soap.erf_grad", "", {dy, x}, {dx}), {dy, x}, {dx});
  for (size_t i = 0; i < x.values.size(); ++i) {
    double v = x.values[i];
    double below = (1 + std::erf(v / std::sqrt(2))) / 2;
    double density = std::exp(-v * v / 2) / std::sqrt(2 * M_PI);
    dx.values[i] = dy.values[i] * (below + v * density);
  }
  checkEverywhere(function("soap.gelu_grad", "", {dy, x}, {dx}), {dy, x}, {dx});
}

TEST(SequenceKernels, WhereAndComparisons) {
  Array mask = integers({3, 4}, 1), x = random({3, 1}, 2), y = random({4}, 3);
  Array z({3, 4}), above({3, 4});
  z.forEach([&](Index i) {
    z(i) = mask(i) != 0 ? x({i[0], 0}) : y({i[1]});
    above(i) = mask(i) > y({i[1]});
  });
  checkEverywhere(function("soap.where", "", {mask, x, y}, {z}), {mask, x, y},
                  {z});
  checkEverywhere(function("soap.greater", "", {mask, y}, {above}), {mask, y},
                  {above});
  Array base = positive({3, 1}, 4), power({3, 4});
  power.forEach(
      [&](Index i) { power(i) = std::pow(base({i[0], 0}), y({i[1]})); });
  checkEverywhere(function("soap.pow", "", {base, y}, {power}), {base, y},
                  {power});
}

//===--- softmax and norms ------------------------------------------------===//

/// Softmax along an axis, and its gradient for dy.
void checkSoftmax(const Index &shape) {
  Array x = random(shape, 1), dy = random(shape, 2);
  for (size_t axis = 0; axis < 3; ++axis) {
    auto sumAlong = [&](const Array &a, Index i) {
      double sum = 0;
      for (i[axis] = 0; i[axis] < a.dim(axis); ++i[axis])
        sum += a(i);
      return sum;
    };
    Array e = mapped(x, [](double v) { return std::exp(v); }), y = e, p = e,
          dx = e;
    y.forEach([&](Index i) { y(i) = e(i) / sumAlong(e, i); });
    p.forEach([&](Index i) { p(i) = dy(i) * y(i); });
    dx.forEach([&](Index i) { dx(i) = y(i) * (dy(i) - sumAlong(p, i)); });
    std::string where = "axis = " + std::to_string(axis) + " : i64";
    checkEverywhere(function("soap.softmax", where, {x}, {y}), {x}, {y});
    checkEverywhere(function("soap.softmax_grad", where, {dy, y}, {dx}),
                    {dy, y}, {dx});
  }
}

TEST(SequenceKernels, Softmax) {
  checkSoftmax({2, 3, 4});
  checkSoftmax({3, 2, 70});
}

void checkRowNorms(int64_t rows, int64_t columns) {
  Array x = random({rows, columns}, 1), gamma = random({columns}, 2),
        beta = random({columns}, 3), dy = random({rows, columns}, 4);
  for (bool layer : {true, false}) {
    Array y({rows, columns}), mean({rows}), rstd({rows}), dx({rows, columns}),
        dgamma({columns}), dbeta({columns});
    for (int64_t r = 0; r < rows; ++r) {
      double sum = 0, square = 0, g = 0, slope = 0;
      for (int64_t c = 0; c < columns; ++c)
        sum += x({r, c});
      mean({r}) = layer ? sum / columns : 0;
      for (int64_t c = 0; c < columns; ++c)
        square += std::pow(x({r, c}) - mean({r}), 2);
      rstd({r}) = 1 / std::sqrt(square / columns + 1e-2);
      auto xhat = [&](int64_t c) {
        return (x({r, c}) - mean({r})) * rstd({r});
      };
      for (int64_t c = 0; c < columns; ++c) {
        y({r, c}) = xhat(c) * gamma({c}) + (layer ? beta({c}) : 0);
        g += dy({r, c}) * gamma({c}) / columns;
        slope += dy({r, c}) * gamma({c}) * xhat(c) / columns;
        dgamma({c}) += dy({r, c}) * xhat(c);
        dbeta({c}) += dy({r, c});
      }
      for (int64_t c = 0; c < columns; ++c)
        dx({r, c}) = rstd({r}) * (dy({r, c}) * gamma({c}) - (layer ? g : 0) -
                                  xhat(c) * slope);
    }
    std::string attributes = "axis = 1 : i64, epsilon = 1.0e-2 : f64";
    if (layer) {
      checkEverywhere(function("soap.layer_norm", attributes, {x, gamma, beta},
                               {y, mean, rstd}),
                      {x, gamma, beta}, {y, mean, rstd});
      checkEverywhere(function("soap.layer_norm_grad", "axis = 1 : i64",
                               {dy, x, mean, rstd, gamma}, {dx, dgamma, dbeta}),
                      {dy, x, mean, rstd, gamma}, {dx, dgamma, dbeta});
    } else {
      checkEverywhere(
          function("soap.rms_norm", attributes, {x, gamma}, {y, rstd}),
          {x, gamma}, {y, rstd});
      checkEverywhere(function("soap.rms_norm_grad", "axis = 1 : i64",
                               {dy, x, rstd, gamma}, {dx, dgamma}),
                      {dy, x, rstd, gamma}, {dx, dgamma});
    }
  }
}

TEST(SequenceKernels, LayerNormAndRmsNorm) {
  checkRowNorms(3, 5);
  // Rows that a warp of a GPU does, and columns whose sums are in parts.
  checkRowNorms(70, 96);
}

//===--- gather -----------------------------------------------------------===//

TEST(SequenceKernels, Gather) {
  Array table = random({4, 3}, 1), indices({2, 3}), dy = random({2, 3, 3}, 2);
  indices.values = {0, 3, -1, 2, 2, 7};
  for (int64_t wrap : {0, 4})
    for (int64_t offset : {0, 1}) {
      Array y({2, 3, 3}), dtable({4, 3});
      y.forEach([&](Index i) {
        auto row = static_cast<int64_t>(indices({i[0], i[1]}));
        row = (row < 0 ? row + wrap : row) - offset;
        if (row < 0 || row >= 4)
          return;
        y(i) = table({row, i[2]});
        dtable({row, i[2]}) += dy(i);
      });
      std::string attributes = " {offset = " + std::to_string(offset) +
                               " : i64, wrap = " + std::to_string(wrap) +
                               " : i64}";
      checkEverywhere(
          "func.func @f(%t: tensor<4x3xT>, %i: tensor<2x3xi32>) -> "
          "tensor<2x3x3xT> { %y = soap.gather %t, %i" +
              attributes +
              " : (tensor<4x3xT>, tensor<2x3xi32>) -> tensor<2x3x3xT> return "
              "%y : tensor<2x3x3xT> }",
          {table, indices}, {y});
      checkEverywhere(
          "func.func @f(%d: tensor<2x3x3xT>, %i: tensor<2x3xi32>) -> "
          "tensor<4x3xT> { %y = soap.gather_grad %d, %i" +
              attributes +
              " : (tensor<2x3x3xT>, tensor<2x3xi32>) -> tensor<4x3xT> return "
              "%y : tensor<4x3xT> }",
          {dy, indices}, {dtable});
    }
}

//===--- LSTM -------------------------------------------------------------===//

TEST(SequenceKernels, Lstm) {
  const int64_t steps = 3, samples = 2, hidden = 4;
  Array x = random({steps, samples, 4, hidden}, 1),
        r = random({4, hidden, hidden}, 2),
        h0 = random({1, samples, hidden}, 3),
        c0 = random({1, samples, hidden}, 4);
  Array y({steps, samples, hidden}), cells = y, gates = x;
  for (int64_t t = 0; t < steps; ++t)
    for (int64_t n = 0; n < samples; ++n)
      for (int64_t a = 0; a < hidden; ++a) {
        double z[4];
        for (int64_t g = 0; g < 4; ++g) {
          z[g] = x({t, n, g, a});
          for (int64_t k = 0; k < hidden; ++k)
            z[g] += r({g, a, k}) * (t ? y({t - 1, n, k}) : h0({0, n, k}));
          gates({t, n, g, a}) = g == 3 ? std::tanh(z[g]) : sigmoid(z[g]);
        }
        double before = t ? cells({t - 1, n, a}) : c0({0, n, a});
        double cell = gates({t, n, 2, a}) * before +
                      gates({t, n, 0, a}) * gates({t, n, 3, a});
        cells({t, n, a}) = cell;
        y({t, n, a}) = gates({t, n, 1, a}) * std::tanh(cell);
      }
  std::string text =
      function("soap.lstm", "", {x, r, h0, c0}, {y, cells, gates});
  check(text, {x, r, h0, c0}, {y, cells, gates});
  // With library products: the ops that the lowering makes of a chunk.
  std::vector<Array> results =
      run(text, "f64", "soap-lower-to-cpu{library=onednn fuse=true}",
          {x, r, h0, c0});
  ASSERT_EQ(results.size(), 3u);
  for (size_t i = 0; i < y.values.size(); ++i)
    EXPECT_NEAR(results[0].values[i], y.values[i], 1e-12);
}

/// Kernel of the whole chunk against the ops that the lowering makes of it.
TEST(SequenceKernels, LstmGradientOfChunkAndOfSteps) {
  const int64_t steps = 4, samples = 2, hidden = 3;
  Array dy = random({steps, samples, hidden}, 1),
        r = random({4, hidden, hidden}, 2),
        gates = positive({steps, samples, 4, hidden}, 3),
        cells = random({steps, samples, hidden}, 4),
        c0 = random({1, samples, hidden}, 5), dcells = random(dy.shape, 6);
  for (bool hasCells : {false, true}) {
    std::vector<Array> inputs{dy, r, gates, cells, c0};
    if (hasCells)
      inputs.push_back(dcells);
    std::string text = function("soap.lstm_grad", "", inputs, {gates, c0, c0});
    std::vector<Array> whole =
        run(text, "f64", "soap-lower-to-cpu{library=none fuse=false}", inputs);
    std::vector<Array> split =
        run(text, "f64", "soap-lower-to-cpu{library=onednn fuse=true}", inputs);
    ASSERT_EQ(whole.size(), 3u);
    ASSERT_EQ(split.size(), 3u);
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < whole[i].values.size(); ++j)
        EXPECT_NEAR(whole[i].values[j], split[i].values[j], 1e-12) << i;
  }
}

//===--- dropout, casts, Adam ---------------------------------------------===//

std::string dropout(const std::string &shape, const std::string &extra) {
  std::string x = "tensor<" + shape + "xT>";
  return "func.func @f(%x: " + x + ", %s: tensor<i32>) -> " + x +
         " { %y = soap.dropout %x, %s {rate = 0.25 : f64, seed = 3 : i64" +
         extra + "} : (" + x + ", tensor<i32>) -> " + x + " return %y : " + x +
         " }";
}

TEST(SequenceKernels, Dropout) {
  Array x({40, 50}, 3), step({}, 1), later({}, 2);
  auto drop = [&](const Array &in, const Array &s, const std::string &text) {
    return run(text, "f32", "soap-lower-to-cpu{library=none fuse=true}",
               {in, s})[0];
  };
  Array y = drop(x, step, dropout("40x50", ""));
  int64_t dropped = 0;
  for (double value : y.values) {
    EXPECT_TRUE(value == 0 || std::fabs(value - 4) < 1e-6) << value;
    dropped += value == 0;
  }
  // 500 of 2,000 expected, with a deviation of 19.
  EXPECT_NEAR(static_cast<double>(dropped), 500, 100);
  Array other = drop(x, later, dropout("40x50", ""));
  EXPECT_NE(y.values, other.values);
  // A tile drops what the whole drops there.
  Array tile({7, 9}, 3);
  Array part = drop(tile, step,
                    dropout("7x9", ", offsets = array<i64: 11, 13>, extents = "
                                   "array<i64: 40, 50>"));
  part.forEach([&](Index i) { EXPECT_EQ(part(i), y({i[0] + 11, i[1] + 13})); });
  check("func.func @f(%x: tensor<40x50xT>) -> tensor<40x50xT> { %y = "
        "soap.dropout %x {rate = 0.25 : f64, seed = 3 : i64} : "
        "(tensor<40x50xT>) -> tensor<40x50xT> return %y : tensor<40x50xT> }",
        {x}, {x});
}

TEST(SequenceKernels, CastAndCounter) {
  Array x({4}), y({4});
  x.values = {-1.75, -0.5, 0.5, 2.75};
  y.values = {-1, 0, 0, 2};
  check("func.func @f(%x: tensor<4xT>) -> tensor<4xi32> { %y = soap.cast %x : "
        "(tensor<4xT>) -> tensor<4xi32> return %y : tensor<4xi32> }",
        {x}, {y});
  check("func.func @f(%x: tensor<4xi32>) -> tensor<4xT> { %y = soap.cast %x : "
        "(tensor<4xi32>) -> tensor<4xT> return %y : tensor<4xT> }",
        {y}, {y});
  check("func.func @f(%x: tensor<4xT>) -> tensor<4xf64> { %y = soap.cast %x : "
        "(tensor<4xT>) -> tensor<4xf64> return %y : tensor<4xf64> }",
        {x}, {x});
  check("func.func @f(%s: tensor<i32>) -> tensor<i32> { %y = soap.counter %s : "
        "(tensor<i32>) -> tensor<i32> return %y : tensor<i32> }",
        {Array({}, 41)}, {Array({}, 42)});
}

TEST(SequenceKernels, Adam) {
  const double rate = 0.1, beta1 = 0.9, beta2 = 0.99, epsilon = 1e-3,
               decay = 0.2, step = 3;
  Array w = random({2, 3}, 1), g = random({2, 3}, 2), m = random({2, 3}, 3),
        v = positive({2, 3}, 4);
  for (bool decoupled : {false, true}) {
    Array newW = w, newM = m, newV = v;
    for (size_t i = 0; i < w.values.size(); ++i) {
      double gradient = g.values[i] + (decoupled ? 0 : decay * w.values[i]);
      newM.values[i] = beta1 * m.values[i] + (1 - beta1) * gradient;
      newV.values[i] = beta2 * v.values[i] + (1 - beta2) * gradient * gradient;
      double mean = newM.values[i] / (1 - std::pow(beta1, step));
      double square = newV.values[i] / (1 - std::pow(beta2, step));
      newW.values[i] = w.values[i] -
                       rate * mean / (std::sqrt(square) + epsilon) -
                       (decoupled ? rate * decay * w.values[i] : 0);
    }
    std::string x = tensor({2, 3}), s = "tensor<T>", i = "tensor<i32>";
    std::string text =
        "func.func @f(%w: " + x + ", %g: " + x + ", %m: " + x + ", %v: " + x +
        ", %s: " + i + ") -> (" + x + ", " + x + ", " + x + ") {\n" +
        "%a = soap.bias_correction %s {beta = 0.9 : f64} : (" + i + ") -> " +
        s + "\n%b = soap.bias_correction %s {beta = 0.99 : f64} : (" + i +
        ") -> " + s +
        "\n%y:3 = soap.adam %w, %g, %m, %v, %a, %b {learning_rate = 0.1 : f64, "
        "beta1 = 0.9 : f64, beta2 = 0.99 : f64, epsilon = 1.0e-3 : f64, "
        "weight_decay = 0.2 : f64" +
        (decoupled ? ", decoupled" : "") + "} : (" + x + ", " + x + ", " + x +
        ", " + x + ", " + s + ", " + s + ") -> (" + x + ", " + x + ", " + x +
        ")\nreturn %y#0, %y#1, %y#2 : " + x + ", " + x + ", " + x + " }";
    check(text, {w, g, m, v, Array({}, step)}, {newW, newM, newV});
  }
}

} // namespace
