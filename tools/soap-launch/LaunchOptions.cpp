//===- LaunchOptions.cpp - Flags of soap-launch ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LaunchOptions.h.
//
//===----------------------------------------------------------------------===//

#include "LaunchOptions.h"

#include "../soap-run/Options.h"
#include "CommandLine/CommandLine.h"
#include "CommandLine/Shell.h"
#include "Soap/Support/InputFile.h"

#include <algorithm>
#include <cstdlib>

using namespace soap;
using namespace soap::commandline;
using namespace soap::launch;

namespace {

constexpr const char *defaultLauncher =
    "ssh -o BatchMode=yes -o ServerAliveInterval=5 {host} {shell}";

manual::Manual describe() {
  return {
      .tool = "soap-launch",
      .purpose = "runs soap-run on several hosts",
      .usage = {{"soap-launch --hosts FILE [flags] soap-run train FILE ...",
                 "a rank for each slot of the hosts"},
                {"soap-launch -n N soap-run train FILE ...",
                 "N ranks on this host"}},
      .paragraphs =
          {"Starts the ranks of a run on the hosts of a file, prints what they "
           "print with their numbers, passes on SIGINT and SIGTERM, and ends "
           "all of them when one fails. The ranks meet without MPI, as with "
           "soap-run --rendezvous, and know each other by a secret that is "
           "drawn for the run. Soap, and the folder in which soap-launch is "
           "called, are on all hosts, and ssh needs no password.",
           "With soap-run train --elastic, ranks that are lost do not end the "
           "run: "
           "those that are left are started again, under a new plan and from "
           "the last checkpoint."},
      .groups = {},
      .notes = {"FILE of --hosts has lines 'HOST [slots=N] [address=ADDRESS]' "
                "(one slot by default) and comments after '#'.",
                "exit status: that of the first rank that failed (128 + the "
                "number of the signal that killed it), 1 for a host that is "
                "lost, 2 bad flags, 130 interrupted"},
      .commands = {}};
}

CommandLine makeCommandLine(LaunchOptions &options) {
  CommandLine line(describe());
  line.group("hosts");
  line.value("--hosts", "FILE",
             "the hosts, a line for each: 'HOST [slots=N] [address=ADDRESS]', "
             "with the address at which the other hosts reach it, if that is "
             "not HOST. 'localhost' is this host, without ssh",
             setText(options.hostFile));
  line.value("-n,--ranks", "N",
             "ranks, dealt to the slots in the order of the file (default: all "
             "slots); without --hosts, all on this host",
             setInteger(options.ranks, 1, run::maxRanks));
  line.value("--launcher", "COMMAND",
             std::string("how a command runs on a host: {host} is its name, "
                         "{command} stands for the words of the command, "
                         "{shell} for one word that a shell reads (default '") +
                 defaultLauncher + "')",
             setText(options.launcher));
  line.value("--agent-path", "FILE",
             "soap-launch on the hosts (default: the path of this one)",
             setText(options.agent));
  line.value(
      "--env", "NAME[=VALUE]",
      "an environment variable for all ranks; without VALUE, as it is "
      "here (repeat for more)",
      [&options](const std::string &value) -> std::string {
        size_t equals = value.find('=');
        if (equals == 0 || value.empty())
          return "NAME or NAME=VALUE";
        std::string variable = value;
        if (equals == std::string::npos) {
          const char *here = std::getenv(value.c_str());
          if (!here)
            return "NAME of a variable of this environment, or "
                   "NAME=VALUE";
          variable += std::string("=") + here;
        }
        options.environment.push_back(variable);
        return "";
      },
      {}, /*repeats=*/true);
  line.value("--port", "N",
             "the port of rank 0 (default: a free one, another at each start)",
             setInteger(options.port, 1, 65535));
  line.value("--connect-timeout", "SECONDS",
             "end when a host does not answer at the start (default 30)",
             setMilliseconds(options.connectTimeoutMs));
  line.value("--host-timeout", "SECONDS",
             "a host that gives no sign of life for so long is lost, and kills "
             "its ranks if it still runs (default 10)",
             setMilliseconds(options.hostTimeoutMs));
  line.group("output");
  line.flag("--quiet", "what the ranks print, and errors only", options.quiet);
  line.flag("--help,-h", "this text", options.help);
  line.flag("--version", "the version of Soap, and of LLVM", options.version);
  return line;
}

/// The number of arguments before the command: the first that is neither a flag
/// nor the value of one.
size_t countFlags(const std::vector<std::string> &arguments,
                  const manual::Manual &manual) {
  size_t i = 0;
  for (; i < arguments.size(); ++i) {
    const std::string &word = arguments[i];
    if (word == "--" || !word.starts_with("-"))
      break;
    for (const manual::Group &group : manual.groups)
      for (const manual::Option &option : group.options)
        if (!option.value.empty() &&
            std::find(option.names.begin(), option.names.end(), word) !=
                option.names.end())
          ++i;
  }
  return std::min(i, arguments.size());
}

/// Checks the command, and takes from its flags what soap-launch goes by.
MaybeError readCommand(LaunchOptions &options) {
  const std::vector<std::string> &command = options.command;
  if (command.empty())
    return Error{"expected 'soap-run' and its flags behind the flags of "
                 "soap-launch"};
  if (command[0].substr(command[0].rfind('/') + 1) != "soap-run")
    return Error{"expected 'soap-run' and its flags, got '" + command[0] + "'"};
  // Each of these alone would be a mistake of another kind to soap-run.
  for (const std::string &word : command)
    for (const char *flag : {"--rendezvous", "--rendezvous-secret", "--listen",
                             "--rank", "--ranks"})
      if (word.substr(0, word.find('=')) == flag)
        return Error{std::string("soap-run: flag '") + flag +
                     "': soap-launch sets where ranks meet, and their numbers" +
                     (std::string(flag) == "--rendezvous-secret"
                          ? "; it draws a secret, or takes that of '--env "
                            "SOAP_RENDEZVOUS_SECRET'"
                          : "")};
  auto run = soap::run::parseOptions({command.begin() + 1, command.end()});
  if (!run)
    return Error{"soap-run: " + run.error()};
  for (auto [flag, given] :
       {std::pair{"--help", run->help}, std::pair{"--version", run->version},
        std::pair{"--transport local", run->transport == "local"},
        std::pair{"--transport mpi", run->transport == "mpi"}})
    if (given)
      return Error{std::string("soap-run: soap-launch excludes flag '") + flag +
                   "'"};
  if (run->command == soap::run::Command::Calibrate)
    return Error{"soap-launch excludes 'soap-run calibrate', which measures "
                 "one machine"};
  options.elastic = run->elastic;
  options.elasticMin = run->elasticMin;
  options.rankTimeoutMs = run->rankTimeoutMs;
  return std::nullopt;
}

/// Words at spaces; an error if a quote has no end.
Expected<std::vector<std::string>> splitWords(const std::string &text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false, any = false;
  for (char c : text) {
    if (c == '\'') {
      inside = !inside;
      any = true;
    } else if (c == ' ' && !inside) {
      if (any)
        words.push_back(word);
      word.clear();
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  if (inside)
    return Error{"expected an end of a quote ('), got '" + text + "'"};
  if (any)
    words.push_back(word);
  return words;
}

} // namespace

Expected<LaunchOptions>
launch::parseLaunchOptions(const std::vector<std::string> &arguments) {
  LaunchOptions options;
  CommandLine line = makeCommandLine(options);
  size_t flags = countFlags(arguments, line.getManual());
  std::vector<std::string> files;
  if (MaybeError error =
          line.parse({arguments.begin(), arguments.begin() + long(flags)},
                     files, "a file"))
    return *error;
  if (options.help || options.version)
    return options;
  if (flags < arguments.size() && arguments[flags] == "--")
    ++flags;
  options.command.assign(arguments.begin() + long(flags), arguments.end());
  if (MaybeError error = readCommand(options))
    return *error;
  options.hasSecret =
      std::any_of(options.environment.begin(), options.environment.end(),
                  [](const std::string &variable) {
                    return variable.starts_with("SOAP_RENDEZVOUS_SECRET=");
                  });
  if (options.launcher.empty())
    options.launcher = defaultLauncher;
  if (auto words = launcherCommand(options.launcher, "host", {"word"}); !words)
    return Error{"flag '--launcher': " + words.error()};
  if (options.hostFile.empty() && !options.ranks)
    return Error{"expected '--hosts FILE', or '-n N' for ranks on this host"};
  return options;
}

manual::Manual launch::makeLaunchManual() {
  LaunchOptions options;
  return makeCommandLine(options).getManual();
}

Expected<std::vector<Host>> launch::findHosts(const LaunchOptions &options) {
  std::vector<Host> hosts = {{localHost, options.ranks, localHost}};
  if (!options.hostFile.empty()) {
    auto text = readFile(options.hostFile, 1 << 20);
    if (!text)
      return text.takeError();
    auto parsed = parseHosts(*text, options.hostFile);
    if (!parsed)
      return parsed.takeError();
    hosts = std::move(*parsed);
  }
  int64_t slots = 0;
  for (const Host &host : hosts)
    slots += host.slots;
  if (options.ranks > slots)
    return Error{options.hostFile + ": the hosts have " +
                 std::to_string(slots) + " slots: expected at least the " +
                 std::to_string(options.ranks) + " of '-n'"};
  int64_t ranks = options.ranks ? options.ranks : slots;
  if (options.elasticMin > ranks)
    return Error{"flag '--elastic-min': expected at most the " +
                 std::to_string(ranks) + " ranks that there are, got " +
                 std::to_string(options.elasticMin)};
  return hosts;
}

Expected<std::vector<std::string>>
launch::launcherCommand(const std::string &launcher, const std::string &host,
                        const std::vector<std::string> &words) {
  auto pattern = splitWords(launcher);
  if (!pattern)
    return pattern.takeError();
  std::vector<std::string> result;
  bool hasCommand = false;
  for (const std::string &word : *pattern) {
    if (word == "{command}") {
      result.insert(result.end(), words.begin(), words.end());
      hasCommand = true;
      continue;
    }
    if (word == "{shell}") {
      std::string text;
      for (const std::string &part : words)
        text += (text.empty() ? "" : " ") + quoteForShell(part);
      result.push_back(text);
      hasCommand = true;
      continue;
    }
    result.push_back(substitute(word, "{host}", host));
  }
  if (!hasCommand || result.size() < 2)
    return Error{"expected a command with a word '{command}' or '{shell}', "
                 "got '" +
                 launcher + "'"};
  return result;
}
