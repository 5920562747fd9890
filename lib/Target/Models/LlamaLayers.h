//===- LlamaLayers.h - Blocks of LLaMA --------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layers that LLaMA and mixtures of experts share: RMS norm, grouped-query
// attention with rotary embeddings, SwiGLU. Activations are [N, T, W].
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_MODELS_LLAMALAYERS_H
#define SOAP_LIB_TARGET_MODELS_LLAMALAYERS_H

#include "ModelBuilder.h"

namespace mlir::soap::models {

class LlamaLayers {
public:
  /// Reads the options length and rope-base, and the options of a block
  /// (`llamaOptions`).
  LlamaLayers(ModelBuilder &b, const Sizes &sizes);

  /// Attention and SwiGLU, a norm before and a residual connection around each.
  Value block(Value x, const std::string &name);
  /// The half of a block with attention.
  Value attentionBlock(Value x, const std::string &name);
  Value norm(Value x, const std::string &name) {
    return b.rmsNorm(x, name, epsilon);
  }
  /// SwiGLU: silu(gate(x)) * up(x), then down. `inner` is the width between.
  Value feedForward(Value x, const std::string &name, int64_t inner);
  /// silu(gate) * up.
  Value gated(Value gate, Value up, const std::string &name);

  ModelBuilder &b;
  int64_t batch, length, heads, groups, headWidth, inner, width;
  bool qkvBias, qkNorm;
  double epsilon = 1e-5; ///< of norms

private:
  void makeRotations(double base);
  Value rotate(Value x, const std::string &name);
  Value project(Value x, const std::string &name, int64_t count);
  Value projectNormed(Value x, const std::string &name, int64_t count);
  Value repeat(Value x, const std::string &name);
  Value attention(Value x, const std::string &name);

  Value cosines, sines;
};

/// Defaults of the options of networks of these layers.
struct LlamaDefaults {
  int64_t layers, heads, kvHeads, mlpWidth, length, vocabulary, ropeBase;
};
/// The options of such a network: sizes of its blocks, `others`, and sizes of
/// its tokens.
std::vector<ModelOption> llamaOptions(const LlamaDefaults &defaults,
                                      std::vector<ModelOption> others = {});

/// A fault of the sizes of these layers; empty: none.
std::string checkLlamaLayers(const Sizes &sizes);

} // namespace mlir::soap::models

#endif // SOAP_LIB_TARGET_MODELS_LLAMALAYERS_H
