/*===- Compiler.h - C ABI of libSoapCompiler ------------------------*- C -*-===
 *
 * Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From an MLIR file at any stage of the pipeline to runnable device programs.
 * soap-run, which links no LLVM, loads it with dlopen.
 *
 *===----------------------------------------------------------------------===*/

#ifndef SOAP_ABI_COMPILER_H
#define SOAP_ABI_COMPILER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SoapModule SoapModule;

/* Resolves a runtime function (soap_rt_*) by name for the compiled code; NULL
 * if unknown. */
typedef void *(*SoapSymbolResolver)(const char *name);
/* Receives each diagnostic, rendered with its place. */
typedef void (*SoapDiagnosticHandler)(void *user, const char *message);

typedef struct SoapCompileOptions {
  const char *topology; /* for IR without configs or a preset; NULL: cpu-1, or
                           what the IR says */
  const char *preset; /* preset to apply to IR without configs; NULL: single */
  const char *strategy; /* strategy file to apply; NULL: none */
  int reference;        /* 1: reference kernels only, no fusion, no library */
  int optLevel;         /* 0..3 for LLVM */
  int noCache; /* 1: code is neither read from nor written to the cache on disk
                  (docs/Lowering.md) */
  SoapSymbolResolver resolve;
  SoapDiagnosticHandler diagnostic;
  void *diagnosticUser;
  const char *const *dialectPlugins; /* shared objects with dialects and models
                                        of ops, loaded before the file is read;
                                        NULL: none */
  int dialectPluginCount;
} SoapCompileOptions;

/* Compiles a file of IR; NULL on failure, after diagnostics. Runs the missing
 * parts of the pipeline (strategy, partition, lowering). */
SoapModule *soapCompileFile(const char *path,
                            const SoapCompileOptions *options);
/* The manifest, JSON of docs/Runtime.md; owned by the module. */
const char *soapModuleManifest(const SoapModule *module);
/* Address of a device program by symbol name; NULL if there is none. */
void *soapModuleSymbol(SoapModule *module, const char *name);
void soapModuleFree(SoapModule *module);

#ifdef __cplusplus
}
#endif

#endif /* SOAP_ABI_COMPILER_H */
