//===- HostCollectives.h - Collectives in the memory of hosts ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the transports `local` and `mpi` run a collective: devices of a process
// meet and read each other's buffers where they lie; devices of other
// processes get messages. An all-reduce is a reduce-scatter, in which each
// device sums its slice of all parts, and an all-gather of the slices. Each
// element is summed in one place, in the order of the group: the bits depend
// neither on timing nor on the number of processes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_TRANSPORT_HOSTCOLLECTIVES_H
#define SOAP_LIB_RUNTIME_TRANSPORT_HOSTCOLLECTIVES_H

#include "Runtime/Transport/Collective.h"
#include "Soap/Runtime/Processes/Placement.h"
#include "Soap/Support/Error.h"

#include <atomic>
#include <memory>
#include <vector>

namespace soap::runtime {

class HostCollectives {
public:
  /// For collectives numbered `[0, count)`. Messages between processes have
  /// tags from `firstTag` on, by the two devices: each pair meets its
  /// collectives in one order.
  HostCollectives(const Placement &placement, int64_t firstTag, int64_t count);
  ~HostCollectives();

  void start();
  MaybeError run(const Collective &collective);
  void abort();

private:
  struct Meeting;
  class Member;

  const Placement place;
  const int64_t firstTag;
  /// Devices have cores of their own, which would have nothing else to do.
  const bool mayPoll;
  std::vector<std::unique_ptr<Meeting>> meetings;
  std::atomic<bool> aborted{false};
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_TRANSPORT_HOSTCOLLECTIVES_H
