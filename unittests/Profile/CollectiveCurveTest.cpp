//===- CollectiveCurveTest.cpp - Measured times of collectives ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-computed times at, between and beyond what was measured.
//
//===----------------------------------------------------------------------===//

#include "Soap/Profile/CollectiveCurve.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

using namespace soap;
using soap::test::Random;

static Profile profileOf() {
  Profile profile;
  profile.collectives = {
      {CollectiveKind::AllGather, 2, 1, {{{1000, 10}, {4000, 40}}}},
      {CollectiveKind::AllGather, 8, 1, {{{1000, 90}, {4000, 160}}}},
      {CollectiveKind::AllGather, 4, 2, {{{1000, 7000}}}},
      {CollectiveKind::AllReduce, 4, 1, {{{1000, 60}}}}};
  return profile;
}

static double nsOf(CollectiveKind kind, int devices, double bytes) {
  return CollectiveCurve::find(profileOf(), kind, devices, false)->ns(bytes);
}

TEST(CollectiveCurve, Sizes) {
  auto ns = [](double bytes) {
    return nsOf(CollectiveKind::AllGather, 8, bytes);
  };
  EXPECT_DOUBLE_EQ(ns(1000), 90);
  EXPECT_DOUBLE_EQ(ns(4000), 160);
  // Half way on both logarithms.
  EXPECT_DOUBLE_EQ(ns(2000), 120);
  // Lines before and behind.
  EXPECT_DOUBLE_EQ(ns(400), 76);
  EXPECT_NEAR(ns(0), 90 - 70. / 3, 1e-9);
  EXPECT_DOUBLE_EQ(ns(-5), ns(0));
  EXPECT_DOUBLE_EQ(ns(7000), 230);
  // A single measurement: in proportion.
  EXPECT_DOUBLE_EQ(nsOf(CollectiveKind::AllReduce, 4, 3000), 180);
}

TEST(CollectiveCurve, Devices) {
  // 4 is half way from 2 to 8; what two machines took is something else.
  EXPECT_NEAR(nsOf(CollectiveKind::AllGather, 4, 1000), 30, 1e-9);
  EXPECT_NEAR(nsOf(CollectiveKind::AllGather, 4, 4000), 80, 1e-9);
  // 64: a link moves 63/64 in place of 7/8, and trees have twice the steps.
  EXPECT_NEAR(nsOf(CollectiveKind::AllGather, 64, 1000 * 64 / 63. * 7 / 8),
              90 + 90, 1e-9);
  Profile profile = profileOf();
  // Fewer than were measured, kinds that were not, numbers that were not.
  EXPECT_FALSE(
      CollectiveCurve::find(profile, CollectiveKind::AllReduce, 2, false));
  EXPECT_FALSE(
      CollectiveCurve::find(profile, CollectiveKind::AllToAll, 8, false));
  EXPECT_FALSE(
      CollectiveCurve::find(profile, CollectiveKind::AllGather, 4, true));
  EXPECT_TRUE(
      CollectiveCurve::find(profile, CollectiveKind::AllGather, 8, true));
}

/// Of built-in profiles.
TEST(CollectiveCurve, NeverLessForMore) {
  Random random(91);
  for (const char *name : {"a100", "b200", "gb200", "h100", "h200", "l40s"}) {
    Profile profile = *loadProfile(name);
    for (CollectiveKind kind :
         {CollectiveKind::AllReduce, CollectiveKind::AllGather,
          CollectiveKind::ReduceScatter, CollectiveKind::AllToAll})
      for (int round = 0; round < 50; ++round) {
        SCOPED_TRACE(std::string(name) + " " + collectiveName(kind) + ", " +
                     random.trace(round));
        int devices = random(2, 72);
        CollectiveCurve curve =
            *CollectiveCurve::find(profile, kind, devices, false);
        auto bytes = static_cast<double>(random(0, 1 << random(1, 30)));
        double more = bytes + static_cast<double>(random(0, 1 << 20));
        ASSERT_GT(curve.ns(bytes), 0);
        ASSERT_LE(curve.ns(bytes), curve.ns(more) * (1 + 1e-12));
        if (kind == CollectiveKind::AllReduce)
          ASSERT_GE(curve.ns(bytes) * (1 + 1e-12),
                    CollectiveCurve::find(profile, CollectiveKind::AllGather,
                                          devices, false)
                        ->ns(bytes));
      }
  }
}
