//===- LlamaLayers.h - Blocks of LLaMA --------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layers that LLaMA, its relatives and mixtures of experts share: RMS norm,
// attention with rotary embeddings over groups of queries or latent keys and
// values, gated feed-forward layers. Activations are [N, T, W].
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_MODELS_LLAMALAYERS_H
#define SOAP_LIB_TARGET_MODELS_LLAMALAYERS_H

#include "ModelBuilder.h"

namespace mlir::soap::models {

class LlamaLayers {
public:
  /// Reads the options of `llamaOptions`.
  LlamaLayers(ModelBuilder &b, const Sizes &sizes);

  /// Attention and a feed-forward layer, a norm before and a residual
  /// connection around each.
  Value block(Value x, int64_t layer);
  /// The half of a block with attention.
  Value attentionBlock(Value x, int64_t layer);
  /// x + what its half of a block adds, which has a norm behind it in Gemma 2.
  Value addHalf(Value x, Value half, const std::string &name,
                const std::string &sum);
  Value norm(Value x, const std::string &name) {
    return b.rmsNorm(x, name, epsilon);
  }
  /// act(gate(x)) * up(x), then down. `inner` is the width between.
  Value feedForward(Value x, const std::string &name, int64_t inner);
  /// act(gate) * up.
  Value gated(Value gate, Value up, const std::string &name);

  /// Rows of the table of tokens [N, T]; `table` becomes its weight.
  Value embed(Value tokens, Value &table);
  /// Logits, from the output of the last block.
  Value head(Value x, Value table);

  static std::string nameOf(int64_t layer) {
    return "layers." + std::to_string(layer);
  }

  ModelBuilder &b;
  const Sizes &sizes;
  int64_t batch, length, heads, groups, headWidth, inner, width;
  double epsilon; ///< of norms

private:
  /// cos and sin of angles, [T, D].
  struct Rotations {
    Value cosines, sines;
  };
  /// Of attention: [N, A, T, D] each, for keys and values possibly of less
  /// heads.
  struct Heads {
    Value q, k, v;
  };

  Rotations makeRotations(int64_t base, int64_t turned, const char *name);
  Value rotate(Value x, const std::string &name, const Rotations &by);
  Value split(Value x, const std::string &name, int64_t count, int64_t each);
  Value project(Value x, const std::string &name, int64_t count);
  Value projectNormed(Value x, const std::string &name, int64_t count);
  Heads grouped(Value x, const std::string &name, const Rotations &by);
  Heads latent(Value x, const std::string &name, const Rotations &by);
  Value attention(Value x, const std::string &name, int64_t layer);
  bool hasWindow(int64_t layer) const;

  Rotations everywhere, ofWindows;
};

/// Defaults of the options of networks of these layers.
struct LlamaDefaults {
  int64_t layers, heads, kvHeads, mlpWidth, length, vocabulary, ropeBase;
  int64_t epsilon = 100; ///< of norms, in ten-millionths
};
/// The options of such a network: sizes of its blocks, `others`, and sizes of
/// its tokens.
std::vector<ModelOption> llamaOptions(const LlamaDefaults &defaults,
                                      std::vector<ModelOption> others = {});

/// A fault of the sizes of these layers; empty: none.
std::string checkLlamaLayers(const Sizes &sizes);

} // namespace mlir::soap::models

#endif // SOAP_LIB_TARGET_MODELS_LLAMALAYERS_H
