//===- Supervisor.h - Starts, watches and restarts ranks --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One start is a run of soap-run on all slots. It ends when all its ranks have
// ended; when one fails, the others end by themselves or are ended. An elastic
// run has another start then, if ranks were lost and enough are left.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPLAUNCH_SUPERVISOR_H
#define SOAP_TOOLS_SOAPLAUNCH_SUPERVISOR_H

#include "HostFile.h"
#include "LaunchOptions.h"

namespace soap::launch {

/// Runs the command on the hosts; the exit status. `self` is the path of this
/// program. Installs handlers of signals.
int supervise(const LaunchOptions &options, const std::vector<Host> &hosts,
              const std::string &self);

} // namespace soap::launch

#endif // SOAP_TOOLS_SOAPLAUNCH_SUPERVISOR_H
