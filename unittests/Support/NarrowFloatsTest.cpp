//===- NarrowFloatsTest.cpp - f16 and bf16 on the host --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All numbers of 16 bits, what lies between neighbours, and the ends.
//
//===----------------------------------------------------------------------===//

#include "Soap/Support/NarrowFloats.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace soap;

namespace {

template <typename T>
T ofBits(unsigned bits) {
  T value;
  value.bits = static_cast<uint16_t>(bits);
  return value;
}

template <typename T>
class NarrowFloats : public testing::Test {};
using Types = testing::Types<Float16, BFloat16>;
TYPED_TEST_SUITE(NarrowFloats, Types);

TYPED_TEST(NarrowFloats, EveryNumberComesBack) {
  for (unsigned bits = 0; bits <= 0xffff; ++bits) {
    float wide = ofBits<TypeParam>(bits);
    if (std::isnan(wide))
      EXPECT_TRUE(std::isnan(float(TypeParam(wide))));
    else
      EXPECT_EQ(TypeParam(wide).bits, bits);
  }
}

/// To nearest, and to the neighbour whose last bit is 0 from the middle.
TYPED_TEST(NarrowFloats, Rounds) {
  for (unsigned bits = 0;; ++bits) {
    float low = ofBits<TypeParam>(bits), high = ofBits<TypeParam>(bits + 1);
    if (!std::isfinite(high))
      break;
    auto middle = static_cast<float>((double(low) + double(high)) / 2);
    unsigned even = bits % 2 ? bits + 1 : bits;
    for (float sign : {1.0f, -1.0f}) {
      unsigned first = sign < 0 ? 0x8000 : 0;
      EXPECT_EQ(TypeParam(sign * middle).bits, first | even);
      EXPECT_EQ(TypeParam(sign * std::nextafter(middle, 0.0f)).bits,
                first | bits);
      EXPECT_EQ(TypeParam(sign * std::nextafter(middle, HUGE_VALF)).bits,
                first | (bits + 1));
    }
  }
}

TYPED_TEST(NarrowFloats, Ends) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(float(TypeParam(infinity)), infinity);
  EXPECT_EQ(float(TypeParam(-infinity)), -infinity);
  EXPECT_EQ(float(TypeParam(std::numeric_limits<float>::max())), infinity);
  EXPECT_TRUE(std::isnan(float(TypeParam(std::nanf("")))));
  EXPECT_TRUE(std::signbit(float(TypeParam(-0.0f))));
}

TEST(NarrowFloatsOfFiveBits, Range) {
  EXPECT_EQ(float(Float16(65519.0f)), 65504.0f);
  EXPECT_EQ(float(Float16(65520.0f)), std::numeric_limits<float>::infinity());
  EXPECT_EQ(float(Float16(0x1p-24f)), 0x1p-24f);
  EXPECT_EQ(float(Float16(0x1p-25f)), 0.0f);
}

} // namespace
