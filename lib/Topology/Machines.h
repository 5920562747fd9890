//===- Machines.h - Which machine each vertex is in -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A topology has devices, switches and links, and says nothing of hosts. Two
// things tell them: names of switches with a point in them, and else the links
// themselves. docs/Topology.md has the rule for users.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TOPOLOGY_MACHINES_H
#define SOAP_LIB_TOPOLOGY_MACHINES_H

#include "Soap/Topology/Topology.h"

#include <vector>

namespace soap {

/// By vertex (devices, then switches) the number of its machine, -1: it is in
/// none, as a network is. Devices are in one each; machines are numbered in the
/// order of their first devices.
///
/// - Where a device is linked to a switch with a point in its name, the text
///   before the point is its machine (`node0.host`, `node0.pcie1`).
/// - Else devices are in one machine if links join them that are at least as
///   fast as the fastest ones of a device of their type: of no less bandwidth
///   and no more latency. A switch that these links lead to is in that machine,
///   and so is one that leads to no other, as a network card.
std::vector<int> machineOfVertices(const Topology &topology);

} // namespace soap

#endif // SOAP_LIB_TOPOLOGY_MACHINES_H
