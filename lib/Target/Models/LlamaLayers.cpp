//===- LlamaLayers.cpp - Blocks of LLaMA ----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LlamaLayers.h.
//
//===----------------------------------------------------------------------===//

#include "LlamaLayers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

static int64_t widthOf(const Sizes &sizes) {
  return sizes["width"] ? sizes["width"] : sizes["heads"] * sizes["head-width"];
}

LlamaLayers::LlamaLayers(ModelBuilder &b, const Sizes &sizes)
    : b(b), batch(sizes.batch), length(sizes["length"]), heads(sizes["heads"]),
      groups(sizes["kv-heads"]), headWidth(sizes["head-width"]),
      inner(sizes["mlp-width"]), width(widthOf(sizes)),
      qkvBias(sizes["qkv-bias"] != 0), qkNorm(sizes["qk-norm"] != 0) {
  makeRotations(static_cast<double>(sizes["rope-base"]));
}

Value LlamaLayers::block(Value x, const std::string &name) {
  x = attentionBlock(x, name);
  Value fed = feedForward(norm(x, name + ".mlp_norm"), name + ".mlp", inner);
  return b.add(x, fed, name + ".add2");
}

Value LlamaLayers::attentionBlock(Value x, const std::string &name) {
  Value attended =
      attention(norm(x, name + ".attention_norm"), name + ".attention");
  return b.add(x, attended, name + ".add1");
}

/// cos and sin of position * base^(-2i / D) for the D elements of a head:
/// [T, D]. Element i turns together with element i + D / 2.
void LlamaLayers::makeRotations(double base) {
  int64_t half = headWidth / 2;
  std::vector<float> positions, frequencies;
  for (int64_t t = 0; t < length; ++t)
    positions.push_back(static_cast<float>(t));
  for (int64_t i = 0; i < half; ++i)
    frequencies.push_back(static_cast<float>(std::pow(
        base, -2.0 * static_cast<double>(i) / static_cast<double>(headWidth))));
  Value angles = b.outerProduct(
      b.constant("rope.positions", {length, 1}, positions),
      b.constant("rope.frequencies", {1, half}, frequencies), "rope.angles");
  Value both = b.concat({angles, angles}, "rope.both", 1);
  cosines = b.cos(both, "rope.cos");
  sines = b.sin(both, "rope.sin");
}

/// x * cos + (-x2, x1) * sin for x = (x1, x2): [N, A, T, D].
Value LlamaLayers::rotate(Value x, const std::string &name) {
  int64_t half = headWidth / 2;
  Value first = b.slice(x, name + ".first", 3, 0, half),
        second = b.slice(x, name + ".second", 3, half, half);
  Value turned =
      b.concat({b.neg(second, name + ".negated"), first}, name + ".turned", 3);
  return b.add(b.mul(x, cosines, name + ".along"),
               b.mul(turned, sines, name + ".across"), name + ".rotated");
}

/// A linear layer to `count` heads: [N, T, W] to [N, count, T, D].
Value LlamaLayers::project(Value x, const std::string &name, int64_t count) {
  Value y = b.linear(x, name, count * headWidth, qkvBias);
  Value parts =
      b.reshape(y, name + ".heads", {batch, length, count, headWidth});
  return b.transpose(parts, name + ".transposed", {0, 2, 1, 3});
}

/// With a norm of each head where the model has one: Qwen3.
Value LlamaLayers::projectNormed(Value x, const std::string &name,
                                 int64_t count) {
  Value y = project(x, name, count);
  return qkNorm ? norm(y, name + ".norm") : y;
}

/// Each of the key or value heads for all query heads of its group:
/// [N, G, T, D] to [N, A, T, D].
Value LlamaLayers::repeat(Value x, const std::string &name) {
  if (groups == heads)
    return x;
  Value repeated = b.broadcast(x, name + ".repeated", 2, heads / groups);
  return b.reshape(repeated, name + ".all_heads",
                   {batch, heads, length, headWidth});
}

Value LlamaLayers::attention(Value x, const std::string &name) {
  Value q = rotate(projectNormed(x, name + ".query", heads), name + ".query"),
        k = rotate(projectNormed(x, name + ".key", groups), name + ".key"),
        v = project(x, name + ".value", groups);
  Value products = b.matmul(q, repeat(k, name + ".key"), name + ".products",
                            /*transposeB=*/true);
  Value scores = b.scale(products, name + ".scores",
                         1 / std::sqrt(static_cast<double>(headWidth)));
  Value weights =
      b.softmax(b.causalMask(scores, name + ".masked"), name + ".softmax", 3);
  Value mixed = b.matmul(weights, repeat(v, name + ".value"), name + ".mixed");
  Value joined = b.reshape(b.transpose(mixed, name + ".joined", {0, 2, 1, 3}),
                           name + ".rows", {batch, length, heads * headWidth});
  return b.linear(joined, name + ".output", width, /*bias=*/false);
}

Value LlamaLayers::gated(Value gate, Value up, const std::string &name) {
  Value silu = b.mul(gate, b.sigmoid(gate, name + ".sigmoid"), name + ".silu");
  return b.mul(silu, up, name + ".gated");
}

Value LlamaLayers::feedForward(Value x, const std::string &name,
                               int64_t inner) {
  Value gate = b.linear(x, name + ".gate", inner, /*bias=*/false),
        up = b.linear(x, name + ".up", inner, /*bias=*/false);
  return b.linear(gated(gate, up, name), name + ".down", width,
                  /*bias=*/false);
}

std::vector<ModelOption> models::llamaOptions(const LlamaDefaults &defaults,
                                              std::vector<ModelOption> others) {
  std::vector<ModelOption> options{
      {"layers", defaults.layers, 1, 1024, "blocks"},
      {"heads", defaults.heads, 1, 1024, "query heads"},
      {"kv-heads", defaults.kvHeads, 1, 1024,
       "key and value heads; they divide heads"},
      {"head-width", 128, 2, 4096, "width of a head"},
      {"width", 0, 0, 1 << 20, "width of the model; 0: head-width times heads"},
      {"mlp-width", defaults.mlpWidth, 1, 1 << 20, "width between up and down"},
      {"qkv-bias", 0, 0, 1, "1: queries, keys and values have a bias (Qwen2)"},
      {"qk-norm", 0, 0, 1,
       "1: each head of queries and keys has a norm (Qwen3)"}};
  llvm::move(others, std::back_inserter(options));
  options.insert(
      options.end(),
      {{"length", defaults.length, 1, 1 << 20, "tokens of a sequence"},
       {"vocabulary", defaults.vocabulary, 1, 1 << 22, "number of tokens"},
       {"rope-base", defaults.ropeBase, 1, 1 << 30,
        "base of the rotary frequencies"}});
  return options;
}

std::string models::checkLlamaLayers(const Sizes &sizes) {
  if (sizes["heads"] % sizes["kv-heads"])
    return "expected 'kv-heads' to divide 'heads', got " +
           std::to_string(sizes["kv-heads"]) + " and " +
           std::to_string(sizes["heads"]);
  if (sizes["head-width"] % 2)
    return "expected an even 'head-width' for rotary embeddings, got " +
           std::to_string(sizes["head-width"]);
  return "";
}
