//===- ChildProcess.h - Others' solvers in a process of their own -*- C++ -*-=//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inside of libraries, neither time limits nor interrupts are prompt, but a
// process can be killed at any time. What it finds comes through a pipe.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_SOLVERS_CHILDPROCESS_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_SOLVERS_CHILDPROCESS_H

#include "Search/DevicePlacement/Deadline.h"

#include <functional>
#include <sys/types.h>

namespace soap::placement {

class ChildProcess {
public:
  /// Forks. `work` runs in the child, which writes to the pipe that it gets and
  /// ends when `work` returns, or with the parent.
  explicit ChildProcess(const std::function<void(int pipe)> &work);
  /// Kills it if it has not ended.
  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;

  /// False if there was no process or no pipe to be had.
  bool hasStarted() const { return pid > 0; }

  /// Gives what the child writes to `receive`, as it comes, until it has ended
  /// or the deadline is over; true if it has ended.
  bool listen(const Deadline &deadline,
              const std::function<void(const char *, size_t)> &receive);

  /// For the child: writes all of it; ends the process if no reader is left.
  static void write(int pipe, const void *data, size_t size);

private:
  pid_t pid = -1;
  int pipe = -1;
};

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_SOLVERS_CHILDPROCESS_H
