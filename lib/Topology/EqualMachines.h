//===- EqualMachines.h - Machines that are alike ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether all machines of a topology have the same devices, switches and links,
// so that a drawing may show a few of them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TOPOLOGY_EQUALMACHINES_H
#define SOAP_LIB_TOPOLOGY_EQUALMACHINES_H

#include "Soap/Topology/Topology.h"

#include <vector>

namespace soap {

/// By vertex (devices, then switches) the number of its machine, -1: it is in
/// none, as a network is. Empty if some machine differs from another one, or is
/// linked to it directly.
std::vector<int> findEqualMachines(const Topology &topology);

} // namespace soap

#endif // SOAP_LIB_TOPOLOGY_EQUALMACHINES_H
