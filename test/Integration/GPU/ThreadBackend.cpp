//===- ThreadBackend.cpp - A stand-in for the backend cuda ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests of programs on streams without a GPU: what libSoapCudaBackend.so
// is, loaded in its place with SOAP_CUDA_BACKEND. A device is memory of its own
// kind - the host must not touch it - and every stream is a thread, which does
// what it is given late and in its own time: what events do not order comes in
// any order, and a wrong order gives wrong numbers. Kernels are their host
// references.
//
// SOAP_THREAD_BACKEND_DEVICES=N: so many devices exist (default 8).
// SOAP_THREAD_BACKEND_BYTES=N: so much memory each of them has.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Backend/Backend.h"
#include "Runtime/Transport/Collective.h"
#include "Soap/Runtime/Data/HostTensor.h"

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <thread>

using namespace soap;
using namespace soap::runtime;

namespace {

/// Set once.
struct Event {
  std::mutex mutex;
  std::condition_variable changed;
  bool happened = false;

  void set() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      happened = true;
    }
    changed.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return happened; });
  }
};

/// A thread that does its work in order, with pauses.
class Stream {
public:
  explicit Stream(unsigned seed) : random(seed), thread([this] { main(); }) {}
  ~Stream() {
    give(nullptr);
    thread.join();
  }

  void give(std::function<void()> work) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      queue.push_back(std::move(work));
    }
    changed.notify_all();
  }

private:
  std::mt19937 random;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> queue;
  std::thread thread;

  void main() {
    for (;;) {
      std::function<void()> work;
      {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return !queue.empty(); });
        work = std::move(queue.front());
        queue.pop_front();
      }
      if (!work)
        return;
      if (random() % 8 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
      work();
    }
  }
};

class ThreadDevice : public BackendDevice {
public:
  explicit ThreadDevice(unsigned number) : number(number) {}

  MaybeError begin() override {
    events.clear();
    signals.clear();
    return std::nullopt;
  }

  MaybeError finish(const std::function<bool()> &) override {
    std::vector<std::shared_ptr<Event>> ends;
    for (auto &[index, stream] : streams)
      ends.push_back(recordOn(index));
    for (auto &end : ends)
      end->wait();
    return std::nullopt;
  }

  MaybeError launch(const SoapKernel &kernel, void *const *buffers,
                    int64_t stream) override {
    if (!kernel.hostReference)
      return Error{std::string("kernel '") + kernel.name +
                   "' has no host reference"};
    std::vector<void *> list(buffers, buffers + kernel.buffers);
    give(stream, [&kernel, list] {
      kernel.hostReference(list.data(), 0, kernel.extent);
    });
    return std::nullopt;
  }

  MaybeError conv(const ConvCall &call, const ConvBuffers &buffers,
                  int64_t stream) override {
    give(stream, [=] { runHostReference(call, buffers, convDirect); });
    return std::nullopt;
  }
  MaybeError matmul(const MatmulCall &call, const MatmulBuffers &buffers,
                    int64_t stream) override {
    give(stream, [=] { runHostReference(call, buffers, matmulDirect); });
    return std::nullopt;
  }
  MaybeError pool(const PoolCall &call, const PoolBuffers &buffers,
                  int64_t stream) override {
    give(stream, [=] { runHostReference(call, buffers); });
    return std::nullopt;
  }
  MaybeError batchNorm(const NormCall &call, const NormBuffers &buffers,
                       int64_t stream) override {
    give(stream, [=] { runHostReference(call, buffers); });
    return std::nullopt;
  }
  MaybeError attention(const AttentionCall &call,
                       const AttentionBuffers &buffers,
                       int64_t stream) override {
    give(stream, [=] { runHostReference(call, buffers, matmulDirect); });
    return std::nullopt;
  }
  MaybeError copy(void *to, const void *from, int64_t bytes,
                  int64_t stream) override {
    give(stream, [=] { std::memmove(to, from, size_t(bytes)); });
    return std::nullopt;
  }
  MaybeError add(int64_t type, void *to, const void *from, int64_t count,
                 int64_t stream) override {
    give(stream, [=] { foldSums(type, {to, from}, to, count); });
    return std::nullopt;
  }
  Expected<const void *> constant(const void *data, int64_t) override {
    return data;
  }

  MaybeError record(int64_t event, int64_t stream) override {
    if (!events.try_emplace(event, recordOn(stream)).second)
      return Error{"event " + std::to_string(event) + " is recorded twice"};
    return std::nullopt;
  }
  MaybeError wait(int64_t event, int64_t stream) override {
    auto found = events.find(event);
    if (found == events.end())
      return Error{"event " + std::to_string(event) + " was not recorded"};
    give(stream, [event = found->second] { event->wait(); });
    return std::nullopt;
  }
  Expected<void *> signal(int64_t stream) override {
    signals.push_back(recordOn(stream));
    return static_cast<void *>(signals.back().get());
  }
  MaybeError waitSignal(void *signal, int64_t stream) override {
    give(stream, [signal] { static_cast<Event *>(signal)->wait(); });
    return std::nullopt;
  }
  Expected<void *> nativeStream(int64_t) override {
    return Error{"streams of the stand-in have no other name"};
  }

private:
  unsigned number;
  std::map<int64_t, std::unique_ptr<Stream>> streams;
  std::map<int64_t, std::shared_ptr<Event>> events;
  std::vector<std::shared_ptr<Event>> signals;

  void give(int64_t stream, std::function<void()> work) {
    std::unique_ptr<Stream> &known = streams[stream];
    if (!known)
      known = std::make_unique<Stream>(number * 64 + unsigned(stream));
    known->give(std::move(work));
  }
  std::shared_ptr<Event> recordOn(int64_t stream) {
    auto event = std::make_shared<Event>();
    give(stream, [event] { event->set(); });
    return event;
  }
};

int64_t numberFrom(const char *variable, int64_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::atoll(text) : otherwise;
}

class ThreadBackend : public Backend {
public:
  MaybeError open(const BackendOptions &options) {
    int64_t count = numberFrom("SOAP_THREAD_BACKEND_DEVICES", 8);
    int64_t needed = options.virtualDevices
                         ? 1
                         : options.first + int64_t(options.local.size());
    if (count < needed)
      return Error{"the run needs " + std::to_string(needed) +
                   " devices, there are " + std::to_string(count)};
    for (int64_t device : options.local) {
      devices[device] = std::make_unique<ThreadDevice>(unsigned(device));
      left[options.virtualDevices ? 0 : device] =
          numberFrom("SOAP_THREAD_BACKEND_BYTES", int64_t(1) << 40);
    }
    shared = options.virtualDevices;
    return std::nullopt;
  }
  ~ThreadBackend() override { devices.clear(); }

  std::string description() const override { return "cuda (threads)"; }
  BackendDevice &device(int64_t device) override { return *devices[device]; }
  MaybeError select(int64_t) override { return std::nullopt; }

  /// Unwritten bytes are no numbers.
  Expected<void *> allocate(int64_t device, int64_t bytes) override {
    std::lock_guard<std::mutex> lock(mutex);
    int64_t &rest = left[shared ? 0 : device];
    if (bytes > rest)
      return Error{"out of memory: " + std::to_string(bytes) +
                   " bytes asked for, " + std::to_string(rest) + " free"};
    rest -= bytes;
    memory.push_back(AlignedBytes(std::max<int64_t>(bytes, 1)));
    std::memset(memory.back().data(), 0xff, size_t(memory.back().size()));
    return static_cast<void *>(memory.back().data());
  }
  /// No part of the memory of devices.
  Expected<MappedMemory> allocateInHost(int64_t, int64_t bytes) override {
    std::lock_guard<std::mutex> lock(mutex);
    memory.push_back(AlignedBytes(std::max<int64_t>(bytes, 1)));
    std::memset(memory.back().data(), 0xff, size_t(memory.back().size()));
    return MappedMemory{memory.back().data(), memory.back().data()};
  }
  MaybeError upload(int64_t, void *to, const void *from,
                    int64_t bytes) override {
    std::memcpy(to, from, size_t(bytes));
    return std::nullopt;
  }
  MaybeError download(int64_t, void *to, const void *from,
                      int64_t bytes) override {
    std::memcpy(to, from, size_t(bytes));
    return std::nullopt;
  }

private:
  std::mutex mutex;
  bool shared = false;
  std::map<int64_t, int64_t> left; ///< bytes, by real device
  std::vector<AlignedBytes> memory;
  std::map<int64_t, std::unique_ptr<ThreadDevice>> devices;
};

} // namespace

extern "C" Backend *soapOpenCudaBackend(const BackendOptions &options,
                                        std::string *error) {
  auto backend = std::make_unique<ThreadBackend>();
  if (MaybeError failure = backend->open(options)) {
    *error = failure->message;
    return nullptr;
  }
  return backend.release();
}
