//===- SearchSummaryTest.cpp - Lines of a search --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of a search, against text that is written out here.
//
//===----------------------------------------------------------------------===//

#include "Search/Report/SearchSummary.h"

#include "gtest/gtest.h"

using namespace soap;

TEST(SearchSummaryTest, TimesAndSizesHaveTheUnitOfTheirRange) {
  EXPECT_EQ(describeTime(0), "0 ns");
  EXPECT_EQ(describeTime(999), "999 ns");
  EXPECT_EQ(describeTime(1'000), "1.000 us");
  EXPECT_EQ(describeTime(12'345'678), "12.346 ms");
  EXPECT_EQ(describeTime(2'500'000'000), "2.500 s");
  EXPECT_EQ(describeBytes(1023), "1023 bytes");
  EXPECT_EQ(describeBytes(1536), "1.5 KiB");
  EXPECT_EQ(describeBytes(int64_t(3) << 20), "3.0 MiB");
  EXPECT_EQ(describeBytes(int64_t(16) << 30), "16.0 GiB");
  EXPECT_EQ(describeBytes(int64_t(5) << 40), "5.0 TiB");
}

TEST(SearchSummaryTest, ProgressWithoutAStrategyNamesNoTime) {
  McmcProgress progress;
  EXPECT_EQ(describeProgress(progress),
            "searching: 0 proposals, no strategy priced yet");
  progress.proposals = 1;
  progress.proposalsPerSecond = 2.5;
  progress.bestNs = 700;
  progress.secondsLeft = 12.4;
  EXPECT_EQ(describeProgress(progress),
            "searching: 1 proposal (2/s), best 700 ns, 12 s left");
  progress.excessBytes = 2048;
  EXPECT_EQ(describeProgress(progress),
            "searching: 1 proposal (2/s), no strategy fits yet: the best "
            "exceeds memory by 2.0 KiB, 12 s left");
  progress.excessBytes = 0;
  // Much less than a microsecond is still a time.
  progress.bestNs = 1;
  progress.secondsLeft = 0;
  EXPECT_EQ(describeProgress(progress),
            "searching: 1 proposal (2/s), best 1 ns");
}

TEST(SearchSummaryTest, ASearchInOneLine) {
  SearchSummary summary;
  summary.function = "train_step";
  summary.topology = "cpu-4";
  summary.timeNs = 2'000'000;
  summary.memoryBytes = int64_t(5) << 20;
  summary.before = {"one device", "", 8'000'000};
  summary.dataParallel = {"data parallelism", "", 3'000'000};
  summary.proposals = 100;
  summary.seconds = 0.25;
  EXPECT_EQ(describeSearch(summary),
            "@train_step on cpu-4: 2.000 ms an iteration, before: 8.000 ms "
            "(one device); 1.50x as fast as data parallelism; at most 5.0 MiB "
            "on a device; 100 proposals in 0.2 s");
  summary.boundNs = 1'900'000;
  EXPECT_TRUE(describeSearch(summary).ends_with(
      "; 100 proposals in 0.2 s, lower bound 1.900 ms"));
  // A strategy that does not fit is no baseline.
  for (Baseline *other : {&*summary.before, &*summary.dataParallel}) {
    other->neededBytes = int64_t(37) << 30;
    other->memoryBytes = int64_t(16) << 30;
  }
  summary.points = 1;
  summary.interrupted = summary.optimal = true;
  summary.seconds = 61;
  EXPECT_EQ(
      describeSearch(summary),
      "@train_step on cpu-4: 2.000 ms an iteration, before: 8.000 ms "
      "(one device, which does not fit into memory); data parallelism "
      "does not fit: it needs 37.0 GiB on a device of 16.0 GiB; at most "
      "5.0 MiB on a device; 1 point in 61 s, proven optimal, interrupted: the "
      "best so far");
  // Nor is what is one device by another name.
  summary.dataParallel = {"data parallelism", "", 3'000'000};
  summary.dataParallel->splits = false;
  EXPECT_NE(describeSearch(summary).find("; data parallelism splits nothing; "),
            std::string::npos);
  // An iteration without tasks has no gain, and no time is divided by it.
  SearchSummary empty;
  empty.function = "forward";
  empty.topology = "cpu-1";
  empty.dataParallel = Baseline();
  EXPECT_EQ(describeSearch(empty),
            "@forward on cpu-1: 0 ns an iteration; at most 0 bytes on a "
            "device; 0 proposals in 0.0 s");
}
