//===- CudnnEnginesTest.cpp - cuDNN itself on the graphs ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The real library, asked for a GPU that is not there: it takes the properties
// of an H200 in place of a handle, says which of its engines compute a graph,
// and makes plans of them. Nothing runs. Engines of convolutions are compiled
// already; engines of attention, pooling and norms compile kernels and give
// them to a driver, which is a stand-in where there is none (FakeDriver.cpp).
//
//===----------------------------------------------------------------------===//

#include "Runtime/CuDNN/AttentionGraph.h"
#include "Runtime/CuDNN/ConvGraph.h"
#include "Runtime/CuDNN/EpilogueGraph.h"
#include "Runtime/CuDNN/ImageGraphs.h"

#include "gtest/gtest.h"

#include <dlfcn.h>
#include <string_view>

using namespace soap;
using namespace soap::runtime;

namespace {

constexpr std::string_view h200 = R"({
  "maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64],
  "deviceVer": 900, "driverVer": 13000, "regsPerBlock": 65536,
  "multiProcessorCount": 132, "smClockRateKHz": 1980000,
  "memClockRateKHz": 3201000, "l2CacheSize": 62914560, "warpSize": 32,
  "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 232448,
  "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536,
  "pciDeviceId": 0, "maxCtasPerSM": 32, "maxThreadsPerBlock": 1024,
  "maxThreadsPerSM": 2048, "isTccDriver": 0, "supportCoopLaunch": 1,
  "totalGlobalMem": 150000000000, "cudaDeviceId": 0,
  "deviceName": "NVIDIA H200"})";

class CudnnEnginesTest : public testing::Test {
protected:
  CudnnDescriptor properties;

  void SetUp() override {
    if (cudnnGetVersion() < 91900)
      GTEST_SKIP() << "cuDNN " << cudnnGetVersion()
                   << " takes no device that is not there";
    ASSERT_FALSE(properties.create(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR));
    ASSERT_FALSE(properties.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
                                CUDNN_TYPE_CHAR,
                                std::vector<char>(h200.begin(), h200.end())));
    MaybeError error = properties.finalize();
    ASSERT_FALSE(error) << error->message;
  }
  CudnnTarget target() const { return {nullptr, properties.get()}; }
  /// A driver for engines that compile kernels, a stand-in where there is none.
  void openDriver() {
    if (!dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL))
      ASSERT_TRUE(dlopen(SOAP_FAKE_DRIVER, RTLD_NOW | RTLD_GLOBAL))
          << dlerror();
  }
};

ConvCall callOf(ConvKind kind, Epilogue epilogue, Precision precision,
                int64_t layout) {
  return {
      {32, 1, 64, 56, 56, 64, 56, 56, 3, 3, 1, 1, 1, 1, 1, 1, layout, layout},
      kind,
      precision,
      0,
      epilogue};
}

TEST_F(CudnnEnginesTest, MakesPlans) {
  const std::pair<ConvKind, Epilogue> calls[] = {
      {ConvKind::Forward, Epilogue::None},
      {ConvKind::Forward, Epilogue::Bias},
      {ConvKind::Forward, Epilogue::BiasRelu},
      {ConvKind::InputGrad, Epilogue::None},
      {ConvKind::WeightGrad, Epilogue::None}};
  const std::pair<Precision, int64_t> images[] = {
      {Precision::F32, 0}, {Precision::TF32, 1}, {Precision::BF16, 1}};
  for (auto [kind, epilogue] : calls)
    for (auto [precision, layout] : images) {
      SCOPED_TRACE("kind " + std::to_string(int64_t(kind)) + " epilogue " +
                   std::to_string(int64_t(epilogue)) + " precision " +
                   std::to_string(int64_t(precision)));
      auto graph = ConvGraph::make(
          target(), callOf(kind, epilogue, precision, layout), 16, 3);
      ASSERT_TRUE(graph) << graph.error();
      size_t plans = 0;
      for (size_t i = 0; i < (*graph)->engines().size(); ++i) {
        EXPECT_TRUE((*graph)->engines()[i].starts_with("engine "));
        auto bytes = (*graph)->workspaceOf(i);
        plans += bool(bytes);
      }
      EXPECT_GT(plans, 0u);
    }
}

/// Padding of shards at a border of an image, and of SAME at an even extent;
/// what crops has no graph.
TEST_F(CudnnEnginesTest, KnowsUnevenPadding) {
  const std::pair<ConvKind, Epilogue> calls[] = {
      {ConvKind::Forward, Epilogue::None},
      {ConvKind::Forward, Epilogue::BiasRelu},
      {ConvKind::InputGrad, Epilogue::None},
      {ConvKind::WeightGrad, Epilogue::None}};
  const ConvShape shapes[] = {
      {32, 1, 64, 29, 56, 64, 28, 56, 3, 3, 1, 1, 1, 1, 1, 1, 0, 1},
      {32, 1, 64, 56, 56, 64, 28, 28, 3, 3, 2, 2, 1, 1, 0, 0, 1, 1}};
  for (ConvShape shape : shapes)
    for (auto [kind, epilogue] : calls)
      for (Precision precision :
           {Precision::F32, Precision::TF32, Precision::BF16})
        for (int64_t layout : {0, 1}) {
          SCOPED_TRACE("kind " + std::to_string(int64_t(kind)) + " precision " +
                       std::to_string(int64_t(precision)) + " layout " +
                       std::to_string(layout));
          shape.xLayout = shape.yLayout = layout;
          auto graph = ConvGraph::make(
              target(), {shape, kind, precision, 0, epilogue}, 16, 1);
          ASSERT_TRUE(graph) << graph.error();
          auto bytes = (*graph)->workspaceOf(0);
          EXPECT_TRUE(bytes) << bytes.error();
        }
  ConvShape cropped{32, 1, 64, 30, 56, 64, 27, 56, 3,
                    3,  1, 1,  1,  1,  -1, 1,  0,  1};
  EXPECT_FALSE(ConvGraph::make(target(), {cropped}, 16, 1));
}

/// The workspace that `--soap-call-attention` gives the gradients, as its test
/// pins it.
int64_t workspaceOf(const AttentionCall &call) {
  if (!call.isBackward())
    return 4096;
  auto up = [](int64_t n, int64_t to) { return (n + to - 1) / to * to; };
  int64_t matrices = call.batch * call.heads, rows = up(call.queries, 128),
          keys = up(call.keys, 128);
  int64_t ofHeads = call.keyHeads == call.heads
                        ? 0
                        : matrices * keys * (call.width + call.valueWidth) * 2;
  return matrices * rows * keys * 2 + up(matrices * rows * 4, 256) * 2 +
         ofHeads + 4096;
}

/// All that the pass makes calls of has an engine whose sums have an order and
/// that has room; heads of another width have none.
TEST_F(CudnnEnginesTest, KnowsAttention) {
  openDriver();
  constexpr int64_t none = AttentionCall::unbounded;
  struct Shape {
    int64_t batch, heads, keyHeads, queries, keys, width;
  };
  const Shape shapes[] = {{8, 12, 12, 1024, 1024, 64},
                          {2, 3, 3, 17, 33, 24},
                          {2, 8, 2, 256, 256, 64},
                          {1, 2, 2, 64, 64, 128}};
  for (auto kind : {AttentionKind::Forward, AttentionKind::Training,
                    AttentionKind::Backward})
    for (auto [left, right] :
         {std::pair(none, none), std::pair(none, int64_t(0)),
          std::pair(int64_t(15), int64_t(0))})
      for (auto layout : {HeadLayout::HeadsFirst, HeadLayout::TokensFirst})
        for (const Shape &s : shapes) {
          AttentionCall call{kind,      s.batch, s.heads, s.keyHeads,
                             s.queries, s.keys,  s.width, s.width,
                             0.125,     left,    right};
          call.layouts.fill(layout);
          SCOPED_TRACE("kind " + std::to_string(int64_t(kind)) + " left " +
                       std::to_string(left) + " right " +
                       std::to_string(right) + " layout " +
                       std::to_string(int64_t(layout)) + " width " +
                       std::to_string(s.width) + " key heads " +
                       std::to_string(s.keyHeads));
          auto graph = AttentionGraph::make(target(), call, 16, 1);
          ASSERT_TRUE(graph) << graph.error();
          // A plan compiles kernels, which takes a second or two.
          if (kind == AttentionKind::Forward || right == none ||
              layout == HeadLayout::HeadsFirst || s.width > 64)
            continue;
          auto bytes = (*graph)->workspaceOf(0);
          ASSERT_TRUE(bytes) << bytes.error();
          EXPECT_LE(int64_t(*bytes), workspaceOf(call));
        }
  AttentionCall odd{AttentionKind::Forward, 2, 2, 2, 64, 64, 20, 20};
  EXPECT_FALSE(AttentionGraph::make(target(), odd, 16, 1));
}

/// All epilogues of elements, in all types, with rows of any length.
TEST_F(CudnnEnginesTest, KnowsEpilogues) {
  openDriver();
  for (Epilogue epilogue :
       {Epilogue::Bias, Epilogue::Relu, Epilogue::BiasRelu, Epilogue::Gelu,
        Epilogue::BiasGelu, Epilogue::GeluGrad})
    for (bool isNarrow : {false, true})
      for (int64_t n : {768, 771}) {
        SCOPED_TRACE("epilogue " + std::to_string(int64_t(epilogue)) +
                     " narrow " + std::to_string(isNarrow) + " n " +
                     std::to_string(n));
        MatmulCall call{{1, 8192, n, 3072, 0, 0},
                        isNarrow ? Precision::BF16 : Precision::F32,
                        isNarrow,
                        epilogue};
        // A bias may begin anywhere in its buffer.
        int64_t alignment = n % 8 == 0 ? 16 : isNarrow ? 2 : 4;
        auto graph = EpilogueGraph::make(target(), call, alignment, 3);
        ASSERT_TRUE(graph) << graph.error();
        bool hasPlan = false;
        for (size_t i = 0; !hasPlan && i < (*graph)->engines().size(); ++i)
          hasPlan = bool((*graph)->workspaceOf(i));
        EXPECT_TRUE(hasPlan);
      }
}

/// Channels last: all kinds, without a workspace. Gradients read which element
/// has won, or use tensor cores, of which f32 is tf32.
TEST_F(CudnnEnginesTest, KnowsPooling) {
  openDriver();
  for (auto kind :
       {PoolKind::Max, PoolKind::AverageOfAll, PoolKind::AverageOfInside})
    for (bool isGradient : {false, true}) {
      SCOPED_TRACE("kind " + std::to_string(int64_t(kind)) + " gradient " +
                   std::to_string(isGradient));
      PoolCall call{{32, 64, 56, 56}, 28, 28, 3, 3, 2, 2, 1, 1, true, kind,
                    isGradient};
      auto graph = PoolGraph::make(target(), call, 16, 1);
      if (isGradient) {
        EXPECT_FALSE(graph);
        continue;
      }
      ASSERT_TRUE(graph) << graph.error();
      auto bytes = (*graph)->workspaceOf(0);
      ASSERT_TRUE(bytes) << bytes.error();
      EXPECT_EQ(*bytes, 0u);
    }
}

/// Channels last: within the 4 MiB that `--soap-call-image-ops` gives them.
TEST_F(CudnnEnginesTest, KnowsNorms) {
  openDriver();
  for (bool isGradient : {false, true}) {
    SCOPED_TRACE("gradient " + std::to_string(isGradient));
    auto graph = NormGraph::make(
        target(), {{64, 256, 56, 56}, true, isGradient, 1e-5}, 16, 1);
    ASSERT_TRUE(graph) << graph.error();
    auto bytes = (*graph)->workspaceOf(0);
    ASSERT_TRUE(bytes) << bytes.error();
    EXPECT_LE(*bytes, size_t(4) << 20);
  }
  NormCall odd{{3, 5, 7, 9}, true};
  EXPECT_FALSE(NormGraph::make(target(), odd, 16, 1));
}

} // namespace
