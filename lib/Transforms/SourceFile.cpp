//===- SourceFile.cpp - Files of IR that tools read -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SourceFile.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Transforms/SourceFile.h"

#include "Soap/Support/InputFile.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"

#include <unistd.h>

using namespace mlir;

std::unique_ptr<llvm::MemoryBuffer>
mlir::soap::openSourceFile(StringRef path, std::string &error) {
  uint64_t size = 0;
  if (path != "-" && !::soap::specialKind(path.str()) &&
      !llvm::sys::fs::file_size(path, size)) {
    if (auto tooLarge =
            ::soap::checkInputSize(path.str(), static_cast<int64_t>(size))) {
      error = tooLarge->message;
      return nullptr;
    }
    // Large files are mapped.
    auto file = llvm::MemoryBuffer::getFile(path);
    if (file)
      return std::move(*file);
    error = path.str() + ": cannot open: " + file.getError().message();
    return nullptr;
  }
  ::soap::Expected<std::string> text =
      path == "-" ? ::soap::readDescriptor(STDIN_FILENO, "standard input",
                                           ::soap::inputLimits().pipeBytes)
                  : ::soap::readFile(path.str());
  if (text)
    return llvm::MemoryBuffer::getMemBufferCopy(*text,
                                                path == "-" ? "<stdin>" : path);
  error = text.error();
  return nullptr;
}

OwningOpRef<ModuleOp> mlir::soap::parseModuleFile(StringRef path,
                                                  MLIRContext *context) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openSourceFile(path, error);
  if (!buffer) {
    emitError(UnknownLoc::get(context)) << error;
    return nullptr;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  return parseSourceFile<ModuleOp>(sources, context);
}
