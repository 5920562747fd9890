//===- Support.h - Common parts of the subcommands --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common flags, messages in one style, files, and the signal that asks for an
// early end.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPSOLVE_SUPPORT_H
#define SOAP_TOOLS_SOAPSOLVE_SUPPORT_H

#include "CommandLine/CommandLine.h"
#include "ProblemKind.h"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace soap::solve {

/// Options of every solver.
struct CommonOptions {
  std::string output;           ///< -o; empty: standard output
  double timeLimitSeconds = 60; ///< --time-limit
  int64_t threads = 1;          ///< --threads
  int64_t seed = 0;             ///< --seed
  bool quiet = false;           ///< --quiet: no progress, no summary
};
/// The flags for these, as the last group; `help`: --help was given.
void addCommonFlags(commandline::CommandLine &line, CommonOptions &options,
                    bool &help);
/// The end of the help of every solver.
std::vector<std::string> commonNotes();

/// Prints `soap-solve: error: MESSAGE`, and to look at the help of `command`
/// ("" for the tool's own); returns 2.
int failFlags(const std::string &message, const std::string &command);
/// Prints `soap-solve: error: MESSAGE`; returns 1.
int failInput(const std::string &message);

/// Reads a file of at most 8 GiB, gzipped or not.
Expected<Document> readDocument(const std::string &path);
/// Says so if reading took longer than the time limit, so that the answer is
/// the first one found.
void noteReading(const CommonOptions &options, double seconds);
/// Writes a solution to `path`, or to standard output if it is empty.
MaybeError writeDocument(const std::string &path, const std::string &text);

/// Seconds since it was made: the time of reading counts, too.
class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

/// Set by SIGINT and SIGTERM once `installSignals` was called; a second signal
/// ends the process.
const std::atomic<bool> &stopRequested();
void installSignals();

} // namespace soap::solve

#endif // SOAP_TOOLS_SOAPSOLVE_SUPPORT_H
