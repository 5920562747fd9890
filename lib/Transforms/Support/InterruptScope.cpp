//===- InterruptScope.cpp - Ctrl-C ends a search --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See InterruptScope.h.
//
//===----------------------------------------------------------------------===//

#include "InterruptScope.h"

#include "Support/StopSignal.h"

using namespace mlir::soap;

/// Signal handlers have no other way to say anything.
static std::atomic<bool> interrupted{false};

/// Scopes that live. Passes that search run one at a time.
static std::atomic<int> depth{0};

InterruptScope::InterruptScope() {
  if (depth.fetch_add(1) == 0)
    interrupted = false;
  struct sigaction action = {};
  action.sa_handler = [](int signal) {
    ::soap::askToStop(interrupted, signal);
  };
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &previous);
}

InterruptScope::~InterruptScope() {
  sigaction(SIGINT, &previous, nullptr);
  depth.fetch_sub(1);
}

std::atomic<bool> &InterruptScope::isInterrupted() { return interrupted; }
