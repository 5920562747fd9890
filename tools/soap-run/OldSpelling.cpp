//===- OldSpelling.cpp - Command lines without a command ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OldSpelling.h.
//
//===----------------------------------------------------------------------===//

#include "OldSpelling.h"

#include "Options.h"

#include <optional>

using namespace soap;
using namespace soap::run;

/// Whether some command has the flag, with a value.
static bool takesValue(const manual::Manual &tool, const std::string &flag) {
  for (const manual::Manual &command : tool.commands)
    if (const manual::Option *option = manual::findOption(command, flag))
      return !option->value.empty();
  return false;
}

std::vector<std::string>
run::spellWithCommand(const std::vector<std::string> &arguments) {
  const manual::Manual tool = makeManual();
  bool predicts = false, calibrates = false, checks = false,
       checksCalls = false;
  std::optional<std::string> entry;
  std::vector<std::string> files, flags;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &word = arguments[i];
    if (!word.starts_with("-")) {
      files.push_back(word);
      continue;
    }
    size_t equals = word.find('=');
    std::string flag = word.substr(0, equals);
    bool hasNext = equals == std::string::npos && takesValue(tool, flag) &&
                   i + 1 < arguments.size();
    predicts |= flag == "--predict";
    calibrates |= flag == "--calibrate";
    checksCalls |= flag == "--check-calls";
    checks |= flag == "--check-calls" || flag == "--compare-with";
    if (flag == "--entry")
      entry = hasNext                       ? arguments[i + 1]
              : equals == std::string::npos ? ""
                                            : word.substr(equals + 1);
    else if (flag != "--predict" && flag != "--calibrate")
      flags.insert(flags.end(), arguments.begin() + long(i),
                   arguments.begin() + long(i) + 1 + hasNext);
    i += hasNext;
  }
  std::vector<std::string> result = {calibrates    ? "calibrate"
                                     : predicts    ? "predict"
                                     : checksCalls ? "check"
                                     : entry       ? "entry"
                                     : checks      ? "check"
                                                   : "train"};
  result.insert(result.end(), files.begin(), files.end());
  if (result[0] != "entry" && entry)
    result.insert(result.end(), {"--entry", *entry});
  else if (entry && !entry->empty())
    result.push_back(*entry);
  result.insert(result.end(), flags.begin(), flags.end());
  return result;
}
