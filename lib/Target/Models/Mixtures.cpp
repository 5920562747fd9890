//===- Mixtures.cpp - Mixtures of experts ---------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mixtral (Jiang et al., 2024), DeepSeekMoE (Dai et al., 2024) and their
// relatives DeepSeek-V2, DeepSeek-V3 and gpt-oss: blocks of LLaMA whose
// feed-forward layer is one of many for each token. Every expert has places for
// so many tokens of a sample (the groups of GShard, Lepikhin et al., 2020).
// Tokens are [N, T].
//
//===----------------------------------------------------------------------===//

#include "LlamaLayers.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

namespace {

/// How the logits of a router become the gates of a token's choices; the values
/// of option `gates`.
enum Gates : int64_t {
  Probabilities = 0, ///< their softmax
  SumToOne = 1,      ///< the softmax over the chosen ones
  Sigmoids = 2       ///< their sigmoids, divided by the sum of the chosen ones
};

/// How the balance losses of layers become one.
enum class Balance {
  MeanOfLayers,       ///< transformers' Mixtral: an even load gives `top-k`
  SumOfLayersByChoice ///< DeepSeekMoE: the sum, each divided by `top-k`
};

class Mixture {
public:
  Mixture(ModelBuilder &b, const Sizes &sizes)
      : layers(b, sizes), b(b), experts(sizes["experts"]),
        choices(sizes["top-k"]),
        expertWidth(sizes["expert-width"] ? sizes["expert-width"]
                                          : sizes["mlp-width"]),
        shared(sizes["shared-experts"]) {
    // Rounded up; no expert is chosen twice by a token.
    constexpr int64_t percent = 100;
    int64_t places = choices * layers.length * sizes["capacity"],
            all = experts * percent;
    capacity = sizes["capacity"] ? std::clamp<int64_t>((places + all - 1) / all,
                                                       1, layers.length)
                                 : layers.length;
  }

  Value block(Value x, int64_t layer) {
    std::string name = LlamaLayers::nameOf(layer);
    x = layers.attentionBlock(x, layer);
    Value normed = layers.norm(x, name + ".mlp_norm");
    Value fed = mixture(normed, name + ".experts");
    if (shared)
      fed = b.add(
          fed,
          layers.feedForward(normed, name + ".shared", shared * expertWidth),
          name + ".fed");
    return layers.addHalf(x, fed, name + ".experts", name + ".add2");
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
  int64_t experts, choices, expertWidth, shared, capacity;
  /// Of the layers so far, by sample: sums of load times probability, and
  /// dropped choices.
  Value balance, dropped;
  int64_t count = 0;

  /// How a token is routed.
  struct Routing {
    Value probabilities; ///< [N, T, E], with sum 1
    Value gates;         ///< [N, T, K]
    Value chosen;        ///< [N, T, K]
  };

  Routing softmaxRouting(Value logits, const std::string &name) {
    Value probabilities = b.softmax(logits, name + ".probabilities", 2);
    // The softmax over the chosen logits is that over all, divided by the sum
    // of the chosen ones.
    bool isFirst = layers.sizes["gates"] == SumToOne;
    ModelBuilder::Choice chosen =
        b.topK(isFirst ? logits : probabilities, name + ".choices", choices);
    return {probabilities,
            isFirst ? b.softmax(chosen.values, name + ".gates", 2)
                    : chosen.values,
            chosen.indices};
  }

  /// DeepSeek-V3 (2024), section 2.1.2, without the bias that chooses.
  Routing sigmoidRouting(Value logits, const std::string &name) {
    Value affinities = b.sigmoid(logits, name + ".affinities");
    ModelBuilder::Choice chosen =
        b.topK(affinities, name + ".choices", choices);
    return {divided(affinities, name + ".probabilities"),
            divided(chosen.values, name + ".gates"), chosen.indices};
  }
  /// By its sum over the last dim: [N, T, X].
  Value divided(Value x, const std::string &name) {
    ArrayRef<int64_t> shape = ModelBuilder::shapeOf(x);
    Value sum = b.reshape(b.sum(x, name + ".sum", 2), name + ".sums",
                          {shape[0], shape[1], 1});
    return b.div(x, sum, name);
  }

  Value mixture(Value x, const std::string &name) {
    Value logits = b.linear(x, name + ".router", experts,
                            /*bias=*/layers.sizes["expert-bias"] != 0);
    Routing routing = layers.sizes["gates"] == Sigmoids
                          ? sigmoidRouting(logits, name)
                          : softmaxRouting(logits, name);
    Value gates = routing.gates;
    constexpr int64_t one = 1000;
    if (int64_t factor = layers.sizes["gate-scale"]; factor != one)
      gates = b.scale(gates, name + ".scaled_gates",
                      static_cast<double>(factor) / one);
    ModelBuilder::Routes routes =
        b.route(routing.chosen, name + ".routes", experts, capacity);
    Value placed = b.dispatch(x, routes, name + ".dispatch");
    Value fed = feedForward(placed, name);
    addLoad(routing.probabilities, routes.load, name);
    return b.combineExperts(fed, routes, gates, name + ".combine");
  }

  /// A gated feed-forward layer with the weights of each expert:
  /// [E, N, C, W].
  Value feedForward(Value x, const std::string &name) {
    auto product = [&](Value input, const std::string &part, int64_t features) {
      int64_t inputs = ModelBuilder::shapeOf(input).back();
      Value weight = b.parameter(part + ".weight", {experts, features, inputs},
                                 "default", inputs, features);
      Value y = b.matmul(input, weight, part, /*transposeB=*/true);
      if (!layers.sizes["expert-bias"])
        return y;
      Value bias =
          b.parameter(part + ".bias", {experts, 1, 1, features}, "zeros");
      return b.add(y, bias, part + ".bias_add");
    };
    Value gate = product(x, name + ".gate", expertWidth),
          up = product(x, name + ".up", expertWidth);
    Value between = layers.sizes["gate-limit"] ? clamped(gate, up, name)
                                               : layers.gated(gate, up, name);
    return product(between, name + ".down", layers.width);
  }

  /// gate * sigmoid(1.702 * gate) * (up + 1), with gate and up bounded:
  /// gpt-oss.
  Value clamped(Value gate, Value up, const std::string &name) {
    auto limit = static_cast<double>(layers.sizes["gate-limit"]);
    gate = b.atMost(gate, name + ".gate.bounded", limit);
    up = b.atLeast(b.atMost(up, name + ".up.bounded", limit),
                   name + ".up.clamped", -limit);
    return b.swiglu(gate, b.plus(up, name + ".up.plus_one", 1), name + ".gated",
                    /*beta=*/1.702);
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

/// The first `dense-layers` blocks have one feed-forward layer for all tokens.
OwningOpRef<ModuleOp> buildMixture(const Sizes &sizes, MLIRContext *context,
                                   Balance balance) {
  ModelBuilder b(context);
  Mixture mixture(b, sizes);
  LlamaLayers &layers = mixture.layers;
  Value tokens = b.tokens("tokens", {layers.batch, layers.length}, 0), table;
  Value x = layers.embed(tokens, table);
  for (int64_t i = 0; i < sizes["layers"]; ++i)
    x = i < sizes["dense-layers"] ? layers.block(x, i) : mixture.block(x, i);
  mixture.remarkDropped(x.getLoc(), sizes["capacity"]);
  Value logits = layers.head(x, table);
  // The option counts ten-thousandths.
  ModelBuilder::Result others[] = {
      {mixture.balanceLoss(1e-4 * static_cast<double>(sizes["balance"]),
                           balance),
       ValueKind::Loss, "balance"},
      {mixture.droppedTokens(), ValueKind::Output, "dropped"}};
  return b.finish(logits, others);
}

OwningOpRef<ModuleOp> buildMixtral(const Sizes &sizes, MLIRContext *context) {
  return buildMixture(sizes, context, Balance::MeanOfLayers);
}

OwningOpRef<ModuleOp> buildDeepSeek(const Sizes &sizes, MLIRContext *context) {
  return buildMixture(sizes, context, Balance::SumOfLayersByChoice);
}

std::string checkMixture(const Sizes &sizes) {
  if (sizes["top-k"] > sizes["experts"])
    return "expected 'top-k' of at most the number of 'experts', got " +
           std::to_string(sizes["top-k"]) + " and " +
           std::to_string(sizes["experts"]);
  if (sizes["dense-layers"] >= sizes["layers"])
    return "expected fewer 'dense-layers' than 'layers', got " +
           std::to_string(sizes["dense-layers"]) + " and " +
           std::to_string(sizes["layers"]);
  return checkLlamaLayers(sizes);
}

} // namespace

void models::addMixtures(std::vector<Generator> &generators) {
  // Coefficients of the published configurations: 0.02 of Mixtral 8x7B, 0.001
  // of 8x22B and of DeepSeekMoE 16B, 0.0001 of DeepSeek-V3. No published model
  // has the capacity.
  struct Defaults {
    int64_t dense, width, experts, shared, choices, gates, balance;
  };
  auto options = [](const LlamaDefaults &blocks, const Defaults &of) {
    return llamaOptions(
        blocks,
        {{"dense-layers", of.dense, 0, 1024,
          "first blocks with one feed-forward layer for all tokens, of "
          "mlp-width"},
         {"expert-width", of.width, 0, 1 << 20,
          "width inside of an expert; 0: mlp-width"},
         {"experts", of.experts, 1, 1024, "experts of a layer"},
         {"shared-experts", of.shared, 0, 64, "experts that all tokens take"},
         {"top-k", of.choices, 1, 64, "experts of a token"},
         {"gates", of.gates, 0, 2,
          "0: probabilities; 1: the same of chosen experts, with sum 1; 2: "
          "sigmoids, with sum 1 (DeepSeek-V3)"},
         {"gate-scale", 1000, 1, 1 << 20,
          "factor of the gates, in thousandths"},
         {"expert-bias", 0, 0, 1,
          "1: routers and layers of experts have biases (gpt-oss)"},
         {"gate-limit", 0, 0, 1 << 20,
          "bound of both factors of SwiGLU, of which the second is one more "
          "(gpt-oss); 0: none"},
         {"capacity", 125, 0, 100000,
          "places of an expert for each sample, in percent of its even "
          "share; 0: for all tokens, none is dropped"},
         {"balance", of.balance, 0, 1000000,
          "coefficient of the loss that balances experts, in "
          "ten-thousandths"}});
  };
  generators.push_back(
      {{"mixtral",
        "Mixtral 8x7B (Jiang et al., 2024): LLaMA with 8 feed-forward layers, "
        "of which each token takes 2",
        1,
        options({32, 32, 8, 14336, 4096, 32000, 1000000},
                {0, 0, 8, 0, 2, SumToOne, 200}),
        {{"8x7b", {}},
         {"8x22b",
          {{"layers", 56},
           {"heads", 48},
           {"mlp-width", 16384},
           {"balance", 10}}}}},
       buildMixtral,
       checkMixture});
  std::map<std::string, int64_t> v3{
      {"layers", 61},         {"heads", 128},        {"kv-heads", 128},
      {"head-width", 192},    {"width", 7168},       {"mlp-width", 18432},
      {"kv-rank", 512},       {"query-rank", 1536},  {"dense-layers", 3},
      {"expert-width", 2048}, {"experts", 256},      {"shared-experts", 1},
      {"top-k", 8},           {"gates", Sigmoids},   {"gate-scale", 2500},
      {"balance", 1},         {"vocabulary", 129280}};
  generators.push_back(
      {{"deepseek",
        "DeepSeekMoE of 16B parameters (Dai et al., 2024): LLaMA with many "
        "small experts and shared ones",
        1,
        options({28, 16, 16, 10944, 4096, 102400, 10000, 10},
                {1, 1408, 64, 2, 6, Probabilities, 10}),
        {{"16b", {}}, {"v3", v3}}},
       buildDeepSeek,
       checkMixture});
}
