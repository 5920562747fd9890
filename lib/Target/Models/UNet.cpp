//===- UNet.cpp - U-Net ---------------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// U-Net (Ronneberger et al., 2015) with padded convolutions and batch norm, as
// it is used today: a class for every pixel.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

namespace {

class UNet {
public:
  explicit UNet(ModelBuilder &b) : b(b) {}

  /// Two times convolution, batch norm and relu.
  Value twice(Value x, const std::string &name, int64_t channels) {
    for (const char *part : {".1", ".2"}) {
      std::string layer = name + part;
      x = b.conv(x, layer, channels, 3, 1, 1, /*bias=*/false);
      x = b.relu(b.batchNorm(x, layer + ".norm"), layer + ".relu");
    }
    return x;
  }

  /// A transposed convolution with windows of 2 x 2 that do not overlap: each
  /// pixel becomes 2 x 2 pixels, a linear function of its channels.
  Value up(Value x, const std::string &name, int64_t channels) {
    Shape in(ModelBuilder::shapeOf(x));
    Value y = b.conv(x, name, 4 * channels, 1, 1, 0, /*bias=*/false);
    y = b.reshape(y, name + ".windows", {in[0], channels, 2, 2, in[2], in[3]});
    y = b.transpose(y, name + ".places", {0, 1, 4, 2, 5, 3});
    y = b.reshape(y, name + ".pixels", {in[0], channels, 2 * in[2], 2 * in[3]});
    return b.biasAdd(y, b.parameter(name + ".bias", {channels}, "zeros"),
                     name + ".bias_add", 1);
  }

private:
  ModelBuilder &b;
};

} // namespace

static OwningOpRef<ModuleOp> buildUNet(const Sizes &sizes,
                                       MLIRContext *context) {
  ModelBuilder b(context);
  UNet net(b);
  int64_t levels = sizes["levels"], width = sizes["width"];
  Value x =
      b.image({sizes.batch, sizes["channels"], sizes["image"], sizes["image"]});
  SmallVector<Value> skipped;
  for (int64_t level = 0; level < levels; ++level) {
    std::string name = "down" + std::to_string(level);
    x = net.twice(x, name, width << level);
    skipped.push_back(x);
    x = b.maxPool(x, name + ".pool", 2, 2);
  }
  x = net.twice(x, "bottom", width << levels);
  for (int64_t level = levels - 1; level >= 0; --level) {
    std::string name = "up" + std::to_string(level);
    x = net.up(x, name + ".grow", width << level);
    x = b.concat({skipped[level], x}, name + ".skip", 1);
    x = net.twice(x, name, width << level);
  }
  x = b.conv(x, "head", sizes["classes"], 1);
  // A row of logits for each pixel: [N, H * W, classes].
  int64_t pixels = sizes["image"] * sizes["image"];
  return b.finish(b.reshape(b.transpose(x, "head.classes_last", {0, 2, 3, 1}),
                            "head.pixels",
                            {sizes.batch, pixels, sizes["classes"]}));
}

static std::string checkUNet(const Sizes &sizes) {
  int64_t step = int64_t(1) << sizes["levels"];
  if (sizes["image"] % step)
    return "expected 'image' to be a multiple of 2^levels, " +
           std::to_string(step) + ", got " + std::to_string(sizes["image"]);
  return "";
}

void models::addUNet(std::vector<Generator> &generators) {
  generators.push_back(
      {{"unet",
        "U-Net (Ronneberger et al., 2015) with padding and batch norm",
        8,
        {{"image", 256, 2, 4096, "height and width"},
         {"channels", 3, 1, 1024, "channels of the image"},
         {"classes", 2, 1, 1 << 16, "classes of a pixel"},
         {"levels", 4, 1, 8, "how often the image is halved"},
         {"width", 64, 1, 4096, "channels of the first level"}},
        {}},
       buildUNet,
       checkUNet});
}
