//===- SearchSummary.h - A search in one line -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines that a search prints for its user: how far it is while it runs, and
// what it has found at its end. Text only; the caller prints it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_REPORT_SEARCHSUMMARY_H
#define SOAP_LIB_SEARCH_REPORT_SEARCHSUMMARY_H

#include "Baseline.h"
#include "Soap/Search/Evaluator/SearchResult.h"

#include <optional>
#include <string>

namespace soap {

/// A time in the largest of s, ms, us and ns of which it has at least one:
/// `12.345 ms`, `850 ns`.
std::string describeTime(int64_t ns);
/// A size in the largest of TiB, GiB, MiB, KiB and bytes of which it has at
/// least one: `1.5 GiB`, `12 bytes`.
std::string describeBytes(int64_t bytes);

/// The line of a search in progress: proposals, rate, the best time so far, and
/// the seconds left if they are known.
std::string describeProgress(const McmcProgress &progress);

/// The contents of the line of a finished search.
struct SearchSummary {
  std::string function; ///< without `@`
  std::string topology;
  int64_t timeNs = 0;      ///< of an iteration with the result
  int64_t memoryBytes = 0; ///< of the device that holds most
  /// `before`: one device, or the module's strategy.
  std::optional<Baseline> before, dataParallel;
  int64_t proposals = 0;
  /// Points of all frontiers; none: the search has no frontier.
  std::optional<int64_t> points;
  double seconds = 0;
  /// A time that no strategy of the space goes below; 0: not known.
  int64_t boundNs = 0;
  bool optimal = false, interrupted = false;
};

/// One line without a line break.
std::string describeSearch(const SearchSummary &summary);

} // namespace soap

#endif // SOAP_LIB_SEARCH_REPORT_SEARCHSUMMARY_H
