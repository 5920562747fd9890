//===- Main.cpp - soap-run ------------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles or loads a module, and does with it what the command says.
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"
#include "CallTable.h"
#include "CommandLine/StandardOutput.h"
#include "Commands.h"
#include "Elastic.h"
#include "OnnxModel.h"
#include "Plan.h"
#include "Processes.h"
#include "RunCommand.h"
#include "Runtime/Transport/DelayTransport.h"
#include "SharedFlags.h"
#include "Soap/Runtime/Artifact/ArtifactModule.h"
#include "Soap/Runtime/Artifact/CompiledModule.h"
#include "Soap/Runtime/Data/TensorFiles.h"
#include "Soap/Runtime/Execution/Initialize.h"
#include "Soap/Runtime/Execution/Trace.h"
#include "Soap/Support/Version.h"
#include "Soap/Topology/Topology.h"
#include "Support/StopSignal.h"
#include "ToolRuns.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <unistd.h>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

namespace {

std::atomic<bool> interrupted{false};

/// There are iterations, after one of which the run can end.
std::atomic<bool> iterating{false};
std::atomic<World *> joinedWorld{nullptr};

/// Nothing is left to save: one signal ends the process.
std::atomic<bool> ended{false};

void onSignal(int number) {
  if (!iterating.load())
    interrupted.store(true);
  else
    soap::askToStop(ended.load() ? ended : interrupted, number);
}

/// For the thread that watches the other processes.
bool stopRequested() { return interrupted.load(); }

[[noreturn]] void endEarly() {
  constexpr const char *message = "interrupted before the first iteration";
  std::fprintf(stderr, "soap-run: %s\n", message);
  if (World *world = joinedWorld.load())
    world->fail(message);
  removeLeftovers();
  _exit(130);
}

/// Importing, planning and loading a module may take long, and there is nothing
/// to save yet: at a signal the process ends, but not before a peer that has
/// died would have been noticed, for mpirun sends signals then, too.
void watchBeforeIterations() {
  std::thread([] {
    while (!interrupted.load() && !iterating.load())
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (iterating.load())
      return;
    std::this_thread::sleep_for(
        std::chrono::milliseconds(joinedWorld.load() ? 400 : 100));
    if (!iterating.load())
      endEarly();
  }).detach();
}

/// Threads of kernels that spin until the others are there take the cores from
/// them where other programs run, and a step takes a thousand times as long. So
/// they go to sleep, unless the user says otherwise. The OpenMP runtime reads
/// its environment before main: the program starts anew.
void waitPassively(char **arguments) {
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT"))
    return;
  setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/1);
  execv("/proc/self/exe", arguments);
  // Without /proc, threads spin.
}

/// The first signal asks for an end after the iteration, the second one ends.
void installSignals() {
  struct sigaction action{};
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Expected<ProgramSource> compile(const std::string &path, const Options &options,
                                World *world) {
  CompileRequest request;
  request.path = path;
  request.topology = options.topology.empty() && options.devices
                         ? "cpu-" + std::to_string(options.devices)
                         : options.topology;
  request.preset = options.preset;
  request.strategy = options.strategy;
  request.reference = options.reference;
  request.dialectPlugins = options.dialectPlugins;
  request.optLevel = int(options.optLevel);
  request.cache = !options.noCache;
  request.diagnostic = [world](const std::string &message) {
    if (!world || world->rank() == 0)
      std::fprintf(stderr, "%s\n", message.c_str());
  };
  return compileModule(request);
}

/// Flags about compiling are refused: they would have no effect.
Expected<ProgramSource> openArtifact(const std::string &path,
                                     const Options &options) {
  for (auto [flag, given] :
       {std::pair{"--topology", !options.topology.empty()},
        std::pair{"--preset", !options.preset.empty()},
        std::pair{"--strategy", !options.strategy.empty()},
        std::pair{"--load-dialect-plugin", !options.dialectPlugins.empty()},
        std::pair{"--reference", options.reference}})
    if (given)
      return Error{path + ": '" + flag +
                   "' needs IR, got an artifact, which is compiled already"};
  return loadArtifact(path);
}

/// A module that has a plan is for the devices of that.
MaybeError checkTopology(const Manifest &manifest, const std::string &path,
                         const Options &options) {
  if (options.topology.empty() || path != options.file)
    return std::nullopt;
  auto topology = loadTopology(options.topology);
  if (!topology)
    return topology.takeError();
  if (manifest.topology == topology->name &&
      manifest.devices == topology->deviceCount())
    return std::nullopt;
  return Error{path + ": the plan of the module is for '" + manifest.topology +
               "' of " + std::to_string(manifest.devices) +
               " devices, got '--topology " + options.topology + "' of " +
               std::to_string(topology->deviceCount()) +
               ": '--preset', '--strategy' or '--plan' makes another plan"};
}

Expected<std::unique_ptr<Session>> open(const std::string &path,
                                        const Options &options, World *world) {
  auto source = isArtifactFile(path) ? openArtifact(path, options)
                                     : compile(path, options, world);
  if (!source)
    return source.takeError();
  if (MaybeError error = checkTopology(*source->manifest, path, options))
    return *error;
  if (options.devices && path == options.file &&
      options.devices != source->manifest->devices)
    return Error{path + ": the module is for " +
                 std::to_string(source->manifest->devices) +
                 " devices, got --devices " + std::to_string(options.devices)};
  LauncherOptions launcher;
  launcher.threadsPerDevice = options.threadsPerDevice;
  launcher.timeout = std::chrono::milliseconds(options.timeoutMs);
  DeviceChoice choice;
  choice.backend = options.backend;
  choice.nccl = options.transport == "nccl";
  choice.virtualDevices = options.virtualDevices;
  // A graph has no times of ops.
  choice.graphs = !options.noCudaGraph && options.trace.empty();
  choice.tunes = !options.noAutotune;
  if (!options.checkCalls.empty()) {
    choice.checks.emplace();
    choice.checks->all = options.checkCalls == "all";
    if (options.checkWork)
      choice.checks->work = options.checkWork;
  }
  choice.note = [](const std::string &text) {
    std::fprintf(stderr, "soap-run: note: %s\n", text.c_str());
  };
  auto session = Session::create(std::move(*source), launcher, world, choice);
  if (!session)
    return Error{path + ": " + session.error()};
  if (world && !options.quiet && options.threadsPerDevice <= 0)
    if (std::string cores = world->differingCores((*session)->placement());
        !cores.empty())
      std::fprintf(stderr,
                   "soap-run: note: hosts differ in cores: %s; all devices use "
                   "the fewest, so that replicas compute the same "
                   "(--threads-per-device N says another number)\n",
                   cores.c_str());
  return session;
}

/// Whether a module that has no training step is to be trained: says which pass
/// builds one.
MaybeError checkTrains(const Session &session, const Options &options) {
  bool trains = options.command != Command::Predict && !options.data.empty();
  if (!trains || session.entry("train_step") || !session.entry("forward"))
    return std::nullopt;
  if (isArtifactFile(options.file))
    return Error{options.file +
                 ": the artifact has no '@train_step', only '@forward': make "
                 "it from a module that went through soap-opt "
                 "--soap-build-training-step, or run 'soap-run entry " +
                 quoted({options.file}) + " forward'"};
  return Error{options.file +
               ": has no '@train_step', only '@forward'; a pass builds it:\n"
               "  soap-opt " +
               quoted({options.file}) +
               " --soap-build-training-step -o step.mlir\n"
               "  soap-run " +
               nameOf(options.command) + " step.mlir --data " +
               quoted({options.data}) +
               "\nor run the function once:\n  soap-run entry " +
               quoted({options.file}) + " forward"};
}

/// Imports an ONNX model; flags that only it takes need one.
MaybeError importModel(Options &options, bool isAlone, ScratchFolder &folder) {
  if (isOnnxFile(options.file)) {
    if (isAlone)
      return prepareOnnx(options, folder);
    OnnxCommands commands = onnxCommands(options, "");
    std::string byHand;
    for (const std::vector<std::string> &words : commands.commands)
      byHand += "  " + quoted(words) + "\n";
    return Error{options.file +
                 ": one process imports an ONNX model, not several; do it "
                 "before:\n" +
                 byHand + "and run " + commands.module};
  }
  for (auto [flag, given] :
       {std::pair{"--import", !options.import.empty()},
        std::pair{"--loss", !options.loss.empty()},
        std::pair{"--optimizer", !options.optimizer.empty()},
        std::pair{"--learning-rate", !options.learningRate.empty()},
        std::pair{"--step", !options.step.empty()},
        std::pair{"--search", !options.search.empty() && !options.elastic}})
    if (given)
      return Error{options.file + ": flag '" + flag +
                   "' needs an ONNX model; for IR there is soap-opt"};
  return std::nullopt;
}

/// Plans the module where flags ask for it, for the devices that are there.
MaybeError plan(Options &options, World *world, ScratchFolder &folder) {
  if (options.elastic) {
    auto launch = readLaunch();
    if (!launch)
      return launch.takeError();
    if (!*launch || !world)
      return Error{"flag '--elastic' needs soap-launch, which starts the "
                   "processes that are left again: soap-launch --hosts FILE "
                   "soap-run train ..."};
    if (MaybeError error = prepareElastic(options, *world, **launch, folder))
      return error;
  }
  return planModule(options, world, folder);
}

/// Files that will be written at the end must be writable at the start.
MaybeError checkOutputs(const Options &options) {
  for (const std::string &path :
       {options.checkpoint, options.saveWeights, options.saveState,
        options.trace, options.report}) {
    if (path.empty())
      continue;
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      return Error{path + ": cannot write: is a directory, expected a file"};
    size_t slash = path.rfind('/');
    std::string folder =
        slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (access(folder.c_str(), W_OK) != 0)
      return Error{path + ": cannot write: " + std::strerror(errno)};
  }
  return std::nullopt;
}

/// Of all processes, if asked for.
MaybeError writeTrace(Trace &trace, const Placement &placement,
                      const Options &options) {
  if (options.trace.empty())
    return std::nullopt;
  if (placement.size() > 1)
    if (MaybeError error = trace.gather(*placement.group))
      return error;
  if (!placement.isRoot())
    return std::nullopt;
  return trace.write(options.trace);
}

/// Everything at the end of a run that trained.
MaybeError writeResults(Session &session, const Options &options, Trace &trace,
                        const TrainResult &result,
                        const std::vector<double> &milliseconds,
                        const std::optional<Comparison> &comparison,
                        const std::optional<SpeedLog> &speed) {
  const Placement &placement = session.placement();
  for (auto [path, which] :
       {std::pair{&options.saveWeights, SavedTensors::Weights},
        std::pair{&options.saveState, SavedTensors::State}}) {
    // Values that are not finite would replace values that may still be good.
    if (path->empty() || !result.notFinite.empty())
      continue;
    auto tensors = collectTensors(session.manifest(), session.tensors(), which,
                                  /*rootOnly=*/true);
    if (!tensors)
      return tensors.takeError();
    if (placement.isRoot())
      if (MaybeError error = writeSafetensors(*path, *tensors))
        return error;
  }
  if (MaybeError error = writeTrace(trace, placement, options))
    return error;
  if (!options.report.empty())
    return writeReport(options.report, session,
                       *session.entry(options.command == Command::Evaluate
                                          ? "evaluate"
                                          : "train_step"),
                       result, milliseconds, comparison, speed);
  return std::nullopt;
}

/// After an iteration. The first one has no gauge before it.
void observeSpeed(Session &session, SpeedLog &log) {
  if (!log.gauges.empty())
    log.milliseconds.push_back(session.lastMilliseconds());
  log.gauges.push_back(session.gauge(*session.entry("train_step")));
}

/// Of a module that is checked and not run.
void printModule(const Manifest &manifest) {
  std::string entries;
  for (const EntryInfo &entry : manifest.entries)
    entries += (entries.empty() ? "'@" : ", '@") + entry.name + "'";
  std::printf("%ld devices of '%s', functions %s\n", long(manifest.devices),
              manifest.topology.c_str(), entries.c_str());
}

/// The exit status; `agreed`: of all processes.
int runMode(const Options &options, Session &session, Session *other,
            World *world, bool &agreed) {
  auto fail = [world](const std::string &message) {
    return run::fail(world, message);
  };
  auto stop = [world](bool notFinite) {
    if (!world)
      return notFinite            ? Decision::NotFinite
             : interrupted.load() ? Decision::Stop
                                  : Decision::GoOn;
    auto answer = world->agreeToStop(notFinite);
    if (!answer)
      run::fail(world, answer.error());
    return answer ? *answer : Decision::Stop;
  };
  Trace trace;
  std::optional<SpeedLog> speed;
  if (options.gauge)
    speed.emplace();
  session.observer = [&](const Execution &run) {
    if (!options.trace.empty())
      trace.add(run);
    if (speed && run.entry.name == "train_step")
      observeSpeed(session, *speed);
  };
  TrainResult result;
  std::vector<double> milliseconds;
  std::optional<Comparison> comparison;
  bool predicts = options.command == Command::Predict;
  if (predicts || !options.entry.empty()) {
    MaybeError error =
        predicts ? predict(session, options) : runEntry(session, options);
    if (!error)
      error = writeTrace(trace, session.placement(), options);
    return error ? fail(error->message) : 0;
  }
  if (options.command == Command::Check && options.data.empty()) {
    if (!options.quiet)
      printModule(session.manifest());
    return 0;
  }
  if (options.command == Command::Evaluate) {
    auto evaluated = evaluate(session, options);
    if (!evaluated)
      return fail(evaluated.error());
    result = *evaluated;
  } else if (other) {
    auto run = compare(session, *other, options, stop);
    if (!run)
      return fail(run.error());
    result = run->result;
    milliseconds = run->milliseconds;
    if (result.notFinite.empty())
      comparison = run->comparison;
    if (!options.quiet && comparison)
      std::printf("after %ld iterations: loss differs by %.3g, weights by at "
                  "most %.3g ('%s')\n",
                  long(result.iterations), comparison->loss,
                  comparison->weights, comparison->worst.c_str());
  } else {
    auto trained = train(session, options, stop, milliseconds);
    if (!trained)
      return fail(trained.error());
    result = *trained;
  }
  if (MaybeError error = writeResults(session, options, trace, result,
                                      milliseconds, comparison, speed))
    return fail(error->message);
  if (!result.notFinite.empty()) {
    // All processes know, and one says it.
    agreed = true;
    clearLine();
    if (session.placement().isRoot())
      std::fprintf(stderr, "soap-run: error: %s\n", result.notFinite.c_str());
    return 1;
  }
  if (!options.quiet && result.endedEarly)
    std::printf("ended early: the test loss did not improve in %ld "
                "evaluations\n",
                long(options.earlyStop));
  if (!options.quiet && !milliseconds.empty())
    std::printf("%ld iterations, %.3f ms per iteration (median)\n",
                long(result.iterations), median(milliseconds));
  if (!options.quiet && speed)
    std::printf("%zu of %zu at full speed, %.3f ms (median)\n",
                speed->fullSpeed().size(), speed->milliseconds.size(),
                median(speed->fullSpeed()));
  if (!options.quiet && !options.checkpoint.empty())
    std::printf("the checkpoint is in %s\n", options.checkpoint.c_str());
  if (!options.quiet && !options.saveWeights.empty())
    std::printf("weights are in %s\n", options.saveWeights.c_str());
  if (!options.quiet && !options.saveState.empty())
    std::printf("weights and states are in %s\n", options.saveState.c_str());
  if (!result.stopped)
    return 0;
  clearLine();
  if (session.placement().isRoot())
    std::fprintf(stderr, "soap-run: interrupted after %ld iterations%s\n",
                 long(result.iterations),
                 !options.checkpoint.empty() ? "; go on with --resume"
                 : !options.saveWeights.empty() || !options.saveState.empty()
                     ? "; weights are saved"
                     : "");
  return 130;
}

/// The exit status, with what --check-calls has found. Calls that differ say
/// more than the failure that may have followed.
int reportCalls(const Session &session, const Options &options, World *world,
                int status) {
  if (!session.callChecks())
    return status;
  std::string failure = printCalls(*session.callChecks(), options.quiet);
  return failure.empty() ? status : fail(world, failure);
}

/// Warns if the measured times vary too much.
void warnOfSpread(const std::string &file) {
  auto profile = loadProfile(file);
  if (!profile)
    return;
  if (std::string doubts = doubtsOf(*profile); !doubts.empty())
    std::fprintf(stderr, "soap-run: warning: %s: %s\n", file.c_str(),
                 doubts.c_str());
}

/// The exit status.
int reportCalibration(CalibrationEnd end, const Options &options) {
  const char *name = options.calibrationOutput.c_str();
  if (end != CalibrationEnd::NothingKept)
    warnOfSpread(options.calibrationOutput + ".profile.json");
  switch (end) {
  case CalibrationEnd::Complete:
    if (!options.quiet)
      std::printf("%s.topology.json and %s.profile.json\n", name, name);
    return 0;
  case CalibrationEnd::Interrupted:
    std::fprintf(stderr,
                 "soap-run: interrupted; the times measured so far are in "
                 "%s.topology.json and %s.profile.json\n",
                 name, name);
    break;
  case CalibrationEnd::NothingKept:
    std::fprintf(stderr, "soap-run: interrupted before there was enough for a "
                         "topology; nothing was written\n");
  }
  return 130;
}

} // namespace

int main(int argc, char **argv) {
  waitPassively(argv);
  commandline::watchStandardOutput("soap-run");
  if (manual::printForBuild(argc, argv, makeManual()))
    return 0;
  auto options = parseOptions(std::vector<std::string>(argv + 1, argv + argc));
  if (!options) {
    if (isFirstProcess())
      std::fprintf(stderr, "soap-run: error: %s; see soap-run %s--help\n",
                   options.error().c_str(),
                   argc > 1 && findCommand(argv[1])
                       ? (std::string(argv[1]) + " ").c_str()
                       : "");
    return 2;
  }
  if (options->help) {
    if (isFirstProcess())
      std::fputs(helpText(options->command).c_str(), stdout);
    return 0;
  }
  if (options->version) {
    if (isFirstProcess())
      std::printf("%s\n", versionLine());
    return 0;
  }
  if (options->oldSpelling && !options->quiet && isFirstProcess() &&
      options->rank <= 0)
    std::fprintf(stderr,
                 "soap-run: note: this spelling is old; write: soap-run %s\n",
                 quoted(options->arguments).c_str());
  if (options->command == Command::Calibrate) {
    iterating.store(true);
    installSignals();
    auto measure = options->backend == "cuda" ? calibrateCuda
                   : options->file.empty()    ? calibrate
                                              : calibrateModel;
    auto finished = measure(*options, [] { return interrupted.load(); });
    if (!finished)
      return fail(nullptr, finished.error());
    return reportCalibration(*finished, *options);
  }
  installSignals();
  watchBeforeIterations();
  auto joined = joinProcesses(*options, stopRequested);
  if (!joined)
    return fail(nullptr, joined.error());
  World *world = joined->get();
  joinedWorld.store(world);
  bool root = !world || world->rank() == 0;
  options->quiet |= !root;
  if (MaybeError error = root ? checkOutputs(*options) : std::nullopt)
    return fail(world, error->message);
  if (MaybeError error = world ? agreeOnFlags(*options, *world) : std::nullopt)
    return fail(world, error->message);
  ScratchFolder folder;
  if (MaybeError error = importModel(*options, !world, folder)) {
    if (interrupted.load())
      endEarly();
    return fail(world, error->message);
  }
  if (MaybeError error = plan(*options, world, folder)) {
    if (interrupted.load())
      endEarly();
    return fail(world, error->message);
  }
  if (options->injectDelaysUs)
    injectDelays({uint64_t(options->seed),
                  std::chrono::microseconds(options->injectDelaysUs)});
  auto session = open(options->file, *options, world);
  // Processes with others end without a destructor.
  if (world)
    folder.remove();
  if (!session)
    return fail(world, session.error());
  if (MaybeError error = checkTrains(**session, *options))
    return fail(world, error->message);
  std::unique_ptr<Session> other;
  if (!options->compareWith.empty()) {
    auto opened = open(options->compareWith, *options, world);
    if (!opened)
      return fail(world, opened.error());
    other = std::move(*opened);
  }
  iterating.store(true);
  int status = 1;
  bool agreed = false;
  try {
    status = runMode(*options, **session, other.get(), world, agreed);
    status = reportCalls(**session, *options, world, status);
  } catch (const std::bad_alloc &) {
    status = fail(world, "not enough memory");
  }
  ended.store(true);
  // A stuck device still uses memory that a normal exit would free.
  if (world || (*session)->launcher().stuck() ||
      (other && other->launcher().stuck()))
    finish(world, status, agreed);
  return status;
}
