//===- SomeDevices.h - Some of a topology's devices -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first devices of a topology: for searches of the fewest devices, and for
// plans that leave devices idle.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_PROBLEM_SOMEDEVICES_H
#define SOAP_SEARCH_PROBLEM_SOMEDEVICES_H

#include "Soap/Topology/Topology.h"

namespace soap {

/// The first devices of a topology, with the same routes between them, and at
/// most so many bytes each (negative: what they have).
Topology firstDevices(const Topology &topology, int devices,
                      int64_t limitBytes);

/// Numbers of devices of a cluster to look at, ascending: 1, 2, 4, ... of a
/// machine, as many machines, and all.
std::vector<int> deviceCounts(const Topology &topology);

} // namespace soap

#endif // SOAP_SEARCH_PROBLEM_SOMEDEVICES_H
