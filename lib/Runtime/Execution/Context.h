//===- Context.h - The context of a running program -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `SoapContext *` of the C ABI points to this struct. The launcher fills it
// before a program starts; the `soap_rt_*` functions read it, count in it, and
// report failures through it. The first failure of an iteration wins.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_EXECUTION_CONTEXT_H
#define SOAP_LIB_RUNTIME_EXECUTION_CONTEXT_H

#include "Runtime/Backend/Backend.h"
#include "Runtime/Kernels/Kernels.h"
#include "Runtime/Transport/Transport.h"
#include "Soap/Runtime/Execution/Launcher.h"

#include <atomic>
#include <mutex>
#include <string>

namespace soap::runtime {

/// The state that all devices of one iteration share.
struct RunState {
  std::atomic<bool> failed{false};
  /// Nothing is done yet: a failure is not one of the devices.
  std::atomic<bool> recording{false};
  std::mutex mutex;
  std::string message;

  /// Records the message if it is the first, and stops all communication.
  void fail(Transport &transport, const std::string &message);
  std::string firstMessage();
};

} // namespace soap::runtime

struct SoapContext {
  enum Activity : int { Idle, Running, Receiving };

  const soap::runtime::EntryInfo *entry = nullptr;
  const soap::runtime::RankInfo *rank = nullptr;
  soap::runtime::RunState *run = nullptr;
  soap::runtime::Transport *transport = nullptr;
  soap::runtime::KernelCache *kernels = nullptr;
  soap::runtime::SlotTime *times = nullptr;
  /// Null on the CPU.
  soap::runtime::BackendDevice *device = nullptr;
  /// Where work goes; of programs on streams.
  int64_t stream = 0;
  /// Row of the device in `Execution::bytesSent`.
  int64_t *bytesTo = nullptr;

  // Read by the watchdog while the program runs.
  std::atomic<uint64_t> progress{0};
  std::atomic<int64_t> slot{-1};
  std::atomic<int> activity{Idle};

  bool failed() const { return run->failed.load(std::memory_order_relaxed); }
  /// "device 2, op 'conv1[0]' (conv2d)".
  std::string place() const;
  /// Fails the iteration at the current op.
  void fail(const std::string &message);
};

#endif // SOAP_LIB_RUNTIME_EXECUTION_CONTEXT_H
