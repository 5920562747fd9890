//===- CudaBackend.cpp - The GPUs of this machine -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry of libSoapCudaBackend.so: checks that the machine fits the
// module, loads the kernels, and makes the devices.
//
//===----------------------------------------------------------------------===//

#include "CudaGraph.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <set>

using namespace soap;
using namespace soap::runtime;

namespace {

/// 90 of "sm_90" or "sm_90a".
int chipNumber(const std::string &chip) {
  int number = 0;
  for (size_t i = 3; i < chip.size() && chip[i] >= '0' && chip[i] <= '9'; ++i)
    number = number * 10 + (chip[i] - '0');
  return number;
}

class CudaBackend : public Backend {
public:
  ~CudaBackend() override {
    devices.clear();
    for (void *memory : pinned)
      cudaFreeHost(memory);
    soap_gpu_unload(module);
  }

  MaybeError open(const BackendOptions &o) {
    options = o;
    // The image is needed only now.
    options.image = {};
    if (options.tunes)
      tuner =
          std::make_unique<Autotuner>(Autotuner::defaultPath(), options.note);
    int count = 0;
    if (MaybeError error = countGpus(count))
      return error;
    if (MaybeError error = chooseGpus(count))
      return error;
    for (int number : gpus)
      if (MaybeError error = checkChip(number))
        return error;
    if (!o.image.empty())
      if (const char *error =
              soap_gpu_load(o.image.data(), int64_t(o.image.size()), &module))
        return Error{error};
    for (int number : gpus) {
      devices.push_back(std::make_unique<CudaDevice>(
          number, module, tuner.get(),
          [this](const std::string &text) { say(text); }));
      if (MaybeError error = devices.back()->open())
        return error;
    }
    return options.virtualDevices ? std::nullopt : enablePeerAccess();
  }

  std::string description() const override { return "cuda (" + name + ")"; }
  BackendDevice &device(int64_t device) override { return find(device); }
  MaybeError select(int64_t device) override { return find(device).select(); }

  MaybeError load(int64_t device) override {
    if (MaybeError error = select(device))
      return error;
    if (const char *error = module ? soap_gpu_load_kernels(module) : nullptr)
      return Error{error};
    return find(device).openLibraries();
  }

  Expected<void *> allocate(int64_t device, int64_t bytes) override {
    return find(device).allocate(bytes);
  }
  Expected<MappedMemory> allocateInHost(int64_t device,
                                        int64_t bytes) override {
    // The caller may be the thread of another device, which goes on with its
    // own.
    int current = 0;
    SOAP_CUDA(cudaGetDevice, &current);
    if (MaybeError error = select(device))
      return *error;
    MappedMemory memory;
    const char *call = "cudaHostAlloc";
    cudaError_t error =
        cudaHostAlloc(&memory.host, size_t(std::max<int64_t>(bytes, 1)),
                      cudaHostAllocMapped | cudaHostAllocPortable);
    if (error == cudaSuccess) {
      pinned.push_back(memory.host);
      call = "cudaHostGetDevicePointer";
      error = cudaHostGetDevicePointer(&memory.device, memory.host, 0);
    }
    SOAP_CUDA(cudaSetDevice, current);
    if (error == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      return Error{"out of memory of the host: " + std::to_string(bytes) +
                   " bytes asked for that GPU " +
                   std::to_string(gpus[size_t(indexOf(device))]) + " can read"};
    }
    if (MaybeError other = check(error, call))
      return *other;
    return memory;
  }
  MaybeError upload(int64_t device, void *to, const void *from,
                    int64_t bytes) override {
    if (bytes <= 0)
      return std::nullopt;
    if (MaybeError error = select(device))
      return error;
    return find(device).upload(to, from, bytes);
  }
  MaybeError download(int64_t device, void *to, const void *from,
                      int64_t bytes) override {
    if (bytes <= 0)
      return std::nullopt;
    if (MaybeError error = select(device))
      return error;
    SOAP_CUDA(cudaMemcpy, to, from, size_t(bytes), cudaMemcpyDeviceToHost);
    return std::nullopt;
  }

  bool tunes() const override { return tuner != nullptr; }
  std::map<std::string, std::string> algorithms() override {
    return tuner ? tuner->used() : std::map<std::string, std::string>();
  }
  void
  useAlgorithms(const std::map<std::string, std::string> &others) override {
    if (tuner && tuner->adopt(others))
      for (auto &device : devices)
        device->forgetAlgorithms();
  }

  bool stages() const override { return true; }
  Expected<void *> allocatePinned(int64_t bytes) override {
    void *memory = nullptr;
    // For all devices, not only for that of the thread.
    SOAP_CUDA(cudaHostAlloc, &memory, size_t(std::max<int64_t>(bytes, 1)),
              cudaHostAllocPortable);
    pinned.push_back(memory);
    return memory;
  }
  MaybeError beginUpload(int64_t device, void *to, const void *from,
                         int64_t bytes) override {
    if (bytes <= 0)
      return std::nullopt;
    if (MaybeError error = select(device))
      return error;
    return find(device).beginUpload(to, from, bytes);
  }
  MaybeError endUploads(int64_t device) override {
    return find(device).endUploads();
  }

  Expected<std::unique_ptr<BackendGraph>>
  makeGraph(const std::vector<int64_t> &numbers, bool joint) override {
    std::vector<std::pair<int64_t, CudaDevice *>> members;
    for (int64_t number : numbers)
      members.emplace_back(number, &find(number));
    return std::unique_ptr<BackendGraph>(
        std::make_unique<CudaGraph>(std::move(members), joint));
  }

private:
  BackendOptions options;
  std::string name;
  SoapGpuModule *module = nullptr;
  /// Null: none. Outlives the devices, which use it.
  std::unique_ptr<Autotuner> tuner;
  std::vector<std::unique_ptr<CudaDevice>> devices;
  /// The GPU of each device here, as CUDA numbers those that are visible.
  std::vector<int> gpus;
  std::vector<void *> pinned;
  std::mutex saidMutex;
  std::set<std::string> said;

  /// Each text once, whichever device has it.
  void say(const std::string &text) {
    std::lock_guard<std::mutex> lock(saidMutex);
    if (said.insert(text).second && options.note)
      options.note(text);
  }

  /// Processes of one machine that see all of its GPUs take them in turn, from
  /// `options.first` on. A process that sees exactly as many as it has devices
  /// has its own (CUDA_VISIBLE_DEVICES as Slurm sets it); NCCL refuses a GPU
  /// that two ranks have.
  MaybeError chooseGpus(int64_t count) {
    auto here = int64_t(options.local.size());
    int64_t needed = options.virtualDevices ? 1 : options.first + here;
    bool hasOwn = !options.virtualDevices && options.first > 0 &&
                  count == here && std::getenv("CUDA_VISIBLE_DEVICES");
    if (count < needed && !hasOwn) {
      std::string text = "the run needs " + std::to_string(needed) +
                         " GPUs on this machine, there are " +
                         std::to_string(count);
      if (count)
        text += "; --virtual-devices runs all devices on one";
      if (count && options.first > 0)
        text += "; a process with GPUs of its own sees exactly " +
                std::to_string(here) + ", by CUDA_VISIBLE_DEVICES";
      return Error{text};
    }
    for (int64_t i = 0; i < here; ++i)
      gpus.push_back(int(options.virtualDevices ? 0
                         : hasOwn               ? i
                                                : options.first + i));
    return std::nullopt;
  }

  /// Lets the GPUs of this process read and write each other's memory. Without
  /// it, CUDA copies between them by way of the host.
  MaybeError enablePeerAccess() {
    std::string apart;
    for (int from : gpus)
      for (int to : gpus) {
        if (from == to)
          continue;
        int can = 0;
        SOAP_CUDA(cudaDeviceCanAccessPeer, &can, from, to);
        if (!can) {
          if (from < to)
            apart += (apart.empty() ? "" : ", ") + std::to_string(from) +
                     " and " + std::to_string(to);
          continue;
        }
        SOAP_CUDA(cudaSetDevice, from);
        cudaError_t error = cudaDeviceEnablePeerAccess(to, 0);
        // NCCL or another session of this process was first.
        if (error == cudaErrorPeerAccessAlreadyEnabled) {
          cudaGetLastError();
          continue;
        }
        if (MaybeError other = check(error, "cudaDeviceEnablePeerAccess"))
          return other;
      }
    if (!apart.empty() && options.note)
      options.note("messages between these GPUs go by way of the host, as they "
                   "cannot access each other's memory: " +
                   apart);
    return std::nullopt;
  }

  ptrdiff_t indexOf(int64_t device) const {
    return std::find(options.local.begin(), options.local.end(), device) -
           options.local.begin();
  }
  CudaDevice &find(int64_t device) { return *devices[size_t(indexOf(device))]; }

  /// A cubin runs on chips of its major version and at least its minor one; PTX
  /// on all later ones.
  MaybeError checkChip(int number) {
    cudaDeviceProp properties{};
    SOAP_CUDA(cudaGetDeviceProperties, &properties, number);
    if (name.empty())
      name = properties.name;
    int has = properties.major * 10 + properties.minor;
    int wants = chipNumber(options.chip);
    bool runs =
        has >= wants && (options.format == "isa" || has / 10 == wants / 10);
    if (runs)
      return std::nullopt;
    return Error{"the module's kernels are for " + options.chip +
                 (options.format == "isa" ? " and later" : "") + ", GPU " +
                 std::to_string(number) + " (" + properties.name + ") is sm_" +
                 std::to_string(has) +
                 ": lower it with --soap-lower-to-cuda='chip=sm_" +
                 std::to_string(has) + "'"};
  }
};

} // namespace

/// The function that `openBackend` calls. Null with a message on failure.
extern "C" Backend *soapOpenCudaBackend(const BackendOptions &options,
                                        std::string *error) {
  auto backend = std::make_unique<CudaBackend>();
  if (MaybeError failure = backend->open(options)) {
    *error = failure->message;
    return nullptr;
  }
  return backend.release();
}
