/*===- Support.h - C API: contexts, results, text -------------------*- C -*-===
 *
 * Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The types that all functions of the C API share. docs/Python.md describes the
 * API; examples/c has a program.
 *
 * Conventions. An object is a struct with one pointer. A function that makes an
 * object gives a null object on failure; other functions give a SoapResult.
 * After a failure the context has the diagnostics of the call. Text goes to a
 * callback, so the caller owns what it keeps. Strings are UTF-8; those that end
 * with a zero byte have no length beside them. No function takes a null object.
 * A context and everything made with it belong to one thread at a time.
 *
 *===----------------------------------------------------------------------===*/

#ifndef SOAP_C_SUPPORT_H
#define SOAP_C_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SOAP_CAPI_EXPORTED __attribute__((visibility("default")))
#else
#define SOAP_CAPI_EXPORTED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Dialects, passes and diagnostics. */
typedef struct SoapContext {
  void *ptr;
} SoapContext;

typedef enum SoapResult { SOAP_SUCCESS = 0, SOAP_FAILURE = 1 } SoapResult;

typedef enum SoapSeverity {
  SOAP_NOTE = 0,
  SOAP_WARNING = 1,
  SOAP_ERROR = 2,
  SOAP_REMARK = 3
} SoapSeverity;

/* Receives text. It may be called several times; the parts belong together. */
typedef void (*SoapTextCallback)(const char *text, size_t length, void *user);

/* Receives a diagnostic: its place, severity and message in one text. */
typedef void (*SoapDiagnosticCallback)(SoapSeverity severity, const char *text,
                                       size_t length, void *user);

/* The version of Soap and of LLVM: `Soap 0.2.0 (LLVM 22.1.8)`. */
SOAP_CAPI_EXPORTED const char *soapVersion(void);

SOAP_CAPI_EXPORTED SoapContext soapContextCreate(void);
/* Modules and sessions keep what they need of their context: the order in which
 * objects are destroyed is free. */
SOAP_CAPI_EXPORTED void soapContextDestroy(SoapContext context);

/* Loads a shared object with MLIR's entry point `mlirGetDialectPluginInfo`:
 * modules that are parsed with this context afterwards may have ops of its
 * dialects (docs/OtherDialects.md). It may use C++ functions of Soap and MLIR,
 * whose symbols become visible to the whole process. It stays loaded until the
 * process ends. */
SOAP_CAPI_EXPORTED SoapResult soapContextLoadDialectPlugin(SoapContext context,
                                                           const char *path);

/* Hands out the diagnostics of the latest call with this context, or with an
 * object that was made with it, in order. */
SOAP_CAPI_EXPORTED void soapContextDiagnostics(SoapContext context,
                                               SoapDiagnosticCallback callback,
                                               void *user);

#ifdef __cplusplus
}
#endif

#endif /* SOAP_C_SUPPORT_H */
