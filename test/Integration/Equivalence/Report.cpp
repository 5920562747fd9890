//===- Report.cpp - What a run of the suite found -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Report.h.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include <iostream>
#include <sstream>

namespace soap::equivalence {

/// One line of words; then the failures, whose length is the last word.
std::string Report::encode() const {
  std::ostringstream line;
  line << program << " " << name << " " << passed << " " << failed << " "
       << recomputed << " " << draws.draws << " " << draws.refused.size();
  for (const auto &[reason, count] : draws.refused)
    line << " " << reason << " " << count;
  line << " " << ops.size();
  for (const std::string &op : ops)
    line << " " << op;
  line << " " << cases.size();
  for (uint64_t hash : cases)
    line << " " << hash;
  line << " " << failures.size() << "\n" << failures;
  return line.str();
}

std::optional<Report> Report::decode(std::string &buffer) {
  size_t end = buffer.find('\n');
  if (end == std::string::npos)
    return std::nullopt;
  std::istringstream line(buffer.substr(0, end));
  Report report;
  size_t count = 0, length = 0;
  line >> report.program >> report.name >> report.passed >> report.failed >>
      report.recomputed >> report.draws.draws >> count;
  for (std::string reason; count > 0; --count) {
    line >> reason;
    line >> report.draws.refused[reason];
  }
  line >> count;
  for (std::string op; count > 0 && line >> op; --count)
    report.ops.insert(op);
  line >> count;
  for (uint64_t hash = 0; count > 0 && line >> hash; --count)
    report.cases.push_back(hash);
  line >> length;
  if (buffer.size() < end + 1 + length)
    return std::nullopt;
  report.failures = buffer.substr(end + 1, length);
  buffer.erase(0, end + 1 + length);
  return report;
}

void Totals::add(const Report &report, bool verbose) {
  ++programs;
  passed += report.passed;
  recomputed += report.recomputed;
  failed += report.failed;
  byName[report.name] += report.passed + report.failed;
  draws.draws += report.draws.draws;
  for (const auto &[reason, count] : report.draws.refused)
    draws.refused[reason] += count;
  for (const std::string &op : report.ops)
    byOp[op] += static_cast<int64_t>(report.cases.size());
  cases.insert(report.cases.begin(), report.cases.end());
  if (!report.failures.empty())
    std::cout << report.failures << std::flush;
  else if (verbose)
    std::cout << "program " << report.program << " " << report.name << ": "
              << report.passed << " passed\n"
              << std::flush;
}

void Totals::printProgress(int64_t all) {
  constexpr int64_t parts = 20;
  if ((programs - programsPrinted) * parts < all &&
      Clock::now() - lastProgress < std::chrono::seconds(10))
    return;
  lastProgress = Clock::now();
  programsPrinted = programs;
  std::cout << "programs run: " << programs << " of " << all
            << ", cases passed: " << passed << ", failed: " << failed << "\n"
            << std::flush;
}

std::vector<std::string>
Totals::missing(const std::set<std::string> &dialectOps) const {
  std::vector<std::string> names;
  for (const std::string &op : dialectOps)
    if (!byOp.count(op))
      names.push_back(op);
  return names;
}

void Totals::print(const std::set<std::string> &dialectOps) const {
  std::cout << "cases by program:";
  for (const auto &[name, count] : byName)
    std::cout << " " << name << " " << count;
  std::cout << "\ncases by op:";
  for (const auto &[op, count] : byOp)
    std::cout << " " << op << " " << count;
  std::vector<std::string> none = missing(dialectOps);
  std::cout << "\nops of the dialect: " << dialectOps.size()
            << ", in no case: " << none.size();
  for (const std::string &op : none)
    std::cout << " " << op;
  int64_t refused = 0;
  for (const auto &[reason, count] : draws.refused)
    refused += count;
  std::cout << "\nconfigs drawn: " << draws.draws << ", refused: " << refused;
  for (const auto &[reason, count] : draws.refused)
    std::cout << " (" << reason << ": " << count << ")";
  std::cout << "\ndistinct cases: " << cases.size() << "\n";
}

} // namespace soap::equivalence
