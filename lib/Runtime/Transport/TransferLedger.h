//===- TransferLedger.h - Checks the messages given to NCCL -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NCCL matches the messages between two devices by their order alone and waits
// forever where they do not match: a message of another size, one in another
// order, or a missing one is at best a hang. The ledger sees both sides of
// every message between devices of this process as they are given to NCCL, and
// reports a mismatch, from the messages and from the devices that have ended:
// it needs no clock.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_TRANSPORT_TRANSFERLEDGER_H
#define SOAP_LIB_RUNTIME_TRANSPORT_TRANSFERLEDGER_H

#include "Runtime/Transport/Transport.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace soap::runtime {

/// All functions may be called by several threads, each device by one of them.
class TransferLedger {
public:
  /// Of `devices`, this process has the `local` ones.
  TransferLedger(int64_t devices, const std::vector<int64_t> &local);

  /// A new iteration: nothing was given yet, and all devices run.
  void start();

  /// A device gives a message to the transport. An error if the other
  /// device has given another transfer or another size at the same place.
  MaybeError give(bool isSend, const Envelope &envelope, int64_t bytes);

  /// A device gives its part in a collective. An error if another device of the
  /// group has given another one at the same place, or one that differs in
  /// kind, type, number of elements or root.
  MaybeError give(const Collective &call);

  /// The device waits until all that it has given has happened; it goes on with
  /// `resumes`. Or its program has ended. An error if no device can go on any
  /// more: all that have not ended wait for messages that no device will give.
  MaybeError waits(int64_t device);
  void resumes(int64_t device);
  /// Waits until the devices of this process have given their sides of all that
  /// the device has given. False after `stop`.
  bool meet(int64_t device);
  void stop();
  MaybeError ended(int64_t device);

private:
  enum State { Elsewhere, Running, Waiting, Ended };
  struct Message {
    bool isSend;
    int64_t transfer, bytes;
  };
  struct Device {
    State state = Elsewhere;
    /// Messages that the other side has not given yet; with devices of other
    /// processes that is not known.
    int64_t unmatched = 0, unknown = 0;
  };

  /// A collective that some devices of its group have given and some have not.
  struct Round {
    Collective call; ///< of the first
    std::vector<int64_t> given;
  };
  /// The collectives of a group, from the first one that is not complete on.
  struct Sequence {
    std::deque<Round> rounds;
    int64_t complete = 0;             ///< rounds before those
    std::map<int64_t, int64_t> count; ///< by device: rounds that it has given
  };

  /// An error with the reason if no device can go on.
  MaybeError check();

  std::mutex mutex;
  std::condition_variable changed; ///< what devices have given, or `stopped`
  bool stopped = false;
  std::vector<Device> devices;
  std::vector<int64_t> local;
  /// By sender and receiver: messages that one side has given and the other
  /// not.
  std::map<std::pair<int64_t, int64_t>, std::deque<Message>> open;
  /// By devices, ascending: NCCL has a communicator for them.
  std::map<std::vector<int64_t>, Sequence> sequences;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_TRANSPORT_TRANSFERLEDGER_H
