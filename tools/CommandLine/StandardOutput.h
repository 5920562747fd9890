//===- StandardOutput.h - Whether standard output was written ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that prints its results must not succeed where they are lost, on a
// full disk say. For tools that print through <cstdio>; WrittenOutput.h is for
// LLVM's streams.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_COMMANDLINE_STANDARDOUTPUT_H
#define SOAP_TOOLS_COMMANDLINE_STANDARDOUTPUT_H

namespace soap::commandline {

/// From here on, standard output that cannot be written is a message of `tool`
/// (a literal) at the end of the program, and the exit status 1.
void watchStandardOutput(const char *tool);
/// Writes out what is left. False, with that message, if not all was written:
/// for programs that end with `_exit`.
bool finishStandardOutput(const char *tool);

} // namespace soap::commandline

#endif // SOAP_TOOLS_COMMANDLINE_STANDARDOUTPUT_H
