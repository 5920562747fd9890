//===- KernelGridsTest.cpp - Measured products and attention --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-computed times of tiles and waves and of attention; no kernel is cheaper
// than a smaller one, by any built-in profile; mistakes in files.
//
//===----------------------------------------------------------------------===//

#include "Soap/Cost/CostModel.h"
#include "Soap/Profile/ProfileModel.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace soap;
using soap::test::Random;

namespace {

OpShape product(int64_t m, int64_t n, int64_t k,
                const char *direction = "forward") {
  OpShape shape;
  shape.op = "matmul";
  shape.direction = direction;
  shape.loops = {"m", "n", "k"};
  shape.extents = {m, n, k};
  shape.bytes = 1;
  // The sizes of a layer are rows, features out, features in.
  shape.sizes = {static_cast<double>(m), static_cast<double>(n),
                 static_cast<double>(k)};
  return shape;
}

/// A device of 4 processors whose kernels have tiles of 128 x 128 only; nothing
/// was measured that differs.
Profile smallProfile() {
  Profile profile;
  profile.device = "gpu";
  profile.flopsPerSecond = {{"f32", 1e13}, {"bf16", 1e14}};
  profile.memoryBandwidthBytesPerSecond = 1e12;
  profile.launchNs = 2000;
  ProductGrid grid;
  grid.dtype = "bf16";
  grid.processors = 4;
  grid.cacheBytes = 1 << 20;
  grid.times.launch = 1000;
  grid.times.wave = 100;
  grid.tileNs = {1e6, 1e6, 50, 1e6, 1e6};
  grid.oddFeatures = 2;
  grid.rows = {16, 256, 1024};
  grid.columns = {128, 256, 512};
  grid.depths = {64, 128, 1024};
  grid.step = 0.1;
  grid.differences.assign(27, 0);
  grid.oddDifferences.assign(27, 0.2);
  profile.products = {grid};
  AttentionGrid attention;
  attention.isCausal = true;
  attention.width = 64;
  attention.heads = {1, 16};
  attention.positions = {128, 1024};
  attention.keyHeads = {8, 64};
  attention.ns = {10000, 20000, 30000, 60000, 40000, 80000, 120000, 240000};
  profile.attention = {attention};
  attention.width = 128;
  for (int64_t &ns : attention.ns)
    ns *= 4;
  profile.attention.push_back(attention);
  return profile;
}

std::string messageOf(const std::string &from, const std::string &to) {
  std::string text = printProfile(smallProfile());
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  Expected<Profile> profile = parseProfile(text, "p.json");
  return profile ? "" : profile.error();
}

/// Causal.
AttentionShape attentionShape(int64_t heads, int64_t keyHeads,
                              int64_t positions, int64_t width = 64) {
  AttentionShape shape;
  shape.queryHeads = heads;
  shape.keyHeads = keyHeads;
  shape.queries = shape.keys = positions;
  shape.visiblePairs = causalPairs(positions, positions);
  shape.width = width;
  return shape;
}

} // namespace

TEST(KernelGrids, TilesAndWaves) {
  ProfileModel model(smallProfile());
  auto ns = [&](int64_t m, int64_t n, int64_t k) {
    return *model.opNs(product(m, n, k), "bf16");
  };
  // Four tiles on four processors: one wave, two steps of the depth.
  EXPECT_NEAR(ns(256, 256, 128), 1000 + 100 + 2 * 50, 1e-6);
  // Eight tiles: two waves.
  EXPECT_NEAR(ns(256, 512, 128), 1000 + 2 * (100 + 2 * 50), 1e-6);
  // One tile of a depth of 1024: split into four, with a wave for the sums.
  EXPECT_NEAR(ns(16, 128, 1024), 1000 + 100 + 4 * 50 + 100, 1e-6);
  // Rows that are no multiple of 16, features that are none of 16 bytes.
  EXPECT_NEAR(ns(257, 512, 128), std::exp(0.2) * (1000 + 3 * 200), 1e-6);
  EXPECT_NEAR(ns(256, 252, 128) / 2, ns(256, 252 + 4, 128), 30);
  EXPECT_TRUE(model.isWithinMeasured(product(256, 512, 128), "bf16"));
  EXPECT_FALSE(model.isWithinMeasured(product(256, 512, 2048), "bf16"));
  EXPECT_FALSE(model.opNs(product(256, 256, 128), "f8"));
}

TEST(KernelGrids, Conversions) {
  Profile profile = smallProfile();
  profile.products[0].times.row = 3;
  profile.products[0].times.operand = 0.25;
  profile.products[0].differences.back() = 0.3;
  ProfileModel with(std::move(profile)), without(smallProfile());
  OpShape shape = product(256, 512, 128);
  EXPECT_NEAR(*with.opNs(shape, "bf16"),
              *without.opNs(shape, "bf16") + 256 * 3 + 0.25 * 256 * 128, 1e-6);
  // Of operands that have the type of the product, it converts none.
  shape.converts = false;
  EXPECT_NEAR(*with.opNs(shape, "bf16"), *without.opNs(shape, "bf16"), 1e-6);
  // Differences from the model are in both shares.
  shape = product(1024, 512, 1024);
  double tiles = *without.opNs(shape, "bf16");
  shape.converts = false;
  EXPECT_NEAR(*with.opNs(shape, "bf16"), tiles * std::exp(0.3), 1e-6);
}

TEST(KernelGrids, DifferencesAndDirections) {
  Profile profile = smallProfile();
  // At 1024 x 512 x 1024, the last node.
  profile.products[0].differences.back() = 0.3;
  ProfileModel plain(smallProfile()), model(std::move(profile));
  double before = *plain.opNs(product(1024, 512, 1024), "bf16");
  EXPECT_NEAR(*model.opNs(product(1024, 512, 1024), "bf16"),
              before * std::exp(0.3), 1e-6);
  // dX[m, k] = dY[m, n] W[n, k]; dW[n, k] = dY[m, n]^T X[m, k].
  EXPECT_EQ(*model.opNs(product(256, 128, 512, "input_grad"), "bf16"),
            *model.opNs(product(256, 512, 128), "bf16"));
  EXPECT_EQ(*model.opNs(product(1024, 256, 128, "weight_grad"), "bf16"),
            *model.opNs(product(256, 128, 1024), "bf16"));
  // Half of the rate: tiles take twice as long, launches do not.
  CurveScale scale;
  scale.compute = 2;
  EXPECT_NEAR(*plain.curveNs(product(256, 256, 128), "bf16", scale),
              1000 + 100 + 2 * 2 * 50, 1e-6);
}

TEST(KernelGrids, NeverCheaperForMore) {
  Random random(17);
  for (const char *name : {"b200", "h100"}) {
    std::shared_ptr<const ProfileModel> model = *loadProfileModel(name);
    for (const ProductGrid &grid : model->getProfile().products)
      for (int round = 0; round < 40; ++round) {
        SCOPED_TRACE(std::string(name) + " " + grid.dtype + ", " +
                     random.trace(round));
        std::array<int64_t, 3> sizes;
        for (int64_t &size : sizes)
          size = 32 * random(1, 1 << random(0, 10));
        // Of odd rows, all have to be.
        bool isOdd = random.chance(30);
        double before = 0;
        for (int step = 0; step < 10; ++step) {
          double ns = *model->opNs(
              product(sizes[0] + isOdd, sizes[1], sizes[2]), grid.dtype);
          ASSERT_GT(ns, 0);
          ASSERT_GE(ns, before * (1 - 1e-9)) << "step " << step;
          before = ns;
          sizes[static_cast<size_t>(random(0, 2))] +=
              32 * random(1, 1 << random(0, 8));
        }
      }
  }
}

TEST(KernelGrids, Attention) {
  Profile profile = smallProfile();
  // Bytes are moved in no time.
  profile.memoryBandwidthBytesPerSecond = 1e18;
  ProfileModel model(std::move(profile));
  const AttentionModel &attention = *model.getAttention();
  EXPECT_NEAR(attention.forwardNs(attentionShape(16, 16, 1024)), 240000, 1e-3);
  EXPECT_NEAR(attention.forwardNs(attentionShape(16, 2, 1024)), 120000, 1e-3);
  EXPECT_NEAR(attention.forwardNs(attentionShape(1, 1, 1024)), 60000, 1e-3);
  // Half way on both logarithms between 1 and 16 heads.
  EXPECT_NEAR(attention.forwardNs(attentionShape(4, 4, 1024)), 120000, 1e-3);
  // Twice the heads, and twice the positions, beyond what was measured.
  EXPECT_NEAR(attention.forwardNs(attentionShape(32, 32, 1024)), 480000, 1e-3);
  EXPECT_NEAR(attention.forwardNs(attentionShape(16, 16, 2048)), 960000, 1e-3);
  // Heads between 64 and 128 wide, and wider ones.
  EXPECT_NEAR(attention.forwardNs(attentionShape(16, 16, 1024, 90)),
              240000 * std::pow(4, std::log2(90. / 64)), 1);
  EXPECT_NEAR(attention.forwardNs(attentionShape(16, 16, 1024, 256)),
              8 * 240000, 1e-3);
  AttentionShape shape = attentionShape(16, 16, 1024);
  EXPECT_NEAR(attention.backwardNs(shape), 240000 * 2.5 / 0.85, 1e-3);
  EXPECT_TRUE(attention.isWithinMeasured(shape));
  shape.elementBytes = 4;
  EXPECT_FALSE(attention.isWithinMeasured(shape));
  // A window of 64 has 320 keys more a query, but no more than causal
  // attention.
  AttentionShape window = attentionShape(16, 16, 512);
  window.visiblePairs = 64. * 512 - 64. * 63 / 2;
  EXPECT_EQ(attention.forwardNs(window),
            attention.forwardNs(attentionShape(16, 16, 512)));
  EXPECT_FALSE(attention.isWithinMeasured(window));
  // 192 keys and 320 more for 4,096 queries are 2^21 pairs, nearly what 2,048
  // causal positions have.
  window = attentionShape(16, 16, 4096);
  window.visiblePairs = 4096. * 192;
  EXPECT_NEAR(attention.forwardNs(window),
              attention.forwardNs(attentionShape(16, 16, 2048)), 1000);
  // The last of 128 queries sees all of 1,024 keys, the first 897.
  EXPECT_EQ(causalPairs(128, 1024), 128 * (897 + 1024) / 2);
  EXPECT_EQ(causalPairs(4, 4), 10);
  EXPECT_EQ(causalPairs(9, 2), 3);
}

TEST(KernelGrids, AttentionOfADevice) {
  Topology topology = *builtinTopology("h100-2");
  AttentionShape shape;
  shape.queryHeads = 32;
  shape.keyHeads = 8;
  shape.queries = shape.keys = 4096;
  shape.visiblePairs = causalPairs(4096, 4096);
  CostModel cost(topology);
  // FlashAttention 3 measured: 264 us.
  EXPECT_NEAR(static_cast<double>(*cost.attentionNs(0, shape, false)), 264e3,
              0.08 * 264e3);
  EXPECT_EQ(cost.attentionBasis(0, shape, false), PriceBasis::Measured);
  EXPECT_EQ(cost.attentionBasis(0, shape, true),
            PriceBasis::BetweenMeasurements);
  // Few queries of many keys take what reading the keys takes.
  AttentionShape decode = shape;
  decode.samples = 64;
  decode.queries = 1;
  decode.visiblePairs = 4096;
  EXPECT_GE(static_cast<double>(*cost.attentionNs(0, decode, false)),
            decode.bytes() / 3.35e12 * 1e9);
  // Another device by its peaks; none without a profile.
  Topology volta = *builtinTopology("v100-2");
  EXPECT_EQ(CostModel(volta).attentionBasis(0, shape, false),
            PriceBasis::DataSheet);
  EXPECT_GT(*CostModel(volta).attentionNs(0, shape, false),
            4 * *cost.attentionNs(0, shape, false));
  Topology cpu = *builtinTopology("cpu-2");
  EXPECT_FALSE(CostModel(cpu).attentionNs(0, shape, false));
}

TEST(KernelGrids, FilesAndMistakes) {
  std::string text = printProfile(smallProfile());
  Expected<Profile> again = parseProfile(text, "p.json");
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(printProfile(*again), text);
  EXPECT_EQ(again->products[0].oddDifferences[3], 0.2);
  EXPECT_EQ(messageOf("\"dtype\":\"bf16\"", "\"dtype\":\"f32\""),
            "p.json: at /products/0/dtype: expected one of bf16, f8, f4, got "
            "\"f32\"");
  EXPECT_EQ(messageOf("\"rows\":[16,256", "\"rows\":[256,256"),
            "p.json: at /products/0/rows/1: expected a larger size than the "
            "one before, got 256");
  EXPECT_EQ(messageOf("\"columns\":[128,256,512]", "\"columns\":[128,256]"),
            "p.json: at /products/0/differences: expected 18 characters, one a "
            "node of the grid, got 27");
  EXPECT_EQ(messageOf("\"differences\":\"gg", "\"differences\":\"g!"),
            "p.json: at /products/0/differences: expected letters, digits, + "
            "and /, got '!'");
  EXPECT_EQ(messageOf("\"tile_ns\":[1000000.0,", "\"tile_ns\":["),
            "p.json: at /products/0/tile_ns: expected 5 times, one a size of "
            "tiles, got 4");
  EXPECT_EQ(messageOf("\"ns\":[10000,", "\"ns\":["),
            "p.json: at /attention/0/ns: expected 8 times, one a node of the "
            "grid, got 7");
  EXPECT_EQ(messageOf("\"width\":128", "\"width\":64"),
            "p.json: at /attention/1/width: duplicate attention of heads of "
            "64");
}
