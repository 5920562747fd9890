//===- soap-solve.cpp - Solves problems in files --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of kinds of problems: a subcommand solves each, and `verify` checks
// solutions of any.
//
//===----------------------------------------------------------------------===//

#include "CommandLine/StandardOutput.h"
#include "Soap/Support/Version.h"
#include "Support.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <new>

using namespace soap;
using namespace soap::commandline;
using namespace soap::solve;

namespace {

const std::vector<ProblemKind> &problemKinds() {
  static const std::vector<ProblemKind> kinds = {costGraphKind(),
                                                 placementKind()};
  return kinds;
}

struct OwnFlags {
  bool help = false, version = false;
};

/// The flags of `verify`, and of the tool without a kind.
CommandLine makeCommandLine(OwnFlags &own) {
  CommandLine line(
      {.tool = "soap-solve",
       .purpose = "solves optimization problems in files",
       .usage = {{"soap-solve KIND INSTANCE [flags]", "solve an instance"},
                 {"soap-solve KIND --help", "the flags of a kind"},
                 {"soap-solve verify INSTANCE SOLUTION", "check a solution"},
                 {"soap-solve --version", "the version of Soap"}},
       .paragraphs = {"Instances and solutions are JSON, instances gzipped or "
                      "not."},
       .groups = {},
       .notes = {"exit status: 0 success, 1 bad input or no solution, 2 bad "
                 "flags, 130 interrupted"},
       .commands = {}});
  line.group("without a kind, and of verify");
  line.value("--input-limit", "BYTES",
             "the most that a pipe may give (default 256MB), and that gzip "
             "data may unpack to (default 64MB, or 100 times the packed size)",
             setLimitOfInputs());
  line.flag("--help,-h", "this text", own.help);
  line.flag("--version", "the version of Soap, and of LLVM", own.version);
  return line;
}

manual::Manual makeManual() {
  OwnFlags own;
  manual::Manual manual = makeCommandLine(own).getManual();
  for (const ProblemKind &kind : problemKinds())
    manual.commands.push_back(kind.manual());
  return manual;
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

/// Prints the help or the version, if a flag asks for one.
bool printAnswer(const OwnFlags &own) {
  if (own.help)
    std::fputs(printHelp(makeManual()).c_str(), stdout);
  else if (own.version)
    std::printf("%s\n", versionLine());
  return own.help || own.version;
}

int verify(const std::vector<std::string> &arguments) {
  OwnFlags own;
  std::vector<std::string> files;
  if (MaybeError error = makeCommandLine(own).parse(arguments, files, "a file"))
    return failFlags(error->message, "");
  if (printAnswer(own))
    return 0;
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
  std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (arguments[0] == "verify")
    return verify(rest);
  for (const ProblemKind &kind : problemKinds())
    if (arguments[0] == kind.command)
      return kind.solve(rest);
  if (arguments[0].starts_with("-")) {
    OwnFlags own;
    std::vector<std::string> files;
    MaybeError error =
        makeCommandLine(own).parse(arguments, files, "a kind of problem");
    if (!error && printAnswer(own))
      return 0;
    return failFlags(
        error ? error->message : "expected a kind of problem, or 'verify'", "");
  }
  std::vector<std::string> names = {"verify"};
  for (const ProblemKind &kind : problemKinds())
    names.push_back(kind.command);
  return failFlags(unknownName("kind of problem", arguments[0], names), "");
}

} // namespace

int main(int argc, char **argv) {
  watchStandardOutput("soap-solve");
  if (manual::printForBuild(argc, argv, makeManual()))
    return 0;
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::bad_alloc &) {
    return failInput("not enough memory");
  }
}
