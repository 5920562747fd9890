//===- soap-solve.cpp - Solves problems in files --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of kinds of problems: a subcommand solves each, and `verify` checks
// solutions of any.
//
//===----------------------------------------------------------------------===//

#include "Soap/Support/Version.h"
#include "Support.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <new>

using namespace soap;
using namespace soap::solve;

namespace {

const std::vector<ProblemKind> &problemKinds() {
  static const std::vector<ProblemKind> kinds = {costGraphKind(),
                                                 placementKind()};
  return kinds;
}

void printHelp() {
  std::string text =
      "soap-solve: solves optimization problems in files\n\n"
      "usage: soap-solve KIND INSTANCE [flags]         solve an instance\n"
      "       soap-solve KIND --help                   the flags of a kind\n"
      "       soap-solve verify INSTANCE SOLUTION      check a solution\n"
      "       soap-solve --version                     the version of Soap\n\n"
      "kinds\n";
  for (const ProblemKind &kind : problemKinds())
    text += "  " + std::string(kind.command) +
            std::string(22 - std::string(kind.command).size(), ' ') +
            kind.summary + "\n";
  text += "\nInstances and solutions are JSON, instances gzipped or not.\n";
  std::fputs(text.c_str(), stdout);
}

/// Reads a document up to the first outermost key that one of the kinds has.
class KindFinder : public nlohmann::json_sax<nlohmann::json> {
public:
  const ProblemKind *found = nullptr;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override { return open(); }
  bool start_array(size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t &name) override {
    for (const ProblemKind &kind : problemKinds())
      if (depth == 1 && name == kind.instanceKey)
        found = &kind;
    return !found;
  }
  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &) override {
    return false;
  }

private:
  int64_t depth = 0;

  bool open() { return ++depth > 0; }
  bool close() { return --depth >= 0; }
};

Expected<const ProblemKind *> kindOf(const Document &instance) {
  KindFinder finder;
  nlohmann::json::sax_parse(instance.text, &finder);
  if (finder.found)
    return finder.found;
  std::string expected;
  for (const ProblemKind &kind : problemKinds())
    expected += std::string(expected.empty() ? "" : " or ") + "'" +
                kind.instanceKey + "' (" + kind.command + ")";
  return Error{instance.path + ": at /: expected an instance, with a member " +
               expected};
}

int verify(const std::vector<std::string> &arguments) {
  bool help = false;
  FlagTable flags = {{"--help", booleanFlag(help)},
                     {"-h", booleanFlag(help)},
                     {"--input-limit", inputLimitFlag()}};
  std::vector<std::string> files;
  if (MaybeError error = parseFlags(arguments, flags, files))
    return failFlags(error->message, "");
  if (help) {
    printHelp();
    return 0;
  }
  if (files.size() != 2)
    return failFlags("expected an instance and a solution", "");
  auto instance = readDocument(files[0]);
  if (!instance)
    return failInput(instance.error());
  auto kind = kindOf(*instance);
  if (!kind)
    return failInput(kind.error());
  auto solution = readDocument(files[1]);
  if (!solution)
    return failInput(solution.error());
  auto verdict = (*kind)->verify(*instance, *solution);
  if (!verdict)
    return failInput(verdict.error());
  std::printf("%s\n", verdict->c_str());
  return 0;
}

int run(const std::vector<std::string> &arguments) {
  if (arguments.empty())
    return failFlags("expected a kind of problem, or 'verify'", "");
  if (arguments[0] == "--help" || arguments[0] == "-h") {
    printHelp();
    return 0;
  }
  if (arguments[0] == "--version") {
    std::printf("%s\n", versionLine());
    return 0;
  }
  std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (arguments[0] == "verify")
    return verify(rest);
  for (const ProblemKind &kind : problemKinds())
    if (arguments[0] == kind.command)
      return kind.solve(rest);
  return failFlags("unknown kind of problem '" + arguments[0] + "'", "");
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::bad_alloc &) {
    return failInput("not enough memory");
  }
}
