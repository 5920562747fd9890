//===- AttentionKernelTest.cpp - Attention against loops ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention and its gradient by their definitions, with all scores in memory.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <optional>

using namespace soap::test;

namespace {

using Index = std::vector<int64_t>;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Attention {
  Array q, k, v;
  std::optional<Array> bias, querySegments, keySegments;
  double softcap = 0;
  std::optional<int64_t> left, right;
  int64_t offset = 0;
  std::optional<Array> products = {}; ///< of q and k, instead of these
  static constexpr double scale = 0.75;

  int64_t groups() const { return q.dim(1) / k.dim(1); }

  bool sees(int64_t n, int64_t i, int64_t j) const {
    int64_t distance = j - (i + offset);
    return (!left || distance >= -*left) && (!right || distance <= *right) &&
           (!querySegments ||
            (*querySegments)({n, i}) == (*keySegments)({n, j}));
  }
  double capped(int64_t n, int64_t h, int64_t i, int64_t j) const {
    double sum = products ? (*products)({n, h, i, j}) : 0;
    for (int64_t d = 0; !products && d < q.dim(3); ++d)
      sum += q({n, h, i, d}) * k({n, h / groups(), j, d});
    sum *= scale;
    return softcap > 0 ? softcap * std::tanh(sum / softcap) : sum;
  }
  double score(int64_t n, int64_t h, int64_t i, int64_t j) const {
    if (!sees(n, i, j))
      return -infinity;
    double sum = capped(n, h, i, j);
    if (bias) {
      Index at{n, h, i, j};
      for (size_t d = 0; d < 4; ++d)
        if (bias->dim(d) == 1)
          at[d] = 0;
      sum += (*bias)(at);
    }
    return sum;
  }
  std::string attributes(const std::string &sizes) const {
    std::string text = "scale = 0.75 : f64";
    if (softcap > 0)
      text += ", softcap = " + std::to_string(softcap) + " : f64";
    if (left)
      text += ", left = " + std::to_string(*left) + " : i64";
    if (right)
      text += ", right = " + std::to_string(*right) + " : i64";
    if (offset != 0)
      text += ", offset = " + std::to_string(offset) + " : i64";
    return text + ", operandSegmentSizes = array<i32: " + sizes +
           (bias ? "1, " : "0, ") + (querySegments ? "1, 1" : "0, 0");
  }
  void addMask(std::vector<Array> &operands) const {
    for (const std::optional<Array> &part : {bias, querySegments, keySegments})
      if (part)
        operands.push_back(*part);
  }

  Array out() const {
    Array y({q.dim(0), q.dim(1), q.dim(2), v.dim(3)});
    Array sums = lse();
    y.forEach([&](Index at) {
      for (int64_t j = 0; j < k.dim(2); ++j)
        y(at) += share(sums, at[0], at[1], at[2], j) *
                 v({at[0], at[1] / groups(), j, at[3]});
    });
    return y;
  }
  Array lse() const {
    Array y({q.dim(0), q.dim(1), q.dim(2)});
    y.forEach([&](Index at) {
      double sum = 0;
      for (int64_t j = 0; j < k.dim(2); ++j)
        sum += std::exp(score(at[0], at[1], at[2], j));
      y(at) = std::log(sum);
    });
    return y;
  }
  double share(const Array &lse, int64_t n, int64_t h, int64_t i,
               int64_t j) const {
    double x = score(n, h, i, j);
    return x == -infinity ? 0 : std::exp(x - lse({n, h, i}));
  }
};

/// Segments are labels.
std::string withSegments(std::string text, const Attention &attention) {
  if (!attention.querySegments)
    return text;
  for (const Array *segments :
       {&*attention.querySegments, &*attention.keySegments}) {
    std::string from = tensor(segments->shape);
    std::string to = tensor(segments->shape, "i32");
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
         at += to.size())
      text.replace(at, from.size(), to);
  }
  return text;
}

void checkForward(const Attention &attention) {
  std::vector<Array> inputs{attention.q, attention.k, attention.v};
  attention.addMask(inputs);
  std::vector<Array> results{attention.out(), attention.lse()};
  check(withSegments(function("soap.attention",
                              attention.attributes("1, 1, 1, ") + ">", inputs,
                              results),
                     attention),
        inputs, results);
}

void checkGradient(const Attention &attention, bool hasDlse, bool hasDbias) {
  const Array &q = attention.q, &k = attention.k, &v = attention.v;
  Array out = attention.out(), lse = attention.lse();
  Array dout = random(out.shape, 11), dlse = random(lse.shape, 12);
  Array dq(q.shape), dk(k.shape), dv(v.shape);
  Array dbias(attention.bias ? attention.bias->shape : Index{1, 1, 1, 1});
  Array scores({q.dim(0), q.dim(1), q.dim(2), k.dim(2)});
  scores.forEach([&](Index at) {
    int64_t n = at[0], h = at[1], i = at[2], j = at[3],
            key = h / attention.groups();
    double p = attention.share(lse, n, h, i, j), ofShare = 0, excess = 0;
    for (int64_t e = 0; e < v.dim(3); ++e) {
      ofShare += dout({n, h, i, e}) * v({n, key, j, e});
      excess += dout({n, h, i, e}) * out({n, h, i, e});
      dv({n, key, j, e}) += p * dout({n, h, i, e});
    }
    double ds = p * (ofShare - excess + (hasDlse ? dlse({n, h, i}) : 0));
    if (attention.bias) {
      Index place = at;
      for (size_t d = 0; d < 4; ++d)
        if (attention.bias->dim(d) == 1)
          place[d] = 0;
      dbias(place) += ds;
    }
    if (attention.softcap > 0) {
      double t = attention.capped(n, h, i, j) / attention.softcap;
      ds *= 1 - t * t;
    }
    for (int64_t d = 0; d < q.dim(3); ++d) {
      dq({n, h, i, d}) += Attention::scale * ds * k({n, key, j, d});
      dk({n, key, j, d}) += Attention::scale * ds * q({n, h, i, d});
    }
  });
  std::vector<Array> inputs{dout, q, k, v, out, lse};
  attention.addMask(inputs);
  if (hasDlse)
    inputs.push_back(dlse);
  std::vector<Array> results{dq, dk, dv};
  if (hasDbias)
    results.push_back(dbias);
  std::string attributes =
      attention.attributes("1, 1, 1, 1, 1, 1, ") + (hasDlse ? ", 1>" : ", 0>");
  check(
      withSegments(function("soap.attention_grad", attributes, inputs, results),
                   attention),
      inputs, results);
}

/// Between the products of a tile: weights from products of q and k,
/// and their gradients.
void checkWeights(Attention attention, bool hasDscores) {
  const Array &q = attention.q, &k = attention.k;
  attention.products = random({q.dim(0), q.dim(1), q.dim(2), k.dim(2)}, 21);
  const Array &products = *attention.products;
  Array lse = attention.lse(), dweights = random(products.shape, 22),
        excess = random(lse.shape, 23);
  Array weights(products.shape), dproducts(products.shape),
      dscores(products.shape);
  products.forEach([&](Index at) {
    int64_t n = at[0], h = at[1], i = at[2], j = at[3];
    double p = attention.share(lse, n, h, i, j);
    double ds = p * (dweights(at) - excess({n, h, i}));
    weights(at) = p;
    dscores(at) = ds;
    if (attention.softcap > 0) {
      double t = attention.capped(n, h, i, j) / attention.softcap;
      ds *= 1 - t * t;
    }
    dproducts(at) = Attention::scale * ds;
  });
  std::vector<Array> inputs{products}, results{weights, lse};
  attention.addMask(inputs);
  checkEverywhere(
      withSegments(function("soap.attention_weights",
                            attention.attributes("1, ") + ">", inputs, results),
                   attention),
      inputs, results);
  inputs = {products, dweights, lse, excess};
  attention.addMask(inputs);
  results = {weights, dproducts};
  if (hasDscores)
    results.push_back(dscores);
  checkEverywhere(
      withSegments(function("soap.attention_weights_grad",
                            attention.attributes("1, 1, 1, 1, ") + ">", inputs,
                            results),
                   attention),
      inputs, results);
}

Attention plain(int64_t keyHeads, int64_t groups, int64_t queries,
                int64_t keys) {
  return {random({2, keyHeads * groups, queries, 3}, 1),
          random({2, keyHeads, keys, 3}, 2),
          random({2, keyHeads, keys, 5}, 3),
          {},
          {},
          {},
          0,
          {},
          {}};
}

TEST(AttentionKernels, Plain) {
  checkForward(plain(2, 1, 4, 7));
  checkGradient(plain(2, 1, 4, 7), false, false);
}

TEST(AttentionKernels, GroupsOfHeads) {
  Attention attention = plain(2, 3, 5, 5);
  attention.right = 0;
  checkForward(attention);
  checkGradient(attention, true, false);
}

TEST(AttentionKernels, WeightsOfTiles) {
  checkWeights(plain(2, 1, 4, 7), false);
  // Rows that lanes share.
  Attention attention = plain(1, 2, 5, 96);
  attention.right = 0;
  attention.offset = 60;
  checkWeights(attention, false);
  attention.left = 40;
  attention.softcap = 0.5;
  attention.bias = random({1, 2, 1, 96}, 5);
  checkWeights(attention, true);
  // No query sees a key, or none but the last.
  attention.offset = -5;
  checkWeights(attention, false);
  attention.offset = -4;
  checkWeights(attention, false);
}

TEST(AttentionKernels, WindowsAndOffsets) {
  for (auto [left, right, offset] :
       {std::tuple{2, 0, 0}, {1, 1, 0}, {3, 0, 2}, {0, -1, 3}}) {
    Attention attention = plain(1, 2, 4, 6);
    attention.left = left;
    attention.right = right;
    attention.offset = offset;
    checkForward(attention);
    checkGradient(attention, false, false);
  }
}

TEST(AttentionKernels, QueriesThatSeeNothing) {
  Attention attention = plain(1, 1, 4, 3);
  attention.right = -2;
  checkForward(attention);
  checkGradient(attention, false, false);
}

TEST(AttentionKernels, BiasAndCap) {
  for (const Index &shape :
       {Index{2, 2, 3, 4}, {1, 2, 1, 4}, {2, 1, 3, 1}, {1, 1, 1, 1}}) {
    Attention attention = plain(1, 2, 3, 4);
    attention.bias = random(shape, 5);
    attention.softcap = 0.5;
    checkForward(attention);
    checkGradient(attention, true, true);
  }
}

TEST(AttentionKernels, HiddenByBias) {
  Attention attention = plain(1, 1, 3, 4);
  attention.bias = Array({1, 1, 3, 4});
  for (int64_t j = 0; j < 4; ++j)
    (*attention.bias)({0, 0, 1, j}) = -infinity;
  (*attention.bias)({0, 0, 2, 1}) = -infinity;
  checkForward(attention);
  checkGradient(attention, false, false);
}

TEST(AttentionKernels, Segments) {
  Attention attention = plain(1, 2, 6, 7);
  attention.right = 1;
  attention.querySegments = Array({2, 6});
  attention.keySegments = Array({2, 7});
  for (int64_t n : {0, 1})
    for (int64_t i = 0; i < 7; ++i) {
      if (i < 6)
        (*attention.querySegments)({n, i}) = double(i > 2 + n);
      (*attention.keySegments)({n, i}) = double(i > 3) * double(n + 1);
    }
  checkForward(attention);
  checkGradient(attention, false, false);
  checkWeights(attention, false);
}

} // namespace
