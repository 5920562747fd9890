//===- HostFile.cpp - Hosts of a run --------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HostFile.h.
//
//===----------------------------------------------------------------------===//

#include "HostFile.h"

#include "CommandLine/CommandLine.h"

#include <iterator>
#include <map>
#include <sstream>

using namespace soap;
using namespace soap::launch;

namespace {

constexpr int64_t maxSlots = 1 << 16;

/// An empty string, or what is wrong.
std::string parseLine(const std::vector<std::string> &words, Host &host) {
  host.name = words.front();
  if (host.name.find('=') != std::string::npos || host.name.front() == '-')
    return "expected 'HOST [slots=N] [address=ADDRESS]', got '" + host.name +
           "' in place of the host";
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string &word = words[i];
    if (word.starts_with("slots=")) {
      std::string good =
          commandline::setInteger(host.slots, 1, maxSlots)(word.substr(6));
      if (!good.empty())
        return "expected 'slots=N' with " + good + ", got '" + word + "'";
    } else if (word.starts_with("address=") && word.size() > 8) {
      host.address = word.substr(8);
    } else {
      return "expected 'slots=N' or 'address=ADDRESS', got '" + word + "'";
    }
  }
  return "";
}

} // namespace

Expected<std::vector<Host>> launch::parseHosts(const std::string &text,
                                               const std::string &file) {
  std::vector<Host> hosts;
  std::map<std::string, int64_t> lines;
  int64_t number = 0, localLine = 0;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    ++number;
    std::istringstream content(line.substr(0, line.find('#')));
    std::vector<std::string> words{std::istream_iterator<std::string>(content),
                                   std::istream_iterator<std::string>()};
    if (words.empty())
      continue;
    auto wrong = [&](const std::string &what) {
      std::string place = file + ":" + std::to_string(number);
      return Error{place + ": " + what};
    };
    Host host;
    if (std::string error = parseLine(words, host); !error.empty())
      return wrong(error);
    auto [before, isNew] = lines.try_emplace(host.name, number);
    if (!isNew)
      return wrong("host '" + host.name + "' is in line " +
                   std::to_string(before->second) + ", too");
    if (host.address.empty()) {
      if (host.name == localHost)
        localLine = number;
      host.address = host.name;
    }
    hosts.push_back(std::move(host));
  }
  if (hosts.empty())
    return Error{file + ": expected a host, got none"};
  // Every host may get the rank that the others connect to.
  if (localLine && hosts.size() > 1)
    return Error{file + ":" + std::to_string(localLine) +
                 ": other hosts do not reach 'localhost': expected "
                 "'address=ADDRESS' with an address of this host"};
  return hosts;
}
