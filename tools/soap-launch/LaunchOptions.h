//===- LaunchOptions.h - Flags of soap-launch -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags, their help and their checks, without the actions behind them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPLAUNCH_LAUNCHOPTIONS_H
#define SOAP_TOOLS_SOAPLAUNCH_LAUNCHOPTIONS_H

#include "CommandLine/Manual.h"
#include "HostFile.h"
#include "Soap/Support/Error.h"

#include <string>
#include <vector>

namespace soap::launch {

struct LaunchOptions {
  bool help = false, version = false, quiet = false;
  std::string hostFile;
  /// 0: as many as the hosts have slots.
  int64_t ranks = 0;
  /// The command that runs another one on a host.
  std::string launcher;
  /// soap-launch on the hosts; empty: the path of this one.
  std::string agent;
  /// Where rank 0 listens; 0: a free port.
  int64_t port = 0;
  /// NAME=VALUE for all ranks.
  std::vector<std::string> environment;
  int64_t connectTimeoutMs = 30000, hostTimeoutMs = 10000;

  /// soap-run and its flags.
  std::vector<std::string> command;
  /// Values of its flags.
  bool elastic = false, hasSecret = false;
  int64_t elasticMin = 1, rankTimeoutMs = 5000;
};

/// Arguments without the program's name.
Expected<LaunchOptions>
parseLaunchOptions(const std::vector<std::string> &arguments);
manual::Manual makeLaunchManual();

/// The hosts of the options; an error if they have too few slots.
Expected<std::vector<Host>> findHosts(const LaunchOptions &options);

/// The command that runs `words` on a host by a launcher: words at spaces, with
/// '..' around what belongs together. {host} is its name, {command} stands for
/// the words, {shell} for all of them as one word for a shell. An error if the
/// launcher has none of the last two.
Expected<std::vector<std::string>>
launcherCommand(const std::string &launcher, const std::string &host,
                const std::vector<std::string> &words);

} // namespace soap::launch

#endif // SOAP_TOOLS_SOAPLAUNCH_LAUNCHOPTIONS_H
