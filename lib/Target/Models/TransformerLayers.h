//===- TransformerLayers.h - Blocks of transformers -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multi-head attention and feed-forward layers (Vaswani et al., 2017), which
// GPT, BERT and ViT share. Activations are [N, T, W].
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_MODELS_TRANSFORMERLAYERS_H
#define SOAP_LIB_TARGET_MODELS_TRANSFORMERLAYERS_H

#include "ModelBuilder.h"

namespace mlir::soap::models {

class TransformerLayers {
public:
  /// `inner`: the width between the two layers of a feed-forward block.
  TransformerLayers(ModelBuilder &b, int64_t batch, int64_t length,
                    int64_t heads, int64_t headWidth, int64_t inner)
      : b(b), batch(batch), length(length), heads(heads),
        width(headWidth * heads), inner(inner) {}

  /// `causal`: a position attends to itself and to those before it.
  Value attention(Value x, const std::string &name, bool causal);
  Value feedForward(Value x, const std::string &name);
  /// Norms first, a residual connection around each half.
  Value block(Value x, const std::string &name, bool causal);

  ModelBuilder &b;
  int64_t batch, length, heads, width, inner;
  bool bias = true; ///< of linear layers

private:
  /// [N, T, W] to [N, A, T, W / A].
  Value split(Value x, const std::string &name);
};

} // namespace mlir::soap::models

#endif // SOAP_LIB_TARGET_MODELS_TRANSFORMERLAYERS_H
