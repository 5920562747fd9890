//===- LocalTransport.cpp - Messages within one process -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One mailbox per transfer. It has a buffer of its own, which the sender fills
// before it flips the state, or it points to the buffer that the sender posted;
// so copies need no lock. The lock is for sleeping only, one per receiving
// device.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Transport/Transport.h"

#include "Runtime/Processes/Affinity.h"
#include "Runtime/Transport/HostCollectives.h"

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

using namespace soap;
using namespace soap::runtime;

namespace {

struct Mailbox {
  enum State : int { Empty, Full, Taken };
  std::atomic<int> state{Empty};
  Envelope envelope;
  const void *data = nullptr; ///< `buffer`, or the sender's memory
  std::unique_ptr<char[]> buffer;
  int64_t capacity = 0, bytes = 0;
};

struct Sleeper {
  std::mutex mutex;
  std::condition_variable wake;
};

std::string describe(const Envelope &envelope) {
  return "transfer " + std::to_string(envelope.transfer) + " from device " +
         std::to_string(envelope.from) + " to device " +
         std::to_string(envelope.to);
}

class LocalTransport : public Transport {
public:
  LocalTransport(int64_t devices, int64_t transfers, int64_t collectives)
      : boxes(size_t(transfers)), sleepers(size_t(devices)),
        mayPoll(devices <= availableCores()),
        shared({nullptr, devices}, transfers, collectives) {}

  void start(int64_t) override {
    for (Mailbox &box : boxes)
      box.state.store(Mailbox::Empty, std::memory_order_relaxed);
    shared.start();
    aborted.store(false);
  }

  MaybeError send(const Envelope &envelope, const void *data,
                  int64_t bytes) override {
    Expected<Mailbox *> box = open(envelope);
    if (!box)
      return Error{box.error()};
    if ((*box)->capacity < bytes) {
      (*box)->buffer.reset(new char[size_t(bytes)]);
      (*box)->capacity = bytes;
    }
    if (bytes)
      std::memcpy((*box)->buffer.get(), data, size_t(bytes));
    deliver(**box, envelope, (*box)->buffer.get(), bytes);
    return std::nullopt;
  }

  MaybeError post(const Envelope &envelope, const void *data,
                  int64_t bytes) override {
    Expected<Mailbox *> box = open(envelope);
    if (!box)
      return Error{box.error()};
    deliver(**box, envelope, data, bytes);
    return std::nullopt;
  }

  MaybeError receive(const Envelope &envelope, void *data,
                     int64_t bytes) override {
    if (MaybeError error = check(envelope))
      return error;
    Mailbox &box = boxes[size_t(envelope.transfer)];
    if (mayPoll)
      poll(box);
    if (box.state.load(std::memory_order_acquire) == Mailbox::Empty) {
      Sleeper &sleeper = sleepers[size_t(envelope.to)];
      std::unique_lock<std::mutex> lock(sleeper.mutex);
      sleeper.wake.wait(lock, [&] {
        return aborted.load() || box.state.load() != Mailbox::Empty;
      });
    }
    if (aborted.load())
      return Error{"stopped because another device failed"};
    if (box.state.load(std::memory_order_acquire) == Mailbox::Taken)
      return Error{describe(envelope) + " was received twice"};
    if (box.bytes != bytes)
      return Error{describe(envelope) + ": expected " + std::to_string(bytes) +
                   " bytes, got " + std::to_string(box.bytes)};
    if (bytes)
      std::memcpy(data, box.data, size_t(bytes));
    box.state.store(Mailbox::Taken, std::memory_order_release);
    return std::nullopt;
  }

  MaybeError collective(const Collective &call) override {
    return shared.run(call);
  }

  void abort() override {
    aborted.store(true);
    shared.abort();
    for (Sleeper &sleeper : sleepers) {
      // Taking the lock orders the flag before the next check of a sleeper.
      {
        std::lock_guard<std::mutex> lock(sleeper.mutex);
      }
      sleeper.wake.notify_all();
    }
  }

  MaybeError finish() override {
    for (Mailbox &box : boxes)
      if (box.state.load() == Mailbox::Full)
        return Error{describe(box.envelope) + " was never received"};
    return std::nullopt;
  }

private:
  /// The empty mailbox of a message.
  Expected<Mailbox *> open(const Envelope &envelope) {
    if (MaybeError error = check(envelope))
      return *error;
    Mailbox &box = boxes[size_t(envelope.transfer)];
    if (box.state.load(std::memory_order_acquire) != Mailbox::Empty)
      return Error{describe(envelope) + " was sent twice"};
    return &box;
  }

  void deliver(Mailbox &box, const Envelope &envelope, const void *data,
               int64_t bytes) {
    assert(bytes >= 0 && "a negative message");
    box.data = data;
    box.bytes = bytes;
    box.envelope = envelope;
    Sleeper &sleeper = sleepers[size_t(envelope.to)];
    {
      std::lock_guard<std::mutex> lock(sleeper.mutex);
      box.state.store(Mailbox::Full, std::memory_order_release);
    }
    sleeper.wake.notify_all();
  }

  /// Looks for the message for some ten times as long as it takes to be woken
  /// up, which costs the sender as much as the receiver.
  void poll(const Mailbox &box) const {
    constexpr auto patience = std::chrono::microseconds(500);
    auto end = std::chrono::steady_clock::now() + patience;
    constexpr int looks = 64; // between looks at the clock
    do
      for (int i = 0; i < looks; ++i) {
        if (box.state.load(std::memory_order_acquire) != Mailbox::Empty)
          return;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
      }
    while (!aborted.load() && std::chrono::steady_clock::now() < end);
  }

  MaybeError check(const Envelope &envelope) const {
    if (aborted.load())
      return Error{"stopped because another device failed"};
    if (envelope.transfer < 0 || envelope.transfer >= int64_t(boxes.size()) ||
        envelope.to < 0 || envelope.to >= int64_t(sleepers.size()))
      return Error{describe(envelope) + " does not exist"};
    return std::nullopt;
  }

  std::vector<Mailbox> boxes;
  std::vector<Sleeper> sleepers;
  /// Devices have cores of their own, which would have nothing else to do.
  bool mayPoll;
  HostCollectives shared;
  std::atomic<bool> aborted{false};
};

} // namespace

std::unique_ptr<Transport> runtime::makeLocalTransport(int64_t devices,
                                                       int64_t transfers,
                                                       int64_t collectives) {
  return std::make_unique<LocalTransport>(devices, transfers, collectives);
}
