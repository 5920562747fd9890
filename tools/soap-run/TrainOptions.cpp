//===- TrainOptions.cpp - Flags of soap-run train -------------------------===//
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
  line.group("training");
  addData(line, options);
  line.value("--epochs", "N",
             "epochs to train (default 1); an epoch has as many whole batches "
             "as the training set has: the samples left over are others in "
             "each epoch",
             setInteger(options.epochs, 1, largestNumber));
  line.value("--iterations", "N", "stop after N iterations in total",
             setInteger(options.iterations, 1, largestNumber));
  addTrainingFlags(line, options);
  addIgnoreIndex(line, options);
  line.value("--evaluate-every", "N",
             "evaluate on the test set after every N iterations, not only "
             "after epochs",
             setInteger(options.evaluateEvery, 1, largestNumber));
  line.value("--early-stop", "N",
             "end after N evaluations in a row whose test loss is not below "
             "the best one",
             setInteger(options.earlyStop, 1, largestNumber));
  line.value("--min-improvement", "X", "... by more than X (default 0)",
             setNumber(options.minImprovement, 0, 1e30));
  addSeed(line, options);
  addNormalize(line, options);
  addInit(line, options);
  line.value("--checkpoint", "FILE",
             "write all that it takes to go on: at the end, when interrupted, "
             "and as --checkpoint-every says",
             setText(options.checkpoint));
  line.value("--checkpoint-every", "N", "... after every N iterations",
             setInteger(options.checkpointEvery, 1, largestNumber));
  line.value("--resume", "FILE",
             "go on from a checkpoint; --epochs and --iterations count from "
             "the start of the training",
             setText(options.resume));
  addSavedTensors(line, options);
  addReport(line, options);
  line.value("--log", "FILE",
             "a row for each iteration while they run, as FILE.csv or "
             "FILE.jsonl; --resume goes on in it",
             setText(options.log));
  line.flag("--gauge",
            "time a short loop on the core of every device before and after "
            "each iteration, and say how long the iterations between two loops "
            "at full speed took: cores of a virtual machine are slow now and "
            "then, and nothing else shows it",
            options.gauge);
  addTrace(line, options);
  addModelFlags(line, options);
  line.group("runs that go on with fewer processes");
  line.flag("--elastic",
            "when processes of soap-launch are lost, go on with those that are "
            "left: from the last --checkpoint, under a new plan for their "
            "devices, which is --preset, --plan, or a search (--search)",
            options.elastic);
  line.value("--elastic-min", "N", "... with N processes at least (default 1)",
             setInteger(options.elasticMin, 1, maxRanks));
  addRunFlags(line, options);
  line.needs("--min-improvement", "--early-stop");
  line.needs("--checkpoint-every", "--checkpoint");
  line.needs("--elastic-min", "--elastic");
  line.excludes("--resume", "--init");
  line.excludes("--elastic", "--trace");
}

/// A run that is to survive the loss of processes has to be able to go on.
MaybeError checkElastic(const Options &options) {
  if (!options.strategy.empty())
    return Error{excludes("--elastic", "--strategy FILE").message +
                 ": a strategy file is for one number of devices; expected "
                 "'--preset', '--plan' or '--search'"};
  if (options.transport == "mpi" || options.transport == "local")
    return excludes("--elastic", "--transport " + options.transport);
  if (options.checkpoint.empty() || !options.checkpointEvery)
    return Error{needs("--elastic", options.checkpoint.empty()
                                        ? "--checkpoint"
                                        : "--checkpoint-every")
                     .message +
                 ": there would be nothing to go on from"};
  return std::nullopt;
}

MaybeError check(Options &options) {
  if (options.data.empty())
    return Error{"expected '--data' to train on; '--data synthetic' needs no "
                 "files"};
  if (!options.log.empty() && !options.log.ends_with(".csv") &&
      !options.log.ends_with(".jsonl"))
    return Error{"flag '--log': '" + options.log +
                 "': expected a name that ends in .csv or .jsonl"};
  if (MaybeError error = options.elastic ? checkElastic(options) : std::nullopt)
    return error;
  if (MaybeError error = checkRunFlags(options))
    return error;
  if (options.gauge && options.backend == "auto")
    options.backend = "cpu";
  if (options.gauge && options.backend != "cpu")
    return needs("--gauge", "--backend cpu");
  if (options.epochs == 0 && options.iterations == 0)
    options.epochs = 1;
  return std::nullopt;
}

} // namespace

RunCommand run::trainCommand() {
  return {
      .command = Command::Train,
      .name = "train",
      .summary = "train a model, and evaluate it on a test set",
      .usage = {{"soap-run train FILE --data DATA [flags]",
                 "train and evaluate"},
                {"mpirun -np N soap-run train FILE ...", "in N processes"},
                {"soap-run train ... --rendezvous HOST:PORT --rank R --ranks N",
                 "as one of them, without MPI"}},
      .paragraphs = {"Ctrl-C finishes the iteration, saves the checkpoint, the "
                     "weights and the report, and exits."},
      .arguments = 1,
      .argumentWords = "one file",
      .addFlags = addFlags,
      .check = check};
}
