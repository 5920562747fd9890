//===- CheckpointFile.cpp - The file of a search's state ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CheckpointFile.h.
//
//===----------------------------------------------------------------------===//

#include "CheckpointFile.h"

#include "OptionFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::soap;

bool mlir::soap::hasCheckpoint(StringRef file) {
  return !file.empty() && llvm::sys::fs::exists(file);
}

FailureOr<std::optional<std::string>>
mlir::soap::readCheckpoint(ModuleOp module, StringRef file) {
  if (!hasCheckpoint(file))
    return std::optional<std::string>();
  FailureOr<std::string> text = readOptionFile(module, "checkpoint", file);
  if (failed(text))
    return failure();
  return std::optional<std::string>(std::move(*text));
}

void mlir::soap::writeCheckpoint(ModuleOp module, StringRef file,
                                 StringRef text) {
  std::string aside = (file + ".new").str();
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(aside, error);
    if (!error) {
      stream << text;
      stream.close();
      error = stream.error();
      stream.clear_error();
    }
  }
  if (!error)
    error = llvm::sys::fs::rename(aside, file);
  if (error)
    module.emitWarning() << "option 'checkpoint=" << file
                         << "': cannot write: " << error.message();
}
