//===- FlagGroups.h - Flags that commands share -----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of flags that several commands of soap-run have, and the checks of
// these flags.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_FLAGGROUPS_H
#define SOAP_TOOLS_SOAPRUN_FLAGGROUPS_H

#include "CommandLine/CommandLine.h"
#include "Options.h"

namespace soap::run {

/// The largest number that a flag takes.
constexpr int64_t largestNumber = int64_t(1) << 40;

// Single flags, in the group that the caller has begun.

/// Data with labels.
void addData(commandline::CommandLine &line, Options &options);
void addIgnoreIndex(commandline::CommandLine &line, Options &options);
void addNormalize(commandline::CommandLine &line, Options &options);
void addInit(commandline::CommandLine &line, Options &options);
void addSeed(commandline::CommandLine &line, Options &options);
/// Of trainings: `--accumulate`, `--no-shuffle`, `--allow-nonfinite`.
void addTrainingFlags(commandline::CommandLine &line, Options &options);
/// `--save-weights`, `--save-state`.
void addSavedTensors(commandline::CommandLine &line, Options &options);
void addReport(commandline::CommandLine &line, Options &options);
void addTrace(commandline::CommandLine &line, Options &options);
void addInputs(commandline::CommandLine &line, Options &options);

/// Groups of the import of ONNX models, the search, and with `step` the
/// training step.
void addModelFlags(commandline::CommandLine &line, Options &options,
                   bool step = true);

/// How much of a model and its functions is compiled: flags of one group.
void addCompiling(commandline::CommandLine &line, Options &options);
/// Threads and time limit of devices: flags of one group.
void addThreads(commandline::CommandLine &line, Options &options);

/// The groups of all commands that run a module: input, compiling, devices,
/// processes and output.
void addRunFlags(commandline::CommandLine &line, Options &options);
/// The groups of every command: input, and output.
void addInputFlags(commandline::CommandLine &line);
void addOutputFlags(commandline::CommandLine &line, Options &options);

/// Checks the flags of `addRunFlags` against each other, and sets defaults that
/// depend on others.
MaybeError checkRunFlags(Options &options);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_FLAGGROUPS_H
