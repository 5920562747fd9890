//===- RunCommand.h - The commands of soap-run as a table -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words and flags of each command of soap-run: a function for each in a
// file of its own, and the list of all.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_RUNCOMMAND_H
#define SOAP_TOOLS_SOAPRUN_RUNCOMMAND_H

#include "CommandLine/CommandLine.h"
#include "Options.h"

namespace soap::run {

/// A command: its words in the help, its flags, and their checks.
struct RunCommand {
  Command command;
  std::string name;
  /// Half a sentence.
  std::string summary;
  /// Command lines and their effects.
  std::vector<std::pair<std::string, std::string>> usage;
  std::vector<std::string> paragraphs;
  /// The arguments that are no flags, at most, and how errors call them.
  size_t arguments = 1;
  std::string argumentWords;
  void (*addFlags)(commandline::CommandLine &line, Options &options);
  /// Checks flags against each other, and sets defaults that depend on others.
  MaybeError (*check)(Options &options);
};

RunCommand trainCommand();
RunCommand predictCommand();
RunCommand evaluateCommand();
RunCommand entryCommand();
RunCommand calibrateCommand();
RunCommand checkCommand();

/// All commands, in the order of the help.
const std::vector<RunCommand> &runCommands();
/// The command of a name; null if there is none.
const RunCommand *findCommand(const std::string &name);
/// The command line of a command, which sets `options`.
commandline::CommandLine makeCommandLine(const RunCommand &command,
                                         Options &options);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_RUNCOMMAND_H
