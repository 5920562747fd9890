//===- GpuDriver.cpp - Whether there are GPUs -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GpuDriver.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Backend/GpuDriver.h"

#include <dlfcn.h>
#include <string>

using namespace soap;

Expected<int> runtime::countGpus() {
  // Stays loaded: the driver has threads, and the backend asks it next.
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver)
    return Error{"there is no driver of NVIDIA's (libcuda.so.1)"};
  auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto count =
      reinterpret_cast<int (*)(int *)>(dlsym(driver, "cuDeviceGetCount"));
  if (!init || !count)
    return Error{"libcuda.so.1 is not NVIDIA's driver"};
  int result = init(0), devices = 0;
  if (!result)
    result = count(&devices);
  if (result)
    return Error{"NVIDIA's driver finds no GPU (error " +
                 std::to_string(result) + ")"};
  if (devices < 1)
    return Error{"NVIDIA's driver finds no GPU"};
  return devices;
}
