//===- GpuCheck.cpp - An image of GPU kernels through the runtime's ABI ---===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   soap-gpu-check IMAGE [--read-only]
//
// IMAGE is what --soap-lower-gpu-kernels wrote, with IMAGE.json beside it.
// Without a device: image and table must agree, and what is no image must be
// refused. With one, also: every kernel loads, and those whose formula is
// known here run and are compared with the CPU; not with --read-only, for a
// cubin of another chip than the device's. Ends with 1 at the first fault.
//
//===----------------------------------------------------------------------===//

#include "Runtime/CUDA/GpuImage.h"
#include "Soap/ABI/Gpu.h"

#include <cuda_runtime_api.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

using namespace soap::runtime;

namespace {

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "soap-gpu-check: %s\n", message.c_str());
  std::exit(1);
}

void check(const char *error) {
  if (error)
    fail(error);
}

void checkCuda(cudaError_t error, const char *what) {
  if (error)
    fail(std::string(what) + ": " + cudaGetErrorString(error));
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    fail("cannot read '" + path + "'");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Buffer {
  std::vector<int64_t> shape;
  int64_t elements = 1;
};

struct Kernel {
  std::string name;
  std::vector<Buffer> buffers;
  bool isFloat = true;
};

std::vector<Kernel> readTable(const std::string &path) {
  std::vector<Kernel> kernels;
  try {
    auto table = nlohmann::json::parse(readFile(path));
    for (auto &entry : table.at("kernels")) {
      Kernel kernel;
      kernel.name = entry.at("name");
      for (auto &value : entry.at("buffers")) {
        Buffer buffer;
        buffer.shape = value.at("shape").get<std::vector<int64_t>>();
        for (int64_t size : buffer.shape)
          buffer.elements *= size;
        kernel.isFloat = kernel.isFloat && value.at("element") == "f32";
        kernel.buffers.push_back(std::move(buffer));
      }
      kernels.push_back(std::move(kernel));
    }
  } catch (const nlohmann::json::exception &error) {
    fail("'" + path + "': " + error.what());
  }
  return kernels;
}

/// Every kernel of the table is in the image, takes as many pointers as the
/// table says, and the image has no other.
void compare(const GpuImage &image, const std::vector<Kernel> &table) {
  if (image.kernels.size() != table.size())
    fail("the image holds " + std::to_string(image.kernels.size()) +
         " kernels, the table " + std::to_string(table.size()));
  for (const Kernel &kernel : table) {
    const GpuImageKernel *found = nullptr;
    for (const GpuImageKernel &other : image.kernels)
      if (other.name == kernel.name)
        found = &other;
    if (!found)
      fail("the image does not hold '" + kernel.name + "'");
    if (found->parameters != int64_t(kernel.buffers.size()))
      fail("'" + kernel.name + "' takes " + std::to_string(found->parameters) +
           " parameters, its table has " +
           std::to_string(kernel.buffers.size()) + " buffers");
    std::printf("kernel %s, %zu buffers\n", kernel.name.c_str(),
                kernel.buffers.size());
  }
}

/// The runtime says no, and does not crash, on bytes that are no image.
void checkRefusals(const std::string &bytes) {
  auto refuses = [](const std::string &image, const char *what) {
    SoapGpuModule *module = nullptr;
    const char *error =
        soap_gpu_load(image.data(), int64_t(image.size()), &module);
    if (!error || module)
      fail(std::string("the runtime loads ") + what);
    std::printf("%s: %s\n", what, error);
  };
  refuses("", "an empty image");
  refuses("no image at all", "text");
  if (bytes[0] == '\177')
    refuses(bytes.substr(0, bytes.size() - 1), "a cut cubin");
  const SoapGpuKernel *kernel = nullptr;
  if (!soap_gpu_kernel(nullptr, "x", &kernel) ||
      !soap_gpu_launch(nullptr, nullptr, 0, 1, 1, nullptr) ||
      soap_gpu_unload(nullptr))
    fail("calls without a module do not fail as documented");
}

/// Element i of the last buffer, from the others.
using Formula = std::function<float(
    const Kernel &, const std::vector<std::vector<float>> &, int64_t)>;

/// The formula of a kernel of LeNet, by its name. A bias belongs to dim 1.
Formula formulaOf(const Kernel &kernel) {
  auto has = [&](const char *part) {
    return kernel.name.find(part) != std::string::npos;
  };
  if (!kernel.isFloat || kernel.buffers.size() != 3)
    return nullptr;
  if (has("_relu_grad"))
    return [](const Kernel &, const auto &in, int64_t i) {
      return in[1][size_t(i)] > 0 ? in[0][size_t(i)] : 0.0f;
    };
  bool isBias = kernel.buffers[1].shape.size() == 1 &&
                kernel.buffers[0].shape.size() >= 2 &&
                kernel.buffers[0].shape[1] == kernel.buffers[1].shape[0];
  if (!isBias || !(has("_fused_relu") || has("_bias_add")))
    return nullptr;
  bool isRelu = has("_fused_relu");
  return [isRelu](const Kernel &k, const auto &in, int64_t i) {
    int64_t inner =
        k.buffers[0].elements / k.buffers[0].shape[0] / k.buffers[0].shape[1];
    float sum =
        in[0][size_t(i)] + in[1][size_t(i / inner % k.buffers[0].shape[1])];
    return isRelu ? std::max(sum, 0.0f) : sum;
  };
}

/// Runs a kernel on a grid that is smaller than its extent, and compares.
void run(SoapGpuModule *module, const Kernel &kernel, const Formula &formula) {
  std::vector<std::vector<float>> host;
  std::vector<void *> device;
  uint32_t random = 1;
  for (const Buffer &buffer : kernel.buffers) {
    auto &values = host.emplace_back(size_t(buffer.elements));
    for (float &value : values) {
      random = random * 1664525u + 1013904223u;
      value = float(int32_t(random)) / 2147483648.0f;
    }
    void *&data = device.emplace_back(nullptr);
    size_t bytes = values.size() * sizeof(float);
    checkCuda(cudaMalloc(&data, bytes), "cudaMalloc");
    checkCuda(cudaMemcpy(data, values.data(), bytes, cudaMemcpyHostToDevice),
              "cudaMemcpy");
  }
  const SoapGpuKernel *function = nullptr;
  check(soap_gpu_kernel(module, kernel.name.c_str(), &function));
  int64_t count = int64_t(device.size());
  if (!soap_gpu_launch(function, device.data(), count + 1, 1, 1, nullptr))
    fail("a launch with too many buffers is no error");
  check(soap_gpu_launch(function, device.data(), count, 2, 32, nullptr));
  checkCuda(cudaDeviceSynchronize(), kernel.name.c_str());
  std::vector<float> result(host.back().size());
  checkCuda(cudaMemcpy(result.data(), device.back(),
                       result.size() * sizeof(float), cudaMemcpyDeviceToHost),
            "cudaMemcpy");
  for (size_t i = 0; i < result.size(); ++i) {
    float expected = formula(kernel, host, int64_t(i));
    if (!(std::abs(result[i] - expected) <= 1e-6f))
      fail("'" + kernel.name + "': element " + std::to_string(i) + " is " +
           std::to_string(result[i]) + ", expected " +
           std::to_string(expected));
  }
  for (void *data : device)
    cudaFree(data);
  std::printf("ran %s: %zu elements as on the CPU\n", kernel.name.c_str(),
              result.size());
}

} // namespace

static constexpr const char *kHelp =
    R"(soap-gpu-check: an image of GPU kernels through the runtime's ABI

usage: soap-gpu-check IMAGE [--read-only]

IMAGE is what soap-opt --soap-lower-gpu-kernels='image=IMAGE' wrote, with
IMAGE.json beside it (docs/GPU.md). Image and table must agree, and what is no
image must be refused. Where there is a device, every kernel is loaded, and
those whose formula is known here run and are compared with the CPU.

  --read-only   run nothing: the image is for another chip than the device's
  --help        this text

exit status: 0 success, 1 the first fault, 2 bad flags
)";

int main(int argc, char **argv) {
  if (argc == 2 && std::string(argv[1]) == "--help") {
    std::fputs(kHelp, stdout);
    return 0;
  }
  bool readOnly = argc == 3 && std::string(argv[2]) == "--read-only";
  if (argc != 2 && !readOnly) {
    std::fprintf(stderr, "usage: soap-gpu-check IMAGE [--read-only]\n");
    return 2;
  }
  std::string bytes = readFile(argv[1]);
  GpuImage image;
  if (std::string problem = readGpuImage(bytes, image); !problem.empty())
    fail(problem);
  std::vector<Kernel> table = readTable(std::string(argv[1]) + ".json");
  compare(image, table);
  checkRefusals(bytes);
  if (readOnly)
    return 0;

  SoapGpuModule *module = nullptr;
  int64_t devices = 0;
  const char *error = soap_gpu_count(&devices);
  if (error || devices == 0) {
    std::printf("no CUDA device: not run (%s)\n", error ? error : "0 devices");
    // The driver is missing, the image is not at fault.
    error = soap_gpu_load(bytes.data(), int64_t(bytes.size()), &module);
    if (!error || module)
      fail("an image is loaded without a device");
    std::printf("load: %s\n", error);
    return 0;
  }
  check(soap_gpu_load(bytes.data(), int64_t(bytes.size()), &module));
  const SoapGpuKernel *missing = nullptr;
  if (!soap_gpu_kernel(module, "no_such_kernel", &missing))
    fail("a kernel that is not there is no error");
  int64_t runs = 0;
  for (const Kernel &kernel : table)
    if (Formula formula = formulaOf(kernel)) {
      run(module, kernel, formula);
      ++runs;
    }
  check(soap_gpu_unload(module));
  if (runs == 0)
    fail("no kernel of the image has a formula to compare with");
  return 0;
}
