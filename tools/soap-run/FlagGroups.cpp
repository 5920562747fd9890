//===- FlagGroups.cpp - Flags that commands share -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FlagGroups.h.
//
//===----------------------------------------------------------------------===//

#include "FlagGroups.h"

#include "Soap/Runtime/Processes/ProcessGroup.h"
#include "Soap/Runtime/Processes/Rendezvous.h"

#include <cstdlib>

using namespace soap;
using namespace soap::run;
using namespace soap::commandline;

namespace {

void addDeviceFlags(CommandLine &line, Options &options) {
  const std::vector<std::string> transports = {"auto", "local", "mpi", "nccl"},
                                 backends = {"auto", "cpu", "cuda"};
  line.group("devices");
  line.value("--devices", "N",
             "the number of devices that the module is lowered for, else it is "
             "an error; of IR without configs: the topology cpu-N",
             setInteger(options.devices, 1, maxRanks));
  addThreads(line, options);
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
  line.value("--inject-delays", "MICROSECONDS",
             "for tests: every second message waits at random up to that long, "
             "some ten times as long, as --seed says",
             setInteger(options.injectDelaysUs, 0, 1000000));
}

void addCompilerFlags(CommandLine &line, Options &options) {
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
  addCompiling(line, options);
  line.excludes("--plan", "--preset");
  line.excludes("--plan", "--strategy");
  line.excludes("--preset", "--strategy");
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
    return excludes("--rendezvous", "--transport " + options.transport);
  if (options.rank < 0)
    if (MaybeError error = readVariable("RANK", 0, maxRanks - 1, options.rank))
      return error;
  if (!options.ranks)
    if (MaybeError error =
            readVariable("WORLD_SIZE", 1, maxRanks, options.ranks))
      return error;
  if (options.rank < 0)
    return Error{needs("--rendezvous", "--rank").message +
                 ", or RANK in the environment"};
  if (!options.ranks)
    return Error{needs("--rendezvous", "--ranks").message +
                 ", or WORLD_SIZE in the environment"};
  if (options.rank >= options.ranks)
    return Error{"flag '--rank': expected less than the " +
                 std::to_string(options.ranks) + " ranks there are, got " +
                 std::to_string(options.rank)};
  return std::nullopt;
}

} // namespace

void run::addData(CommandLine &line, Options &options) {
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
}

void run::addIgnoreIndex(CommandLine &line, Options &options) {
  line.value("--ignore-index", "N",
             "a label of data files that says that there is none: it counts "
             "nothing",
             [&options](const std::string &value) {
               return setInteger(options.ignoreIndex.emplace(), -largestNumber,
                                 largestNumber)(value);
             });
}

void run::addNormalize(CommandLine &line, Options &options) {
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
}

void run::addInit(CommandLine &line, Options &options) {
  line.value("--init", "HOW",
             "he, glorot, or FILE.safetensors; default: as the module says for "
             "each tensor",
             setText(options.init));
}

void run::addSeed(CommandLine &line, Options &options) {
  line.value("--seed", "N",
             "for shuffling, first weights, synthetic data (default 0)",
             [&options](const std::string &value) {
               options.seedGiven = true;
               return setInteger(options.seed, 0, largestNumber)(value);
             });
}

void run::addTrainingFlags(CommandLine &line, Options &options) {
  line.value("--accumulate", "N",
             "batches of an iteration, whose gradients are added before the "
             "update (default 1); more need a step with 'accumulate=true'",
             setInteger(options.accumulate, 1, largestNumber));
  line.flag("--no-shuffle",
            "take the samples in the order of the data in every epoch, as "
            "networks need it whose samples belong together (the nodes of a "
            "graph)",
            options.noShuffle);
  line.flag("--allow-nonfinite",
            "go on with a loss, parameters or states that are infinite or not "
            "a number. Else they end the run with status 1; the checkpoint and "
            "the weights keep their values, and the message names the "
            "iteration and the first such tensor",
            options.allowNonFinite);
}

void run::addSavedTensors(CommandLine &line, Options &options) {
  line.value("--save-weights", "FILE",
             "write parameters and buffers (running statistics) as safetensors "
             "at the end",
             setText(options.saveWeights));
  line.value("--save-state", "FILE",
             "... these and the states of the optimizer",
             setText(options.saveState));
}

void run::addReport(CommandLine &line, Options &options) {
  line.value("--report", "FILE", "numbers of the run as JSON",
             setText(options.report));
}

void run::addTrace(CommandLine &line, Options &options) {
  line.value("--trace", "FILE",
             "the times of all tasks, as Chrome trace events (Perfetto)",
             setText(options.trace));
}

void run::addInputs(CommandLine &line, Options &options) {
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

void run::addModelFlags(CommandLine &line, Options &options, bool step) {
  line.group("ONNX models");
  line.value("--import", "FLAGS",
             "flags of soap-translate --import-onnx, as '--batch=64'",
             setText(options.import));
  if (step) {
    line.value("--loss", "NAME",
               "option loss of the training step: softmax-cross-entropy, "
               "bce-with-logits, mse, l1, huber, output, none, or one for each "
               "result with commas between",
               setText(options.loss));
    line.value("--optimizer", "NAME", "... optimizer: sgd, adam, adamw or lion",
               setText(options.optimizer));
    line.value("--learning-rate", "X", "... learning-rate",
               setText(options.learningRate));
    line.value("--step", "OPTIONS",
               "options of soap-opt --soap-build-training-step, as "
               "'optimizer=adam learning-rate=0.001'",
               setText(options.step));
  }
  line.value("--search", "OPTIONS",
             "options of soap-opt --soap-auto-parallel beside the topology "
             "(default: 'time-limit=10')",
             setText(options.search));
  line.excludes("--plan", "--search");
}

void run::addCompiling(CommandLine &line, Options &options) {
  line.flag("--reference", "reference kernels only, no fusion, no library",
            options.reference);
  line.value("--opt-level", "N", "0 to 3 (default 2)",
             setInteger(options.optLevel, 0, 3), {"0", "1", "2", "3"});
  line.flag("--no-cache",
            "compile even if the code is in the cache, $SOAP_CACHE_DIR, "
            "$XDG_CACHE_HOME/soap or ~/.cache/soap",
            options.noCache);
}

void run::addThreads(CommandLine &line, Options &options) {
  line.value("--threads-per-device", "N",
             "kernel threads (default: cores / devices, at least 1)",
             setInteger(options.threadsPerDevice, 1, 1024));
  line.value("--timeout", "SECONDS",
             "give up when no device makes progress (default 10)",
             setMilliseconds(options.timeoutMs));
}

void run::addInputFlags(CommandLine &line) {
  line.group("any input");
  line.value("--input-limit", "BYTES",
             "the most that a pipe may give (default 256MB), and that "
             "compressed data may unpack to (default 64MB, or 100 times the "
             "packed size); KB, MB and GB are powers of 1024",
             setLimitOfInputs());
}

void run::addOutputFlags(CommandLine &line, Options &options) {
  line.group("output");
  line.flag("--quiet", "errors only", options.quiet);
  line.flag("--help,-h", "this text", options.help);
  line.flag("--version", "the version of Soap, and of LLVM", options.version);
}

void run::addRunFlags(CommandLine &line, Options &options) {
  addInputFlags(line);
  addCompilerFlags(line, options);
  addDeviceFlags(line, options);
  addProcessFlags(line, options);
  addOutputFlags(line, options);
}

MaybeError run::checkRunFlags(Options &options) {
  if (MaybeError error = completeRendezvous(options))
    return error;
  if (!options.plan.empty() &&
      options.plan.find_first_not_of("- ") == std::string::npos)
    return Error{"flag '--plan': expected a pass and its options, got '" +
                 options.plan + "'"};
  for (auto [flag, given] :
       {std::pair{"--virtual-devices", options.virtualDevices},
        std::pair{"--no-cuda-graph", options.noCudaGraph},
        std::pair{"--no-autotune", options.noAutotune},
        std::pair{"--check-calls", !options.checkCalls.empty()}}) {
    if (given && options.backend == "cpu")
      return needs(flag, "--backend cuda");
    if (given)
      options.backend = "cuda";
  }
  // NCCL takes one rank of a real device.
  if (options.virtualDevices && options.transport == "nccl")
    return excludes("--virtual-devices", "--transport nccl");
  return std::nullopt;
}
