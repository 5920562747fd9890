//===- QuantizedKernelTest.cpp - Kernels of 8-bit floats ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Casts against tables of all numbers of the types, made from the definition of
// their bits; products against sums of what these tables say.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace soap::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Sign, exponent and fraction.
struct Float8 {
  const char *name;
  int exponentBits, fractionBits, bias;
  int count;      ///< codes of sizes that are numbers
  double largest; ///< of these
  int exponent;   ///< of its power of two

  /// The number of a code without a sign.
  double size(int code) const {
    int exponent = code >> fractionBits;
    double fraction =
        std::ldexp(code & ((1 << fractionBits) - 1), -fractionBits);
    return exponent == 0 ? std::ldexp(fraction, 1 - bias)
                         : std::ldexp(1 + fraction, exponent - bias);
  }
  /// The nearest number, of two the one with an even code, at most the largest.
  double rounded(double x) const {
    if (std::isnan(x))
      return x;
    int best = 0;
    for (int code = 1; code < count; ++code) {
      double here = std::abs(size(code) - std::abs(x)),
             there = std::abs(size(best) - std::abs(x));
      if (here < there || (here == there && code % 2 == 0))
        best = code;
    }
    return std::copysign(std::abs(x) >= largest ? largest : size(best), x);
  }
};

const Float8 types[] = {{"f8E4M3FN", 4, 3, 7, 0x7F, 448, 8},
                        {"f8E5M2", 5, 2, 15, 0x7C, 57344, 15}};

std::string shaped(const std::vector<int64_t> &shape, const std::string &type) {
  return tensor(shape, type);
}

/// Results of `quantize` with a maximum, as f32.
std::vector<double> casts(const Float8 &type, const Array &x, double amax,
                          const std::string &lowering) {
  std::string f32 = shaped(x.shape, "f32"), f8 = shaped(x.shape, type.name);
  std::string text = "func.func @f(%x: " + f32 + ", %m: tensor<f32>) -> " +
                     f32 + " {\n  %q = soap.quantize %x, %m : (" + f32 +
                     ", tensor<f32>) -> " + f8 +
                     "\n  %y = soap.dequantize %q : (" + f8 + ") -> " + f32 +
                     "\n  return %y : " + f32 + "\n}\n";
  Array m(std::vector<int64_t>{}, amax);
  std::vector<Array> results = run(text, "f32", lowering, {x, m});
  EXPECT_EQ(results.size(), 1U);
  return results.empty() ? std::vector<double>() : results[0].values;
}

const char *const lowerings[] = {
    "soap-lower-to-cpu{library=none fuse=false}",
    "soap-lower-to-cpu{library=none fuse=true min-work=0}"};

void expectSame(const std::vector<double> &got,
                const std::vector<double> &expected,
                const std::vector<double> &of) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    if (std::isnan(expected[i]))
      EXPECT_TRUE(std::isnan(got[i])) << "of " << of[i] << ": " << got[i];
    else
      EXPECT_TRUE(got[i] == expected[i] &&
                  std::signbit(got[i]) == std::signbit(expected[i]))
          << "of " << of[i] << ": " << got[i] << ", expected " << expected[i];
}

TEST(QuantizedKernels, EveryCode) {
  for (const Float8 &type : types) {
    Array x({2 * type.count});
    for (int code = 0; code < type.count; ++code) {
      x.values[2 * code] = type.size(code);
      x.values[2 * code + 1] = -type.size(code);
    }
    EXPECT_EQ(type.size(type.count - 1), type.largest);
    for (const char *lowering : lowerings)
      expectSame(casts(type, x, type.largest, lowering), x.values, x.values);
  }
}

TEST(QuantizedKernels, TiesAndNeighbours) {
  for (const Float8 &type : types) {
    Array x;
    for (int code = 0; code + 1 < type.count; ++code) {
      double middle = (type.size(code) + type.size(code + 1)) / 2;
      auto of = static_cast<float>(middle);
      for (double number :
           {middle, static_cast<double>(std::nextafterf(of, 0)),
            static_cast<double>(std::nextafterf(of, 1e30F)), -middle})
        x.values.push_back(number);
    }
    // Half of the least number becomes 0, and what is less.
    for (double number : {0x1p-140, 0x1p-149, -0x1p-60, 0.0, -0.0})
      x.values.push_back(number);
    x.shape = {static_cast<int64_t>(x.values.size())};
    std::vector<double> expected;
    for (double number : x.values)
      expected.push_back(type.rounded(number));
    for (const char *lowering : lowerings)
      expectSame(casts(type, x, type.largest, lowering), expected, x.values);
  }
}

TEST(QuantizedKernels, RandomNumbers) {
  for (const Float8 &type : types) {
    Array x = random({4096}, 5);
    for (size_t i = 0; i < x.values.size(); ++i)
      x.values[i] *= std::ldexp(1, static_cast<int>(i % 40) - 20);
    std::vector<double> expected;
    // A factor that is no power of two: the product is rounded to f32 first.
    auto factor = static_cast<float>(type.largest) / 3.7F;
    for (double number : x.values)
      expected.push_back(type.rounded(static_cast<float>(number) * factor));
    for (const char *lowering : lowerings)
      expectSame(casts(type, x, 3.7F, lowering), expected, x.values);
  }
}

TEST(QuantizedKernels, BeyondTheLargest) {
  for (const Float8 &type : types) {
    Array x({5});
    x.values = {type.largest * 1.01, -1e30, infinity, -infinity, nan};
    double m = type.largest;
    for (const char *lowering : lowerings)
      expectSame(casts(type, x, type.largest, lowering), {m, -m, m, -m, nan},
                 x.values);
  }
}

TEST(QuantizedKernels, ScalesOfTensors) {
  for (const Float8 &type : types) {
    Array x({3});
    x.values = {0, 1.5, -0x1p-130};
    for (const char *lowering : lowerings) {
      // Zeros are not scaled, and neither is more than the largest f32.
      expectSame(casts(type, x, 0, lowering), {0, 1.5, -0.0}, x.values);
      expectSame(
          casts(type, x, 0x1p-130, lowering),
          {0, type.largest,
           -type.rounded(0x1p-130 * double(std::numeric_limits<float>::max()))},
          x.values);
      // Faults stay visible.
      for (double fault : {infinity, nan})
        expectSame(casts(type, x, fault, lowering), {nan, nan, nan}, x.values);
    }
  }
}

TEST(QuantizedKernels, Amax) {
  for (int64_t size : {1, 7, 1000}) {
    Array x = random({size, 3}, 11), y(std::vector<int64_t>{});
    for (double number : x.values)
      y.values[0] = std::max(y.values[0], std::abs(number));
    check(function("soap.amax", "", {x}, {y}), {x}, {y}, {"f32"});
    x.values[size] = nan;
    y.values[0] = nan;
    check(function("soap.amax", "", {x}, {y}), {x}, {y}, {"f32"});
  }
}

/// Numbers of `x` in blocks along a dim of it, as f32.
Array blocks(const Float8 &type, const Array &x, int64_t axis) {
  Array result = x;
  x.forEach([&](std::vector<int64_t> i) {
    std::vector<int64_t> at = i;
    double most = 0;
    bool isFinite = true;
    for (int64_t e = 0; e < 32; ++e) {
      at[axis] = i[axis] / 32 * 32 + e;
      isFinite = isFinite && std::isfinite(x(at));
      most = std::max(most, std::abs(x(at)));
    }
    // Of numbers below the normal ones of f32, all of which are 2^-127 here.
    int exponent = most < 0x1p-126 ? -127 : std::ilogb(most);
    double scale = std::ldexp(1, std::max(exponent - type.exponent, -127));
    result(i) = isFinite ? type.rounded(x(i) / scale) * scale : nan;
  });
  return result;
}

TEST(QuantizedKernels, Blocks) {
  for (const Float8 &type : types)
    for (int64_t axis : {0, 1}) {
      Array x = random({64, 96}, 3);
      x.forEach([&](std::vector<int64_t> i) {
        x(i) =
            std::ldexp(x(i), static_cast<int>(i[0] / 32 * 60 + i[1] / 8) - 40);
        if (i[0] < 32 && i[1] < 32)
          x(i) = 0;
      });
      x({40, 40}) = infinity;
      Array y = blocks(type, x, axis);
      std::vector<int64_t> shape = x.shape;
      shape[axis] /= 32;
      std::string f32 = shaped(x.shape, "f32"), f8 = shaped(x.shape, type.name),
                  s = shaped(shape, "f8E8M0FNU");
      std::string text =
          "func.func @f(%x: " + f32 + ") -> " + f32 +
          " {\n  %s = soap.block_scales %x {axis = " + std::to_string(axis) +
          " : i64, type = " + type.name + "} : (" + f32 + ") -> " + s +
          "\n  %q = soap.quantize %x, %s : (" + f32 + ", " + s + ") -> " + f8 +
          "\n  %y = soap.dequantize %q, %s : (" + f8 + ", " + s + ") -> " +
          f32 + "\n  return %y : " + f32 + "\n}\n";
      for (const char *lowering : lowerings) {
        std::vector<Array> results = run(text, "f32", lowering, {x});
        ASSERT_EQ(results.size(), 1U);
        expectSame(results[0].values, y.values, x.values);
      }
    }
}

/// y[b, m, n] of operands in every form, whose sums are exact.
TEST(QuantizedKernels, MatmulScaled) {
  for (bool hasBlocks : {false, true})
    for (bool ta : {false, true})
      for (bool tb : {false, true})
        for (bool shared : {false, true}) {
          int64_t m = 3, n = 4, k = 64;
          auto matrix = [&](int64_t rows, int64_t columns, bool transposed) {
            return transposed ? std::vector<int64_t>{columns, rows}
                              : std::vector<int64_t>{rows, columns};
          };
          std::vector<int64_t> as = matrix(m, k, ta), bs = matrix(k, n, tb);
          as.insert(as.begin(), 2);
          if (!shared)
            bs.insert(bs.begin(), 2);
          // 448 and 57,344 are 7 times a power of two: nothing is rounded.
          Array a = integers(as, 7), b = integers(bs, 8), y({2, m, n});
          a.values[0] = 7;
          b.values[0] = -7;
          const Float8 &second = types[hasBlocks ? 0 : 1];
          y.forEach([&](std::vector<int64_t> i) {
            for (int64_t j = 0; j < k; ++j) {
              std::vector<int64_t> ai{i[0], ta ? j : i[1], ta ? i[1] : j};
              std::vector<int64_t> bi{i[0], tb ? i[2] : j, tb ? j : i[2]};
              if (shared)
                bi.erase(bi.begin());
              y(i) += a(ai) * b(bi);
            }
          });
          std::string text = "func.func @f(%a: " + shaped(as, "f32") +
                             ", %b: " + shaped(bs, "f32") + ") -> " +
                             shaped(y.shape, "f32") + " {\n",
                      types8, scales;
          auto quantize = [&](const std::string &name,
                              const std::vector<int64_t> &shape, size_t axis,
                              const Float8 &type) {
            std::string f32 = shaped(shape, "f32"),
                        f8 = shaped(shape, type.name), s = "tensor<f32>";
            if (hasBlocks) {
              std::vector<int64_t> fewer = shape;
              fewer[axis] /= 32;
              s = shaped(fewer, "f8E8M0FNU");
              text += "  %s" + name + " = soap.block_scales %" + name +
                      " {axis = " + std::to_string(axis) +
                      " : i64, type = " + type.name + "} : (" + f32 + ") -> " +
                      s + "\n";
            } else {
              text += "  %s" + name + " = soap.amax %" + name + " : (" + f32 +
                      ") -> " + s + "\n";
            }
            text += "  %q" + name + " = soap.quantize %" + name + ", %s" +
                    name + " : (" + f32 + ", " + s + ") -> " + f8 + "\n";
            types8 += (types8.empty() ? "" : ", ") + f8;
            scales += ", " + s;
          };
          quantize("a", as, ta ? 1 : 2, types[0]);
          quantize("b", bs, bs.size() - (tb ? 1 : 2), second);
          std::string attributes = ta ? "transpose_a" : "";
          if (tb)
            attributes += ta ? ", transpose_b" : "transpose_b";
          text += "  %y = soap.matmul_scaled %qa, %qb, %sa, %sb {" +
                  attributes + "} : (" + types8 + scales + ") -> " +
                  shaped(y.shape, "f32") +
                  "\n  return %y : " + shaped(y.shape, "f32") + "\n}\n";
          check(text, {a, b}, {y}, {"f32"});
        }
}

} // namespace
