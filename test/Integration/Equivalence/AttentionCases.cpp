//===- AttentionCases.cpp - Attention and its gradient --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heads in groups, windows, offsets, segments, biases that broadcast, caps: in
// any combination.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <cmath>

namespace soap::equivalence {

namespace {

using Shape = std::vector<int64_t>;
const Fill floats{Fill::Uniform, 0};

Case made(const std::string &name) {
  Case result;
  result.name = name;
  return result;
}

/// A drawn attention: its operands behind q, k, v, and its attributes.
struct Attention {
  int64_t samples, keyHeads, groups, queries, keys, width, valueWidth;
  bool hasBias, hasSegments;
  std::string attributes;

  explicit Attention(Random &random)
      : samples(uniform(random, 1, 3)), keyHeads(uniform(random, 1, 3)),
        groups(uniform(random, 0, 1) ? 1 : uniform(random, 2, 3)),
        queries(uniform(random, 1, 9)),
        keys(uniform(random, 0, 1) ? queries : uniform(random, 1, 9)),
        width(uniform(random, 1, 4)), valueWidth(uniform(random, 1, 4)),
        hasBias(!uniform(random, 0, 2)), hasSegments(!uniform(random, 0, 2)) {
    attributes = "scale = 5.0e-01 : f64";
    auto number = [&](const char *name, int64_t lo, int64_t hi) {
      attributes += std::string(", ") + name + " = " +
                    std::to_string(uniform(random, lo, hi)) + " : i64";
    };
    if (!uniform(random, 0, 3))
      attributes += ", softcap = 1.5 : f64";
    if (uniform(random, 0, 1))
      attributes += ", right = 0 : i64";
    else if (uniform(random, 0, 1))
      number("right", -2, 4);
    if (!uniform(random, 0, 2))
      number("left", -1, 6);
    if (keys != queries && uniform(random, 0, 1))
      number("offset", std::min<int64_t>(0, keys - queries),
             std::max<int64_t>(0, keys - queries));
  }

  int64_t heads() const { return keyHeads * groups; }
  Shape q() const { return {samples, heads(), queries, width}; }
  Shape k() const { return {samples, keyHeads, keys, width}; }
  Shape v() const { return {samples, keyHeads, keys, valueWidth}; }
  Shape out() const { return {samples, heads(), queries, valueWidth}; }
  Shape lse() const { return {samples, heads(), queries}; }
  Shape state() const { return {1 + valueWidth, samples, heads(), queries}; }

  /// Bias and segments, behind what there is.
  void addMask(Random &random, FunctionText &f,
               std::vector<Tensor> &operands) const {
    if (hasBias) {
      Shape shape{samples, heads(), queries, keys};
      for (int64_t &d : shape)
        if (uniform(random, 0, 1))
          d = 1;
      operands.push_back(f.arg(shape, floats, "parameter"));
    }
    if (hasSegments)
      for (int64_t positions : {queries, keys})
        operands.push_back(
            f.arg({samples, positions}, {Fill::Labels, 2}, "label", "i32"));
  }
  /// With `dlse` behind them, if the op may have it.
  std::string sizes(int leading, const char *behind = "") const {
    std::string text = ", operandSegmentSizes = array<i32: ";
    for (int i = 0; i < leading; ++i)
      text += "1, ";
    text += hasBias ? "1, " : "0, ";
    text += hasSegments ? "1, 1" : "0, 0";
    return text + behind + ">";
  }
};

Case forward(Random &random, bool isPartial) {
  Attention attention(random);
  Case c = made(isPartial ? "attention_partial" : "attention");
  FunctionText f;
  std::vector<Tensor> operands{f.arg(attention.q(), floats),
                               f.arg(attention.k(), floats),
                               f.arg(attention.v(), floats)};
  attention.addMask(random, f, operands);
  std::string attributes = attention.attributes + attention.sizes(3);
  if (!isPartial) {
    std::vector<Tensor> results = f.op("attention", operands, attributes,
                                       {attention.out(), attention.lse()});
    // A logarithm of nothing is -inf, which has no distance.
    results[1] = f.op1("exp", {results[1]}, "", attention.lse());
    f.finish(c, results);
    return c;
  }
  Tensor state =
      f.op1("attention_partial", operands, attributes, attention.state());
  std::vector<Tensor> results =
      f.op("attention_result", {state},
           "groups = " + std::to_string(attention.groups) + " : i64",
           {attention.out(), attention.lse()});
  results[1] = f.op1("exp", {results[1]}, "", attention.lse());
  f.finish(c, results);
  return c;
}

/// On the results of the attention itself: others are no probabilities.
Case gradient(Random &random) {
  Attention attention(random);
  Case c = made("attention_grad");
  FunctionText f;
  std::vector<Tensor> operands{f.arg(attention.q(), floats),
                               f.arg(attention.k(), floats),
                               f.arg(attention.v(), floats)};
  std::vector<Tensor> mask;
  attention.addMask(random, f, mask);
  std::vector<Tensor> all = operands;
  all.insert(all.end(), mask.begin(), mask.end());
  std::vector<Tensor> results =
      f.op("attention", all, attention.attributes + attention.sizes(3),
           {attention.out(), attention.lse()});
  operands.insert(operands.begin(), f.arg(attention.out(), floats));
  operands.insert(operands.end(), results.begin(), results.end());
  operands.insert(operands.end(), mask.begin(), mask.end());
  bool hasDlse = uniform(random, 0, 1);
  if (hasDlse)
    operands.push_back(f.arg(attention.lse(), floats));
  std::vector<Shape> gradients{attention.q(), attention.k(), attention.v()};
  bool hasDbias = attention.hasBias && uniform(random, 0, 1);
  if (hasDbias)
    gradients.push_back(mask[0].shape);
  f.finish(c, f.op("attention_grad", operands,
                   attention.attributes +
                       attention.sizes(6, hasDlse ? ", 1" : ", 0"),
                   gradients));
  return c;
}

} // namespace

std::vector<Generator> attentionGenerators() {
  return {{"attention", [](Random &r) { return forward(r, false); }},
          {"attention_partial", [](Random &r) { return forward(r, true); }},
          {"attention_grad", gradient}};
}

Case attentionLayer(Random &random) {
  Attention drawn(random);
  drawn.samples = uniform(random, 2, 4);
  drawn.keys = drawn.queries;
  drawn.hasBias = false;
  drawn.attributes = "scale = 5.0e-01 : f64, right = 0 : i64";
  if (uniform(random, 0, 1))
    drawn.attributes +=
        ", left = " + std::to_string(uniform(random, 0, 5)) + " : i64";
  const std::string sampleDim = ", soap.sample_dim = 0 : i64";
  Case c = made("attention_layer");
  c.training = drawTraining(random);
  c.tolerance = 1e-3;
  c.maxPieces = 8;
  FunctionText f;
  int64_t features = uniform(random, 2, 5);
  Tensor x = f.arg({drawn.samples, drawn.queries, features}, floats, "data",
                   "f32", sampleDim);
  Fill weights = floats;
  weights.bound = 1 / std::sqrt(static_cast<double>(features));
  auto heads = [&](int64_t count, int64_t width) {
    Tensor w = f.arg({count * width, features}, weights, "parameter");
    Shape rows{drawn.samples, drawn.queries, count * width};
    Tensor y = f.op1("matmul", {x, w}, "transpose_b", rows);
    y = f.op1("reshape", {y}, "", {drawn.samples, drawn.queries, count, width});
    return f.op1("transpose", {y}, "permutation = array<i64: 0, 2, 1, 3>",
                 {drawn.samples, count, drawn.queries, width});
  };
  std::vector<Tensor> operands{heads(drawn.heads(), drawn.width),
                               heads(drawn.keyHeads, drawn.width),
                               heads(drawn.keyHeads, drawn.valueWidth)};
  if (drawn.hasSegments)
    for (int i = 0; i < 2; ++i)
      operands.push_back(f.arg({drawn.samples, drawn.queries},
                               {Fill::Labels, 2}, "data", "i32", sampleDim));
  Tensor out = f.op("attention", operands, drawn.attributes + drawn.sizes(3),
                    {drawn.out(), drawn.lse()})[0];
  Tensor y = f.op1("reduce", {out}, "axes = array<i64: 2>",
                   {drawn.samples, drawn.heads(), drawn.valueWidth}, "sum ");
  int64_t all = drawn.heads() * drawn.valueWidth;
  y = f.op1("reshape", {y}, "", {drawn.samples, all});
  f.finish(c, {f.op1("matmul", {y, f.arg({4, all}, weights, "parameter")},
                     "transpose_b", {drawn.samples, 4})});
  return c;
}

} // namespace soap::equivalence
