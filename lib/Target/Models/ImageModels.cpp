//===- ImageModels.cpp - LeNet, AlexNet, VGG ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of convolutions and linear layers.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

static Value flatten(ModelBuilder &b, Value x) {
  ArrayRef<int64_t> shape = b.shapeOf(x);
  return b.reshape(x, "flatten", {shape[0], shape[1] * shape[2] * shape[3]});
}

/// LeNet-5 (LeCun et al., 1998) with relu and maximum pooling.
static OwningOpRef<ModuleOp> buildLeNet(const Sizes &sizes,
                                        MLIRContext *context) {
  ModelBuilder b(context);
  Value x = b.image({sizes.batch, 1, sizes["image"], sizes["image"]});
  x = b.relu(b.conv(x, "conv1", 6, 5, 1, 2), "relu1");
  x = b.maxPool(x, "pool1", 2, 2);
  x = b.relu(b.conv(x, "conv2", 16, 5), "relu2");
  x = flatten(b, b.maxPool(x, "pool2", 2, 2));
  x = b.relu(b.linear(x, "fc1", 120), "relu3");
  x = b.relu(b.linear(x, "fc2", 84), "relu4");
  return b.finish(b.linear(x, "fc3", sizes["classes"]));
}

/// Channels of a network that is made smaller by the option `divide`.
static int64_t divided(const Sizes &sizes, int64_t channels) {
  return std::max<int64_t>(channels / sizes["divide"], 1);
}

/// AlexNet (Krizhevsky, "One weird trick", 2014), without dropout.
static OwningOpRef<ModuleOp> buildAlexNet(const Sizes &sizes,
                                          MLIRContext *context) {
  ModelBuilder b(context);
  auto of = [&](int64_t channels) { return divided(sizes, channels); };
  Value x = b.image({sizes.batch, 3, sizes["image"], sizes["image"]});
  x = b.relu(b.conv(x, "conv1", of(64), 11, 4, 2), "relu1");
  x = b.maxPool(x, "pool1", 3, 2);
  x = b.relu(b.conv(x, "conv2", of(192), 5, 1, 2), "relu2");
  x = b.maxPool(x, "pool2", 3, 2);
  x = b.relu(b.conv(x, "conv3", of(384), 3, 1, 1), "relu3");
  x = b.relu(b.conv(x, "conv4", of(256), 3, 1, 1), "relu4");
  x = b.relu(b.conv(x, "conv5", of(256), 3, 1, 1), "relu5");
  x = flatten(b, b.maxPool(x, "pool5", 3, 2));
  x = b.relu(b.linear(x, "fc6", of(4096)), "relu6");
  x = b.relu(b.linear(x, "fc7", of(4096)), "relu7");
  return b.finish(b.linear(x, "fc8", sizes["classes"]));
}

/// VGG-16 (Simonyan and Zisserman, 2014), configuration D, without dropout.
static OwningOpRef<ModuleOp> buildVGG16(const Sizes &sizes,
                                        MLIRContext *context) {
  ModelBuilder b(context);
  auto of = [&](int64_t channels) { return divided(sizes, channels); };
  Value x = b.image({sizes.batch, 3, sizes["image"], sizes["image"]});
  constexpr std::pair<int64_t, int> blocks[] = {
      {64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}};
  for (auto [block, entry] : llvm::enumerate(blocks)) {
    auto [channels, layers] = entry;
    for (int layer = 1; layer <= layers; ++layer) {
      std::string place =
          std::to_string(block + 1) + "_" + std::to_string(layer);
      x = b.relu(b.conv(x, "conv" + place, of(channels), 3, 1, 1),
                 "relu" + place);
    }
    x = b.maxPool(x, "pool" + std::to_string(block + 1), 2, 2);
  }
  x = flatten(b, x);
  x = b.relu(b.linear(x, "fc6", of(4096)), "relu6");
  x = b.relu(b.linear(x, "fc7", of(4096)), "relu7");
  return b.finish(b.linear(x, "fc8", sizes["classes"]));
}

void models::addImageModels(std::vector<Generator> &generators) {
  generators.push_back({{"lenet",
                         "LeNet-5: two convolutions, three linear layers",
                         64,
                         {{"image", 28, 12, 1024, "height and width"},
                          {"classes", 10, 1, 1 << 20, "number of classes"}}},
                        buildLeNet});
  ModelOption classes = {"classes", 1000, 1, 1 << 20, "number of classes"};
  ModelOption divide = {"divide", 1, 1, 64,
                        "divides the channels and features of all layers"};
  generators.push_back(
      {{"alexnet",
        "AlexNet: five convolutions, three linear layers",
        256,
        {{"image", 224, 63, 4096, "height and width"}, classes, divide}},
       buildAlexNet});
  generators.push_back(
      {{"vgg16",
        "VGG-16: thirteen convolutions, three linear layers",
        64,
        {{"image", 224, 32, 4096, "height and width"}, classes, divide}},
       buildVGG16});
}
