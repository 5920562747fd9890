//===- CollectiveReport.h - Prices of collectives as a table ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model's prices of collectives of a topology, in the terms in which
// nccl-tests prints measured times.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_COST_COLLECTIVEREPORT_H
#define SOAP_COST_COLLECTIVEREPORT_H

#include "Soap/Topology/Topology.h"

#include <span>
#include <string>

namespace soap {

/// A table: kind, devices, bytes as nccl-tests counts them, microseconds,
/// bus bandwidth in GB/s, and whether the time is `measured` or of the `links`.
/// Collectives are of the first devices of the topology. An entry of `devices`
/// is at least 2 and no more than there are; none: 2, 4, 8, ... and all of
/// them. `bytes` are above 0; none: 1 KiB, 4 KiB, ..., 1 GiB.
std::string describeCollectives(const Topology &topology,
                                std::span<const int> devices,
                                std::span<const int64_t> bytes);

} // namespace soap

#endif // SOAP_COST_COLLECTIVEREPORT_H
