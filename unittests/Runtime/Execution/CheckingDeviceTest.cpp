//===- CheckingDeviceTest.cpp - Calls compared with the host --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device that computes as the host references do, and then, if a test wants
// it, something else: what is right passes, what is wrong is found, with its
// op, tensor and element.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Execution/CheckingDevice.h"

#include "Runtime/Execution/ProductParts.h"
#include "Runtime/Processes/Affinity.h"
#include "Runtime/Transport/Collective.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace soap;
using namespace soap::runtime;

namespace {

/// Does all at once, in the memory of the host.
class Device : public BackendDevice {
public:
  /// Called behind every launch and library call, with its result.
  std::function<void()> spoil;
  int waits = 0;

  MaybeError begin() override { return std::nullopt; }
  MaybeError finish(const std::function<bool()> &) override {
    ++waits;
    return std::nullopt;
  }
  MaybeError launch(const SoapKernel &kernel, void *const *buffers,
                    int64_t) override {
    return done([&] {
      auto run = onDevice ? onDevice : kernel.hostReference;
      run(buffers, 0, kernel.extent);
    });
  }
  MaybeError conv(const ConvCall &call, const ConvBuffers &buffers,
                  int64_t) override {
    return done([&] { runHostReference(call, buffers, convDirect); });
  }
  MaybeError matmul(const MatmulCall &call, const MatmulBuffers &buffers,
                    int64_t) override {
    MatmulCall other = call;
    if (doesNothing)
      return std::nullopt;
    if (otherPrecision)
      other.precision = *otherPrecision;
    return done([&] { runHostReference(other, buffers, matmulDirect); });
  }
  MaybeError pool(const PoolCall &call, const PoolBuffers &buffers,
                  int64_t) override {
    return done([&] { runHostReference(call, buffers); });
  }
  MaybeError batchNorm(const NormCall &call, const NormBuffers &buffers,
                       int64_t) override {
    return done([&] { runHostReference(call, buffers); });
  }
  MaybeError attention(const AttentionCall &call,
                       const AttentionBuffers &buffers, int64_t) override {
    return done([&] { runHostReference(call, buffers, matmulDirect); });
  }
  MaybeError copy(void *to, const void *from, int64_t bytes, int64_t) override {
    std::memmove(to, from, size_t(bytes));
    return std::nullopt;
  }
  MaybeError add(int64_t type, void *to, const void *from, int64_t count,
                 int64_t) override {
    return done([&] { foldSums(type, {to, from}, to, count); });
  }
  Expected<const void *> constant(const void *data, int64_t) override {
    return data;
  }
  MaybeError record(int64_t, int64_t) override { return std::nullopt; }
  MaybeError wait(int64_t, int64_t) override { return std::nullopt; }
  Expected<void *> signal(int64_t) override { return Error{"none"}; }
  MaybeError waitSignal(void *, int64_t) override { return std::nullopt; }
  Expected<void *> nativeStream(int64_t) override { return Error{"none"}; }

  /// In place of the host reference of a kernel, and of the precision of a
  /// product.
  void (*onDevice)(void *const *, int64_t, int64_t) = nullptr;
  std::optional<Precision> otherPrecision;
  bool doesNothing = false; ///< in a product

private:
  template <typename Body>
  MaybeError done(Body body) {
    body();
    if (spoil)
      spoil();
    return std::nullopt;
  }
};

const char *manifestText = R"({"version": 1, "devices": 1,
 "gpu": {"chip": "sm_90", "format": "isa", "host_references": true, "kernels": [
   {"name": "update", "elements": ["f32", "f32", "f32"], "counts": [8, 8, 8]},
   {"name": "sum", "elements": ["f32", "f32"], "counts": [4096, 1]},
   {"name": "count", "elements": ["i64", "bytes"], "counts": [2, 3]},
   {"name": "round", "elements": ["f32", "bf16"], "counts": [8, 8]}]},
 "tensors": [
  {"name": "x", "kind": "data", "shape": [4], "dtype": "f32", "sample_dim": 0}],
 "entries": [{"name": "forward", "batch": 4, "schedule": [
   {"name": "fc1", "kind": "matmul", "start_ns": 0, "end_ns": 1}],
  "ranks": [
   {"device": 0, "program": "p", "arena_bytes": 128,
    "args": [{"tensor": "x", "region": [[[0, 4]]]}], "results": [],
    "tasks": [0], "peers": [-1], "transfers": [-1]}]}]})";

class CheckingDeviceTest : public testing::Test {
protected:
  std::optional<Manifest> manifest;
  Device device;
  RunState state;
  KernelCache kernels;
  SoapContext context;
  CallCheckOptions options;
  std::optional<CallChecks> checks;
  std::optional<CheckingDevice> checking;

  void SetUp() override {
    // Kernel threads take longer to meet than such products.
    setUpDeviceThread(availableCoreList(), 0, 1, false);
    auto parsed = parseManifest(manifestText, "manifest");
    ASSERT_TRUE(bool(parsed)) << parsed.error();
    manifest = std::move(*parsed);
    context.entry = &manifest->entries[0];
    context.rank = &manifest->entries[0].ranks[0];
    context.run = &state;
    context.kernels = &kernels;
    context.slot.store(0);
  }
  CheckingDevice &start() {
    checks.emplace(options);
    checking.emplace(device, context, *checks, manifest->gpu);
    return *checking;
  }
  /// The only row.
  CheckedCall row() {
    std::vector<CheckedCall> rows = checks->rows();
    EXPECT_EQ(rows.size(), 1u);
    return rows.empty() ? CheckedCall() : rows[0];
  }
  void expectSame(const char *what = "") {
    CheckedCall call = row();
    EXPECT_FALSE(call.differs)
        << what << ": " << call.name.shape << ": error " << call.error << " of "
        << call.tensor << " at " << call.element << ", at most "
        << call.tolerance;
    EXPECT_GT(call.compared, 0) << what << ": " << call.why;
  }
  void expectDiffers(const char *tensor, const char *what = "") {
    CheckedCall call = row();
    EXPECT_TRUE(call.differs) << what << ": " << call.name.shape << ": error "
                              << call.error << ", at most " << call.tolerance;
    EXPECT_EQ(call.tensor, tensor) << what;
    EXPECT_EQ(call.place, "device 0, op 'fc1' (matmul)");
  }
};

/// Numbers without a pattern, between -1 and 1.
std::vector<float> numbers(int64_t count, unsigned seed = 1) {
  std::vector<float> result;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    result.push_back(float(int32_t(seed) >> 8) * 0x1p-23f);
  }
  return result;
}

/// As bytes of f32 or bf16.
std::vector<char> tensor(int64_t count, bool isNarrow, unsigned seed = 1) {
  std::vector<float> wide = numbers(count, seed);
  std::vector<char> result(size_t(count) * (isNarrow ? 2 : 4));
  for (size_t i = 0; i < wide.size(); ++i) {
    uint16_t narrow = toBFloat16(wide[i]);
    if (isNarrow)
      std::memcpy(result.data() + 2 * i, &narrow, 2);
    else
      std::memcpy(result.data() + 4 * i, &wide[i], 4);
  }
  return result;
}

/// Changes the sign and the size of the last number of f32 or bf16.
void spoilLast(std::vector<char> &data, bool isNarrow) {
  if (isNarrow) {
    auto *last = reinterpret_cast<uint16_t *>(data.data() + data.size() - 2);
    *last = toBFloat16(fromBFloat16(*last) + 1);
  } else {
    *reinterpret_cast<float *>(data.data() + data.size() - 4) += 1;
  }
}

struct Product {
  MatmulCall call;
  std::vector<char> a, b, third, y, second;

  explicit Product(const MatmulCall &c) : call(c) {
    const MatmulShape &s = c.shape;
    bool in = c.precision == Precision::BF16, out = c.narrowResult;
    a = tensor(s.batch * s.m * s.k, in, 1);
    b = tensor(s.batch * s.k * s.n, in, 2);
    third = tensor(c.thirdVolume(), out, 3);
    y = tensor(c.resultVolume(), out, 4);
    second = tensor(c.secondVolume(), out, 5);
  }
  MatmulBuffers buffers() {
    return {a.data(),
            b.data(),
            third.empty() ? nullptr : third.data(),
            y.data(),
            second.empty() ? nullptr : second.data(),
            nullptr};
  }
};

TEST_F(CheckingDeviceTest, Products) {
  for (Precision precision : {Precision::F32, Precision::TF32, Precision::BF16})
    for (bool isNarrow : {false, true})
      for (int epilogue = 0; epilogue <= int(Epilogue::BiasGradOfB); ++epilogue)
        for (int64_t work : {int64_t(1) << 30, int64_t(3 * 6 * 7)}) {
          if (isNarrow && precision != Precision::BF16)
            continue;
          Epilogue e = Epilogue(epilogue);
          options.work = work;
          Product product(
              {{isBiasGrad(e) ? 1 : 3, 5, 6, 7, epilogue % 2, epilogue / 2 % 2},
               precision,
               isNarrow,
               e,
               0});
          device.spoil = nullptr;
          ASSERT_FALSE(start().matmul(product.call, product.buffers(), 0));
          expectSame();
          EXPECT_EQ(row().part, work > 1000 ? ""
                                : isBiasGrad(e)
                                    ? "3 of 5 rows"
                                    : "3 of 3 batches, 1 of 5 rows");
          // The last row is one of a part that has several.
          if (work < 1000 && !isBiasGrad(e))
            continue;
          device.spoil = [&] { spoilLast(product.y, isNarrow); };
          ASSERT_FALSE(start().matmul(product.call, product.buffers(), 0));
          expectDiffers("y");
          EXPECT_EQ(row().element,
                    work > 1000 ? product.call.resultVolume() - 1 : 17);
          if (!hasSecondResult(e))
            continue;
          device.spoil = [&] { spoilLast(product.second, isNarrow); };
          ASSERT_FALSE(start().matmul(product.call, product.buffers(), 0));
          expectDiffers("second");
        }
}

TEST_F(CheckingDeviceTest, PrecisionOfProducts) {
  Product product({{1, 32, 32, 300, 0, 0}, Precision::F32});
  device.otherPrecision = Precision::TF32;
  ASSERT_FALSE(start().matmul(product.call, product.buffers(), 0));
  expectDiffers("y");
  // A library may read more bits.
  product.call.precision = Precision::TF32;
  device.otherPrecision = Precision::F32;
  ASSERT_FALSE(start().matmul(product.call, product.buffers(), 0));
  expectSame();
}

/// A result that was right before is no proof.
TEST_F(CheckingDeviceTest, ResultsThatAreNotWritten) {
  Product product({{1, 8, 4, 4, 0, 0}});
  ASSERT_FALSE(start().matmul(product.call, product.buffers(), 0));
  expectSame();
  device.doesNothing = true;
  ASSERT_FALSE(start().matmul(product.call, product.buffers(), 0));
  expectDiffers("y");
  EXPECT_TRUE(std::isinf(row().error));
  // Not in the rows that the host computes, the first one and the last one.
  device.doesNothing = false;
  options.work = 2 * 4 * 4;
  auto *y = reinterpret_cast<float *>(product.y.data());
  device.spoil = [&] { y[13] = NAN; };
  ASSERT_FALSE(start().matmul(product.call, product.buffers(), 0));
  expectDiffers("y");
  EXPECT_EQ(row().part, "2 of 8 rows");
  EXPECT_EQ(row().element, 13);
}

TEST_F(CheckingDeviceTest, OperandsWithoutNumbers) {
  Product product({{1, 4, 4, 4, 0, 0}});
  std::fill(product.a.begin(), product.a.end(), char(-1));
  ASSERT_FALSE(start().matmul(product.call, product.buffers(), 0));
  EXPECT_EQ(row().why, "no result of the host is a number");
  EXPECT_EQ(row().compared, 0);
}

TEST_F(CheckingDeviceTest, Convolutions) {
  for (ConvKind kind :
       {ConvKind::Forward, ConvKind::InputGrad, ConvKind::WeightGrad})
    for (int64_t layout : {0, 1})
      for (int64_t groups : {1, 2})
        for (bool isNarrow : {false, true})
          for (bool isPart : {false, true}) {
            ConvShape s{5, groups, 3, 6, 5, 4, 3, 5, 3,      2,
                        2, 1,      1, 1, 1, 0, 1, 1, layout, layout};
            ConvCall call{s, kind, isNarrow ? Precision::BF16 : Precision::F32,
                          0,
                          kind == ConvKind::Forward     ? Epilogue::BiasRelu
                          : kind == ConvKind::InputGrad ? Epilogue::ReluGrad
                                                        : Epilogue::None};
            bool ofOutputs = kind == ConvKind::WeightGrad;
            options.work =
                isPart ? s.work() / (ofOutputs ? s.o : s.n) * 2 : s.work();
            std::vector<char> a = tensor(call.volumeOf(0), isNarrow, 1),
                              b = tensor(call.volumeOf(1), isNarrow, 2),
                              third = tensor(call.thirdVolume(), isNarrow, 3),
                              result = tensor(call.volumeOf(2), isNarrow, 4);
            ConvBuffers buffers{a.data(), b.data(), result.data(), nullptr,
                                third.empty() ? nullptr : third.data()};
            device.spoil = nullptr;
            ASSERT_FALSE(start().conv(call, buffers, 0));
            expectSame();
            EXPECT_EQ(row().part, !isPart      ? ""
                                  : !ofOutputs ? "2 of 5 samples"
                                  : groups == 1
                                      ? "2 of 4 outputs"
                                      : "2 of 4 outputs of each group");
            device.spoil = [&] { spoilLast(result, isNarrow); };
            ASSERT_FALSE(start().conv(call, buffers, 0));
            expectDiffers(kind == ConvKind::Forward     ? "y"
                          : kind == ConvKind::InputGrad ? "dx"
                                                        : "dw");
          }
}

TEST_F(CheckingDeviceTest, Images) {
  PoolCall pool{{2, 3, 6, 6}, 3, 3, 2, 2, 2, 2, 0, 0, true};
  std::vector<float> x = numbers(pool.x.volume()),
                     y = numbers(pool.y().volume(), 2);
  ASSERT_FALSE(start().pool(pool, {nullptr, x.data(), nullptr, y.data()}, 0));
  expectSame();
  device.spoil = [&] { y[5] += 0.01f; };
  ASSERT_FALSE(start().pool(pool, {nullptr, x.data(), nullptr, y.data()}, 0));
  expectDiffers("y");
  EXPECT_EQ(row().element, 5);

  NormCall norm{{2, 3, 6, 6}, true, false, 1e-5};
  std::vector<float> gamma = numbers(3), beta = numbers(3, 3), mean(3),
                     inverse(3), result(x.size());
  NormBuffers buffers{};
  buffers.x = x.data();
  buffers.gamma = gamma.data();
  buffers.beta = beta.data();
  buffers.mean = mean.data();
  buffers.inverse = inverse.data();
  buffers.result = result.data();
  device.spoil = nullptr;
  ASSERT_FALSE(start().batchNorm(norm, buffers, 0));
  expectSame();
  device.spoil = [&] { inverse[2] *= 1.001f; };
  ASSERT_FALSE(start().batchNorm(norm, buffers, 0));
  expectDiffers("inverse deviation");
}

TEST_F(CheckingDeviceTest, Attention) {
  using enum AttentionTensor;
  for (AttentionKind kind : {AttentionKind::Forward, AttentionKind::Training,
                             AttentionKind::Backward})
    for (int64_t work : {int64_t(1) << 30, int64_t(1)}) {
      options.work = work;
      AttentionCall call;
      call.kind = kind;
      call.batch = 3;
      call.heads = 2;
      call.keyHeads = 1;
      call.queries = call.keys = 5;
      call.width = call.valueWidth = 8;
      call.right = 0;
      std::vector<std::vector<char>> tensors;
      AttentionBuffers buffers;
      for (AttentionTensor t : {Q, K, V, O, DO, DQ, DK, DV}) {
        tensors.push_back(tensor(call.volumeOf(t), true, unsigned(t) + 1));
        buffers[t] = tensors.back().data();
      }
      // Logarithms of sums that are above all terms.
      std::vector<float> statistics(size_t(call.statisticsVolume()), 5);
      buffers.statistics = statistics.data();
      device.spoil = nullptr;
      ASSERT_FALSE(start().attention(call, buffers, 0));
      expectSame();
      EXPECT_EQ(row().part, work == 1 ? "1 of 3 batches" : "");
      if (work == 1)
        continue;
      bool isBackward = kind == AttentionKind::Backward;
      device.spoil = [&] {
        spoilLast(tensors[size_t(isBackward ? DK : O)], true);
      };
      ASSERT_FALSE(start().attention(call, buffers, 0));
      expectDiffers(isBackward ? "dk" : "o");
    }
}

// p -= 0.1 * g, in place.
void update(void *const *args, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(args[2])[i] = static_cast<float *>(args[0])[i] -
                                       0.1f * static_cast<float *>(args[1])[i];
}
void updateTwice(void *const *args, int64_t begin, int64_t end) {
  update(args, begin, end);
  update(args, begin, end);
}

TEST_F(CheckingDeviceTest, LaunchesInPlace) {
  const SoapKernel kernel = {"update", update, 8, 1, 3};
  std::vector<float> p = numbers(8), g = numbers(8, 2);
  void *buffers[] = {p.data(), g.data(), p.data()};
  std::vector<float> before = p;
  ASSERT_FALSE(start().launch(kernel, buffers, 0));
  expectSame();
  // It was done once on the device.
  EXPECT_EQ(p[3], before[3] - 0.1f * g[3]);
  device.onDevice = updateTwice;
  ASSERT_FALSE(start().launch(kernel, buffers, 0));
  expectDiffers("buffer 0");
}

void sumUp(void *const *args, int64_t, int64_t) {
  float sum = 0;
  for (int i = 0; i < 4096; ++i)
    sum += static_cast<float *>(args[0])[i];
  *static_cast<float *>(args[1]) = sum;
}
void sumDown(void *const *args, int64_t, int64_t) {
  float sum = 0;
  for (int i = 4095; i >= 0; --i)
    sum += static_cast<float *>(args[0])[i];
  *static_cast<float *>(args[1]) = sum;
}
void sumWithoutLast(void *const *args, int64_t, int64_t) {
  sumUp(args, 0, 1);
  *static_cast<float *>(args[1]) -= static_cast<float *>(args[0])[4095];
}

/// The sum is rounding alone, in any order another one.
TEST_F(CheckingDeviceTest, SumsThatCancel) {
  const SoapKernel kernel = {"sum", sumUp, 1, 1, 2};
  std::vector<float> x = numbers(4096), sum(1);
  for (size_t i = 0; i < 2048; ++i)
    x[4095 - i] = -x[i] * (1 + 1e-7f * float(i % 3));
  void *buffers[] = {x.data(), sum.data()};
  device.onDevice = sumDown;
  ASSERT_FALSE(start().launch(kernel, buffers, 0));
  expectSame();
  EXPECT_GT(row().error, 1e-3);
  device.onDevice = sumWithoutLast;
  ASSERT_FALSE(start().launch(kernel, buffers, 0));
  expectDiffers("buffer 1");
}

void count(void *const *args, int64_t, int64_t) {
  static_cast<int64_t *>(args[0])[1] += 1;
  static_cast<char *>(args[1])[2] = 7;
}
void countWrong(void *const *args, int64_t, int64_t) {
  count(args, 0, 1);
  static_cast<char *>(args[1])[2] = 6;
}

TEST_F(CheckingDeviceTest, IntegersAreExact) {
  const SoapKernel kernel = {"count", count, 1, 1, 2};
  int64_t numbers[] = {3, int64_t(1) << 60};
  char bytes[] = {1, 2, 3};
  void *buffers[] = {numbers, bytes};
  ASSERT_FALSE(start().launch(kernel, buffers, 0));
  expectSame();
  device.onDevice = countWrong;
  ASSERT_FALSE(start().launch(kernel, buffers, 0));
  expectDiffers("buffer 1");
  EXPECT_EQ(row().element, 2);
  // Numbers that are the same as a double.
  device.onDevice = count;
  device.spoil = [&] { numbers[1] += 1; };
  ASSERT_FALSE(start().launch(kernel, buffers, 0));
  expectDiffers("buffer 0");
}

void roundAll(void *const *args, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<uint16_t *>(args[1])[i] =
        toBFloat16(static_cast<float *>(args[0])[i]);
}

TEST_F(CheckingDeviceTest, NumbersThatAreNone) {
  const SoapKernel kernel = {"round", roundAll, 8, 1, 2};
  std::vector<float> x = numbers(8);
  std::vector<uint16_t> y(8);
  x[2] = NAN;
  x[3] = INFINITY;
  void *buffers[] = {x.data(), y.data()};
  ASSERT_FALSE(start().launch(kernel, buffers, 0));
  expectSame();
  // One step of bf16 may be rounding, four are not.
  for (auto [steps, differs] : {std::pair{1, false}, std::pair{8, true}}) {
    device.spoil = [&, steps = steps] { y[0] = uint16_t(y[0] + steps); };
    ASSERT_FALSE(start().launch(kernel, buffers, 0));
    EXPECT_EQ(row().differs, differs) << steps;
  }
  device.spoil = [&] { y[1] = y[2]; };
  ASSERT_FALSE(start().launch(kernel, buffers, 0));
  expectDiffers("buffer 1");
  EXPECT_TRUE(std::isinf(row().error));
}

TEST_F(CheckingDeviceTest, SumsOfCollectives) {
  std::vector<float> to = numbers(9), from = numbers(9, 2);
  ASSERT_FALSE(start().add(SOAP_F32, to.data(), from.data(), 9, 0));
  expectSame();
  device.spoil = [&] { to[8] += 0.001f; };
  ASSERT_FALSE(start().add(SOAP_F32, to.data(), from.data(), 9, 0));
  expectDiffers("sum");
}

TEST_F(CheckingDeviceTest, EachCallOnce) {
  Product product({{1, 4, 4, 4, 0, 0}});
  CheckingDevice &once = start();
  for (int i = 0; i < 3; ++i)
    ASSERT_FALSE(once.matmul(product.call, product.buffers(), 0));
  EXPECT_EQ(row().calls, 3);
  EXPECT_EQ(row().compared, 1);
  // Errors come with the call also where it is not compared.
  EXPECT_GE(device.waits, 6);
  // A later one may be wrong.
  options.all = true;
  CheckingDevice &all = start();
  for (int i = 0; i < 3; ++i) {
    device.spoil = [&] {
      if (i == 1)
        spoilLast(product.y, false);
    };
    ASSERT_FALSE(all.matmul(product.call, product.buffers(), 0));
  }
  EXPECT_EQ(row().compared, 3);
  expectDiffers("y");
}

TEST_F(CheckingDeviceTest, LeftOut) {
  Product product({{1, 4, 4, 4, 0, 0}});
  options.bytes = 100;
  ASSERT_FALSE(start().matmul(product.call, product.buffers(), 0));
  EXPECT_EQ(row().why, "copies of its operands have 256 bytes, more than 100");
  EXPECT_EQ(row().compared, 0);
  std::vector<float> x = numbers(8);
  void *buffers[] = {x.data(), x.data(), x.data()};
  const SoapKernel none = {"update", nullptr, 8, 1, 3};
  device.onDevice = update;
  ASSERT_FALSE(start().launch(none, buffers, 0));
  EXPECT_EQ(row().why, "the module has no host references");
  const SoapKernel unknown = {"unknown", update, 8, 1, 3};
  ASSERT_FALSE(start().launch(unknown, buffers, 0));
  EXPECT_EQ(row().why, "the manifest has no list of the kernel's buffers");
}

TEST(ProductParts, Spread) {
  EXPECT_EQ(spread(10, 4).indices, (std::vector<int64_t>{0, 3, 6, 9}));
  EXPECT_EQ(spread(10, 0).indices, (std::vector<int64_t>{0}));
  EXPECT_TRUE(spread(3, 5).isAll());
  EXPECT_TRUE(spread(0, 5).indices.empty());
}

} // namespace
