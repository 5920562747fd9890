//===- DeviceCollectives.h - Collectives between devices --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How transport `local` runs a collective of devices of a backend, all of this
// process: their threads meet and tell each other where buffers lie, and their
// streams copy and add, in the order of the group, after signals of each other.
// Several devices may be one. The same slices and sums as HostCollectives.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_TRANSPORT_DEVICECOLLECTIVES_H
#define SOAP_LIB_RUNTIME_TRANSPORT_DEVICECOLLECTIVES_H

#include "Runtime/Backend/Backend.h"
#include "Runtime/Transport/Collective.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace soap::runtime {

class DeviceCollectives {
public:
  /// For collectives numbered `[0, count)`.
  DeviceCollectives(Backend &backend, int64_t count);
  ~DeviceCollectives();

  void start();
  MaybeError run(const Collective &collective);
  void abort();

private:
  struct Meeting;
  class Member;
  struct Memory {
    void *data = nullptr;
    int64_t bytes = 0;
  };

  /// At least so large; kept between iterations.
  Expected<void *> grow(Memory &memory, int64_t device, int64_t bytes);

  Backend &backend;
  std::mutex mutex;
  std::condition_variable changed;
  bool aborted = false;
  std::vector<std::unique_ptr<Meeting>> meetings;
  /// By device and stream: data of another device, to be added next.
  std::map<std::pair<int64_t, int64_t>, Memory> incoming;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_TRANSPORT_DEVICECOLLECTIVES_H
