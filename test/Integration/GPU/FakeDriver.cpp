//===- FakeDriver.cpp - A stand-in for CUDA's driver ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcuda.so.1 where there is none, as far as cuDNN needs it to make plans:
// some of its engines compile kernels then, and give them to the driver, which
// takes them here and does nothing. Nothing runs. There is no device, unless
// SOAP_FAKE_DRIVER_DEVICES says how many are counted.
//
//===----------------------------------------------------------------------===//

#include <cstdlib>

namespace {

constexpr int success = 0, noDevice = 100; // CUresult

int giveObject(void **object) {
  static long nothing[8];
  *object = nothing;
  return success;
}

int giveText(int, const char **text) {
  *text = "stand-in";
  return success;
}

} // namespace

extern "C" {
#define SOAP_GIVES(name)                                                       \
  int name(void **object) { return giveObject(object); }
#define SOAP_DOES(name)                                                        \
  int name() { return success; }
#define SOAP_REFUSES(name)                                                     \
  int name() { return noDevice; }

SOAP_GIVES(cuLibraryLoadData)
SOAP_GIVES(cuLibraryLoadFromFile)
SOAP_GIVES(cuLibraryGetKernel)
SOAP_GIVES(cuLibraryGetModule)
SOAP_GIVES(cuKernelGetFunction)
SOAP_GIVES(cuModuleLoadData)
SOAP_GIVES(cuModuleLoadDataEx)
SOAP_GIVES(cuModuleGetFunction)
SOAP_DOES(cuLibraryUnload)
SOAP_DOES(cuModuleUnload)
SOAP_DOES(cuFuncSetAttribute)
SOAP_DOES(cuKernelSetAttribute)
SOAP_REFUSES(cuDriverGetVersion)
SOAP_REFUSES(cuGetProcAddress)
SOAP_REFUSES(cuGetProcAddress_v2)
SOAP_REFUSES(cuCtxGetCurrent)
SOAP_REFUSES(cuCtxGetLimit)
SOAP_REFUSES(cuCtxPopCurrent)
SOAP_REFUSES(cuCtxPushCurrent)
SOAP_REFUSES(cuDeviceGet)
SOAP_REFUSES(cuFuncGetAttribute)
SOAP_REFUSES(cuKernelGetAttribute)
SOAP_REFUSES(cuLaunchCooperativeKernel)
SOAP_REFUSES(cuLaunchKernel)
SOAP_REFUSES(cuLaunchKernelEx)
SOAP_REFUSES(cuLinkAddData)
SOAP_REFUSES(cuLinkComplete)
SOAP_REFUSES(cuLinkCreate)
SOAP_REFUSES(cuLinkDestroy)
SOAP_REFUSES(cuOccupancyMaxPotentialClusterSize)
SOAP_REFUSES(cuStreamGetCtx)

int cuInit(unsigned) {
  return std::getenv("SOAP_FAKE_DRIVER_DEVICES") ? success : noDevice;
}
int cuDeviceGetCount(int *count) {
  const char *devices = std::getenv("SOAP_FAKE_DRIVER_DEVICES");
  *count = devices ? std::atoi(devices) : 0;
  return devices ? success : noDevice;
}
int cuGetErrorName(int error, const char **text) {
  return giveText(error, text);
}
int cuGetErrorString(int error, const char **text) {
  return giveText(error, text);
}
} // extern "C"
