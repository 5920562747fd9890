/*===- Session.h - C API: modules that run --------------------------*- C -*-===
 *
 * Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A session has the device programs of a module, the memory of its tensors, and
 * a thread per device. Tensors go in and out as arrays of the host, in
 * row-major order, whatever the way in which they are cut.
 *
 *===----------------------------------------------------------------------===*/

#ifndef SOAP_C_SESSION_H
#define SOAP_C_SESSION_H

#include "Soap-c/Module.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A module with its memory and devices. */
typedef struct SoapSession {
  void *ptr;
} SoapSession;

typedef enum SoapElementType {
  SOAP_ELEMENT_F32 = 0,
  SOAP_ELEMENT_F64 = 1,
  SOAP_ELEMENT_I32 = 2,
  SOAP_ELEMENT_I64 = 3,
  SOAP_ELEMENT_F16 = 4,
  SOAP_ELEMENT_BF16 = 5
} SoapElementType;

typedef struct SoapSessionOptions {
  int optLevel;         /* 0 to 3, of LLVM */
  int noCache;          /* 1: compiled code is neither read from nor written to
                           the cache on disk */
  int pinsThreads;      /* 1: devices are bound to cores */
  int threadsPerDevice; /* of kernels; 0: available cores / devices */
} SoapSessionOptions;

/* Compiles a copy of the module, with the parts of the pipeline that it has not
 * run yet, and makes it ready. A module without a strategy runs on one device.
 * `options` may be null: level 2, with cache, without pinning. */
SOAP_CAPI_EXPORTED SoapSession
soapSessionCompile(SoapIRModule module, const SoapSessionOptions *options);
/* Loads an artifact. Its code is native: load only files that you trust. */
SOAP_CAPI_EXPORTED SoapSession soapSessionLoad(
    SoapContext context, const char *path, const SoapSessionOptions *options);
SOAP_CAPI_EXPORTED void soapSessionDestroy(SoapSession session);

/* JSON: `devices`, `topology`, `tensors` (`name`, `kind`, `shape`, `dtype`,
 * `sample_dim`, `classes`, `counts_from_end` where negative integers do so) and
 * `entries` (`name`, `batch`, `arguments` and `results`, which are numbers of
 * tensors). */
SOAP_CAPI_EXPORTED SoapResult soapSessionDescribe(SoapSession session,
                                                  SoapTextCallback callback,
                                                  void *user);

/* Gives parameters and states their first values. `rule` null or "": each
 * tensor's own; "he", "glorot"; or a safetensors file. */
SOAP_CAPI_EXPORTED SoapResult soapSessionInitialize(SoapSession session,
                                                    const char *rule,
                                                    uint64_t seed);

/* Sets a tensor from `rank` extents and the elements in row-major order. Type
 * and shape must be the tensor's. */
SOAP_CAPI_EXPORTED SoapResult soapSessionSet(SoapSession session,
                                             const char *name,
                                             SoapElementType type,
                                             const int64_t *shape, size_t rank,
                                             const void *data);
/* Copies the current value of a tensor to `data`, which has `bytes` bytes: as
 * many as the tensor. */
SOAP_CAPI_EXPORTED SoapResult soapSessionGet(SoapSession session,
                                             const char *name, void *data,
                                             size_t bytes);

/* Runs one iteration of an entry, such as `train_step`. */
SOAP_CAPI_EXPORTED SoapResult soapSessionRun(SoapSession session,
                                             const char *entry);
/* Copies a result of the latest run of an entry, by the name of its tensor. */
SOAP_CAPI_EXPORTED SoapResult soapSessionResult(SoapSession session,
                                                const char *entry,
                                                const char *name, void *data,
                                                size_t bytes);
/* Wall time of the latest run in milliseconds. */
SOAP_CAPI_EXPORTED double soapSessionLastMilliseconds(SoapSession session);

/* The learning rate of an iteration, counted from 1; -1 where the options of
 * the training step do not say it. */
SOAP_CAPI_EXPORTED double soapSessionLearningRate(SoapSession session,
                                                  int64_t iteration);

/* Writes parameters and buffers to a safetensors file; with `allStates` the
 * states of the optimizer, too. */
SOAP_CAPI_EXPORTED SoapResult soapSessionSave(SoapSession session,
                                              const char *path, int allStates);

#ifdef __cplusplus
}
#endif

#endif /* SOAP_C_SESSION_H */
