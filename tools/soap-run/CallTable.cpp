//===- CallTable.cpp - The outcome of --check-calls -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CallTable.h.
//
//===----------------------------------------------------------------------===//

#include "CallTable.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

namespace {

const char *resultOf(const CheckedCall &call) {
  return call.differs ? "differs" : call.compared ? "same" : "left out";
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", value);
  return text;
}

/// "tf32 m=8 n=4 k=2", "name_of_kernel".
std::string describe(const CallName &name) {
  return name.type.empty() ? name.shape : name.type + " " + name.shape;
}

void printRow(const CheckedCall &call) {
  std::printf("%-8s  %-10s  %9s  %9s  %5ld  %s: %s", resultOf(call),
              call.name.function.c_str(),
              call.compared ? number(call.error).c_str() : "-",
              call.compared ? number(call.tolerance).c_str() : "-",
              long(call.calls), call.place.c_str(),
              describe(call.name).c_str());
  if (!call.part.empty())
    std::printf(" (%s)", call.part.c_str());
  if (!call.why.empty())
    std::printf(" (%s)", call.why.c_str());
  std::printf("\n");
}

} // namespace

std::string run::printCalls(const CallChecks &checks, bool quiet) {
  std::vector<CheckedCall> rows = checks.rows();
  auto differs = [](const CheckedCall &call) { return call.differs; };
  auto isCompared = [](const CheckedCall &call) { return call.compared > 0; };
  auto different = std::count_if(rows.begin(), rows.end(), differs);
  auto compared = std::count_if(rows.begin(), rows.end(), isCompared);
  if (!quiet || different)
    std::printf("%-8s  %-10s  %9s  %9s  %5s  op: call\n", "", "", "error",
                "tolerance", "calls");
  for (const CheckedCall &call : rows)
    if (!quiet || call.differs)
      printRow(call);
  if (!quiet)
    std::printf("%zu calls beside the host's: %ld same, %ld differ, %ld left "
                "out\n",
                rows.size(), long(compared - different), long(different),
                long(int64_t(rows.size()) - compared));
  std::fflush(stdout);
  if (!compared)
    return rows.empty()
               ? "no call was compared with the host: no program has "
                 "run"
               : "no call was compared with the host: " + rows.front().why;
  auto first = std::find_if(rows.begin(), rows.end(), differs);
  if (first == rows.end())
    return "";
  std::string text =
      std::to_string(different) + " of " + std::to_string(compared) +
      " calls differ from the host's, the first one " + first->place + ": " +
      first->name.function + " " + describe(first->name) + ": error " +
      number(first->error) + " of '" + first->tensor + "' at element " +
      std::to_string(first->element) + ", expected at most " +
      number(first->tolerance);
  return text;
}

nlohmann::ordered_json run::toJson(const CallChecks &checks) {
  auto list = nlohmann::ordered_json::array();
  for (const CheckedCall &call : checks.rows()) {
    nlohmann::ordered_json row = {
        {"call", call.name.function}, {"shape", call.name.shape},
        {"type", call.name.type},     {"op", call.place},
        {"calls", call.calls},        {"compared", call.compared},
        {"result", resultOf(call)}};
    if (call.compared) {
      row["tensor"] = call.tensor;
      row["element"] = call.element;
      // JSON has no infinity.
      row["error"] = std::isfinite(call.error)
                         ? nlohmann::ordered_json(call.error)
                         : nlohmann::ordered_json("infinite");
      row["tolerance"] = call.tolerance;
    }
    if (!call.part.empty())
      row["part"] = call.part;
    if (!call.why.empty())
      row["why"] = call.why;
    list.push_back(std::move(row));
  }
  return list;
}
