//===- OptionFile.h - Files that pass options name --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and writing of the files that options of passes name.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_SUPPORT_OPTIONFILE_H
#define SOAP_LIB_TRANSFORMS_SUPPORT_OPTIONFILE_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::soap {

/// The text of the file that pass option `option` names. An error names both,
/// and is also for what is no file, and for more than 256 MiB.
FailureOr<std::string> readOptionFile(ModuleOp module, StringRef option,
                                      StringRef path);

/// Writes `text` to the file that pass option `option` names (`-`: standard
/// output). An error names both.
LogicalResult writeOptionFile(ModuleOp module, StringRef option, StringRef path,
                              StringRef text);

/// Whether the file that pass option `option` names can be written, as far as
/// that can be said without touching it; for passes that run for long. No file
/// (empty) and standard output can. An error names both.
LogicalResult checkOptionFile(ModuleOp module, StringRef option,
                              StringRef path);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_SUPPORT_OPTIONFILE_H
