//===- ProfileRecordTest.cpp - Measurements on their way to a profile -----===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes as text read back, and measured times replace what contradicts them.
//
//===----------------------------------------------------------------------===//

#include "Cost/ProfileRecord.h"
#include "Soap/Profile/ProfileModel.h"

#include <gtest/gtest.h>

using namespace soap;

namespace {

Work convolution() {
  Work work;
  work.kind = "conv2d_input_grad";
  work.bytes = 91200;
  work.shape.op = "conv2d";
  work.shape.direction = "input_grad";
  work.shape.loops = {"n", "i", "h"};
  work.shape.extents = {8, 3, 14};
  work.shape.strides = {2, 1};
  return work;
}

const ProfileTable *tableOf(const Profile &profile, const std::string &op) {
  for (const ProfileTable &table : profile.tables)
    if (table.op == op)
      return &table;
  return nullptr;
}

Profile emptyProfile() {
  Profile profile;
  profile.device = "toy";
  profile.flopsPerSecond = {{"f32", 1e10}};
  profile.memoryBandwidthBytesPerSecond = 1e10;
  return profile;
}

TEST(ProfileRecord, ShapesReadBack) {
  std::string text = printShape(convolution(), "f32");
  EXPECT_EQ(text, "conv2d input_grad f32 n=8,i=3,h=14 2,1 91200");
  Expected<ProfileTable> table = parseShape(text);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->loops, (std::vector<std::string>{"n", "i", "h"}));
  EXPECT_EQ(table->strides, 2);
  ASSERT_EQ(table->entries.size(), 1u);
  EXPECT_EQ(table->entries[0].shape,
            (std::vector<int64_t>{8, 3, 14, 2, 1, 91200}));
  EXPECT_EQ(printShape(*table, table->entries[0]), text);

  Work copy;
  copy.kind = "assemble";
  copy.bytes = 64;
  EXPECT_EQ(printShape(copy, "f32"), "assemble forward f32 - - 64");
  copy.parts = {{32, 4, 128, 32, true}};
  EXPECT_EQ(printShape(copy, "f32"),
            "assemble forward f32 copied=32,runs=4,cold_bytes=32,cold_runs=4 - "
            "64");
  // Nothing is copied: sizes of a shape are at least 1.
  copy.parts = {{32, 1, 32, 32, false}};
  EXPECT_EQ(printShape(copy, "f32"),
            "assemble forward f32 copied=1,runs=1,cold_bytes=1,cold_runs=1 - "
            "64");
  copy.parts = {};
  copy.kind = "transfer";
  EXPECT_EQ(printShape(copy, "f32"), "");
}

TEST(ProfileRecord, WhatIsNoShapeIsAnError) {
  for (const char *text :
       {"", "relu", "relu forward f32 d0=8 - -", "relu forward f32 d0 - 32",
        "relu forward f32 d0=0 - 32", "relu forward f32 d0=8 x 32",
        "relu forward f32 d0=8 - 32 7"}) {
    EXPECT_FALSE(parseShape(text)) << text;
    ProfileRecord record;
    record.add(text, 1);
    Profile profile = emptyProfile();
    EXPECT_TRUE(record.addTo(profile)) << text;
  }
}

TEST(ProfileRecord, NewTimesReplaceOldOnes) {
  Profile profile = emptyProfile();
  ProfileRecord first;
  first.add("relu forward f32 d0=8 - 64", 100);
  first.add("relu forward f32 d0=8 - 64", 300);
  first.add("relu forward f32 d0=16 - 128", 900);
  first.add("relu forward f32 d0=64 - 512", 1000);
  ASSERT_FALSE(first.addTo(profile));
  const ProfileTable *table = tableOf(profile, "relu");
  ASSERT_TRUE(table);
  ASSERT_EQ(table->entries.size(), 3u);
  // The mean of what one run says.
  ProfileModel model(profile);
  OpShape shape = shapeOf(*table, std::vector<int64_t>{8, 64});
  EXPECT_NEAR(*model.opNs(shape, "f32"), 200, 1e-6);

  // Larger shapes may be faster: 16 elements take 900 ns, 32 take 500.
  ProfileRecord second;
  second.add("relu forward f32 d0=8 - 64", 250);
  second.add("relu forward f32 d0=32 - 256", 500);
  ASSERT_FALSE(second.addTo(profile));
  ProfileModel later(profile);
  for (auto [elements, ns] :
       {std::pair{8, 250.0}, {16, 900.0}, {32, 500.0}, {64, 1000.0}})
    EXPECT_NEAR(
        *later.opNs(shapeOf(*tableOf(profile, "relu"),
                            std::vector<int64_t>{elements, 8 * elements}),
                    "f32"),
        ns, 1e-6);
}

TEST(ProfileRecord, NoMoreDisorderThanAProfileMayHave) {
  Profile profile = emptyProfile();
  ProfileRecord record;
  record.add("relu forward f32 d0=8 - 64", 8000);
  record.add("relu forward f32 d0=16 - 128", 1);
  ASSERT_FALSE(record.addTo(profile));
  Expected<Profile> read = parseProfile(printProfile(profile), "p.json");
  ASSERT_TRUE(read) << read.error();
}

TEST(ProfileRecord, CopiesHaveCurves) {
  Profile profile = emptyProfile();
  ProfileRecord record;
  for (int64_t bytes : {1000, 10000, 100000})
    record.add("assemble forward f32 - - " + std::to_string(bytes),
               50.0 + static_cast<double>(bytes) / 10);
  ASSERT_FALSE(record.addTo(profile));
  ProfileModel model(profile);
  EXPECT_NEAR(*model.copyNs("assemble", 50000), 5050, 50);
  EXPECT_FALSE(model.copyNs("combine", 50000));
  EXPECT_FALSE(model.knowsRuns());
  EXPECT_EQ(*model.copyNs("assemble", 50000),
            *model.copyNs("assemble", 50000, {25000, 100, 25000, 100}));
}

/// Fitting finds the law again that made the times.
TEST(ProfileRecord, CopiesByRuns) {
  auto law = [](int64_t bytes, int64_t runs, bool cold) {
    auto b = static_cast<double>(bytes), r = static_cast<double>(runs);
    return 100 + 0.02 * b + 0.03 * b + 4 * r + (cold ? 0.1 * b + 9 * r : 0);
  };
  ProfileRecord record;
  for (int64_t bytes = 1 << 12; bytes <= 1 << 20; bytes *= 4)
    for (int64_t run = 16; run <= 1 << 12; run *= 4)
      for (bool cold : {false, true}) {
        Work work;
        work.kind = "assemble";
        work.bytes = bytes;
        work.parts = {{bytes, bytes / run, 2 * bytes, bytes, cold}};
        record.add(printShape(work, "f32", 1 << 30),
                   law(bytes, bytes / run, cold));
      }
  Profile profile = emptyProfile();
  ASSERT_FALSE(record.addTo(profile));
  ProfileModel model(profile);
  EXPECT_TRUE(model.knowsRuns());
  for (int64_t bytes : {5000, 300000})
    for (int64_t runs : {3, 200})
      for (bool cold : {false, true}) {
        double expected = law(bytes, runs, cold);
        CopySizes sizes{bytes, runs, cold ? bytes : 0, cold ? runs : 0};
        EXPECT_NEAR(
            *model.copyNs("assemble", static_cast<double>(bytes), sizes),
            expected, 0.03 * expected);
      }
}

} // namespace
