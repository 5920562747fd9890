//===- Llama.cpp - LLaMA --------------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLaMA (Touvron et al., 2023): RMS norms first, rotary position embeddings
// (Su et al., 2021), grouped-query attention (Ainslie et al., 2023) and SwiGLU
// (Shazeer, 2020). Linear layers have no bias. Tokens are [N, T].
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

namespace {

class Llama {
public:
  Llama(ModelBuilder &b, const Sizes &sizes)
      : b(b), batch(sizes.batch), length(sizes["length"]),
        heads(sizes["heads"]), groups(sizes["kv-heads"]),
        headWidth(sizes["head-width"]), inner(sizes["mlp-width"]),
        width(heads * headWidth) {
    makeRotations(static_cast<double>(sizes["rope-base"]));
  }

  Value block(Value x, const std::string &name) {
    Value attended =
        attention(norm(x, name + ".attention_norm"), name + ".attention");
    x = b.add(x, attended, name + ".add1");
    Value fed = feedForward(norm(x, name + ".mlp_norm"), name + ".mlp");
    return b.add(x, fed, name + ".add2");
  }

  Value norm(Value x, const std::string &name) { return b.rmsNorm(x, name); }

  ModelBuilder &b;
  int64_t batch, length, heads, groups, headWidth, inner, width;

private:
  /// cos and sin of position * base^(-2i / D) for the D elements of a head:
  /// [T, D]. Element i turns together with element i + D / 2.
  void makeRotations(double base) {
    int64_t half = headWidth / 2;
    std::vector<float> positions, frequencies;
    for (int64_t t = 0; t < length; ++t)
      positions.push_back(static_cast<float>(t));
    for (int64_t i = 0; i < half; ++i)
      frequencies.push_back(static_cast<float>(
          std::pow(base, -2.0 * static_cast<double>(i) /
                             static_cast<double>(headWidth))));
    Value angles = b.outerProduct(
        b.constant("rope.positions", {length, 1}, positions),
        b.constant("rope.frequencies", {1, half}, frequencies), "rope.angles");
    Value both = b.concat({angles, angles}, "rope.both", 1);
    cosines = b.cos(both, "rope.cos");
    sines = b.sin(both, "rope.sin");
  }

  /// x * cos + (-x2, x1) * sin for x = (x1, x2): [N, A, T, D].
  Value rotate(Value x, const std::string &name) {
    int64_t half = headWidth / 2;
    Value first = b.slice(x, name + ".first", 3, 0, half),
          second = b.slice(x, name + ".second", 3, half, half);
    Value turned = b.concat({b.neg(second, name + ".negated"), first},
                            name + ".turned", 3);
    return b.add(b.mul(x, cosines, name + ".along"),
                 b.mul(turned, sines, name + ".across"), name + ".rotated");
  }

  /// A linear layer to `count` heads: [N, T, W] to [N, count, T, D].
  Value project(Value x, const std::string &name, int64_t count) {
    Value y = b.linear(x, name, count * headWidth, /*bias=*/false);
    Value parts =
        b.reshape(y, name + ".heads", {batch, length, count, headWidth});
    return b.transpose(parts, name + ".transposed", {0, 2, 1, 3});
  }

  /// Each of the key or value heads for all query heads of its group:
  /// [N, G, T, D] to [N, A, T, D].
  Value repeat(Value x, const std::string &name) {
    if (groups == heads)
      return x;
    Value repeated = b.broadcast(x, name + ".repeated", 2, heads / groups);
    return b.reshape(repeated, name + ".all_heads",
                     {batch, heads, length, headWidth});
  }

  Value attention(Value x, const std::string &name) {
    Value q = rotate(project(x, name + ".query", heads), name + ".query"),
          k = rotate(project(x, name + ".key", groups), name + ".key"),
          v = project(x, name + ".value", groups);
    Value products = b.matmul(q, repeat(k, name + ".key"), name + ".products",
                              /*transposeB=*/true);
    Value scores = b.scale(products, name + ".scores",
                           1 / std::sqrt(static_cast<double>(headWidth)));
    Value weights =
        b.softmax(b.causalMask(scores, name + ".masked"), name + ".softmax", 3);
    Value mixed =
        b.matmul(weights, repeat(v, name + ".value"), name + ".mixed");
    Value joined = b.reshape(b.transpose(mixed, name + ".joined", {0, 2, 1, 3}),
                             name + ".rows", {batch, length, width});
    return b.linear(joined, name + ".output", width, /*bias=*/false);
  }

  /// SwiGLU: silu(gate(x)) * up(x), then down.
  Value feedForward(Value x, const std::string &name) {
    Value gate = b.linear(x, name + ".gate", inner, /*bias=*/false),
          up = b.linear(x, name + ".up", inner, /*bias=*/false);
    Value silu =
        b.mul(gate, b.sigmoid(gate, name + ".sigmoid"), name + ".silu");
    return b.linear(b.mul(silu, up, name + ".gated"), name + ".down", width,
                    /*bias=*/false);
  }

  Value cosines, sines;
};

} // namespace

static OwningOpRef<ModuleOp> buildLlama(const Sizes &sizes,
                                        MLIRContext *context) {
  ModelBuilder b(context);
  Llama llama(b, sizes);
  Value tokens = b.tokens("tokens", {llama.batch, llama.length}, 0), table;
  Value x = b.embedding(tokens, "embedding", sizes["vocabulary"], llama.width,
                        &table);
  for (int64_t i = 0; i < sizes["layers"]; ++i)
    x = llama.block(x, "layers." + std::to_string(i));
  x = llama.norm(x, "norm");
  return b.finish(b.linear(x, "head", sizes["vocabulary"], /*bias=*/false,
                           sizes["tied"] ? table : Value()));
}

static std::string checkLlama(const Sizes &sizes) {
  if (sizes["heads"] % sizes["kv-heads"])
    return "expected 'kv-heads' to divide 'heads', got " +
           std::to_string(sizes["kv-heads"]) + " and " +
           std::to_string(sizes["heads"]);
  if (sizes["head-width"] % 2)
    return "expected an even 'head-width' for rotary embeddings, got " +
           std::to_string(sizes["head-width"]);
  return "";
}

void models::addLlama(std::vector<Generator> &generators) {
  using Values = std::map<std::string, int64_t>;
  auto preset = [](int64_t layers, int64_t heads, int64_t kvHeads,
                   int64_t mlpWidth, int64_t length, int64_t vocabulary,
                   int64_t ropeBase) {
    return Values{{"layers", layers},     {"heads", heads},
                  {"kv-heads", kvHeads},  {"mlp-width", mlpWidth},
                  {"length", length},     {"vocabulary", vocabulary},
                  {"rope-base", ropeBase}};
  };
  Values small = preset(16, 32, 8, 8192, 8192, 128256, 500000);
  small["head-width"] = 64;
  small["tied"] = 1;
  generators.push_back(
      {{"llama",
        "LLaMA 3 of 8B parameters (Touvron et al., 2023): RMS norm, rotary "
        "embeddings, grouped-query attention, SwiGLU",
        1,
        {{"layers", 32, 1, 1024, "blocks"},
         {"heads", 32, 1, 1024, "query heads"},
         {"kv-heads", 8, 1, 1024, "key and value heads; they divide heads"},
         {"head-width", 128, 2, 4096,
          "width of a head; the model's is the product with heads"},
         {"mlp-width", 14336, 1, 1 << 20, "width between up and down"},
         {"length", 8192, 1, 1 << 17, "tokens of a sequence"},
         {"vocabulary", 128256, 1, 1 << 22, "number of tokens"},
         {"rope-base", 500000, 1, 1 << 30, "base of the rotary frequencies"},
         {"tied", 0, 0, 1, "1: the head has the embedding's weight"}},
        {{"1b", small},
         {"7b", preset(32, 32, 32, 11008, 4096, 32000, 10000)},
         {"8b", preset(32, 32, 8, 14336, 8192, 128256, 500000)},
         {"13b", preset(40, 40, 40, 13824, 4096, 32000, 10000)},
         {"70b", preset(80, 64, 8, 28672, 4096, 32000, 10000)},
         {"405b", preset(126, 128, 8, 53248, 8192, 128256, 500000)}}},
       buildLlama,
       checkLlama});
}
