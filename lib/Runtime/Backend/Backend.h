//===- Backend.h - Devices with memory of their own -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `Backend` is a kind of devices that are not threads of the CPU, and a
// `BackendDevice` is one of them: programs on streams launch kernels, call
// libraries and copy on it. Both are interfaces, because the one implementation
// (CUDA) is a library of its own that is loaded only on demand. Without a
// backend, programs run on the CPU, in the memory of the host.
//
// Functions that do work on a stream may return before the work has begun.
// Errors name the call, the reason and the device; the caller adds the op and
// the rank.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_BACKEND_BACKEND_H
#define SOAP_LIB_RUNTIME_BACKEND_BACKEND_H

#include "Runtime/Kernels/AttentionCall.h"
#include "Runtime/Kernels/ImageCalls.h"
#include "Runtime/Kernels/LibraryCalls.h"
#include "Soap/ABI/Runtime.h"
#include "Soap/Support/Error.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace soap::runtime {

/// One device, as one program at a time sees it: used by its device thread.
class BackendDevice {
public:
  virtual ~BackendDevice() = default;

  /// Called by the device's thread before each program. Streams, events and
  /// errors of the program before are forgotten.
  virtual MaybeError begin() = 0;
  /// Waits until all streams have done their work; `stopped` ends the wait
  /// early, when another device has failed. The first error of the work.
  virtual MaybeError finish(const std::function<bool()> &stopped) = 0;

  virtual MaybeError launch(const SoapKernel &kernel, void *const *buffers,
                            int64_t stream) = 0;
  virtual MaybeError conv(const ConvCall &call, const ConvBuffers &buffers,
                          int64_t stream) = 0;
  virtual MaybeError matmul(const MatmulCall &call,
                            const MatmulBuffers &buffers, int64_t stream) = 0;
  virtual MaybeError pool(const PoolCall &call, const PoolBuffers &buffers,
                          int64_t stream) = 0;
  virtual MaybeError batchNorm(const NormCall &call, const NormBuffers &buffers,
                               int64_t stream) = 0;
  virtual MaybeError attention(const AttentionCall &, const AttentionBuffers &,
                               int64_t /*stream*/) {
    return Error{"this backend has no attention; --soap-lower-to-cuda="
                 "'attention=none' computes it by products and a softmax"};
  }
  /// Prepares the same calls before iterations begin and computes nothing:
  /// acquires resources, and may measure the library's algorithms to choose the
  /// fastest (see `Backend::tunes`). Buffers have their later addresses, and
  /// are neither read nor written.
  virtual MaybeError prepare(const ConvCall &, const ConvBuffers &) {
    return std::nullopt;
  }
  virtual MaybeError prepare(const MatmulCall &, const MatmulBuffers &) {
    return std::nullopt;
  }
  virtual MaybeError prepare(const AttentionCall &, const AttentionBuffers &) {
    return std::nullopt;
  }
  virtual MaybeError prepare(const PoolCall &, const PoolBuffers &) {
    return std::nullopt;
  }
  virtual MaybeError prepare(const NormCall &, const NormBuffers &) {
    return std::nullopt;
  }
  /// Either may be memory of the host, which stays as it is until the stream
  /// has done it.
  virtual MaybeError copy(void *to, const void *from, int64_t bytes,
                          int64_t stream) = 0;
  /// to[i] += from[i], of a type of sums (Runtime.h), both of this device, each
  /// rounded once.
  virtual MaybeError add(int64_t elementType, void *to, const void *from,
                         int64_t count, int64_t stream) = 0;
  /// The device's copy of constant data of the program, made once.
  virtual Expected<const void *> constant(const void *data, int64_t bytes) = 0;
  virtual MaybeError record(int64_t event, int64_t stream) = 0;
  virtual MaybeError wait(int64_t event, int64_t stream) = 0;
  /// An event that belongs to no program, for devices of the same process: it
  /// happens when `stream` has done all work given to it so far, and any device
  /// may wait for it until this device's next `begin`.
  virtual Expected<void *> signal(int64_t stream) = 0;
  virtual MaybeError waitSignal(void *signal, int64_t stream) = 0;
  /// The stream as the libraries of this backend know it (cudaStream_t).
  virtual Expected<void *> nativeStream(int64_t stream) = 0;
};

/// An iteration that devices of this process record instead of doing it, and
/// do as a whole as often as it is launched (a CUDA graph). It holds addresses:
/// after a buffer has moved, the iteration must be recorded again. Recording
/// neither allocates nor waits for a device, so calls that need that, such as
/// the first call of a library, must have run before.
///
/// `begin` and `end` are called by the thread of every device of the graph,
/// once each and in this order, whatever happens in between: they wait for each
/// other. When `failed` says yes at the end, or a call has failed, `end` fails
/// on all devices, nothing was done, and the graph is of no use.
class BackendGraph {
public:
  virtual ~BackendGraph() = default;

  virtual MaybeError begin(int64_t device) = 0;
  virtual MaybeError end(int64_t device,
                         const std::function<bool()> &failed) = 0;
  /// Called by the thread of every device; `BackendDevice::finish` waits for
  /// it.
  virtual MaybeError launch(int64_t device) = 0;
};

/// The module and the run, as far as a backend needs them.
struct BackendOptions {
  /// The devices of the module that are in this process, on the devices of the
  /// machine from `first` on: those before are other processes'.
  std::vector<int64_t> local;
  int64_t first = 0;
  /// The chip and format of the kernels ("sm_90", "bin" or "isa"), and their
  /// image.
  std::string chip, format;
  std::string_view image;
  /// All devices of the module share one real device.
  bool virtualDevices = false;
  /// Libraries' algorithms are chosen by measuring, and choices are kept.
  bool tunes = true;
  /// Receives remarks that are no errors, from any thread. May be empty.
  std::function<void(const std::string &)> note = {};
};

/// Memory of the host that a device reads and writes by itself: where the host
/// sees it, and where the device does.
struct MappedMemory {
  void *host = nullptr, *device = nullptr;
};

/// Defined here alone, as the library of a backend does not link the runtime.
class Backend {
public:
  virtual ~Backend() = default;

  /// "cuda (NVIDIA H200, driver 13.0)": for people.
  virtual std::string description() const = 0;
  /// A device of `BackendOptions::local`.
  virtual BackendDevice &device(int64_t device) = 0;
  /// Makes it the device of the calling thread, for libraries that ask for it.
  virtual MaybeError select(int64_t device) = 0;
  /// Opens the libraries of such a device and loads all kernels of the module
  /// to it, which the first calls would do.
  virtual MaybeError load(int64_t /*device*/) { return std::nullopt; }
  /// Memory of such a device, aligned as the arena of a program has to be,
  /// until the backend ends. Never null, even for 0 bytes.
  virtual Expected<void *> allocate(int64_t device, int64_t bytes) = 0;
  /// The same in the memory of the host, which such a device reads and writes
  /// while it computes.
  virtual Expected<MappedMemory> allocateInHost(int64_t /*device*/,
                                                int64_t /*bytes*/) {
    return Error{description() + " computes in no memory of the host"};
  }
  /// Both wait until the bytes are there; nothing runs on the device then.
  virtual MaybeError upload(int64_t device, void *to, const void *from,
                            int64_t bytes) = 0;
  virtual MaybeError download(int64_t device, void *to, const void *from,
                              int64_t bytes) = 0;
  /// The next three bring input to a device while it computes; a backend that
  /// cannot do that has none of them.
  virtual bool stages() const { return false; }
  /// Memory of the host that devices copy from by themselves (pinned), until
  /// the backend ends.
  virtual Expected<void *> allocatePinned(int64_t /*bytes*/) {
    return noStaging();
  }
  /// Begins an upload from such memory, which must stay as it is, on a stream
  /// for copies. Any one thread at a time.
  virtual MaybeError beginUpload(int64_t /*device*/, void * /*to*/,
                                 const void * /*from*/, int64_t /*bytes*/) {
    return noStaging();
  }
  /// Waits until the uploads that were begun on the device are complete.
  virtual MaybeError endUploads(int64_t /*device*/) { return noStaging(); }
  /// Whether calls of libraries are to be prepared before an entry runs for the
  /// first time.
  virtual bool tunes() const { return false; }
  /// The algorithms chosen for them so far, as text, by call.
  virtual std::map<std::string, std::string> algorithms() { return {}; }
  /// Takes the choices of another process for those calls that this one has.
  virtual void useAlgorithms(const std::map<std::string, std::string> &) {}
  /// A graph to be recorded. `joint`: devices wait for each other's signals, so
  /// that all of them are one graph; else each has its own.
  virtual Expected<std::unique_ptr<BackendGraph>>
  makeGraph(const std::vector<int64_t> & /*devices*/, bool /*joint*/) {
    return Error{description() + " records no iterations"};
  }

private:
  Error noStaging() const {
    return Error{description() + " copies nothing while it computes"};
  }
};

/// Loads the library of a backend by name ("cuda"), and makes it ready for a
/// module.
Expected<std::shared_ptr<Backend>> openBackend(const std::string &name,
                                               const BackendOptions &options);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_BACKEND_BACKEND_H
