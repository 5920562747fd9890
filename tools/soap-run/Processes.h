//===- Processes.h - soap-run as one of several processes -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joining the other processes of mpirun at the start, and ending with them: in
// good order, because this process has failed, or because another one has.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_PROCESSES_H
#define SOAP_TOOLS_SOAPRUN_PROCESSES_H

#include "Options.h"
#include "Soap/Runtime/Processes/World.h"

#include <atomic>
#include <mutex>

namespace soap::run {

/// Held while a file is written. The monitor waits for it, within reason,
/// before it ends the process because of another one.
std::timed_mutex &writingFiles();

/// The iteration of the training after which this process is; -1 before the
/// training. It is part of the message about a process that is lost.
std::atomic<int64_t> &finishedIterations();

/// Whether this process reports errors that all processes under `mpirun` see
/// before they have joined.
bool isFirstProcess();

/// All processes of the run; null if this is the only one. From here on, the
/// process ends with a message when another one is lost. `stopRequested` is
/// asked from another thread.
Expected<std::unique_ptr<runtime::World>>
joinProcesses(const Options &options, std::function<bool()> stopRequested);

/// Prints a message; with a world, ends the other processes and this one.
/// Returns the exit status 1.
int fail(runtime::World *world, const std::string &message);

/// Ends the process, after all others are here too if there are any. With
/// `agreed`, all of them end with this status, else one that fails ends alone.
[[noreturn]] void finish(runtime::World *world, int status,
                         bool agreed = false);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_PROCESSES_H
