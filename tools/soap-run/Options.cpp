//===- Options.cpp - Flags of soap-run ------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Options.h.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "CommandLine/CommandLine.h"
#include "Soap/Runtime/Processes/ProcessGroup.h"
#include "Soap/Runtime/Processes/Rendezvous.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

using namespace soap;
using namespace soap::run;
using namespace soap::commandline;

namespace {

constexpr int64_t large = int64_t(1) << 40;
constexpr int64_t maxMicrobatches = 1 << 20;

manual::Manual describe() {
  return {
      .tool = "soap-run",
      .purpose = "runs a module on devices of this machine",
      .usage = {{"soap-run FILE --data DATA [flags]", "train and evaluate"},
                {"soap-run FILE --predict --data npy:X --out Y [flags]",
                 "results of the model"},
                {"soap-run FILE --entry NAME [flags]", "run one function once"},
                {"soap-run --calibrate [FILE] [-o NAME]",
                 "measure this machine"},
                {"soap-run --calibrate --backend cuda [-o NAME]",
                 "measure its GPUs"},
                {"mpirun -np N soap-run ...", "in N processes"},
                {"soap-run ... --rendezvous HOST:PORT --rank R --ranks N",
                 "as one of them, without MPI"}},
      .paragraphs =
          {"FILE is IR at any stage of the pipeline: lowered, partitioned, "
           "with or without a strategy. Stages that it lacks are run first, by "
           "libSoapCompiler. Or FILE is an artifact of soap-translate "
           "--emit-artifact, which needs no compiler. Or it is an ONNX model: "
           "it is imported, its training step is built, and with --topology a "
           "strategy is searched, by the commands that soap-run prints. Each "
           "device of the module is a thread of this process, or of one that "
           "mpirun started."},
      .groups = {},
      .notes = {"Ctrl-C finishes the iteration, saves the checkpoint, the "
                "weights and the report, and exits.",
                "exit status: 0 success, 1 bad input or a failed run, 2 bad "
                "flags, 130 interrupted"},
      .commands = {}};
}

void addTrainingFlags(CommandLine &line, Options &options) {
  line.group("training");
  line.value(
      "--data", "DATA",
      "idx:DIR (MNIST family: train-images-idx3-ubyte[.gz] and the like), "
      "npy:DIR (x_train.npy, y_train.npy, x_test.npy, y_test.npy), npz:FILE "
      "(the same arrays), text:FILE (also gzipped) with options "
      ",level=word|byte ,vocabulary=N ,test=FRACTION ,order=time-major; "
      "tokens:FILE|DIR (NPY, or raw with ,type=u8|u16|i32|u32); synthetic, "
      "synthetic:integers, or synthetic:fixed, one batch that stays on the "
      "devices: for timing. For a model with several data tensors, npy and npz "
      "have an array for each, NAME_train.npy and NAME_test.npy; translations "
      "take text:FILE,target=FILE, line by line",
      setText(options.data));
  line.value("--epochs", "N",
             "epochs to train (default 1); an epoch has as many whole batches "
             "as the training set has: the samples left over are others in "
             "each epoch",
             setInteger(options.epochs, 1, large));
  line.value("--iterations", "N", "stop after N iterations in total",
             setInteger(options.iterations, 1, large));
  line.value("--accumulate", "N",
             "batches of an iteration, whose gradients are added before the "
             "update (default 1); more need a step with 'accumulate=true'",
             setInteger(options.accumulate, 1, large));
  line.value("--ignore-index", "N",
             "a label of data files that says that there is none: it counts "
             "nothing",
             [&options](const std::string &value) {
               return setInteger(options.ignoreIndex.emplace(), -large,
                                 large)(value);
             });
  line.value("--evaluate-every", "N",
             "evaluate on the test set after every N iterations, not only "
             "after epochs",
             setInteger(options.evaluateEvery, 1, large));
  line.value("--early-stop", "N",
             "end after N evaluations in a row whose test loss is not below "
             "the best one",
             setInteger(options.earlyStop, 1, large));
  line.value("--min-improvement", "X", "... by more than X (default 0)",
             setNumber(options.minImprovement, 0, 1e30));
  line.value("--seed", "N",
             "for shuffling, first weights, synthetic data (default 0)",
             [&options](const std::string &value) {
               options.seedGiven = true;
               return setInteger(options.seed, 0, large)(value);
             });
  line.flag("--no-shuffle",
            "take the samples in the order of the data in every epoch, as "
            "networks need it whose samples belong together (the nodes of a "
            "graph)",
            options.noShuffle);
  line.value("--normalize", "HOW",
             "none (default), auto (mean and deviation of the training set), "
             "or MEAN,DEVIATION; bytes are scaled to [0, 1] first",
             [&options](const std::string &value) -> std::string {
               auto parsed = runtime::parseNormalization(value);
               if (!parsed)
                 return "'none', 'auto' or 'MEAN,DEVIATION' with a positive "
                        "deviation";
               options.normalization = *parsed;
               return "";
             });
  line.value("--init", "HOW",
             "he, glorot, or FILE.safetensors; default: as the module says for "
             "each tensor",
             setText(options.init));
  line.value("--checkpoint", "FILE",
             "write all that it takes to go on: at the end, when interrupted, "
             "and as --checkpoint-every says",
             setText(options.checkpoint));
  line.value("--checkpoint-every", "N", "... after every N iterations",
             setInteger(options.checkpointEvery, 1, large));
  line.value("--resume", "FILE",
             "go on from a checkpoint; --epochs and --iterations count from "
             "the start of the training",
             setText(options.resume));
  line.flag("--allow-nonfinite",
            "go on with a loss, parameters or states that are infinite or not "
            "a number. Else they end the run with status 1; the checkpoint and "
            "the weights keep their values, and the message names the "
            "iteration and the first such tensor",
            options.allowNonFinite);
  line.value("--save-weights", "FILE",
             "write parameters and buffers (running statistics) as safetensors "
             "at the end",
             setText(options.saveWeights));
  line.value("--save-state", "FILE",
             "... these and the states of the optimizer",
             setText(options.saveState));
  line.value("--compare-with", "OTHER",
             "run FILE and OTHER from the same weights on the same batches "
             "(50, or --iterations) and print how far the loss and the weights "
             "are apart",
             setText(options.compareWith));
}

void addModelFlags(CommandLine &line, Options &options) {
  line.group("ONNX models");
  line.value("--import", "FLAGS",
             "flags of soap-translate --import-onnx, as '--batch=64'",
             setText(options.import));
  line.value("--loss", "NAME",
             "option loss of the training step: softmax-cross-entropy, "
             "bce-with-logits, mse, l1, huber, output, none, or one for each "
             "result with commas between",
             setText(options.loss));
  line.value("--optimizer", "NAME", "... optimizer: sgd, adam or adamw",
             setText(options.optimizer));
  line.value("--learning-rate", "X", "... learning-rate",
             setText(options.learningRate));
  line.value("--step", "OPTIONS",
             "options of soap-opt --soap-build-training-step, as "
             "'optimizer=adam learning-rate=0.001'",
             setText(options.step));
  line.value("--search", "OPTIONS",
             "options of soap-opt --soap-auto-parallel beside the topology "
             "(default: 'time-limit=10')",
             setText(options.search));

  line.group("predicting");
  line.flag("--predict",
            "run '@forward' on all samples of '--data npy:FILE' (npy:DIR with "
            "NAME.npy for a model with several data tensors), with the weights "
            "of --init",
            options.predict);
  line.value("--out", "FILE",
             "the results as NPY, one row for each sample; for a model with "
             "several results a folder with NAME.npy of each",
             setText(options.out));

  line.group("running one function");
  line.value("--entry", "NAME", "the function: forward, evaluate, ...",
             setText(options.entry));
  line.value(
      "--input", "NAME=FILE.npy", "value of an argument (repeat for more)",
      [&options](const std::string &value) -> std::string {
        size_t equals = value.find('=');
        if (equals == std::string::npos || equals == 0 ||
            equals + 1 == value.size())
          return "NAME=FILE.npy";
        options.inputs.push_back(
            {value.substr(0, equals), value.substr(equals + 1)});
        return "";
      },
      {}, /*repeats=*/true);
  line.value("--output", "DIR", "write each result to DIR/NAME.npy",
             setText(options.output));
}

/// Numbers with commas between.
Setter setMicrobatches(std::vector<int64_t> &target) {
  return [&target](const std::string &value) -> std::string {
    target.clear();
    std::stringstream list(value + ",");
    for (std::string word; std::getline(list, word, ',');) {
      int64_t number = 0;
      std::string expected = setInteger(number, 1, maxMicrobatches)(word);
      if (!expected.empty())
        return expected + ", or several with commas between";
      target.push_back(number);
    }
    return "";
  };
}

void addCalibrationFlags(CommandLine &line, Options &options) {
  line.group("measuring this machine");
  line.flag("--calibrate",
            "run ops of many shapes, copies and all-reduces on the cores of "
            "this machine and write their times to NAME.topology.json and "
            "NAME.profile.json, for the options topology= and profile= of "
            "searches and simulations; Ctrl-C keeps the times measured so far. "
            "With FILE, the training step of a model, run it under strategies "
            "with the shapes that a search for these devices meets, and under "
            "the plan that FILE has, and add those that NAME.profile.json "
            "lacks (measuring the machine first if there is no "
            "NAME.topology.json). With --backend cuda, the GPUs "
            "of this machine instead, by cuDNN, cuBLAS and kernels in f32, "
            "tf32 and bf16; with copies from, to and between GPUs, and NCCL's "
            "all-reduces",
            options.calibrate);
  line.value("--microbatches", "N[,N...]",
             "with --calibrate FILE: the shapes of pipelines with so many "
             "microbatches, too",
             setMicrobatches(options.microbatches));
  line.value("--calibrate-work", "N",
             "with --backend cuda: leave out shapes whose loops have more than "
             "N points in all",
             setInteger(options.calibrationWork, 1, large));
  line.value("-o", "NAME",
             "... called so (default calibrated); NAME.json is NAME",
             setText(options.calibrationOutput));
}

void addCompilerFlags(CommandLine &line, Options &options) {
  line.group("any input");
  line.value("--input-limit", "BYTES",
             "the most that a pipe may give (default 256MB), and that "
             "compressed data may unpack to (default 64MB, or 100 times the "
             "packed size); KB, MB and GB are powers of 1024",
             setLimitOfInputs());

  line.group("compiling");
  line.value("--topology", "NAME|FILE",
             "topology for IR without configs (default cpu-1)",
             setText(options.topology));
  line.value("--preset", "NAME",
             "strategy for IR without configs: single, data-parallel, "
             "model-parallel, spatial, expert, zero, weighted, fast-devices",
             setText(options.preset),
             {"single", "data-parallel", "model-parallel", "spatial", "expert",
              "zero", "weighted", "fast-devices"});
  line.value("--strategy", "FILE", "strategy file to apply",
             setText(options.strategy));
  line.value("--plan", "'PASS OPTIONS'",
             "plan IR with a pass of soap-opt before it is compiled, as "
             "'soap-pipeline stages={devices} microbatches=8': {devices} is "
             "the number of devices, and the topology is added. Of several "
             "processes the first one does it for all",
             setText(options.plan));
  line.value(
      "--load-dialect-plugin", "FILE",
      "shared object with a dialect that the module uses and the models "
      "of its ops; may be repeated",
      [&options](const std::string &value) {
        options.dialectPlugins.push_back(value);
        return std::string(value.empty() ? "a shared object" : "");
      },
      {}, /*repeats=*/true);
  line.flag("--reference", "reference kernels only, no fusion, no library",
            options.reference);
  line.value("--opt-level", "N", "0 to 3 (default 2)",
             setInteger(options.optLevel, 0, 3), {"0", "1", "2", "3"});
  line.flag("--no-cache",
            "compile even if the code is in the cache, $SOAP_CACHE_DIR, "
            "$XDG_CACHE_HOME/soap or ~/.cache/soap",
            options.noCache);
}

void addDeviceFlags(CommandLine &line, Options &options) {
  const std::vector<std::string> transports = {"auto", "local", "mpi", "nccl"},
                                 backends = {"auto", "cpu", "cuda"};
  line.group("devices");
  line.value("--devices", "N",
             "the number of devices that the module is lowered for, else it is "
             "an error; of IR without configs: the topology cpu-N",
             setInteger(options.devices, 1, maxRanks));
  line.value("--threads-per-device", "N",
             "kernel threads (default: cores / devices, at least 1)",
             setInteger(options.threadsPerDevice, 1, 1024));
  line.value("--timeout", "SECONDS",
             "give up when no device makes progress (default 10)",
             setMilliseconds(options.timeoutMs));
  line.value("--transport", "NAME",
             "local: all devices are threads of this process; mpi: they are "
             "dealt to the processes that mpirun started; auto (default): mpi "
             "under mpirun, else local; nccl: messages between devices go over "
             "NCCL, the library that SOAP_NCCL names, or libnccl.so.2",
             setName(options.transport, transports), transports);
  line.value("--backend", "NAME",
             "cpu; cuda: the GPUs of this machine, for modules of "
             "--soap-lower-to-cuda; auto (default): cuda for these if there is "
             "a GPU, else cpu",
             setName(options.backend, backends), backends);
  line.flag("--virtual-devices",
            "with GPUs: all devices of the module are the first one",
            options.virtualDevices);
  line.flag("--no-autotune",
            "with GPUs: take the algorithms that cuDNN and cuBLAS propose "
            "first. Else the fastest is measured before the first iteration "
            "and kept in the file $SOAP_GPU_ALGORITHMS, or gpu-algorithms.json "
            "in the cache of compiled code (--no-cache)",
            options.noAutotune);
  line.flag("--no-cuda-graph",
            "with GPUs: give every iteration to the GPUs op by op. Else the "
            "first one is, the second one is recorded as a CUDA graph, and "
            "that is launched from then on; --trace turns it off, too",
            options.noCudaGraph);
}

void addCheckFlags(CommandLine &line, Options &options) {
  const std::vector<std::string> calls = {"distinct", "all"};
  line.group("checking calls of GPUs");
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
             setInteger(options.checkWork, 1, large));
}

void addProcessFlags(CommandLine &line, Options &options) {
  line.group("processes");
  line.value(
      "--rendezvous", "WHERE",
      "as one of several processes that meet over TCP, without MPI: "
      "HOST:PORT, where rank 0 listens (port 0: a free one, which rank 0 "
      "prints), or file:PATH, which rank 0 writes and all can read; it then "
      "listens on loopback. Messages between devices go over the same "
      "connections, or with --transport nccl over NCCL; then MASTER_ADDR and "
      "MASTER_PORT in the environment stand for WHERE",
      [&options](const std::string &value) {
        options.rendezvous = value;
        return std::string(
            runtime::checkEndpoint(value) ? "HOST:PORT or file:PATH" : "");
      });
  line.value("--rendezvous-secret", "FILE",
             "a text of 16 to 4096 bytes that all ranks know: only a process "
             "that proves to have it can join; default: "
             "SOAP_RENDEZVOUS_SECRET in the environment. Without one, every "
             "process that reaches a port can join",
             setText(options.rendezvousSecret));
  line.value("--listen", "HOST",
             "the address on which this rank listens, by name or number "
             "(0.0.0.0: on all); default: rank 0 on HOST of WHERE, the others "
             "on the address from which they reach rank 0",
             setText(options.listen));
  line.value("--rank", "R",
             "the number of this process, from 0 on; default: RANK in the "
             "environment",
             setInteger(options.rank, 0, maxRanks - 1));
  line.value("--ranks", "N",
             "the number of processes; default: WORLD_SIZE in the environment",
             setInteger(options.ranks, 1, maxRanks));
  line.value("--join-timeout", "SECONDS",
             "end when the other processes do not join (default 120)",
             setMilliseconds(options.joinTimeoutMs));
  line.value("--rank-timeout", "SECONDS",
             "end when another process gives no sign of life (default 5)",
             setMilliseconds(options.rankTimeoutMs));
  line.flag("--elastic",
            "when processes of soap-launch are lost, go on with those that are "
            "left: from the last --checkpoint, under a new plan for their "
            "devices, which is --preset, --plan, or a search (--search)",
            options.elastic);
  line.value("--elastic-min", "N", "... with N processes at least (default 1)",
             setInteger(options.elasticMin, 1, maxRanks));
  line.value("--inject-delays", "MICROSECONDS",
             "for tests: every second message waits at random up to that long, "
             "some ten times as long, as --seed says",
             setInteger(options.injectDelaysUs, 0, 1000000));
}

void addOutputFlags(CommandLine &line, Options &options) {
  line.group("output");
  line.value("--report", "FILE", "numbers of the run as JSON",
             setText(options.report));
  line.flag("--gauge",
            "time a short loop on the core of every device before and after "
            "each iteration, and say how long the iterations between two loops "
            "at full speed took: cores of a virtual machine are slow now and "
            "then, and nothing else shows it",
            options.gauge);
  line.value("--trace", "FILE",
             "the times of all tasks, as Chrome trace events (Perfetto)",
             setText(options.trace));
  line.flag("--quiet", "errors only", options.quiet);
  line.flag("--help,-h", "this text", options.help);
  line.flag("--version", "the version of Soap, and of LLVM", options.version);
}

CommandLine makeCommandLine(Options &options) {
  CommandLine line(describe());
  addTrainingFlags(line, options);
  addModelFlags(line, options);
  addCalibrationFlags(line, options);
  addCompilerFlags(line, options);
  addDeviceFlags(line, options);
  addCheckFlags(line, options);
  addProcessFlags(line, options);
  addOutputFlags(line, options);
  return line;
}

/// A number of the environment, as torchrun sets it; an error if it is none.
MaybeError readVariable(const char *name, int64_t lo, int64_t hi,
                        int64_t &number) {
  const char *text = std::getenv(name);
  if (!text || !*text)
    return std::nullopt;
  if (std::string good = setInteger(number, lo, hi)(text); !good.empty())
    return Error{std::string("environment variable ") + name + ": expected " +
                 good + ", got '" + text + "'"};
  return std::nullopt;
}

/// The rendezvous, and the rank of this process: flags, else the environment.
MaybeError completeRendezvous(Options &options) {
  const char *host = std::getenv("MASTER_ADDR");
  const char *port = std::getenv("MASTER_PORT");
  if (options.rendezvous.empty() && options.transport == "nccl" &&
      !runtime::startedByMpirun() && std::getenv("WORLD_SIZE") && host &&
      port) {
    std::string endpoint = std::string(host) + ":" + port;
    if (runtime::checkEndpoint(endpoint))
      return Error{"environment variables MASTER_ADDR and MASTER_PORT: "
                   "expected a host and a port, got '" +
                   endpoint + "'"};
    options.rendezvous = endpoint;
  }
  auto needs = [](const char *what, const char *other) {
    return Error{std::string("flag '") + what + "' needs '" + other + "'"};
  };
  if (options.rendezvous.empty()) {
    if (options.rank >= 0)
      return needs("--rank", "--rendezvous");
    if (!options.rendezvousSecret.empty())
      return needs("--rendezvous-secret", "--rendezvous");
    if (!options.listen.empty())
      return needs("--listen", "--rendezvous");
    return options.ranks ? MaybeError(needs("--ranks", "--rendezvous"))
                         : std::nullopt;
  }
  if (options.transport == "local" || options.transport == "mpi")
    return Error{"flags '--rendezvous' and '--transport " + options.transport +
                 "' exclude each other"};
  if (options.rank < 0)
    if (MaybeError error = readVariable("RANK", 0, maxRanks - 1, options.rank))
      return error;
  if (!options.ranks)
    if (MaybeError error =
            readVariable("WORLD_SIZE", 1, maxRanks, options.ranks))
      return error;
  if (options.rank < 0)
    return Error{"flag '--rendezvous' needs '--rank', or RANK in the "
                 "environment"};
  if (!options.ranks)
    return Error{"flag '--rendezvous' needs '--ranks', or WORLD_SIZE in the "
                 "environment"};
  if (options.rank >= options.ranks)
    return Error{"flag '--rank': expected less than the " +
                 std::to_string(options.ranks) + " ranks there are, got " +
                 std::to_string(options.rank)};
  return std::nullopt;
}

/// A run that is to survive the loss of processes has to be able to go on.
MaybeError checkElastic(const Options &options) {
  if (!options.elastic)
    return options.elasticMin == 1
               ? std::nullopt
               : MaybeError(Error{"flag '--elastic-min' needs '--elastic'"});
  for (auto [flag, given] :
       {std::pair{"--strategy FILE", !options.strategy.empty()},
        std::pair{"--compare-with", !options.compareWith.empty()},
        std::pair{"--entry", !options.entry.empty()},
        std::pair{"--predict", options.predict},
        std::pair{"--trace", !options.trace.empty()},
        std::pair{"--transport mpi", options.transport == "mpi"},
        std::pair{"--transport local", options.transport == "local"}})
    if (given)
      return Error{std::string("flags '--elastic' and '") + flag +
                   "' exclude each other" +
                   (std::string(flag).starts_with("--strategy")
                        ? ": a strategy file is for one number of devices; "
                          "expected '--preset', '--plan' or '--search'"
                        : "")};
  if (options.checkpoint.empty() || !options.checkpointEvery)
    return Error{
        std::string("flag '--elastic' needs '") +
        (options.checkpoint.empty() ? "--checkpoint" : "--checkpoint-every") +
        "': there would be nothing to go on from"};
  return std::nullopt;
}

/// Checks flags against each other, and sets defaults that depend on others.
MaybeError check(Options &options) {
  auto needs = [](const char *flag, const char *other) {
    return Error{std::string("flag '") + flag + "' needs '" + other + "'"};
  };
  auto excludes = [](const char *flag, const char *other) {
    return Error{std::string("flags '") + flag + "' and '" + other +
                 "' exclude each other"};
  };
  if (options.calibrate) {
    if (options.backend == "auto")
      options.backend = "cpu";
    for (auto [flag, given] :
         {std::pair{"--entry", !options.entry.empty()},
          std::pair{"--data", !options.data.empty()},
          std::pair{"--predict", options.predict},
          std::pair{"--topology", !options.topology.empty()},
          std::pair{"--devices", options.devices != 0},
          std::pair{"--preset", !options.preset.empty()},
          std::pair{"--strategy", !options.strategy.empty()},
          std::pair{"--trace", !options.trace.empty()},
          std::pair{"--report", !options.report.empty()},
          std::pair{"--gauge", options.gauge},
          std::pair{"--check-calls", !options.checkCalls.empty()},
          std::pair{"--allow-nonfinite", options.allowNonFinite},
          std::pair{"--virtual-devices", options.virtualDevices}})
      if (given)
        return excludes("--calibrate", flag);
    bool isCuda = options.backend == "cuda";
    if (isCuda && !options.file.empty())
      return Error{
          "flag '--calibrate' with '--backend cuda' takes no file, got "
          "'" +
          options.file +
          "': the shapes of a model are measured on "
          "the CPU only"};
    if (options.file.empty() && !options.microbatches.empty())
      return needs("--microbatches", "--calibrate FILE");
    if (!isCuda && options.calibrationWork != Options().calibrationWork)
      return needs("--calibrate-work", "--backend cuda");
    // NAME.json stands for both files.
    std::string &name = options.calibrationOutput;
    if (name.size() > 5 && name.ends_with(".json"))
      name.resize(name.size() - 5);
    if (options.calibrationOutput.empty())
      options.calibrationOutput = "calibrated";
    return std::nullopt;
  }
  if (!options.calibrationOutput.empty())
    return needs("-o", "--calibrate");
  if (options.calibrationWork != Options().calibrationWork)
    return needs("--calibrate-work", "--calibrate");
  if (!options.microbatches.empty())
    return needs("--microbatches", "--calibrate FILE");
  if (options.file.empty())
    return Error{"expected a file: IR, an artifact or an ONNX model"};
  if (MaybeError error = completeRendezvous(options))
    return error;
  if (MaybeError error = checkElastic(options))
    return error;
  if (!options.plan.empty()) {
    if (!options.preset.empty())
      return excludes("--plan", "--preset");
    if (!options.strategy.empty())
      return excludes("--plan", "--strategy");
    if (!options.search.empty())
      return excludes("--plan", "--search");
    if (options.plan.find_first_not_of("- ") == std::string::npos)
      return Error{"flag '--plan': expected a pass and its options, got '" +
                   options.plan + "'"};
  }
  if (options.backend == "auto") {
    if (options.virtualDevices || options.noCudaGraph || options.noAutotune ||
        !options.checkCalls.empty())
      options.backend = "cuda";
    else if (options.gauge)
      options.backend = "cpu";
  }
  if (options.virtualDevices && options.backend == "cpu")
    return needs("--virtual-devices", "--backend cuda");
  if (options.noCudaGraph && options.backend == "cpu")
    return needs("--no-cuda-graph", "--backend cuda");
  if (options.noAutotune && options.backend == "cpu")
    return needs("--no-autotune", "--backend cuda");
  if (!options.checkCalls.empty()) {
    if (options.backend == "cpu")
      return needs("--check-calls", "--backend cuda");
    if (options.transport == "nccl")
      return excludes("--check-calls", "--transport nccl");
    if (!options.compareWith.empty())
      return excludes("--check-calls", "--compare-with");
  } else if (options.checkWork) {
    return needs("--check-work", "--check-calls");
  }
  // NCCL takes one rank of a real device.
  if (options.virtualDevices && options.transport == "nccl")
    return excludes("--virtual-devices", "--transport nccl");
  if (options.gauge) {
    if (options.backend != "cpu")
      return needs("--gauge", "--backend cpu");
    if (!options.entry.empty())
      return excludes("--entry", "--gauge");
    if (!options.compareWith.empty())
      return excludes("--compare-with", "--gauge");
  }
  if (!options.preset.empty() && !options.strategy.empty())
    return excludes("--preset", "--strategy");
  if (!options.out.empty() && !options.predict)
    return needs("--out", "--predict");
  if (options.predict) {
    for (auto [flag, given] :
         {std::pair{"--entry", !options.entry.empty()},
          std::pair{"--epochs", options.epochs != 0},
          std::pair{"--iterations", options.iterations != 0},
          std::pair{"--accumulate", options.accumulate != 1},
          std::pair{"--evaluate-every", options.evaluateEvery != 0},
          std::pair{"--early-stop", options.earlyStop != 0},
          std::pair{"--compare-with", !options.compareWith.empty()},
          std::pair{"--checkpoint", !options.checkpoint.empty()},
          std::pair{"--resume", !options.resume.empty()},
          std::pair{"--save-weights", !options.saveWeights.empty()},
          std::pair{"--save-state", !options.saveState.empty()},
          std::pair{"--report", !options.report.empty()},
          std::pair{"--loss", !options.loss.empty()},
          std::pair{"--optimizer", !options.optimizer.empty()},
          std::pair{"--learning-rate", !options.learningRate.empty()},
          std::pair{"--step", !options.step.empty()}})
      if (given)
        return excludes("--predict", flag);
    if (options.data.empty())
      return needs("--predict", "--data");
    if (options.out.empty())
      return needs("--predict", "--out");
    if (options.out.ends_with(".npz"))
      return Error{"flag '--out': expected a file NAME.npy or, for several "
                   "results, a folder, got '" +
                   options.out + "'"};
    if (options.normalization.kind == runtime::Normalization::Auto)
      return Error{"flag '--normalize': expected 'MEAN,DEVIATION' with "
                   "'--predict', which has no training set, got 'auto'"};
    return std::nullopt;
  }
  if (options.minImprovement != 0 && !options.earlyStop)
    return needs("--min-improvement", "--early-stop");
  if (!options.entry.empty()) {
    for (auto [flag, given] :
         {std::pair{"--data", !options.data.empty()},
          std::pair{"--epochs", options.epochs != 0},
          std::pair{"--accumulate", options.accumulate != 1},
          std::pair{"--evaluate-every", options.evaluateEvery != 0},
          std::pair{"--early-stop", options.earlyStop != 0},
          std::pair{"--compare-with", !options.compareWith.empty()},
          std::pair{"--checkpoint", !options.checkpoint.empty()},
          std::pair{"--resume", !options.resume.empty()},
          std::pair{"--allow-nonfinite", options.allowNonFinite},
          std::pair{"--no-shuffle", options.noShuffle},
          std::pair{"--save-weights", !options.saveWeights.empty()},
          std::pair{"--save-state", !options.saveState.empty()}})
      if (given)
        return excludes("--entry", flag);
    if (options.iterations == 0)
      options.iterations = 1;
    return std::nullopt;
  }
  if (!options.inputs.empty())
    return needs("--input", "--entry");
  if (!options.output.empty())
    return needs("--output", "--entry");
  if (options.data.empty())
    return Error{"expected '--data' to train on, or '--entry' to run once; "
                 "'--data synthetic' needs no files"};
  if (options.checkpointEvery && options.checkpoint.empty())
    return needs("--checkpoint-every", "--checkpoint");
  if (!options.resume.empty() && !options.init.empty())
    return excludes("--resume", "--init");
  if (!options.compareWith.empty()) {
    if (!options.checkpoint.empty())
      return excludes("--compare-with", "--checkpoint");
    if (!options.resume.empty())
      return excludes("--compare-with", "--resume");
    if (options.epochs)
      return excludes("--compare-with", "--epochs");
    if (options.evaluateEvery)
      return excludes("--compare-with", "--evaluate-every");
    if (options.earlyStop)
      return excludes("--compare-with", "--early-stop");
    if (options.iterations == 0)
      options.iterations = 50;
  }
  if (options.epochs == 0 && options.iterations == 0)
    options.epochs = 1;
  return std::nullopt;
}

} // namespace

Expected<Options> run::parseOptions(const std::vector<std::string> &arguments) {
  Options options;
  std::vector<std::string> files;
  if (MaybeError error =
          makeCommandLine(options).parse(arguments, files, "a file"))
    return *error;
  if (options.help || options.version)
    return options;
  if (files.size() > 1)
    return Error{"expected one file, got '" + files[0] + "' and '" + files[1] +
                 "'"};
  if (!files.empty())
    options.file = files[0];
  if (MaybeError error = check(options))
    return *error;
  return options;
}

std::string run::calibrationName(const Options &options) {
  return std::filesystem::path(options.calibrationOutput).filename().string();
}

manual::Manual run::makeManual() {
  Options options;
  return makeCommandLine(options).getManual();
}

std::string run::helpText() { return manual::printHelp(makeManual()); }
