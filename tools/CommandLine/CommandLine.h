//===- CommandLine.h - Flags of a tool --------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags in groups, parsed by CLI11, with messages in one style: the error,
// the expected value, and the flag that was probably meant.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_COMMANDLINE_COMMANDLINE_H
#define SOAP_TOOLS_COMMANDLINE_COMMANDLINE_H

#include "CommandLine/Manual.h"
#include "Soap/Support/Error.h"

#include <cstdint>
#include <functional>

namespace soap::commandline {

/// Takes the value of a flag; returns a description of good values, or nothing
/// if the value is good.
using Setter = std::function<std::string(const std::string &)>;

// Setters write to their target, which must live as long as they do.

Setter setText(std::string &target);
Setter setInteger(int64_t &target, int64_t low, int64_t high);
Setter setNumber(double &target, double low, double high);
/// From seconds, 0.01 to a million.
Setter setMilliseconds(int64_t &target);
/// The position of the value among names.
Setter setChoice(int &target, std::vector<std::string> names);
/// The value, one of names.
Setter setName(std::string &target, std::vector<std::string> names);
/// Sets the limits of this process (Soap/Support/InputFile.h).
Setter setLimitOfInputs();

/// One command line: `groups` of the manual grow by `group` and `flag`.
class CommandLine {
public:
  explicit CommandLine(manual::Manual manual) : manual(std::move(manual)) {}

  /// Begins a group of flags.
  void group(const std::string &title);
  /// `--name VALUE` or `--name=VALUE`; of several the last one counts, or each
  /// is set in its turn with `repeats`. `names`: `-o,--output`.
  void value(const std::string &names, const std::string &value,
             const std::string &text, Setter set,
             const std::vector<std::string> &choices = {},
             bool repeats = false);
  /// `--name` for `true`, or `--name=VALUE`.
  void optionalValue(const std::string &names, const std::string &value,
                     const std::string &text, Setter set,
                     const std::vector<std::string> &choices);
  /// `--name`.
  void flag(const std::string &names, const std::string &text, bool &target);
  /// `--name`, `--name=true` or `--name=false`.
  void boolean(const std::string &names, const std::string &text, bool &target);
  /// It is an error to give `name` without `other`.
  void needs(const std::string &name, const std::string &other);
  /// It is an error to give both.
  void excludes(const std::string &name, const std::string &other);
  /// The other commands of the tool: the error about a flag that one of them
  /// has names it.
  void setSiblings(std::vector<manual::Manual> commands) {
    siblings = std::move(commands);
  }

  /// Sets the targets of the arguments; arguments that are no flags are files.
  /// With
  /// `--help` or `--version` among the flags nothing else counts: their targets
  /// are set, and there is no error. `aFile`: the words for a file in the error
  /// about an empty argument.
  MaybeError parse(std::vector<std::string> arguments,
                   std::vector<std::string> &files,
                   const std::string &aFile) const;

  const manual::Manual &getManual() const { return manual; }

private:
  struct Flag {
    std::vector<std::string> names;
    Setter set;
    enum Kind { Value, Plain, Boolean } kind = Value;
    bool repeats = false;
  };
  manual::Manual manual;
  std::vector<Flag> flags;
  struct Rule {
    std::string name, other;
    bool needed = false;
  };
  std::vector<Rule> rules;
  std::vector<manual::Manual> siblings;

  const Flag *find(const std::string &name) const;
  void add(const std::string &names, const std::string &value,
           const std::string &text, Flag flag,
           const std::vector<std::string> &choices);
  /// Of `--name=VALUE`: an error if a flag takes no value, or an empty one is
  /// bad.
  MaybeError checkEquals(const std::string &argument) const;
  std::string unknownFlag(const std::string &name) const;
};

/// The error about a flag that needs another one, which is not given.
Error needs(const std::string &flag, const std::string &other);
/// The error about two flags that exclude each other.
Error excludes(const std::string &flag, const std::string &other);

/// `'a', 'b' or 'c'`.
std::string alternatives(const std::vector<std::string> &names);
/// The name that is nearest by edits, if it is near enough for a typing error.
std::string nearestName(const std::string &name,
                        const std::vector<std::string> &names);
/// The error about a name that none of these is; `what`: what they are names
/// of.
std::string unknownName(const std::string &what, const std::string &name,
                        const std::vector<std::string> &names);

} // namespace soap::commandline

#endif // SOAP_TOOLS_COMMANDLINE_COMMANDLINE_H
