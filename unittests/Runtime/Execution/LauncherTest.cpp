//===- LauncherTest.cpp - Device programs, messages, failures -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-written device programs (they are plain functions) under the launcher:
// what they compute and send, and that every way to fail or to fall silent ends
// in time with a message that names the device and the op.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Execution/Launcher.h"
#include "Runtime/Execution/SpeedGauge.h"
#include "Runtime/LinearModel.h"
#include "Runtime/Processes/Affinity.h"

#include "gtest/gtest.h"
#include <nlohmann/json.hpp>

#include <atomic>
#include <thread>

using namespace soap;
using namespace soap::runtime;
using nlohmann::json;
using namespace std::chrono_literals;

namespace {

/// Devices in a ring: slot 0 computes, slot 1 sends to the next device, slot 2
/// receives from the previous one.
std::shared_ptr<const Manifest> ring(int64_t devices) {
  json manifest = {{"version", 1}, {"devices", devices}};
  manifest["tensors"] = {
      {{"name", "v"}, {"kind", "output"}, {"shape", {4}}, {"dtype", "f32"}}};
  json schedule = json::array(), ranks = json::array();
  for (int64_t d = 0; d < devices; ++d)
    schedule.push_back(
        {{"name", "add[" + std::to_string(d) + "]"}, {"kind", "add"}});
  for (int64_t d = 0; d < devices; ++d)
    schedule.push_back(
        {{"name", "move[" + std::to_string(d) + "]"}, {"kind", "transfer"}});
  for (int64_t d = 0; d < devices; ++d) {
    int64_t next = (d + 1) % devices, previous = (d + devices - 1) % devices;
    ranks.push_back({{"device", d},
                     {"program", "p"},
                     {"arena_bytes", 0},
                     {"args", json::array()},
                     {"results", {{{"tensor", "v"}, {"region", {{{0, 4}}}}}}},
                     {"tasks", {d, devices + d, devices + previous}},
                     {"peers", {-1, next, previous}},
                     {"transfers", {-1, d, previous}}});
  }
  manifest["entries"] = {
      {{"name", "e"}, {"batch", 1}, {"schedule", schedule}, {"ranks", ranks}}};
  auto parsed = parseManifest(manifest.dump(), "ring");
  EXPECT_TRUE(parsed) << parsed.error();
  return std::make_shared<const Manifest>(*parsed);
}

struct Ring {
  std::shared_ptr<const Manifest> manifest;
  std::shared_ptr<Execution> execution;
  std::vector<std::vector<float>> values;

  Ring(int64_t devices, SoapProgram program)
      : manifest(ring(devices)), execution(std::make_shared<Execution>(
                                     manifest, manifest->entries.front())) {
    for (int64_t d = 0; d < devices; ++d)
      values.emplace_back(4, float(d));
    for (int64_t d = 0; d < devices; ++d) {
      execution->ranks[d].program = program;
      execution->ranks[d].pointers = {values[d].data()};
    }
  }
};

LauncherOptions options(int64_t devices, std::chrono::milliseconds timeout) {
  LauncherOptions result;
  result.devices = devices;
  result.timeout = timeout;
  return result;
}

void shift(SoapContext *ctx, void **args, void *) {
  auto *v = static_cast<float *>(args[0]);
  soap_rt_task_begin(ctx, 0);
  for (int i = 0; i < 4; ++i)
    v[i] += 1;
  soap_rt_task_end(ctx, 0);
  soap_rt_task_begin(ctx, 1);
  soap_rt_send(ctx, 1, v, 16);
  soap_rt_task_end(ctx, 1);
  soap_rt_task_begin(ctx, 2);
  soap_rt_recv(ctx, 2, v, 16);
  soap_rt_task_end(ctx, 2);
}

TEST(Launcher, RingMovesValuesEveryIteration) {
  for (int64_t devices : {1, 2, 3, 8}) {
    Ring ring(devices, shift);
    Launcher launcher(options(devices, 10s));
    for (int i = 0; i < 50; ++i) {
      MaybeError error = launcher.run(ring.execution);
      ASSERT_FALSE(error) << error->message;
    }
    for (int64_t d = 0; d < devices; ++d) {
      int64_t origin = ((d - 50) % devices + devices) % devices;
      EXPECT_EQ(ring.values[d], std::vector<float>(4, float(origin + 50)));
      int64_t next = (d + 1) % devices;
      EXPECT_EQ(ring.execution->bytesSent[d * devices + next], 50 * 16);
      for (const SlotTime &time : ring.execution->times[d]) {
        EXPECT_GT(time.beginNs, 0);
        EXPECT_GE(time.endNs, time.beginNs);
      }
    }
  }
}

/// As `shift`, but the message stays where it is, and the receiver writes
/// elsewhere.
void lend(SoapContext *ctx, void **args, void *arena) {
  auto *v = static_cast<float *>(args[0]);
  auto *message = static_cast<float *>(arena);
  for (int i = 0; i < 4; ++i)
    message[i] = v[i] + 1;
  soap_rt_post(ctx, 1, message, 16);
  soap_rt_recv(ctx, 2, v, 16);
}

TEST(Launcher, GaugesBetweenIterations) {
  for (int64_t devices : {1, 3}) {
    Ring ring(devices, shift);
    Launcher launcher(options(devices, 10s));
    for (int i = 0; i < 20; ++i) {
      std::vector<int64_t> gauges = launcher.gauge();
      ASSERT_EQ(gauges.size(), size_t(devices));
      for (int64_t ns : gauges)
        EXPECT_GT(ns, 0);
      MaybeError error = launcher.run(ring.execution);
      ASSERT_FALSE(error) << error->message;
    }
    EXPECT_EQ(ring.execution->iterations, 20);
  }
}

TEST(SpeedGauge, FullSpeedIsFastBeforeAndAfter) {
  using Iterations = std::vector<size_t>;
  EXPECT_EQ(fullSpeedIterations({}), Iterations());
  EXPECT_EQ(fullSpeedIterations({20}), Iterations());
  EXPECT_EQ(fullSpeedIterations({20, 20, 29, 40, 20, 20}),
            (Iterations{0, 1, 4}));
  // Slow all the time, as is known from before.
  EXPECT_EQ(fullSpeedIterations({40, 41, 40}), (Iterations{0, 1}));
  EXPECT_EQ(fullSpeedIterations({40, 41, 40}, 20), Iterations());
  EXPECT_EQ(fullSpeedIterations({20, 20}, 30), Iterations{0});
}

TEST(SpeedGauge, ShortestWhereFewAreAtFullSpeed) {
  using Iterations = std::vector<size_t>;
  std::vector<int64_t> gauges = {20, 20, 40, 40, 20, 20},
                       lengths = {105, 160, 210, 170, 100};
  // At full speed: 0 and 4.
  EXPECT_EQ(steadyIterations(gauges, 0, lengths, 2), (Iterations{0, 4}));
  EXPECT_EQ(steadyIterations(gauges, 0, lengths, 3), (Iterations{4, 0, 1}));
  EXPECT_EQ(steadyIterations(gauges, 10, lengths, 1), Iterations{4});
  EXPECT_EQ(steadyIterations(gauges, 0, lengths, 9),
            (Iterations{4, 0, 1, 3, 2}));
  EXPECT_EQ(steadyIterations({20}, 0, {}, 3), Iterations());
}

TEST(SpeedGauge, TypicalIsTheMiddleHalf) {
  using Iterations = std::vector<size_t>;
  std::vector<int64_t> lengths = {105, 160, 210, 170, 100};
  EXPECT_EQ(typicalIterations({0, 1, 2, 3, 4}, lengths), (Iterations{0, 1, 3}));
  EXPECT_EQ(typicalIterations({4, 2, 1}, lengths), (Iterations{4, 1, 2}));
  EXPECT_EQ(typicalIterations({}, lengths), Iterations());
}

TEST(Launcher, PostedMessagesAreReadWhereTheyAre) {
  for (int64_t devices : {1, 2, 3, 8}) {
    Ring ring(devices, lend);
    std::vector<std::vector<float>> arenas(size_t(devices),
                                           std::vector<float>(4));
    for (int64_t d = 0; d < devices; ++d)
      ring.execution->ranks[d].arena = arenas[d].data();
    Launcher launcher(options(devices, 10s));
    for (int i = 0; i < 50; ++i) {
      MaybeError error = launcher.run(ring.execution);
      ASSERT_FALSE(error) << error->message;
    }
    for (int64_t d = 0; d < devices; ++d) {
      int64_t origin = ((d - 50) % devices + devices) % devices;
      EXPECT_EQ(ring.values[d], std::vector<float>(4, float(origin + 50)));
      EXPECT_EQ(ring.execution->bytesSent[d * devices + (d + 1) % devices],
                50 * 16);
    }
  }
}

TEST(Launcher, ParallelLoopsCoverEveryIterationOnce) {
  for (int64_t threads : {1, 2, 3}) {
    Ring ring(2, [](SoapContext *, void **args, void *) {
      auto *v = static_cast<float *>(args[0]);
      for (int64_t extent : {0, 1, 2, 7, 64, 100, 1000})
        for (int64_t grain : {1, 16, 64}) {
          std::vector<int> counts(size_t(extent), 0);
          std::atomic<int64_t> misaligned = 0;
          void *loop[] = {counts.data(), &misaligned, &grain, &extent};
          soap_rt_parallel(
              [](void *const *data, int64_t begin, int64_t end) {
                int64_t step = *static_cast<int64_t *>(data[2]);
                if (begin % step ||
                    (end % step && end != *static_cast<int64_t *>(data[3])))
                  ++*static_cast<std::atomic<int64_t> *>(data[1]);
                for (int64_t i = begin; i < end; ++i)
                  ++static_cast<int *>(data[0])[i];
              },
              loop, extent, grain);
          v[0] += float(misaligned.load());
          for (int count : counts)
            v[1] += float(count != 1);
        }
    });
    LauncherOptions o = options(2, 10s);
    o.threadsPerDevice = threads;
    Launcher launcher(o);
    ring.values = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    for (int64_t d : {0, 1})
      ring.execution->ranks[d].pointers = {ring.values[d].data()};
    MaybeError error = launcher.run(ring.execution);
    ASSERT_FALSE(error) << error->message;
    EXPECT_EQ(ring.values[0], std::vector<float>(4, 0.0f));
    EXPECT_EQ(ring.values[1], std::vector<float>(4, 0.0f));
  }
}

TEST(Launcher, EveryDeviceHasAThread) {
  LauncherOptions o = options(64, 10s);
  Launcher launcher(o);
  EXPECT_EQ(launcher.threadsPerDevice(),
            std::max<int64_t>(1, availableCores() / 64));
}

std::string runFor(Ring &ring, Launcher &launcher,
                   std::chrono::milliseconds limit) {
  auto start = std::chrono::steady_clock::now();
  MaybeError error = launcher.run(ring.execution);
  EXPECT_LT(std::chrono::steady_clock::now() - start, limit);
  return error ? error->message : "no error";
}

void wrongSize(SoapContext *ctx, void **args, void *) {
  soap_rt_task_begin(ctx, 1);
  soap_rt_send(ctx, 1, args[0], 8);
  soap_rt_task_end(ctx, 1);
  soap_rt_task_begin(ctx, 2);
  soap_rt_recv(ctx, 2, args[0], 16);
  soap_rt_task_end(ctx, 2);
}

TEST(Launcher, MessageOfOtherSize) {
  Ring ring(2, wrongSize);
  Launcher launcher(options(2, 10s));
  std::string message = runFor(ring, launcher, 2s);
  EXPECT_NE(message.find("expected 16 bytes, got 8"), std::string::npos)
      << message;
  EXPECT_NE(message.find("op 'move["), std::string::npos) << message;
  EXPECT_FALSE(launcher.stuck());
}

void throwOnDevice1(SoapContext *ctx, void **args, void *arena) {
  if (static_cast<float *>(args[0])[0] == 1) {
    soap_rt_task_begin(ctx, 0);
    throw std::runtime_error("no more paper");
  }
  shift(ctx, args, arena);
}

TEST(Launcher, FailureNamesDeviceAndOpAndWakesReceivers) {
  Ring ring(4, throwOnDevice1);
  Launcher launcher(options(4, 10s));
  EXPECT_EQ(runFor(ring, launcher, 2s),
            "device 1, op 'add[1]' (add): no more paper");
  EXPECT_FALSE(launcher.stuck());
}

TEST(Launcher, RunsAgainAfterAFailure) {
  Ring bad(4, throwOnDevice1), good(4, shift);
  Launcher launcher(options(4, 10s));
  EXPECT_NE(runFor(bad, launcher, 2s), "no error");
  EXPECT_EQ(runFor(good, launcher, 2s), "no error");
  EXPECT_EQ(good.values[1][0], 1);
}

void receiveFirst(SoapContext *ctx, void **args, void *) {
  soap_rt_task_begin(ctx, 2);
  soap_rt_recv(ctx, 2, args[0], 16);
  soap_rt_task_end(ctx, 2);
  soap_rt_send(ctx, 1, args[0], 16);
}

TEST(Launcher, EverybodyWaitsForEverybody) {
  Ring ring(3, receiveFirst);
  Launcher launcher(options(3, 200ms));
  std::string message = runFor(ring, launcher, 3s);
  EXPECT_EQ(message.rfind("all devices wait for messages for ", 0), 0u)
      << message;
  EXPECT_NE(message.find("device 2, op 'move[1]' (transfer)"),
            std::string::npos)
      << message;
  EXPECT_FALSE(launcher.stuck());
}

std::atomic<bool> release{false};
std::atomic<bool> asleep{false};

void sleepOnDevice0(SoapContext *ctx, void **args, void *arena) {
  if (static_cast<float *>(args[0])[0] == 0) {
    asleep.store(true); // the tile has been read: the ring may go
    soap_rt_task_begin(ctx, 0);
    while (!release.load())
      std::this_thread::sleep_for(1ms);
    return;
  }
  shift(ctx, args, arena);
}

TEST(Launcher, SilentDeviceIsNamedAndLeftBehind) {
  Ring ring(2, sleepOnDevice0);
  Launcher launcher(options(2, 200ms));
  std::string message = runFor(ring, launcher, 5s);
  EXPECT_EQ(message.rfind("device 0, op 'add[0]' (add): no progress for ", 0),
            0u)
      << message;
  EXPECT_TRUE(launcher.stuck());
  EXPECT_EQ(runFor(ring, launcher, 1s),
            "a device is stuck since an earlier failure");
  EXPECT_TRUE(asleep.load());
  release.store(true);
}

void spinOnDevice0(SoapContext *ctx, void **args, void *arena) {
  if (static_cast<float *>(args[0])[0] == 0) {
    soap_rt_task_begin(ctx, 0);
    auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < 700ms)
      ;
    static_cast<float *>(args[0])[0] = -1;
    soap_rt_task_end(ctx, 0);
  }
  shift(ctx, args, arena);
}

TEST(Launcher, LongKernelsAreNotSilence) {
  // Of three and a half timeouts, and of more than twelve.
  for (std::chrono::milliseconds timeout : {200ms, 50ms}) {
    Ring ring(2, spinOnDevice0);
    Launcher launcher(options(2, timeout));
    EXPECT_EQ(runFor(ring, launcher, 10s), "no error");
  }
}

TEST(Session, KeepsCodeAndMemoryOfAStuckDevice) {
  // A program reads its argument when the session is gone.
  static std::atomic<bool> ends;
  static std::atomic<float> read;
  ends.store(false);
  read.store(-1);
  auto code = std::make_shared<int>(0);
  std::weak_ptr<int> life = code;
  {
    ProgramSource source = linearModel();
    auto programs = source.program;
    source.program = [code, programs](const std::string &name) -> SoapProgram {
      if (name != "train_0")
        return programs(name);
      return [](SoapContext *ctx, void **args, void *) {
        soap_rt_task_begin(ctx, 0);
        while (!ends.load())
          std::this_thread::sleep_for(50ms);
        read.store(static_cast<float *>(args[0])[1]);
      };
    };
    code.reset();
    auto session = Session::create(std::move(source), options(2, 100ms));
    ASSERT_TRUE(session) << session.error();
    for (size_t t : {0, 1, 2}) {
      HostTensor &value = (*session)->tensors().host(t);
      for (int64_t i = 0; i < value.volume(); ++i)
        value.set(i, t == 0 ? 7 : 0);
      (*session)->tensors().hostWritten(t);
    }
    MaybeError error = (*session)->run(0);
    ASSERT_TRUE(error);
    EXPECT_NE(error->message.find("device 0, op 'work[0]' (linear): no "
                                  "progress for "),
              std::string::npos)
        << error->message;
    ASSERT_TRUE((*session)->launcher().stuck());
  }
  EXPECT_FALSE(life.expired());
  ends.store(true);
  for (int i = 0; i < 200 && read.load() < 0; ++i)
    std::this_thread::sleep_for(10ms);
  EXPECT_EQ(read.load(), 7);
}

void sendTwice(SoapContext *ctx, void **args, void *) {
  soap_rt_task_begin(ctx, 1);
  soap_rt_send(ctx, 1, args[0], 16);
  soap_rt_send(ctx, 1, args[0], 16);
  soap_rt_task_end(ctx, 1);
}

TEST(Launcher, MisuseOfTransfers) {
  {
    Ring ring(1, sendTwice);
    Launcher launcher(options(1, 10s));
    EXPECT_EQ(runFor(ring, launcher, 2s),
              "device 0, op 'move[0]' (transfer): transfer 0 from device 0 to "
              "device 0 was sent twice");
  }
  {
    Ring ring(1, [](SoapContext *ctx, void **args, void *) {
      soap_rt_send(ctx, 1, args[0], 16);
    });
    Launcher launcher(options(1, 10s));
    EXPECT_EQ(runFor(ring, launcher, 2s),
              "transfer 0 from device 0 to device 0 was never received");
  }
  {
    Ring ring(1, [](SoapContext *ctx, void **args, void *) {
      soap_rt_send(ctx, 0, args[0], 16);
    });
    Launcher launcher(options(1, 10s));
    EXPECT_EQ(runFor(ring, launcher, 2s), "device 0: slot 0 is not a transfer");
  }
  {
    Ring ring(1, [](SoapContext *ctx, void **, void *) {
      soap_rt_task_begin(ctx, 99);
    });
    Launcher launcher(options(1, 10s));
    EXPECT_EQ(runFor(ring, launcher, 2s),
              "device 0: slot 99 is not in the rank table of 3 slots");
  }
}

TEST(Launcher, MissingProgram) {
  Ring ring(2, nullptr);
  Launcher launcher(options(2, 10s));
  EXPECT_EQ(runFor(ring, launcher, 2s), "device 0: no program 'p'");
}

TEST(Launcher, KernelsThroughTheAbi) {
  Ring ring(2, [](SoapContext *ctx, void **args, void *) {
    const int64_t d[] = {1, 2, 2, 1, 0, 0};
    const float a[] = {1, 2}, b[] = {3, 4};
    soap_rt_matmul_f32(ctx, d, a, b, static_cast<float *>(args[0]));
  });
  Launcher launcher(options(2, 10s));
  EXPECT_EQ(runFor(ring, launcher, 2s), "no error");
  EXPECT_EQ(ring.values[1], (std::vector<float>{3, 4, 6, 8}));
}

} // namespace
