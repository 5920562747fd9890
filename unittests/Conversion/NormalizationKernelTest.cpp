//===- NormalizationKernelTest.cpp - Ops with stages against loops --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch norm and cross-entropy: whole ops, stage ops, gradients.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace soap::test;

namespace {

constexpr double epsilon = 1e-3;
const char *epsilonText = "epsilon = 1.0e-3 : f64";

/// Batch norm by its definition, on [N, C, ...].
struct BatchNorm {
  Array x, gamma, beta, stats, y;

  explicit BatchNorm(const std::vector<int64_t> &shape)
      : BatchNorm(random(shape, 1)) {}
  explicit BatchNorm(Array image)
      : x(std::move(image)), gamma(random({x.dim(1)}, 2)),
        beta(random({x.dim(1)}, 3)), stats({3, x.dim(1)}), y(x.shape) {
    x.forEach([&](std::vector<int64_t> i) {
      stats({0, i[1]}) += 1;
      stats({1, i[1]}) += x(i);
    });
    for (int64_t c = 0; c < x.dim(1); ++c)
      stats({1, c}) /= stats({0, c});
    x.forEach([&](std::vector<int64_t> i) {
      double d = x(i) - stats({1, i[1]});
      stats({2, i[1]}) += d * d;
    });
    x.forEach([&](std::vector<int64_t> i) {
      y(i) = normalized(i) * gamma({i[1]}) + beta({i[1]});
    });
  }
  double inverse(int64_t c) const {
    return 1 / std::sqrt(stats({2, c}) / stats({0, c}) + epsilon);
  }
  double normalized(const std::vector<int64_t> &i) const {
    return (x(i) - stats({1, i[1]})) * inverse(i[1]);
  }
};

// The last two: on GPUs sums of the one are in parts, of the other in blocks.
const std::vector<std::vector<int64_t>> shapes = {
    {2, 3, 4, 5}, {6, 4}, {1, 1, 3}, {1, 2}, {5, 2, 12, 13}, {216, 32}};

TEST(BatchNormKernels, Train) {
  for (const auto &shape : shapes) {
    BatchNorm n(shape);
    checkEverywhere(function("soap.batch_norm_train", epsilonText,
                             {n.x, n.gamma, n.beta}, {n.y, n.stats}),
                    {n.x, n.gamma, n.beta}, {n.y, n.stats});
  }
}

TEST(BatchNormKernels, Stages) {
  for (const auto &shape : shapes) {
    BatchNorm n(shape);
    checkEverywhere(function("soap.batch_norm_stats", "", {n.x}, {n.stats}),
                    {n.x}, {n.stats});
    checkEverywhere(function("soap.batch_norm_apply", epsilonText,
                             {n.x, n.stats, n.gamma, n.beta}, {n.y}),
                    {n.x, n.stats, n.gamma, n.beta}, {n.y});
  }
}

/// How far M2 of the first channel of `x` is off in f32, relatively.
double errorOfM2(const Array &x, const std::string &lowering) {
  BatchNorm n(x);
  std::vector<Array> results =
      run(function("soap.batch_norm_stats", "", {n.x}, {n.stats}), "f32",
          lowering, {n.x});
  return results.empty() ? INFINITY
                         : std::fabs(results[0]({2, 0}) / n.stats({2, 0}) - 1);
}

/// Sums of threads are short.
const char *ofThreads = "soap-lower-to-cuda{format=isa library-norms=false}";

TEST(BatchNormKernels, LargeMean) {
  Array x = random({64, 1, 32, 32}, 1);
  // Numbers that f32 has.
  for (double &value : x.values)
    value = 1e4 + std::floor(value * 256) / 256;
  // A sum of 65,536 numbers, one after the other.
  EXPECT_LE(errorOfM2(x, "soap-lower-to-cpu"), 1e-2);
  EXPECT_LE(errorOfM2(x, ofThreads), 1e-5);
  // Blocks of threads take the sums of positions by channels.
  Array matrix({8192, 16});
  for (size_t i = 0; i < matrix.values.size(); ++i)
    matrix.values[i] = x.values[i % x.values.size()];
  EXPECT_LE(errorOfM2(matrix, ofThreads), 1e-6);
}

/// One place of all images is unlike the others.
TEST(BatchNormKernels, BrightCorner) {
  Array x = random({64, 1, 32, 32}, 1);
  for (double &value : x.values)
    value /= 1024;
  for (int64_t n = 0; n < 64; ++n)
    x({n, 0, 0, 0}) = 1;
  EXPECT_LE(errorOfM2(x, "soap-lower-to-cpu"), 2e-4);
  EXPECT_LE(errorOfM2(x, ofThreads), 5e-6);
  Array matrix({8192, 16});
  for (size_t i = 0; i < matrix.values.size(); ++i)
    matrix.values[i] = i / 16 % 128 == 0 ? 1 : x.values[i % x.values.size()];
  EXPECT_LE(errorOfM2(matrix, ofThreads), 1e-6);
}

TEST(BatchNormKernels, Inference) {
  BatchNorm n({2, 3, 4, 5});
  Array mean = random({3}, 4), variance = random({3}, 5), y(n.x.shape);
  for (double &value : variance.values)
    value = value * value + 0.1;
  y.forEach([&](std::vector<int64_t> i) {
    int64_t c = i[1];
    y(i) = (n.x(i) - mean({c})) / std::sqrt(variance({c}) + epsilon) *
               n.gamma({c}) +
           n.beta({c});
  });
  checkEverywhere(function("soap.batch_norm", epsilonText,
                           {n.x, n.gamma, n.beta, mean, variance}, {y}),
                  {n.x, n.gamma, n.beta, mean, variance}, {y});
}

TEST(BatchNormKernels, Gradients) {
  for (const auto &shape : shapes) {
    BatchNorm n(shape);
    Array dy = random(shape, 6), dx(shape), dgamma({shape[1]}),
          dbeta({shape[1]});
    dy.forEach([&](std::vector<int64_t> i) {
      dbeta({i[1]}) += dy(i);
      dgamma({i[1]}) += dy(i) * n.normalized(i);
    });
    dx.forEach([&](std::vector<int64_t> i) {
      int64_t c = i[1];
      double count = n.stats({0, c});
      dx(i) =
          n.gamma({c}) * n.inverse(c) *
          (dy(i) - dbeta({c}) / count - n.normalized(i) * dgamma({c}) / count);
    });
    checkEverywhere(function("soap.batch_norm_grad", epsilonText,
                             {dy, n.x, n.stats, n.gamma}, {dx, dgamma, dbeta}),
                    {dy, n.x, n.stats, n.gamma}, {dx, dgamma, dbeta});
    checkEverywhere(function("soap.batch_norm_grad_reduce", epsilonText,
                             {dy, n.x, n.stats}, {dgamma, dbeta}),
                    {dy, n.x, n.stats}, {dgamma, dbeta});
    checkEverywhere(function("soap.batch_norm_grad_apply", epsilonText,
                             {dy, n.x, n.stats, n.gamma, dgamma, dbeta}, {dx}),
                    {dy, n.x, n.stats, n.gamma, dgamma, dbeta}, {dx});
  }
}

TEST(BatchNormKernels, RunningStatistics) {
  BatchNorm n({3, 4, 2, 2});
  Array mean = random({4}, 7), variance = random({4}, 8), mean2({4}),
        variance2({4});
  for (int64_t c = 0; c < 4; ++c) {
    mean2({c}) = 0.75 * mean({c}) + 0.25 * n.stats({1, c});
    variance2({c}) =
        0.75 * variance({c}) + 0.25 * n.stats({2, c}) / (n.stats({0, c}) - 1);
  }
  checkEverywhere(function("soap.running_stats_update", "momentum = 0.25 : f64",
                           {mean, variance, n.stats}, {mean2, variance2}),
                  {mean, variance, n.stats}, {mean2, variance2});
}

//===----------------------------------------------------------------------===//
// Cross-entropy
//===----------------------------------------------------------------------===//

struct CrossEntropy {
  Array logits = random({5, 4}, 9), labels{{5}}, loss{{}}, correct{{}},
        stats{{3, 5}};
  static constexpr double scale = 0.25;

  CrossEntropy() {
    labels.values = {2, -1, 0, 3, 1};
    // A row whose label is the maximum, and one with a tie.
    logits({0, 2}) = 5;
    logits({3, 3}) = logits({3, 0}) = 4;
    for (int64_t n = 0; n < 5; ++n) {
      double maximum = -std::numeric_limits<double>::infinity(), sum = 0;
      for (int64_t k = 0; k < 4; ++k)
        maximum = std::max(maximum, logits({n, k}));
      for (int64_t k = 0; k < 4; ++k)
        sum += std::exp(logits({n, k}) - maximum);
      int64_t label = static_cast<int64_t>(labels({n}));
      double logit = label < 0 ? 0 : logits({n, label});
      stats({0, n}) = maximum;
      stats({1, n}) = sum;
      stats({2, n}) = logit;
      if (label < 0)
        continue;
      loss({}) += scale * (maximum + std::log(sum) - logit);
      correct({}) += logit == maximum;
    }
  }
};

/// Labels are integers.
std::string withLabels(std::string text, const Array &labels) {
  std::string from = tensor(labels.shape), to = tensor(labels.shape, "i32");
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;)
    text.replace(at, from.size(), to);
  return text;
}

TEST(CrossEntropyKernels, Whole) {
  CrossEntropy c;
  check(withLabels(function("soap.cross_entropy", "scale = 0.25 : f64",
                            {c.logits, c.labels}, {c.loss, c.correct, c.stats}),
                   c.labels),
        {c.logits, c.labels}, {c.loss, c.correct, c.stats});
}

/// The same rows as positions of sequences: two samples of three steps.
TEST(CrossEntropyKernels, RowsOfTwoDims) {
  Array logits = random({3, 2, 4}, 11), labels{{3, 2}}, loss{{}}, correct{{}},
        stats{{3, 3, 2}}, dloss({}, 2), dx{{3, 2, 4}};
  labels.values = {2, -1, 0, 3, 1, 1};
  logits({0, 0, 2}) = 5;
  for (int64_t t = 0; t < 3; ++t)
    for (int64_t n = 0; n < 2; ++n) {
      double maximum = -std::numeric_limits<double>::infinity(), sum = 0;
      for (int64_t k = 0; k < 4; ++k)
        maximum = std::max(maximum, logits({t, n, k}));
      for (int64_t k = 0; k < 4; ++k)
        sum += std::exp(logits({t, n, k}) - maximum);
      int64_t label = static_cast<int64_t>(labels({t, n}));
      stats({0, t, n}) = maximum;
      stats({1, t, n}) = sum;
      stats({2, t, n}) = label < 0 ? 0 : logits({t, n, label});
      if (label < 0)
        continue;
      loss({}) += 0.25 * (maximum + std::log(sum) - logits({t, n, label}));
      correct({}) += logits({t, n, label}) == maximum;
      for (int64_t k = 0; k < 4; ++k)
        dx({t, n, k}) =
            0.5 * (std::exp(logits({t, n, k}) - maximum) / sum - (k == label));
    }
  check(withLabels(function("soap.cross_entropy", "scale = 0.25 : f64",
                            {logits, labels}, {loss, correct, stats}),
                   labels),
        {logits, labels}, {loss, correct, stats});
  check(withLabels(function("soap.cross_entropy_loss", "scale = 0.25 : f64",
                            {stats, labels}, {loss, correct}),
                   labels),
        {stats, labels}, {loss, correct});
  check(withLabels(function("soap.cross_entropy_grad", "scale = 0.25 : f64",
                            {dloss, logits, labels, stats}, {dx}),
                   labels),
        {dloss, logits, labels, stats}, {dx});
}

TEST(CrossEntropyKernels, Stages) {
  CrossEntropy c;
  check(withLabels(
            function("soap.softmax_stats", "", {c.logits, c.labels}, {c.stats}),
            c.labels),
        {c.logits, c.labels}, {c.stats});
  check(withLabels(function("soap.cross_entropy_loss", "scale = 0.25 : f64",
                            {c.stats, c.labels}, {c.loss, c.correct}),
                   c.labels),
        {c.stats, c.labels}, {c.loss, c.correct});
}

TEST(CrossEntropyKernels, StatisticsOfSomeClasses) {
  CrossEntropy c;
  // Labels 1 and 2 are the classes 1 - 1 and 2 - 1 of this tile, others are
  // elsewhere; one row is all -inf.
  Array logits = random({5, 2}, 10), stats({3, 5});
  double infinity = std::numeric_limits<double>::infinity();
  logits({3, 0}) = logits({3, 1}) = -infinity;
  for (int64_t n = 0; n < 5; ++n) {
    double maximum = std::max(logits({n, 0}), logits({n, 1}));
    stats({0, n}) = maximum;
    for (int64_t k = 0; k < 2; ++k)
      stats({1, n}) +=
          logits({n, k}) == maximum ? 1 : std::exp(logits({n, k}) - maximum);
    stats({2, n}) = logits.get({n, int64_t(c.labels({n})) - 1}, 0);
  }
  check(withLabels(function("soap.softmax_stats", "class_offset = 1 : i64",
                            {logits, c.labels}, {stats}),
                   c.labels),
        {logits, c.labels}, {stats});
}

TEST(CrossEntropyKernels, Gradient) {
  CrossEntropy c;
  Array dloss({}, 2), dx(c.logits.shape), tile({5, 2}), dtile({5, 2});
  dx.forEach([&](std::vector<int64_t> i) {
    if (c.labels({i[0]}) < 0)
      return;
    double p = std::exp(c.logits(i) - c.stats({0, i[0]})) / c.stats({1, i[0]});
    dx(i) = 2 * CrossEntropy::scale * (p - (i[1] == c.labels({i[0]})));
  });
  check(withLabels(function("soap.cross_entropy_grad", "scale = 0.25 : f64",
                            {dloss, c.logits, c.labels, c.stats}, {dx}),
                   c.labels),
        {dloss, c.logits, c.labels, c.stats}, {dx});
  tile.forEach([&](std::vector<int64_t> i) {
    tile(i) = c.logits({i[0], i[1] + 2});
    dtile(i) = dx({i[0], i[1] + 2});
  });
  check(withLabels(function("soap.cross_entropy_grad",
                            "scale = 0.25 : f64, class_offset = 2 : i64",
                            {dloss, tile, c.labels, c.stats}, {dtile}),
                   c.labels),
        {dloss, tile, c.labels, c.stats}, {dtile});
}

} // namespace
