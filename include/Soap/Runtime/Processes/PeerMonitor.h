//===- PeerMonitor.h - Notices ranks that have died -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI does not report that a rank has died or stopped: a receiver waits for its
// message forever. So every process keeps a TCP connection to every other one,
// apart from MPI, with a thread that sends heartbeats and listens for them. A
// process that dies closes its connections at once; one that is stopped, or
// whose host is gone, falls silent. The monitor notices both, whatever the
// other threads of this process do.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_PROCESSES_PEERMONITOR_H
#define SOAP_RUNTIME_PROCESSES_PEERMONITOR_H

#include "Soap/Support/Error.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace soap::runtime {

struct PeerMonitorOptions {
  /// A peer that sends no heartbeat for this long is lost. Heartbeats are sent
  /// ten times as often, but at least every 500 ms.
  std::chrono::milliseconds silence{5000};
  /// The time limit for connecting to all peers.
  std::chrono::milliseconds connectTimeout{20000};
  /// The IPv4 address on which to listen for peers; "0.0.0.0": on all of this
  /// host.
  std::string address = "127.0.0.1";
  /// A secret that all ranks share; empty: none.
  std::string secret = {};
  /// Receives remarks that are no errors, such as refused connections. May be
  /// empty.
  std::function<void(const std::string &)> note = {};
  /// Called once, on the monitor's thread, when a peer is lost or has failed;
  /// `message` names the rank. `lost` are the ranks that have died or are out
  /// of reach, as the rank that noticed it saw them; empty if a rank has failed
  /// by itself. Not called for peers that are done.
  std::function<void(const std::string &message, const std::vector<int> &lost)>
      onLost;
  /// Polled by the monitor's thread: whether the user wants the run to end.
  std::function<bool()> stopRequested;
};

class PeerMonitor {
public:
  /// Listens for peers.
  static Expected<std::unique_ptr<PeerMonitor>>
  create(int rank, int size, PeerMonitorOptions options);
  /// Ends the thread and closes the connections; to peers that looks like a
  /// death unless `done` was called.
  ~PeerMonitor();

  /// The address at which peers reach this process. The caller gives the
  /// addresses of all ranks, by rank, to `connect` of each.
  std::string address() const;
  /// Connects to all peers and starts the thread. Collective.
  MaybeError connect(const std::vector<std::string> &addresses);

  /// Publishes the state of this process to its peers: a number that grows
  /// while it makes progress, and whether it only waits for messages.
  void publish(uint64_t progress, bool waiting);
  /// For how long all peers have only waited for messages; 0 if some peer has
  /// done anything else.
  std::chrono::milliseconds silence() const;
  /// For how long the number of no peer has grown.
  std::chrono::milliseconds withoutProgress() const;

  /// Tells all peers why this process is about to end, and ends them, too.
  void fail(const std::string &message);
  /// This process or a peer was asked to stop. Known to rank 0 only.
  bool stopRequested() const;
  /// Tells all peers that this process is about to end without an error.
  void done();

private:
  PeerMonitor();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace soap::runtime

#endif // SOAP_RUNTIME_PROCESSES_PEERMONITOR_H
