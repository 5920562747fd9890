//===- WrittenOutput.h - Whether output was written -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's streams end the program with "LLVM ERROR" when they are destroyed
// after an error that the program has not asked for, such as a full disk.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_COMMANDLINE_WRITTENOUTPUT_H
#define SOAP_TOOLS_COMMANDLINE_WRITTENOUTPUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ToolOutputFile.h"

namespace soap {

/// From here on, standard output that cannot be written is a message of `tool`
/// (a literal) at the end of the program, and the exit status 1.
void watchStandardOutput(const char *tool);

/// Keeps the file if all of it was written, else prints a message of `tool`
/// that names it, and removes it.
bool keepIfWritten(llvm::ToolOutputFile &file, llvm::StringRef path,
                   llvm::StringRef tool);

} // namespace soap

#endif // SOAP_TOOLS_COMMANDLINE_WRITTENOUTPUT_H
