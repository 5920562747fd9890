//===- PlacementOptions.h - Flags of soap-solve placement -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags, their help and their checks against each other.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPSOLVE_PLACEMENTOPTIONS_H
#define SOAP_TOOLS_SOAPSOLVE_PLACEMENTOPTIONS_H

#include "Soap/Search/DevicePlacement/Throughput.h"
#include "Support.h"

namespace soap::solve {

enum class Algorithm {
  Dp,
  Dpl,
  Greedy,
  LocalSearch,
  PipeDream,
  Expert,
  Scotch,
  Milp,
  MaxLoad, ///< latency only: judges the split of least maximum load
  Default, ///< until the flags are checked
};

struct PlacementOptions {
  bool help = false;
  std::string instance;
  CommonOptions common;
  Algorithm algorithm = Algorithm::Default;
  bool latency = false;
  placement::Objective objective;
  bool showSchedule = false;
  placement::IntegerSolver integerSolver = placement::IntegerSolver::Any;
  int64_t subgraphs = 1; ///< of an accelerator, for latencies
  std::string split;     ///< for `Expert`
  /// Instead of the instance's; below 0: the instance's.
  int64_t accelerators = -1, cpus = -1;
  double memoryBytes = -1;
};

Expected<PlacementOptions>
parsePlacementOptions(const std::vector<std::string> &arguments);
manual::Manual placementManual();

/// Sets the numbers of devices and the memory that flags give.
MaybeError applyOverrides(const PlacementOptions &options,
                          placement::Problem &problem);

} // namespace soap::solve

#endif // SOAP_TOOLS_SOAPSOLVE_PLACEMENTOPTIONS_H
