//===- Llama.cpp - LLaMA --------------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLaMA (Touvron et al., 2023): RMS norms first, rotary position embeddings
// (Su et al., 2021), grouped-query attention (Ainslie et al., 2023) and SwiGLU
// (Shazeer, 2020). Linear layers have no bias. By options also what its
// relatives do otherwise: Mistral, Qwen, Gemma. Tokens are [N, T].
//
//===----------------------------------------------------------------------===//

#include "LlamaLayers.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

static OwningOpRef<ModuleOp> buildLlama(const Sizes &sizes,
                                        MLIRContext *context) {
  ModelBuilder b(context);
  LlamaLayers llama(b, sizes);
  Value tokens = b.tokens("tokens", {llama.batch, llama.length}, 0), table;
  Value x = llama.embed(tokens, table);
  for (int64_t i = 0; i < sizes["layers"]; ++i)
    x = llama.block(x, i);
  return b.finish(llama.head(x, table));
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
        llamaOptions({32, 32, 8, 14336, 8192, 128256, 500000}),
        {{"1b", small},
         {"7b", preset(32, 32, 32, 11008, 4096, 32000, 10000)},
         {"8b", preset(32, 32, 8, 14336, 8192, 128256, 500000)},
         {"13b", preset(40, 40, 40, 13824, 4096, 32000, 10000)},
         {"70b", preset(80, 64, 8, 28672, 4096, 32000, 10000)},
         {"405b", preset(126, 128, 8, 53248, 8192, 128256, 500000)}}},
       buildLlama,
       checkLlamaLayers});
}
