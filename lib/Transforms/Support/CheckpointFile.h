//===- CheckpointFile.h - The file of a search's state ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option `checkpoint` of passes that search.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_SUPPORT_CHECKPOINTFILE_H
#define SOAP_LIB_TRANSFORMS_SUPPORT_CHECKPOINTFILE_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace mlir::soap {

/// Whether a former run has left a state.
bool hasCheckpoint(StringRef file);
/// The state that a former run has left, if there is one.
FailureOr<std::optional<std::string>> readCheckpoint(ModuleOp module,
                                                     StringRef file);
/// Writes aside first, so that there always is a whole one. A search is not
/// ended for a full disk; a warning says that it cannot be resumed.
void writeCheckpoint(ModuleOp module, StringRef file, StringRef text);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_SUPPORT_CHECKPOINTFILE_H
