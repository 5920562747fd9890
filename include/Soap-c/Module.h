/*===- Module.h - C API: modules, plans and what they cost ----------*- C -*-===
 *
 * Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Modules of IR: read, imported, changed by passes, described as JSON, drawn,
 * compiled to files. Passes do all the work (docs/Passes.md), so most of the
 * API is soapIRModuleRunPasses and functions that return the reports of passes.
 *
 *===----------------------------------------------------------------------===*/

#ifndef SOAP_C_MODULE_H
#define SOAP_C_MODULE_H

#include "Soap-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A module of IR. */
typedef struct SoapIRModule {
  void *ptr;
} SoapIRModule;

/*--- From text, files and other formats -------------------------------------*/

/* Parses IR: text or MLIR bytecode. `name` stands for it in diagnostics. */
SOAP_CAPI_EXPORTED SoapIRModule soapIRModuleParse(SoapContext context,
                                                  const char *text,
                                                  size_t length,
                                                  const char *name);
SOAP_CAPI_EXPORTED SoapIRModule soapIRModuleParseFile(SoapContext context,
                                                      const char *path);

/* Imports an ONNX model as `@forward` (docs/ONNX.md). `options` are `count`
 * texts NAME=VALUE, or NAME for flags, as soap-translate has them without
 * dashes: batch, sample-dim, data-inputs, input-shape, parameters, constants,
 * parameters-from, tie-weights, untie-weights, weights-out, assume-roles,
 * assume-batch, freeze-norms, drop-final-softmax, keep-final-softmax. */
SOAP_CAPI_EXPORTED SoapIRModule
soapIRModuleImportONNX(SoapContext context, const char *path,
                       const char *const *options, size_t count);

/* Imports StableHLO in its generic form; `name` stands for the text in
 * diagnostics. `options` are `count` texts NAME=VALUE as soap-translate has
 * them without dashes: function, data, labels, parameters, states (numbers and
 * ranges of arguments: `0,2-4`), updates (RESULT:ARGUMENT), sample-dim, and
 * no-recognition and keep-shardings without a value. A build without this
 * import fails with a diagnostic that says so. */
SOAP_CAPI_EXPORTED SoapIRModule soapIRModuleImportStableHLO(
    SoapContext context, const char *text, size_t length, const char *name,
    const char *const *options, size_t count);

/* Hands out StableHLO again, with the mesh and the shardings of a strategy as
 * Shardy has them. `module` was imported from `text` with `options`, has a
 * strategy, and then went through the pass soap-export-shard. `planned`, which
 * may be {NULL}, is the same before that pass: an error tells where a written
 * sharding gives a device another region than the strategy. */
SOAP_CAPI_EXPORTED SoapResult soapIRModuleExportShardy(
    SoapIRModule module, SoapIRModule planned, const char *text, size_t length,
    const char *const *options, size_t count, SoapTextCallback callback,
    void *user);

/* A network by name (docs/Models.md). `batch` 0: its default. `options` are
 * `count` texts NAME=NUMBER, or preset=NAME. */
SOAP_CAPI_EXPORTED SoapIRModule soapIRModuleGenerate(SoapContext context,
                                                     const char *name,
                                                     int64_t batch,
                                                     const char *const *options,
                                                     size_t count);

SOAP_CAPI_EXPORTED SoapIRModule soapIRModuleClone(SoapIRModule module);
SOAP_CAPI_EXPORTED void soapIRModuleDestroy(SoapIRModule module);
/* The IR as text. */
SOAP_CAPI_EXPORTED SoapResult soapIRModulePrint(SoapIRModule module,
                                                SoapTextCallback callback,
                                                void *user);

/*--- Passes -----------------------------------------------------------------*/

/* Runs a pipeline in MLIR's syntax on the module, such as
 * `soap-build-training-step{optimizer=sgd},soap-partition`. After a failure the
 * module is in no defined state: clone it before, where it is needed. */
SOAP_CAPI_EXPORTED SoapResult soapIRModuleRunPasses(SoapIRModule module,
                                                    const char *pipeline);

/* Names the arguments of a function (null: the only one with a body, or as the
 * passes choose): `count` names, one for each argument, all different. Tensors
 * of sessions and placements have these names. */
SOAP_CAPI_EXPORTED SoapResult
soapIRModuleNameArguments(SoapIRModule module, const char *function,
                          const char *const *names, size_t count);

/* Searches a strategy and writes it on the ops: soap-auto-parallel with these
 * options (`topology=cpu-4 proposals=1000`, `algorithm=frontier
 * mode=mini-time`, ...). `callback` gets the report of the search as JSON. */
SOAP_CAPI_EXPORTED SoapResult soapIRModuleSearch(SoapIRModule module,
                                                 const char *options,
                                                 SoapTextCallback callback,
                                                 void *user);

/* Prices the strategy of the module: soap-simulate with these options.
 * `callback` gets its report as JSON (docs/Looking.md). */
SOAP_CAPI_EXPORTED SoapResult soapIRModuleSimulate(SoapIRModule module,
                                                   const char *options,
                                                   SoapTextCallback callback,
                                                   void *user);

/* Prices the alternatives of an op: soap-explain with these options
 * (`op=conv1`). `callback` gets its report as JSON. */
SOAP_CAPI_EXPORTED SoapResult soapIRModuleExplain(SoapIRModule module,
                                                  const char *options,
                                                  SoapTextCallback callback,
                                                  void *user);

/* Prices other strategies for a function of the module, which stays as it is.
 * A strategy is a preset by name, or a strategy file (*.json). `function` and
 * `topology` may be null: as soap-apply-strategy chooses them. `callback` gets
 * a JSON array: `name`, `makespan_ns`, `peak_bytes` of the fullest device, and
 * `warnings`, for example that memory is not enough. */
SOAP_CAPI_EXPORTED SoapResult
soapIRModuleCompare(SoapIRModule module, const char *function,
                    const char *topology, const char *const *strategies,
                    size_t count, SoapTextCallback callback, void *user);

/*--- Descriptions -----------------------------------------------------------*/

/* The functions of the module as JSON: `topology` (a name, or null) and
 * `functions`, each with `name`, `ops` (a number), and `arguments` and
 * `results` with `name`, `kind`, `shape`, `dtype`, and where known
 * `sample_dim`, `classes`, `counts_from_end` and `updates`. */
SOAP_CAPI_EXPORTED SoapResult soapIRModuleDescribe(SoapIRModule module,
                                                   SoapTextCallback callback,
                                                   void *user);

/* The strategy of a function (null: train_step, evaluate or forward) as JSON:
 * `function`, `topology`, `devices`, and `ops`, each with `name`, `kind`,
 * `phase`, `loops` (name, extent, role), `degrees` by loop, `replicas` and
 * `devices`; `recomputed`, the names of ops that the backward pass computes
 * again; and of a pipeline, whose configs say how one microbatch is split,
 * `pipeline`: `microbatches`, `schedule`, and `stages` in their order, each
 * with its `first` op and its `devices` (none: every device is a stage), and
 * `replicas` where devices share stages. */
SOAP_CAPI_EXPORTED SoapResult soapIRModuleStrategy(SoapIRModule module,
                                                   const char *function,
                                                   SoapTextCallback callback,
                                                   void *user);

/* The strategy of a function as a strategy file (docs/Strategy.md), which
 * soap-apply-strategy reads. */
SOAP_CAPI_EXPORTED SoapResult
soapIRModuleStrategyFile(SoapIRModule module, const char *function,
                         SoapTextCallback callback, void *user);

/* Where the plan of a function keeps its arguments and results, as JSON:
 * `function`, `devices`, and `tensors`, each with `name`, `kind`, `shape`,
 * `argument` (a number; -1 for results) and `tiles`: `device` and `region`,
 * which has for every dim a list of pairs [begin, end). A tile that the program
 * replaces by the next value has `updated`. Partitions a copy of the module. */
SOAP_CAPI_EXPORTED SoapResult soapIRModulePlacement(SoapIRModule module,
                                                    const char *function,
                                                    SoapTextCallback callback,
                                                    void *user);

/* The strategy of a function as a drawing (SVG). */
SOAP_CAPI_EXPORTED SoapResult soapIRModuleDraw(SoapIRModule module,
                                               const char *function,
                                               SoapTextCallback callback,
                                               void *user);

/* Partitions and lowers a copy of the module, as far as that is not done, and
 * writes an artifact (docs/Artifacts.md) that runs without a compiler. `level`
 * is 0 to 3, of LLVM's optimizer; `cpu` is `host` or a level such as
 * `x86-64-v3`. */
SOAP_CAPI_EXPORTED SoapResult soapIRModuleEmitArtifact(SoapIRModule module,
                                                       const char *path,
                                                       int level,
                                                       const char *cpu);

#ifdef __cplusplus
}
#endif

#endif /* SOAP_C_MODULE_H */
