//===- CheckOptions.cpp - Flags of soap-run check -------------------------===//
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
  const std::vector<std::string> calls = {"distinct", "all"};
  line.group("checking");
  line.value("--compare-with", "OTHER",
             "run FILE and OTHER from the same weights on the same batches "
             "(50, or --iterations) and print how far the loss and the weights "
             "are apart",
             setText(options.compareWith));
  line.value("--check-calls", "WHICH",
             "in the first iteration, compute every launch and library call on "
             "the host, too, on copies of its operands, and compare: a table "
             "of all functions and shapes, exit status 1 if a result is "
             "further off than its type and its sums explain, and the same in "
             "the file of --report. distinct: the first call of each function "
             "and shape; all: all calls",
             setName(options.checkCalls, calls), calls);
  line.value("--check-work", "N",
             "... of a product or convolution, compute as many results on the "
             "host as N multiply-adds give (default 268435456), at least one "
             "row, sample or output",
             setInteger(options.checkWork, 1, largestNumber));
  addData(line, options);
  line.value("--iterations", "N",
             "train N iterations (default 50 with --compare-with, else 1)",
             setInteger(options.iterations, 1, largestNumber));
  addTrainingFlags(line, options);
  addIgnoreIndex(line, options);
  addNormalize(line, options);
  line.value("--entry", "NAME", "the function: forward, evaluate, ...",
             setText(options.entry));
  addInputs(line, options);
  addInit(line, options);
  addSeed(line, options);
  addSavedTensors(line, options);
  addReport(line, options);
  addTrace(line, options);
  addModelFlags(line, options);
  addRunFlags(line, options);
  line.needs("--check-work", "--check-calls");
  line.excludes("--check-calls", "--compare-with");
  line.excludes("--entry", "--compare-with");
  line.excludes("--entry", "--data");
  line.needs("--input", "--entry");
  line.needs("--output", "--entry");
}

MaybeError check(Options &options) {
  bool compares = !options.compareWith.empty(),
       checksCalls = !options.checkCalls.empty(),
       runs = !options.data.empty() || !options.entry.empty();
  if (runs && !compares && !checksCalls)
    return Error{"expected '--compare-with OTHER' or '--check-calls WHICH'"};
  if (compares && options.data.empty())
    return needs("--compare-with", "--data");
  if (checksCalls && !runs)
    return Error{"flag '--check-calls' needs '--data', or '--entry'"};
  if (checksCalls && options.transport == "nccl")
    return excludes("--check-calls", "--transport nccl");
  if (options.iterations == 0)
    options.iterations = compares ? 50 : 1;
  return checkRunFlags(options);
}

} // namespace

RunCommand run::checkCommand() {
  return {.command = Command::Check,
          .name = "check",
          .summary = "check a module: that it loads, or its results",
          .usage = {{"soap-run check FILE [flags]",
                     "compile or load it, and run nothing"},
                    {"soap-run check FILE --compare-with OTHER --data DATA",
                     "both train to the same weights"},
                    {"soap-run check FILE --check-calls distinct --data DATA",
                     "calls of GPUs, beside the host"},
                    {"soap-run check FILE --check-calls all --entry NAME",
                     "... of one function"}},
          .paragraphs = {},
          .arguments = 1,
          .argumentWords = "one file",
          .addFlags = addFlags,
          .check = check};
}
