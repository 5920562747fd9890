//===- CudaAttentionTest.cpp - Attention as one call ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host reference and what the backend asks of cuDNN, whose stand-in
// computes the graph operation by operation, beside naive loops in f64, for
// drawn shapes, masks and layouts. The loops' gradients are compared with
// differences.
//
//===----------------------------------------------------------------------===//

#include "../../../test/Integration/GPU/FakeLibraries.h"
#include "Runtime/CUDA/CudaLibraries.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <functional>
#include <random>

using namespace soap;
using namespace soap::fake;
using namespace soap::runtime;
using enum AttentionTensor;

namespace {

constexpr std::array all{Q, K, V, O, DO, DQ, DK, DV};

/// Tensors of a call, as [batch, heads, rows, width] in f64.
struct Naive {
  const AttentionCall &call;
  std::array<std::vector<double>, AttentionCall::tensors> tensors;
  std::vector<double> statistics;

  explicit Naive(const AttentionCall &call) : call(call) {
    for (AttentionTensor t : all)
      (*this)[t].resize(size_t(call.volumeOf(t)));
    statistics.resize(size_t(call.statisticsVolume()));
  }
  std::vector<double> &operator[](AttentionTensor t) {
    return tensors[size_t(t)];
  }
  /// `head`: of all batches, of queries or of keys.
  double &at(AttentionTensor t, int64_t head, int64_t row, int64_t column) {
    return (*this)[t][size_t((head * call.rowsOf(t) + row) * call.widthOf(t) +
                             column)];
  }
  int64_t keyHead(int64_t head) const {
    return head / (call.heads / call.keyHeads);
  }
  bool sees(int64_t i, int64_t j) const {
    return (call.right == AttentionCall::unbounded || j - i <= call.right) &&
           (call.left == AttentionCall::unbounded || i - j <= call.left);
  }

  /// The shares of the keys in query i.
  std::vector<double> sharesOf(int64_t h, int64_t i) {
    std::vector<double> shares(size_t(call.keys), -INFINITY);
    double maximum = -INFINITY, sum = 0;
    for (int64_t j = 0; j < call.keys; ++j)
      if (sees(i, j)) {
        double product = 0;
        for (int64_t d = 0; d < call.width; ++d)
          product += at(Q, h, i, d) * at(K, keyHead(h), j, d);
        maximum = std::max(maximum, shares[size_t(j)] = product * call.scale);
      }
    for (double &share : shares)
      sum += share = std::exp(share - maximum);
    for (double &share : shares)
      share /= sum;
    statistics[size_t(h * call.queries + i)] = maximum + std::log(sum);
    return shares;
  }

  void forward() {
    for (int64_t h = 0; h < call.batch * call.heads; ++h)
      for (int64_t i = 0; i < call.queries; ++i) {
        auto shares = sharesOf(h, i);
        for (int64_t d = 0; d < call.valueWidth; ++d) {
          double &o = at(O, h, i, d) = 0;
          for (int64_t j = 0; j < call.keys; ++j)
            o += shares[size_t(j)] * at(V, keyHead(h), j, d);
        }
      }
  }

  void backward() {
    for (AttentionTensor t : {DQ, DK, DV})
      std::fill((*this)[t].begin(), (*this)[t].end(), 0);
    for (int64_t h = 0; h < call.batch * call.heads; ++h)
      for (int64_t i = 0; i < call.queries; ++i) {
        auto shares = sharesOf(h, i);
        double mean = 0;
        std::vector<double> slopes(shares.size());
        for (int64_t j = 0; j < call.keys; ++j) {
          for (int64_t d = 0; d < call.valueWidth; ++d) {
            slopes[size_t(j)] += at(DO, h, i, d) * at(V, keyHead(h), j, d);
            at(DV, keyHead(h), j, d) += shares[size_t(j)] * at(DO, h, i, d);
          }
          mean += shares[size_t(j)] * slopes[size_t(j)];
        }
        for (int64_t j = 0; j < call.keys; ++j)
          for (int64_t d = 0; d < call.width; ++d) {
            double slope =
                shares[size_t(j)] * (slopes[size_t(j)] - mean) * call.scale;
            at(DQ, h, i, d) += slope * at(K, keyHead(h), j, d);
            at(DK, keyHead(h), j, d) += slope * at(Q, h, i, d);
          }
      }
  }
};

/// The buffers of a call, in bf16.
struct Buffers {
  std::array<std::vector<uint16_t>, AttentionCall::tensors> tensors;
  std::vector<float> statistics;
  std::vector<char> workspace = std::vector<char>(1 << 20);
  AttentionBuffers list;

  explicit Buffers(const AttentionCall &call) {
    for (AttentionTensor t : all) {
      tensors[size_t(t)].resize(size_t(call.volumeOf(t)), 0x7fc0);
      list[t] = tensors[size_t(t)].data();
    }
    statistics.resize(size_t(call.statisticsVolume()), NAN);
    list.statistics = statistics.data();
    list.workspace = workspace.data();
  }

  /// Calls `body` with each element in bf16 and in f64.
  template <typename Body>
  void forEach(Naive &naive, AttentionTensor t, Body body) {
    const AttentionCall &call = naive.call;
    auto strides = call.stridesOf(t);
    for (int64_t b = 0; b < call.batch; ++b)
      for (int64_t h = 0; h < call.headsOf(t); ++h)
        for (int64_t r = 0; r < call.rowsOf(t); ++r)
          for (int64_t c = 0; c < call.widthOf(t); ++c)
            body(tensors[size_t(t)][size_t(b * strides[0] + h * strides[1] +
                                           r * strides[2] + c * strides[3])],
                 naive.at(t, b * call.headsOf(t) + h, r, c));
  }
};

std::mt19937 generator(7);

double normal() { return std::normal_distribution<double>()(generator); }
int64_t upTo(int64_t maximum) {
  return 1 + int64_t(generator() % uint64_t(maximum));
}

AttentionCall drawnCall() {
  AttentionCall call;
  call.batch = upTo(2);
  call.keyHeads = upTo(2);
  call.heads = call.keyHeads * upTo(3);
  call.queries = upTo(9);
  call.keys = upTo(9);
  if (generator() % 2)
    call.right = 0;
  // Every query sees a key.
  if (call.right == 0 && generator() % 2) {
    call.keys = call.queries + upTo(3) - 1;
    call.left = upTo(6) - 1;
  }
  call.width = 8 * upTo(2);
  call.valueWidth = 8 * upTo(2);
  call.scale = 1 / std::sqrt(double(call.width));
  call.workspace = 1 << 20;
  for (HeadLayout &layout : call.layouts)
    layout = HeadLayout(generator() % 2);
  return call;
}

/// The operands, drawn, and equal in both.
void draw(Naive &naive, Buffers &buffers) {
  for (AttentionTensor t : {Q, K, V, DO})
    buffers.forEach(naive, t, [](uint16_t &bits, double &value) {
      bits = toBFloat16(float(normal()));
      value = fromBFloat16(bits);
    });
}

/// Results equal the results of `naive` within a few roundings of what is
/// added.
void expectNear(Naive &naive, Buffers &buffers, AttentionTensor t) {
  double largest = 0;
  for (double value : naive[t])
    largest = std::max(largest, std::fabs(value));
  buffers.forEach(naive, t, [&](uint16_t bits, double value) {
    ASSERT_NEAR(fromBFloat16(bits), value, largest / 64)
        << "tensor " << size_t(t);
  });
}

using Run = std::function<void(const AttentionCall &, AttentionBuffers &)>;

void compare(const Run &run) {
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE("draw " + std::to_string(i));
    AttentionCall call = drawnCall();
    Naive naive(call);
    Buffers buffers(call);
    draw(naive, buffers);
    naive.forward();
    run(call, buffers.list);
    expectNear(naive, buffers, O);
    for (float value : buffers.statistics)
      EXPECT_TRUE(std::isnan(value));
    call.kind = AttentionKind::Training;
    run(call, buffers.list);
    expectNear(naive, buffers, O);
    for (size_t k = 0; k < buffers.statistics.size(); ++k)
      EXPECT_NEAR(buffers.statistics[k], naive.statistics[k], 1e-4);
    call.kind = AttentionKind::Backward;
    naive.backward();
    run(call, buffers.list);
    for (AttentionTensor t : {DQ, DK, DV})
      expectNear(naive, buffers, t);
  }
}

} // namespace

TEST(CudaAttentionTest, NaiveGradientsAreDifferences) {
  AttentionCall call = drawnCall();
  call.right = 0;
  Naive naive(call);
  for (AttentionTensor t : {Q, K, V, DO})
    for (double &value : naive[t])
      value = normal();
  naive.forward();
  naive.backward();
  auto loss = [&] {
    naive.forward();
    double sum = 0;
    for (size_t i = 0; i < naive[O].size(); ++i)
      sum += naive[O][i] * naive[DO][i];
    return sum;
  };
  const std::pair<AttentionTensor, AttentionTensor> pairs[] = {
      {Q, DQ}, {K, DK}, {V, DV}};
  for (auto [operand, gradient] : pairs)
    for (size_t i = 0; i < naive[operand].size(); i += 3) {
      constexpr double step = 1e-5;
      double &value = naive[operand][i], before = value;
      value = before + step;
      double above = loss();
      value = before - step;
      double below = loss();
      value = before;
      EXPECT_NEAR((above - below) / (2 * step), naive[gradient][i], 1e-7);
    }
}

TEST(CudaAttentionTest, HostReferenceIsNearNaive) {
  compare([](const AttentionCall &call, AttentionBuffers &buffers) {
    runHostReference(call, buffers, matmulDirect);
  });
}

TEST(CudaAttentionTest, GraphIsNearNaive) {
  int before = libraryCalls().plans;
  {
    CudaLibraries libraries;
    ASSERT_FALSE(libraries.open());
    compare([&](const AttentionCall &call, AttentionBuffers &buffers) {
      MaybeError error = libraries.attention(call, buffers, nullptr);
      ASSERT_FALSE(error) << error->message;
    });
  }
  EXPECT_EQ(libraryCalls().plans, before + 120);
  EXPECT_EQ(libraryCalls().alive, 0);
}

TEST(CudaAttentionTest, SaysWhatItCannot) {
  CudaLibraries libraries;
  ASSERT_FALSE(libraries.open());
  AttentionCall call = drawnCall();
  call.width = 12;
  call.queries = call.keys = 5;
  Buffers buffers(call);
  MaybeError error = libraries.attention(call, buffers.list, nullptr);
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("cuDNN has no engine for this graph"),
            std::string::npos)
      << error->message;
  EXPECT_NE(error->message.find("width=12"), std::string::npos);
  EXPECT_NE(error->message.find("attention=none"), std::string::npos);
  // One that needs more than the program has.
  call.width = 16;
  call.workspace = 1;
  error = libraries.attention(call, buffers.list, nullptr);
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("bytes, expected at most 1"), std::string::npos)
      << error->message;
}

/// Queries 0 to 4 of 5 keys: 1, 2, 3, 3, 3 of them in a causal window of 3.
TEST(CudaAttentionTest, CountsVisiblePairs) {
  AttentionCall call;
  call.batch = 2;
  call.heads = 3;
  call.queries = call.keys = 5;
  EXPECT_EQ(call.pairs(), 6 * 25);
  call.right = 0;
  EXPECT_EQ(call.pairs(), 6 * 15);
  call.left = 2;
  EXPECT_EQ(call.pairs(), 6 * 12);
}

TEST(CudaAttentionTest, DescriptorsAreRead) {
  AttentionCall call = drawnCall();
  call.left = 3;
  call.right = 0;
  call.kind = AttentionKind::Training;
  std::vector<int64_t> numbers{1,
                               call.batch,
                               call.heads,
                               call.keyHeads,
                               call.queries,
                               call.keys,
                               call.width,
                               call.valueWidth,
                               std::bit_cast<int64_t>(call.scale),
                               3,
                               0,
                               call.workspace};
  for (HeadLayout layout : call.layouts)
    numbers.push_back(int64_t(layout));
  ASSERT_EQ(numbers.size(), AttentionCall::numbers);
  EXPECT_EQ(AttentionCall::fromArray(numbers.data()), call);
  auto written = call.toArray();
  EXPECT_TRUE(std::equal(written.begin(), written.end(), numbers.begin()));
  // Buffers are in the order that Runtime.h says.
  std::array<char, 10> places;
  std::array<void *, 10> list;
  for (size_t i = 0; i < list.size(); ++i)
    list[i] = &places[i];
  auto training = AttentionBuffers::of(call, list.data());
  EXPECT_EQ(training[O], list[3]);
  EXPECT_EQ(static_cast<void *>(training.statistics), list[4]);
  EXPECT_EQ(training.workspace, list[5]);
  call.kind = AttentionKind::Backward;
  auto backward = AttentionBuffers::of(call, list.data());
  EXPECT_EQ(backward[DO], list[4]);
  EXPECT_EQ(static_cast<void *>(backward.statistics), list[5]);
  EXPECT_EQ(backward[DV], list[8]);
  EXPECT_EQ(backward.workspace, list[9]);
}
