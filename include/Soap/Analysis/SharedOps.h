//===- SharedOps.h - Ops that device programs write once --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In partitioned IR, runs of ops that repeat, as microbatches of a pipeline do,
// are a private function, and programs call it. Slots in the function count
// from 0, and a call says which slot that is:
//
//   %y:2 = call @tasks(%x, %w) {soap.slot = 40 : i64} : (...) -> (...)
//
// The programs mean what they mean with the ops in place of their calls. Passes
// of the lowering that work on tensors put them there first.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_ANALYSIS_SHAREDOPS_H
#define SOAP_ANALYSIS_SHAREDOPS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::soap {

/// Outlines ops of the programs of a module, which has `soap.programs`. Each
/// call saves more than `callCost` ops (`RepeatedRuns.h`); 0: nothing is
/// outlined. Ops with regions stay.
void outlineSharedOps(ModuleOp module, int64_t callCost);

/// Whether a program of the module calls shared ops.
bool hasSharedOps(ModuleOp module);

/// Puts shared ops in place of their calls and erases their functions: undoes
/// `outlineSharedOps`. A module without `soap.programs` stays as it is. An
/// error names a call that is not of such a function, or an op in one that has
/// no slot.
LogicalResult inlineSharedOps(ModuleOp module);

} // namespace mlir::soap

#endif // SOAP_ANALYSIS_SHAREDOPS_H
