//===- Inception.cpp - Inception-v3 ---------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inception-v3 (Szegedy et al., "Rethinking the Inception architecture",
// 2015) without its auxiliary classifier.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

namespace {
class Inception {
public:
  Inception(ModelBuilder &b, int64_t divide) : b(b), divide(divide) {}

  /// Convolution, batch norm and relu.
  Value conv(Value x, const std::string &name, int64_t channels, Pair kernel,
             Pair stride = 1, Pair padding = 0) {
    channels = std::max<int64_t>(channels / divide, 1);
    Value y =
        b.conv(x, name, channels, kernel, stride, padding, /*bias=*/false);
    return b.relu(b.batchNorm(y, name + ".norm"), name + ".relu");
  }

  Value stem(Value x) {
    x = conv(x, "stem1", 32, 3, 2);
    x = conv(x, "stem2", 32, 3);
    x = conv(x, "stem3", 64, 3, 1, 1);
    x = b.maxPool(x, "stem.pool1", 3, 2);
    x = conv(x, "stem4", 80, 1);
    x = conv(x, "stem5", 192, 3);
    return b.maxPool(x, "stem.pool2", 3, 2);
  }

  /// 35 x 35: 1 x 1, 5 x 5, two 3 x 3, pooling.
  Value blockA(Value x, const std::string &name, int64_t poolChannels) {
    Value one = conv(x, name + ".1x1", 64, 1);
    Value five = conv(x, name + ".5x5a", 48, 1);
    five = conv(five, name + ".5x5b", 64, 5, 1, 2);
    Value three = conv(x, name + ".3x3a", 64, 1);
    three = conv(three, name + ".3x3b", 96, 3, 1, 1);
    three = conv(three, name + ".3x3c", 96, 3, 1, 1);
    Value pool = conv(b.avgPool(x, name + ".average", 3, 1, 1), name + ".pool",
                      poolChannels, 1);
    return b.concat({one, five, three, pool}, name + ".concat", 1);
  }

  /// To 17 x 17.
  Value blockB(Value x, const std::string &name) {
    Value three = conv(x, name + ".3x3", 384, 3, 2);
    Value two = conv(x, name + ".double.a", 64, 1);
    two = conv(two, name + ".double.b", 96, 3, 1, 1);
    two = conv(two, name + ".double.c", 96, 3, 2);
    return b.concat({three, two, b.maxPool(x, name + ".max", 3, 2)},
                    name + ".concat", 1);
  }

  /// 17 x 17: factorized 7 x 7.
  Value blockC(Value x, const std::string &name, int64_t channels) {
    Value one = conv(x, name + ".1x1", 192, 1);
    Value seven = conv(x, name + ".7x7a", channels, 1);
    seven = conv(seven, name + ".7x7b", channels, {1, 7}, 1, {0, 3});
    seven = conv(seven, name + ".7x7c", 192, {7, 1}, 1, {3, 0});
    Value twice = conv(x, name + ".double.a", channels, 1);
    twice = conv(twice, name + ".double.b", channels, {7, 1}, 1, {3, 0});
    twice = conv(twice, name + ".double.c", channels, {1, 7}, 1, {0, 3});
    twice = conv(twice, name + ".double.d", channels, {7, 1}, 1, {3, 0});
    twice = conv(twice, name + ".double.e", 192, {1, 7}, 1, {0, 3});
    Value pool =
        conv(b.avgPool(x, name + ".average", 3, 1, 1), name + ".pool", 192, 1);
    return b.concat({one, seven, twice, pool}, name + ".concat", 1);
  }

  /// To 8 x 8.
  Value blockD(Value x, const std::string &name) {
    Value three = conv(x, name + ".3x3a", 192, 1);
    three = conv(three, name + ".3x3b", 320, 3, 2);
    Value seven = conv(x, name + ".7x7a", 192, 1);
    seven = conv(seven, name + ".7x7b", 192, {1, 7}, 1, {0, 3});
    seven = conv(seven, name + ".7x7c", 192, {7, 1}, 1, {3, 0});
    seven = conv(seven, name + ".7x7d", 192, 3, 2);
    return b.concat({three, seven, b.maxPool(x, name + ".max", 3, 2)},
                    name + ".concat", 1);
  }

  /// 8 x 8: 3 x 3 as 1 x 3 and 3 x 1 side by side.
  Value blockE(Value x, const std::string &name) {
    auto split = [&](Value y, const std::string &part) {
      return b.concat({conv(y, part + ".1x3", 384, {1, 3}, 1, {0, 1}),
                       conv(y, part + ".3x1", 384, {3, 1}, 1, {1, 0})},
                      part + ".concat", 1);
    };
    Value one = conv(x, name + ".1x1", 320, 1);
    Value three = split(conv(x, name + ".3x3", 384, 1), name + ".3x3");
    Value twice = conv(x, name + ".double.a", 448, 1);
    twice =
        split(conv(twice, name + ".double.b", 384, 3, 1, 1), name + ".double");
    Value pool =
        conv(b.avgPool(x, name + ".average", 3, 1, 1), name + ".pool", 192, 1);
    return b.concat({one, three, twice, pool}, name + ".concat", 1);
  }

private:
  ModelBuilder &b;
  int64_t divide;
};
} // namespace

static OwningOpRef<ModuleOp> buildInception(const Sizes &sizes,
                                            MLIRContext *context) {
  ModelBuilder b(context);
  Inception blocks(b, sizes["divide"]);
  Value x =
      blocks.stem(b.image({sizes.batch, 3, sizes["image"], sizes["image"]}));
  auto named = [](const char *kind, int64_t i) {
    return kind + std::to_string(i);
  };
  int64_t as = sizes["a-blocks"], cs = sizes["c-blocks"];
  for (int64_t i = 1; i <= as; ++i)
    x = blocks.blockA(x, named("a", i), i == 1 ? 32 : 64);
  x = blocks.blockB(x, "b1");
  for (int64_t i = 1; i <= cs; ++i)
    x = blocks.blockC(x, named("c", i), i == 1 ? 128 : i < cs ? 160 : 192);
  x = blocks.blockD(x, "d1");
  for (int64_t i = 1; i <= sizes["e-blocks"]; ++i)
    x = blocks.blockE(x, named("e", i));
  return b.finish(b.linear(b.globalAvgPool(x, "pool"), "fc", sizes["classes"]));
}

void models::addInception(std::vector<Generator> &generators) {
  generators.push_back(
      {{"inception-v3",
        "Inception-v3 with batch norm",
        64,
        {{"image", 299, 75, 4096, "height and width"},
         {"classes", 1000, 1, 1 << 20, "number of classes"},
         {"divide", 1, 1, 32, "divides the channels of all layers"},
         {"a-blocks", 3, 1, 200, "blocks of 35 x 35 pixels"},
         {"c-blocks", 4, 1, 200, "blocks of 17 x 17 pixels"},
         {"e-blocks", 2, 1, 200, "blocks of 8 x 8 pixels"}}},
       buildInception});
}
