//===- Transformers.cpp - GPT and BERT ------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPT-2 (Radford et al., 2019): blocks with norms first and causal attention.
// BERT (Devlin et al., 2018): norms last, every position sees all. Without
// dropout. Tokens are [N, T].
//
//===----------------------------------------------------------------------===//

#include "TransformerLayers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

Value TransformerLayers::split(Value x, const std::string &name) {
  Value parts =
      b.reshape(x, name + ".heads", {batch, length, heads, width / heads});
  return b.transpose(parts, name + ".transposed", {0, 2, 1, 3});
}

Value TransformerLayers::attention(Value x, const std::string &name,
                                   bool causal) {
  Value q = split(b.linear(x, name + ".query", width, bias), name + ".query"),
        k = split(b.linear(x, name + ".key", width, bias), name + ".key"),
        v = split(b.linear(x, name + ".value", width, bias), name + ".value");
  Value scores = b.scale(
      b.matmul(q, k, name + ".products", /*transposeB=*/true), name + ".scores",
      1 / std::sqrt(static_cast<double>(width / heads)));
  if (causal)
    scores = b.causalMask(scores, name + ".masked");
  Value mixed =
      b.matmul(b.softmax(scores, name + ".softmax", 3), v, name + ".mixed");
  Value joined = b.reshape(b.transpose(mixed, name + ".joined", {0, 2, 1, 3}),
                           name + ".rows", {batch, length, width});
  return b.linear(joined, name + ".output", width, bias);
}

Value TransformerLayers::feedForward(Value x, const std::string &name) {
  Value y = b.gelu(b.linear(x, name + ".up", inner, bias), name + ".gelu");
  return b.linear(y, name + ".down", width, bias);
}

Value TransformerLayers::block(Value x, const std::string &name, bool causal) {
  Value attended =
      attention(b.layerNorm(x, name + ".norm1"), name + ".attention", causal);
  x = b.add(x, attended, name + ".add1");
  Value fed = feedForward(b.layerNorm(x, name + ".norm2"), name + ".mlp");
  return b.add(x, fed, name + ".add2");
}

static TransformerLayers layersOf(ModelBuilder &b, const Sizes &sizes) {
  int64_t width = sizes["heads"] * sizes["head-width"];
  TransformerLayers layers(b, sizes.batch, sizes["length"], sizes["heads"],
                           sizes["head-width"], 4 * width);
  layers.bias = sizes["biases"] != 0;
  return layers;
}

/// Tokens and positions; `table` becomes the tokens' weight.
static Value embed(TransformerLayers &t, const Sizes &sizes, Value &table) {
  Value tokens = t.b.tokens("tokens", {t.batch, t.length}, 0);
  Value x =
      t.b.embedding(tokens, "embedding", sizes["vocabulary"], t.width, &table);
  int64_t positions = sizes["positions"] ? sizes["positions"] : t.length;
  Value weight = t.b.parameter("position.weight", {positions, t.width},
                               "default", t.width, t.width);
  if (positions > t.length)
    weight = t.b.slice(weight, "position.rows", 0, 0, t.length);
  return t.b.add(x, weight, "position");
}

static OwningOpRef<ModuleOp> buildGPT(const Sizes &sizes,
                                      MLIRContext *context) {
  ModelBuilder b(context);
  TransformerLayers t = layersOf(b, sizes);
  Value table, x = embed(t, sizes, table);
  for (int64_t i = 0; i < sizes["layers"]; ++i)
    x = t.block(x, "block" + std::to_string(i), /*causal=*/true);
  x = b.layerNorm(x, "norm");
  return b.finish(b.linear(x, "head", sizes["vocabulary"], /*bias=*/false,
                           sizes["tied"] ? table : Value()));
}

static OwningOpRef<ModuleOp> buildBERT(const Sizes &sizes,
                                       MLIRContext *context) {
  ModelBuilder b(context);
  TransformerLayers t = layersOf(b, sizes);
  Value table, x = embed(t, sizes, table);
  if (int64_t segments = sizes["segments"]) {
    // All tokens are of the first one.
    Value kinds = b.parameter("segment.weight", {segments, t.width}, "default",
                              t.width, t.width);
    x = b.add(x, b.slice(kinds, "segment.first", 0, 0, 1), "segment");
  }
  x = b.layerNorm(x, "embedding.norm");
  for (int64_t i = 0; i < sizes["layers"]; ++i) {
    std::string name = "block" + std::to_string(i);
    Value attended = t.attention(x, name + ".attention", /*causal=*/false);
    x = b.layerNorm(b.add(x, attended, name + ".add1"), name + ".norm1");
    x = b.layerNorm(b.add(x, t.feedForward(x, name + ".mlp"), name + ".add2"),
                    name + ".norm2");
  }
  // The head of the masked language model.
  x = b.layerNorm(b.gelu(b.linear(x, "head.dense", t.width), "head.gelu"),
                  "head.norm");
  return b.finish(b.linear(x, "head", sizes["vocabulary"], /*bias=*/true,
                           sizes["tied"] ? table : Value()));
}

static std::string checkPositions(const Sizes &sizes) {
  if (sizes["positions"] && sizes["positions"] < sizes["length"])
    return "expected 'positions' of at least the 'length', got " +
           std::to_string(sizes["positions"]) + " and " +
           std::to_string(sizes["length"]);
  return "";
}

void models::addTransformers(std::vector<Generator> &generators) {
  auto options = [](int64_t length, int64_t vocabulary) {
    return std::vector<ModelOption>{
        {"layers", 12, 1, 1024, "blocks"},
        {"heads", 12, 1, 1024, "attention heads"},
        {"head-width", 64, 1, 4096,
         "width of a head; the model's is the "
         "product with the number of heads"},
        {"length", length, 1, 1 << 20, "tokens of a sequence"},
        {"vocabulary", vocabulary, 1, 1 << 22, "number of tokens"},
        {"positions", 0, 0, 1 << 20,
         "rows of the table of positions; 0: as many as 'length'"},
        {"tied", 0, 0, 1, "1: the head has the embedding's weight"},
        {"biases", 1, 0, 1, "0: linear layers of blocks have no bias"}};
  };
  using Values = std::map<std::string, int64_t>;
  auto preset = [](int64_t layers, int64_t heads, int64_t headWidth) {
    return Values{
        {"layers", layers}, {"heads", heads}, {"head-width", headWidth}};
  };
  generators.push_back({{"gpt",
                         "GPT-2 small: 12 causal blocks of width 768",
                         8,
                         options(1024, 50257),
                         {{"small", preset(12, 12, 64)},
                          {"medium", preset(24, 16, 64)},
                          {"large", preset(36, 20, 64)},
                          {"xl", preset(48, 25, 64)}}},
                        buildGPT,
                        checkPositions});
  std::vector<ModelOption> large = options(2048, 50257);
  for (ModelOption &option : large)
    for (const auto &[name, value] : preset(96, 96, 128))
      if (option.name == name)
        option.value = value;
  generators.push_back(
      {{"gpt3",
        "GPT-3 of 175B parameters (Brown et al., 2020), dense attention",
        1,
        large,
        {{"1.3b", preset(24, 16, 128)},
         {"2.7b", preset(32, 32, 80)},
         {"6.7b", preset(32, 32, 128)},
         {"13b", preset(40, 40, 128)},
         {"175b", preset(96, 96, 128)}}},
       buildGPT,
       checkPositions});
  std::vector<ModelOption> ofBERT = options(128, 30522);
  ofBERT.push_back({"segments", 0, 0, 64,
                    "rows of a table of kinds of segments, of which the first "
                    "is added; 0: none"});
  generators.push_back(
      {{"bert",
        "BERT base: 12 blocks of width 768, masked language model",
        32,
        ofBERT,
        {{"base", preset(12, 12, 64)}, {"large", preset(24, 16, 64)}}},
       buildBERT,
       checkPositions});
}
