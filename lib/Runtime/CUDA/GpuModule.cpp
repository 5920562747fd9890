//===- GpuModule.cpp - GPU kernels on the CUDA runtime --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that knows CUDA: libSoapCUDA.so. Images are CUDA libraries
// (cudaLibrary_t), which belong to no context, so loading needs no driver API
// and no order of calls.
//
//===----------------------------------------------------------------------===//

#include "GpuImage.h"

#include "Soap/ABI/Gpu.h"

#include <cuda_runtime_api.h>

#include <limits>
#include <map>
#include <memory>

using namespace soap::runtime;

struct SoapGpuKernel {
  cudaKernel_t kernel;
  std::string name;
  int64_t parameters; ///< -1: not known
};

struct SoapGpuModule {
  cudaLibrary_t library = nullptr;
  GpuImage image;
  std::map<std::string, SoapGpuKernel> kernels;
};

namespace {

const char *report(std::string message) {
  thread_local std::string last;
  last = std::move(message);
  return last.c_str();
}

const char *report(const std::string &what, cudaError_t error) {
  // The error must not appear in a later call.
  cudaGetLastError();
  return report(what + ": " + cudaGetErrorString(error) + " (" +
                cudaGetErrorName(error) + ")");
}

std::string quoted(const std::string &name) { return "'" + name + "'"; }

std::string namesOf(const GpuImage &image) {
  std::string names;
  for (const GpuImageKernel &kernel : image.kernels)
    names += (names.empty() ? "" : ", ") + quoted(kernel.name);
  return names.empty() ? "none" : names;
}

} // namespace

const char *soap_gpu_count(int64_t *devices) {
  *devices = 0;
  int count = 0;
  if (cudaError_t error = cudaGetDeviceCount(&count))
    return report("cannot count CUDA devices", error);
  *devices = count;
  return nullptr;
}

const char *soap_gpu_load(const void *image, int64_t bytes,
                          SoapGpuModule **module) {
  *module = nullptr;
  if (!image || bytes <= 0)
    return report("no image of GPU kernels: it is empty");
  // PTX ends with a zero byte for CUDA, which gets no size.
  std::string copy(static_cast<const char *>(image), size_t(bytes));
  auto loaded = std::make_unique<SoapGpuModule>();
  if (std::string problem = readGpuImage(copy, loaded->image); !problem.empty())
    return report(problem);
  // Now, not at the first launch: errors in PTX are reported here.
  cudaError_t error = cudaLibraryLoadData(
      &loaded->library, copy.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (error)
    return report("cannot load the image of GPU kernels", error);
  for (const GpuImageKernel &found : loaded->image.kernels) {
    cudaKernel_t kernel = nullptr;
    if (cudaError_t missing = cudaLibraryGetKernel(&kernel, loaded->library,
                                                   found.name.c_str())) {
      const char *message =
          report("cannot load the kernel " + quoted(found.name), missing);
      cudaLibraryUnload(loaded->library);
      return message;
    }
    loaded->kernels[found.name] = {kernel, found.name, found.parameters};
  }
  *module = loaded.release();
  return nullptr;
}

const char *soap_gpu_kernel(SoapGpuModule *module, const char *name,
                            const SoapGpuKernel **kernel) {
  *kernel = nullptr;
  if (!module || !name)
    return report("no module of GPU kernels, or no name");
  auto found = module->kernels.find(name);
  if (found == module->kernels.end())
    return report("no kernel " + quoted(name) + " in the image; it holds " +
                  namesOf(module->image));
  *kernel = &found->second;
  return nullptr;
}

const char *soap_gpu_kernel_of(SoapGpuModule *module, const SoapKernel *program,
                               const SoapGpuKernel **kernel) {
  if (const char *error = soap_gpu_kernel(module, program->name, kernel))
    return error;
  int64_t takes = (*kernel)->parameters;
  if (takes < 0 || takes == program->buffers)
    return nullptr;
  *kernel = nullptr;
  return report("the kernel " + quoted(program->name) + " of the image takes " +
                std::to_string(takes) + " buffers, the program gives " +
                std::to_string(program->buffers));
}

const void *soap_gpu_native(const SoapGpuKernel *kernel) {
  return static_cast<const void *>(kernel->kernel);
}

const char *soap_gpu_launch(const SoapGpuKernel *kernel, void *const *buffers,
                            int64_t count, int64_t blocks, int64_t threads,
                            void *stream) {
  if (!kernel)
    return report("no kernel to launch");
  std::string what = "cannot launch the kernel " + quoted(kernel->name);
  if (count < 0 || (kernel->parameters >= 0 && count != kernel->parameters))
    return report(what + ": it takes " + std::to_string(kernel->parameters) +
                  " buffers, got " + std::to_string(count));
  constexpr int64_t maxBlocks = std::numeric_limits<int32_t>::max();
  if (blocks < 1 || blocks > maxBlocks || threads < 1 || threads > 1024)
    return report(what + ": expected 1 to " + std::to_string(maxBlocks) +
                  " blocks of 1 to 1024 threads, got " +
                  std::to_string(blocks) + " of " + std::to_string(threads));
  // CUDA wants the address of every argument; it only reads them.
  std::vector<void *> arguments;
  for (int64_t i = 0; i < count; ++i)
    arguments.push_back(const_cast<void **>(buffers + i));
  cudaError_t error =
      cudaLaunchKernel(static_cast<const void *>(kernel->kernel),
                       dim3(unsigned(blocks)), dim3(unsigned(threads)),
                       arguments.data(), 0, static_cast<cudaStream_t>(stream));
  return error ? report(what, error) : nullptr;
}

const char *soap_gpu_load_kernels(const SoapGpuModule *module) {
  if (!module)
    return report("no module of GPU kernels");
  for (const auto &[name, kernel] : module->kernels) {
    cudaFuncAttributes attributes{};
    if (cudaError_t error = cudaFuncGetAttributes(
            &attributes, static_cast<const void *>(kernel.kernel)))
      return report("cannot load the kernel " + quoted(name), error);
  }
  return nullptr;
}

const char *soap_gpu_unload(SoapGpuModule *module) {
  if (!module)
    return nullptr;
  std::unique_ptr<SoapGpuModule> owned(module);
  cudaError_t error = cudaLibraryUnload(owned->library);
  return error ? report("cannot unload an image of GPU kernels", error)
               : nullptr;
}
