//===- StopSignalTest.cpp -------------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/StopSignal.h"

#include <gtest/gtest.h>

#include <thread>

using namespace soap;

namespace {

/// Whether a stop was asked for, if the process still runs.
bool signalTwice(std::chrono::milliseconds between) {
  static std::atomic<bool> isAsked;
  isAsked = false;
  auto handler = [](int signal) { askToStop(isAsked, signal); };
  std::signal(SIGTERM, handler);
  std::raise(SIGTERM);
  std::this_thread::sleep_for(between);
  std::raise(SIGTERM);
  std::signal(SIGTERM, SIG_DFL);
  return isAsked;
}

TEST(StopSignalTest, SignalsAtOnceAreOneRequest) {
  EXPECT_TRUE(signalTwice(std::chrono::milliseconds(0)));
  EXPECT_TRUE(signalTwice(std::chrono::milliseconds(0)));
}

TEST(StopSignalDeathTest, ALaterSignalEndsTheProcess) {
  EXPECT_EXIT(signalTwice(oneRequest + std::chrono::milliseconds(20)),
              testing::KilledBySignal(SIGTERM), "");
}

} // namespace
