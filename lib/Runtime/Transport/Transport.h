//===- Transport.h - Messages and collectives of devices --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `Transport` carries a message from the send of one device program to the
// receive of another, and runs collectives. Programs know neither the transport
// nor each other: an *envelope* names both devices and the transfer, a number
// that occurs once per iteration. The transport `local` is memory of one
// process; between processes a process group carries the messages; over NCCL,
// see NcclTransport.h.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_TRANSPORT_TRANSPORT_H
#define SOAP_LIB_RUNTIME_TRANSPORT_TRANSPORT_H

#include "Runtime/Transport/Collective.h"
#include "Soap/Runtime/Processes/Placement.h"
#include "Soap/Support/Error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace soap::runtime {

struct Envelope {
  int64_t from = 0, to = 0, transfer = 0;
  /// Of the device of this process that sends or receives, if it is one of a
  /// backend: its view, and the stream that does it.
  BackendDevice *device = nullptr;
  int64_t stream = 0;
};

class Transport {
public:
  virtual ~Transport() = default;

  /// Starts an iteration: every transfer may happen once. Called while no
  /// device runs; also ends an abort.
  virtual void start(int64_t iteration) = 0;

  /// Takes the bytes at once: the caller may reuse `data`. Never waits for the
  /// receiver, so that no order of sends and receives can lock up senders.
  virtual MaybeError send(const Envelope &envelope, const void *data,
                          int64_t bytes) = 0;

  /// As `send`, but `data` stays as it is until the end of the iteration:
  /// within a process, the receiver copies from there, which is the only copy.
  virtual MaybeError post(const Envelope &envelope, const void *data,
                          int64_t bytes) {
    return send(envelope, data, bytes);
  }

  /// Waits until the message is there and copies it. Fails if its size is not
  /// `bytes`, or on `abort`.
  virtual MaybeError receive(const Envelope &envelope, void *data,
                             int64_t bytes) = 0;

  /// The part of one device in a collective, whose buffers have been checked
  /// (`Collective::check`). Waits for the others where it must. When it
  /// returns, or in the order of its stream, its inputs may be reused and its
  /// outputs are complete.
  virtual MaybeError collective(const Collective &call) = 0;

  /// Messages of a device between these two do not wait for each other, and
  /// messages that it receives are complete after the end. Transports whose
  /// sends never wait need nothing for that.
  virtual MaybeError beginGroup(int64_t) { return std::nullopt; }
  virtual MaybeError endGroup(int64_t) { return std::nullopt; }

  /// The program of a device of this process has ended: it sends and receives
  /// nothing any more in this iteration.
  virtual MaybeError ended(int64_t) { return std::nullopt; }

  /// An error that a device has met after the calls that caused it returned, if
  /// any. Another thread polls this while devices are at work.
  struct Trouble {
    int64_t device = 0;
    std::string message;
  };
  virtual std::optional<Trouble> trouble() { return std::nullopt; }

  /// Wakes all receivers; they and later calls fail until the next `start`, or
  /// for ever (see `ready`). Waits for nothing.
  virtual void abort() = 0;

  /// Why no iteration can begin any more, if that is so after an abort.
  virtual MaybeError ready() const { return std::nullopt; }

  /// As `abort`, in an iteration that was only recorded: messages are in order
  /// again with the next `start`.
  virtual void interrupt() { abort(); }

  /// Ends an iteration that no device failed in: a message that no device has
  /// received is an error.
  virtual MaybeError finish() = 0;
};

/// Mailboxes in the memory of this process, for devices `[0, devices)`,
/// transfers `[0, transfers)` and collectives `[0, collectives)`. Buffers of
/// messages that were sent, not posted, are kept between iterations.
std::unique_ptr<Transport>
makeLocalTransport(int64_t devices, int64_t transfers, int64_t collectives = 0);

class Backend;

/// Between devices of a backend, all of this process; the backend outlives it.
std::unique_ptr<Transport> makeDeviceTransport(Backend &backend,
                                               int64_t transfers,
                                               int64_t collectives = 0);

/// For the devices of a placement: the local one if it has one process, else
/// one over its process group.
std::unique_ptr<Transport> makeTransport(const Placement &placement,
                                         int64_t transfers,
                                         int64_t collectives = 0);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_TRANSPORT_TRANSPORT_H
