//===- HostMemory.h - State of the optimizer beside devices -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The states of an optimizer may live in the memory of the host: they take none
// of the device, and the update reads and writes them over the link between the
// two. Devices whose memory is the host's (CPUs) have them where they are
// (docs/HostMemory.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MEMORY_HOSTMEMORY_H
#define SOAP_MEMORY_HOSTMEMORY_H

#include "Soap/Plan/Plan.h"
#include "Soap/Plan/PlanState.h"

namespace soap {

/// Numbers of the graph's inputs that optimizers keep beside their weights:
/// velocities and moments that `sgd` and `adam` replace.
std::vector<int> optimizerStates(const Graph &graph);

/// An error, without a place, if an input may not live in the memory of the
/// host: it is no state of an optimizer, or more than its update touches it.
MaybeError checkInHost(const Graph &graph, int input);

/// Puts an input that passes `checkInHost`, and its new value, into the memory
/// of the host (`GraphValue::inHost`).
void putInHost(Graph &graph, int input);
/// The same with all states of the optimizer; an error if there are none.
MaybeError putOptimizerInHost(Graph &graph);
/// An error if a value is in the memory of the host that may not be there.
MaybeError checkHostValues(const Graph &graph);

/// Takes a graph to the devices that it runs on: where their memory is the
/// host's, nothing is beside it. An error if a device has memory of its own and
/// no link to the host, or if devices of both kinds are there.
MaybeError resolveHostMemory(Graph &graph, const Topology &topology);

/// Bytes in the memory of the host, by device that reads them.
std::vector<int64_t> hostBytes(const PlanState &plan);
std::vector<int64_t> hostBytes(const Graph &graph, const Plan &plan,
                               int deviceCount);

/// A message if the devices of a machine have more in the memory of its host
/// than their types say that there is; empty: they have not. `bytes`: by
/// device.
std::string describeHostLack(const Topology &topology,
                             const std::vector<int64_t> &bytes);

} // namespace soap

#endif // SOAP_MEMORY_HOSTMEMORY_H
