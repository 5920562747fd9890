//===- CommandLine.cpp - Flags of a tool ----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CommandLine.h. CLI11 takes an empty value behind `=` for a missing one,
// which it would look for in the next argument: such values are refused before.
//
//===----------------------------------------------------------------------===//

#include "CommandLine/CommandLine.h"

#include "Soap/Support/InputFile.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

using namespace soap;
using namespace soap::commandline;

namespace {

/// Whether all of the text is a number.
template <typename T>
bool parseNumber(const std::string &text, T &number) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// A bound of a number as a person would write it.
std::string shortest(double number) {
  char text[32];
  auto result = std::to_chars(text, text + sizeof(text), number);
  return {text, result.ptr};
}

std::vector<std::string> split(const std::string &names) {
  std::vector<std::string> parts(1);
  for (char c : names)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

/// Insertions, deletions, replacements and swaps of neighbours.
size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<std::vector<size_t>> distance(a.size() + 1,
                                            std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        distance[i][j] = i + j;
        continue;
      }
      distance[i][j] =
          std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1,
                    distance[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
    }
  return distance[a.size()][b.size()];
}

} // namespace

Setter commandline::setText(std::string &target) {
  return [&target](const std::string &value) {
    target = value;
    return std::string(value.empty() ? "a value" : "");
  };
}

Setter commandline::setInteger(int64_t &target, int64_t low, int64_t high) {
  return [&target, low, high](const std::string &value) {
    int64_t number = 0;
    if (!parseNumber(value, number) || number < low || number > high)
      return "an integer from " + std::to_string(low) + " to " +
             std::to_string(high);
    target = number;
    return std::string();
  };
}

Setter commandline::setNumber(double &target, double low, double high) {
  return [&target, low, high](const std::string &value) {
    double number = 0;
    if (!parseNumber(value, number) || !(number >= low && number <= high))
      return "a number from " + shortest(low) + " to " + shortest(high);
    target = number;
    return std::string();
  };
}

Setter commandline::setMilliseconds(int64_t &target) {
  return [&target](const std::string &value) {
    double seconds = 0;
    if (!parseNumber(value, seconds) || !(seconds >= 0.01 && seconds <= 1e6))
      return std::string("seconds from 0.01 to 1000000");
    target = int64_t(seconds * 1000);
    return std::string();
  };
}

Setter commandline::setChoice(int &target, std::vector<std::string> names) {
  return [&target, names = std::move(names)](const std::string &value) {
    auto found = std::find(names.begin(), names.end(), value);
    if (found == names.end())
      return alternatives(names);
    target = static_cast<int>(found - names.begin());
    return std::string();
  };
}

Setter commandline::setName(std::string &target,
                            std::vector<std::string> names) {
  return [&target, names = std::move(names)](const std::string &value) {
    target = value;
    bool known = std::find(names.begin(), names.end(), value) != names.end();
    return known ? std::string() : alternatives(names);
  };
}

Setter commandline::setLimitOfInputs() {
  return [](const std::string &value) {
    bool wrong = soap::setInputLimit(value).has_value();
    return std::string(wrong ? "a number of bytes such as 1048576, 512MB or 4GB"
                             : "");
  };
}

Error commandline::needs(const std::string &flag, const std::string &other) {
  return Error{"flag '" + flag + "' needs '" + other + "'"};
}

Error commandline::excludes(const std::string &flag, const std::string &other) {
  return Error{"flags '" + flag + "' and '" + other + "' exclude each other"};
}

std::string commandline::alternatives(const std::vector<std::string> &names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0                  ? ""
             : i + 1 == names.size() ? " or "
                                     : ", ") +
            ("'" + names[i]) + "'";
  return text;
}

std::string commandline::nearestName(const std::string &name,
                                     const std::vector<std::string> &names) {
  std::string nearest;
  size_t least = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string &other : names)
    if (size_t distance = editDistance(name, other);
        distance < least && distance < other.size() - 1) {
      least = distance;
      nearest = other;
    }
  return nearest;
}

std::string commandline::unknownName(const std::string &what,
                                     const std::string &name,
                                     const std::vector<std::string> &names) {
  std::string nearest = nearestName(name, names);
  return "unknown " + what + " '" + name + "'" +
         (nearest.empty() ? "; expected " + alternatives(names)
                          : "; did you mean '" + nearest + "'?");
}

void CommandLine::group(const std::string &title) {
  manual.groups.push_back({title, {}});
}

void CommandLine::add(const std::string &names, const std::string &value,
                      const std::string &text, Flag flag,
                      const std::vector<std::string> &choices) {
  flag.names = split(names);
  manual::Option option{flag.names, value, text, {}, {}};
  for (const std::string &choice : choices)
    option.choices.push_back({choice, ""});
  manual.groups.back().options.push_back(std::move(option));
  flags.push_back(std::move(flag));
}

void CommandLine::value(const std::string &names, const std::string &value,
                        const std::string &text, Setter set,
                        const std::vector<std::string> &choices, bool repeats) {
  add(names, value, text, {{}, std::move(set), Flag::Value, repeats}, choices);
}

void CommandLine::flag(const std::string &names, const std::string &text,
                       bool &target) {
  add(names, "", text,
      {{},
       [&target](const std::string &) {
         target = true;
         return std::string();
       },
       Flag::Plain},
      {});
}

void CommandLine::boolean(const std::string &names, const std::string &text,
                          bool &target) {
  add(names, "", text,
      {{},
       [&target](const std::string &value) {
         target = value != "false";
         bool known = value.empty() || value == "true" || value == "false";
         return std::string(known ? "" : "'true' or 'false'");
       },
       Flag::Boolean},
      {});
}

void CommandLine::optionalValue(const std::string &names,
                                const std::string &value,
                                const std::string &text, Setter set,
                                const std::vector<std::string> &choices) {
  add(names, value, text, {{}, std::move(set), Flag::Boolean}, choices);
}

void CommandLine::needs(const std::string &name, const std::string &other) {
  rules.push_back({name, other, /*needed=*/true});
}

void CommandLine::excludes(const std::string &name, const std::string &other) {
  rules.push_back({name, other, /*needed=*/false});
}

const CommandLine::Flag *CommandLine::find(const std::string &name) const {
  for (const Flag &flag : flags)
    if (std::find(flag.names.begin(), flag.names.end(), name) !=
        flag.names.end())
      return &flag;
  return nullptr;
}

std::string CommandLine::unknownFlag(const std::string &name) const {
  std::vector<std::string> names, owners;
  for (const manual::Manual &sibling : siblings)
    if (manual::findOption(sibling, name))
      owners.push_back(sibling.tool);
  if (!owners.empty())
    return manual.tool + ": " + name + " is a flag of " + alternatives(owners);
  for (const Flag &flag : flags)
    names.insert(names.end(), flag.names.begin(), flag.names.end());
  std::string nearest = nearestName(name, names);
  return "unknown flag '" + name + "'" +
         (nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
}

MaybeError CommandLine::checkEquals(const std::string &argument) const {
  size_t equals = argument.find('=');
  const Flag *flag = find(argument.substr(0, equals));
  if (!flag || equals == std::string::npos)
    return std::nullopt;
  std::string name = argument.substr(0, equals),
              value = argument.substr(equals + 1);
  if (flag->kind == Flag::Plain)
    return Error{"flag '" + name + "' takes no value"};
  if (flag->kind == Flag::Value && !value.empty())
    return std::nullopt;
  std::string expected = flag->set(value);
  return expected.empty()
             ? std::nullopt
             : MaybeError(Error{"flag '" + name + "': expected " + expected +
                                ", got '" + value + "'"});
}

MaybeError CommandLine::parse(std::vector<std::string> arguments,
                              std::vector<std::string> &files,
                              const std::string &aFile) const {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<CLI::Option *> options;
  std::vector<std::vector<std::string>> values(flags.size());
  for (size_t i = 0; i < flags.size(); ++i) {
    std::string names;
    for (const std::string &name : flags[i].names)
      names += (names.empty() ? "" : ",") + name;
    options.push_back(
        flags[i].kind != Flag::Value
            ? app.add_flag(names)
            : app.add_option(names, values[i])
                  ->expected(1)
                  ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
                  // One value an occurrence: a file may follow it.
                  ->allow_extra_args(false));
  }
  app.add_option("FILE", files);

  // No other flag counts beside these, be it good or bad.
  bool asksForHelp = false;
  for (const std::string &argument : arguments)
    if (argument == "--help" || argument == "-h" || argument == "--version")
      if (const Flag *flag = find(argument)) {
        flag->set("");
        asksForHelp = true;
      }
  if (asksForHelp)
    return std::nullopt;
  for (const std::string &argument : arguments)
    if (MaybeError error = checkEquals(argument))
      return error;
  std::string last = arguments.empty() ? "" : arguments.back();
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ArgumentMismatch &) {
    // Only the last argument can lack its value.
    return Error{"flag '" + last + "' needs a value"};
  } catch (const CLI::ParseError &error) {
    return Error{error.what()};
  }
  for (const std::string &extra : app.remaining())
    return Error{unknownFlag(extra.substr(0, extra.find('=')))};
  for (size_t i = 0; i < flags.size(); ++i) {
    if (options[i]->count() == 0)
      continue;
    const Flag &flag = flags[i];
    std::vector<std::string> given = options[i]->results();
    if (!flag.repeats)
      given.erase(given.begin(), given.end() - 1);
    for (const std::string &value : given)
      if (std::string expected =
              flag.set(flag.kind == Flag::Plain ? "" : value);
          !expected.empty())
        return Error{"flag '" + flag.names.front() + "': expected " + expected +
                     ", got '" + value + "'"};
  }
  auto isGiven = [&](const std::string &name) {
    const Flag *flag = find(name);
    return flag && options[size_t(flag - flags.data())]->count() > 0;
  };
  for (const Rule &rule : rules) {
    if (!isGiven(rule.name) || isGiven(rule.other) == rule.needed)
      continue;
    return rule.needed ? commandline::needs(rule.name, rule.other)
                       : commandline::excludes(rule.name, rule.other);
  }
  if (std::find(files.begin(), files.end(), "") != files.end())
    return Error{"expected " + aFile + ", got an empty argument"};
  return std::nullopt;
}
