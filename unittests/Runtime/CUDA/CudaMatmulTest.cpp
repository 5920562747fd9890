//===- CudaMatmulTest.cpp - Calls of cuBLASLt -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CudaMatmul.cpp with a stand-in for cuBLASLt behind it (FakeLibraries.h).
// Compared with the host references, so that every
// transposition and epilogue is asked for as it should be. CUDA's runtime is
// that of CudaLibrariesTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Runtime/CUDA/CudaMatmul.h"
#include "../../../test/Integration/GPU/FakeLibraries.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <random>

using namespace soap;
using namespace soap::fake;
using namespace soap::runtime;

namespace {

LibraryCalls &fakes = libraryCalls();

std::mt19937 generator(2);

/// Numbers of a type, as bytes of it. Small integers, whose sums are exact in
/// any order, or a few bits of fraction.
std::vector<float> numbers(int64_t count, bool narrow, float unit = 1) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i)
    store(values.data(), narrow ? CUDA_R_16BF : CUDA_R_32F, int64_t(i),
          unit * float(int(generator() % 7) - 3));
  return values;
}

class CudaMatmulTest : public testing::Test {
protected:
  cudnnHandle_t dnn = nullptr;
  CudaTuning tuning;
  std::vector<std::string> notes;
  CudaMatmul products;
  void SetUp() override {
    fakes.products = 0;
    fakes.smallestWorkspace = 0;
    fakes.refusesEpilogues = false;
    ASSERT_EQ(cudnnCreate(&dnn), CUDNN_STATUS_SUCCESS);
    tuning.note = [this](const std::string &text) { notes.push_back(text); };
    ASSERT_FALSE(products.open(dnn, &tuning));
  }
  void TearDown() override { cudnnDestroy(dnn); }

  /// Compares with the host reference.
  void expectProduct(const MatmulCall &call) {
    const MatmulShape &s = call.shape;
    bool narrow = call.precision == Precision::BF16;
    auto a = numbers(s.batch * s.m * s.k, narrow);
    auto b = numbers(s.batch * s.k * s.n, narrow);
    int64_t volume = call.resultVolume();
    auto third = numbers(volume, call.narrowResult, 0.25f);
    std::vector<float> y[2], second[2];
    for (int i : {0, 1}) {
      y[i].resize(size_t(volume));
      second[i].resize(size_t(volume));
    }
    // As cudaMalloc aligns it.
    constexpr size_t aligned = 256;
    std::vector<char> memory(size_t(call.workspace) + aligned);
    size_t space = memory.size();
    void *workspace = memory.data();
    std::align(aligned, size_t(call.workspace), workspace, space);
    auto buffers = [&](int i) {
      return MatmulBuffers{
          a.data(),
          b.data(),
          hasThirdOperand(call.epilogue) ? third.data() : nullptr,
          y[i].data(),
          hasSecondResult(call.epilogue) ? second[i].data() : nullptr,
          call.workspace ? workspace : nullptr};
    };
    runHostReference(call, buffers(0), matmulDirect);
    MaybeError error = products.run(call, buffers(1), nullptr);
    ASSERT_FALSE(error) << error->message;
    auto type = call.narrowResult ? CUDA_R_16BF : CUDA_R_32F;
    for (int64_t i = 0; i < volume; ++i) {
      float expected = load(y[0].data(), type, i);
      EXPECT_NEAR(load(y[1].data(), type, i), expected,
                  1e-4f +
                      std::abs(expected) * (call.narrowResult ? 0.01f : 1e-4f))
          << i;
    }
    for (int64_t i = 0; i < call.secondVolume(); ++i)
      EXPECT_EQ(load(second[1].data(), type, i),
                load(second[0].data(), type, i))
          << i;
  }
};

TEST_F(CudaMatmulTest, Products) {
  for (int64_t batch : {1, 3})
    for (int64_t transposeA : {0, 1})
      for (int64_t transposeB : {0, 1})
        expectProduct({{batch, 4, 5, 6, transposeA, transposeB}});
  EXPECT_EQ(fakes.products, 8);
  EXPECT_EQ(fakes.compute, CUBLAS_COMPUTE_32F);
}

TEST_F(CudaMatmulTest, Precisions) {
  for (int64_t transposeA : {0, 1})
    for (int64_t transposeB : {0, 1}) {
      MatmulShape s{2, 4, 5, 6, transposeA, transposeB};
      expectProduct({s, Precision::TF32});
      EXPECT_EQ(fakes.compute, CUBLAS_COMPUTE_32F_FAST_TF32);
      expectProduct({s, Precision::BF16});
      expectProduct({s, Precision::BF16, /*narrowResult=*/true});
      EXPECT_EQ(fakes.compute, CUBLAS_COMPUTE_32F);
    }
}

TEST_F(CudaMatmulTest, Epilogues) {
  for (Epilogue epilogue :
       {Epilogue::Bias, Epilogue::Relu, Epilogue::BiasRelu, Epilogue::Gelu,
        Epilogue::BiasGelu, Epilogue::GeluGrad, Epilogue::BiasGradOfA,
        Epilogue::BiasGradOfB})
    for (bool narrow : {false, true})
      for (int64_t transpose : {0, 1})
        expectProduct({{1, 4, 8, 6, transpose, transpose},
                       narrow ? Precision::BF16 : Precision::F32,
                       narrow,
                       epilogue});
  EXPECT_EQ(fakes.products, 32);
}

/// The same numbers without an algorithm for any epilogue: in all types, also
/// where buffers are not aligned, and in f32 without a rounding in between.
TEST_F(CudaMatmulTest, EpiloguesWithoutAlgorithms) {
  fakes.refusesEpilogues = true;
  int plans = fakes.plans;
  for (Epilogue epilogue :
       {Epilogue::Bias, Epilogue::Relu, Epilogue::BiasRelu, Epilogue::Gelu,
        Epilogue::BiasGelu, Epilogue::GeluGrad, Epilogue::BiasGradOfA,
        Epilogue::BiasGradOfB})
    for (auto [precision, isNarrow] :
         {std::pair(Precision::F32, false), std::pair(Precision::TF32, false),
          std::pair(Precision::BF16, false), std::pair(Precision::BF16, true)})
      for (int64_t transpose : {0, 1})
        for (int64_t batch : {1, 3}) {
          if (batch > 1 && isBiasGrad(epilogue))
            continue;
          SCOPED_TRACE("epilogue " + std::to_string(int64_t(epilogue)) +
                       " precision " + std::to_string(int64_t(precision)) +
                       " narrow " + std::to_string(isNarrow));
          expectProduct({{batch, 4, 7, 6, transpose, transpose},
                         precision,
                         isNarrow,
                         epilogue});
        }
  // 96 by a plan of cuDNN behind the product, 16 by two products.
  EXPECT_EQ(fakes.plans - plans, 96);
  EXPECT_EQ(fakes.products, 96 + 16 * 2);
  ASSERT_EQ(notes.size(), 112u);
  EXPECT_EQ(notes[0],
            "cuBLASLt has no algorithm for the epilogue (bias) of matmul f32 "
            "batch=1 m=4 n=7 k=6 epilogue=1 workspace=0: a kernel of cuDNN "
            "computes it, on sums in 256 bytes beside the plan");
  EXPECT_EQ(notes[111],
            "cuBLASLt has no algorithm for the epilogue (gradient of a bias) "
            "of matmul bf16 to bf16 batch=1 m=4 n=7 k=6 transpose_a "
            "transpose_b epilogue=8 workspace=0: a product with ones computes "
            "it");
}

/// Nothing is left to compute the epilogue with: the error has both reasons.
TEST_F(CudaMatmulTest, EpiloguesWithoutGraphs) {
  fakes.refusesEpilogues = fakes.refusesGraphs = true;
  alignas(256) float x[64] = {};
  auto error =
      products.run({{1, 4, 8, 4, 0, 0}, Precision::F32, false, Epilogue::Relu},
                   {x, x, nullptr, x, nullptr, nullptr}, nullptr);
  fakes.refusesGraphs = false;
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "cublasLtMatmulAlgoGetHeuristic: text (name); without the "
            "epilogue: cudnnBackendFinalize: text");
  EXPECT_TRUE(notes.empty());
}

TEST_F(CudaMatmulTest, Workspaces) {
  fakes.smallestWorkspace = 64;
  expectProduct(
      {{1, 4, 5, 6, 0, 0}, Precision::F32, false, Epilogue::None, 64});
  EXPECT_EQ(fakes.productWorkspace, 64u);
  alignas(256) float x[64] = {};
  auto error = products.run(
      {{1, 4, 5, 6, 0, 0}, Precision::F32, false, Epilogue::None, 32},
      {x, x, nullptr, x, nullptr, x}, nullptr);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "cublasLtMatmulAlgoGetHeuristic: no algorithm for a product with "
            "a workspace of 32 bytes");
}

TEST_F(CudaMatmulTest, WorkspacesThatAreNotAligned) {
  alignas(256) float memory[256] = {};
  auto error = products.run(
      {{1, 4, 5, 6, 0, 0}, Precision::F32, false, Epilogue::None, 64},
      {memory, memory, nullptr, memory + 128, nullptr, memory + 16}, nullptr);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "the workspace of a product begins 64 bytes behind "
                            "a multiple of 256, expected a multiple of 256");
  EXPECT_EQ(fakes.products, 0);
}

TEST_F(CudaMatmulTest, SaysHowOperandsAreAligned) {
  alignas(256) float memory[256] = {};
  // a is aligned by 4 bytes, b by 16, y by 64: cuBLASLt's a is our b.
  MatmulBuffers buffers{memory + 1,  memory + 4, nullptr,
                        memory + 16, nullptr,    nullptr};
  ASSERT_FALSE(products.run({{1, 2, 2, 2, 0, 0}}, buffers, nullptr));
  EXPECT_EQ(fakes.alignment[0], 16u);
  EXPECT_EQ(fakes.alignment[1], 4u);
  EXPECT_EQ(fakes.alignment[2], 64u);
  EXPECT_EQ(fakes.alignment[3], 64u);
}

TEST_F(CudaMatmulTest, ProductsOfNothing) {
  float y[4] = {1, 2, 3, 4};
  MatmulBuffers buffers{y, y, nullptr, y, nullptr, nullptr};
  EXPECT_FALSE(products.run({{1, 2, 2, 0, 0, 0}}, buffers, nullptr));
  for (float value : y)
    EXPECT_EQ(value, 0);
  EXPECT_FALSE(products.run({{0, 2, 2, 2, 0, 0}}, buffers, nullptr));
  EXPECT_EQ(fakes.products, 0);
  EXPECT_TRUE(
      products.run({{1, int64_t(1) << 31, 1, 1, 0, 0}}, buffers, nullptr));
}

TEST(CudaMatmulMemory, IsFreed) {
  int before = fakes.alive;
  {
    CudaMatmul products;
    ASSERT_FALSE(products.open(nullptr));
    float x[4] = {};
    EXPECT_FALSE(products.run({{1, 2, 2, 2, 0, 0}},
                              {x, x, nullptr, x, nullptr, nullptr}, nullptr));
    EXPECT_GT(fakes.alive, before);
  }
  EXPECT_EQ(fakes.alive, before);
}

TEST(LibraryHostReferences, RoundToBFloat16) {
  EXPECT_EQ(toBFloat16(1.0f), 0x3f80);
  // Half way: to even.
  EXPECT_EQ(toBFloat16(1.00390625f), 0x3f80);
  EXPECT_EQ(toBFloat16(1.01171875f), 0x3f82);
  EXPECT_EQ(toBFloat16(INFINITY), 0x7f80);
  EXPECT_TRUE(std::isnan(fromBFloat16(toBFloat16(NAN))));
  EXPECT_EQ(fromBFloat16(0xc040), -3.0f);
}

TEST(LibraryHostReferences, RoundToTF32) {
  EXPECT_EQ(toTF32(1.0f), 1.0f);
  EXPECT_EQ(toTF32(1 + 1.0f / 2048), 1 + 1.0f / 1024); // half way: away from 0
  EXPECT_EQ(toTF32(1 + 1.0f / 4096), 1.0f);
  EXPECT_EQ(toTF32(-INFINITY), -INFINITY);
}

TEST(LibraryHostReferences, KeepNaNInRelu) {
  float a = NAN, b = 1, y = 0;
  runHostReference(
      MatmulCall{{1, 1, 1, 1, 0, 0}, Precision::F32, false, Epilogue::Relu},
      {&a, &b, nullptr, &y, nullptr, nullptr}, matmulDirect);
  EXPECT_TRUE(std::isnan(y));
}

} // namespace
