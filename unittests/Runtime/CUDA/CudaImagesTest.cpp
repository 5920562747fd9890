//===- CudaImagesTest.cpp - Calls of cuDNN for images ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pooling and norms: the host references compared with formulas, and the calls
// of a stand-in for cuDNN (FakeCudnnImages.cpp, whose work is done at once)
// with the host references, on drawn shapes.
//
//===----------------------------------------------------------------------===//

#include "../../../test/Integration/GPU/FakeLibraries.h"
#include "Runtime/CUDA/CudaLibraries.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>

using namespace soap;
using namespace soap::runtime;

namespace {

using Numbers = std::vector<float>;

constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

class CudaImagesTest : public testing::Test {
protected:
  std::mt19937 generator{7};
  CudaLibraries libraries;
  fake::LibraryCalls &fakes = fake::libraryCalls();

  void SetUp() override {
    fakes.poolings = fakes.norms = 0;
    ASSERT_FALSE(libraries.open());
  }

  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(generator);
  }
  /// Few values, so that maxima are often equal.
  Numbers integers(int64_t count) {
    Numbers values(static_cast<size_t>(count));
    for (float &value : values)
      value = static_cast<float>(draw(-3, 3));
    return values;
  }
  Numbers reals(int64_t count) {
    Numbers values(static_cast<size_t>(count));
    for (float &value : values)
      value = std::uniform_real_distribution<float>(-2, 2)(generator);
    return values;
  }
  PoolCall drawPooling() {
    PoolCall call;
    call.x = {draw(1, 3), draw(1, 5), draw(1, 9), draw(1, 9)};
    auto fit = [&](int64_t extent, int64_t &results, int64_t &kernel,
                   int64_t &stride, int64_t &padding) {
      do {
        kernel = draw(1, 4);
        padding = draw(0, kernel - 1);
      } while (extent + 2 * padding < kernel);
      stride = draw(1, 3);
      results = (extent + 2 * padding - kernel) / stride + 1;
    };
    fit(call.x.h, call.oh, call.kh, call.sh, call.pt);
    fit(call.x.w, call.ow, call.kw, call.sw, call.pl);
    call.channelsLast = draw(0, 1);
    call.kind = static_cast<PoolKind>(draw(0, 2));
    return call;
  }
};

Numbers poolOnHost(const PoolCall &call, const Numbers &x,
                   const Numbers &dy = {}, const Numbers &y = {}) {
  Numbers result(static_cast<size_t>(call.isGradient ? call.x.volume()
                                                     : call.y().volume()));
  runHostReference(call, {dy.data(), x.data(), y.data(), result.data()});
  return result;
}

TEST(ImageHostReferencesTest, Maxima) {
  PoolCall call{{1, 1, 3, 3}, 2, 2, 2, 2, 1, 1};
  EXPECT_EQ(poolOnHost(call, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
            (Numbers{5, 6, 8, 9}));
  // Padding never wins, and NaN does.
  call = {{1, 1, 2, 2}, 3, 3, 2, 2, 1, 1, 1, 1};
  Numbers y = poolOnHost(call, {-1, -2, -3, notANumber});
  EXPECT_EQ(Numbers(y.begin(), y.begin() + 4), (Numbers{-1, -1, -2, -1}));
  for (size_t i : {4, 5, 7, 8})
    EXPECT_TRUE(std::isnan(y[i])) << i;
  // Channels last.
  call = {{1, 2, 1, 2}, 1, 1, 1, 2, 1, 1, 0, 0, true};
  EXPECT_EQ(poolOnHost(call, {1, 5, 4, 2}), (Numbers{4, 5}));
}

TEST(ImageHostReferencesTest, GradientsOfMaximaGoToTheFirst) {
  PoolCall call{{1, 1, 3, 3}, 2, 2, 2, 2, 1, 1};
  call.isGradient = true;
  EXPECT_EQ(poolOnHost(call, Numbers(9, 1.0f), {1, 2, 3, 4}, Numbers(4, 1.0f)),
            (Numbers{1, 2, 0, 3, 4, 0, 0, 0, 0}));
  // One element of several windows.
  EXPECT_EQ(poolOnHost(call, {0, 0, 0, 0, 9, 0, 0, 0, 0}, {1, 2, 3, 4},
                       Numbers(4, 9.0f)),
            (Numbers{0, 0, 0, 0, 10, 0, 0, 0, 0}));
  // Nothing equals NaN.
  EXPECT_EQ(
      poolOnHost(
          {{1, 1, 1, 2}, 1, 1, 1, 2, 1, 1, 0, 0, false, PoolKind::Max, true},
          {1, notANumber}, {5}, {notANumber}),
      (Numbers{0, 0}));
}

TEST(ImageHostReferencesTest, Averages) {
  PoolCall call{{1, 1, 2, 2}, 2, 2, 2, 2, 2, 2, 1, 1};
  call.kind = PoolKind::AverageOfAll;
  EXPECT_EQ(poolOnHost(call, {4, 8, 12, 16}), (Numbers{1, 2, 3, 4}));
  call.kind = PoolKind::AverageOfInside;
  EXPECT_EQ(poolOnHost(call, {4, 8, 12, 16}), (Numbers{4, 8, 12, 16}));
  call.isGradient = true;
  EXPECT_EQ(poolOnHost(call, {}, {1, 2, 3, 4}), (Numbers{1, 2, 3, 4}));
  call.kind = PoolKind::AverageOfAll;
  EXPECT_EQ(poolOnHost(call, {}, {4, 8, 12, 16}), (Numbers{1, 2, 3, 4}));
}

TEST_F(CudaImagesTest, Poolings) {
  constexpr int count = 300;
  for (int i = 0; i < count; ++i) {
    PoolCall call = drawPooling();
    SCOPED_TRACE("pooling " + std::to_string(i));
    Numbers x = integers(call.x.volume());
    Numbers y = poolOnHost(call, x), actual = reals(call.y().volume());
    MaybeError error = libraries.pool(
        call, {nullptr, x.data(), nullptr, actual.data()}, nullptr);
    ASSERT_FALSE(error) << error->message;
    EXPECT_EQ(actual, y);

    call.isGradient = true;
    bool isMax = call.kind == PoolKind::Max;
    Numbers dy = integers(call.y().volume());
    Numbers dx = poolOnHost(call, x, dy, y);
    actual = reals(call.x.volume());
    error = libraries.pool(call,
                           {dy.data(), isMax ? x.data() : nullptr,
                            isMax ? y.data() : nullptr, actual.data()},
                           nullptr);
    ASSERT_FALSE(error) << error->message;
    EXPECT_EQ(actual, dx);
  }
  EXPECT_EQ(fakes.poolings, 2 * count);
}

TEST_F(CudaImagesTest, DescriptorsAreMadeOnce) {
  const PoolCall call{{1, 1, 2, 2}, 1, 1, 2, 2, 2, 2};
  float x[4] = {1, 2, 3, 4}, y = 0;
  ASSERT_FALSE(libraries.pool(call, {nullptr, x, nullptr, &y}, nullptr));
  int alive = fakes.alive;
  ASSERT_FALSE(libraries.pool(call, {nullptr, x, nullptr, &y}, nullptr));
  EXPECT_EQ(fakes.alive, alive);
  EXPECT_EQ(y, 4);
}

TEST_F(CudaImagesTest, RefusesWhatCudnnCannot) {
  float number = 0;
  MaybeError error =
      libraries.pool({{1, 1, 4, 4}, 3, 2, 2, 2, 2, 2},
                     {nullptr, &number, nullptr, &number}, nullptr);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "cuDNN makes 2 x 2 of a pooling, expected 3 x 2");
  error = libraries.pool({{1, 0, 4, 4}, 2, 2, 2, 2, 2, 2},
                         {nullptr, &number, nullptr, &number}, nullptr);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "cuDNN takes images of 1 to 2147483647 elements, "
                            "got 1 x 0 x 4 x 4");
  error = libraries.pool({{1, 1, 4, 4}, 4, 4, 1, 1, 1, 1, -1, 0},
                         {nullptr, &number, nullptr, &number}, nullptr);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "cudnnSetPooling2dDescriptor: text");
}

/// The formulas, in f64.
struct NormReference {
  std::vector<double> y, mean, inverse, dx, dgamma, dbeta;

  NormReference(const NormCall &call, const Numbers &x, const Numbers &gamma,
                const Numbers &beta, const Numbers &dy)
      : y(x.size()), mean(gamma.size()), inverse(gamma.size()), dx(x.size()),
        dgamma(gamma.size()), dbeta(gamma.size()) {
    for (int64_t channel = 0; channel < call.x.c; ++channel) {
      auto c = static_cast<size_t>(channel);
      std::vector<size_t> places;
      for (int64_t n = 0; n < call.x.n; ++n)
        for (int64_t h = 0; h < call.x.h; ++h)
          for (int64_t w = 0; w < call.x.w; ++w)
            places.push_back(static_cast<size_t>(
                call.x.at(call.channelsLast, n, channel, h, w)));
      auto count = static_cast<double>(places.size());
      double center = 0, variance = 0;
      for (size_t i : places)
        center += x[i] / count;
      for (size_t i : places)
        variance += (x[i] - center) * (x[i] - center) / count;
      double rate = 1 / std::sqrt(variance + call.epsilon);
      for (size_t i : places) {
        double normalized = (x[i] - center) * rate;
        y[i] = normalized * gamma[c] + beta[c];
        dbeta[c] += dy[i];
        dgamma[c] += dy[i] * normalized;
      }
      for (size_t i : places)
        dx[i] = gamma[c] * rate *
                (dy[i] - dbeta[c] / count -
                 (x[i] - center) * rate * dgamma[c] / count);
      mean[c] = center;
      inverse[c] = rate;
    }
  }
};

void expectNear(const Numbers &actual, const std::vector<double> &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 2e-4 * (1 + std::abs(expected[i])));
}

TEST_F(CudaImagesTest, Norms) {
  constexpr int count = 40;
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE("norm " + std::to_string(i));
    NormCall call{{draw(3, 6), draw(1, 5), draw(1, 6), draw(1, 6)},
                  draw(0, 1) == 1};
    call.epsilon = draw(0, 1) ? 1e-5 : 1e-3;
    Numbers x = reals(call.x.volume()), gamma = reals(call.x.c),
            beta = reals(call.x.c), dy = reals(call.x.volume());
    NormReference expected(call, x, gamma, beta, dy);
    Numbers y(x.size()), mean(gamma.size()), inverse(gamma.size()),
        dx(x.size()), dgamma(gamma.size()), dbeta(gamma.size());
    for (bool isHost : {true, false}) {
      auto run = [&](const NormBuffers &buffers) {
        if (isHost)
          return runHostReference(call, buffers);
        MaybeError error = libraries.batchNorm(call, buffers, nullptr);
        ASSERT_FALSE(error) << error->message;
      };
      call.isGradient = false;
      run({nullptr, x.data(), gamma.data(), beta.data(), mean.data(),
           inverse.data(), y.data(), nullptr, nullptr});
      expectNear(y, expected.y);
      expectNear(mean, expected.mean);
      expectNear(inverse, expected.inverse);
      call.isGradient = true;
      run({dy.data(), x.data(), gamma.data(), nullptr, mean.data(),
           inverse.data(), dx.data(), dgamma.data(), dbeta.data()});
      expectNear(dx, expected.dx);
      expectNear(dgamma, expected.dgamma);
      expectNear(dbeta, expected.dbeta);
    }
  }
  EXPECT_EQ(fakes.norms, 2 * count);
}

/// With a tuner that keeps nothing on disk.
class CudaImagesTuningTest : public CudaImagesTest {
protected:
  std::string note;
  Autotuner tuner{"", [this](const std::string &text) { note += text; }};
  CudaTuning tuning{&tuner, "GPU, sm_90"};
  CudaLibraries tuned;

  void SetUp() override {
    CudaImagesTest::SetUp();
    ASSERT_FALSE(tuned.open(&tuning));
    fakes.plans = 0;
    // Of the older functions, and of engines, of which the first two serve.
    setTimes(5, 4, 3);
  }
  void TearDown() override {
    fakes.times.clear();
    fakes.failingPlan = -1;
    EXPECT_EQ(note, "");
  }
  void setTimes(double function, double first, double second) {
    fakes.times.assign(static_cast<size_t>(fake::firstEngine), 9);
    fakes.times[0] = function;
    fakes.times.insert(fakes.times.end(), {first, second, 0.1, 0.1});
  }
};

TEST_F(CudaImagesTuningTest, PoolingByTheFastest) {
  constexpr int count = 60;
  int plans = 0;
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE("pooling " + std::to_string(i));
    PoolCall call = drawPooling();
    bool isMax = call.kind == PoolKind::Max;
    Numbers x = integers(call.x.volume());
    Numbers y = poolOnHost(call, x), dy = integers(call.y().volume());
    for (bool isGradient : {false, true}) {
      call.isGradient = isGradient;
      Numbers expected = isGradient ? poolOnHost(call, x, dy, y) : y;
      Numbers actual = reals(static_cast<int64_t>(expected.size()));
      PoolBuffers buffers{isGradient ? dy.data() : nullptr,
                          !isGradient || isMax ? x.data() : nullptr,
                          isGradient && isMax ? y.data() : nullptr,
                          actual.data()};
      Numbers before = actual;
      ASSERT_FALSE(tuned.prepare(call, buffers));
      EXPECT_EQ(actual, before); // measured elsewhere
      fakes.plans = 0;
      MaybeError error = tuned.pool(call, buffers, nullptr);
      ASSERT_FALSE(error) << error->message;
      EXPECT_EQ(actual, expected);
      plans += fakes.plans;
      // There is no graph of the gradient of a maximum, nor in NCHW.
      EXPECT_EQ(fakes.plans,
                call.channelsLast && !(isGradient && isMax) ? 1 : 0);
    }
  }
  EXPECT_GT(plans, count / 2);
}

TEST_F(CudaImagesTuningTest, NormsByTheFastest) {
  constexpr int count = 30;
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE("norm " + std::to_string(i));
    NormCall call{{draw(3, 6), draw(1, 5), draw(1, 6), draw(1, 6)},
                  draw(0, 1) == 1};
    call.epsilon = 1e-3;
    call.workspace = 64;
    Numbers x = reals(call.x.volume()), gamma = reals(call.x.c),
            beta = reals(call.x.c), dy = reals(call.x.volume()), memory(16);
    NormReference expected(call, x, gamma, beta, dy);
    Numbers y(x.size()), mean(gamma.size()), inverse(gamma.size()),
        dx(x.size()), dgamma(gamma.size()), dbeta(gamma.size());
    NormBuffers forward{nullptr,     x.data(),       gamma.data(), beta.data(),
                        mean.data(), inverse.data(), y.data(),     nullptr,
                        nullptr,     memory.data()},
        backward{dy.data(),    x.data(),       gamma.data(), nullptr,
                 mean.data(),  inverse.data(), dx.data(),    dgamma.data(),
                 dbeta.data(), memory.data()};
    auto run = [&](const NormBuffers &buffers) {
      ASSERT_FALSE(tuned.prepare(call, buffers));
      fakes.plans = 0;
      MaybeError error = tuned.batchNorm(call, buffers, nullptr);
      ASSERT_FALSE(error) << error->message;
      EXPECT_EQ(fakes.plans, call.channelsLast ? 1 : 0);
      if (call.channelsLast)
        EXPECT_EQ(fakes.engine, fake::firstEngine + 1);
    };
    run(forward);
    call.isGradient = true;
    run(backward);
    expectNear(y, expected.y);
    expectNear(mean, expected.mean);
    expectNear(inverse, expected.inverse);
    expectNear(dx, expected.dx);
    expectNear(dgamma, expected.dgamma);
    expectNear(dbeta, expected.dbeta);
  }
}

/// A call that is not measured, has no room, or is slower, goes to the older
/// function.
TEST_F(CudaImagesTuningTest, OlderFunctionsElse) {
  NormCall call{{2, 3, 4, 4}, /*channelsLast=*/true};
  call.epsilon = 1e-3;
  Numbers x = reals(call.x.volume()), row = reals(3), mean(3), inverse(3),
          y(x.size()), memory(16);
  NormBuffers buffers{nullptr,     x.data(),       row.data(), row.data(),
                      mean.data(), inverse.data(), y.data(),   nullptr,
                      nullptr,     memory.data()};
  auto expectOlder = [&](CudaLibraries &libraries) {
    fakes.norms = fakes.plans = 0;
    MaybeError error = libraries.batchNorm(call, buffers, nullptr);
    ASSERT_FALSE(error) << error->message;
    EXPECT_EQ(fakes.norms, 1);
    EXPECT_EQ(fakes.plans, 0);
  };
  expectOlder(libraries); // without a tuner
  call.workspace = 32;    // plans need 64 bytes
  ASSERT_FALSE(tuned.prepare(call, buffers));
  expectOlder(tuned);
  call.workspace = 64;
  expectOlder(tuned); // not prepared
  tuned.forget();
  setTimes(1, 4, 3);
  ASSERT_FALSE(tuned.prepare(call, buffers));
  expectOlder(tuned);
  auto used = tuner.used();
  const std::string key = "batch_norm train f32 nhwc x=2x3x4x4 workspace=64 | "
                          "cuDNN 91900 | GPU, sm_90";
  EXPECT_EQ(used[key], "function");
  // Of another process.
  ASSERT_TRUE(tuner.adopt({{key, "engine 10 2=5"}}));
  tuned.forget();
  fakes.plans = 0;
  ASSERT_FALSE(tuned.batchNorm(call, buffers, nullptr));
  EXPECT_EQ(fakes.plans, 1);
  EXPECT_EQ(fakes.engine, fake::firstEngine);
  // Whose plan cannot be made here.
  tuned.forget();
  fakes.failingPlan = fake::firstEngine;
  expectOlder(tuned);
}

} // namespace
