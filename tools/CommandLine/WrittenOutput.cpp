//===- WrittenOutput.cpp - Whether output was written ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WrittenOutput.h.
//
//===----------------------------------------------------------------------===//

#include "CommandLine/WrittenOutput.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <unistd.h>

/// Whether all was written; prints a message if not.
static bool isWritten(llvm::raw_fd_ostream &stream, llvm::StringRef path,
                      llvm::StringRef tool) {
  stream.flush();
  if (!stream.has_error())
    return true;
  llvm::errs() << tool
               << ": error: " << (path == "-" ? "standard output" : path)
               << ": cannot write: " << stream.error().message() << "\n";
  stream.clear_error();
  return false;
}

void soap::watchStandardOutput(const char *tool) {
  static const char *name;
  name = tool;
  // Made now, so that it is destroyed behind the call.
  llvm::outs();
  std::atexit([] {
    if (!isWritten(llvm::outs(), "-", name))
      _exit(1);
  });
}

bool soap::keepIfWritten(llvm::ToolOutputFile &file, llvm::StringRef path,
                         llvm::StringRef tool) {
  if (!isWritten(file.os(), path, tool))
    return false;
  file.keep();
  return true;
}
