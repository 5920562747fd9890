//===- ExpertCases.cpp - Routing of tokens to experts ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of mixtures of experts, with places that are too few and too many,
// and a layer of experts whose choices are data: no rounding changes them.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <cmath>

namespace soap::equivalence {

namespace {

const Fill integers{Fill::Integers, 0}, floats{Fill::Uniform, 0};
using Shape = std::vector<int64_t>;

Case made(const std::string &name, bool exact = true) {
  Case result;
  result.name = name;
  result.exact = exact;
  return result;
}

/// Sizes of a layer of experts.
struct Layer {
  int64_t samples, length, width, experts, choices, capacity;

  explicit Layer(Random &random)
      : samples(uniform(random, 1, 5)), length(uniform(random, 1, 6)),
        width(uniform(random, 1, 5)), experts(uniform(random, 1, 5)),
        choices(uniform(random, 1, experts)),
        capacity(uniform(random, 1, length + 1)) {}

  Shape tokens() const { return {samples, length, width}; }
  Shape gates() const { return {samples, length, choices}; }
  Shape places() const { return {experts, samples, capacity, width}; }

  /// Slots, tokens and load for choices that are data, -1 among them.
  std::vector<Tensor> route(FunctionText &f,
                            const std::string &extra = "") const {
    Tensor indices =
        f.arg(gates(), {Fill::Labels, experts}, "data", "i32", extra);
    return f.op("route", {indices}, "",
                {gates(), {samples, experts, capacity}, {samples, experts}}, "",
                "i32,i32,f32");
  }
};

Case topK(Random &random) {
  Shape shape(uniform(random, 1, 3));
  for (int64_t &d : shape)
    d = uniform(random, 1, 7);
  Shape found = shape;
  found.back() = uniform(random, 1, shape.back());
  std::string k = std::to_string(found.back());
  Case c = made("top_k");
  FunctionText f;
  // Integers have equal ones among them.
  Tensor x = f.arg(shape, integers);
  std::vector<Tensor> results =
      f.op("top_k", {x}, "k = " + k + " : i64", {found, found}, "", "f32,i32");
  Tensor dx =
      f.op1("top_k_grad", {f.arg(found, integers), results[1]}, "", shape);
  f.finish(c, {results[0], results[1], dx});
  return c;
}

Case route(Random &random) {
  Case c = made("route");
  FunctionText f;
  f.finish(c, Layer(random).route(f));
  return c;
}

/// Dispatch, combine or the gradient of gates, with or without gates.
Case move(const std::string &name, Random &random) {
  Layer layer(random);
  Case c = made(name);
  FunctionText f;
  std::vector<Tensor> routes = layer.route(f);
  Tensor tokens = f.arg(layer.tokens(), integers),
         places = f.arg(layer.places(), integers);
  bool isGradient = name == "gates_grad", dispatches = name == "dispatch";
  if (isGradient) {
    f.finish(c, {f.op1(name, {tokens, places, routes[0]}, "", layer.gates())});
    return c;
  }
  std::vector<Tensor> operands{dispatches ? tokens : places, routes[0],
                               routes[1]};
  if (uniform(random, 0, 1))
    operands.push_back(f.arg(layer.gates(), integers));
  f.finish(c, {f.op1(name, operands, "",
                     dispatches ? layer.places() : layer.tokens())});
  return c;
}

} // namespace

std::vector<Generator> expertGenerators() {
  std::vector<Generator> result{{"top_k", topK}, {"route", route}};
  for (const char *name : {"dispatch", "combine_experts", "gates_grad"})
    result.push_back(
        {name, [name](Random &random) { return move(name, random); }});
  return result;
}

Case expertLayer(Random &random) {
  Layer layer(random);
  layer.samples = uniform(random, 2, 6);
  const std::string sampleDim = ", soap.sample_dim = 0 : i64";
  Case c = made("expert_layer", false);
  c.training = drawTraining(random);
  c.tolerance = 1e-3;
  c.maxPieces = 6;
  FunctionText f;
  auto weight = [&](Shape shape) {
    Fill fill = floats;
    fill.bound = 1 / std::sqrt(static_cast<double>(shape.back()));
    return f.arg(std::move(shape), fill, "parameter");
  };
  Tensor x = f.arg(layer.tokens(), floats, "data", "f32", sampleDim);
  std::vector<Tensor> routes = layer.route(f, sampleDim);
  Tensor gates = f.op1("matmul", {x, weight({layer.choices, layer.width})},
                       "transpose_b", layer.gates());
  gates = f.op1("softmax", {gates}, "axis = 2 : i64", layer.gates());
  Tensor y = f.op1("dispatch", {x, routes[0], routes[1]}, "", layer.places());
  int64_t inner = uniform(random, 2, 5);
  Shape wide{layer.experts, layer.samples, layer.capacity, inner};
  y = f.op1("matmul", {y, weight({layer.experts, inner, layer.width})},
            "transpose_b", wide);
  y = f.op1("tanh", {y}, "", wide);
  y = f.op1("matmul", {y, weight({layer.experts, layer.width, inner})},
            "transpose_b", layer.places());
  y = f.op1("combine_experts", {y, routes[0], routes[1], gates}, "",
            layer.tokens());
  y = f.op1("add", {y, x}, "", layer.tokens());
  y = f.op1("reduce", {y}, "axes = array<i64: 1>", {layer.samples, layer.width},
            "sum ");
  Tensor logits = f.op1("matmul", {y, weight({4, layer.width})}, "transpose_b",
                        {layer.samples, 4});
  f.finish(c, {logits});
  return c;
}

} // namespace soap::equivalence
