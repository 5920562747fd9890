//===- Commands.h - The modes of soap-run -----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per mode, each in its own file, on sessions that Main.cpp made.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_COMMANDS_H
#define SOAP_TOOLS_SOAPRUN_COMMANDS_H

#include "Options.h"
#include "Report.h"

namespace soap::run {

/// Runs `options.entry` on the inputs, writes or prints its results.
MaybeError runEntry(runtime::Session &session, const Options &options);

/// Runs '@forward' on all samples of `options.data`, writes its results.
MaybeError predict(runtime::Session &session, const Options &options);

/// Asked after every iteration: whether to stop, because the user wants it or
/// because this rank has found values that are infinite or not a
/// number.
using StopQuestion = std::function<runtime::Decision(bool notFinite)>;

/// Trains from first weights or a checkpoint. `stop` is asked after every
/// iteration; `milliseconds` are times of this run's iterations.
Expected<runtime::TrainResult> train(runtime::Session &session,
                                     const Options &options,
                                     const StopQuestion &stop,
                                     std::vector<double> &milliseconds);

/// Evaluates on the test set: the result has one evaluation.
Expected<runtime::TrainResult> evaluate(runtime::Session &session,
                                        const Options &options);

/// A line with the numbers of the test set; `where` is what it begins with.
/// `tokens`: the loss has a perplexity.
void printEvaluation(const std::string &where,
                     const runtime::Evaluation &evaluation, bool tokens);

/// Removes a line of progress from a terminal.
void clearLine();

/// Trains both sessions from the first one's weights on the same batches.
struct ComparisonRun {
  Comparison comparison;
  runtime::TrainResult result;
  std::vector<double> milliseconds;
};
Expected<ComparisonRun> compare(runtime::Session &first,
                                runtime::Session &second,
                                const Options &options,
                                const StopQuestion &stop);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_COMMANDS_H
