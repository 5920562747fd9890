//===- ResNets.cpp - Residual networks ------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ResNet (He et al., 2015) and Wide ResNet (Zagoruyko and Komodakis, 2016) of
// bottleneck blocks with batch norm, the stride in the 3 x 3 convolution.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

namespace {
struct Bottlenecks {
  ModelBuilder &b;
  int64_t expansion = 4;

  Value convNorm(Value x, const std::string &name, int64_t channels,
                 Pair kernel, Pair stride, Pair padding) {
    return b.batchNorm(
        b.conv(x, name, channels, kernel, stride, padding, /*bias=*/false),
        name + ".norm");
  }

  /// 1 x 1 to `inner` channels, 3 x 3, 1 x 1 to `outer`, plus the input.
  Value block(Value x, const std::string &name, int64_t inner, int64_t outer,
              int64_t stride) {
    Value shortcut = x;
    if (stride != 1 || b.shapeOf(x)[1] != outer)
      shortcut = convNorm(x, name + ".shortcut", outer, 1, stride, 0);
    Value y =
        b.relu(convNorm(x, name + ".conv1", inner, 1, 1, 0), name + ".relu1");
    y = b.relu(convNorm(y, name + ".conv2", inner, 3, stride, 1),
               name + ".relu2");
    y = convNorm(y, name + ".conv3", outer, 1, 1, 0);
    return b.relu(b.add(y, shortcut, name + ".add"), name + ".relu3");
  }
};
} // namespace

static OwningOpRef<ModuleOp> buildResNet(const Sizes &sizes,
                                         MLIRContext *context) {
  ModelBuilder b(context);
  Bottlenecks blocks{b};
  int64_t base = sizes["width"], factor = sizes["factor"];
  Value x = b.image({sizes.batch, 3, sizes["image"], sizes["image"]});
  x = b.relu(blocks.convNorm(x, "conv1", base, 7, 2, 3), "relu1");
  x = b.maxPool(x, "pool1", 3, 2, 1);
  for (int stage = 1; stage <= 4; ++stage) {
    std::string name = "stage" + std::to_string(stage);
    int64_t width = base << (stage - 1);
    for (int64_t i = 0; i < sizes[name]; ++i)
      x = blocks.block(x, name + "." + std::to_string(i), width * factor,
                       width * blocks.expansion, i == 0 && stage > 1 ? 2 : 1);
  }
  return b.finish(
      b.linear(b.globalAvgPool(x, "pool2"), "fc", sizes["classes"]));
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
