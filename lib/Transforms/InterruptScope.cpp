//===- InterruptScope.cpp - Ctrl-C ends a search --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See InterruptScope.h.
//
//===----------------------------------------------------------------------===//

#include "InterruptScope.h"

using namespace mlir::soap;

/// Signal handlers have no other way to say anything.
static std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

InterruptScope::InterruptScope() {
  interrupted = false;
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &previous);
}

InterruptScope::~InterruptScope() { sigaction(SIGINT, &previous, nullptr); }

std::atomic<bool> &InterruptScope::isInterrupted() { return interrupted; }
