//===- RestrictTopology.h - Some devices of a topology ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cluster of an elastic run after ranks were lost with their devices.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_RESTRICTTOPOLOGY_H
#define SOAP_TOOLS_SOAPRUN_RESTRICTTOPOLOGY_H

#include "Soap/Topology/Topology.h"

namespace soap::run {

/// The topology without the other devices and their links. An error if devices
/// are not connected any more.
Expected<Topology> restrictTopology(const Topology &topology,
                                    const std::vector<int> &devices);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_RESTRICTTOPOLOGY_H
