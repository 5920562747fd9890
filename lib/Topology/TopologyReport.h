//===- TopologyReport.h - Topologies for readers ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a topology as text, and draws it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TOPOLOGY_TOPOLOGYREPORT_H
#define SOAP_LIB_TOPOLOGY_TOPOLOGYREPORT_H

#include "Soap/Topology/Topology.h"

namespace soap {

/// Device types with capacities and peaks, kinds of links, and the routes
/// between devices by hops, bandwidth (GB/s) and latency (us), each with an
/// example. With many devices, routes of the first ones alone. The topology
/// must have routes.
std::string describeTopology(const Topology &topology);

/// Most vertices (devices and switches) that a drawing shows.
constexpr int maxDrawnVertices = 600;

/// An SVG: devices in a row, switches above them by their distance from
/// devices, links as lines whose width grows with bandwidth. Of five equal
/// machines and more, two are drawn. An error if there are more than
/// `maxDrawnVertices` to draw.
Expected<std::string> drawTopology(const Topology &topology);

} // namespace soap

#endif // SOAP_LIB_TOPOLOGY_TOPOLOGYREPORT_H
