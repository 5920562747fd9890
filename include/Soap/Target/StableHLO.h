//===- StableHLO.h - Import of StableHLO programs ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From StableHLO in MLIR's generic form, as JAX prints it, to a function of
// soap, linalg and tensor ops. Needs no StableHLO library. See
// docs/StableHLO.md for what is supported.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TARGET_STABLEHLO_H
#define SOAP_TARGET_STABLEHLO_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace mlir::soap {

struct StableHLOImportOptions {
  /// The function that is imported; empty: `main`, else the only public one.
  std::string function;
  /// Arguments that are data, labels, parameters or states: numbers and ranges
  /// such as `0,2-4`. Empty: none is named.
  std::string data, labels, parameters, states;
  /// The results that are new values of arguments: `RESULT:ARGUMENT` pairs and
  /// ranges such as `1-5:0-4`; `auto` finds them by their types and is an error
  /// where there are two ways; `none` ignores what the program says. Empty:
  /// what the program says (donated arguments).
  std::string updates;
  /// The dim of data and labels that counts samples.
  int64_t sampleDim = 0;
  /// The program is a training step: the function is called `train_step`, and
  /// its only float of rank 0 that updates nothing is the loss.
  bool trainStep = false;
  /// Fuses elementwise ops.
  bool fuse = true;
  /// Softmax, norms and gelu become ops of their own; a remark counts them.
  bool recognize = true;
  /// Arguments, results and the tensors of sharding constraints lie where the
  /// program's shardings say, of Shardy or of GSPMD.
  bool keepShardings = false;
};

/// Imports a module; null after a diagnostic. Nothing that a file can hold
/// crashes it. `name` stands for the file in messages. While it runs, the
/// context allows unregistered dialects.
OwningOpRef<ModuleOp> importStableHLO(std::unique_ptr<llvm::MemoryBuffer> text,
                                      MLIRContext *context,
                                      const StableHLOImportOptions &options);

/// Writes the program again, with a mesh and the shardings of a strategy as
/// Shardy has them. `sharded` is the import of the program by the same
/// `options`, with a strategy, after `--soap-export-shard`; its context allows
/// unregistered dialects afterwards. `planned`, which may be null, is the same
/// before that pass: each device then has by its strategy what the written
/// shardings say. Failure after a diagnostic.
LogicalResult exportShardy(std::unique_ptr<llvm::MemoryBuffer> program,
                           ModuleOp sharded, ModuleOp planned,
                           const StableHLOImportOptions &options,
                           llvm::raw_ostream &output);

} // namespace mlir::soap

#endif // SOAP_TARGET_STABLEHLO_H
