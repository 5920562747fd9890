//===- ProcessGroup.h - Messages between processes --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `ProcessGroup` connects the processes (ranks) of one run. Messages are
// matched in order per sender, channel and tag. It is an interface:
// `rendezvous` (Rendezvous.h) makes a group over TCP, and `joinMpi` loads one
// over Open MPI from a library of its own, so that runs of one process need no
// MPI.
//
// A run of several processes is one program on all of them: each calls the
// functions marked *collective* in the same order.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_PROCESSES_PROCESSGROUP_H
#define SOAP_RUNTIME_PROCESSES_PROCESSGROUP_H

#include "Soap/Support/Error.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace soap::runtime {

/// Messages of device programs, of tensors on the host, and of control never
/// match each other.
enum class Channel { Device, Tensor, Control };

class ProcessGroup {
public:
  virtual ~ProcessGroup() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Takes the bytes at once and never waits for the receiver. Any thread.
  virtual MaybeError send(int to, Channel channel, int64_t tag,
                          const void *data, int64_t bytes) = 0;

  /// Waits for the next message of this sender, channel and tag. Fails if its
  /// size is not `bytes`, or once `cancel` is set. Any thread.
  virtual MaybeError receive(int from, Channel channel, int64_t tag, void *data,
                             int64_t bytes,
                             const std::atomic<bool> *cancel = nullptr) = 0;

  /// Waits until all ranks are here and everything that was sent has arrived;
  /// the group is of no use then. Collective; a process that has failed ends
  /// without it.
  virtual MaybeError close() = 0;

  /// The IPv4 address of this host on which other ranks reach this one; empty
  /// if the group does not know.
  virtual std::string address() const { return ""; }
};

/// The texts of all ranks, by rank. Collective.
Expected<std::vector<std::string>> exchangeTexts(ProcessGroup &group,
                                                 const std::string &mine);

/// The texts of all ranks on rank 0; other ranks get nothing. Collective.
Expected<std::vector<std::string>> gatherTexts(ProcessGroup &group,
                                               const std::string &mine);

/// Joins the ranks that `mpirun` started, through libSoapMPI.so beside the
/// other libraries. The group lives until the process ends.
Expected<ProcessGroup *> joinMpi();

/// Whether `mpirun` started this process, as its environment says.
bool startedByMpirun();

} // namespace soap::runtime

#endif // SOAP_RUNTIME_PROCESSES_PROCESSGROUP_H
