//===- Options.cpp - Flags of soap-run ------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Options.h.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "Soap/Runtime/Processes/ProcessGroup.h"
#include "Soap/Runtime/Processes/Rendezvous.h"
#include "Soap/Support/InputFile.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>

using namespace soap;
using namespace soap::run;

namespace {

constexpr int64_t large = int64_t(1) << 40;
constexpr int64_t mostRanks = 1 << 16;

/// Empty, or what was expected.
using Setter = std::function<std::string(Options &, const std::string &)>;

struct Flag {
  bool takesValue;
  Setter set;
};

Flag text(std::string Options::*member) {
  return {true, [member](Options &options, const std::string &value) {
            options.*member = value;
            return std::string(value.empty() ? "a value" : "");
          }};
}

Flag integer(int64_t Options::*member, int64_t lo, int64_t hi) {
  return {true, [=](Options &options, const std::string &value) {
            int64_t number = 0;
            auto [end, error] = std::from_chars(
                value.data(), value.data() + value.size(), number);
            if (error != std::errc() || end != value.data() + value.size() ||
                number < lo || number > hi)
              return "an integer from " + std::to_string(lo) + " to " +
                     std::to_string(hi);
            options.*member = number;
            return std::string();
          }};
}

Flag boolean(bool Options::*member) {
  return {false, [member](Options &options, const std::string &) {
            options.*member = true;
            return std::string();
          }};
}

std::string setInput(Options &options, const std::string &value) {
  size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == value.size())
    return "NAME=FILE.npy";
  options.inputs.push_back({value.substr(0, equals), value.substr(equals + 1)});
  return "";
}

std::string addPlugin(Options &options, const std::string &value) {
  options.dialectPlugins.push_back(value);
  return value.empty() ? "a shared object" : "";
}

Flag duration(int64_t Options::*member) {
  return {true, [=](Options &options, const std::string &value) {
            double seconds = 0;
            auto [end, error] = std::from_chars(
                value.data(), value.data() + value.size(), seconds);
            if (error != std::errc() || end != value.data() + value.size() ||
                !(seconds >= 0.01 && seconds <= 1e6))
              return std::string("seconds from 0.01 to 1000000");
            options.*member = int64_t(seconds * 1000);
            return std::string();
          }};
}

std::string setTransport(Options &options, const std::string &value) {
  options.transport = value;
  bool known =
      value == "auto" || value == "local" || value == "mpi" || value == "nccl";
  return known ? "" : "'auto', 'local', 'mpi' or 'nccl'";
}

std::string setBackend(Options &options, const std::string &value) {
  options.backend = value;
  bool known = value == "auto" || value == "cpu" || value == "cuda";
  return known ? "" : "'auto', 'cpu' or 'cuda'";
}

std::string setInputBytes(Options &, const std::string &value) {
  return setInputLimit(value) ? "a number of bytes such as 1048576, 512MB or "
                                "4GB"
                              : "";
}

std::string setRendezvous(Options &options, const std::string &value) {
  options.rendezvous = value;
  return runtime::checkEndpoint(value) ? "HOST:PORT or file:PATH" : "";
}

std::string setSeed(Options &options, const std::string &value) {
  options.seedGiven = true;
  return integer(&Options::seed, 0, large).set(options, value);
}

std::string setNormalization(Options &options, const std::string &value) {
  auto parsed = runtime::parseNormalization(value);
  if (!parsed)
    return "'none', 'auto' or 'MEAN,DEVIATION' with a positive deviation";
  options.normalization = *parsed;
  return "";
}

const std::map<std::string, Flag> &flags() {
  static const std::map<std::string, Flag> table = {
      {"--allow-nonfinite", boolean(&Options::allowNonFinite)},
      {"--backend", {true, setBackend}},
      {"--calibrate", boolean(&Options::calibrate)},
      {"--calibrate-work", integer(&Options::calibrationWork, 1, large)},
      {"-o", text(&Options::calibrationOutput)},
      {"--checkpoint", text(&Options::checkpoint)},
      {"--checkpoint-every", integer(&Options::checkpointEvery, 1, large)},
      {"--compare-with", text(&Options::compareWith)},
      {"--data", text(&Options::data)},
      {"--entry", text(&Options::entry)},
      {"--epochs", integer(&Options::epochs, 1, large)},
      {"--gauge", boolean(&Options::gauge)},
      {"--help", boolean(&Options::help)},
      {"-h", boolean(&Options::help)},
      {"--version", boolean(&Options::version)},
      {"--init", text(&Options::init)},
      {"--input", {true, setInput}},
      {"--input-limit", {true, setInputBytes}},
      {"--iterations", integer(&Options::iterations, 1, large)},
      {"--join-timeout", duration(&Options::joinTimeoutMs)},
      {"--load-dialect-plugin", {true, addPlugin}},
      {"--no-autotune", boolean(&Options::noAutotune)},
      {"--no-cuda-graph", boolean(&Options::noCudaGraph)},
      {"--no-cache", boolean(&Options::noCache)},
      {"--normalize", {true, setNormalization}},
      {"--opt-level", integer(&Options::optLevel, 0, 3)},
      {"--output", text(&Options::output)},
      {"--preset", text(&Options::preset)},
      {"--quiet", boolean(&Options::quiet)},
      {"--rank-timeout", duration(&Options::rankTimeoutMs)},
      {"--reference", boolean(&Options::reference)},
      {"--report", text(&Options::report)},
      {"--resume", text(&Options::resume)},
      {"--save-state", text(&Options::saveState)},
      {"--save-weights", text(&Options::saveWeights)},
      {"--seed", {true, setSeed}},
      {"--strategy", text(&Options::strategy)},
      {"--threads-per-device", integer(&Options::threadsPerDevice, 1, 1024)},
      {"--timeout", duration(&Options::timeoutMs)},
      {"--transport", {true, setTransport}},
      {"--topology", text(&Options::topology)},
      {"--devices", integer(&Options::devices, 1, mostRanks)},
      {"--rank", integer(&Options::rank, 0, mostRanks - 1)},
      {"--ranks", integer(&Options::ranks, 1, mostRanks)},
      {"--rendezvous", {true, setRendezvous}},
      {"--rendezvous-secret", text(&Options::rendezvousSecret)},
      {"--listen", text(&Options::listen)},
      {"--trace", text(&Options::trace)},
      {"--virtual-devices", boolean(&Options::virtualDevices)}};
  return table;
}

/// A number of the environment, as torchrun sets it; an error if it is none.
MaybeError readVariable(const char *name, int64_t lo, int64_t hi,
                        int64_t &number) {
  const char *text = std::getenv(name);
  if (!text || !*text)
    return std::nullopt;
  int64_t value = 0;
  const char *last = text + std::strlen(text);
  auto [end, error] = std::from_chars(text, last, value);
  if (error != std::errc() || end != last || value < lo || value > hi)
    return Error{std::string("environment variable ") + name +
                 ": expected an integer from " + std::to_string(lo) + " to " +
                 std::to_string(hi) + ", got '" + text + "'"};
  number = value;
  return std::nullopt;
}

/// Where processes meet, and who this one is: flags, else the environment.
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
    if (MaybeError error = readVariable("RANK", 0, mostRanks - 1, options.rank))
      return error;
  if (!options.ranks)
    if (MaybeError error =
            readVariable("WORLD_SIZE", 1, mostRanks, options.ranks))
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

/// What flags say together.
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
          std::pair{"--topology", !options.topology.empty()},
          std::pair{"--devices", options.devices != 0},
          std::pair{"--preset", !options.preset.empty()},
          std::pair{"--strategy", !options.strategy.empty()},
          std::pair{"--trace", !options.trace.empty()},
          std::pair{"--report", !options.report.empty()},
          std::pair{"--gauge", options.gauge},
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
  if (options.file.empty())
    return Error{"expected an MLIR file"};
  if (MaybeError error = completeRendezvous(options))
    return error;
  if (options.backend == "auto") {
    if (options.virtualDevices || options.noCudaGraph || options.noAutotune)
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
  if (!options.entry.empty()) {
    for (auto [flag, given] :
         {std::pair{"--data", !options.data.empty()},
          std::pair{"--epochs", options.epochs != 0},
          std::pair{"--compare-with", !options.compareWith.empty()},
          std::pair{"--checkpoint", !options.checkpoint.empty()},
          std::pair{"--resume", !options.resume.empty()},
          std::pair{"--allow-nonfinite", options.allowNonFinite},
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
    return Error{"expected '--data' to train on, or '--entry' to run once"};
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
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (argument.empty() || argument[0] != '-') {
      if (argument.empty())
        return Error{"expected an MLIR file, got an empty argument"};
      if (!options.file.empty())
        return Error{"expected one MLIR file, got '" + options.file +
                     "' and '" + argument + "'"};
      options.file = argument;
      continue;
    }
    size_t equals = argument.find('=');
    std::string name = argument.substr(0, equals);
    auto flag = flags().find(name);
    if (flag == flags().end())
      return Error{"unknown flag '" + name + "'"};
    std::string value;
    if (equals != std::string::npos) {
      if (!flag->second.takesValue)
        return Error{"flag '" + name + "' takes no value"};
      value = argument.substr(equals + 1);
    } else if (flag->second.takesValue) {
      if (++i == arguments.size())
        return Error{"flag '" + name + "' needs a value"};
      value = arguments[i];
    }
    std::string expected = flag->second.set(options, value);
    if (!expected.empty())
      return Error{"flag '" + name + "': expected " + expected + ", got '" +
                   value + "'"};
    if (options.help || options.version)
      return options;
  }
  if (MaybeError error = check(options))
    return *error;
  return options;
}

const char *run::helpText() {
  return R"(soap-run: runs a module on devices of this machine

usage: soap-run FILE.mlir --data DATA [flags]           train and evaluate
       soap-run FILE.mlir --entry NAME [flags]          run one function once
       soap-run --calibrate [FILE.mlir] [-o NAME]       measure this machine
       soap-run --calibrate --backend cuda [-o NAME]    measure its GPUs
       mpirun -np N soap-run ...                        in N processes
       soap-run ... --rendezvous HOST:PORT --rank R --ranks N
                                                        as one of them, without MPI

FILE.mlir is IR at any stage of the pipeline: lowered, partitioned, with or
without a strategy. What is missing is done first, by libSoapCompiler. Or FILE is
an artifact of soap-translate --emit-artifact, which needs no compiler. Each
device of the module is a thread of this process, or of one that mpirun started.

training
  --data DATA              idx:DIR (MNIST family: train-images-idx3-ubyte[.gz] and
                           the like), npy:DIR (x_train.npy, y_train.npy, x_test.npy,
                           y_test.npy), npz:FILE (the same arrays), text:FILE (also
                           gzipped) with options ,level=word|byte ,vocabulary=N
                           ,test=FRACTION ,order=time-major; tokens:FILE|DIR (NPY, or
                           raw with ,type=u8|u16|i32|u32); synthetic,
                           synthetic:integers, or synthetic:fixed, one batch that
                           stays on the devices: for timing. For a model with several data tensors,
                           npy and npz have an array for each, NAME_train.npy and
                           NAME_test.npy; translations take text:FILE,target=FILE,
                           line by line
  --epochs N               epochs to train (default 1); an epoch is as many whole
                           batches as the training set has: the samples left over
                           are others in each epoch
  --iterations N           stop after N iterations in total
  --seed N                 for shuffling, first weights, synthetic data (default 0)
  --normalize HOW          none (default), auto (mean and deviation of the training
                           set), or MEAN,DEVIATION; bytes are scaled to [0, 1] first
  --init HOW               he, glorot, or FILE.safetensors; default: what the module
                           says for each tensor
  --checkpoint FILE        write all that it takes to go on: at the end, when
                           interrupted, and as --checkpoint-every says
  --checkpoint-every N     ... after every N iterations
  --resume FILE            go on from a checkpoint; --epochs and --iterations count
                           from the start of the training
  --allow-nonfinite        go on with a loss, parameters or states that are
                           infinite or not a number. Else they end the run with
                           status 1, checkpoint and weights keep what they had, and
                           the iteration and what was first are said
  --save-weights FILE      write parameters and buffers (running statistics) as
                           safetensors at the end
  --save-state FILE        ... these and the states of the optimizer
  --compare-with OTHER     run FILE and OTHER from the same weights on the same
                           batches (50, or --iterations) and print how far the loss
                           and the weights are apart

running one function
  --entry NAME             the function: forward, evaluate, ...
  --input NAME=FILE.npy    value of an argument (repeat for more)
  --output DIR             write each result to DIR/NAME.npy

measuring this machine
  --calibrate              run ops of many shapes, copies and all-reduces on the
                           cores of this machine and write what they take to
                           NAME.topology.json and NAME.profile.json, for the options
                           topology= and profile= of searches and simulations;
                           Ctrl-C keeps what was measured. With FILE.mlir, a
                           model's training step, run it under strategies that show
                           the shapes which a search for these devices meets, and
                           add those that NAME.profile.json lacks (measuring the
                           machine first if there is no NAME.topology.json)
                           With --backend cuda, the GPUs of this machine instead,
                           by cuDNN, cuBLAS and kernels in f32, tf32 and bf16; with
                           copies from, to and between GPUs, and NCCL's all-reduces
  --calibrate-work N       with --backend cuda: leave out shapes whose loops have
                           more than N points in all
  -o NAME                  ... called so (default calibrated); NAME.json is NAME

any input
  --input-limit BYTES      what a pipe may give (default 256MB), and what compressed
                           data may unpack to (default 64MB, or 100 times what is
                           packed); KB, MB and GB are powers of 1024

compiling
  --topology NAME|FILE     topology for IR without configs (default cpu-1)
  --preset NAME            strategy for IR without configs: single, data-parallel,
                           model-parallel, spatial, expert, zero
  --strategy FILE          strategy file to apply
  --load-dialect-plugin FILE
                           shared object with a dialect that the module uses and
                           the models of its ops; may be repeated
  --reference              reference kernels only, no fusion, no library
  --opt-level N            0 to 3 (default 2)
  --no-cache               compile even if the code is in the cache, $SOAP_CACHE_DIR,
                           $XDG_CACHE_HOME/soap or ~/.cache/soap

devices
  --devices N              for as many as the module is lowered for, else it is an
                           error; of IR without configs: the topology cpu-N
  --threads-per-device N   kernel threads (default: cores / devices, at least 1)
  --timeout SECONDS        give up when no device makes progress (default 10)
  --transport NAME         local: all devices are threads of this process; mpi: they
                           are dealt to the processes that mpirun started; auto
                           (default): mpi under mpirun, else local; nccl: messages
                           between devices go over NCCL, the library that SOAP_NCCL
                           names, or libnccl.so.2
  --backend NAME           cpu; cuda: the GPUs of this machine, for modules of
                           --soap-lower-to-cuda; auto (default): cuda for these
                           where there is a GPU, else cpu
  --virtual-devices        with GPUs: all devices of the module are the first one
  --no-autotune            with GPUs: take the algorithms that cuDNN and
                           cuBLAS propose first. Else the fastest is measured
                           before the first iteration and kept in the file
                           $SOAP_GPU_ALGORITHMS, or gpu-algorithms.json where
                           compiled code is kept (--no-cache)
  --no-cuda-graph          with GPUs: give every iteration to the GPUs op
                           by op. Else the first one is, the second one is recorded
                           as a CUDA graph, and that is launched from then on;
                           --trace turns it off, too
  --rendezvous WHERE       as one of several processes that meet over TCP, without
                           MPI: HOST:PORT, where rank 0 listens (port 0: a free one,
                           which rank 0 prints), or file:PATH, which rank 0 writes
                           and all can read; it then listens on loopback. Messages
                           between devices go over the same connections, or with
                           --transport nccl over NCCL; then MASTER_ADDR and
                           MASTER_PORT in the environment stand for WHERE
  --rendezvous-secret FILE a text of 16 to 4096 bytes that all ranks know: only a
                           process that proves to have it can join; default: what
                           SOAP_RENDEZVOUS_SECRET in the environment says. Without
                           one, whoever reaches a port can join
  --listen HOST            the address on which this rank listens, by name or number
                           (0.0.0.0: on all); default: rank 0 on HOST of WHERE, the
                           others where they reach rank 0 from
  --rank R, --ranks N      ... as the one with number R of N, from 0 on; default: RANK
                           and WORLD_SIZE in the environment
  --join-timeout SECONDS   end when the other processes do not join (default 120)
  --rank-timeout SECONDS   end when another process gives no sign of life (default 5)

output
  --report FILE            numbers of the run as JSON
  --gauge                  time a short loop on every device's core before and after
                           each iteration, and tell how long those iterations took
                           that ran between two loops at full speed: cores of a
                           virtual machine are slow now and then, and nothing else
                           shows it
  --trace FILE             what ran when, as Chrome trace events (Perfetto)
  --quiet                  errors only
  --help                   this text
  --version                the version of Soap, and of LLVM

Ctrl-C finishes the iteration, saves the checkpoint, the weights and the report,
and exits.
exit status: 0 success, 1 bad input or a failed run, 2 bad flags, 130 interrupted
)";
}
