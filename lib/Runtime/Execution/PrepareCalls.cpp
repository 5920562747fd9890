//===- PrepareCalls.cpp - Library calls before the first iteration --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PrepareCalls.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Execution/PrepareCalls.h"

#include "Runtime/Backend/Backend.h"
#include "Runtime/Execution/Context.h"

#include "nlohmann/json.hpp"

using namespace soap;
using namespace soap::runtime;

namespace {

/// Prepares library calls and does nothing else.
class PreparingDevice : public BackendDevice {
public:
  explicit PreparingDevice(BackendDevice &real) : real(real) {}

  MaybeError begin() override { return std::nullopt; }
  MaybeError finish(const std::function<bool()> &) override {
    return std::nullopt;
  }
  MaybeError launch(const SoapKernel &, void *const *, int64_t) override {
    return std::nullopt;
  }
  // Errors appear again in the iteration, with the name of the op.
  MaybeError conv(const ConvCall &call, const ConvBuffers &buffers,
                  int64_t) override {
    (void)real.prepare(call, buffers);
    return std::nullopt;
  }
  MaybeError matmul(const MatmulCall &call, const MatmulBuffers &buffers,
                    int64_t) override {
    (void)real.prepare(call, buffers);
    return std::nullopt;
  }
  MaybeError pool(const PoolCall &call, const PoolBuffers &buffers,
                  int64_t) override {
    (void)real.prepare(call, buffers);
    return std::nullopt;
  }
  MaybeError batchNorm(const NormCall &call, const NormBuffers &buffers,
                       int64_t) override {
    (void)real.prepare(call, buffers);
    return std::nullopt;
  }
  MaybeError attention(const AttentionCall &call,
                       const AttentionBuffers &buffers, int64_t) override {
    (void)real.prepare(call, buffers);
    return std::nullopt;
  }
  MaybeError copy(void *, const void *, int64_t, int64_t) override {
    return std::nullopt;
  }
  MaybeError add(int64_t, void *, const void *, int64_t, int64_t) override {
    return std::nullopt;
  }
  // Only kernels and copies read it.
  Expected<const void *> constant(const void *data, int64_t) override {
    return data;
  }
  MaybeError record(int64_t, int64_t) override { return std::nullopt; }
  MaybeError wait(int64_t, int64_t) override { return std::nullopt; }
  Expected<void *> signal(int64_t) override {
    return static_cast<void *>(nullptr);
  }
  MaybeError waitSignal(void *, int64_t) override { return std::nullopt; }
  Expected<void *> nativeStream(int64_t) override {
    return static_cast<void *>(nullptr);
  }

private:
  BackendDevice &real;
};

/// Sends nothing, and never waits.
class SilentTransport : public Transport {
public:
  void start(int64_t) override {}
  MaybeError send(const Envelope &, const void *, int64_t) override {
    return std::nullopt;
  }
  MaybeError receive(const Envelope &, void *, int64_t) override {
    return std::nullopt;
  }
  MaybeError collective(const Collective &) override { return std::nullopt; }
  void abort() override {}
  MaybeError finish() override { return std::nullopt; }
};

MaybeError agree(ProcessGroup &group, Backend &backend) {
  using Choices = std::map<std::string, std::string>;
  auto texts =
      exchangeTexts(group, nlohmann::json(backend.algorithms()).dump());
  if (!texts)
    return texts.takeError();
  Choices all;
  for (const std::string &text : *texts) {
    nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
    if (!parsed.is_object())
      return Error{"a rank says in no known way which algorithms it uses: "
                   "expected the same version of soap-run on all"};
    // The choice of a lower rank stays.
    for (const auto &[call, name] : parsed.items())
      if (name.is_string())
        all.try_emplace(call, name.get<std::string>());
  }
  backend.useAlgorithms(all);
  return std::nullopt;
}

} // namespace

MaybeError runtime::prepareCalls(Execution &execution, Backend &backend) {
  SilentTransport silence;
  for (size_t r = 0; r < execution.ranks.size(); ++r) {
    RankBinding &rank = execution.ranks[r];
    const RankInfo &info = execution.entry.ranks[r];
    if (!rank.program)
      continue;
    if (MaybeError error = backend.select(info.device))
      return error;
    PreparingDevice device(backend.device(info.device));
    RunState state;
    std::vector<SlotTime> times(info.tasks.size());
    std::vector<int64_t> bytes(size_t(execution.manifest->devices));
    SoapContext context;
    context.entry = &execution.entry;
    context.rank = &info;
    context.run = &state;
    context.transport = &silence;
    context.times = times.data();
    context.device = &device;
    context.bytesTo = bytes.data();
    rank.program(&context, rank.pointers.data(), rank.arena);
  }
  ProcessGroup *group = execution.placement.group;
  return group ? agree(*group, backend) : std::nullopt;
}
