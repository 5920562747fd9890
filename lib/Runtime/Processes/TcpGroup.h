//===- TcpGroup.h - Messages between processes over TCP ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process group over one connection to every other rank, with a thread that
// writes and reads messages, so that no send waits.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_PROCESSES_TCPGROUP_H
#define SOAP_LIB_RUNTIME_PROCESSES_TCPGROUP_H

#include "Runtime/Processes/Sockets.h"
#include "Soap/Runtime/Processes/ProcessGroup.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>

namespace soap::runtime {

class TcpGroup : public ProcessGroup {
public:
  /// A socket per rank; that of this one is closed. A receive fails when its
  /// sender has been gone for `grace`; a send to a rank that is gone is lost.
  /// `address` is where the others reach this rank.
  TcpGroup(int rank, std::vector<Socket> sockets,
           std::chrono::milliseconds grace, std::string address);
  ~TcpGroup() override;

  int rank() const override { return me; }
  int size() const override { return int(peers.size()); }
  MaybeError send(int to, Channel channel, int64_t tag, const void *data,
                  int64_t bytes) override;
  MaybeError receive(int from, Channel channel, int64_t tag, void *data,
                     int64_t bytes, const std::atomic<bool> *cancel) override;
  MaybeError close() override;
  std::string address() const override { return ownAddress; }

private:
  struct Header {
    int64_t channel, tag, bytes;
  };
  struct Peer {
    Socket socket;
    /// Messages to write, the first from byte `written` on.
    std::deque<std::string> outbox;
    size_t written = 0;
    /// The message that is being read: a header, then its bytes.
    std::string incoming;
    bool inPayload = false;
    Header header{};
    bool closed = false, saidBye = false;
  };

  void loop();
  void wake() const;
  /// Both with the lock.
  void write(Peer &peer);
  void read(int from);
  void take(int from, const char *data, size_t bytes);

  int me;
  std::chrono::milliseconds grace;
  std::string ownAddress;
  std::vector<Peer> peers;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::tuple<int, int64_t, int64_t>, std::deque<std::string>> inbox;
  int wakeUp = -1;
  bool stop = false;
  std::thread thread;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_PROCESSES_TCPGROUP_H
