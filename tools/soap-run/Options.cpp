//===- Options.cpp - Flags of soap-run ------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Options.h.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "CommandLine/CommandLine.h"
#include "FlagGroups.h"
#include "OldSpelling.h"
#include "RunCommand.h"

#include <algorithm>
#include <cassert>
#include <filesystem>

using namespace soap;
using namespace soap::run;
using namespace soap::commandline;

namespace {

manual::Manual describe(const RunCommand &command) {
  return {.tool = "soap-run " + command.name,
          .purpose = command.summary,
          .usage = command.usage,
          .paragraphs = command.paragraphs,
          .groups = {},
          .notes = {},
          .commands = {}};
}

/// The texts of `soap-run --help` beside the commands.
CommandLine makeToolLine(Options &options) {
  CommandLine line(
      {.tool = "soap-run",
       .purpose = "runs a module on devices of this machine",
       .usage = {{"soap-run COMMAND FILE [flags]", "run a module"},
                 {"soap-run COMMAND --help", "the flags of a command"}},
       .paragraphs =
           {"FILE is IR at any stage of the pipeline: lowered, partitioned, "
            "with or without a strategy. Stages that it lacks are run first, "
            "by libSoapCompiler. Or FILE is an artifact of soap-translate "
            "--emit-artifact, which needs no compiler. Or it is an ONNX model: "
            "it is imported, its training step is built, and with --topology a "
            "strategy is searched, by the commands that soap-run prints. Each "
            "device of the module is a thread of this process, or of one that "
            "mpirun started.",
            "A file that is called as a command is written './train'. The "
            "flags below are those that commands share; 'calibrate' has some "
            "of them."},
       .groups = {},
       .notes = {"exit status: 0 success, 1 bad input or a failed run, 2 bad "
                 "flags, 130 interrupted"},
       .commands = {}});
  addRunFlags(line, options);
  return line;
}

std::vector<manual::Manual> manualsOfCommands() {
  std::vector<manual::Manual> manuals;
  for (const RunCommand &command : runCommands()) {
    Options options;
    CommandLine line(describe(command));
    command.addFlags(line, options);
    manuals.push_back(line.getManual());
  }
  return manuals;
}

std::vector<std::string> commandNames() {
  std::vector<std::string> names;
  for (const RunCommand &command : runCommands())
    names.push_back(command.name);
  return names;
}

/// Arguments that begin with the name of a command.
Expected<Options> parseCommand(const RunCommand &command,
                               const std::vector<std::string> &arguments) {
  Options options;
  options.command = command.command;
  options.arguments = arguments;
  std::vector<std::string> files;
  if (MaybeError error =
          makeCommandLine(command, options)
              .parse({arguments.begin() + 1, arguments.end()}, files, "a file"))
    return *error;
  if (options.help || options.version)
    return options;
  if (files.size() > command.arguments) {
    std::string got;
    for (const std::string &file : files)
      got += (got.empty() ? "'" : " and '") + file + "'";
    return Error{"expected " + command.argumentWords + ", got " + got};
  }
  if (files.empty() && command.command != Command::Calibrate)
    return Error{"expected a file: IR, an artifact or an ONNX model"};
  if (!files.empty())
    options.file = files[0];
  if (files.size() > 1)
    options.entry = files[1];
  if (MaybeError error = command.check(options))
    return *error;
  return options;
}

/// A word that looks as the name of a command, but is none.
bool isMisspelled(const std::string &word) {
  std::error_code ignored;
  return word.find_first_of("./-") == std::string::npos && !word.empty() &&
         !std::filesystem::exists(word, ignored);
}

} // namespace

const std::vector<RunCommand> &run::runCommands() {
  static const std::vector<RunCommand> commands = {
      trainCommand(), predictCommand(),   evaluateCommand(),
      entryCommand(), calibrateCommand(), checkCommand()};
  return commands;
}

const RunCommand *run::findCommand(const std::string &name) {
  for (const RunCommand &command : runCommands())
    if (command.name == name)
      return &command;
  return nullptr;
}

CommandLine run::makeCommandLine(const RunCommand &command, Options &options) {
  CommandLine line(describe(command));
  command.addFlags(line, options);
  line.setSiblings(manualsOfCommands());
  return line;
}

std::string run::nameOf(Command command) {
  for (const RunCommand &other : runCommands())
    if (other.command == command)
      return other.name;
  return "";
}

Expected<Options> run::parseOptions(std::vector<std::string> arguments) {
  if (arguments.empty())
    return Error{"expected a command: " + alternatives(commandNames())};
  if (const RunCommand *command = findCommand(arguments[0]))
    return parseCommand(*command, arguments);
  Options options;
  std::vector<std::string> files;
  bool asks = std::any_of(arguments.begin(), arguments.end(),
                          [](const std::string &argument) {
                            return argument == "--help" || argument == "-h" ||
                                   argument == "--version";
                          });
  if (asks) {
    MaybeError none = makeToolLine(options).parse(arguments, files, "a file");
    assert(!none && "nothing else counts beside these");
    return options;
  }
  if (isMisspelled(arguments[0]))
    return Error{unknownName("command", arguments[0], commandNames())};
  arguments = spellWithCommand(arguments);
  auto parsed = parseCommand(*findCommand(arguments[0]), arguments);
  if (parsed)
    parsed->oldSpelling = true;
  return parsed;
}

std::string run::calibrationName(const Options &options) {
  return std::filesystem::path(options.calibrationOutput).filename().string();
}

manual::Manual run::makeManual() {
  Options options;
  manual::Manual manual = makeToolLine(options).getManual();
  manual.commands = manualsOfCommands();
  return manual;
}

std::string run::helpText(Command command) {
  manual::Manual manual = makeManual();
  for (const manual::Manual &other : manual.commands)
    if (manual::commandName(other) == nameOf(command))
      return manual::printHelp(other);
  return manual::printHelp(manual);
}
