//===- VisionTransformers.cpp - ViT ---------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ViT (Dosovitskiy et al., 2021; sizes g of Zhai et al., 2022): patches as
// tokens, a class token, norms first, a linear head on the class token.
//
//===----------------------------------------------------------------------===//

#include "TransformerLayers.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

static OwningOpRef<ModuleOp> buildViT(const Sizes &sizes,
                                      MLIRContext *context) {
  ModelBuilder b(context);
  int64_t image = sizes["image"], patch = sizes["patch"];
  int64_t patches = (image / patch) * (image / patch), length = patches + 1;
  TransformerLayers t(b, sizes.batch, length, sizes["heads"],
                      sizes["head-width"], sizes["mlp-width"]);
  int64_t batch = sizes.batch, width = t.width;

  Value pixels = b.image({batch, 3, image, image});
  Value x = b.conv(pixels, "patches", width, patch, patch);
  x = b.transpose(b.reshape(x, "patches.rows", {batch, width, patches}),
                  "patches.tokens", {0, 2, 1});
  Value token = b.parameter("class_token", {1, width}, "zeros");
  x = b.concat({b.broadcast(token, "class_token.batch", 0, batch), x}, "tokens",
               1);
  x = b.add(
      x,
      b.parameter("position.weight", {length, width}, "default", width, width),
      "position");
  for (int64_t i = 0; i < sizes["layers"]; ++i)
    x = t.block(x, "block" + std::to_string(i), /*causal=*/false);
  x = b.slice(b.layerNorm(x, "norm"), "class", 1, 0, 1);
  return b.finish(b.linear(b.reshape(x, "class.row", {batch, width}), "head",
                           sizes["classes"]));
}

static std::string checkViT(const Sizes &sizes) {
  if (sizes["image"] % sizes["patch"])
    return "expected 'patch' to divide 'image', got " +
           std::to_string(sizes["patch"]) + " and " +
           std::to_string(sizes["image"]);
  return "";
}

void models::addVisionTransformers(std::vector<Generator> &generators) {
  auto preset = [](int64_t patch, int64_t layers, int64_t heads,
                   int64_t headWidth, int64_t mlpWidth) {
    return std::map<std::string, int64_t>{{"patch", patch},
                                          {"layers", layers},
                                          {"heads", heads},
                                          {"head-width", headWidth},
                                          {"mlp-width", mlpWidth}};
  };
  generators.push_back(
      {{"vit",
        "ViT-B/16 (Dosovitskiy et al., 2021)",
        64,
        {{"image", 224, 1, 4096, "height and width"},
         {"patch", 16, 1, 4096, "height and width of a patch"},
         {"layers", 12, 1, 1024, "blocks"},
         {"heads", 12, 1, 1024, "attention heads"},
         {"head-width", 64, 1, 4096,
          "width of a head; the model's is the product with heads"},
         {"mlp-width", 3072, 1, 1 << 20, "width between up and down"},
         {"classes", 1000, 1, 1 << 20, "number of classes"}},
        {{"b", preset(16, 12, 12, 64, 3072)},
         {"l", preset(16, 24, 16, 64, 4096)},
         {"h", preset(14, 32, 16, 80, 5120)},
         {"g", preset(14, 40, 16, 88, 6144)}}},
       buildViT,
       checkViT});
}
