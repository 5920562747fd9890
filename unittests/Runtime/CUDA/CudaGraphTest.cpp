//===- CudaGraphTest.cpp - Recorded iterations on stand-ins for GPUs ------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The real libSoapCudaBackend.so over a stand-in for CUDA, whose functions this
// executable exports (test/Integration/GPU): streams are threads that start
// late, and what CUDA forbids in a capture breaks it. Hand-written programs of
// two devices, op by op and as graphs, and what a capture does not allow.
//
//===----------------------------------------------------------------------===//

#include "../../../test/Integration/GPU/FakeStreams.h"
#include "Runtime/Execution/IterationGraphs.h"
#include "Soap/Runtime/Execution/Session.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cuda_runtime_api.h>
#include <future>
#include <map>
#include <thread>

using namespace soap;
using namespace soap::runtime;

namespace {

// t = 2 x
void twice(void *const *args, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(args[1])[i] = 2 * static_cast<float *>(args[0])[i];
}
// w = w / 2 + t: in another order of iterations, another value.
void mix(void *const *args, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    float &w = static_cast<float *>(args[1])[i];
    w = w / 2 + static_cast<float *>(args[0])[i];
  }
}
const SoapKernel twiceKernel = {"twice", twice, 4, 1, 2};
const SoapKernel mixKernel = {"mix", mix, 4, 1, 2};

void launch(SoapContext *ctx, const SoapKernel &kernel, void *a, void *b) {
  void *buffers[] = {a, b};
  soap_rt_launch(ctx, &kernel, buffers);
}

/// Device 0: t = 2 x on stream 0, to device 1 on stream 1, and y back.
void first(SoapContext *ctx, void **args, void *arena) {
  auto *t = static_cast<float *>(arena);
  launch(ctx, twiceKernel, args[0], t);
  soap_rt_record_event(ctx, 0, 0);
  soap_rt_wait_event(ctx, 0, 1);
  soap_rt_use_stream(ctx, 1);
  soap_rt_send(ctx, 0, t, 16);
  soap_rt_recv(ctx, 1, args[1], 16);
}

/// Device 1: w = w / 2 + t, on a third stream.
void second(SoapContext *ctx, void **args, void *arena) {
  auto *t = static_cast<float *>(arena);
  soap_rt_use_stream(ctx, 1);
  soap_rt_recv(ctx, 0, t, 16);
  soap_rt_record_event(ctx, 0, 1);
  soap_rt_wait_event(ctx, 0, 2);
  soap_rt_use_stream(ctx, 2);
  launch(ctx, mixKernel, t, args[0]);
  soap_rt_record_event(ctx, 1, 2);
  soap_rt_wait_event(ctx, 1, 1);
  soap_rt_use_stream(ctx, 1);
  soap_rt_send(ctx, 1, args[0], 16);
}

const char *manifestText = R"({"version": 1, "devices": 2,
 "gpu": {"chip": "sm_90", "format": "isa", "host_references": true}, "tensors": [
  {"name": "x", "kind": "data", "shape": [4], "dtype": "f32", "sample_dim": 0},
  {"name": "w", "kind": "parameter", "shape": [4], "dtype": "f32"},
  {"name": "y", "kind": "output", "shape": [4], "dtype": "f32"}],
 "entries": [{"name": "forward", "batch": 4, "schedule": [
   {"name": "a", "kind": "copy", "start_ns": 0, "end_ns": 1},
   {"name": "b", "kind": "copy", "start_ns": 1, "end_ns": 2}],
  "ranks": [
   {"device": 0, "program": "first", "arena_bytes": 16,
    "args": [{"tensor": "x", "region": [[[0, 4]]]}],
    "results": [{"tensor": "y", "region": [[[0, 4]]]}],
    "tasks": [0, 1], "peers": [1, 1], "transfers": [0, 1]},
   {"device": 1, "program": "second", "arena_bytes": 16,
    "args": [{"tensor": "w", "region": [[[0, 4]]], "updated": true}],
    "results": [], "tasks": [0, 1], "peers": [0, 0],
    "transfers": [0, 1]}]}]})";

const std::string image =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry twice(\n\t.param .u64 twice_0,\n\t.param .u64 twice_1\n)"
    "\n{\n\tret;\n}\n"
    ".visible .entry mix(\n\t.param .u64 mix_0,\n\t.param .u64 mix_1\n)"
    "\n{\n\tret;\n}\n";
const int64_t imageBytes = int64_t(image.size());

struct Outcome {
  std::string error, note;
  std::vector<float> y;
  int64_t bytes = 0, launches = 0, recordings = 0;
};

/// The value of x in an iteration.
void fillX(HostTensor &x, int iteration) {
  for (int64_t i = 0; i < 4; ++i)
    x.set(i, double(iteration + 1) * double(i + 1));
}

struct RunOptions {
  bool graphs = true, isVirtual = false, stages = false;
  int iterations = 6;
};

Outcome run(const RunOptions &setup) {
  setenv("SOAP_CUDA_BACKEND", SOAP_CUDA_BACKEND_LIBRARY, 1);
  setenv("SOAP_FAKE_CUDA_DEVICES", "2", 1);
  Outcome result;
  auto manifest = parseManifest(manifestText, "manifest");
  if (!manifest) {
    result.error = manifest.error();
    return result;
  }
  ProgramSource source;
  source.manifest = std::make_shared<const Manifest>(std::move(*manifest));
  source.program = [](const std::string &name) {
    return name == "first" ? first : second;
  };
  source.data = [](const std::string &name) -> const void * {
    return name == "soap_gpu_image" ? static_cast<const void *>(image.data())
                                    : &imageBytes;
  };
  LauncherOptions options;
  options.timeout = std::chrono::minutes(5);
  DeviceChoice choice;
  choice.backend = "cuda";
  choice.virtualDevices = setup.isVirtual;
  choice.graphs = setup.graphs;
  choice.note = [&](const std::string &text) { result.note += text; };
  auto session = Session::create(std::move(source), options, nullptr, choice);
  if (!session) {
    result.error = session.error();
    return result;
  }
  TensorStore &store = (*session)->tensors();
  auto iterate = [&]() -> MaybeError {
    if (MaybeError error = store.set(1, HostTensor(DType::F32, {4})))
      return error;
    bool staged = false;
    for (int i = 0; i < setup.iterations; ++i) {
      if (staged) {
        if (MaybeError error = store.adopt())
          return error;
      } else {
        fillX(store.host(0), i);
        store.hostWritten(0);
      }
      auto meanwhile = [&]() -> MaybeError {
        staged = setup.stages && store.canStage();
        if (!staged)
          return std::nullopt;
        fillX(store.nextHost(0), i + 1);
        return store.stage(0, {0});
      };
      if (MaybeError error = (*session)->run(0, meanwhile))
        return error;
    }
    return std::nullopt;
  };
  if (MaybeError error = iterate()) {
    result.error = error->message;
    return result;
  }
  auto y = store.result(0, 2);
  for (int64_t i = 0; i < 4; ++i)
    result.y.push_back(float(y->at(i)));
  const Execution &execution = (*session)->execution(0);
  for (int64_t bytes : execution.bytesSent)
    result.bytes += bytes;
  if (execution.graphs) {
    result.launches = execution.graphs->launches();
    result.recordings = execution.graphs->recordings();
  }
  return result;
}

/// The value of y, by hand.
std::vector<float> expected(int iterations) {
  std::vector<float> w(4);
  for (int i = 0; i < iterations; ++i)
    for (int j = 0; j < 4; ++j)
      w[size_t(j)] = w[size_t(j)] / 2 + 2 * float(i + 1) * float(j + 1);
  return w;
}

/// A variable of the environment while this lives.
struct Variable {
  Variable(const char *name, const char *value) : name(name) {
    setenv(name, value, 1);
  }
  ~Variable() { unsetenv(name); }
  const char *name;
};

TEST(CudaGraph, SameNumbersWithAndWithout) {
  for (bool isVirtual : {false, true})
    for (bool stages : {false, true}) {
      RunOptions setup;
      setup.isVirtual = isVirtual;
      setup.stages = stages;
      Outcome with = run(setup);
      EXPECT_EQ(with.error + with.note, "");
      EXPECT_EQ(with.y, expected(6));
      EXPECT_EQ(with.bytes, 6 * 32);
      EXPECT_EQ(with.launches, 5);
      // Inputs in two places: a graph for each.
      EXPECT_EQ(with.recordings, stages ? 2 : 1);
      setup.graphs = false;
      Outcome without = run(setup);
      EXPECT_EQ(without.error + without.note, "");
      EXPECT_EQ(without.y, with.y);
      EXPECT_EQ(without.bytes, with.bytes);
      EXPECT_EQ(without.launches, 0);
    }
}

TEST(CudaGraph, FallsBack) {
  for (const char *function : {"cudaStreamBeginCapture", "cudaStreamEndCapture",
                               "cudaGraphInstantiate"}) {
    Variable fails("SOAP_FAKE_CUDA_FAIL", function);
    for (bool isVirtual : {false, true}) {
      RunOptions setup;
      setup.isVirtual = isVirtual;
      Outcome result = run(setup);
      EXPECT_EQ(result.error, "");
      EXPECT_EQ(result.y, expected(6));
      EXPECT_EQ(result.bytes, 6 * 32);
      EXPECT_EQ(result.launches, 0);
      EXPECT_NE(result.note.find("iterations are launched op by op, not as a "
                                 "CUDA graph: device"),
                std::string::npos)
          << result.note;
      EXPECT_NE(result.note.find(function), std::string::npos) << result.note;
    }
  }
}

TEST(CudaGraph, FailedLaunchEndsTheRun) {
  Variable fails("SOAP_FAKE_CUDA_FAIL", "cudaGraphLaunch");
  Outcome result = run({});
  EXPECT_NE(result.error.find("cudaGraphLaunch: unspecified launch failure"),
            std::string::npos)
      << result.error;
}

/// A library that allocates in its second call: first in device 0's thread,
/// which began the capture, then in the other's, which CUDA does not forbid.
TEST(CudaGraph, AllocationWhileRecording) {
  long before = fake::counts().kernels.load();
  Variable lazy("SOAP_FAKE_CUDA_LAZY", std::to_string(before + 3).c_str());
  Outcome result = run({});
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.y, expected(6));
  EXPECT_EQ(result.bytes, 6 * 32);
  EXPECT_EQ(result.launches, 0);
  EXPECT_NE(result.note.find("not as a CUDA graph: device 0"),
            std::string::npos)
      << result.note;
  EXPECT_NE(
      result.note.find("operation not permitted when stream is capturing"),
      std::string::npos)
      << result.note;
}

/// Streams of the current device, and what is done at the end.
class Capture : public testing::Test {
protected:
  void SetUp() override {
    for (cudaStream_t *stream : {&a, &b})
      ASSERT_EQ(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), 0);
    for (cudaEvent_t *event : {&fork, &join})
      ASSERT_EQ(cudaEventCreateWithFlags(event, cudaEventDisableTiming), 0);
  }
  void TearDown() override {
    if (graph)
      cudaGraphDestroy(graph);
    cudaDeviceSynchronize();
    for (cudaEvent_t event : {fork, join})
      cudaEventDestroy(event);
    for (cudaStream_t stream : {a, b})
      cudaStreamDestroy(stream);
  }
  void begin() {
    ASSERT_EQ(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal), 0);
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork, 0);
  }
  cudaError_t add(cudaStream_t stream, int number) {
    return fake::give(stream, [this, number] { done.push_back(number); });
  }
  cudaStream_t a = nullptr, b = nullptr;
  cudaEvent_t fork = nullptr, join = nullptr;
  cudaGraph_t graph = nullptr;
  std::vector<int> done;
};

TEST_F(Capture, RecordsAndReplays) {
  begin();
  add(a, 1);
  add(b, 2);
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join, 0);
  add(a, 3);
  ASSERT_EQ(cudaStreamEndCapture(a, &graph), 0);
  EXPECT_EQ(done, std::vector<int>());
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), 0);
  // 1 and 2 come in any order, 3 after both; all before the stream's next.
  bool both[2] = {false, false};
  for (int i = 0; i < 64; ++i) {
    done.clear();
    ASSERT_EQ(cudaGraphLaunch(executable, a), 0);
    add(a, 4);
    ASSERT_EQ(cudaStreamSynchronize(a), 0);
    ASSERT_EQ(done.size(), 4u);
    both[done[0] - 1] = true;
    EXPECT_EQ(done[0] + done[1], 3);
    EXPECT_EQ(done[2], 3);
    EXPECT_EQ(done[3], 4);
  }
  EXPECT_TRUE(both[0] && both[1]);
  cudaGraphExecDestroy(executable);
}

TEST_F(Capture, UnjoinedWork) {
  begin();
  add(a, 1);
  add(b, 2);
  EXPECT_EQ(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
}

TEST_F(Capture, ForbidsWaitingAndAllocating) {
  void *memory = nullptr;
  float number = 0;
  for (int which = 0; which < 5; ++which) {
    begin();
    cudaError_t error =
        which == 0   ? cudaMalloc(&memory, 16)
        : which == 1 ? cudaStreamSynchronize(a)
        : which == 2 ? cudaStreamQuery(b)
        : which == 3 ? cudaDeviceSynchronize()
                     : cudaMemcpy(&number, &number, 4, cudaMemcpyHostToDevice);
    EXPECT_EQ(error, cudaErrorStreamCaptureUnsupported) << which;
    EXPECT_EQ(add(a, 1), cudaErrorStreamCaptureInvalidated) << which;
    EXPECT_EQ(cudaStreamEndCapture(a, &graph),
              cudaErrorStreamCaptureInvalidated)
        << which;
    EXPECT_EQ(add(a, 1), cudaSuccess) << which;
  }
  // Another thread may, as the capture is of this one.
  begin();
  cudaError_t error = cudaErrorUnknown;
  std::thread([&] { error = cudaMalloc(&memory, 16); }).join();
  EXPECT_EQ(error, cudaSuccess);
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join, 0);
  EXPECT_EQ(cudaStreamEndCapture(a, &graph), cudaSuccess);
  cudaFree(memory);
}

TEST_F(Capture, EventsFromOutside) {
  cudaEventRecord(join, b);
  ASSERT_EQ(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal), 0);
  EXPECT_EQ(cudaStreamWaitEvent(a, join, 0), cudaErrorStreamCaptureIsolation);
  EXPECT_EQ(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
  // And of a capture that has ended.
  begin();
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join, 0);
  ASSERT_EQ(cudaStreamEndCapture(a, &graph), 0);
  EXPECT_EQ(cudaStreamWaitEvent(b, join, 0), cudaErrorCapturedEvent);
}

TEST_F(Capture, TwoCaptures) {
  ASSERT_EQ(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal), 0);
  ASSERT_EQ(cudaStreamBeginCapture(b, cudaStreamCaptureModeThreadLocal), 0);
  cudaEventRecord(fork, a);
  EXPECT_EQ(cudaStreamWaitEvent(b, fork, 0), cudaErrorStreamCaptureMerge);
  cudaError_t error = cudaSuccess;
  std::thread([&] { error = cudaStreamEndCapture(b, &graph); }).join();
  EXPECT_EQ(error, cudaErrorStreamCaptureWrongThread);
  EXPECT_EQ(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamEndCapture(b, &graph), cudaErrorStreamCaptureInvalidated);
}

/// The stand-in waits where CUDA may: loading a kernel, allocating and freeing
/// end behind operations that other devices are in. A kernel that was loaded
/// before is launched at once.
TEST(StandIn, LoadingWaitsForOperations) {
  auto ends = [](const std::function<cudaError_t()> &call) {
    auto result = std::async(std::launch::async, [&] {
      cudaSetDevice(1);
      return call();
    });
    bool atOnce = result.wait_for(std::chrono::milliseconds(50)) ==
                  std::future_status::ready;
    if (!atOnce)
      soap::fake::endOperation();
    EXPECT_EQ(result.get(), cudaSuccess);
    if (!atOnce)
      soap::fake::beginOperation();
    return atOnce;
  };
  void *memory = nullptr;
  cudaSetDevice(1);
  ASSERT_EQ(cudaMalloc(&memory, 8), cudaSuccess);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, 0), cudaSuccess);
  cudaFuncAttributes attributes;
  const int loaded = 0, other = 0;
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, &loaded), cudaSuccess);
  auto launch = [&](const void *kernel) {
    return cudaLaunchKernel(kernel, dim3(1), dim3(1), nullptr, 0, stream);
  };
  soap::fake::beginOperation();
  EXPECT_TRUE(ends([&] { return launch(&loaded); }));
  EXPECT_FALSE(ends([&] { return launch(&other); }));
  EXPECT_TRUE(ends([&] { return launch(&other); }));
  EXPECT_FALSE(ends([&] { return cudaFree(memory); }));
  EXPECT_FALSE(ends([&] { return cudaMalloc(&memory, 8); }));
  soap::fake::endOperation();
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  cudaSetDevice(0);
}

} // namespace
