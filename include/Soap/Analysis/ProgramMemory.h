//===- ProgramMemory.h - Peak memory of partitioned IR ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The peaks that Memory/MemoryOverTime.h finds in plans, from programs alone.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_ANALYSIS_PROGRAMMEMORY_H
#define SOAP_ANALYSIS_PROGRAMMEMORY_H

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace mlir::soap {

/// Peak live bytes per device of one entry of `soap.programs`: arguments
/// throughout, other tiles from the op that makes them to their last reader,
/// the message of a send and the temporaries of a collective while they run.
/// Fails, with an error, where a table of tasks is damaged.
FailureOr<std::vector<int64_t>>
programPeakBytes(ModuleOp module, DictionaryAttr entry, int deviceCount);

} // namespace mlir::soap

#endif // SOAP_ANALYSIS_PROGRAMMEMORY_H
