//===- AttentionBlocks.h - Names of attention in blocks ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By what name strategies find the attentions that soap-block-attention has
// written (docs/ContextParallelism.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_ATTENTIONBLOCKS_H
#define SOAP_MODEL_ATTENTIONBLOCKS_H

#include <cstdint>
#include <string>

namespace soap {

/// The name of a part of step `t` of an attention, within its own name.
inline std::string blockStepName(int64_t t, const std::string &part) {
  return "step" + std::to_string(t) + "." + part;
}

/// Ends the name of the products of queries [X.., N, M, D] and keys
/// [X.., N, L, D] of step 0: all N blocks of a sequence of N * L positions,
/// each with itself.
inline std::string firstBlockScores() {
  return "." + blockStepName(0, "scores");
}

} // namespace soap

#endif // SOAP_MODEL_ATTENTIONBLOCKS_H
