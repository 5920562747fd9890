//===- Shell.h - Commands that tools run and print --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of commands that the tools run, show to users, and give to shells.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_COMMANDLINE_SHELL_H
#define SOAP_TOOLS_COMMANDLINE_SHELL_H

#include <string>

namespace soap::commandline {

/// The word as a shell reads it: with quotes where it needs them.
std::string quoteForShell(const std::string &word);

/// The program of a name without a folder: the one beside this program, else
/// the name, for the search path.
std::string programPath(const std::string &name);

/// The text with `value` in place of each `name`, as of `{host}`.
std::string substitute(std::string text, const std::string &name,
                       const std::string &value);

} // namespace soap::commandline

#endif // SOAP_TOOLS_COMMANDLINE_SHELL_H
