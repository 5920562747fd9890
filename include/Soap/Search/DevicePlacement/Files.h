//===- Files.h - Placement problems and solutions as JSON -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device placement problems, solutions and schedules as JSON. Problems have the
// format of the workloads that Tarnawski et al. published, solutions the format
// of docs/Placement.md.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_DEVICEPLACEMENT_FILES_H
#define SOAP_SEARCH_DEVICEPLACEMENT_FILES_H

#include "Soap/Search/DevicePlacement/RoundSchedule.h"

namespace soap::placement {

/// Errors name the file, the path in it and what was expected. The problem has
/// passed `check`.
Expected<Problem> parseProblem(const std::string &text,
                               const std::string &file);
std::string printProblem(const Problem &problem);

inline constexpr int maxSubgraphs = 64;

/// The contents of a solution file.
struct SolutionFile {
  Objective objective;
  Placement placement;
  /// For latencies: per node, which subgraph of its accelerator it is in, in
  /// the order in which they run; and how many an accelerator may have.
  std::vector<int> subgraphOf;
  int subgraphsPerDevice = 1;
  /// Exactly one of them: section 5 or section 4 of the paper.
  std::optional<double> maxLoad, latency;
  bool optimal = false;
  double bound = 0, seconds = 0;
  /// The devices that it lists, and the load of each.
  std::vector<int> devices;
  std::vector<double> loads;
  std::vector<PipelineStage> pipeline; ///< empty: not said
  /// When devices compute the stages and transfer their outputs.
  std::optional<RoundSchedule> schedule;
};

/// Devices in the file are numbered as they come, accelerators and CPUs each.
/// Only what is needed to read it is checked: `verify` checks the rest.
Expected<SolutionFile> parseSolution(const Problem &problem,
                                     const std::string &text,
                                     const std::string &file);
/// The same for a split that is to be judged: a solution that may leave out
/// nodes of a color class that has others on a device, which share that, or a
/// file of the published workloads' programs, whose `fpgas` and `cpus` list
/// devices with their `nodes`. Loads and values of such a file are not read.
Expected<SolutionFile> parseSplit(const Problem &problem,
                                  const std::string &text,
                                  const std::string &file);
std::string printSolution(const Problem &problem, const SolutionFile &solution);

/// All that a solution's file claims: that the placement obeys the rules, that
/// loads, objective, pipeline and its schedule are as it says, and that no
/// bound is above it. Returns a line that says so.
Expected<std::string> verifySolution(const Problem &problem,
                                     const SolutionFile &solution);

} // namespace soap::placement

#endif // SOAP_SEARCH_DEVICEPLACEMENT_FILES_H
