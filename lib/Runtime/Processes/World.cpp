//===- World.cpp - All processes of a run ---------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See World.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Processes/World.h"

#include "Runtime/Processes/Affinity.h"
#include "Runtime/Processes/Sockets.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace soap;
using namespace soap::runtime;

namespace {

constexpr int64_t stopTag = 1;

} // namespace

Expected<std::unique_ptr<World>> World::create(ProcessGroup &group,
                                               PeerMonitorOptions options,
                                               const std::string &version) {
  std::unique_ptr<World> world(new World(group));
  world->ownName = "rank " + std::to_string(group.rank()) + " (process " +
                   std::to_string(getpid()) + " on '" + hostName() + "')";
  // First of all: the words that follow may be others in another version.
  auto versions = exchangeTexts(group, hostName() + " " + version);
  if (!versions)
    return versions.takeError();
  for (size_t i = 0; i < versions->size(); ++i) {
    const std::string &text = (*versions)[i];
    size_t space = text.find(' ');
    world->hosts.push_back(text.substr(0, space));
    std::string theirs = space < text.size() ? text.substr(space + 1) : "";
    std::string first = (*versions)[0].substr(world->hosts[0].size() + 1);
    if (theirs == first)
      continue;
    std::string what = "rank " + std::to_string(i) + " on '" + world->hosts[i];
    what += "' runs Soap " + theirs + ", rank 0 on '" + world->hosts[0];
    what += "' Soap " + first + ": expected the same version on all hosts";
    return Error{what};
  }
  // Peers are to be reached where the group reaches them. If it does not know,
  // on loopback when all are on this host.
  options.address = group.address();
  if (options.address.empty()) {
    auto networks = exchangeTexts(group, networkIdentity());
    if (!networks)
      return networks.takeError();
    bool isOne = std::all_of(
        networks->begin(), networks->end(),
        [&](const std::string &text) { return text == networks->front(); });
    options.address = isOne ? loopbackAddress : anyAddress;
  }
  auto monitor =
      PeerMonitor::create(group.rank(), group.size(), std::move(options));
  if (!monitor)
    return monitor.takeError();
  world->monitor = std::move(*monitor);
  auto addresses = exchangeTexts(group, world->monitor->address());
  if (!addresses)
    return addresses.takeError();
  if (MaybeError error = world->monitor->connect(*addresses))
    return *error;
  std::string mine = machineIdentity();
  for (int core : availableCoreList())
    mine += " " + std::to_string(core);
  auto machines = exchangeTexts(group, mine);
  if (!machines)
    return machines.takeError();
  for (const std::string &text : *machines) {
    std::istringstream stream(text);
    stream >> world->machines.emplace_back();
    world->cores.emplace_back(std::istream_iterator<int>(stream),
                              std::istream_iterator<int>());
  }
  return world;
}

Expected<Placement> World::place(const Manifest &manifest) {
  if (manifest.devices < size())
    return Error{"the module has " + std::to_string(manifest.devices) +
                 " devices: expected at most as many ranks, got " +
                 std::to_string(size())};
  auto programs = exchangeTexts(group, fingerprint(manifest));
  if (!programs)
    return programs.takeError();
  for (size_t i = 1; i < programs->size(); ++i)
    if ((*programs)[i] != (*programs)[0])
      return Error{"rank " + std::to_string(i) +
                   " has another module than rank 0"};
  return Placement{&group, manifest.devices};
}

DeviceShare World::share(const Placement &placement) const {
  DeviceShare share;
  share.local = placement.devicesHere();
  assert(!share.local.empty() && "a process has at least one device");
  const std::string &machine = machines[size_t(rank())];
  for (int64_t device = 0; device < share.local.front(); ++device)
    share.firstOnMachine +=
        machines[size_t(placement.rankOf(device))] == machine;
  auto counts = coresByMachine(placement);
  share.coresPerDevice = counts.front().second;
  for (const auto &[name, count] : counts)
    share.coresPerDevice = std::min(share.coresPerDevice, count);
  return share;
}

std::vector<std::pair<std::string, int64_t>>
World::coresByMachine(const Placement &placement) const {
  struct Machine {
    std::string host;
    std::set<int> cores;
    int64_t devices = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, Machine> found;
  for (int64_t device = 0; device < placement.devices; ++device) {
    auto owner = size_t(placement.rankOf(device));
    auto [it, isNew] = found.try_emplace(machines[owner]);
    if (isNew) {
      order.push_back(machines[owner]);
      it->second.host = hosts[owner];
    }
    it->second.cores.insert(cores[owner].begin(), cores[owner].end());
    ++it->second.devices;
  }
  std::vector<std::pair<std::string, int64_t>> counts;
  for (const std::string &name : order) {
    const Machine &machine = found[name];
    counts.emplace_back(
        machine.host,
        std::max<int64_t>(1, int64_t(machine.cores.size()) / machine.devices));
  }
  return counts;
}

std::string World::differingCores(const Placement &placement) const {
  auto counts = coresByMachine(placement);
  std::string text;
  bool differ = false;
  for (const auto &[name, count] : counts) {
    differ |= count != counts.front().second;
    text += (text.empty() ? std::to_string(count) + " a device on '"
                          : ", " + std::to_string(count) + " on '") +
            name + "'";
  }
  return differ ? text : "";
}

Expected<Decision> World::agreeToStop(bool notFinite) {
  Decision now = decision;
  if (rank() != 0) {
    char word = 0;
    if (asked)
      if (MaybeError error =
              group.receive(0, Channel::Control, stopTag, &word, 1))
        return *error;
    asked = true;
    return Decision(word);
  }
  decision = notFinite                  ? Decision::NotFinite
             : monitor->stopRequested() ? Decision::Stop
                                        : Decision::GoOn;
  char word = char(decision);
  for (int to = 1; to < size(); ++to)
    if (MaybeError error = group.send(to, Channel::Control, stopTag, &word, 1))
      return *error;
  asked = true;
  return now;
}

void World::fail(const std::string &message) {
  monitor->fail(ownName + " has failed: " + message);
}

MaybeError World::leave() {
  // The root decides one iteration ahead: its last answer is still unread.
  char word = 0;
  if (asked && rank() != 0)
    if (MaybeError error =
            group.receive(0, Channel::Control, stopTag, &word, 1))
      return error;
  if (MaybeError error = group.close())
    return error;
  monitor->done();
  return std::nullopt;
}
