//===- ToolRuns.h - Commands that soap-run runs -----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tools of Soap that make a module before it is compiled, and the files between
// them. Nothing of either is left behind when soap-run ends meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_TOOLRUNS_H
#define SOAP_TOOLS_SOAPRUN_TOOLRUNS_H

#include "Soap/Support/Error.h"

#include <mutex>
#include <string>
#include <vector>

namespace soap::run {

/// The words of a command as one types them in a shell.
std::string quoted(const std::vector<std::string> &words);

/// Runs a tool of Soap: the one beside this program, else the one on the path.
/// An error if it fails.
MaybeError runTool(const std::vector<std::string> &words);

/// A folder for files between, which is removed at the end. There is one.
class ScratchFolder {
public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  /// Makes it in $TMPDIR or /tmp.
  MaybeError make();
  /// Removes it before the end.
  void remove();
  /// With a `/` at its end.
  const std::string &getPath() const { return path; }

private:
  friend void removeLeftovers();
  std::string path;
};

/// Before the process ends without destructors, on any thread: kills the tool
/// that runs, and removes the folder.
void removeLeftovers();

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_TOOLRUNS_H
