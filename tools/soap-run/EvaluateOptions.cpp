//===- EvaluateOptions.cpp - Flags of soap-run evaluate -------------------===//
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
  line.group("evaluating");
  addData(line, options);
  addIgnoreIndex(line, options);
  addNormalize(line, options);
  addInit(line, options);
  addSeed(line, options);
  addReport(line, options);
  addTrace(line, options);
  addModelFlags(line, options);
  addRunFlags(line, options);
}

MaybeError check(Options &options) {
  if (options.data.empty())
    return Error{"expected '--data' with a test set"};
  return checkRunFlags(options);
}

} // namespace

RunCommand run::evaluateCommand() {
  return {
      .command = Command::Evaluate,
      .name = "evaluate",
      .summary = "loss and metrics of a test set, with given weights",
      .usage = {{"soap-run evaluate FILE --data DATA --init WEIGHTS [flags]",
                 ""}},
      .paragraphs = {"Runs '@evaluate' on the test set, as training does after "
                     "an epoch, and trains nothing."},
      .arguments = 1,
      .argumentWords = "one file",
      .addFlags = addFlags,
      .check = check};
}
