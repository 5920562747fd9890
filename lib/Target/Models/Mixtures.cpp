//===- Mixtures.cpp - Mixtures of experts ---------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mixtral (Jiang et al., 2024) and DeepSeekMoE (Dai et al., 2024): blocks of
// LLaMA whose feed-forward layer is one of many for each token. Every expert
// has places for so many tokens of a sample (the groups of GShard, Lepikhin et
// al., 2020). Tokens are [N, T].
//
//===----------------------------------------------------------------------===//

#include "LlamaLayers.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

namespace {

/// How the probabilities of a router become the gates of its choices.
enum class Gates {
  SumToOne,      ///< the choices' probabilities, divided by their sum
  Probabilities, ///< as they are
};

/// How the balance losses of layers become one.
enum class Balance {
  MeanOfLayers,       ///< transformers' Mixtral: an even load gives `top-k`
  SumOfLayersByChoice ///< DeepSeekMoE: the sum, each divided by `top-k`
};

class Mixture {
public:
  Mixture(ModelBuilder &b, const Sizes &sizes, Gates gates, int64_t expertWidth,
          int64_t shared)
      : layers(b, sizes), b(b), gates(gates), experts(sizes["experts"]),
        choices(sizes["top-k"]), expertWidth(expertWidth), shared(shared) {
    // Rounded up; no expert is chosen twice by a token.
    constexpr int64_t percent = 100;
    int64_t places = choices * layers.length * sizes["capacity"],
            all = experts * percent;
    capacity = sizes["capacity"] ? std::clamp<int64_t>((places + all - 1) / all,
                                                       1, layers.length)
                                 : layers.length;
  }

  Value block(Value x, const std::string &name) {
    x = layers.attentionBlock(x, name);
    Value normed = layers.norm(x, name + ".mlp_norm");
    Value fed = mixture(normed, name + ".experts");
    if (shared)
      fed = b.add(
          fed,
          layers.feedForward(normed, name + ".shared", shared * expertWidth),
          name + ".fed");
    return b.add(x, fed, name + ".add2");
  }

  /// The loss that balances experts. A layer's is, as the mean over samples,
  /// experts * sum of (share of the tokens) * (mean probability) (Fedus et al.,
  /// 2021, equation 4).
  Value balanceLoss(double coefficient, Balance kind) {
    auto number = [](int64_t n) { return static_cast<double>(n); };
    double tokens = number(layers.length);
    double factor = coefficient * number(experts) / tokens / tokens /
                    number(layers.batch) /
                    number(kind == Balance::MeanOfLayers ? count : choices);
    return b.scale(b.sum(balance, "balance.sum", 0), "balance", factor);
  }
  /// Dropped choices of all layers as tokens: divided by layers and by choices
  /// of a token.
  Value droppedTokens() {
    return b.scale(b.sum(dropped, "dropped.sum", 0), "dropped",
                   1 / static_cast<double>(choices * count));
  }

  /// Says that experts may not take all tokens, which the published ones do.
  void remarkDropped(Location loc, int64_t percent) const {
    if (capacity < layers.length)
      emitRemark(loc)
          << "an expert has " << capacity << " places for the "
          << layers.length * choices << " choices of a sample ('capacity' is "
          << percent
          << " percent), and drops what finds none; the published network "
             "drops nothing, which is capacity=0";
  }

  LlamaLayers layers;

private:
  ModelBuilder &b;
  Gates gates;
  int64_t experts, choices, expertWidth, shared, capacity;
  /// Of the layers so far, by sample: sums of load times probability, and
  /// dropped choices.
  Value balance, dropped;
  int64_t count = 0;

  Value mixture(Value x, const std::string &name) {
    Value logits = b.linear(x, name + ".router", experts, /*bias=*/false);
    Value probabilities = b.softmax(logits, name + ".probabilities", 2);
    // The softmax over the chosen logits is that over all, divided by the sum
    // of the chosen ones.
    bool isFirst = gates == Gates::SumToOne;
    ModelBuilder::Choice chosen =
        b.topK(isFirst ? logits : probabilities, name + ".choices", choices);
    Value weights =
        isFirst ? b.softmax(chosen.values, name + ".gates", 2) : chosen.values;
    ModelBuilder::Routes routes =
        b.route(chosen.indices, name + ".routes", experts, capacity);
    Value placed = b.dispatch(x, routes, name + ".dispatch");
    Value fed = feedForward(placed, name);
    addLoad(probabilities, routes.load, name);
    return b.combineExperts(fed, routes, weights, name + ".combine");
  }

  /// SwiGLU with the weights of each expert: [E, N, C, W].
  Value feedForward(Value x, const std::string &name) {
    auto product = [&](Value input, const std::string &part, int64_t features) {
      int64_t inputs = ModelBuilder::shapeOf(input).back();
      Value weight = b.parameter(part + ".weight", {experts, features, inputs},
                                 "default", inputs, features);
      return b.matmul(input, weight, part, /*transposeB=*/true);
    };
    Value gate = product(x, name + ".gate", expertWidth),
          up = product(x, name + ".up", expertWidth);
    return product(layers.gated(gate, up, name), name + ".down", layers.width);
  }

  void addLoad(Value probabilities, Value load, const std::string &name) {
    Value most =
        b.constant(name + ".capacity", {}, {static_cast<float>(capacity)});
    Value over = b.relu(b.sub(load, most, name + ".over"), name + ".beyond");
    add(dropped, b.sum(over, name + ".dropped", 1), name + ".dropped_sum");
    Value mean = b.sum(probabilities, name + ".probability_sum", 1);
    Value product = b.mul(mean, load, name + ".load_product");
    add(balance, b.sum(product, name + ".balance", 1), name + ".balance_sum");
    ++count;
  }

  void add(Value &sum, Value value, const std::string &name) {
    sum = sum ? b.add(sum, value, name) : value;
  }
};

OwningOpRef<ModuleOp> finish(ModelBuilder &b, Mixture &mixture, Value x,
                             const Sizes &sizes, Balance balance) {
  mixture.remarkDropped(x.getLoc(), sizes["capacity"]);
  x = mixture.layers.norm(x, "norm");
  Value logits = b.linear(x, "head", sizes["vocabulary"], /*bias=*/false);
  // The option counts ten-thousandths.
  ModelBuilder::Result others[] = {
      {mixture.balanceLoss(1e-4 * static_cast<double>(sizes["balance"]),
                           balance),
       ValueKind::Loss, "balance"},
      {mixture.droppedTokens(), ValueKind::Output, "dropped"}};
  return b.finish(logits, others);
}

OwningOpRef<ModuleOp> buildMixtral(const Sizes &sizes, MLIRContext *context) {
  ModelBuilder b(context);
  Mixture mixture(b, sizes, Gates::SumToOne, sizes["mlp-width"], 0);
  Value tokens =
      b.tokens("tokens", {mixture.layers.batch, mixture.layers.length}, 0);
  Value x = b.embedding(tokens, "embedding", sizes["vocabulary"],
                        mixture.layers.width);
  for (int64_t i = 0; i < sizes["layers"]; ++i)
    x = mixture.block(x, "layers." + std::to_string(i));
  return finish(b, mixture, x, sizes, Balance::MeanOfLayers);
}

/// The first layers have one feed-forward layer for all tokens.
OwningOpRef<ModuleOp> buildDeepSeek(const Sizes &sizes, MLIRContext *context) {
  ModelBuilder b(context);
  Mixture mixture(b, sizes, Gates::Probabilities, sizes["expert-width"],
                  sizes["shared-experts"]);
  mixture.layers.epsilon = 1e-6;
  Value tokens =
      b.tokens("tokens", {mixture.layers.batch, mixture.layers.length}, 0);
  Value x = b.embedding(tokens, "embedding", sizes["vocabulary"],
                        mixture.layers.width);
  for (int64_t i = 0; i < sizes["layers"]; ++i) {
    std::string name = "layers." + std::to_string(i);
    x = i < sizes["dense-layers"] ? mixture.layers.block(x, name)
                                  : mixture.block(x, name);
  }
  return finish(b, mixture, x, sizes, Balance::SumOfLayersByChoice);
}

std::string checkMixture(const Sizes &sizes) {
  if (sizes["top-k"] > sizes["experts"])
    return "expected 'top-k' of at most the number of 'experts', got " +
           std::to_string(sizes["top-k"]) + " and " +
           std::to_string(sizes["experts"]);
  return checkLlamaLayers(sizes);
}

std::string checkDeepSeek(const Sizes &sizes) {
  if (sizes["dense-layers"] >= sizes["layers"])
    return "expected fewer 'dense-layers' than 'layers', got " +
           std::to_string(sizes["dense-layers"]) + " and " +
           std::to_string(sizes["layers"]);
  return checkMixture(sizes);
}

} // namespace

void models::addMixtures(std::vector<Generator> &generators) {
  // Coefficients of the published configurations: 0.02 of Mixtral 8x7B, 0.001
  // of 8x22B and of DeepSeekMoE 16B. No published model has the capacity.
  ModelOption topK{"top-k", 2, 1, 64, "experts of a token"},
      capacity{"capacity", 125, 0, 100000,
               "places of an expert for each sample, in percent of its even "
               "share; 0: for all tokens, none is dropped"},
      balance{"balance", 200, 0, 1000000,
              "coefficient of the loss that balances experts, in "
              "ten-thousandths"};
  auto withDefault = [](ModelOption option, int64_t value) {
    option.value = value;
    return option;
  };
  generators.push_back(
      {{"mixtral",
        "Mixtral 8x7B (Jiang et al., 2024): LLaMA with 8 feed-forward layers, "
        "of which each token takes 2",
        1,
        llamaOptions({32, 32, 8, 14336, 4096, 32000, 1000000},
                     {{"experts", 8, 1, 1024, "experts of a layer"},
                      topK,
                      capacity,
                      balance}),
        {{"8x7b", {}},
         {"8x22b",
          {{"layers", 56},
           {"heads", 48},
           {"mlp-width", 16384},
           {"balance", 10}}}}},
       buildMixtral,
       checkMixture});
  generators.push_back(
      {{"deepseek",
        "DeepSeekMoE of 16B parameters (Dai et al., 2024): LLaMA with many "
        "small experts and shared ones",
        1,
        llamaOptions(
            {28, 16, 16, 10944, 4096, 102400, 10000},
            {{"dense-layers", 1, 0, 1024,
              "first blocks with one feed-forward layer for all tokens, of "
              "mlp-width"},
             {"expert-width", 1408, 1, 1 << 20, "width inside of an expert"},
             {"experts", 64, 1, 1024, "experts of a layer"},
             {"shared-experts", 2, 0, 64, "experts that all tokens take"},
             withDefault(topK, 6),
             capacity,
             withDefault(balance, 10)}),
        {{"16b", {}}}},
       buildDeepSeek,
       checkDeepSeek});
}
