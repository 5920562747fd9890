//===- Rendezvous.h - Processes that meet over TCP --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of several processes without MPI. Each process knows its rank, how many
// there are, and where rank 0 waits; rank 0 takes them in, tells each where the
// others are, and all connect to all. What comes of it is a process group like
// that of MPI. Messages of devices may then go over NCCL, which meets over it.
//
// Nothing waits longer than the time limit. Whoever is missing then is named.
// Connections of strangers are dropped, and counted. With a secret, every
// connection begins with a proof that both ends have it (docs/Runtime.md says
// what that protects from); ranks that do not fit together end all with the
// same message. Without one, whoever does not fit is told so and the others
// wait on.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_PROCESSES_RENDEZVOUS_H
#define SOAP_RUNTIME_PROCESSES_RENDEZVOUS_H

#include "Soap/Runtime/Processes/ProcessGroup.h"

#include <chrono>
#include <functional>
#include <memory>

namespace soap::runtime {

struct RendezvousOptions {
  /// "HOST:PORT", where rank 0 listens; on port 0 it takes a free one. Or
  /// "file:PATH": rank 0 listens on a free port and writes the file, which the
  /// others wait for.
  std::string endpoint;
  int rank = 0, ranks = 1;
  /// The host name or IPv4 address on which this rank listens; "0.0.0.0": on
  /// all. Empty: rank 0 on HOST of the endpoint, or on loopback with a file;
  /// the others where they reach rank 0 from.
  std::string listen = {};
  /// What all ranks know and strangers do not; empty: nothing.
  std::string secret = {};
  std::chrono::milliseconds timeout{120000};
  /// How long who waits for a rank that has gone waits on: somebody else, who
  /// knows more, may be about to end the process.
  std::chrono::milliseconds grace{0};
  /// Rank 0 listens, on this port.
  std::function<void(int port)> onListening = {};
  /// Told what is worth knowing and no error: strangers, missing protection.
  std::function<void(const std::string &)> note = {};
};

/// An error if the endpoint is none: says what was expected.
MaybeError checkEndpoint(const std::string &endpoint);

/// Meets the others. Collective.
Expected<std::unique_ptr<ProcessGroup>>
rendezvous(const RendezvousOptions &options);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_PROCESSES_RENDEZVOUS_H
