//===- PrepareCallsTest.cpp - Library calls before the first iteration ----===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-written programs on a backend that notes what it is asked: only library
// calls arrive, and of several processes all take the choices of the lowest
// rank.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Execution/PrepareCalls.h"

#include "Runtime/ThreadGroup.h"

#include "Runtime/Backend/Backend.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace soap;
using namespace soap::runtime;

namespace {

/// A call that is no preparation.
MaybeError unexpected() {
  ADD_FAILURE() << "something was done";
  return Error{"something was done"};
}

class NotingDevice : public BackendDevice {
public:
  std::vector<std::pair<int64_t, const void *>> prepared; ///< n or m, result

  MaybeError begin() override { return unexpected(); }
  MaybeError finish(const std::function<bool()> &) override {
    return unexpected();
  }
  MaybeError launch(const SoapKernel &, void *const *, int64_t) override {
    return unexpected();
  }
  MaybeError conv(const ConvCall &, const ConvBuffers &, int64_t) override {
    return unexpected();
  }
  MaybeError matmul(const MatmulCall &, const MatmulBuffers &,
                    int64_t) override {
    return unexpected();
  }
  MaybeError pool(const PoolCall &, const PoolBuffers &, int64_t) override {
    return unexpected();
  }
  MaybeError batchNorm(const NormCall &, const NormBuffers &,
                       int64_t) override {
    return unexpected();
  }
  MaybeError prepare(const ConvCall &call,
                     const ConvBuffers &buffers) override {
    prepared.emplace_back(call.shape.n, buffers.result);
    return Error{"not possible"};
  }
  MaybeError prepare(const MatmulCall &call,
                     const MatmulBuffers &buffers) override {
    prepared.emplace_back(call.shape.m, buffers.y);
    return std::nullopt;
  }
  MaybeError prepare(const PoolCall &call,
                     const PoolBuffers &buffers) override {
    prepared.emplace_back(call.x.n, buffers.result);
    return Error{"not possible"};
  }
  MaybeError prepare(const NormCall &call,
                     const NormBuffers &buffers) override {
    prepared.emplace_back(call.x.n, buffers.result);
    return std::nullopt;
  }
  MaybeError copy(void *, const void *, int64_t, int64_t) override {
    return unexpected();
  }
  MaybeError add(int64_t, void *, const void *, int64_t, int64_t) override {
    return unexpected();
  }
  Expected<const void *> constant(const void *, int64_t) override {
    return *unexpected();
  }
  MaybeError record(int64_t, int64_t) override { return unexpected(); }
  MaybeError wait(int64_t, int64_t) override { return unexpected(); }
  Expected<void *> signal(int64_t) override { return *unexpected(); }
  MaybeError waitSignal(void *, int64_t) override { return unexpected(); }
  Expected<void *> nativeStream(int64_t) override { return *unexpected(); }
};

class NotingBackend : public Backend {
public:
  std::vector<NotingDevice> devices{2};
  std::vector<int64_t> selected;
  std::map<std::string, std::string> chosen, given;

  std::string description() const override { return "noting"; }
  BackendDevice &device(int64_t number) override {
    return devices[size_t(number)];
  }
  MaybeError select(int64_t number) override {
    selected.push_back(number);
    return std::nullopt;
  }
  Expected<void *> allocate(int64_t, int64_t) override { return Error{""}; }
  MaybeError upload(int64_t, void *, const void *, int64_t) override {
    return unexpected();
  }
  MaybeError download(int64_t, void *, const void *, int64_t) override {
    return unexpected();
  }
  std::map<std::string, std::string> algorithms() override { return chosen; }
  void
  useAlgorithms(const std::map<std::string, std::string> &others) override {
    given = others;
  }
};

void onHost(void *const *, int64_t, int64_t) { unexpected(); }
const SoapKernel kernel = {"kernel", onHost, 4, 1, 1};

/// All that a program may ask for, with four library calls in between.
void program(SoapContext *ctx, void **args, void *arena) {
  auto *place = static_cast<char *>(arena);
  void *buffers[] = {args[0], args[0], place};
  const float constant = 1;
  soap_rt_task_begin(ctx, 0);
  soap_rt_copy(ctx, place, soap_rt_constant(ctx, &constant, 4), 4);
  soap_rt_launch(ctx, &kernel, buffers);
  int64_t conv[ConvCall::numbers] = {7};
  soap_rt_conv2d(ctx, conv, buffers);
  soap_rt_task_end(ctx, 0);
  soap_rt_record_event(ctx, 0, 0);
  soap_rt_wait_event(ctx, 0, 1);
  soap_rt_use_stream(ctx, 1);
  soap_rt_begin_transfers(ctx);
  soap_rt_send(ctx, 1, place, 16);
  soap_rt_recv(ctx, 2, place, 16);
  soap_rt_end_transfers(ctx);
  int64_t matmul[10] = {1, 5};
  buffers[2] = place + 64;
  soap_rt_matmul(ctx, matmul, buffers);
  int64_t pool[PoolCall::numbers] = {3};
  buffers[1] = place + 32;
  soap_rt_pool2d(ctx, pool, buffers);
  int64_t norm[NormCall::numbers] = {2};
  void *images[] = {args[0], args[0], args[0], place + 96, place, place};
  soap_rt_batch_norm(ctx, norm, images);
}

const char *manifestText = R"({"version": 1, "devices": 2, "tensors": [
  {"name": "x", "kind": "data", "shape": [4], "dtype": "f32", "sample_dim": 0}],
 "entries": [{"name": "forward", "batch": 4, "schedule": [
   {"name": "a", "kind": "copy", "start_ns": 0, "end_ns": 1},
   {"name": "b", "kind": "copy", "start_ns": 1, "end_ns": 2},
   {"name": "c", "kind": "copy", "start_ns": 2, "end_ns": 3}],
  "ranks": [
   {"device": 0, "program": "p", "arena_bytes": 128,
    "args": [{"tensor": "x", "region": [[[0, 4]]]}], "results": [],
    "tasks": [0, 1, 2], "peers": [-1, 1, 1], "transfers": [-1, 0, 1]},
   {"device": 1, "program": "p", "arena_bytes": 128,
    "args": [{"tensor": "x", "region": [[[0, 4]]]}], "results": [],
    "tasks": [0, 1, 2], "peers": [-1, 0, 0], "transfers": [-1, 1, 0]}]}]})";

class PrepareCalls : public testing::Test {
protected:
  std::shared_ptr<const Manifest> manifest;
  char arena[128] = {};
  float x[4] = {};

  void SetUp() override {
    auto parsed = parseManifest(manifestText, "manifest");
    ASSERT_TRUE(bool(parsed)) << parsed.error();
    manifest = std::make_shared<const Manifest>(std::move(*parsed));
  }
  MaybeError prepare(NotingBackend &backend, ProcessGroup *group) {
    Placement placement{group, 2};
    Execution execution(manifest, manifest->entries[0], placement);
    for (size_t r = 0; r < 2; ++r)
      if (placement.isHere(int64_t(r))) {
        execution.ranks[r].program = program;
        execution.ranks[r].pointers = {x};
        execution.ranks[r].arena = arena;
      }
    return prepareCalls(execution, backend);
  }
};

TEST_F(PrepareCalls, NothingElseIsDone) {
  NotingBackend backend;
  ASSERT_FALSE(prepare(backend, nullptr));
  EXPECT_EQ(backend.selected, (std::vector<int64_t>{0, 1}));
  for (const NotingDevice &device : backend.devices) {
    // The failure of the first says nothing about the second.
    const std::pair<int64_t, const void *> calls[] = {
        {7, arena}, {5, arena + 64}, {3, arena + 32}, {2, arena + 96}};
    EXPECT_TRUE(std::ranges::equal(device.prepared, calls));
  }
}

TEST_F(PrepareCalls, ProcessesAgree) {
  NotingBackend backends[2];
  backends[0].chosen = {{"a", "gemm"}, {"b", "fft"}};
  backends[1].chosen = {{"b", "gemm"}, {"c", "winograd"}};
  size_t left = onRanks(2, [&](ProcessGroup &group) {
    MaybeError error = prepare(backends[group.rank()], &group);
    EXPECT_FALSE(error) << error->message;
  });
  EXPECT_EQ(left, 0u);
  std::map<std::string, std::string> expected = {
      {"a", "gemm"}, {"b", "fft"}, {"c", "winograd"}};
  for (int rank : {0, 1}) {
    EXPECT_EQ(backends[rank].given, expected);
    EXPECT_EQ(backends[rank].selected, (std::vector<int64_t>{rank}));
  }
}

} // namespace
