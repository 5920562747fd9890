//===- OptionFile.cpp - Files that pass options name ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OptionFile.h.
//
//===----------------------------------------------------------------------===//

#include "OptionFile.h"

#include "Soap/Support/InputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::soap;

FailureOr<std::string>
mlir::soap::readOptionFile(ModuleOp module, StringRef option, StringRef path) {
  // More than any strategy, state of a search or solution has.
  constexpr int64_t limit = int64_t(256) << 20;
  ::soap::Expected<std::string> text = ::soap::readFile(path.str(), limit);
  if (text)
    return std::move(*text);
  StringRef reason = text.error();
  reason.consume_front(path.str() + ": ");
  reason.consume_front("cannot open: ");
  return module.emitError()
         << "option '" << option << "=" << path << "': cannot read: " << reason;
}

LogicalResult mlir::soap::writeOptionFile(ModuleOp module, StringRef option,
                                          StringRef path, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error, llvm::sys::fs::OF_Text);
  if (!error) {
    stream << text;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    return module.emitError() << "option '" << option << "=" << path
                              << "': cannot write: " << error.message();
  return success();
}

LogicalResult mlir::soap::checkOptionFile(ModuleOp module, StringRef option,
                                          StringRef path) {
  if (path.empty() || path == "-")
    return success();
  namespace fs = llvm::sys::fs;
  std::error_code error;
  if (fs::is_directory(path)) {
    error = std::make_error_code(std::errc::is_a_directory);
  } else if (fs::exists(path)) {
    error = fs::access(path, fs::AccessMode::Write);
  } else {
    StringRef folder = llvm::sys::path::parent_path(path);
    error = fs::access(folder.empty() ? "." : folder, fs::AccessMode::Write);
  }
  if (!error)
    return success();
  return module.emitError() << "option '" << option << "=" << path
                            << "': cannot write: " << error.message();
}
