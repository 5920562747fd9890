//===- SourceFile.h - Files of IR that tools read ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the input of a tool with limits: MLIR's own function reads devices and
// endless pipes until memory is gone.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TRANSFORMS_SOURCEFILE_H
#define SOAP_TRANSFORMS_SOURCEFILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace mlir::soap {

/// The bytes of a file, or of standard input where `path` is "-". Null with a
/// message that begins with the path if it cannot be read, or is no file: see
/// Soap/Support/InputFile.h, whose limits hold for pipes and standard input.
std::unique_ptr<llvm::MemoryBuffer> openSourceFile(StringRef path,
                                                   std::string &error);

/// How programs of another project's dialect become models, by the name of the
/// dialect (`stablehlo`, `tosa`, `torch`): a clause for messages. Empty where
/// nothing is known.
StringRef describeImportOf(StringRef dialect);
/// A note on the text of a file that could not be parsed: it has, at its
/// beginning, ops of such a dialect, which is not registered. Empty otherwise.
std::string noteOnForeignText(StringRef text, const DialectRegistry &registry);

/// Parses the module of a file, text or bytecode. Null with a diagnostic if it
/// cannot be read or is no module.
OwningOpRef<ModuleOp> parseModuleFile(StringRef path, MLIRContext *context);

} // namespace mlir::soap

#endif // SOAP_TRANSFORMS_SOURCEFILE_H
