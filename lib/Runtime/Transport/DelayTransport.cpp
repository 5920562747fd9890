//===- DelayTransport.cpp - Random delays of messages ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DelayTransport.h. A device calls its transport from one thread, so each
// has a state of its own and the delays of a device do not depend on the
// others.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Transport/DelayTransport.h"

#include <random>
#include <thread>
#include <vector>

using namespace soap;
using namespace soap::runtime;

namespace {

DelayOptions &injected() {
  static DelayOptions options;
  return options;
}

class DelayTransport : public Transport {
public:
  DelayTransport(std::unique_ptr<Transport> inner, int64_t devices)
      : inner(std::move(inner)), generators(size_t(devices)) {}

  void start(int64_t iteration) override {
    for (size_t device = 0; device < generators.size(); ++device) {
      std::seed_seq seed{uint64_t(injected().seed), uint64_t(device),
                         uint64_t(iteration)};
      generators[device].seed(seed);
    }
    inner->start(iteration);
  }
  MaybeError send(const Envelope &envelope, const void *data,
                  int64_t bytes) override {
    return delayed(envelope.from,
                   [&] { return inner->send(envelope, data, bytes); });
  }
  MaybeError post(const Envelope &envelope, const void *data,
                  int64_t bytes) override {
    return delayed(envelope.from,
                   [&] { return inner->post(envelope, data, bytes); });
  }
  MaybeError receive(const Envelope &envelope, void *data,
                     int64_t bytes) override {
    return delayed(envelope.to,
                   [&] { return inner->receive(envelope, data, bytes); });
  }
  MaybeError collective(const Collective &call) override {
    return delayed(call.me(), [&] { return inner->collective(call); });
  }
  MaybeError beginGroup(int64_t device) override {
    return inner->beginGroup(device);
  }
  MaybeError endGroup(int64_t device) override {
    return inner->endGroup(device);
  }
  MaybeError ended(int64_t device) override { return inner->ended(device); }
  std::optional<Trouble> trouble() override { return inner->trouble(); }
  void abort() override { inner->abort(); }
  MaybeError ready() const override { return inner->ready(); }
  void interrupt() override { inner->interrupt(); }
  MaybeError finish() override { return inner->finish(); }

private:
  /// The call, with a delay of its device before and after it.
  template <typename Call>
  MaybeError delayed(int64_t device, Call call) {
    delay(device);
    MaybeError error = call();
    delay(device);
    return error;
  }

  /// Every other call is not delayed, so that devices also race.
  void delay(int64_t device) {
    std::minstd_rand &generator = generators[size_t(device)];
    uint64_t draw = generator();
    if (draw % 2)
      return;
    auto time = std::chrono::microseconds(
        generator() % uint64_t(injected().longest.count() + 1));
    std::this_thread::sleep_for(draw % 64 == 0 ? 10 * time : time);
  }

  std::unique_ptr<Transport> inner;
  /// By device.
  std::vector<std::minstd_rand> generators;
};

} // namespace

void runtime::injectDelays(const DelayOptions &options) {
  injected() = options;
}

std::unique_ptr<Transport>
runtime::withDelays(std::unique_ptr<Transport> transport, int64_t devices) {
  if (injected().longest.count() <= 0)
    return transport;
  return std::make_unique<DelayTransport>(std::move(transport), devices);
}
