//===- InterruptScope.h - Ctrl-C ends a search ------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that search return the best so far when they are interrupted.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_SUPPORT_INTERRUPTSCOPE_H
#define SOAP_LIB_TRANSFORMS_SUPPORT_INTERRUPTSCOPE_H

#include <atomic>
#include <csignal>

namespace mlir::soap {

/// Ctrl-C ends the search while this lives; a second one ends the process. In a
/// scope of several searches, each with a scope of its own, it ends all of
/// them.
class InterruptScope {
public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

  /// Whether there was a Ctrl-C since the last outermost scope began; what
  /// searches look at.
  static std::atomic<bool> &isInterrupted();

private:
  struct sigaction previous;
};

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_SUPPORT_INTERRUPTSCOPE_H
