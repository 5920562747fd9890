//===- LaunchVariable.cpp - What soap-launch tells a process --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LaunchVariable.h.
//
//===----------------------------------------------------------------------===//

#include "LaunchVariable.h"

#include "CommandLine/CommandLine.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <sstream>

using namespace soap;
using namespace soap::run;

namespace {

/// -1 if the text is no number of ranks or starts.
int64_t toInt(const std::string &text) {
  int64_t number = -1;
  commandline::setInteger(number, 0, INT64_MAX)(text);
  return number;
}

std::string listOf(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

} // namespace

std::string run::printLaunch(const Launch &launch) {
  return "start=" + std::to_string(launch.start) +
         " ranks=" + std::to_string(launch.ranks) +
         " kept=" + listOf(launch.kept);
}

Expected<Launch> run::parseLaunch(const std::string &text) {
  auto wrong = [&] {
    return Error{std::string("environment variable ") + launchVariable +
                 ": expected 'start=N ranks=N kept=R,R,..', as soap-launch "
                 "sets it, got '" +
                 text + "'"};
  };
  Launch launch;
  launch.start = launch.ranks = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals),
                value =
                    equals == std::string::npos ? "" : word.substr(equals + 1);
    if (name == "start") {
      launch.start = toInt(value);
    } else if (name == "ranks") {
      launch.ranks = toInt(value);
    } else if (name == "kept") {
      std::istringstream list(value);
      for (std::string rank; std::getline(list, rank, ',');)
        launch.kept.push_back(toInt(rank));
    } else {
      return wrong();
    }
  }
  if (launch.start < 1 || launch.ranks < 1 || launch.kept.empty() ||
      std::adjacent_find(launch.kept.begin(), launch.kept.end(),
                         std::greater_equal<int64_t>()) != launch.kept.end() ||
      launch.kept.front() < 0 || launch.kept.back() >= launch.ranks)
    return wrong();
  return launch;
}

Expected<std::optional<Launch>> run::readLaunch() {
  const char *text = std::getenv(launchVariable);
  if (!text || !*text)
    return std::optional<Launch>();
  auto launch = parseLaunch(text);
  if (!launch)
    return launch.takeError();
  return std::optional<Launch>(std::move(*launch));
}

constexpr const char *lostLine = "soap-run: lost ranks ";

std::string run::printLostRanks(const std::vector<int> &ranks) {
  return lostLine + listOf({ranks.begin(), ranks.end()});
}

std::optional<std::vector<int64_t>>
run::parseLostRanks(const std::string &line) {
  if (!line.starts_with(lostLine))
    return std::nullopt;
  std::vector<int64_t> ranks;
  std::istringstream list(line.substr(std::string(lostLine).size()));
  for (std::string rank; std::getline(list, rank, ',');)
    if (int64_t number = toInt(rank); number >= 0)
      ranks.push_back(number);
  return ranks;
}

Expected<std::vector<int>> run::keptDevices(const Launch &launch, int devices) {
  if (devices < launch.ranks || devices % launch.ranks != 0)
    return Error{"the topology has " + std::to_string(devices) +
                 " devices: expected a multiple of the " +
                 std::to_string(launch.ranks) +
                 " ranks with '--elastic', so that each has as many"};
  int each = int(devices / launch.ranks);
  std::vector<int> result;
  for (int64_t rank : launch.kept)
    for (int i = 0; i < each; ++i)
      result.push_back(int(rank) * each + i);
  return result;
}
