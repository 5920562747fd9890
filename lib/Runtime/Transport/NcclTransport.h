//===- NcclTransport.h - Messages between devices over NCCL -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A communicator of all devices of a run, and one of each group of devices that
// its collectives name, made once, and the transport over them. Messages
// between two devices are matched by their order, which is that of the global
// schedule on both sides; those that follow each other in a program are groups.
// Without a backend the memory is that of the host, which only a stand-in for
// NCCL can serve (docs/GPURuntime.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_TRANSPORT_NCCLTRANSPORT_H
#define SOAP_LIB_RUNTIME_TRANSPORT_NCCLTRANSPORT_H

#include "Runtime/Backend/Backend.h"
#include "Runtime/Transport/Transport.h"

namespace soap::runtime {

/// NCCL with one communicator per device of this process.
class NcclWorld {
public:
  virtual ~NcclWorld() = default;

  /// Collective over the processes of the placement. `backend` is null on the
  /// CPU. `groups` may name a group several times, in any order of its devices.
  static Expected<std::shared_ptr<NcclWorld>>
  create(const Placement &placement, Backend *backend,
         const std::vector<std::vector<int64_t>> &groups = {});
  /// The transport of one entry; several share the communicators.
  virtual std::unique_ptr<Transport> transport() = 0;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_TRANSPORT_NCCLTRANSPORT_H
