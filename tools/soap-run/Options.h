//===- Options.h - Flags of soap-run ----------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags, their help and their checks, without the actions behind them, so
// that a unit test can go through all mistakes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_OPTIONS_H
#define SOAP_TOOLS_SOAPRUN_OPTIONS_H

#include "CommandLine/Manual.h"
#include "Soap/Runtime/Data/Data.h"
#include "Soap/Support/Error.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace soap::run {

/// The task of a run; None: it was not said.
enum class Command { None, Train, Predict, Evaluate, Entry, Calibrate, Check };

struct Options {
  Command command = Command::None;
  bool help = false, version = false;
  /// The command and its arguments, in the spelling with commands.
  std::vector<std::string> arguments;
  /// They were given in the spelling without.
  bool oldSpelling = false;
  std::string file;

  // Compilation.
  std::string topology, preset, strategy;
  /// A pass that plans the module before it is compiled, and its options.
  std::string plan;
  /// 0: as many as the module is for.
  int64_t devices = 0;
  bool reference = false, noCache = false;
  std::vector<std::string> dialectPlugins;
  int64_t optLevel = 2;

  // Training.
  std::string data, init, saveWeights, saveState, trace, report, log,
      compareWith;
  runtime::Normalization normalization;
  /// 0: not limited by it.
  int64_t epochs = 0, iterations = 0;
  int64_t seed = 0;
  /// The user gave it; else a checkpoint says it.
  bool seedGiven = false;
  /// Samples stay in the order of the data.
  bool noShuffle = false;
  std::string checkpoint, resume;
  /// 0: at the end and on signals only.
  int64_t checkpointEvery = 0;
  /// Losses and weights that are infinite or not a number do not end the
  /// training.
  bool allowNonFinite = false;

  /// Batches of an iteration.
  int64_t accumulate = 1;
  /// A label of data files that stands for none.
  std::optional<int64_t> ignoreIndex;
  /// Iterations between evaluations (0: epochs only); evaluations without an
  /// improvement that end the training (0: none do).
  int64_t evaluateEvery = 0, earlyStop = 0;
  double minImprovement = 0;

  // ONNX models: flags of the import, options of passes.
  std::string import, step, search;
  /// Single options of the training step, as the user wrote them.
  std::string loss, optimizer, learningRate;

  /// Results of the model for samples of a file.
  std::string out;

  /// The function that runs; "": none, but a training.
  std::string entry, output;
  std::vector<std::pair<std::string, std::string>> inputs;

  // Measuring the machine; files are called OUTPUT.topology.json and
  // OUTPUT.profile.json.
  std::string calibrationOutput;
  /// Of the pipelines whose shapes are measured.
  std::vector<int64_t> microbatches;
  /// Shapes with more points than this are not measured; on GPUs.
  int64_t calibrationWork = int64_t(1) << 40;

  // Devices.
  int64_t threadsPerDevice = 0;
  int64_t timeoutMs = 10000;
  /// "auto", "local", "mpi" or "nccl".
  std::string transport = "auto";
  /// "auto", "cpu" or "cuda". `parseOptions` replaces "auto" where other flags
  /// decide.
  std::string backend = "auto";
  bool virtualDevices = false, noCudaGraph = false, noAutotune = false;
  /// "": none, "distinct" or "all": compare calls with the host.
  std::string checkCalls;
  /// 0: as `runtime::CallCheckOptions`.
  int64_t checkWork = 0;
  /// Processes that meet without mpirun: where, and as which of how many; -1
  /// and 0: not said. After `parseOptions` either all or none of it is.
  std::string rendezvous;
  /// The file with the ranks' secret, and the host to listen on; "": none, and
  /// as Rendezvous.h says.
  std::string rendezvousSecret, listen;
  int64_t rank = -1, ranks = 0;
  int64_t rankTimeoutMs = 5000, joinTimeoutMs = 120000;
  /// The run goes on with the processes that are left when some are lost, with
  /// at least `elasticMin` of them.
  bool elastic = false;
  int64_t elasticMin = 1;
  /// For tests: messages wait at random, most of them at most this long.
  int64_t injectDelaysUs = 0;
  bool quiet = false;
  /// Time the cores between iterations (SpeedGauge.h).
  bool gauge = false;
};

/// How the measured topology is called: as its file.
std::string calibrationName(const Options &options);

/// Processes of a run, at most.
constexpr int64_t maxRanks = 1 << 16;

/// As a user writes it: `train`.
std::string nameOf(Command command);

/// Arguments without the program's name.
Expected<Options> parseOptions(std::vector<std::string> arguments);
/// The commands and their flags as a table, for the man page and completion.
manual::Manual makeManual();
/// Of a command, or of the tool.
std::string helpText(Command command);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_OPTIONS_H
