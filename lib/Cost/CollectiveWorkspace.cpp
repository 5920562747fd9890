//===- CollectiveWorkspace.cpp - What builders of models share ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveWorkspace.h"

#include <cassert>

using namespace soap;

CollectiveWorkspace::CollectiveWorkspace(const Topology &topology)
    : parts(std::make_unique<Parts>(topology)) {}

CollectiveWorkspace::~CollectiveWorkspace() = default;

const Topology &CollectiveWorkspace::getTopology() const {
  return parts->topology;
}

RouteSets &CollectiveWorkspace::routeSets() { return parts->routeSets(); }

const std::vector<int> &CollectiveWorkspace::machineOf() {
  return parts->machineOf();
}

RouteSets &CollectiveWorkspace::Parts::routeSets() {
  if (!sets)
    sets.emplace(topology);
  return *sets;
}

const std::vector<int64_t> *CollectiveWorkspace::Parts::messageTimesNs() {
  int count = topology.deviceCount();
  assert(count > 1 && "at least two devices");
  if (count > maxForPairs)
    return nullptr;
  if (pairNs.empty())
    for (int from = 0; from < count; ++from)
      for (int to = 0; to < count; ++to)
        pairNs.push_back(topology.transferNs(from, to, ringMessageBytes));
  return &pairNs;
}

const std::vector<int> &CollectiveWorkspace::Parts::machineOf() {
  if (machineNumbers.empty()) {
    machineNumbers.resize(topology.devices.size());
    int number = 0;
    for (const std::vector<int> &machine : topology.machines()) {
      for (int device : machine)
        machineNumbers[static_cast<size_t>(device)] = number;
      ++number;
    }
  }
  return machineNumbers;
}

const MachineRoutes *CollectiveWorkspace::Parts::machineRoutes() {
  if (!knowsMachines)
    machines = MachineRoutes::of(topology);
  knowsMachines = true;
  return machines.get();
}
