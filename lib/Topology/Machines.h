//===- Machines.h - Which machine each vertex is in -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices may say which machine they are in; else links tell. docs/Topology.md
// has the rule for users.
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
/// - Where devices name their machines, these are the machines.
/// - Else devices are in one machine if links join them that are at least as
///   fast as the fastest ones of a device of their type: of no less bandwidth
///   and no more latency. A switch that these links lead to is in that machine.
/// - A switch that leads to one machine only, as a network card, is in it.
std::vector<int> machineOfVertices(const Topology &topology);

} // namespace soap

#endif // SOAP_LIB_TOPOLOGY_MACHINES_H
