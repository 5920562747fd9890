//===- LaunchTest.cpp - Flags and hosts of soap-launch --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of host files, the flags, and the message for every mistake; the
// devices of the ranks that are left.
//
//===----------------------------------------------------------------------===//

#include "../../tools/soap-launch/HostFile.h"
#include "../../tools/soap-launch/LaunchOptions.h"
#include "../../tools/soap-run/LaunchVariable.h"
#include "../../tools/soap-run/Plan.h"
#include "../../tools/soap-run/RestrictTopology.h"

#include "gtest/gtest.h"

using namespace soap;
using namespace soap::launch;
using namespace soap::run;

namespace {

std::string hostsError(const std::string &text) {
  auto hosts = parseHosts(text, "hosts");
  return hosts ? "no error" : hosts.error();
}

TEST(HostFile, Parses) {
  auto hosts = parseHosts("# all hosts\n"
                          "\n"
                          "node0 slots=4\n"
                          "  node1 address=10.0.0.2 slots=2 # the fast one\n"
                          "node2",
                          "hosts");
  ASSERT_TRUE(hosts) << hosts.error();
  ASSERT_EQ(hosts->size(), 3u);
  EXPECT_EQ((*hosts)[0].name, "node0");
  EXPECT_EQ((*hosts)[0].slots, 4);
  EXPECT_EQ((*hosts)[0].address, "node0");
  EXPECT_EQ((*hosts)[1].slots, 2);
  EXPECT_EQ((*hosts)[1].address, "10.0.0.2");
  EXPECT_EQ((*hosts)[2].slots, 1);
  EXPECT_TRUE(parseHosts("localhost slots=2\n", "hosts"));
  EXPECT_TRUE(parseHosts("localhost address=10.0.0.1\nnode1\n", "hosts"));
}

TEST(HostFile, NamesTheLineOfAMistake) {
  EXPECT_EQ(hostsError(""), "hosts: expected a host, got none");
  EXPECT_EQ(hostsError("# none\n"), "hosts: expected a host, got none");
  EXPECT_EQ(hostsError("a\nb slots=0\n"),
            "hosts:2: expected 'slots=N' with an integer from 1 to 65536, got "
            "'slots=0'");
  EXPECT_EQ(hostsError("a slots=2x"),
            "hosts:1: expected 'slots=N' with an integer from 1 to 65536, got "
            "'slots=2x'");
  EXPECT_EQ(hostsError("a cores=2"), "hosts:1: expected 'slots=N' or "
                                     "'address=ADDRESS', got 'cores=2'");
  EXPECT_EQ(hostsError("a address="), "hosts:1: expected 'slots=N' or "
                                      "'address=ADDRESS', got 'address='");
  EXPECT_EQ(hostsError("\n\nslots=2"),
            "hosts:3: expected 'HOST [slots=N] [address=ADDRESS]', got "
            "'slots=2' in place of the host");
  // ssh would take it for a flag.
  EXPECT_EQ(hostsError("-oProxyCommand=x"),
            "hosts:1: expected 'HOST [slots=N] [address=ADDRESS]', got "
            "'-oProxyCommand=x' in place of the host");
  EXPECT_EQ(hostsError("a\nb\na slots=2\n"),
            "hosts:3: host 'a' is in line 1, too");
  EXPECT_EQ(hostsError("a\nlocalhost\n"),
            "hosts:2: other hosts do not reach 'localhost': expected "
            "'address=ADDRESS' with an address of this host");
}

std::string optionsError(const std::vector<std::string> &arguments) {
  auto options = parseLaunchOptions(arguments);
  return options ? "no error" : options.error();
}

TEST(LaunchOptions, TakesTheCommandBehindItsFlags) {
  auto options = parseLaunchOptions({"--hosts", "h", "-n", "3", "--env=A=b c",
                                     "soap-run", "train", "m.mlir", "--data",
                                     "synthetic", "--rank-timeout=2", "-n"});
  // The flags behind soap-run are its own.
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().find("soap-run: "), 0u) << options.error();
  options = parseLaunchOptions({"--hosts", "h", "-n", "3", "--env=A=b c",
                                "bin/soap-run", "train", "m.mlir", "--data",
                                "synthetic", "--rank-timeout=2"});
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->hostFile, "h");
  EXPECT_EQ(options->ranks, 3);
  EXPECT_EQ(options->environment, std::vector<std::string>{"A=b c"});
  EXPECT_EQ(options->command.size(), 6u);
  EXPECT_EQ(options->rankTimeoutMs, 2000);
  EXPECT_FALSE(options->elastic);
  EXPECT_FALSE(options->hasSecret);
  options = parseLaunchOptions(
      {"-n", "2", "--env", "SOAP_RENDEZVOUS_SECRET=of the ranks alone",
       "soap-run", "train", "m.mlir", "--data=synthetic"});
  ASSERT_TRUE(options) << options.error();
  EXPECT_TRUE(options->hasSecret);
  options = parseLaunchOptions({"-n", "2", "--", "soap-run", "train", "m.mlir",
                                "--data=synthetic", "--checkpoint=c",
                                "--checkpoint-every=5", "--elastic",
                                "--elastic-min=2"});
  ASSERT_TRUE(options) << options.error();
  EXPECT_TRUE(options->elastic);
  EXPECT_EQ(options->elasticMin, 2);
}

TEST(LaunchOptions, NamesMistakes) {
  const std::vector<std::string> run = {"soap-run", "train", "m.mlir",
                                        "--data=synthetic"};
  auto with = [&](std::vector<std::string> flags,
                  std::vector<std::string> behind = {}) {
    flags.insert(flags.end(), run.begin(), run.end());
    flags.insert(flags.end(), behind.begin(), behind.end());
    return optionsError(flags);
  };
  EXPECT_EQ(optionsError({"-n", "2"}), "expected 'soap-run' and its flags "
                                       "behind the flags of soap-launch");
  EXPECT_EQ(optionsError({"-n", "2", "python3"}),
            "expected 'soap-run' and its flags, got 'python3'");
  EXPECT_EQ(with({}),
            "expected '--hosts FILE', or '-n N' for ranks on this host");
  EXPECT_EQ(with({"-n", "2", "--launcher", "ssh {host}"}),
            "flag '--launcher': expected a command with a word '{command}' or "
            "'{shell}', got 'ssh {host}'");
  EXPECT_EQ(with({"-n", "2", "--launcher", "ssh '{host} {shell}"}),
            "flag '--launcher': expected an end of a quote ('), got 'ssh "
            "'{host} {shell}'");
  EXPECT_EQ(with({"-n", "2"}, {"--rank=0", "--ranks=2", "--rendezvous=a:1"}),
            "soap-run: flag '--rank': soap-launch sets where ranks meet, and "
            "their numbers");
  EXPECT_EQ(with({"-n", "2"}, {"--rendezvous-secret", "s"}),
            "soap-run: flag '--rendezvous-secret': soap-launch sets where "
            "ranks meet, and their numbers; it draws a secret, or takes that "
            "of '--env SOAP_RENDEZVOUS_SECRET'");
  EXPECT_EQ(with({"-n", "2"}, {"--transport=mpi"}),
            "soap-run: soap-launch excludes flag '--transport mpi'");
  EXPECT_EQ(with({"-n", "2"}, {"--elastic"}),
            "soap-run: flag '--elastic' needs '--checkpoint': there would be "
            "nothing to go on from");
  EXPECT_EQ(with({"-n", "2"}, {"--elastic", "--checkpoint=c"}),
            "soap-run: flag '--elastic' needs '--checkpoint-every': there "
            "would be nothing to go on from");
  EXPECT_EQ(with({"-n", "2"}, {"--elastic-min=2"}),
            "soap-run: flag '--elastic-min' needs '--elastic'");
  EXPECT_EQ(with({"-n", "2"}, {"--elastic", "--checkpoint=c",
                               "--checkpoint-every=2", "--strategy=s.json"}),
            "soap-run: flags '--elastic' and '--strategy FILE' exclude each "
            "other: a strategy file is for one number of devices; expected "
            "'--preset', '--plan' or '--search'");
  EXPECT_EQ(optionsError({"-n", "2", "soap-run", "calibrate"}),
            "soap-launch excludes 'soap-run calibrate', which measures one "
            "machine");
  auto few =
      parseLaunchOptions({"-n", "2", "soap-run", "train", "m.mlir",
                          "--data=synthetic", "--elastic", "--checkpoint=c",
                          "--checkpoint-every=2", "--elastic-min=3"});
  ASSERT_TRUE(few) << few.error();
  auto hosts = findHosts(*few);
  ASSERT_FALSE(hosts);
  EXPECT_EQ(hosts.error(), "flag '--elastic-min': expected at most the 2 ranks "
                           "that there are, got 3");
}

TEST(LaunchOptions, MakesCommandsOfLaunchers) {
  const std::vector<std::string> words = {"/a/soap-launch", "--agent",
                                          "/it's here"};
  EXPECT_EQ(*launcherCommand("ssh -o 'A b' u@{host} {shell}", "n1", words),
            (std::vector<std::string>{"ssh", "-o", "A b", "u@n1",
                                      "/a/soap-launch --agent "
                                      "'/it'\\''s here'"}));
  EXPECT_EQ(*launcherCommand("srun -w {host} {command}", "n1", words),
            (std::vector<std::string>{"srun", "-w", "n1", "/a/soap-launch",
                                      "--agent", "/it's here"}));
}

TEST(LaunchVariable, IsReadAsItIsPrinted) {
  Launch launch{3, 8, {0, 2, 7}};
  EXPECT_EQ(printLaunch(launch), "start=3 ranks=8 kept=0,2,7");
  auto read = parseLaunch(printLaunch(launch));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->start, 3);
  EXPECT_EQ(read->ranks, 8);
  EXPECT_EQ(read->kept, launch.kept);
  for (const char *text :
       {"start=0 ranks=2 kept=0", "start=1 ranks=2 kept=", "start=1 ranks=2",
        "start=1 ranks=2 kept=0,2", "start=1 ranks=2 kept=1,0",
        "start=1 ranks=2 kept=0,0", "start=1 ranks=2 kept=0,x", "1 2 0",
        "start=1 ranks=2 kept=0 more=1"})
    EXPECT_FALSE(parseLaunch(text)) << text;
}

TEST(LaunchVariable, LostRanksAreReadAsTheyArePrinted) {
  auto read = parseLostRanks(printLostRanks({2, 3}));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, (std::vector<int64_t>{2, 3}));
  EXPECT_FALSE(parseLostRanks("soap-run: rank 2: error: lost").has_value());
}

TEST(LaunchVariable, DevicesOfTheRanksThatAreLeft) {
  EXPECT_EQ(*keptDevices({2, 4, {0, 1, 3}}, 4), (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(*keptDevices({2, 4, {1, 3}}, 8), (std::vector<int>{2, 3, 6, 7}));
  for (int devices : {2, 6}) {
    auto kept = keptDevices({1, 4, {0, 1, 2, 3}}, devices);
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error(), "the topology has " + std::to_string(devices) +
                                " devices: expected a multiple of the 4 ranks "
                                "with '--elastic', so that each has as many");
  }
}

TEST(Elastic, KeepsDevicesAndTheirLinks) {
  auto whole = builtinTopology("p100-2x2");
  ASSERT_TRUE(whole) << whole.error();
  auto rest = restrictTopology(*whole, {0, 2, 3});
  ASSERT_TRUE(rest) << rest.error();
  ASSERT_EQ(rest->deviceCount(), 3);
  EXPECT_EQ(rest->devices[1].name, whole->devices[2].name);
  EXPECT_EQ(rest->machines().size(), 2u);
  const std::vector<int> places = {0, 2, 3};
  for (int from = 0; from < 3; ++from)
    for (int to = 0; to < 3; ++to)
      EXPECT_EQ(
          rest->transferNs(from, to, 1 << 20),
          whole->transferNs(places[size_t(from)], places[size_t(to)], 1 << 20));
  // The text is a topology again.
  auto read = parseTopology(printTopology(*rest), "devices");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->transferNs(0, 2, 1 << 20), rest->transferNs(0, 2, 1 << 20));
}

TEST(Plan, HasTopologyAndDevices) {
  Options options;
  options.file = "m.mlir";
  options.plan = "soap-pipeline stages={devices} microbatches=8";
  EXPECT_EQ(planCommand(options, "cpu-3", 3, "o"),
            (std::vector<std::string>{
                "soap-opt", "m.mlir",
                "--soap-pipeline=topology=cpu-3 stages=3 microbatches=8",
                "--emit-bytecode", "-o", "o"}));
  options.plan = "--soap-place";
  EXPECT_EQ(planCommand(options, "cpu-3", 3, "o")[2],
            "--soap-place=topology=cpu-3");
}

} // namespace
