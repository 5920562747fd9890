//===- HostFile.h - Hosts of a run ------------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of --hosts: a line for each host, `NAME [slots=N]
// [address=ADDRESS]`, and comments from `#` on.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPLAUNCH_HOSTFILE_H
#define SOAP_TOOLS_SOAPLAUNCH_HOSTFILE_H

#include "Soap/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace soap::launch {

struct Host {
  /// As the launcher knows it; "localhost": this one, without a launcher.
  std::string name;
  /// Ranks that it takes at most.
  int64_t slots = 1;
  /// The name or IPv4 address at which the other hosts reach it.
  std::string address;
};

/// The name of the host that runs without a launcher.
constexpr const char *localHost = "localhost";

/// Reads the text of a host file; an error names `file` and the line.
Expected<std::vector<Host>> parseHosts(const std::string &text,
                                       const std::string &file);

} // namespace soap::launch

#endif // SOAP_TOOLS_SOAPLAUNCH_HOSTFILE_H
