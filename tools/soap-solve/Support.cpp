//===- Support.cpp - What the subcommands of soap-solve share -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Support.h.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "Soap/Support/FileIO.h"
#include "Soap/Support/InputFile.h"

#include <charconv>
#include <csignal>
#include <cstdio>

using namespace soap;
using namespace soap::solve;

namespace {

constexpr int64_t mostBytes = int64_t(8) << 30;

std::atomic<bool> stopFlag{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void onSignal(int) { stopFlag.store(true); }

/// Whether all of the text is a number.
template <typename T>
bool parseNumber(const std::string &text, T &number) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// A bound of a number as the user would write it.
std::string shortest(double number) {
  char text[32];
  auto result = std::to_chars(text, text + sizeof(text), number);
  return {text, result.ptr};
}

} // namespace

Flag solve::textFlag(std::string &target) {
  return {true, [&target](const std::string &value) {
            target = value;
            return std::string(value.empty() ? "a value" : "");
          }};
}

Flag solve::integerFlag(int64_t &target, int64_t low, int64_t high) {
  return {true, [&target, low, high](const std::string &value) {
            int64_t number = 0;
            if (!parseNumber(value, number) || number < low || number > high)
              return "an integer from " + std::to_string(low) + " to " +
                     std::to_string(high);
            target = number;
            return std::string();
          }};
}

Flag solve::numberFlag(double &target, double low, double high) {
  return {true, [&target, low, high](const std::string &value) {
            double number = 0;
            if (!parseNumber(value, number) ||
                !(number >= low && number <= high))
              return "a number from " + shortest(low) + " to " + shortest(high);
            target = number;
            return std::string();
          }};
}

Flag solve::booleanFlag(bool &target) {
  return {false, [&target](const std::string &value) {
            target = value != "false";
            bool known = value.empty() || value == "true" || value == "false";
            return std::string(known ? "" : "'true' or 'false'");
          }};
}

Flag solve::choiceFlag(int &target, std::vector<std::string> names) {
  return {true, [&target, names = std::move(names)](const std::string &value) {
            for (size_t i = 0; i < names.size(); ++i)
              if (names[i] == value) {
                target = static_cast<int>(i);
                return std::string();
              }
            std::string expected;
            for (size_t i = 0; i < names.size(); ++i) {
              if (i)
                expected += i + 1 == names.size() ? " or " : ", ";
              expected += "'" + names[i] + "'";
            }
            return expected;
          }};
}

Flag solve::inputLimitFlag() {
  return {true, [](const std::string &value) {
            bool wrong = setInputLimit(value).has_value();
            return std::string(
                wrong ? "a number of bytes such as 1048576, 512MB or 4GB" : "");
          }};
}

void solve::addCommonFlags(FlagTable &flags, CommonOptions &options) {
  flags["-o"] = textFlag(options.output);
  flags["--time-limit"] = numberFlag(options.timeLimitSeconds, 0, 1e6);
  flags["--threads"] = integerFlag(options.threads, 1, 256);
  flags["--seed"] = integerFlag(options.seed, 0, int64_t(1) << 40);
  flags["--input-limit"] = inputLimitFlag();
  flags["--quiet"] = booleanFlag(options.quiet);
}

const char *solve::commonHelp() {
  return R"(  -o FILE               write the solution to FILE (default: standard output)
  --time-limit=SECONDS  give the best answer after so long (default 60; 0: at once)
  --threads=N           threads to search with (default 1)
  --seed=N              of what is drawn at random (default 0)
  --input-limit=BYTES   what a pipe may give (default 256MB), and what gzip data may
                        unpack to (default 64MB, or 100 times what is packed)
  --quiet               no summary
  --help                this text

Ctrl-C ends the search; the best answer so far is written.
)";
}

MaybeError solve::parseFlags(const std::vector<std::string> &arguments,
                             const FlagTable &flags,
                             std::vector<std::string> &files) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (argument.empty())
      return Error{"expected a file, got an empty argument"};
    if (argument[0] != '-') {
      files.push_back(argument);
      continue;
    }
    size_t equals = argument.find('=');
    std::string name = argument.substr(0, equals), value;
    auto flag = flags.find(name);
    if (flag == flags.end())
      return Error{"unknown flag '" + name + "'"};
    if (equals != std::string::npos) {
      value = argument.substr(equals + 1);
    } else if (flag->second.takesValue) {
      if (++i == arguments.size())
        return Error{"flag '" + name + "' needs a value"};
      value = arguments[i];
    }
    std::string expected = flag->second.set(value);
    if (!expected.empty())
      return Error{"flag '" + name + "': expected " + expected + ", got '" +
                   value + "'"};
  }
  return std::nullopt;
}

int solve::failFlags(const std::string &message, const std::string &command) {
  std::fprintf(stderr, "soap-solve: error: %s; see soap-solve %s--help\n",
               message.c_str(), command.empty() ? "" : (command + " ").c_str());
  return 2;
}

int solve::failInput(const std::string &message) {
  std::fprintf(stderr, "soap-solve: error: %s\n", message.c_str());
  return 1;
}

Expected<Document> solve::readDocument(const std::string &path) {
  auto text = readUnpacked(path, mostBytes);
  if (!text)
    return text.takeError();
  return Document{path, std::move(*text)};
}

void solve::noteReading(const CommonOptions &options, double seconds) {
  if (!options.quiet && options.timeLimitSeconds > 0 &&
      seconds > options.timeLimitSeconds)
    std::fprintf(stderr,
                 "soap-solve: reading took %.1f s, the time limit is %g s: the "
                 "answer is what is found at once\n",
                 seconds, options.timeLimitSeconds);
}

MaybeError solve::writeDocument(const std::string &path,
                                const std::string &text) {
  if (!path.empty())
    return writeFile(path, text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
      std::fflush(stdout) != 0)
    return Error{"cannot write to standard output"};
  return std::nullopt;
}

const std::atomic<bool> &solve::stopRequested() { return stopFlag; }

void solve::installSignals() {
  struct sigaction action{};
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}
