//===- Manual.h - The options of a tool as a table --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of a tool as a table. Its help, its man page and its completion
// in bash are printed from the table, so that they agree.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_COMMANDLINE_MANUAL_H
#define SOAP_TOOLS_COMMANDLINE_MANUAL_H

#include <string>
#include <utility>
#include <vector>

namespace soap::manual {

struct Choice {
  std::string name, text;
};

struct Option {
  std::vector<std::string> names; ///< with their dashes: `-o`, `--help`
  std::string value;              ///< name of its value; empty: it takes none
  std::string text;
  std::vector<Choice> choices; ///< values that it takes; empty: others, too
  std::vector<Option> options; ///< of a pass: written as `NAME=VALUE`
};

struct Group {
  std::string title;
  std::vector<Option> options;
};

struct Manual {
  std::string tool = {};    ///< `soap-run`, or `soap-solve placement`
  std::string purpose = {}; ///< half a sentence
  /// Command lines and their effects.
  std::vector<std::pair<std::string, std::string>> usage = {};
  std::vector<std::string> paragraphs = {};
  std::vector<std::string> examples = {}; ///< command lines
  std::vector<Group> groups = {};
  std::vector<std::string> notes = {}; ///< paragraphs behind the options
  std::vector<Manual> commands = {};   ///< whose first argument names them
};

/// The lines of the help are at most that long; a word that is longer has a
/// line of its own.
constexpr size_t helpWidth = 100;

/// The text of `--help`.
std::string printHelp(const Manual &manual);
/// The page in section 1, of a tool and all its commands (roff). Groups of the
/// tool are not repeated for commands that have groups of the same titles.
std::string printManPage(const Manual &manual, const std::string &version);
/// A script for bash that completes flags, their values and files.
std::string printCompletion(const Manual &manual);

/// Prints the man page for `--print-man-page` and the completion for
/// `--print-completion` as the last argument, for the build. Whether it did.
bool printForBuild(int argc, char **argv, const Manual &manual);

/// Of `soap-solve placement` the last word.
std::string commandName(const Manual &manual);

/// The option of that name; null if there is none.
const Option *findOption(const Manual &manual, const std::string &name);

/// A text in lines of at most `width` characters.
std::vector<std::string> wrapped(const std::string &text, size_t width);

} // namespace soap::manual

#endif // SOAP_TOOLS_COMMANDLINE_MANUAL_H
