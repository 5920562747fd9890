//===- Trace.h - Times of ops, for Perfetto ---------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the times of every op of every device over some iterations and
// writes them as a trace. Open the file in Perfetto (ui.perfetto.dev) or
// chrome://tracing.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_EXECUTION_TRACE_H
#define SOAP_RUNTIME_EXECUTION_TRACE_H

#include "Soap/Runtime/Execution/Launcher.h"

#include <string>

namespace soap::runtime {

class Trace {
public:
  /// Keeps at most `limit` events; iterations that do not fit are left out.
  explicit Trace(size_t limit = 200000) : limit(limit) {}

  /// Adds the latest iteration of an execution.
  void add(const Execution &execution);
  /// Brings the events of all processes to rank 0. Collective.
  MaybeError gather(ProcessGroup &group);
  MaybeError write(const std::string &path) const;
  size_t size() const { return events.size(); }

private:
  struct Event {
    std::string name, kind;
    int64_t device, beginNs, endNs, iteration;
  };
  size_t limit;
  std::vector<Event> events;
  bool full = false;
};

} // namespace soap::runtime

#endif // SOAP_RUNTIME_EXECUTION_TRACE_H
