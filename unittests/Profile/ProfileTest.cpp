//===- ProfileTest.cpp - Profiles and what they predict -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files round-trip and mistakes are named; measured shapes cost what was
// measured; no shape is cheaper than one that is no larger, for the built-in
// profile and for random ones.
//
//===----------------------------------------------------------------------===//

#include "Soap/Cost/CollectiveCost.h"
#include "Soap/Cost/CostModel.h"
#include "Soap/Profile/ProfileModel.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

using namespace soap;
using soap::test::Random;

namespace {

ProfileTable matmulTable() {
  ProfileTable table{"matmul", "forward", "f32", {"m", "n", "k"}, 0, {},
                     {},       0.3,       0.1};
  for (int64_t m : {1, 8, 64})
    for (int64_t n : {16, 64})
      for (int64_t k : {16, 256}) {
        int64_t bytes = 4 * (m * n + m * k + n * k);
        table.entries.push_back({{m, n, k, bytes}, 1000 + m * n * k / 10});
      }
  return table;
}

Profile smallProfile() {
  Profile profile;
  profile.device = "toy";
  profile.source = "by hand";
  profile.flopsPerSecond = {{"f32", 1e10}};
  profile.memoryBandwidthBytesPerSecond = 1e10;
  profile.launchNs = 1000;
  profile.tables = {matmulTable()};
  profile.curves = {{"elementwise",
                     "forward",
                     "f32",
                     {{CurveResource::Launch, 500, {}},
                      {CurveResource::Memory, 0.1, {0, 1}}}}};
  profile.collectives = {
      {CollectiveKind::AllReduce, 2, 1, {{{1000, 50}}, {{3000, 90}}}}};
  return profile;
}

OpShape matmulShape(int64_t m, int64_t n, int64_t k,
                    const std::string &direction = "forward") {
  ProfileTable table;
  table.op = "matmul";
  table.direction = direction;
  table.loops = {"m", "n", "k"};
  return shapeOf(table,
                 std::vector<int64_t>{m, n, k, 4 * (m * n + m * k + n * k)});
}

const Profile &h200() { return (*loadProfileModel("h200"))->getProfile(); }

} // namespace

TEST(Profile, RoundTrip) {
  Profile profile = smallProfile();
  std::string text = printProfile(profile);
  auto again = parseProfile(text, "p.json");
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(printProfile(*again), text);
  EXPECT_EQ(again->tables[0].entries.size(), 12u);
  EXPECT_EQ(again->collectives[0].entries[1][1], 90);
  auto large = parseProfile(printProfile(h200()), "h200");
  ASSERT_TRUE(large) << large.error();
  EXPECT_EQ(printProfile(*large), printProfile(h200()));
  EXPECT_EQ(large->tables.size(), 12u);
  EXPECT_EQ(large->products.size(), 2u);
  EXPECT_EQ(large->attention.size(), 8u);
}

/// Files from before copies were measured by their runs are read as they were.
TEST(Profile, CopiesOfOldFiles) {
  Profile profile = smallProfile();
  ProfileTable &table = profile.tables[0];
  table.op = "assemble";
  table.loops.clear();
  table.entries = {{{1000}, 200}, {{2000}, 300}};
  profile.curves[0].op = "assemble";
  std::string text = printProfile(profile);
  EXPECT_EQ(text.find("cache_bytes"), std::string::npos);
  auto read = parseProfile(text, "p.json");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->cacheBytes, defaultCacheBytes);
  ProfileModel model(*read);
  EXPECT_FALSE(model.knowsRuns());
  EXPECT_EQ(*model.copyNs("assemble", 1000), 600);

  profile.cacheBytes = 1 << 19;
  table.loops.assign(copySizeNames.begin(), copySizeNames.end());
  table.entries = {{{500, 10, 1, 1, 1000}, 300}};
  profile.curves[0].terms.push_back({CurveResource::Memory, 2, {0, 0, 0, 1}});
  text = printProfile(profile);
  read = parseProfile(text, "p.json");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(printProfile(*read), text);
  EXPECT_EQ(read->cacheBytes, 1 << 19);
  ProfileModel byRuns(*read);
  EXPECT_TRUE(byRuns.knowsRuns());
  EXPECT_EQ(*byRuns.copyNs("assemble", 1000, {500, 10, 0, 0}), 620);
}

TEST(Profile, MistakesAreNamed) {
  auto messageOf = [](auto change) {
    Profile profile = smallProfile();
    change(profile);
    auto parsed = parseProfile(printProfile(profile), "p.json");
    return parsed ? std::string() : parsed.error();
  };
  EXPECT_EQ(messageOf([](Profile &) {}), "");
  EXPECT_EQ(messageOf([](Profile &p) { p.tables[0].entries[3].ns = -5; }),
            "p.json: at /tables/0/entries/3/4: expected an integer from 1 to "
            "1000000000000000, got -5");
  EXPECT_EQ(messageOf([](Profile &p) { p.tables[0].entries[0].ns = 9000; }),
            "p.json: at /tables/0/entries/2: not monotone: expected no less "
            "than an eighth of the 9000 ns of entry 0, which is no larger in "
            "any respect, got 1102");
  EXPECT_EQ(messageOf([](Profile &p) {
              p.tables[0].entries.push_back(p.tables[0].entries[2]);
            }),
            "p.json: at /tables/0/entries/12: duplicate shape, entry 2 has it, "
            "too");
  EXPECT_EQ(messageOf([](Profile &p) { p.curves[0].terms[0].ns = -1; }),
            "p.json: at /curves/0/terms/0/ns: expected a number from 0 to "
            "1e+15, got -1.0");
  EXPECT_EQ(messageOf([](Profile &p) { p.cacheBytes = 0; }),
            "p.json: at /cache_bytes: expected an integer from 1 to "
            "1099511627776, got 0");
  EXPECT_EQ(messageOf([](Profile &p) { p.tables[0].op = "assemble"; }),
            "p.json: at /tables/0/loops: expected none, or copied, runs, "
            "cold_bytes, cold_runs, for op 'assemble'");
  EXPECT_EQ(messageOf([](Profile &p) {
              p.tables[0].loops = {"points"};
              p.tables[0].entries = {{{64, 256}, 1000}};
            }),
            "p.json: at /tables/0/loops: expected the loops of op 'matmul', "
            "got points, by which other ops can be measured");
  EXPECT_EQ(
      messageOf([](Profile &p) {
        p.curves[0].op = "assemble";
        p.curves[0].terms[1].powers = {0, 0, 0, 0, 0, 0, 1};
      }),
      "p.json: at /curves/0/terms/1/powers: expected at most 6 powers for "
      "op 'assemble', got 7");
  EXPECT_EQ(
      messageOf([](Profile &p) {
        p.curves[0].op = "assemble";
        p.curves[0].terms[1].powers = {0, 0, 0, -1};
      }),
      "p.json: at /curves/0/terms/1/powers/3: expected a number from 0 to "
      "8, got -1.0");
  EXPECT_EQ(messageOf([](Profile &p) { p.tables[0].loops[0] = "a"; }),
            "p.json: at /tables/0/loops: expected m, n, k for op 'matmul'");
  EXPECT_EQ(messageOf([](Profile &p) { p.tables[0].op = "matmul_grad"; }),
            "p.json: at /tables/0/op: expected op 'matmul' with direction "
            "backward, got 'matmul_grad'");
  EXPECT_EQ(messageOf([](Profile &p) { p.tables[0].lengths = {1, 2}; }),
            "p.json: at /tables/0/lengths: expected 3 lengths, one for each "
            "size of op 'matmul', got 2");
  EXPECT_EQ(
      messageOf([](Profile &p) { p.curves[0].terms[1].powers = {0, 1, 0}; }),
      "p.json: at /curves/0/terms/1/powers: expected at most 2 powers "
      "for op 'elementwise', got 3");
  EXPECT_EQ(messageOf([](Profile &p) { p.collectives[0].entries[1][1] = 20; }),
            "p.json: at /collectives/0/entries/1/1: not monotone: expected at "
            "least the 50 ns of the entry before, which has fewer bytes, got "
            "20");
}

TEST(Profile, MeasuredShapesCostWhatWasMeasured) {
  ProfileModel model(smallProfile());
  for (const ProfileEntry &entry : model.getProfile().tables[0].entries) {
    std::optional<double> ns = model.opNs(
        matmulShape(entry.shape[0], entry.shape[1], entry.shape[2]), "f32");
    ASSERT_TRUE(ns);
    EXPECT_NEAR(*ns, static_cast<double>(entry.ns), 0.01);
  }
  // In between, and a little beyond, the law that the table follows.
  EXPECT_NEAR(*model.opNs(matmulShape(32, 32, 64), "f32"), 1000 + 6553, 2000);
  EXPECT_NEAR(*model.opNs(matmulShape(128, 64, 256), "f32"), 1000 + 209715,
              60000);
  EXPECT_FALSE(model.opNs(matmulShape(32, 32, 64), "f64"));
  EXPECT_FALSE(model.opNs(matmulShape(32, 32, 64, "input_grad"), "f32"));
}

/// Grows one loop of a random shape after the other. Where channels or features
/// get to a multiple of 16 bytes, larger shapes may be faster.
static void expectMonotone(const ProfileModel &model, Random &random,
                           const ProfileTable &table, int rounds,
                           int64_t most) {
  auto draw = [&] {
    double top = std::log2(static_cast<double>(most));
    return std::max<int64_t>(
        1, static_cast<int64_t>(
               std::exp2(static_cast<double>(random(0, 1000)) / 1000 * top)));
  };
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(table.op + " " + table.direction + " " + table.dtype + ", " +
                 random.trace(round));
    std::vector<int64_t> row;
    if (random.chance(50)) {
      row = table.entries[random(0, table.entries.size() - 1)].shape;
    } else {
      for (const std::string &loop : table.loops)
        row.push_back(loop == "kh" || loop == "kw" ? random(1, 7) : draw());
      for (int s = 0; s < table.strides; ++s)
        row.push_back(random(1, 2));
      row.push_back(1 << 20);
    }
    double before = 0, alignedBefore = 0;
    for (int step = 0; step < 12; ++step) {
      OpShape shape = shapeOf(table, row);
      double ns = *model.opNs(shape, table.dtype);
      bool aligned = isAligned(shape.sizes, table.dtype);
      ASSERT_GE(ns, (aligned ? alignedBefore : before) * (1 - 1e-12))
          << "step " << step;
      before = std::max(before, ns);
      if (aligned)
        alignedBefore = ns;
      int64_t &extent = row[random(0, table.loops.size() - 1)];
      int64_t growth =
          random.chance(50) ? 1 : std::max<int64_t>(1, extent / random(1, 4));
      extent += growth;
      row.back() += random(0, 1 << 16);
    }
  }
}

TEST(Profile, NeverCheaperForMore) {
  Random random(81);
  std::shared_ptr<const ProfileModel> model = *loadProfileModel("h200");
  for (const ProfileTable &table : model->getProfile().tables)
    expectMonotone(*model, random, table, 150, 1 << 14);
  // Tables with measurements in disorder.
  for (int round = 0; round < 40; ++round) {
    Profile profile = smallProfile();
    for (ProfileEntry &entry : profile.tables[0].entries)
      entry.ns = entry.ns * random(30, 100) / 30;
    ProfileModel disordered(std::move(profile));
    expectMonotone(disordered, random, disordered.getProfile().tables[0], 20,
                   1 << 10);
  }
}

/// Curves alone, as they are used for other devices.
TEST(Profile, CurvesNeverFall) {
  Random random(82);
  std::shared_ptr<const ProfileModel> model = *loadProfileModel("h200");
  CurveScale k80{3, 20, 110};
  for (const ProfileTable &table : model->getProfile().tables)
    for (int round = 0; round < 200; ++round) {
      SCOPED_TRACE(random.trace(round));
      std::vector<int64_t> row =
          table.entries[random(0, table.entries.size() - 1)].shape;
      OpShape small = shapeOf(table, row);
      row[random(0, table.loops.size() - 1)] += random(1, 100);
      OpShape large = shapeOf(table, row);
      ASSERT_LE(*model->curveNs(small, table.dtype, k80),
                *model->curveNs(large, table.dtype, k80));
      ASSERT_GT(*model->curveNs(small, table.dtype, k80),
                *model->curveNs(small, table.dtype, {}));
    }
}

TEST(Profile, ShapesOfKernels) {
  // x[b, m, k] w[n, k]^T.
  IterationSpace space;
  space.loops = {{"b0", 4}, {"m", 8}, {"n", 16}, {"k", 32}};
  space.operands = {{{DimMap::loop(0), DimMap::loop(1), DimMap::loop(3)}},
                    {{DimMap::loop(2), DimMap::loop(3)}}};
  OpShape shape = shapeOf("matmul", space, space.wholeBox(), 100);
  EXPECT_EQ(shape.direction, "forward");
  EXPECT_EQ(shape.extents, (std::vector<int64_t>{32, 16, 32}));
  space.operands[1].map = {DimMap::loop(3), DimMap::loop(2)};
  EXPECT_EQ(shapeOf("matmul", space, space.wholeBox(), 100).direction,
            "input_grad");
  space.operands[0].map = {DimMap::loop(3), DimMap::loop(1)};
  EXPECT_EQ(shapeOf("matmul", space, space.wholeBox(), 100).direction,
            "weight_grad");
  OpShape grad = shapeOf("conv2d_weight_grad", space, space.wholeBox(), 100);
  EXPECT_EQ(grad.op, "conv2d");
  EXPECT_EQ(grad.direction, "weight_grad");
  EXPECT_EQ(shapeOf("relu_grad", space, space.wholeBox(), 100).direction,
            "backward");
}

TEST(Profile, MeasuredCollectivesAreTaken) {
  Topology topology = *builtinTopology("cpu-4");
  Profile profile = smallProfile();
  profile.device = "cpu";
  topology.deviceTypes[0].costs =
      std::make_shared<const ProfileModel>(std::move(profile));
  auto cost = [&](std::vector<int> devices, CollectiveKind kind) {
    return collectiveCost(topology, kind, devices, 2000);
  };
  CollectiveCost measured = cost({1, 3}, CollectiveKind::AllReduce);
  // 50 * 1.8^(log 2 / log 3): between 1000 and 3000 bytes.
  EXPECT_EQ(measured.ns, 73);
  EXPECT_EQ(measured.links.size(), 2u);
  // Neither other groups nor other collectives.
  EXPECT_GT(cost({1, 2, 3}, CollectiveKind::AllReduce).ns, 1000);
  EXPECT_GT(cost({1, 3}, CollectiveKind::AllGather).ns, 1000);
}

/// Kinds that a profile has not measured are its base's, on links like its own;
/// an empty list leaves all to the links.
TEST(Profile, CollectivesOfTheBase) {
  auto kindsOf = [](const std::string &keys) {
    auto read = parseProfile(
        R"({"version":1,"device":"ours","base":"h200","flops_per_s":{"f32":1},)"
        R"("memory_bandwidth_bytes_per_s":1,"launch_s":0)" +
            keys + "}",
        "p.json");
    EXPECT_TRUE(read) << read.error();
    auto again = parseProfile(printProfile(*read), "again.json");
    EXPECT_TRUE(again) << again.error();
    std::map<CollectiveKind, int> kinds;
    ProfileModel model(std::move(*again));
    for (const CollectiveEntries &entries : model.getProfile().collectives)
      ++kinds[entries.kind];
    return kinds;
  };
  std::map<CollectiveKind, int> ofBase;
  for (const CollectiveEntries &entries : h200().collectives)
    ++ofBase[entries.kind];
  ASSERT_GT(ofBase[CollectiveKind::AllReduce], 1);
  EXPECT_EQ(kindsOf(""), ofBase);
  EXPECT_TRUE(kindsOf(R"(,"collectives":[])").empty());
  std::string one = R"(,"collectives":[{"kind":"all-reduce","devices":8,)"
                    R"("entries":[[1000,9000]]}])";
  std::map<CollectiveKind, int> some = {{CollectiveKind::AllReduce, 1}};
  EXPECT_EQ(kindsOf(one), some); // over links that are not known
  EXPECT_EQ(kindsOf(one + R"(,"link_bandwidth_bytes_per_s":1e9)"), some);
  std::map<CollectiveKind, int> merged = ofBase;
  merged[CollectiveKind::AllReduce] = 1;
  EXPECT_EQ(kindsOf(one + R"(,"link_bandwidth_bytes_per_s":4.5e11)"), merged);
}

TEST(Profile, CostsOfDevices) {
  Topology topology = *builtinTopology("h200-1x1"),
           k80 = *builtinTopology("k80-1x1");
  const ProfileTable *table = nullptr;
  for (const ProfileTable &candidate : h200().tables)
    if (candidate.op == "matmul" && candidate.direction == "forward" &&
        candidate.dtype == "tf32")
      table = &candidate;
  ASSERT_TRUE(table);
  Work work;
  work.kind = "matmul";
  work.precision = ProductPrecision::TF32;
  work.shape = shapeOf(*table, table->entries.back().shape);
  work.flops =
      2 * work.shape.sizes[0] * work.shape.sizes[1] * work.shape.sizes[2];
  int64_t measured = table->entries.back().ns;
  int64_t ns = CostModel(topology).computeNs(0, work);
  EXPECT_NEAR(static_cast<double>(ns), static_cast<double>(measured),
              0.01 * static_cast<double>(measured));
  // Two orders of magnitude between the peaks.
  double ratio = static_cast<double>(CostModel(k80).computeNs(0, work)) /
                 static_cast<double>(ns);
  EXPECT_GT(ratio, 50);
  EXPECT_LT(ratio, 200);
  // Types that no profile is named for keep the roofline.
  topology.deviceTypes[0].costs = nullptr;
  EXPECT_NE(CostModel(topology).computeNs(0, work), ns);
  Topology cpu = *builtinTopology("cpu-2");
  EXPECT_FALSE(CostModel(cpu).usesProfiles());
  EXPECT_TRUE(CostModel(k80).usesProfiles());
}

/// Updates and losses are kernels of their own, whatever their loops.
TEST(Profile, MeasuredByPoints) {
  Profile profile = smallProfile();
  profile.tables.push_back({"sgd", "forward", "f32", {"points"}, 0, {}, {}});
  for (int64_t points : {100, 1000})
    profile.tables.back().entries.push_back(
        {{points, 20 * points}, 5000 + 2 * points});
  auto parsed = parseProfile(printProfile(profile), "p.json");
  ASSERT_TRUE(parsed) << parsed.error();
  ProfileModel model(*parsed);
  IterationSpace space;
  space.loops = {{"d0", 10}, {"d1", 50}, {"d2", 2}};
  auto ns = [&](const char *op, int64_t bytes, const KernelPart &part = {}) {
    return *model.opNs(shapeOf(op, space, space.wholeBox(), bytes), "f32",
                       part);
  };
  EXPECT_NEAR(ns("sgd", 20000), 7000, 0.01);
  EXPECT_EQ(ns("relu", 20000), 500 + 2000);
  EXPECT_EQ(ns("relu", 20000, {0, false, 10000, 2}), 2 * 500 + 2000);
  // As a part of a larger kernel it costs what the curve says.
  EXPECT_EQ(ns("sgd", 20000, {0, true}), 2000);
  EXPECT_EQ(ns("sgd", 20000, {8000, false}), 500 + 1200);
  // So it does on other devices.
  EXPECT_EQ(*model.curveNs(shapeOf("sgd", space, space.wholeBox(), 20000),
                           "f32", CurveScale{3, 2, 1}),
            3 * 500 + 2 * 2000);
}

/// Blocks of a GPU sum up, another kernel adds their sums.
TEST(Profile, SumsTakeTwoKernels) {
  IterationSpace space;
  space.loops = {{"d0", 64}, {"d1", 10}};
  auto ns = [&](const Topology &topology, const char *op) {
    Work work;
    work.kind = op;
    work.shape = shapeOf(op, space, space.wholeBox(), 3000);
    return CostModel(topology).computeNs(0, work);
  };
  for (const char *name : {"h200-1x1", "k80-1x1"}) {
    Topology gpu = *builtinTopology(name);
    EXPECT_GT(ns(gpu, "reduce"), 1.9 * ns(gpu, "add")) << name;
  }
  Topology cpu = *builtinTopology("cpu-2");
  Profile profile = smallProfile();
  profile.device = cpu.deviceTypes[0].name;
  cpu.deviceTypes[0].costs =
      std::make_shared<const ProfileModel>(std::move(profile));
  EXPECT_EQ(ns(cpu, "reduce"), ns(cpu, "add"));
}

TEST(Profile, UseOfFiles) {
  Topology topology = *builtinTopology("cpu-2");
  EXPECT_EQ(useProfile(topology, "nowhere.json")->message,
            "unknown profile 'nowhere.json', expected a file or one of " +
                builtinProfileNames());
  EXPECT_FALSE(useProfile(topology, "h200"));
  EXPECT_TRUE(CostModel(topology).usesProfiles());
  auto again = parseTopology(printTopology(topology), "t.json");
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->deviceTypes[0].profile, "h200");
  topology.deviceTypes.push_back(topology.deviceTypes[0]);
  EXPECT_EQ(useProfile(topology, "h200")->message,
            "h200: is of device type 'h200', expected one of the topology's "
            "types: 'cpu', 'cpu'");
}
