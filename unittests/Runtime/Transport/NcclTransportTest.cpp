//===- NcclTransportTest.cpp - Sessions over a stand-in for NCCL ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-written programs of two devices, with the messages that they should have
// and with others. Which device notices first is not said.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Execution/Session.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <map>

using namespace soap;
using namespace soap::runtime;

namespace {

/// The programs of both devices: device 0 sends slot 0 and 1 to device
/// 1, which answers with slot 2.
enum class Fault { None, Order, Size, MissingSend, MissingReceive, Grouped };
Fault fault = Fault::None;

void first(SoapContext *ctx, void **args, void *) {
  auto *x = static_cast<float *>(args[0]);
  auto *y = static_cast<float *>(args[1]);
  bool grouped = fault == Fault::Grouped;
  if (grouped)
    soap_rt_begin_transfers(ctx);
  if (fault != Fault::MissingSend)
    soap_rt_send(ctx, fault == Fault::Order ? 1 : 0, x,
                 fault == Fault::Size ? 4 : 8);
  soap_rt_send(ctx, fault == Fault::Order ? 0 : 1, x + 2, 8);
  if (fault != Fault::MissingReceive)
    soap_rt_recv(ctx, 2, y, 8);
  if (grouped)
    soap_rt_end_transfers(ctx);
}

void second(SoapContext *ctx, void **, void *) {
  float a[2] = {0, 0}, b[2] = {0, 0};
  // Grouped, it answers before it has received.
  float answer[2] = {1, 2};
  bool grouped = fault == Fault::Grouped;
  if (grouped) {
    soap_rt_begin_transfers(ctx);
    soap_rt_send(ctx, 2, answer, 8);
  }
  soap_rt_recv(ctx, 0, a, 8);
  soap_rt_recv(ctx, 1, b, 8);
  if (grouped) {
    soap_rt_end_transfers(ctx);
    return;
  }
  for (int i = 0; i < 2; ++i)
    answer[i] = a[i] + b[i];
  soap_rt_send(ctx, 2, answer, 8);
}

const char *manifestText = R"({"version": 1, "devices": 2, "tensors": [
  {"name": "x", "kind": "data", "shape": [4], "dtype": "f32", "sample_dim": 0},
  {"name": "y", "kind": "output", "shape": [2], "dtype": "f32"}],
 "entries": [{"name": "forward", "batch": 4, "schedule": [
   {"name": "a", "kind": "copy", "start_ns": 0, "end_ns": 1},
   {"name": "b", "kind": "copy", "start_ns": 1, "end_ns": 2},
   {"name": "c", "kind": "copy", "start_ns": 2, "end_ns": 3}],
  "ranks": [
   {"device": 0, "program": "first", "arena_bytes": 0,
    "args": [{"tensor": "x", "region": [[[0, 4]]]}],
    "results": [{"tensor": "y", "region": [[[0, 2]]]}],
    "tasks": [0, 1, 2], "peers": [1, 1, 1], "transfers": [0, 1, 2]},
   {"device": 1, "program": "second", "arena_bytes": 0, "args": [],
    "results": [], "tasks": [0, 1, 2], "peers": [0, 0, 0],
    "transfers": [0, 1, 2]}]}]})";

/// y of one run, or the error.
std::string run(Fault which) {
  setenv("SOAP_NCCL", SOAP_NCCL_SHIM, 1);
  fault = which;
  auto manifest = parseManifest(manifestText, "manifest");
  if (!manifest)
    return manifest.error();
  ProgramSource source;
  source.manifest = std::make_shared<const Manifest>(std::move(*manifest));
  source.program = [](const std::string &name) {
    return name == "first" ? first : second;
  };
  LauncherOptions options;
  options.timeout = std::chrono::minutes(5);
  DeviceChoice choice;
  choice.nccl = true;
  auto session = Session::create(std::move(source), options, nullptr, choice);
  if (!session)
    return session.error();
  HostTensor x(DType::F32, {4});
  for (int64_t i = 0; i < 4; ++i)
    x.set(i, double(i));
  if (MaybeError error = (*session)->tensors().set(0, x))
    return error->message;
  std::string text;
  // Each iteration is a new one.
  for (int i = 0; i < 2; ++i)
    if (MaybeError error = (*session)->run(0))
      return error->message;
  auto y = (*session)->tensors().result(0, 1);
  if (!y)
    return y.error();
  return std::to_string(int(y->at(0))) + " " + std::to_string(int(y->at(1)));
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(NcclTransport, MovesBytes) { EXPECT_EQ(run(Fault::None), "2 4"); }

TEST(NcclTransport, Groups) { EXPECT_EQ(run(Fault::Grouped), "1 2"); }

TEST(NcclTransport, Order) {
  std::string text = run(Fault::Order);
  EXPECT_TRUE(contains(text,
                       "messages from device 0 to device 1 are in another "
                       "order on the two: sent is transfer 1, expected "
                       "transfer 0"))
      << text;
}

TEST(NcclTransport, Size) {
  std::string text = run(Fault::Size);
  EXPECT_TRUE(contains(text, "transfer 0 from device 0 to device 1: expected 8 "
                             "bytes, got 4"))
      << text;
}

/// An error that no call returns: without the watch, devices would wait
/// forever.
TEST(NcclTransport, AsynchronousError) {
  setenv("SOAP_NCCL_SHIM_LOST", "1", 1);
  std::string text = run(Fault::None);
  unsetenv("SOAP_NCCL_SHIM_LOST");
  EXPECT_EQ(text, "device 0: ncclCommGetAsyncError: remote process exited or "
                  "there was a network error: the stand-in has lost its "
                  "network");
}

TEST(NcclTransport, MissingSend) {
  // The next message comes in its place.
  std::string text = run(Fault::MissingSend);
  EXPECT_TRUE(contains(text, "sent is transfer 1, expected transfer 0"))
      << text;
}

TEST(NcclTransport, MissingReceive) {
  std::string text = run(Fault::MissingReceive);
  EXPECT_TRUE(contains(text, "transfer 2 from device 1 to device 0 was never "
                             "received: no device can go on"))
      << text;
}

} // namespace
