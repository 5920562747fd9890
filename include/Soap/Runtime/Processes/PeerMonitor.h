//===- PeerMonitor.h - Whether the other ranks are alive --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI does not say that a peer has died or stopped: whoever waits for its
// message waits forever. So every process keeps a TCP connection to every other
// one, apart from MPI, with a thread that sends signs of life and listens for
// them. A process that dies closes its connections at once, one that is stopped
// or whose host is gone falls silent: both are noticed whatever the other
// threads of this process are doing.
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
  /// How long a peer may give no sign of life. Signs are sent ten times as
  /// often, but at least every 500 ms.
  std::chrono::milliseconds silence{5000};
  /// For connecting to all peers.
  std::chrono::milliseconds connectTimeout{20000};
  /// The IPv4 address on which to listen for peers; "0.0.0.0": on all of this
  /// host.
  std::string address = "127.0.0.1";
  /// What all ranks know and strangers do not; empty: nothing.
  std::string secret = {};
  /// Told what is worth knowing and no error, such as strangers; may be null.
  std::function<void(const std::string &)> note = {};
  /// Called once, on the monitor's thread, when a peer is lost or has failed;
  /// `message` names the rank. Not called for peers that are done.
  std::function<void(const std::string &message)> onLost;
  /// Asked now and then: the user wants the run to end.
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

  /// How peers reach this process; to be given to `connect` of all of them, by
  /// rank.
  std::string address() const;
  /// Connects to all peers and starts the thread. Collective.
  MaybeError connect(const std::vector<std::string> &addresses);

  /// What this process tells about itself: a number that grows while it gets
  /// on, and whether all it does is wait for messages.
  void publish(uint64_t progress, bool waiting);
  /// How long all peers have done nothing but wait for messages; 0 if one has
  /// not.
  std::chrono::milliseconds silence() const;

  /// Tells all peers why this process is about to end; they are ended, too.
  void fail(const std::string &message);
  /// This process or a peer was asked to stop. Known to rank 0 only.
  bool stopRequested() const;
  /// This process is about to end, as it should.
  void done();

private:
  PeerMonitor();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace soap::runtime

#endif // SOAP_RUNTIME_PROCESSES_PEERMONITOR_H
