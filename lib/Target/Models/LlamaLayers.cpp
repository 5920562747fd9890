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
    : b(b), sizes(sizes), batch(sizes.batch), length(sizes["length"]),
      heads(sizes["heads"]), groups(sizes["kv-heads"]),
      headWidth(sizes["head-width"]), inner(sizes["mlp-width"]),
      width(widthOf(sizes)),
      epsilon(1e-7 * static_cast<double>(sizes["epsilon"])) {
  int64_t turned = sizes["kv-rank"] ? sizes["rope-width"] : headWidth;
  everywhere = makeRotations(sizes["rope-base"], turned, "rope");
  ofWindows = everywhere;
  if (sizes["window"] && sizes["window-rope-base"])
    ofWindows = makeRotations(sizes["window-rope-base"], turned, "window.rope");
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Value LlamaLayers::block(Value x, int64_t layer) {
  std::string name = nameOf(layer);
  x = attentionBlock(x, layer);
  Value fed = feedForward(norm(x, name + ".mlp_norm"), name + ".mlp", inner);
  return addHalf(x, fed, name + ".mlp", name + ".add2");
}

Value LlamaLayers::attentionBlock(Value x, int64_t layer) {
  std::string name = nameOf(layer);
  Value attended =
      attention(norm(x, name + ".attention_norm"), name + ".attention", layer);
  return addHalf(x, attended, name + ".attention", name + ".add1");
}

Value LlamaLayers::addHalf(Value x, Value half, const std::string &name,
                           const std::string &sum) {
  if (sizes["post-norms"])
    half = norm(half, name + "_post_norm");
  return b.add(x, half, sum);
}

Value LlamaLayers::embed(Value tokens, Value &table) {
  Value x =
      b.embedding(tokens, "embedding", sizes["vocabulary"], width, &table);
  if (!sizes["scale-embedding"])
    return x;
  return b.scale(x, "embedding.scaled", std::sqrt(static_cast<double>(width)));
}

Value LlamaLayers::head(Value x, Value table) {
  Value logits = b.linear(norm(x, "norm"), "head", sizes["vocabulary"],
                          /*bias=*/false, sizes["tied"] ? table : Value());
  if (!sizes["logit-cap"])
    return logits;
  auto cap = static_cast<double>(sizes["logit-cap"]);
  Value bounded = b.tanh(b.scale(logits, "head.scaled", 1 / cap), "head.tanh");
  return b.scale(bounded, "head.capped", cap);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// cos and sin of position * base^(-2i / D) for `turned` elements, D.
/// Element i turns together with element i + D / 2.
LlamaLayers::Rotations LlamaLayers::makeRotations(int64_t base, int64_t turned,
                                                  const char *prefix) {
  int64_t half = turned / 2;
  std::string name = prefix;
  std::vector<float> positions, frequencies;
  for (int64_t t = 0; t < length; ++t)
    positions.push_back(static_cast<float>(t));
  for (int64_t i = 0; i < half; ++i)
    frequencies.push_back(static_cast<float>(
        std::pow(static_cast<double>(base),
                 -2.0 * static_cast<double>(i) / static_cast<double>(turned))));
  Value angles =
      b.outerProduct(b.constant(name + ".positions", {length, 1}, positions),
                     b.constant(name + ".frequencies", {1, half}, frequencies),
                     name + ".angles");
  Value both = b.concat({angles, angles}, name + ".both", 1);
  return {b.cos(both, name + ".cos"), b.sin(both, name + ".sin")};
}

/// x * cos + (-x2, x1) * sin for x = (x1, x2): [N, A, T, D].
Value LlamaLayers::rotate(Value x, const std::string &name,
                          const Rotations &by) {
  int64_t half = ModelBuilder::shapeOf(x).back() / 2;
  Value first = b.slice(x, name + ".first", 3, 0, half),
        second = b.slice(x, name + ".second", 3, half, half);
  Value turned =
      b.concat({b.neg(second, name + ".negated"), first}, name + ".turned", 3);
  return b.add(b.mul(x, by.cosines, name + ".along"),
               b.mul(turned, by.sines, name + ".across"), name + ".rotated");
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// [N, T, count * each] to [N, count, T, each].
Value LlamaLayers::split(Value x, const std::string &name, int64_t count,
                         int64_t each) {
  Value parts = b.reshape(x, name + ".heads", {batch, length, count, each});
  return b.transpose(parts, name + ".transposed", {0, 2, 1, 3});
}

/// A linear layer to `count` heads: [N, T, W] to [N, count, T, D].
Value LlamaLayers::project(Value x, const std::string &name, int64_t count) {
  return split(b.linear(x, name, count * headWidth, sizes["qkv-bias"] != 0),
               name, count, headWidth);
}

/// With a norm of each head where the model has one: Qwen3.
Value LlamaLayers::projectNormed(Value x, const std::string &name,
                                 int64_t count) {
  Value y = project(x, name, count);
  return sizes["qk-norm"] ? norm(y, name + ".norm") : y;
}

/// Keys and values of one head serve a group of queries' heads (Ainslie et al.,
/// 2023).
LlamaLayers::Heads LlamaLayers::grouped(Value x, const std::string &name,
                                        const Rotations &by) {
  return {rotate(projectNormed(x, name + ".query", heads), name + ".query", by),
          rotate(projectNormed(x, name + ".key", groups), name + ".key", by),
          project(x, name + ".value", groups)};
}

/// Keys and values of all heads from one latent vector of a token, and one part
/// of the keys that turns with the position and is the same for all heads
/// (DeepSeek-V2, 2024, section 2.1).
LlamaLayers::Heads LlamaLayers::latent(Value x, const std::string &name,
                                       const Rotations &by) {
  int64_t turned = sizes["rope-width"], straight = headWidth - turned,
          valueWidth = sizes["value-width"], rank = sizes["kv-rank"];
  auto part = [&](Value of, const char *what, int64_t from, int64_t size) {
    return b.slice(of, name + what, 3, from, size);
  };
  Value queries = x;
  if (int64_t queryRank = sizes["query-rank"])
    queries = norm(b.linear(x, name + ".query_down", queryRank, /*bias=*/false),
                   name + ".query_norm");
  Value q = split(
      b.linear(queries, name + ".query", heads * headWidth, /*bias=*/false),
      name + ".query", heads, headWidth);
  q = b.concat({part(q, ".query.straight", 0, straight),
                rotate(part(q, ".query.positions", straight, turned),
                       name + ".query", by)},
               name + ".queries", 3);

  Value down = b.linear(x, name + ".kv_down", rank + turned, /*bias=*/false);
  Value latents =
      norm(b.slice(down, name + ".latent", 2, 0, rank), name + ".kv_norm");
  Value up = split(b.linear(latents, name + ".kv",
                            heads * (straight + valueWidth), /*bias=*/false),
                   name + ".kv", heads, straight + valueWidth);
  Value positions =
      rotate(split(b.slice(down, name + ".key_down", 2, rank, turned),
                   name + ".key", 1, turned),
             name + ".key", by);
  Value shared = b.broadcast(
      b.reshape(positions, name + ".key.shared", {batch, length, turned}),
      name + ".key.repeated", 1, heads);
  Value k = b.concat({part(up, ".key.straight", 0, straight), shared},
                     name + ".keys", 3);
  return {q, k, part(up, ".value", straight, valueWidth)};
}

/// Whether queries see the last `window` keys alone.
bool LlamaLayers::hasWindow(int64_t layer) const {
  int64_t every = sizes["full-every"];
  return sizes["window"] && (every == 0 || (layer + 1) % every != 0);
}

Value LlamaLayers::attention(Value x, const std::string &name, int64_t layer) {
  bool isWindow = hasWindow(layer);
  const Rotations &by = isWindow ? ofWindows : everywhere;
  Heads h = sizes["kv-rank"] ? latent(x, name, by) : grouped(x, name, by);
  auto scaled = static_cast<double>(sizes["query-scale"] ? sizes["query-scale"]
                                                         : headWidth);
  ModelBuilder::Attention attended = b.attention(
      h.q, h.k, h.v, name + ".mixed",
      {1 / std::sqrt(scaled), static_cast<double>(sizes["attention-cap"]),
       isWindow ? sizes["window"] : 0});
  Value mixed = attended.out;
  if (sizes["sinks"]) {
    // A key of no value, with one score of each head (StreamingLLM, Xiao et
    // al., 2023).
    Value sinks = b.parameter(name + ".sinks", {heads, 1}, "zeros");
    Value seen = b.sigmoid(b.sub(attended.lse, sinks, name + ".over_sinks"),
                           name + ".seen");
    mixed = b.mul(mixed,
                  b.reshape(seen, name + ".shares", {batch, heads, length, 1}),
                  name + ".beside_sinks");
  }
  int64_t each = ModelBuilder::shapeOf(mixed).back();
  Value joined = b.reshape(b.transpose(mixed, name + ".joined", {0, 2, 1, 3}),
                           name + ".rows", {batch, length, heads * each});
  return b.linear(joined, name + ".output", width, sizes["output-bias"] != 0);
}

//===----------------------------------------------------------------------===//
// Feed-forward layers
//===----------------------------------------------------------------------===//

Value LlamaLayers::gated(Value gate, Value up, const std::string &name) {
  if (sizes["gelu"])
    return b.mul(b.gelu(gate, name + ".gelu"), up, name + ".gated");
  return b.swiglu(gate, up, name + ".gated");
}

Value LlamaLayers::feedForward(Value x, const std::string &name,
                               int64_t inner) {
  Value gate = b.linear(x, name + ".gate", inner, /*bias=*/false),
        up = b.linear(x, name + ".up", inner, /*bias=*/false);
  return b.linear(gated(gate, up, name), name + ".down", width,
                  /*bias=*/false);
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

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
      {"output-bias", 0, 0, 1,
       "1: the layer behind attention has a bias (gpt-oss)"},
      {"qk-norm", 0, 0, 1,
       "1: each head of queries and keys has a norm (Qwen3)"},
      {"query-scale", 0, 0, 1 << 20,
       "products of queries and keys are divided by its square root; 0: "
       "head-width"},
      {"window", 0, 0, 1 << 20,
       "keys that a query sees, its own and those before it; 0: all"},
      {"full-every", 0, 0, 1024,
       "every so many blocks, one without a window; 0: none"},
      {"window-rope-base", 0, 0, 1 << 30,
       "rope-base of blocks with a window; 0: the same (Gemma 3)"},
      {"sinks", 0, 0, 1,
       "1: each head has a score that takes a share of attention (gpt-oss)"},
      {"attention-cap", 0, 0, 1 << 20,
       "scores are cap * tanh(score / cap); 0: as they are (Gemma 2)"},
      {"kv-rank", 0, 0, 1 << 20,
       "width of the latent keys and values (DeepSeek-V2); 0: none, but "
       "kv-heads"},
      {"query-rank", 0, 0, 1 << 20,
       "width between the two layers of latent queries; 0: one layer"},
      {"rope-width", 64, 2, 4096,
       "with latent keys: elements of a head that turn with the position, of "
       "head-width"},
      {"value-width", 128, 1, 4096, "with latent keys: width of a value"},
      {"gelu", 0, 0, 1, "1: gated gelu instead of SwiGLU (Gemma)"},
      {"epsilon", defaults.epsilon, 1, 1000000,
       "what norms add to the mean of squares, in ten-millionths"},
      {"post-norms", 0, 0, 1,
       "1: a norm behind each half of a block, too (Gemma 2)"},
      {"scale-embedding", 0, 0, 1,
       "1: rows of the embedding times the square root of the width (Gemma)"},
      {"logit-cap", 0, 0, 1 << 20,
       "logits are cap * tanh(logit / cap); 0: as they are (Gemma 2)"},
      {"tied", 0, 0, 1, "1: the head has the embedding's weight"}};
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
  auto pair = [&](const char *first, const char *second) {
    return ", got " + std::to_string(sizes[first]) + " and " +
           std::to_string(sizes[second]);
  };
  if (sizes["heads"] % sizes["kv-heads"])
    return "expected 'kv-heads' to divide 'heads'" + pair("kv-heads", "heads");
  bool isLatent = sizes["kv-rank"] != 0;
  if (isLatent && sizes["rope-width"] >= sizes["head-width"])
    return "expected 'rope-width' below 'head-width' with 'kv-rank'" +
           pair("rope-width", "head-width");
  for (const char *option : {"qkv-bias", "qk-norm"})
    if (isLatent && sizes[option])
      return std::string("expected no '") + option + "' with 'kv-rank'";
  if (!isLatent && sizes["query-rank"])
    return "expected 'kv-rank' with 'query-rank'";
  if (isLatent && sizes["kv-heads"] != sizes["heads"])
    return "expected as many 'kv-heads' as 'heads' with 'kv-rank'" +
           pair("kv-heads", "heads");
  const char *turned = isLatent ? "rope-width" : "head-width";
  if (sizes[turned] % 2)
    return std::string("expected an even '") + turned +
           "' for rotary embeddings, got " + std::to_string(sizes[turned]);
  for (const char *option : {"full-every", "window-rope-base"})
    if (!sizes["window"] && sizes[option])
      return std::string("expected a 'window' with '") + option + "'";
  return "";
}
