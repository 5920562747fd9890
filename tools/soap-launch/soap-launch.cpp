//===- soap-launch.cpp - Runs soap-run on several hosts -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program is both ends: the supervisor that a user calls, and the agent
// that it runs on each host.
//
//===----------------------------------------------------------------------===//

#include "Agent.h"
#include "CommandLine/StandardOutput.h"
#include "LaunchOptions.h"
#include "Soap/Support/Version.h"
#include "Supervisor.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

using namespace soap;
using namespace soap::launch;

int main(int argc, char **argv) {
  commandline::watchStandardOutput("soap-launch");
  if (manual::printForBuild(argc, argv, makeLaunchManual()))
    return 0;
  // Of soap-launch itself: folder and silence.
  if (argc == 4 && std::string(argv[1]) == "--agent") {
    AgentOptions agent;
    agent.folder = argv[2];
    agent.silence =
        std::chrono::milliseconds(std::strtoll(argv[3], nullptr, 10));
    return runAgent(agent);
  }
  auto options =
      parseLaunchOptions(std::vector<std::string>(argv + 1, argv + argc));
  if (!options) {
    std::fprintf(stderr, "soap-launch: error: %s; see soap-launch --help\n",
                 options.error().c_str());
    return 2;
  }
  if (options->help) {
    std::fputs(manual::printHelp(makeLaunchManual()).c_str(), stdout);
    return 0;
  }
  if (options->version) {
    std::printf("%s\n", versionLine());
    return 0;
  }
  auto hosts = findHosts(*options);
  if (!hosts) {
    std::fprintf(stderr, "soap-launch: error: %s\n", hosts.error().c_str());
    return 2;
  }
  std::error_code failed;
  auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  return supervise(*options, *hosts, failed ? argv[0] : self.string());
}
