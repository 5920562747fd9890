//===- Resources.h - What tasks occupy --------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The resources of a topology: one compute queue per device and one queue per
// link. A task occupies all of its resources for its whole duration.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOPOLOGY_RESOURCES_H
#define SOAP_TOPOLOGY_RESOURCES_H

#include "Soap/Topology/Topology.h"

namespace soap {

struct Resource {
  std::string name;
  bool isLink = false;
};

/// Resources of a topology: compute queue of each device, then each link.
std::vector<Resource> makeResources(const Topology &topology);
/// Resources that a transfer occupies: every link of the route, and the
/// receiver's compute queue where its type says so.
std::vector<int> transferResources(const Topology &topology, int from, int to);

} // namespace soap

#endif // SOAP_TOPOLOGY_RESOURCES_H
