//===- Rendezvous.h - Connects ranks over TCP -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `rendezvous` makes a process group without MPI. Each process knows its rank,
// the number of ranks, and an endpoint at which rank 0 listens. Rank 0 accepts
// the others and tells each the addresses of the others, and every rank
// connects to every other one. Devices may then send over NCCL, which starts
// over this group.
//
// No rank waits longer than the time limit; the message then names the missing
// ranks. Connections of programs that are no ranks are dropped and counted.
// With a secret, every connection begins with a proof that both ends have it
// (docs/Runtime.md says what that protects from), and ranks whose settings
// differ end all ranks with the same message. Without a secret, a rank whose
// settings differ is told so, and the others wait on.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_PROCESSES_RENDEZVOUS_H
#define SOAP_RUNTIME_PROCESSES_RENDEZVOUS_H

#include "Soap/Runtime/Processes/ProcessGroup.h"

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

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
  /// A secret that all ranks share; empty: none.
  std::string secret = {};
  std::chrono::milliseconds timeout{120000};
  /// When a rank has gone, receivers wait this much longer before they fail:
  /// the peer monitor may know the reason and end the process first.
  std::chrono::milliseconds grace{0};
  /// Called on rank 0 with its port once it listens. May be empty.
  std::function<void(int port)> onListening = {};
  /// Called before an error whose reason is that ranks did not come in time, or
  /// were not reached, with these ranks; without any where rank 0 says it. May
  /// be empty.
  std::function<void(const std::vector<int> &ranks)> onAbsent = {};
  /// Receives remarks that are no errors: refused connections, missing
  /// protection. May be empty.
  std::function<void(const std::string &)> note = {};
};

/// An error unless the text is an endpoint; it says what was expected.
MaybeError checkEndpoint(const std::string &endpoint);

/// Connects to all other ranks. Collective. An error names the ranks that are
/// missing or do not fit.
Expected<std::unique_ptr<ProcessGroup>>
rendezvous(const RendezvousOptions &options);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_PROCESSES_RENDEZVOUS_H
