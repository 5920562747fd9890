//===- OnnxModel.h - From an ONNX file to a module --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// soap-run model.onnx: runs soap-translate and soap-opt, and prints the
// commands with which a user does the same by hand.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_ONNXMODEL_H
#define SOAP_TOOLS_SOAPRUN_ONNXMODEL_H

#include "Options.h"
#include "ToolRuns.h"

namespace soap::run {

/// Whether a file is an ONNX model, by its first bytes or its name. False for a
/// folder, and for a file that cannot be read.
bool isOnnxFile(const std::string &path);

/// The commands from an ONNX model to the module that soap-run compiles, each
/// with its arguments.
struct OnnxCommands {
  std::vector<std::vector<std::string>> commands;
  /// The file that the last one writes.
  std::string module;
  /// A strategy is searched: the module has configs and a topology.
  bool searched = false;
};
/// `folder`: where the files between are, with a `/` at its end, or "".
OnnxCommands onnxCommands(const Options &options, const std::string &folder);

/// Imports the model of `options.file`, builds its training step if the run
/// trains or evaluates, searches a strategy if there is a topology and neither
/// preset nor strategy. Afterwards `options` names the module instead. Prints
/// the commands on stderr unless `options.quiet`.
MaybeError prepareOnnx(Options &options, ScratchFolder &folder);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_ONNXMODEL_H
