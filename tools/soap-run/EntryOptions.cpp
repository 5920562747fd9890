//===- EntryOptions.cpp - Flags of soap-run entry -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RunCommand.h.
//
//===----------------------------------------------------------------------===//

#include "FlagGroups.h"
#include "RunCommand.h"

using namespace soap;
using namespace soap::run;
using namespace soap::commandline;

namespace {

void addFlags(CommandLine &line, Options &options) {
  line.group("running one function");
  addInputs(line, options);
  line.value("--iterations", "N", "run it N times (default 1)",
             setInteger(options.iterations, 1, largestNumber));
  addInit(line, options);
  addSeed(line, options);
  addTrace(line, options);
  addModelFlags(line, options);
  addRunFlags(line, options);
}

MaybeError check(Options &options) {
  if (options.entry.empty())
    return Error{"expected the name of a function behind the file, as "
                 "'forward'"};
  if (options.iterations == 0)
    options.iterations = 1;
  return checkRunFlags(options);
}

} // namespace

RunCommand run::entryCommand() {
  return {.command = Command::Entry,
          .name = "entry",
          .summary = "run one function of a module",
          .usage = {{"soap-run entry FILE NAME [--input NAME=FILE.npy] [flags]",
                     ""}},
          .paragraphs = {"NAME is the function: forward, evaluate, ..."},
          .arguments = 2,
          .argumentWords = "a file and a function",
          .addFlags = addFlags,
          .check = check};
}
