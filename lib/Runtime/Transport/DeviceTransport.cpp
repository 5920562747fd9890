//===- DeviceTransport.cpp - Messages between devices of a backend --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transport `local` for devices with memory of their own, in one process: a
// message is copied into a buffer on its receiver, on a stream of the sender,
// and from there on a stream of the receiver, which waits for a signal of the
// sender. The threads meet only to learn that the signal is there. So several
// devices may be one, too: virtual devices.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Backend/Backend.h"
#include "Runtime/Transport/DeviceCollectives.h"
#include "Runtime/Transport/Transport.h"

#include <condition_variable>
#include <mutex>
#include <vector>

using namespace soap;
using namespace soap::runtime;

namespace {

struct Box {
  void *buffer = nullptr; ///< on the receiver
  int64_t capacity = 0, bytes = 0;
  void *signal = nullptr; ///< null: not sent
  bool taken = false;
};

std::string describe(const Envelope &envelope) {
  return "transfer " + std::to_string(envelope.transfer) + " from device " +
         std::to_string(envelope.from) + " to device " +
         std::to_string(envelope.to);
}

class DeviceTransport : public Transport {
public:
  DeviceTransport(Backend &backend, int64_t transfers, int64_t collectives)
      : backend(backend), boxes(size_t(transfers)),
        shared(backend, collectives) {}

  void start(int64_t) override {
    for (Box &box : boxes) {
      box.signal = nullptr;
      box.taken = false;
    }
    shared.start();
    aborted = false;
  }

  MaybeError collective(const Collective &call) override {
    return shared.run(call);
  }

  MaybeError send(const Envelope &envelope, const void *data,
                  int64_t bytes) override {
    Box &box = boxes[size_t(envelope.transfer)];
    if (box.signal)
      return Error{describe(envelope) + " was sent twice"};
    if (box.capacity < bytes || !box.buffer) {
      auto buffer = backend.allocate(envelope.to, bytes);
      if (!buffer)
        return buffer.takeError();
      box.buffer = *buffer;
      box.capacity = bytes;
    }
    if (MaybeError error =
            envelope.device->copy(box.buffer, data, bytes, envelope.stream))
      return error;
    auto signal = envelope.device->signal(envelope.stream);
    if (!signal)
      return signal.takeError();
    {
      std::lock_guard<std::mutex> lock(mutex);
      box.bytes = bytes;
      box.signal = *signal;
    }
    sent.notify_all();
    return std::nullopt;
  }

  MaybeError receive(const Envelope &envelope, void *data,
                     int64_t bytes) override {
    Box &box = boxes[size_t(envelope.transfer)];
    {
      std::unique_lock<std::mutex> lock(mutex);
      sent.wait(lock, [&] { return aborted || box.signal; });
      if (aborted)
        return Error{"stopped because another device failed"};
    }
    if (box.taken)
      return Error{describe(envelope) + " was received twice"};
    if (box.bytes != bytes)
      return Error{describe(envelope) + ": expected " + std::to_string(bytes) +
                   " bytes, got " + std::to_string(box.bytes)};
    box.taken = true;
    if (MaybeError error =
            envelope.device->waitSignal(box.signal, envelope.stream))
      return error;
    return envelope.device->copy(data, box.buffer, bytes, envelope.stream);
  }

  void abort() override {
    {
      std::lock_guard<std::mutex> lock(mutex);
      aborted = true;
    }
    sent.notify_all();
    shared.abort();
  }

  MaybeError finish() override {
    for (size_t i = 0; i < boxes.size(); ++i)
      if (boxes[i].signal && !boxes[i].taken)
        return Error{"transfer " + std::to_string(i) + " was never received"};
    return std::nullopt;
  }

private:
  Backend &backend;
  std::vector<Box> boxes; ///< by transfer
  DeviceCollectives shared;
  std::mutex mutex;
  std::condition_variable sent;
  bool aborted = false;
};

} // namespace

std::unique_ptr<Transport> runtime::makeDeviceTransport(Backend &backend,
                                                        int64_t transfers,
                                                        int64_t collectives) {
  return std::make_unique<DeviceTransport>(backend, transfers, collectives);
}
