//===- NumberSequenceTest.cpp - Lists as text and back --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of lists that repeat, random lists, and texts that are refused.
//
//===----------------------------------------------------------------------===//

#include "Support/NumberSequence.h"

#include "gtest/gtest.h"

#include <limits>
#include <random>

using namespace soap;

namespace {

using Numbers = std::vector<int64_t>;

constexpr int64_t lowest = std::numeric_limits<int64_t>::min(),
                  highest = std::numeric_limits<int64_t>::max();

std::string errorOf(std::string_view text, size_t count, int64_t low = lowest,
                    int64_t high = highest) {
  auto parsed = parseSequence(text, count, low, high);
  return parsed ? "no error" : parsed.error();
}

TEST(NumberSequence, WritesRepeatsOnce) {
  EXPECT_EQ(printSequence({}), "");
  EXPECT_EQ(printSequence({5, 9, 2}), "5 9 2");
  EXPECT_EQ(printSequence(Numbers(64, -1)), "-1 63x1");
  Numbers steps;
  for (int64_t i = 0; i < 64; ++i)
    steps.push_back(1000 - 10 * i);
  EXPECT_EQ(printSequence(steps), "1000 63x1-10");
  // Two numbers in turn, and a part far back.
  EXPECT_EQ(printSequence({100, 107, 200, 207, 300, 307}), "100 107 4x2+100");
  Numbers parts;
  for (int64_t begin : {0, 5000, 90000})
    for (int64_t i : {0, 71, 130, 200, 290, 310, 333, 402, 490, 555, 612, 700})
      parts.push_back(begin + i);
  EXPECT_EQ(printSequence(parts), "0 71 130 200 290 310 333 402 490 555 612 "
                                  "700 12x12+5000 12x12+85000");
}

TEST(NumberSequence, ReadsItsTexts) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    Numbers values;
    size_t count = random() % 200;
    while (values.size() < count) {
      size_t back = 1 + random() % 20, part = 1 + random() % 30;
      int64_t step = static_cast<int64_t>(random() % 5) - 2;
      for (size_t i = 0; i < part && values.size() < count; ++i)
        values.push_back(back <= values.size() && part > 2
                             ? values[values.size() - back] + step
                             : static_cast<int64_t>(random() % 1000));
    }
    // The ends of the range, whose distance has more than 64 bits.
    for (int64_t &value : values)
      if (random() % 50 == 0)
        value = random() % 2 ? lowest : highest;
    std::string text = printSequence(values);
    auto parsed = parseSequence(text, count, lowest, highest);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error();
    ASSERT_EQ(*parsed, values) << text;
  }
}

TEST(NumberSequence, RefusesWrongTexts) {
  EXPECT_EQ(errorOf("1 2", 3), "expected 3 numbers, got 2");
  EXPECT_EQ(errorOf("1 2", 1), "expected 1 numbers, got more");
  EXPECT_EQ(errorOf("1 5x1+1", 5), "expected 5 numbers, got more");
  // No memory for what does not fit.
  EXPECT_EQ(errorOf("1 18446744073709551615x1", 5),
            "expected 5 numbers, got more");
  EXPECT_EQ(errorOf("1 99999999999999999999x1", 5),
            "expected a number or COUNTxBACK+STEP, got "
            "'99999999999999999999x1'");
  EXPECT_EQ(errorOf("3x1", 3),
            "expected a number of places back from 1 to 0, got '3x1'");
  EXPECT_EQ(errorOf("1 3x0", 4),
            "expected a number of places back from 1 to 1, got '3x0'");
  for (const char *text :
       {"a", "1  2", "1,2", "x", "2x", "x1", "2x1+", "2x1*3", "2x1+3y",
        "2x1+-3", "2x1a", "-2x1", "9223372036854775808"})
    EXPECT_EQ(errorOf("7 " + std::string(text), 3).substr(0, 42),
              "expected a number or COUNTxBACK+STEP, got ")
        << text;
  EXPECT_EQ(errorOf("0 9", 2, 0, 8), "expected numbers from 0 to 8, got 9");
  EXPECT_EQ(errorOf("0 8 1x1+1", 3, 0, 8),
            "expected numbers from 0 to 8, got 9");
  EXPECT_EQ(errorOf("9223372036854775800 2x1+5", 3),
            "expected numbers of 64 bits, got '2x1+5'");
}

} // namespace
