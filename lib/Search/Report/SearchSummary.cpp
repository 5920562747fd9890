//===- SearchSummary.cpp - A search in one line ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SearchSummary.h.
//
//===----------------------------------------------------------------------===//

#include "SearchSummary.h"

#include <cstdio>
#include <span>

using namespace soap;

namespace {

struct Unit {
  const char *name;
  double size;
};

} // namespace

/// The number in the first unit of which it has at least one; the last unit is
/// of size 1 and has no fraction.
static std::string inUnits(int64_t number, std::span<const Unit> units,
                           const char *format) {
  auto value = static_cast<double>(number);
  for (const Unit &unit : units.first(units.size() - 1))
    if (value >= unit.size) {
      char text[64];
      std::snprintf(text, sizeof(text), format, value / unit.size, unit.name);
      return text;
    }
  return std::to_string(number) + " " + units.back().name;
}

std::string soap::describeTime(int64_t ns) {
  static constexpr Unit units[] = {
      {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
  return inUnits(ns, units, "%.3f %s");
}

std::string soap::describeBytes(int64_t bytes) {
  static constexpr Unit units[] = {{"TiB", 1024.0 * 1024 * 1024 * 1024},
                                   {"GiB", 1024.0 * 1024 * 1024},
                                   {"MiB", 1024.0 * 1024},
                                   {"KiB", 1024.0},
                                   {"bytes", 1}};
  return inUnits(bytes, units, "%.1f %s");
}

static std::string describeSeconds(double seconds) {
  char text[64];
  std::snprintf(text, sizeof(text), seconds < 10 ? "%.1f s" : "%.0f s",
                seconds);
  return text;
}

/// `1 proposal`, `7 proposals`.
static std::string describeCount(int64_t count, const std::string &thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string soap::describeProgress(const McmcProgress &progress) {
  std::string text =
      "searching: " + describeCount(progress.proposals, "proposal");
  if (progress.proposalsPerSecond >= 1)
    text += " (" +
            std::to_string(static_cast<int64_t>(progress.proposalsPerSecond)) +
            "/s)";
  if (progress.bestNs == 0)
    text += ", no strategy priced yet";
  else if (progress.excessBytes > 0)
    text += ", no strategy fits yet: the best exceeds memory by " +
            describeBytes(progress.excessBytes);
  else
    text += ", best " + describeTime(progress.bestNs);
  if (progress.secondsLeft > 0)
    text += ", " + describeSeconds(progress.secondsLeft) + " left";
  return text;
}

std::string soap::describeSearch(const SearchSummary &summary) {
  std::string text = "@" + summary.function + " on " + summary.topology + ": " +
                     describeTime(summary.timeNs) + " an iteration";
  if (const std::optional<Baseline> &before = summary.before)
    text += ", before: " + describeTime(before->makespanNs) + " (" +
            before->name +
            (before->fits() ? "" : ", which does not fit into memory") + ")";
  if (const std::optional<Baseline> &other = summary.dataParallel) {
    if (std::optional<double> gain = other->gainOf(summary.timeNs)) {
      char number[64];
      std::snprintf(number, sizeof(number), "%.2f", *gain);
      text += "; " + std::string(number) + "x as fast as " + other->name;
    } else if (summary.timeNs > 0) {
      text += "; " + other->name + " " + other->whyNoGain();
    }
  }
  text += "; at most " + describeBytes(summary.memoryBytes) + " on a device; ";
  text += summary.points ? describeCount(*summary.points, "point")
                         : describeCount(summary.proposals, "proposal");
  text += " in " + describeSeconds(summary.seconds);
  if (summary.optimal)
    text += ", proven optimal";
  else if (summary.boundNs > 0)
    text += ", lower bound " + describeTime(summary.boundNs);
  if (summary.interrupted)
    text += ", interrupted: the best so far";
  return text;
}
