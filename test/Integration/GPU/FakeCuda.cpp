//===- FakeCuda.cpp - A stand-in for CUDA's runtime -----------------------===//
//
// For tests of the backend cuda without a GPU: with LD_PRELOAD, its functions
// come before those of libcudart. There are devices as the environment says,
// which have memory and streams, and run no kernels. So what a backend says of
// the machine can be tested; what kernels compute is tested elsewhere.
//
//   SOAP_FAKE_CUDA_DEVICES=N     number of devices (default 1)
//   SOAP_FAKE_CUDA_CHIP=90       compute capability times ten (default 90)
//   SOAP_FAKE_CUDA_BYTES=N       memory of all devices (default 16 GiB)
//   SOAP_FAKE_CUDA_FAIL=NAME     this function fails when it is called
//
//===----------------------------------------------------------------------===//

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace {

long numberFrom(const char *variable, long otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::atol(text) : otherwise;
}

cudaError_t result(const char *function) {
  const char *fails = std::getenv("SOAP_FAKE_CUDA_FAIL");
  return fails && !std::strcmp(fails, function) ? cudaErrorLaunchFailure
                                                : cudaSuccess;
}

std::mutex memoryMutex;
std::map<void *, size_t> memory;
size_t used = 0;

size_t allBytes() {
  return size_t(numberFrom("SOAP_FAKE_CUDA_BYTES", long(16) << 30));
}

thread_local int currentDevice = 0;

/// Handles are numbers, which say what device they were made on.
constexpr long devicesAtMost = 64;
template <typename Handle>
Handle newHandle() {
  static std::atomic<long> next{1};
  return reinterpret_cast<Handle>(next.fetch_add(1) * devicesAtMost +
                                  currentDevice);
}
bool isOfCurrentDevice(const void *handle) {
  return reinterpret_cast<long>(handle) % devicesAtMost == currentDevice;
}

} // namespace

#define FAKE(name)                                                             \
  if (cudaError_t error = result(#name))                                       \
  return error

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  FAKE(cudaGetDeviceCount);
  *count = int(numberFrom("SOAP_FAKE_CUDA_DEVICES", 1));
  return *count ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
  FAKE(cudaGetDeviceProperties);
  *properties = {};
  std::strcpy(properties->name, "Stand-in");
  long chip = numberFrom("SOAP_FAKE_CUDA_CHIP", 90);
  properties->major = int(chip / 10);
  properties->minor = int(chip % 10);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int) {
  *value = 4;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  currentDevice = device;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) {
  *device = currentDevice;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }

const char *cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorNoDevice           ? "cudaErrorNoDevice"
         : error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation"
                                              : "cudaErrorLaunchFailure";
}
const char *cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorNoDevice ? "no CUDA-capable device is detected"
                                    : "unspecified launch failure";
}

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  FAKE(cudaMalloc);
  std::lock_guard<std::mutex> lock(memoryMutex);
  if (used + bytes > allBytes())
    return cudaErrorMemoryAllocation;
  *pointer = std::calloc(1, bytes);
  memory[*pointer] = bytes;
  used += bytes;
  return cudaSuccess;
}

cudaError_t cudaFree(void *pointer) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto found = memory.find(pointer);
  if (found == memory.end())
    return pointer ? cudaErrorInvalidValue : cudaSuccess;
  used -= found->second;
  memory.erase(found);
  std::free(pointer);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *all) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  *all = allBytes();
  *available = *all - used;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       cudaMemcpyKind) {
  FAKE(cudaMemcpy);
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            cudaMemcpyKind, cudaStream_t) {
  FAKE(cudaMemcpyAsync);
  std::memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
  FAKE(cudaStreamCreateWithFlags);
  *stream = newHandle<cudaStream_t>();
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamQuery(cudaStream_t) {
  FAKE(cudaStreamQuery);
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  FAKE(cudaStreamWaitEvent);
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
  *event = newHandle<cudaEvent_t>();
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  FAKE(cudaEventRecord);
  return isOfCurrentDevice(event) && isOfCurrentDevice(stream)
             ? cudaSuccess
             : cudaErrorInvalidResourceHandle;
}
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *,
                                cudaJitOption *, void **, unsigned,
                                cudaLibraryOption *, void **, unsigned) {
  FAKE(cudaLibraryLoadData);
  *library = newHandle<cudaLibrary_t>();
  return cudaSuccess;
}
cudaError_t cudaLibraryUnload(cudaLibrary_t) { return cudaSuccess; }
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t,
                                 const char *) {
  *kernel = newHandle<cudaKernel_t>();
  return cudaSuccess;
}
/// As in CUDA, the stream must be of the thread's current device.
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t,
                             cudaStream_t stream) {
  FAKE(cudaLaunchKernel);
  return isOfCurrentDevice(stream) ? cudaSuccess
                                   : cudaErrorInvalidResourceHandle;
}
}
