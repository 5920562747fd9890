//===- StopSignal.h - A first and a second request to stop ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests to stop a search or a training, by SIGINT or SIGTERM: the first one
// asks it to stop and to keep its results, a later one ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SUPPORT_STOPSIGNAL_H
#define SOAP_LIB_SUPPORT_STOPSIGNAL_H

#include <atomic>
#include <chrono>
#include <csignal>

namespace soap {

/// Signals so close to each other are one request: `timeout` and job managers
/// send theirs to a process and to its group, which has the process, too.
inline constexpr std::chrono::milliseconds oneRequest{500};

/// The body of a signal handler: sets `isAsked`. If it was set more than
/// `oneRequest` ago, the process ends as it would without a handler.
inline void askToStop(std::atomic<bool> &isAsked, int signal) {
  using Clock = std::chrono::steady_clock;
  static std::atomic<Clock::rep> first{0};
  static_assert(std::atomic<bool>::is_always_lock_free &&
                std::atomic<Clock::rep>::is_always_lock_free);
  Clock::duration now = Clock::now().time_since_epoch();
  if (!isAsked.exchange(true)) {
    first = now.count();
  } else if (now - Clock::duration(first) > oneRequest) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

} // namespace soap

#endif // SOAP_LIB_SUPPORT_STOPSIGNAL_H
