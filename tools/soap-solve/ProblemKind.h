//===- ProblemKind.h - A kind of problem of soap-solve ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One entry of the tool's table: a subcommand that solves instances, and the
// verifier of its solutions. Each kind is a file of its own with its flags.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPSOLVE_PROBLEMKIND_H
#define SOAP_TOOLS_SOAPSOLVE_PROBLEMKIND_H

#include "CommandLine/Manual.h"
#include "Soap/Support/Error.h"

#include <string>
#include <vector>

namespace soap::solve {

/// A file that was read, unpacked if it was gzipped.
struct Document {
  std::string path;
  std::string text;
};

struct ProblemKind {
  /// The subcommand, `soap-solve COMMAND INSTANCE [flags]`.
  const char *command;
  /// A member of the outermost object of its instances, which instances of no
  /// other kind have: `verify` tells kinds apart by it.
  const char *instanceKey;
  /// Its flags as a table.
  manual::Manual (*manual)();
  /// Runs the subcommand with its arguments; the exit status: 0, 1 after bad
  /// input, 2 after bad flags, 130 after an interruption (the best answer is
  /// written).
  int (*solve)(const std::vector<std::string> &arguments);
  /// Checks a solution without any solver: a line to print ("ok: ..."), or an
  /// error about the instance or the solution.
  Expected<std::string> (*verify)(const Document &instance,
                                  const Document &solution);
};

ProblemKind costGraphKind();
ProblemKind placementKind();

} // namespace soap::solve

#endif // SOAP_TOOLS_SOAPSOLVE_PROBLEMKIND_H
