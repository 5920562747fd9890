//===- InsideExchange.cpp - Exchanges inside of machines ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See InsideExchange.h.
//
//===----------------------------------------------------------------------===//

#include "InsideExchange.h"

#include "Soap/Profile/ProfileModel.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace soap;

/// Whether the profile of a type has an all-to-all over links of the topology.
static bool knowsAllToAll(const Topology &topology, const DeviceType &type) {
  if (!type.costs)
    return false;
  const Profile &profile = type.costs->getProfile();
  auto isAllToAll = [](const CollectiveEntries &entries) {
    return entries.kind == CollectiveKind::AllToAll;
  };
  return knowsCollectives(profile, type) &&
         std::ranges::any_of(profile.collectives, isAllToAll) &&
         hasMeasuredLinks(topology, profile);
}

void InsideExchange::begin(CollectiveWorkspace &workspace) {
  if (!topology) {
    topology = &workspace.getTopology();
    machines = &workspace.machineOf();
    for (const DeviceType &type : topology->deviceTypes)
      isMeasured.push_back(knowsAllToAll(*topology, type));
    auto last = std::ranges::max_element(*machines);
    bytesOf.assign(last == machines->end() ? 0 : static_cast<size_t>(*last) + 1,
                   0);
    readersOf = bytesOf;
  }
  assert(topology == &workspace.getTopology() && "one workspace");
  sent.assign(topology->devices.size(), 0);
  received = sent;
}

void InsideExchange::add(std::span<const int> senders,
                         std::span<const int64_t> bytes,
                         std::span<const int> readers) {
  auto at = [](std::vector<int64_t> &list, int index) -> int64_t & {
    return list[static_cast<size_t>(index)];
  };
  auto ofMachine = [&](std::vector<int64_t> &list, int device) -> int64_t & {
    return at(list, (*machines)[static_cast<size_t>(device)]);
  };
  for (size_t i = 0; i < senders.size(); ++i)
    ofMachine(bytesOf, senders[i]) += bytes[i];
  for (int device : readers)
    ++ofMachine(readersOf, device);
  for (int device : readers)
    at(received, device) += ofMachine(bytesOf, device);
  for (size_t i = 0; i < senders.size(); ++i) {
    int64_t others = ofMachine(readersOf, senders[i]);
    if (std::ranges::binary_search(readers, senders[i])) {
      --others;
      at(received, senders[i]) -= bytes[i];
    }
    at(sent, senders[i]) += bytes[i] * others;
  }
  for (int device : senders)
    ofMachine(bytesOf, device) = 0;
  for (int device : readers)
    ofMachine(readersOf, device) = 0;
}

std::optional<InsideExchange::AllToAll>
InsideExchange::measured(std::span<const int> devices) const {
  auto maxBytes = [&](int device) {
    auto d = static_cast<size_t>(device);
    return std::max(sent[d], received[d]);
  };
  auto machine = [&](int device) {
    return (*machines)[static_cast<size_t>(device)];
  };
  int busiest = *std::ranges::max_element(
      devices, [&](int a, int b) { return maxBytes(a) < maxBytes(b); });
  if (maxBytes(busiest) == 0 ||
      !isMeasured[static_cast<size_t>(
          topology->devices[static_cast<size_t>(busiest)].type)])
    return std::nullopt;
  AllToAll made;
  for (int device : devices)
    if (machine(device) == machine(busiest) && maxBytes(device) > 0)
      made.devices.push_back(device);
  // Each of n devices sends (n - 1) / n^2 of the whole.
  auto n = static_cast<double>(made.devices.size());
  made.bytes = std::llround(static_cast<double>(maxBytes(busiest)) * n * n /
                            std::max(n - 1, 1.0));
  return made;
}
