/*===- Gpu.h - C ABI of GPU kernels ---------------------------------*- C -*-===
 *
 * Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Images of kernels on the current CUDA device: libSoapCUDA.so. It is there
 * only where CMake found a CUDA toolkit, and nothing else links it.
 *
 * Every function returns null, or an error message that stays until the thread
 * calls the next one. None ends the process, and all may be called
 * from several threads.
 *
 *===----------------------------------------------------------------------===*/

#ifndef SOAP_ABI_GPU_H
#define SOAP_ABI_GPU_H

#include "Soap/ABI/Runtime.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kernels that are loaded. */
typedef struct SoapGpuModule SoapGpuModule;
/* One of them; lives as long as its module. */
typedef struct SoapGpuKernel SoapGpuKernel;

/* Devices that a kernel can run on; without a driver an error, not 0. */
const char *soap_gpu_count(int64_t *devices);

/* PTX, which the driver compiles for its device, or a cubin. The bytes are not
 * needed later. Bytes that are no image, or a truncated one, are refused before
 * the driver sees them. */
const char *soap_gpu_load(const void *image, int64_t bytes,
                          SoapGpuModule **module);

/* The kernel `name` of a module; an error if there is none. */
const char *soap_gpu_kernel(SoapGpuModule *module, const char *name,
                            const SoapGpuKernel **kernel);

/* The kernel that a program launches; an error if there is none, or if the
 * image knows that it takes another number of buffers. */
const char *soap_gpu_kernel_of(SoapGpuModule *module, const SoapKernel *program,
                               const SoapGpuKernel **kernel);
/* The kernel as CUDA knows it: a cudaKernel_t. */
const void *soap_gpu_native(const SoapGpuKernel *kernel);

/* Starts a kernel whose arguments are the `count` pointers into device memory
 * at `buffers`, on blocks x threads threads, in a stream (a cudaStream_t; null:
 * the default one). Returns before it ends. Errors of the kernel itself are
 * errors of the stream. The kernels of --soap-kernels-to-gpu take any grid. */
const char *soap_gpu_launch(const SoapGpuKernel *kernel, void *const *buffers,
                            int64_t count, int64_t blocks, int64_t threads,
                            void *stream);

/* Loads all kernels to the current device. CUDA would load each with its first
 * launch, and may wait for other devices then. */
const char *soap_gpu_load_kernels(const SoapGpuModule *module);

/* Frees a module (or null) and its kernels, none of which may be running. */
const char *soap_gpu_unload(SoapGpuModule *module);

#ifdef __cplusplus
}
#endif

#endif /* SOAP_ABI_GPU_H */
