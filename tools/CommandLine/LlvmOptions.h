//===- LlvmOptions.h - Tables of LLVM's options and passes ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// soap-opt and soap-translate take their options from llvm::cl and MLIR's
// registry of passes. These functions read both, once all is registered.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_COMMANDLINE_LLVMOPTIONS_H
#define SOAP_TOOLS_COMMANDLINE_LLVMOPTIONS_H

#include "CommandLine/Manual.h"

#include "llvm/ADT/StringRef.h"

namespace llvm::cl {
class Option;
class OptionCategory;
} // namespace llvm::cl

namespace soap::manual {

/// An option that is registered under `name`. A `|` in the name of its value is
/// between choices.
Option readOption(llvm::StringRef name, const llvm::cl::Option &option);

/// The options that `--help` of LLVM would show, by name: of a category, or
/// all. Passes are none.
std::vector<Option> optionsOf(llvm::cl::OptionCategory *category = nullptr);

/// Registered passes and pipelines of which `accepts` takes the name, by name,
/// with their options. Options of passes have their defaults in the text.
/// Writes to standard output for a moment, and reads it back: MLIR prints
/// options there and nowhere else.
std::vector<Option> readPasses(bool (*accepts)(llvm::StringRef name));

/// Whether `--help` (or `-h`, `-help`) is among the arguments.
bool asksForHelp(int argc, char **argv);

} // namespace soap::manual

#endif // SOAP_TOOLS_COMMANDLINE_LLVMOPTIONS_H
