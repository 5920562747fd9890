//===- ProcessTransport.cpp - Messages between processes ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices of one process exchange messages in its memory; to others they go
// through the process group, with the transfer's number as tag. A message of
// the next iteration may come before this one has ended: messages of one sender
// and tag arrive in the order in which they were sent, and every transfer
// happens once per iteration, so it is matched by the next iteration's receive.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Transport/Transport.h"

#include "Runtime/Transport/DelayTransport.h"
#include "Runtime/Transport/HostCollectives.h"

#include <atomic>

using namespace soap;
using namespace soap::runtime;

namespace {

class ProcessTransport : public Transport {
public:
  ProcessTransport(const Placement &placement, int64_t transfers,
                   int64_t collectives)
      : place(placement),
        local(makeLocalTransport(placement.devices, transfers)),
        shared(placement, transfers, collectives) {}

  void start(int64_t iteration) override {
    aborted.store(false);
    local->start(iteration);
    shared.start();
  }

  MaybeError collective(const Collective &call) override {
    return shared.run(call);
  }

  MaybeError send(const Envelope &envelope, const void *data,
                  int64_t bytes) override {
    if (place.isHere(envelope.to))
      return local->send(envelope, data, bytes);
    if (aborted.load())
      return Error{"stopped because another device failed"};
    return place.group->send(place.rankOf(envelope.to), Channel::Device,
                             envelope.transfer, data, bytes);
  }

  MaybeError post(const Envelope &envelope, const void *data,
                  int64_t bytes) override {
    return place.isHere(envelope.to) ? local->post(envelope, data, bytes)
                                     : send(envelope, data, bytes);
  }

  MaybeError receive(const Envelope &envelope, void *data,
                     int64_t bytes) override {
    if (place.isHere(envelope.from))
      return local->receive(envelope, data, bytes);
    MaybeError error =
        place.group->receive(place.rankOf(envelope.from), Channel::Device,
                             envelope.transfer, data, bytes, &aborted);
    if (error && !aborted.load())
      return Error{"transfer " + std::to_string(envelope.transfer) +
                   " from device " + std::to_string(envelope.from) + ": " +
                   error->message};
    return error;
  }

  void abort() override {
    aborted.store(true);
    local->abort();
    shared.abort();
  }

  MaybeError finish() override { return local->finish(); }

private:
  Placement place;
  std::unique_ptr<Transport> local;
  HostCollectives shared;
  std::atomic<bool> aborted{false};
};

} // namespace

std::unique_ptr<Transport> runtime::makeTransport(const Placement &placement,
                                                  int64_t transfers,
                                                  int64_t collectives) {
  std::unique_ptr<Transport> transport;
  if (placement.size() == 1)
    transport = makeLocalTransport(placement.devices, transfers, collectives);
  else
    transport =
        std::make_unique<ProcessTransport>(placement, transfers, collectives);
  return withDelays(std::move(transport), placement.devices);
}
