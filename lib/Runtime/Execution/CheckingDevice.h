//===- CheckingDevice.h - Compares calls with the host ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in front of a device of a backend for one run of a program: gives it
// all work, one call at a time, and compares launches and library calls with
// their host references (CallChecks.h). As it waits for each call, errors of a
// stream come at the op that has caused them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_EXECUTION_CHECKINGDEVICE_H
#define SOAP_LIB_RUNTIME_EXECUTION_CHECKINGDEVICE_H

#include "Runtime/Backend/Backend.h"
#include "Runtime/Execution/Context.h"
#include "Runtime/Execution/HostCopies.h"
#include "Runtime/Execution/TensorErrors.h"
#include "Soap/Runtime/Execution/CallChecks.h"

namespace soap::runtime {

class CheckingDevice : public BackendDevice {
public:
  /// `context` is the one of the program, with its host kernels.
  CheckingDevice(BackendDevice &real, SoapContext &context, CallChecks &checks,
                 const std::optional<GpuTarget> &gpu)
      : real(real), context(context), checks(checks), gpu(gpu) {}

  MaybeError begin() override { return real.begin(); }
  MaybeError finish(const std::function<bool()> &stopped) override {
    return real.finish(stopped);
  }
  MaybeError launch(const SoapKernel &kernel, void *const *buffers,
                    int64_t stream) override;
  MaybeError conv(const ConvCall &call, const ConvBuffers &buffers,
                  int64_t stream) override;
  MaybeError matmul(const MatmulCall &call, const MatmulBuffers &buffers,
                    int64_t stream) override;
  MaybeError pool(const PoolCall &call, const PoolBuffers &buffers,
                  int64_t stream) override;
  MaybeError batchNorm(const NormCall &call, const NormBuffers &buffers,
                       int64_t stream) override;
  MaybeError attention(const AttentionCall &call,
                       const AttentionBuffers &buffers,
                       int64_t stream) override;
  MaybeError add(int64_t elementType, void *to, const void *from, int64_t count,
                 int64_t stream) override;
  MaybeError copy(void *to, const void *from, int64_t bytes,
                  int64_t stream) override {
    return real.copy(to, from, bytes, stream);
  }
  Expected<const void *> constant(const void *data, int64_t bytes) override {
    return real.constant(data, bytes);
  }
  MaybeError record(int64_t event, int64_t stream) override {
    return real.record(event, stream);
  }
  MaybeError wait(int64_t event, int64_t stream) override {
    return real.wait(event, stream);
  }
  Expected<void *> signal(int64_t stream) override {
    return real.signal(stream);
  }
  MaybeError waitSignal(void *signal, int64_t stream) override {
    return real.waitSignal(signal, stream);
  }
  Expected<void *> nativeStream(int64_t stream) override {
    return real.nativeStream(stream);
  }

private:
  /// A call that is compared.
  struct Call {
    CheckedCall found;
    int64_t stream;
    std::function<MaybeError()> run;
    /// There are tensors of floating point, and one of the host's has a number.
    bool hasFloats = false, hasNumbers = false;
  };
  /// A tensor of a call, in the memory of the device.
  struct Operand {
    const char *name;
    const void *data;
    ElementType type;
    int64_t count;
    int64_t bytes() const { return count * sizeOf(type); }
  };
  using Operands = std::vector<Operand>;
  /// Computes a call on copies.
  using HostCall = std::function<void(const HostCopies &)>;

  /// Gives the call to the device, and where it is to be compared, `compare`
  /// does that. Waits for it.
  MaybeError check(const CallName &name, int64_t stream,
                   const std::function<MaybeError()> &run,
                   const std::function<MaybeError(Call &)> &compare);
  /// Waits for what was given to the device before, unless the run fails.
  MaybeError finish();
  /// Waits for the work of a call that is compared, in any case: it uses memory
  /// of the comparison, and waits for no other device.
  MaybeError drain();
  /// Copies of the operands before the call; null, with a reason in `call`,
  /// where they are too large. `times` as many copies will be made.
  Expected<std::unique_ptr<HostCopies>>
  copyOperands(Call &call, const Operands &operands, int64_t times);
  /// A result that a call overwrites.
  struct Result {
    void *data;
    int64_t bytes;
  };
  /// Gives a product to the device, whose results are NaN before. Copies of the
  /// operands; null where `copyOperands` is.
  Expected<std::unique_ptr<HostCopies>>
  runProduct(Call &call, const Operands &operands,
             const std::vector<Result> &results);
  /// Fills a result with NaN before the call, which overwrites it: what is not
  /// written is found. Not where an operand is in place.
  MaybeError poison(const HostCopies &operands, const Result &result,
                    int64_t stream);
  /// Compares a part of a result, and that there is a number in all of it where
  /// the host has numbers.
  static void noteResult(Call &call, const TensorPair &part,
                         const AlignedBytes &whole);
  /// A tensor of the device as it is now.
  Expected<AlignedBytes> fetch(const void *data, int64_t bytes, int64_t stream);
  /// Notes the error of a tensor if it is the worst so far.
  static void note(Call &call, const TensorPair &pair);
  /// Compares all operands of a call whose rounding is measured.
  MaybeError compareMeasured(Call &call, const Operands &operands,
                             const HostCall &onHost);

  BackendDevice &real;
  SoapContext &context;
  CallChecks &checks;
  const std::optional<GpuTarget> &gpu;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_EXECUTION_CHECKINGDEVICE_H
