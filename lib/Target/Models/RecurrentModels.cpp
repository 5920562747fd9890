//===- RecurrentModels.cpp - Networks of LSTM layers ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three recurrent networks of the SOAP paper (section 8.1): text
// classification, a language model, and translation with attention. Tokens are
// [T, N]. All layers are taken apart along time into chunks of `lstm-chunk`
// steps that share their weights, which is the granularity of the paper's
// operator graphs.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

namespace {

class Recurrent {
public:
  Recurrent(ModelBuilder &b, const Sizes &sizes)
      : b(b), length(sizes["length"]), chunk(sizes["lstm-chunk"]),
        hidden(sizes["hidden"]), vocabulary(sizes["vocabulary"]) {}

  ModelBuilder &b;
  int64_t length, chunk, hidden, vocabulary;

  int64_t pieces() const { return (length + chunk - 1) / chunk; }

  /// Name of piece i of a layer.
  std::string piece(const std::string &name, int64_t i) const {
    return pieces() > 1 ? name + "." + std::to_string(i) : name;
  }

  /// Applies a layer to each chunk of time steps and puts the results together.
  Value overTime(Value x, const std::string &name,
                 llvm::function_ref<Value(Value, const std::string &)> layer) {
    SmallVector<Value> results;
    for (int64_t i = 0; i < pieces(); ++i) {
      std::string part = piece(name, i);
      int64_t from = i * chunk;
      Value steps =
          b.slice(x, part + ".steps", 0, from, std::min(chunk, length - from));
      results.push_back(layer(steps, part));
    }
    return results.size() == 1 ? results[0]
                               : b.concat(results, name + ".all", 0);
  }

  /// One gather for all steps.
  Value embed(Value tokens, const std::string &name) {
    return b.embedding(tokens, name, vocabulary, hidden);
  }

  /// Logits of every step.
  Value project(Value x, const std::string &name) {
    Value weight = b.parameter(name + ".weight", {vocabulary, hidden},
                               "default", hidden, vocabulary),
          bias = b.parameter(name + ".bias", {vocabulary}, "zeros");
    return overTime(x, name, [&](Value steps, const std::string &part) {
      return b.biasAdd(b.matmul(steps, weight, part, /*transposeB=*/true), bias,
                       part + ".bias_add");
    });
  }

  Value layers(Value x, const std::string &name, int64_t count,
               SmallVectorImpl<ModelBuilder::State> *states = nullptr) {
    for (int64_t l = 0; l < count; ++l)
      x = b.lstm(x, name + std::to_string(l + 1), hidden, chunk,
                 states ? &(*states)[l] : nullptr);
    return x;
  }
};

} // namespace

/// RNNTC: LSTM layers, the last step's output is classified.
static OwningOpRef<ModuleOp> buildRNNTC(const Sizes &sizes,
                                        MLIRContext *context) {
  ModelBuilder b(context);
  Recurrent r(b, sizes);
  Value x =
      r.embed(b.tokens("tokens", {r.length, sizes.batch}, 1), "embedding");
  x = r.layers(x, "lstm", sizes["layers"]);
  Value last = b.reshape(b.slice(x, "last", 0, r.length - 1, 1), "last.rows",
                         {sizes.batch, r.hidden});
  return b.finish(b.linear(last, "softmax", sizes["classes"]));
}

/// RNNLM: the next token after every step.
static OwningOpRef<ModuleOp> buildRNNLM(const Sizes &sizes,
                                        MLIRContext *context) {
  ModelBuilder b(context);
  Recurrent r(b, sizes);
  Value x =
      r.embed(b.tokens("tokens", {r.length, sizes.batch}, 1), "embedding");
  x = r.layers(x, "lstm", sizes["layers"]);
  return b.finish(r.project(x, "softmax"));
}

/// NMT: an encoder and a decoder that starts where the encoder ends, with
/// attention over the encoder's outputs on top (Luong et al., 2015: scores are
/// products, the context and the decoder's output give one vector).
static OwningOpRef<ModuleOp> buildNMT(const Sizes &sizes,
                                      MLIRContext *context) {
  ModelBuilder b(context);
  Recurrent r(b, sizes);
  int64_t batch = sizes.batch;
  Value source = b.tokens("source", {r.length, batch}, 1),
        target = b.tokens("target", {r.length, batch}, 1);
  SmallVector<ModelBuilder::State> states(sizes["layers"]);
  Value encoded = r.layers(r.embed(source, "encoder.embedding"), "encoder.lstm",
                           sizes["layers"], &states);
  Value decoded = r.layers(r.embed(target, "decoder.embedding"), "decoder.lstm",
                           sizes["layers"], &states);

  // [N, H, S] and [N, S, H] of the encoder, for products over all its steps.
  Value keys = b.transpose(encoded, "attention.keys", {1, 2, 0}),
        memory = b.transpose(encoded, "attention.memory", {1, 0, 2});
  Value mixWeight =
      b.parameter("attention.mix.weight", {r.hidden, 2 * r.hidden}, "default",
                  2 * r.hidden, r.hidden);
  Value attended = r.overTime(
      decoded, "attention", [&](Value steps, const std::string &part) {
        Value queries = b.transpose(steps, part + ".queries", {1, 0, 2});
        Value weights = b.softmax(b.matmul(queries, keys, part + ".scores"),
                                  part + ".softmax", 2);
        Value context = b.matmul(weights, memory, part + ".context");
        Value both = b.concat({context, queries}, part + ".concat", 2);
        Value mixed = b.tanh(
            b.matmul(both, mixWeight, part + ".mix", /*transposeB=*/true),
            part + ".tanh");
        return b.transpose(mixed, part + ".steps_first", {1, 0, 2});
      });
  return b.finish(r.project(attended, "softmax"));
}

void models::addRecurrentModels(std::vector<Generator> &generators) {
  auto options = [](int64_t layers, int64_t hidden, int64_t vocabulary) {
    return std::vector<ModelOption>{
        {"length", 40, 1, 4096, "time steps"},
        {"lstm-chunk", 10, 1, 4096, "time steps of one op, at most length",
         "length"},
        {"layers", layers, 1, 64, "LSTM layers (of encoder and decoder each)"},
        {"hidden", hidden, 1, 1 << 16, "units of a layer"},
        {"vocabulary", vocabulary, 1, 1 << 22, "number of tokens"}};
  };
  std::vector<ModelOption> classifier = options(4, 1024, 20000);
  classifier.push_back({"classes", 2, 1, 1 << 20, "number of classes"});
  generators.push_back(
      {{"rnntc", "four LSTM layers of 1024 and a classifier", 64, classifier},
       buildRNNTC});
  generators.push_back(
      {{"rnnlm", "two LSTM layers of 2048 and a softmax over the vocabulary",
        64, options(2, 2048, 10000)},
       buildRNNLM});
  generators.push_back(
      {{"nmt",
        "encoder and decoder of two LSTM layers of 1024, attention, softmax",
        64, options(2, 1024, 32000)},
       buildNMT});
}
