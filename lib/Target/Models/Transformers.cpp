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

#include "ModelBuilder.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

namespace {

class Transformer {
public:
  Transformer(ModelBuilder &b, const Sizes &sizes)
      : b(b), batch(sizes.batch), length(sizes["length"]),
        heads(sizes["heads"]), width(sizes["head-width"] * sizes["heads"]) {}

  ModelBuilder &b;
  int64_t batch, length, heads, width;

  /// [N, T, W] to [N, A, T, W / A].
  Value split(Value x, const std::string &name) {
    Value parts =
        b.reshape(x, name + ".heads", {batch, length, heads, width / heads});
    return b.transpose(parts, name + ".transposed", {0, 2, 1, 3});
  }

  Value attention(Value x, const std::string &name, bool causal) {
    Value q = split(b.linear(x, name + ".query", width), name + ".query"),
          k = split(b.linear(x, name + ".key", width), name + ".key"),
          v = split(b.linear(x, name + ".value", width), name + ".value");
    Value scores = b.scale(
        b.matmul(q, k, name + ".products", /*transposeB=*/true),
        name + ".scores", 1 / std::sqrt(static_cast<double>(width / heads)));
    if (causal)
      scores = b.causalMask(scores, name + ".masked");
    Value mixed =
        b.matmul(b.softmax(scores, name + ".softmax", 3), v, name + ".mixed");
    Value joined = b.reshape(b.transpose(mixed, name + ".joined", {0, 2, 1, 3}),
                             name + ".rows", {batch, length, width});
    return b.linear(joined, name + ".output", width);
  }

  Value feedForward(Value x, const std::string &name) {
    Value y = b.gelu(b.linear(x, name + ".up", 4 * width), name + ".gelu");
    return b.linear(y, name + ".down", width);
  }

  Value embed(int64_t vocabulary) {
    Value tokens = b.tokens("tokens", {batch, length}, 0);
    Value x = b.embedding(tokens, "embedding", vocabulary, width);
    return b.add(x,
                 b.parameter("position.weight", {length, width}, "default",
                             width, width),
                 "position");
  }
};

} // namespace

static OwningOpRef<ModuleOp> buildGPT(const Sizes &sizes,
                                      MLIRContext *context) {
  ModelBuilder b(context);
  Transformer t(b, sizes);
  Value x = t.embed(sizes["vocabulary"]);
  for (int64_t i = 0; i < sizes["layers"]; ++i) {
    std::string name = "block" + std::to_string(i);
    Value attended = t.attention(b.layerNorm(x, name + ".norm1"),
                                 name + ".attention", /*causal=*/true);
    x = b.add(x, attended, name + ".add1");
    Value fed = t.feedForward(b.layerNorm(x, name + ".norm2"), name + ".mlp");
    x = b.add(x, fed, name + ".add2");
  }
  x = b.layerNorm(x, "norm");
  return b.finish(b.linear(x, "head", sizes["vocabulary"], /*bias=*/false));
}

static OwningOpRef<ModuleOp> buildBERT(const Sizes &sizes,
                                       MLIRContext *context) {
  ModelBuilder b(context);
  Transformer t(b, sizes);
  Value x = b.layerNorm(t.embed(sizes["vocabulary"]), "embedding.norm");
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
  return b.finish(b.linear(x, "head", sizes["vocabulary"]));
}

void models::addTransformers(std::vector<Generator> &generators) {
  auto options = [](int64_t length, int64_t vocabulary) {
    return std::vector<ModelOption>{
        {"layers", 12, 1, 1024, "blocks"},
        {"heads", 12, 1, 1024, "attention heads"},
        {"head-width", 64, 1, 4096,
         "width of a head; the model's is the "
         "product with the number of heads"},
        {"length", length, 1, 1 << 17, "tokens of a sequence"},
        {"vocabulary", vocabulary, 1, 1 << 22, "number of tokens"}};
  };
  generators.push_back({{"gpt", "GPT-2 small: 12 causal blocks of width 768", 8,
                         options(1024, 50257)},
                        buildGPT});
  generators.push_back(
      {{"bert", "BERT base: 12 blocks of width 768, masked language model", 32,
        options(128, 30522)},
       buildBERT});
}
