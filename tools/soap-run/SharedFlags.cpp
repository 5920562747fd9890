//===- SharedFlags.cpp - Flags that all processes have --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SharedFlags.h.
//
//===----------------------------------------------------------------------===//

#include "SharedFlags.h"

#include <charconv>
#include <iterator>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

namespace {

std::string exact(double number) {
  char text[32];
  auto result = std::to_chars(text, text + sizeof(text), number);
  return {text, result.ptr};
}

std::string textOf(const Normalization &how) {
  switch (how.kind) {
  case Normalization::None:
    return "";
  case Normalization::Auto:
    return "auto";
  case Normalization::Given:
    break;
  }
  return exact(how.mean) + "," + exact(how.deviation);
}

/// `KIND:PATH,OPTIONS` without the path; synthetic data have none.
std::string withoutPath(const std::string &data) {
  size_t colon = data.find(':'), comma = data.find(',');
  if (colon == std::string::npos || data.starts_with("synthetic"))
    return data;
  return data.substr(0, colon) +
         (comma == std::string::npos ? "" : data.substr(comma));
}

/// Each is "'--flag value'", or "no '--flag'".
std::vector<std::string> sharedFlags(const Options &options) {
  std::vector<std::string> flags;
  auto add = [&](const std::string &flag, const std::string &value) {
    flags.push_back(value.empty() ? "no '" + flag + "'"
                                  : "'" + flag + " " + value + "'");
  };
  auto number = [&](const char *flag, int64_t value, int64_t none = 0) {
    add(flag, value == none ? "" : std::to_string(value));
  };
  auto given = [&](const char *flag, bool value) {
    flags.push_back(std::string(value ? "'" : "no '") + flag + "'");
  };
  flags.push_back("'soap-run " + nameOf(options.command) + "'");
  add("--data", withoutPath(options.data));
  number("--seed", options.seed, -1);
  given("--no-shuffle", options.noShuffle);
  number("--epochs", options.epochs);
  number("--iterations", options.iterations);
  number("--accumulate", options.accumulate);
  add("--ignore-index",
      options.ignoreIndex ? std::to_string(*options.ignoreIndex) : "");
  number("--evaluate-every", options.evaluateEvery);
  number("--early-stop", options.earlyStop);
  add("--min-improvement", exact(options.minImprovement));
  add("--normalize", textOf(options.normalization));
  bool drawn = options.init == "he" || options.init == "glorot";
  add("--init", drawn || options.init.empty() ? options.init : "FILE");
  number("--checkpoint-every", options.checkpointEvery);
  given("--resume FILE", !options.resume.empty());
  given("--allow-nonfinite", options.allowNonFinite);
  given("--compare-with OTHER", !options.compareWith.empty());
  add("--check-calls", options.checkCalls);
  add("--entry", options.entry);
  add("--plan", options.plan);
  add("--search", options.search);
  given("--elastic", options.elastic);
  given("--reference", options.reference);
  number("--opt-level", options.optLevel, -1);
  number("--threads-per-device", options.threadsPerDevice);
  add("--transport", options.transport);
  add("--backend", options.backend);
  return flags;
}

/// Flags with a file that rank 0 writes and for which all ranks have to give
/// their part.
struct OutputFlag {
  const char *name;
  std::string Options::*path;
};
constexpr OutputFlag outputFlags[] = {{"--checkpoint", &Options::checkpoint},
                                      {"--save-weights", &Options::saveWeights},
                                      {"--save-state", &Options::saveState},
                                      {"--trace", &Options::trace},
                                      {"--report", &Options::report}};

/// The flags of rank 0 hold.
MaybeError shareOutputFlags(Options &options, World &world) {
  std::string mine;
  for (const OutputFlag &flag : outputFlags)
    mine += options.*flag.path + '\0';
  auto all = exchangeTexts(world.processes(), mine);
  if (!all)
    return all.takeError();
  // The paths of a text, in the order of the flags.
  auto pathsOf = [](const std::string &text) {
    std::vector<std::string> paths;
    for (size_t at = 0; at < text.size(); at += paths.back().size() + 1)
      paths.emplace_back(text.c_str() + at);
    return paths;
  };
  std::vector<std::string> first = pathsOf(all->front());
  for (size_t rank = 1; rank < all->size(); ++rank) {
    std::vector<std::string> other = pathsOf((*all)[rank]);
    for (size_t i = 0; i < std::size(outputFlags); ++i)
      if (first[i].empty() && !other[i].empty())
        return Error{"rank " + std::to_string(rank) + " has '" +
                     outputFlags[i].name +
                     "', rank 0 has none: expected it "
                     "for rank 0, which writes the files"};
  }
  for (size_t i = 0; i < std::size(outputFlags); ++i)
    if ((options.*outputFlags[i].path).empty())
      options.*outputFlags[i].path = first[i];
  return std::nullopt;
}

} // namespace

MaybeError run::agreeOnFlags(Options &options, World &world) {
  const std::vector<std::string> mine = sharedFlags(options);
  std::string text;
  for (const std::string &flag : mine)
    text += flag + '\0';
  auto all = exchangeTexts(world.processes(), text);
  if (!all)
    return all.takeError();
  const std::string &first = all->front();
  for (size_t rank = 1; rank < all->size(); ++rank) {
    const std::string &other = (*all)[rank];
    if (other == first)
      continue;
    // The same version of Soap has the same flags in the same order.
    for (size_t a = 0, b = 0; a < first.size() && b < other.size();) {
      std::string expected = first.c_str() + a, got = other.c_str() + b;
      if (expected != got)
        return Error{"rank " + std::to_string(rank) + " has " + got +
                     ", rank 0 has " + expected +
                     ": expected the same flags for all ranks"};
      a += expected.size() + 1;
      b += got.size() + 1;
    }
  }
  return shareOutputFlags(options, world);
}
