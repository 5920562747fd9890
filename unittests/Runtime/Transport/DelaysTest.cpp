//===- DelaysTest.cpp - Pipelines whose messages are late -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages of random pipelines under random schedules, over the transports
// of one process and of several, with random delays: all passes end, and read
// what the formula says. SOAP_DELAY_CASES is their number.
//
//===----------------------------------------------------------------------===//

#include "Runtime/ThreadGroup.h"
#include "Runtime/Transport/DelayTransport.h"
#include "Soap/Pipeline/OneForwardOneBackward.h"

#include "Support/Random.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <set>

using namespace soap;
using namespace soap::runtime;

namespace {

/// One send or receive of a pass. The stream of the envelope, which host
/// transports do not look at, is the lane.
struct Message {
  bool isSend = false;
  Envelope envelope;
};

/// A pass of a device: its receives, then its sends.
struct Step {
  PipelinePass pass;
  std::vector<Message> receives, sends;
};

struct Schedule {
  std::string text;
  int devices = 0, ranks = 1;
  int64_t transfers = 0;
  std::vector<std::vector<Step>> steps;
};

/// The value that a pass on a lane (a device of its group) sends: that of a
/// chain of passes from the first one of the microbatch on.
int64_t valueOf(const PipelinePass &pass, int stages, int lane) {
  // Unsigned: it wraps around.
  uint64_t value = 1000 * uint64_t(lane) + uint64_t(pass.microbatch);
  int last = pass.backward ? 2 * stages - 1 - pass.stage : pass.stage;
  for (int i = 0; i <= last; ++i)
    value = value * 31 + uint64_t(i);
  return int64_t(value);
}

Schedule drawSchedule(test::Random &random) {
  for (;;) {
    Schedule result;
    int groups = int(random(1, 4)), size = int(random(1, 2));
    int stages = groups * int(random(1, 3));
    bool isGPipe = random.chance(30);
    int64_t microbatches =
        isGPipe || stages == groups ? random(1, 10) : groups * random(1, 3);
    result.devices = groups * size;
    std::vector<std::vector<int>> stageDevices(static_cast<size_t>(stages));
    for (int stage = 0; stage < stages; ++stage)
      for (int lane = 0; lane < size; ++lane)
        stageDevices[size_t(stage)].push_back(stage % groups * size + lane);
    auto order =
        schedulePasses(isGPipe ? PipelineSchedule::GPipe
                               : PipelineSchedule::OneForwardOneBackward,
                       stageDevices, microbatches, result.devices);
    if (!order) {
      ADD_FAILURE() << order.error();
      continue;
    }
    result.ranks = int(random(1, result.devices));
    result.text = std::to_string(groups) + " groups of " +
                  std::to_string(size) + ", " + std::to_string(stages) +
                  " stages, " + std::to_string(microbatches) +
                  " microbatches, " + (isGPipe ? "gpipe" : "1f1b") + ", " +
                  std::to_string(result.ranks) + " ranks";
    // The message to the pass that comes behind `pass` in its chain.
    std::map<std::pair<PipelinePass, int>, int64_t> numbers;
    auto numberOf = [&](const PipelinePass &pass, int lane) {
      return numbers.try_emplace({pass, lane}, int64_t(numbers.size()))
          .first->second;
    };
    result.steps.resize(size_t(result.devices));
    for (int device = 0; device < result.devices; ++device)
      for (const PipelinePass &pass : (*order)[size_t(device)]) {
        Step step;
        step.pass = pass;
        int lane = device % size;
        PipelinePass before = pass, behind = pass;
        // The last stage begins the backward pass itself.
        bool isFirst = !pass.backward && pass.stage == 0;
        bool isLast = pass.backward && pass.stage == 0;
        if (pass.backward && pass.stage == stages - 1)
          before.backward = false;
        else
          before.stage += pass.backward ? 1 : -1;
        if (!pass.backward && pass.stage == stages - 1)
          behind.backward = true;
        else
          behind.stage += pass.backward ? -1 : 1;
        auto deviceOf = [&](int stage) { return stage % groups * size + lane; };
        if (!isFirst && deviceOf(before.stage) != device)
          step.receives.push_back({false,
                                   {deviceOf(before.stage), device,
                                    numberOf(before, lane), nullptr, lane}});
        if (!isLast && deviceOf(behind.stage) != device)
          step.sends.push_back({true,
                                {device, deviceOf(behind.stage),
                                 numberOf(pass, lane), nullptr, lane}});
        result.steps[size_t(device)].push_back(std::move(step));
      }
    result.transfers = int64_t(numbers.size());
    return result;
  }
}

/// Runs a device's part; an empty string, or what is wrong.
std::string runDevice(Transport &transport, const Schedule &schedule,
                      int device, int stages) {
  for (const Step &step : schedule.steps[size_t(device)]) {
    for (const Message &message : step.receives) {
      int64_t value = 0;
      if (MaybeError error =
              transport.receive(message.envelope, &value, sizeof(value)))
        return error->message;
      // The chain has one pass less than this one's.
      PipelinePass before = step.pass;
      if (before.backward && before.stage == stages - 1)
        before.backward = false;
      else
        before.stage += before.backward ? 1 : -1;
      if (value != valueOf(before, stages, int(message.envelope.stream)))
        return "transfer " + std::to_string(message.envelope.transfer) +
               " has the value of another pass";
    }
    for (const Message &message : step.sends) {
      int64_t value = valueOf(step.pass, stages, int(message.envelope.stream));
      if (MaybeError error =
              transport.send(message.envelope, &value, sizeof(value)))
        return error->message;
    }
  }
  return "";
}

/// Runs a schedule on a thread for each device; an empty string, or what is
/// wrong. After `limit` without an end, all devices are stopped.
std::string runSchedule(const Schedule &schedule, int stages,
                        std::chrono::milliseconds limit) {
  std::mutex mutex;
  std::condition_variable changed;
  int running = schedule.devices;
  std::string wrong;
  std::vector<Transport *> transports;
  auto stop = [&](const std::string &why) {
    std::lock_guard<std::mutex> lock(mutex);
    if (wrong.empty())
      wrong = why;
    for (Transport *transport : transports)
      transport->abort();
  };
  auto body = [&](ProcessGroup *group) {
    Placement place{group, schedule.devices};
    auto transport = makeTransport(place, schedule.transfers);
    {
      std::lock_guard<std::mutex> lock(mutex);
      transports.push_back(transport.get());
    }
    for (int64_t iteration = 0; iteration < 2; ++iteration) {
      {
        // A start would end an abort.
        std::lock_guard<std::mutex> lock(mutex);
        if (!wrong.empty())
          break;
        transport->start(iteration);
      }
      std::vector<std::thread> threads;
      for (int64_t device : place.devicesHere())
        threads.emplace_back([&, device] {
          std::string error =
              runDevice(*transport, schedule, int(device), stages);
          if (!error.empty())
            stop("device " + std::to_string(device) + ": " + error);
        });
      for (std::thread &thread : threads)
        thread.join();
      if (MaybeError error = transport->finish())
        stop(error->message);
    }
    std::lock_guard<std::mutex> lock(mutex);
    running -= int(place.devicesHere().size());
    changed.notify_all();
    // The watchdog may be about to stop it.
    std::erase(transports, transport.get());
  };
  std::thread watchdog([&] {
    std::unique_lock<std::mutex> lock(mutex);
    if (changed.wait_for(lock, limit, [&] { return running == 0; }))
      return;
    lock.unlock();
    stop("no end within " + std::to_string(limit.count()) + " ms");
  });
  size_t left = 0;
  if (schedule.ranks == 1)
    body(nullptr);
  else
    left = onRanks(schedule.ranks, [&](ProcessGroup &group) { body(&group); });
  watchdog.join();
  if (wrong.empty() && left)
    wrong = std::to_string(left) + " messages were never received";
  return wrong;
}

/// Stages of a schedule: one more than the last one in it.
int stagesOf(const Schedule &schedule) {
  int stages = 0;
  for (const auto &steps : schedule.steps)
    for (const Step &step : steps)
      stages = std::max(stages, step.pass.stage + 1);
  return stages;
}

class Delays : public testing::Test {
protected:
  void SetUp() override { injectDelays({7, std::chrono::microseconds(40)}); }
  void TearDown() override { injectDelays({}); }
};

TEST_F(Delays, PipelinesEnd) {
  test::Random random(36);
  const char *text = std::getenv("SOAP_DELAY_CASES");
  int64_t cases = text ? std::atoll(text) : 100, messages = 0;
  std::set<std::string> distinct;
  for (int64_t i = 0; i < cases; ++i) {
    Schedule schedule = drawSchedule(random);
    injectDelays({uint64_t(i), std::chrono::microseconds(random(1, 80))});
    distinct.insert(schedule.text);
    messages += schedule.transfers;
    std::string wrong =
        runSchedule(schedule, stagesOf(schedule), std::chrono::seconds(60));
    ASSERT_EQ(wrong, "") << random.trace(i) << ": " << schedule.text;
  }
  std::printf("%ld cases, %zu of them distinct, %ld messages in an iteration "
              "of each\n",
              long(cases), distinct.size(), long(messages));
  EXPECT_GT(distinct.size(), size_t(cases) / 4);
}

/// Mutations are found: passes in an order that waits in a circle are a
/// hang, and passes of another microbatch are other values.
TEST_F(Delays, FindsHangsAndMistakes) {
  test::Random random(37);
  int hangs = 0, mistakes = 0;
  for (int i = 0; i < 40; ++i) {
    Schedule schedule = drawSchedule(random);
    std::vector<Step> &steps = schedule.steps[0];
    if (schedule.devices < 2 || steps.size() < 2 || schedule.transfers < 4)
      continue;
    // The last backward pass before the forward pass that it follows from.
    Schedule late = schedule;
    std::swap(late.steps[0].front(), late.steps[0].back());
    if (!late.steps[0].front().receives.empty()) {
      std::string wrong =
          runSchedule(late, stagesOf(late), std::chrono::milliseconds(100));
      hangs += wrong.starts_with("no end");
    }
    for (Step &step : steps)
      if (!step.receives.empty()) {
        step.pass.microbatch += 1;
        mistakes +=
            runSchedule(schedule, stagesOf(schedule), std::chrono::seconds(60))
                .ends_with("has the value of another pass");
        break;
      }
  }
  EXPECT_GT(hangs, 5);
  EXPECT_GT(mistakes, 5);
}

} // namespace
