//===- Cluster.cpp - Topologies of equal machines -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Cluster.h. All is looked up once a topology: devices and links of every
// machine are compared with the first one.
//
//===----------------------------------------------------------------------===//

#include "Soap/Topology/Cluster.h"

#include "Machines.h"

#include <algorithm>
#include <cassert>

using namespace soap;

static std::string machineName(int machine) {
  return "machine " + std::to_string(machine);
}

std::string Cluster::findMachines(const Topology &topology) {
  std::vector<std::vector<int>> found = topology.machines();
  machines = static_cast<int>(found.size());
  perMachine = static_cast<int>(found.front().size());
  machineOfVertex.assign(topology.devices.size() + topology.switches.size(),
                         -1);
  int next = 0;
  for (int m = 0; m < machines; ++m) {
    const std::vector<int> &devices = found[static_cast<size_t>(m)];
    if (static_cast<int>(devices.size()) != perMachine)
      return machineName(m) + " has " + std::to_string(devices.size()) +
             " devices, machine 0 has " + std::to_string(perMachine);
    for (int device : devices) {
      if (device != next++)
        return "devices of a machine are not next to each other by number";
      machineOfVertex[static_cast<size_t>(device)] = m;
    }
  }
  if (machines == 1) {
    std::fill(machineOfVertex.begin(), machineOfVertex.end(), 0);
    return {};
  }
  // Other switches lie between machines.
  std::vector<int> ofVertices = machineOfVertices(topology);
  int between = 0;
  for (size_t v = topology.devices.size(); v < ofVertices.size(); ++v) {
    machineOfVertex[v] = ofVertices[v];
    between += ofVertices[v] < 0;
  }
  if (between != 1)
    return "there are " + std::to_string(between) +
           " switches between machines, not one";
  return {};
}

std::string Cluster::findLinks(const Topology &topology) {
  links.resize(static_cast<size_t>(machines));
  owners.resize(topology.links.size());
  places.resize(topology.links.size());
  for (size_t l = 0; l < topology.links.size(); ++l) {
    const Link &link = topology.links[l];
    int from = machineOfVertex[static_cast<size_t>(link.from)],
        to = machineOfVertex[static_cast<size_t>(link.to)];
    if (from >= 0 && to >= 0 && from != to)
      return "link '" + link.name + "' leads from machine to machine";
    int machine = std::max(from, to);
    if (machine < 0)
      return "link '" + link.name + "' belongs to no machine";
    owners[l] = machine;
    places[l] = static_cast<int>(links[static_cast<size_t>(machine)].size());
    links[static_cast<size_t>(machine)].push_back(static_cast<int>(l));
  }
  return {};
}

std::string Cluster::compareMachines(const Topology &topology) const {
  // Vertices by their place in the machine: devices, then switches in order.
  std::vector<int> placeOf(machineOfVertex.size(), -1);
  std::vector<int> switches(static_cast<size_t>(machines), perMachine);
  for (size_t v = 0; v < machineOfVertex.size(); ++v)
    if (int m = machineOfVertex[v]; m >= 0)
      placeOf[v] = v < topology.devices.size()
                       ? static_cast<int>(v) % perMachine
                       : switches[static_cast<size_t>(m)]++;
  for (int d = 0; d < topology.deviceCount(); ++d)
    if (topology.devices[static_cast<size_t>(d)].type !=
        topology.devices[static_cast<size_t>(d % perMachine)].type)
      return "device '" + topology.devices[static_cast<size_t>(d)].name +
             "' is of another type than that of machine 0";
  for (int m = 1; m < machines; ++m) {
    const std::vector<int> &mine = linksOf(m), &first = linksOf(0);
    if (mine.size() != first.size())
      return machineName(m) + " has " + std::to_string(mine.size()) +
             " links, machine 0 has " + std::to_string(first.size());
    for (size_t i = 0; i < mine.size(); ++i) {
      const Link &a = topology.links[static_cast<size_t>(mine[i])],
                 &b = topology.links[static_cast<size_t>(first[i])];
      if (placeOf[static_cast<size_t>(a.from)] !=
              placeOf[static_cast<size_t>(b.from)] ||
          placeOf[static_cast<size_t>(a.to)] !=
              placeOf[static_cast<size_t>(b.to)] ||
          a.bandwidthBytesPerSecond != b.bandwidthBytesPerSecond ||
          a.latencyNs != b.latencyNs)
        return "link '" + a.name + "' differs from '" + b.name + "'";
    }
  }
  return {};
}

/// Of equal routes, which one is taken depends on device numbers. A few
/// machines show it: there are less than `shown` routes between two devices.
std::string Cluster::compareRoutes(const Topology &topology) const {
  constexpr int shown = 8;
  auto imageOf = [&](int from, int to, int first, int second) {
    std::vector<std::pair<int, int>> image; // which of the two, position
    for (int link : topology.route(from, to)) {
      int machine = machineOf(link);
      if (machine != first && machine != second)
        return std::vector<std::pair<int, int>>{{-1, -1}};
      image.emplace_back(machine == first ? 0 : 1, positionOf(link));
    }
    return image;
  };
  for (int m = 1; m < std::min(machines, shown + 1); ++m)
    for (int a = 0; a < perMachine; ++a)
      for (int b = 0; b < perMachine; ++b) {
        int far = m * perMachine;
        auto there = imageOf(a, far + b, 0, m);
        if (there.front().first < 0 ||
            there != imageOf(a, perMachine + b, 0, 1) ||
            imageOf(far + a, b, m, 0) != there ||
            (a != b && imageOf(far + a, far + b, m, m) != imageOf(a, b, 0, 0)))
          return "routes of " + machineName(m) +
                 " differ from the routes of machine 0, from device " +
                 std::to_string(a) + " to " + std::to_string(b);
      }
  return {};
}

Expected<Cluster> Cluster::of(const Topology &topology) {
  Cluster cluster;
  std::string reason;
  if (!topology.hasCollectives())
    reason = "devices have no collectives";
  for (const DeviceType &type : topology.deviceTypes)
    if (type.copiesOccupyReceiver && reason.empty())
      reason = "copies occupy their receivers";
  if (reason.empty())
    reason = cluster.findMachines(topology);
  if (reason.empty())
    reason = cluster.findLinks(topology);
  if (reason.empty())
    reason = cluster.compareMachines(topology);
  if (reason.empty())
    reason = cluster.compareRoutes(topology);
  if (!reason.empty())
    return Error{"topology '" + topology.name +
                 "' is not a cluster of equal machines: " + reason};
  return cluster;
}

Topology Cluster::firstMachines(const Topology &topology, int count) const {
  assert(count > 0 && count <= machines && "no such machines");
  Topology result;
  result.name = topology.name;
  result.deviceTypes = topology.deviceTypes;
  int devices = count * perMachine;
  std::vector<int> vertexOf(machineOfVertex.size(), -1);
  for (int d = 0; d < devices; ++d) {
    vertexOf[static_cast<size_t>(d)] = d;
    result.devices.push_back(topology.devices[static_cast<size_t>(d)]);
  }
  for (size_t v = topology.devices.size(); v < machineOfVertex.size(); ++v)
    if (machineOfVertex[v] < count) {
      vertexOf[v] = devices + static_cast<int>(result.switches.size());
      result.switches.push_back(topology.switches[v - topology.devices.size()]);
    }
  for (size_t l = 0; l < topology.links.size(); ++l) {
    if (owners[l] >= count)
      continue;
    Link link = topology.links[l];
    link.from = vertexOf[static_cast<size_t>(link.from)];
    link.to = vertexOf[static_cast<size_t>(link.to)];
    result.links.push_back(std::move(link));
  }
  // Routes inside of the cluster lie inside of what is kept.
  [[maybe_unused]] MaybeError error = result.computeRoutes();
  assert(!error && "machines of a cluster are connected");
  return result;
}
