//===- LaunchVariable.h - What soap-launch tells a process ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// soap-launch tells each process, in an environment variable, which ranks of an
// elastic run are left.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_LAUNCHVARIABLE_H
#define SOAP_TOOLS_SOAPRUN_LAUNCHVARIABLE_H

#include "Soap/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace soap::run {

/// A start of soap-launch.
struct Launch {
  /// From 1 on.
  int64_t start = 1;
  /// Ranks of the first start.
  int64_t ranks = 1;
  /// Which of them are left, ascending; they are now ranks 0, 1, ....
  std::vector<int64_t> kept;
};

/// The environment variable in which soap-launch says it.
constexpr const char *launchVariable = "SOAP_LAUNCH";
std::string printLaunch(const Launch &launch);
Expected<Launch> parseLaunch(const std::string &text);
/// Of the environment; none if soap-launch has not started this process.
Expected<std::optional<Launch>> readLaunch();

/// The exit status of a process that has done nothing wrong itself but has lost
/// its peers: a network may be cut (EX_TEMPFAIL of sysexits.h).
constexpr int lostPeersStatus = 75;
/// A line on stderr with which such a process tells soap-launch the ranks that
/// it has lost.
std::string printLostRanks(const std::vector<int> &ranks);
/// Nothing if the line is another one.
std::optional<std::vector<int64_t>> parseLostRanks(const std::string &line);

/// The devices of a topology whose ranks are left. Each of the `launch.ranks`
/// ranks has as many devices, in blocks. An error if their number does not
/// divide the devices.
Expected<std::vector<int>> keptDevices(const Launch &launch, int devices);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_LAUNCHVARIABLE_H
