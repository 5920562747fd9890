//===- RepeatedRunsTest.cpp - Runs that are written once ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random sequences, against a search that tries every length and every place.
//
//===----------------------------------------------------------------------===//

#include "Analysis/RepeatedRuns.h"

#include "gtest/gtest.h"

#include <map>
#include <random>
#include <set>

using namespace mlir::soap;

namespace {

constexpr unsigned kSeparator = ~0U;

int64_t gain(size_t length, size_t count, size_t calls, int64_t callCost) {
  int64_t saved = savedLetters(length, count, calls, callCost);
  auto times = static_cast<int64_t>(count);
  return count < 2 || saved <= 0 ? 0 : saved * (times - 1) * 1024 / times;
}

/// The largest gain of any repeated run, 0 if there is none; with `maximal`, of
/// runs that come less often if they are made longer by any letter. With
/// `loops`, those next to each other are one call.
int64_t bestGain(const std::vector<unsigned> &letters, int64_t callCost,
                 bool loops, bool maximal) {
  struct Places {
    size_t disjoint = 0, calls = 0, end = 0;
    std::set<unsigned> next; ///< letters behind
    bool ends = false;       ///< nothing or a separator behind
  };
  int64_t best = 0;
  // A loop of one letter saves some, but is not always tried.
  for (size_t length = loops && !maximal ? 1 : 2; length < letters.size();
       ++length) {
    std::map<std::vector<unsigned>, Places> runs;
    for (size_t start = 0; start + length <= letters.size(); ++start) {
      std::vector<unsigned> run(letters.begin() + start,
                                letters.begin() + start + length);
      if (llvm::is_contained(run, kSeparator))
        continue;
      Places &places = runs[run];
      size_t end = start + length;
      if (end == letters.size() || letters[end] == kSeparator)
        places.ends = true;
      else
        places.next.insert(letters[end]);
      if (start < places.end)
        continue;
      ++places.disjoint;
      places.calls += !loops || places.disjoint == 1 || start > places.end;
      places.end = end;
    }
    for (const auto &[run, places] : runs)
      if (!maximal || places.ends || places.next.size() > 1)
        best = std::max(best,
                        gain(length, places.disjoint, places.calls, callCost));
  }
  return best;
}

std::vector<unsigned> randomLetters(std::mt19937 &random) {
  auto below = [&](unsigned bound) { return unsigned(random() % bound); };
  std::vector<unsigned> letters;
  std::vector<std::vector<unsigned>> words(1 + below(3));
  unsigned alphabet = 1 + below(6);
  for (std::vector<unsigned> &word : words)
    for (unsigned i = 0, count = 1 + below(12); i < count; ++i)
      word.push_back(below(alphabet));
  for (unsigned i = 0, count = below(12); i < count; ++i) {
    if (below(6) == 0)
      letters.push_back(kSeparator);
    else if (below(4) == 0)
      letters.push_back(below(alphabet));
    const std::vector<unsigned> &word = words[below(words.size())];
    letters.insert(letters.end(), word.begin(), word.end());
  }
  return letters;
}

TEST(RepeatedRuns, RandomSequencesAgainstAllRuns) {
  std::mt19937 random(1);
  size_t found = 0, repeated = 0;
  for (int round = 0; round < 250; ++round) {
    std::vector<unsigned> letters = randomLetters(random);
    auto callCost = static_cast<int64_t>(1 + random() % 4);
    bool loops = round % 2;
    auto runs = findRepeatedRuns(letters, kSeparator, callCost, loops);
    auto callsOf = [&](const RepeatedRun &run) {
      size_t calls = 1;
      for (size_t i = 1; i < run.starts.size(); ++i)
        calls += !loops || run.starts[i] != run.starts[i - 1] + run.length;
      return calls;
    };
    // The best run comes first.
    int64_t first = runs.empty() ? 0
                                 : gain(runs[0].length, runs[0].starts.size(),
                                        callsOf(runs[0]), callCost);
    EXPECT_GE(first, bestGain(letters, callCost, loops, /*maximal=*/true));
    EXPECT_LE(first, bestGain(letters, callCost, loops, /*maximal=*/false));
    ASSERT_EQ(runs.empty(), first == 0);
    found += !runs.empty();
    std::vector<unsigned> rest = letters;
    for (const RepeatedRun &run : runs) {
      ASSERT_GE(run.starts.size(), 2U);
      if (!loops) // later runs may have come between two of them
        ASSERT_GT(savedLetters(run.length, run.starts.size(), run.starts.size(),
                               callCost),
                  0);
      EXPECT_TRUE(llvm::is_sorted(run.starts));
      repeated += run.starts.size();
      for (size_t start : run.starts)
        for (size_t i = 0; i < run.length; ++i) {
          EXPECT_EQ(letters[start + i], letters[run.starts[0] + i]);
          // Nothing is in two runs, and no run crosses a separator.
          ASSERT_NE(rest[start + i], kSeparator);
          rest[start + i] = kSeparator;
        }
    }
    // Nothing is left that would save anything.
    EXPECT_EQ(bestGain(rest, callCost, loops, /*maximal=*/true), 0);
  }
  EXPECT_GT(found, 60U);
  EXPECT_GT(repeated, 300U);
}

TEST(RepeatedRuns, OftenBeforeLong) {
  // abcabcabcabc: four times abc, not twice abcabc.
  std::vector<unsigned> letters;
  for (int i = 0; i < 4; ++i)
    letters.insert(letters.end(), {7, 8, 9});
  auto runs = findRepeatedRuns(letters, kSeparator, 1);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].length, 3U);
  EXPECT_EQ(runs[0].starts, (llvm::SmallVector<size_t>{0, 3, 6, 9}));
  // A loop is one call.
  runs = findRepeatedRuns(letters, kSeparator, 8, /*loops=*/true);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].length, 3U);
  EXPECT_EQ(runs[0].starts.size(), 4U);
  // A call would be as long as what it stands for.
  EXPECT_TRUE(findRepeatedRuns(letters, kSeparator, 3).empty());
  EXPECT_TRUE(findRepeatedRuns({}, kSeparator, 1).empty());
}

} // namespace
