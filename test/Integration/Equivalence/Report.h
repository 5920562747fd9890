//===- Report.h - What a run of the suite found -----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report of one program and its strategies, which travels as text from a
// child process; totals over all of them, with what they cover.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TEST_EQUIVALENCE_REPORT_H
#define SOAP_TEST_EQUIVALENCE_REPORT_H

#include "Configs.h"

#include <chrono>
#include <optional>
#include <set>

namespace soap::equivalence {

struct Report {
  int64_t program = 0;
  std::string name; ///< of the generator's case
  int64_t passed = 0, failed = 0;
  int64_t recomputed = 0; ///< ops of the backward pass (`--recompute`)
  DrawStatistics draws;
  std::set<std::string> ops;   ///< that the strategies distribute
  std::vector<uint64_t> cases; ///< hashes of program and strategy
  std::string failures;

  std::string encode() const;
  /// Takes the first report off `buffer`; nothing if it is not whole yet.
  static std::optional<Report> decode(std::string &buffer);
};

struct Totals {
  int64_t passed = 0, failed = 0, programs = 0, recomputed = 0;
  DrawStatistics draws;
  std::map<std::string, int64_t> byName, byOp;
  std::set<uint64_t> cases;

  /// Counts a report; prints its failures, and its name if `verbose`.
  void add(const Report &report, bool verbose);
  /// Prints how many of `all` programs have run, and their counts, after every
  /// twentieth part of them and every ten seconds.
  void printProgress(int64_t all);
  /// Prints what was run; `dialectOps` are all ops that there are.
  void print(const std::set<std::string> &dialectOps) const;
  /// Ops of `dialectOps` that no program holds.
  std::vector<std::string>
  missing(const std::set<std::string> &dialectOps) const;

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point lastProgress = Clock::now();
  int64_t programsPrinted = 0;
};

} // namespace soap::equivalence

#endif // SOAP_TEST_EQUIVALENCE_REPORT_H
