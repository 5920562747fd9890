//===- ResNets.cpp - Residual networks ------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ResNet (He et al., 2015) of basic and of bottleneck blocks, and Wide ResNet
// (Zagoruyko and Komodakis, 2016), with batch norm; bottlenecks have the stride
// in the 3 x 3 convolution.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

namespace {
struct Blocks {
  ModelBuilder &b;

  Value convNorm(Value x, const std::string &name, int64_t channels,
                 Pair kernel, Pair stride, Pair padding) {
    return b.batchNorm(
        b.conv(x, name, channels, kernel, stride, padding, /*bias=*/false),
        name + ".norm");
  }

  /// `x`, or a 1 x 1 convolution of it to the channels and stride of a block.
  Value shortcutOf(Value x, const std::string &name, int64_t outer,
                   int64_t stride) {
    if (stride == 1 && b.shapeOf(x)[1] == outer)
      return x;
    return convNorm(x, name + ".shortcut", outer, 1, stride, 0);
  }

  /// Two convolutions of 3 x 3 to `channels`, plus the input.
  Value basic(Value x, const std::string &name, int64_t channels,
              int64_t stride) {
    Value shortcut = shortcutOf(x, name, channels, stride);
    Value y = b.relu(convNorm(x, name + ".conv1", channels, 3, stride, 1),
                     name + ".relu1");
    y = convNorm(y, name + ".conv2", channels, 3, 1, 1);
    return b.relu(b.add(y, shortcut, name + ".add"), name + ".relu2");
  }

  /// 1 x 1 to `inner` channels, 3 x 3, 1 x 1 to `outer`, plus the input.
  Value bottleneck(Value x, const std::string &name, int64_t inner,
                   int64_t outer, int64_t stride) {
    Value shortcut = shortcutOf(x, name, outer, stride);
    Value y =
        b.relu(convNorm(x, name + ".conv1", inner, 1, 1, 0), name + ".relu1");
    y = b.relu(convNorm(y, name + ".conv2", inner, 3, stride, 1),
               name + ".relu2");
    y = convNorm(y, name + ".conv3", outer, 1, 1, 0);
    return b.relu(b.add(y, shortcut, name + ".add"), name + ".relu3");
  }
};
} // namespace

/// `block(blocks, x, name, width, stride)` adds one block to a stage whose
/// inner convolutions have `width` channels.
template <typename Block>
static OwningOpRef<ModuleOp> build(const Sizes &sizes, MLIRContext *context,
                                   Block block) {
  ModelBuilder b(context);
  Blocks blocks{b};
  int64_t base = sizes["width"];
  Value x = b.image({sizes.batch, 3, sizes["image"], sizes["image"]});
  x = b.relu(blocks.convNorm(x, "conv1", base, 7, 2, 3), "relu1");
  x = b.maxPool(x, "pool1", 3, 2, 1);
  for (int stage = 1; stage <= 4; ++stage) {
    std::string name = "stage" + std::to_string(stage);
    int64_t width = base << (stage - 1);
    for (int64_t i = 0; i < sizes[name]; ++i)
      x = block(blocks, x, name + "." + std::to_string(i), width,
                i == 0 && stage > 1 ? 2 : 1);
  }
  return b.finish(
      b.linear(b.globalAvgPool(x, "pool2"), "fc", sizes["classes"]));
}

static OwningOpRef<ModuleOp> buildResNet(const Sizes &sizes,
                                         MLIRContext *context) {
  constexpr int64_t expansion = 4;
  int64_t factor = sizes["factor"];
  return build(sizes, context,
               [=](Blocks &blocks, Value x, const std::string &name,
                   int64_t width, int64_t stride) {
                 return blocks.bottleneck(x, name, width * factor,
                                          width * expansion, stride);
               });
}

static OwningOpRef<ModuleOp> buildBasicResNet(const Sizes &sizes,
                                              MLIRContext *context) {
  return build(
      sizes, context,
      [](Blocks &blocks, Value x, const std::string &name, int64_t width,
         int64_t stride) { return blocks.basic(x, name, width, stride); });
}

void models::addResNets(std::vector<Generator> &generators) {
  auto options = [](int64_t third, int64_t factor) {
    return std::vector<ModelOption>{
        {"image", 224, 32, 4096, "height and width"},
        {"classes", 1000, 1, 1 << 20, "number of classes"},
        {"width", 64, 1, 4096, "channels of the first convolution"},
        {"factor", factor, 1, 64, "widens the inner convolutions of blocks"},
        {"stage1", 3, 1, 200, "blocks of the first stage"},
        {"stage2", 4, 1, 200, "blocks of the second stage"},
        {"stage3", third, 1, 200, "blocks of the third stage"},
        {"stage4", 3, 1, 200, "blocks of the fourth stage"}};
  };
  std::vector<ModelOption> basic = options(2, 1);
  std::erase_if(
      basic, [](const ModelOption &option) { return option.name == "factor"; });
  for (ModelOption &option : basic)
    if (StringRef(option.name).starts_with("stage"))
      option.value = 2;
  generators.push_back(
      {{"resnet-18", "ResNet-18 with batch norm", 64, std::move(basic)},
       buildBasicResNet});
  generators.push_back(
      {{"resnet-50", "ResNet-50 with batch norm", 64, options(6, 1)},
       buildResNet});
  generators.push_back(
      {{"resnet-101", "ResNet-101 with batch norm", 64, options(23, 1)},
       buildResNet});
  generators.push_back(
      {{"wide-resnet", "Wide ResNet-101: inner convolutions twice as wide", 64,
        options(23, 2)},
       buildResNet});
}
