//===- KernelTest.cpp - Kernels against the definition --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// oneDNN and direct kernels against the definition of convolution and matrix
// product, in double, on random shapes. Small integers make every sum exact, so
// those compare bit for bit.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Kernels/Kernels.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

using namespace soap::runtime;

namespace {

using Rng = std::mt19937_64;

int64_t draw(Rng &rng, int64_t lo, int64_t hi) {
  return std::uniform_int_distribution<int64_t>(lo, hi)(rng);
}

std::vector<float> drawData(Rng &rng, int64_t size, bool integers) {
  std::vector<float> data(static_cast<size_t>(size));
  for (float &x : data)
    x = integers ? float(draw(rng, -3, 3))
                 : std::uniform_real_distribution<float>(-1, 1)(rng);
  return data;
}

/// The definition: calls `term(x index, w index, y index)`.
template <typename Term>
void forEachTerm(const ConvShape &s, Term term) {
  for (int64_t n = 0; n < s.n; ++n)
    for (int64_t g = 0; g < s.g; ++g)
      for (int64_t o = 0; o < s.o; ++o)
        for (int64_t c = 0; c < s.c; ++c)
          for (int64_t oh = 0; oh < s.oh; ++oh)
            for (int64_t ow = 0; ow < s.ow; ++ow)
              for (int64_t kh = 0; kh < s.kh; ++kh)
                for (int64_t kw = 0; kw < s.kw; ++kw) {
                  int64_t h = oh * s.sh + kh * s.dh - s.pt;
                  int64_t w = ow * s.sw + kw * s.dw - s.pl;
                  if (h < 0 || h >= s.h || w < 0 || w >= s.w)
                    continue;
                  int64_t go = g * s.o + o, gc = g * s.c + c;
                  term(((n * s.g * s.c + gc) * s.h + h) * s.w + w,
                       ((go * s.c + c) * s.kh + kh) * s.kw + kw,
                       ((n * s.g * s.o + go) * s.oh + oh) * s.ow + ow);
                }
}

std::vector<float> definition(ConvKind kind, const ConvShape &s,
                              const std::vector<float> &a,
                              const std::vector<float> &b, int64_t size) {
  std::vector<double> sum(static_cast<size_t>(size));
  forEachTerm(s, [&](int64_t x, int64_t w, int64_t y) {
    switch (kind) {
    case ConvKind::Forward:
      sum[y] += double(a[x]) * b[w];
      break;
    case ConvKind::InputGrad:
      sum[x] += double(a[y]) * b[w];
      break;
    case ConvKind::WeightGrad:
      sum[w] += double(a[x]) * b[y];
      break;
    }
  });
  return {sum.begin(), sum.end()};
}

void expectEqual(const std::vector<float> &want, const std::vector<float> &got,
                 bool exact, const std::string &what) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    if (exact) {
      ASSERT_EQ(want[i], got[i]) << what << " at " << i;
    }
    difference += std::pow(double(want[i]) - got[i], 2);
    norm += std::pow(double(want[i]), 2);
  }
  EXPECT_LE(std::sqrt(difference), 1e-5 * std::sqrt(norm) + 1e-6) << what;
}

std::vector<uint16_t> narrowed(const std::vector<float> &values) {
  std::vector<uint16_t> result;
  for (float value : values)
    result.push_back(toBFloat16(value));
  return result;
}

/// A product of bf16 whose operands are small integers: sums in f32 are exact,
/// and rounding them once gives one result. `run(a, b, result)`, twice.
template <typename Run>
void expectNarrow(const std::vector<float> &want, const std::vector<float> &a,
                  const std::vector<float> &b, const std::string &what,
                  Run run) {
  std::vector<uint16_t> narrowA = narrowed(a), narrowB = narrowed(b),
                        got(want.size());
  for (int i = 0; i < 2; ++i) {
    std::fill(got.begin(), got.end(), toBFloat16(NAN));
    run(narrowA.data(), narrowB.data(), got.data());
    for (size_t at = 0; at < want.size(); ++at)
      ASSERT_EQ(fromBFloat16(toBFloat16(want[at])), fromBFloat16(got[at]))
          << what << " at " << at;
  }
}

std::string describe(const ConvShape &s) {
  std::string text;
  const int64_t *d = &s.n;
  for (int i = 0; i < 20; ++i)
    text += std::to_string(d[i]) + " ";
  return text;
}

ConvShape drawConv(Rng &rng) {
  for (;;) {
    ConvShape s{};
    s.n = draw(rng, 1, 3);
    s.g = draw(rng, 0, 3) ? 1 : draw(rng, 2, 4);
    s.c = draw(rng, 1, 9), s.o = draw(rng, 1, 17);
    // Whole blocks of channels.
    if (draw(rng, 0, 1))
      s.c = draw(rng, 1, 2) * 8;
    if (draw(rng, 0, 1))
      s.o = draw(rng, 1, 2) * 8;
    s.h = draw(rng, 1, 14), s.w = draw(rng, 1, 14);
    s.kh = draw(rng, 1, 6), s.kw = draw(rng, 1, 6);
    s.sh = draw(rng, 1, 3), s.sw = draw(rng, 1, 3);
    s.dh = draw(rng, 0, 2) ? 1 : draw(rng, 1, 3);
    s.dw = draw(rng, 0, 2) ? 1 : draw(rng, 1, 3);
    s.pt = draw(rng, -2, 4), s.pl = draw(rng, -2, 4);
    s.pb = draw(rng, -2, 4), s.pr = draw(rng, -2, 4);
    int64_t h = s.h + s.pt + s.pb - (s.kh - 1) * s.dh - 1;
    int64_t w = s.w + s.pl + s.pr - (s.kw - 1) * s.dw - 1;
    if (h < 0 || w < 0)
      continue;
    s.oh = h / s.sh + 1, s.ow = w / s.sw + 1;
    return s;
  }
}

/// [n][c][p] as [n][c / block][p][block]; channels last: one block.
std::vector<float> inLayout(const std::vector<float> &values, int64_t n,
                            int64_t c, int64_t layout) {
  if (layout == 0)
    return values;
  std::vector<float> result;
  int64_t positions = n && c ? int64_t(values.size()) / (n * c) : 0;
  int64_t block = layout == 1 ? c : layout;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t first = 0; first < c; first += block)
      for (int64_t p = 0; p < positions; ++p)
        for (int64_t j = first; j < first + block; ++j)
          result.push_back(values[size_t((i * c + j) * positions + p)]);
  return result;
}

/// One of the layouts that so many channels can have.
int64_t drawLayout(Rng &rng, int64_t channels) {
  std::vector<int64_t> layouts = {0, 1};
  for (int64_t block : {8, 16})
    if (channels % block == 0)
      layouts.insert(layouts.end(), 2, block);
  return layouts[size_t(draw(rng, 0, int64_t(layouts.size()) - 1))];
}

void checkConv(KernelCache &cache, const ConvShape &plain, Rng &rng,
               bool integers, bool drawLayouts = false) {
  ConvShape s = plain;
  std::vector<float> x = drawData(rng, s.inputVolume(), integers),
                     w = drawData(rng, s.weightVolume(), integers),
                     dy = drawData(rng, s.outputVolume(), integers);
  struct Case {
    ConvKind kind;
    const std::vector<float> &a, &b;
    int64_t size;
  };
  std::vector<float> wants[3], xs = x, dys = dy;
  wants[0] = definition(ConvKind::Forward, s, x, w, s.outputVolume());
  wants[1] = definition(ConvKind::InputGrad, s, dy, w, s.inputVolume());
  wants[2] = definition(ConvKind::WeightGrad, s, x, dy, s.weightVolume());
  if (drawLayouts) {
    s.xLayout = drawLayout(rng, s.g * s.c);
    s.yLayout = drawLayout(rng, s.g * s.o);
    xs = inLayout(x, s.n, s.g * s.c, s.xLayout);
    dys = inLayout(dy, s.n, s.g * s.o, s.yLayout);
    wants[0] = inLayout(wants[0], s.n, s.g * s.o, s.yLayout);
    wants[1] = inLayout(wants[1], s.n, s.g * s.c, s.xLayout);
  }
  for (Case c : {Case{ConvKind::Forward, xs, w, s.outputVolume()},
                 Case{ConvKind::InputGrad, dys, w, s.inputVolume()},
                 Case{ConvKind::WeightGrad, xs, dys, s.weightVolume()}}) {
    const std::vector<float> &want = wants[int(c.kind)];
    std::string what = "kind " + std::to_string(int(c.kind)) + " shape " +
                       describe(s) + cache.implementation(c.kind, s);
    std::vector<float> got(static_cast<size_t>(c.size), NAN);
    convDirect(c.kind, s, c.a.data(), c.b.data(), got.data());
    expectEqual(want, got, integers, "direct " + what);
    // Twice: the second run uses the cached primitive.
    for (int i = 0; i < 2; ++i) {
      std::fill(got.begin(), got.end(), NAN);
      cache.conv(c.kind, s, c.a.data(), c.b.data(), got.data());
      expectEqual(want, got, integers, what);
    }
    if (integers)
      expectNarrow(want, c.a, c.b, what + " narrow",
                   [&](const uint16_t *a, const uint16_t *b, uint16_t *y) {
                     cache.conv(c.kind, s, a, b, y);
                   });
  }
}

TEST(Kernels, RandomConvolutionsWithIntegersAreExact) {
  Rng rng(1);
  KernelCache cache;
  for (int i = 0; i < 400; ++i)
    checkConv(cache, drawConv(rng), rng, true, i % 2);
}

TEST(Kernels, RandomConvolutionsWithReals) {
  Rng rng(2);
  KernelCache cache;
  for (int i = 0; i < 200; ++i)
    checkConv(cache, drawConv(rng), rng, false, i % 2);
}

TEST(Kernels, ShapesOfRealModels) {
  Rng rng(3);
  KernelCache cache;
  // n g c h w o oh ow kh kw sh sw dh dw pt pl pb pr
  const int64_t shapes[][20] = {
      {8, 1, 1, 28, 28, 6, 28, 28, 5, 5, 1, 1, 1, 1, 2, 2, 2, 2},
      {8, 1, 6, 14, 14, 16, 10, 10, 5, 5, 1, 1, 1, 1, 0, 0, 0, 0},
      {1, 1, 3, 37, 37, 16, 8, 8, 11, 11, 4, 4, 1, 1, 2, 2, 2, 2},
      {2, 1, 16, 16, 16, 32, 8, 8, 1, 1, 2, 2, 1, 1, 0, 0, 0, 0},
      {2, 1, 32, 8, 8, 64, 8, 8, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1},
      {2, 32, 1, 8, 8, 1, 8, 8, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1}};
  for (const auto &d : shapes) {
    ConvShape s = ConvShape::fromArray(d);
    checkConv(cache, s, rng, true);
    checkConv(cache, s, rng, true, /*drawLayouts=*/true);
    EXPECT_NE(cache.implementation(ConvKind::Forward, s), "direct")
        << describe(s);
    EXPECT_NE(cache.implementation(ConvKind::InputGrad, s), "direct")
        << describe(s);
    EXPECT_NE(cache.implementation(ConvKind::WeightGrad, s), "direct")
        << describe(s);
  }
}

TEST(Kernels, WindowsThatSeeOnlyPadding) {
  Rng rng(4);
  KernelCache cache;
  // 2x2 input, 5 rows of padding: most outputs read nothing.
  const int64_t d[20] = {1, 1, 2, 2, 2, 3, 10, 10, 3,
                         3, 1, 1, 1, 1, 5, 5,  5,  5};
  checkConv(cache, ConvShape::fromArray(d), rng, true);
  // Everything cropped away.
  const int64_t e[20] = {1, 1, 2, 4, 4, 3,  1, 1, 1,
                         1, 1, 1, 1, 1, -5, 0, 2, -3};
  checkConv(cache, ConvShape::fromArray(e), rng, true);
}

TEST(Kernels, EmptyOperands) {
  KernelCache cache;
  std::vector<float> y(4, NAN);
  // No input channel: zeros.
  const int64_t d[20] = {1, 1, 0, 2, 2, 1, 2, 2, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0};
  cache.conv(ConvKind::Forward, ConvShape::fromArray(d), nullptr, nullptr,
             y.data());
  EXPECT_EQ(y, std::vector<float>(4, 0.0f));
  const float *none = nullptr;
  const uint16_t *noneNarrow = nullptr;
  std::fill(y.begin(), y.end(), NAN);
  cache.matmul({1, 2, 2, 0, 0, 0}, none, none, y.data());
  EXPECT_EQ(y, std::vector<float>(4, 0.0f));
  cache.matmul({1, 0, 2, 2, 0, 0}, none, none, y.data());
  std::vector<uint16_t> narrow(4, toBFloat16(NAN));
  cache.matmul({1, 2, 2, 0, 0, 0}, noneNarrow, noneNarrow, narrow.data());
  EXPECT_EQ(narrow, std::vector<uint16_t>(4, 0));
  // Factors of 16 bits with a sum of 32.
  std::fill(y.begin(), y.end(), NAN);
  cache.matmul({1, 2, 2, 0, 0, 0}, noneNarrow, noneNarrow, y.data());
  EXPECT_EQ(y, std::vector<float>(4, 0.0f));
}

#ifdef __x86_64__
TEST(Kernels, ProductsOfBFloat16AreTheLibrarys) {
  if (std::getenv("ONEDNN_MAX_CPU_ISA"))
    GTEST_SKIP() << "ONEDNN_MAX_CPU_ISA says what the library may use";
  KernelCache cache;
  const int64_t d[20] = {2, 1, 32, 8, 8, 64, 8, 8, 3, 3,
                         1, 1, 1,  1, 1, 1,  1, 1, 0, 0};
  ConvShape s = ConvShape::fromArray(d);
  for (ConvKind kind :
       {ConvKind::Forward, ConvKind::InputGrad, ConvKind::WeightGrad}) {
    // Copies in f32 elsewhere.
    bool isLibrarys = cache.narrowImplementation(kind, s) != "f32";
    EXPECT_EQ(isLibrarys, bool(__builtin_cpu_supports("avx512bf16")) &&
                              cache.implementation(kind, s) != "direct")
        << int(kind);
  }
}
#endif

TEST(Kernels, RandomMatmuls) {
  Rng rng(5);
  KernelCache cache;
  for (int i = 0; i < 400; ++i) {
    bool integers = i % 2;
    MatmulShape s{draw(rng, 0, 2) ? 1 : draw(rng, 2, 4),
                  draw(rng, 1, 40),
                  draw(rng, 1, 40),
                  draw(rng, 1, 40),
                  draw(rng, 0, 1),
                  draw(rng, 0, 1)};
    std::vector<float> a = drawData(rng, s.batch * s.m * s.k, integers),
                       b = drawData(rng, s.batch * s.k * s.n, integers);
    std::vector<float> want(static_cast<size_t>(s.batch * s.m * s.n));
    for (int64_t p = 0; p < s.batch; ++p)
      for (int64_t m = 0; m < s.m; ++m)
        for (int64_t n = 0; n < s.n; ++n) {
          double sum = 0;
          for (int64_t k = 0; k < s.k; ++k)
            sum +=
                double(a[p * s.m * s.k +
                         (s.transposeA ? k * s.m + m : m * s.k + k)]) *
                b[p * s.k * s.n + (s.transposeB ? n * s.k + k : k * s.n + n)];
          want[(p * s.m + m) * s.n + n] = float(sum);
        }
    std::vector<float> got(want.size(), NAN);
    matmulDirect(s, a.data(), b.data(), got.data());
    expectEqual(want, got, integers, "direct matmul " + std::to_string(i));
    for (int run = 0; run < 2; ++run) {
      std::fill(got.begin(), got.end(), NAN);
      cache.matmul(s, a.data(), b.data(), got.data());
      expectEqual(want, got, integers, "matmul " + std::to_string(i));
    }
    if (!integers)
      continue;
    expectNarrow(want, a, b, "narrow matmul " + std::to_string(i),
                 [&](const uint16_t *a, const uint16_t *b, uint16_t *y) {
                   cache.matmul(s, a, b, y);
                 });
    // As where the processor has no products of bf16.
    std::vector<float> storage;
    expectNarrow(want, a, b, "widened matmul " + std::to_string(i),
                 [&](const uint16_t *a, const uint16_t *b, uint16_t *y) {
                   runInF32(sizesOf(s), a, b, y, storage,
                            [&](const float *a, const float *b, float *y) {
                              matmulDirect(s, a, b, y);
                            });
                 });
  }
}

} // namespace
