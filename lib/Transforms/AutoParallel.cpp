//===- AutoParallel.cpp - Search for a strategy ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-auto-parallel: from options to a search over the groups of a
// function, with checkpoints, progress on terminals and Ctrl-C.
//
//===----------------------------------------------------------------------===//

#include "CheckedOptions.h"
#include "FrontierAlgorithm.h"
#include "InterruptScope.h"
#include "MeasureShapes.h"
#include "SearchAlgorithms.h"
#include "StrategySupport.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Model/Reuse.h"
#include "Soap/Plan/StrategyPlan.h"
#include "Soap/Search/MCMC/McmcCheckpoint.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Problem/SpaceBound.h"
#include "Soap/Search/Report/ProgressDrawing.h"
#include "Soap/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Process.h"

#include <map>
#include <thread>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPAUTOPARALLEL
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

struct AutoParallel
    : CheckedOptions<mlir::soap::impl::SoapAutoParallelBase<AutoParallel>> {
  using CheckedOptions::CheckedOptions;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run();
  LogicalResult checkOptions();
  LogicalResult checkFiles();
  const char *chainsOption() const;
  LogicalResult restrictSpace(::soap::ParallelizationProblem &problem);
  void checkStarts(const ::soap::ParallelizationProblem &problem,
                   llvm::ArrayRef<::soap::Strategy> strategies);
  LogicalResult readInitial(OpGraph &opGraph,
                            const ::soap::ParallelizationProblem &problem,
                            std::vector<::soap::Strategy> &strategies);
  LogicalResult writeFiles(const ::soap::ParallelizationProblem &problem,
                           const ::soap::McmcResult &result);
  FailureOr<::soap::McmcResult>
  search(const ::soap::ParallelizationProblem &problem,
         std::vector<::soap::Strategy> strategies);
  FailureOr<std::optional<::soap::McmcState>>
  readCheckpoint(const ::soap::ParallelizationProblem &problem,
                 const ::soap::McmcOptions &options);
  void writeCheckpoint(StringRef text);
  std::string printReport(const ::soap::ParallelizationProblem &problem,
                          const ::soap::McmcResult &result);

  FrontierPassOptions frontierOptions() const {
    return {mode,    memoryLimit, frontierFile, frontierSvg,
            epsilon, configs,     reuse};
  }

  /// What the algorithm reports beyond what all do.
  llvm::json::Object algorithmReport;
  std::vector<::soap::KeptValue> keeps; ///< of its result
};

} // namespace

static std::optional<::soap::SimulatorKind> simulatorKind(StringRef name) {
  return StringSwitch<std::optional<::soap::SimulatorKind>>(name)
      .Case("delta", ::soap::SimulatorKind::Delta)
      .Case("propagate", ::soap::SimulatorKind::Propagate)
      .Case("full", ::soap::SimulatorKind::Full)
      .Default(std::nullopt);
}

/// An option of Markov chains that is not as by default, or null.
const char *AutoParallel::chainsOption() const {
  AutoParallel defaults;
  const std::pair<const char *, bool> changed[] = {
      {"beta", beta.getValue() != defaults.beta.getValue()},
      {"cooling", cooling.getValue() != defaults.cooling.getValue()},
      {"chains", chains.getValue() != defaults.chains.getValue()},
      {"proposals-kind",
       proposalsKind.getValue() != defaults.proposalsKind.getValue()},
      {"tempering", tempering.getValue() != defaults.tempering.getValue()},
      {"early-rejection",
       earlyRejection.getValue() != defaults.earlyRejection.getValue()}};
  for (auto [name, isChanged] : changed)
    if (isChanged)
      return name;
  return nullptr;
}

LogicalResult AutoParallel::checkOptions() {
  auto fail = [&](const char *name, const auto &value,
                  const char *expected) -> LogicalResult {
    InFlightDiagnostic error = getOperation().emitError()
                               << "option '" << name << "=";
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>)
      error << optionNumber(value);
    else
      error << value;
    return error << "': expected " << expected;
  };
  if (!(timeLimit >= 0 && timeLimit <= 1e9))
    return fail("time-limit", timeLimit.getValue(), "seconds from 0 to 1e9");
  if (proposals < 0)
    return fail("proposals", proposals.getValue(), "a number of at least 0");
  if (!(beta > 0 && beta <= 1e12))
    return fail("beta", beta.getValue(), "a number above 0, up to 1e12");
  if (!measure.empty() && !topology.empty())
    return getOperation().emitError()
           << "options 'measure=" << measure << "' and 'topology=" << topology
           << "' exclude each other";
  if (!llvm::is_contained({"soap", "sap", "sp", "s", "optcnn"}, space))
    return fail("space", space.getValue(), "soap, sap, sp, s or optcnn");
  if (chains > 1024)
    return fail("chains", chains.getValue(), "at most 1024");
  if (proposalsKind != "uniform" && proposalsKind != "mixed")
    return fail("proposals-kind", proposalsKind.getValue(), "uniform or mixed");
  if (!(cooling > 0 && cooling <= 1))
    return fail("cooling", cooling.getValue(), "a share above 0, up to 1");
  if (!(tempering >= 1 && tempering <= 1000))
    return fail("tempering", tempering.getValue(), "a ratio from 1 to 1000");
  if (pauseAfter < 0)
    return fail("pause-after", pauseAfter.getValue(), "a number of at least 0");
  if (pauseAfter > 0 && checkpointFile.empty())
    return fail("pause-after", pauseAfter.getValue(),
                "a file by 'checkpoint=FILE', too");
  if (!simulatorKind(simulator))
    return fail("simulator", simulator.getValue(), "delta, propagate or full");
  if (!llvm::is_contained(searchAlgorithms(), algorithm)) {
    std::string expected = llvm::join(searchAlgorithms(), ", ");
    return fail("algorithm", algorithm.getValue(), expected.c_str());
  }
  if (targetNs < 0)
    return fail("target", targetNs.getValue(), "ns, at least 0");
  if (algorithm != "mcmc" && targetNs > 0)
    return fail("target", targetNs.getValue(),
                "0, or algorithm=mcmc: no other search has a target");
  if (algorithm != "mcmc" && !checkpointFile.empty())
    return fail("checkpoint", checkpointFile.getValue(),
                "algorithm=mcmc: no other search has checkpoints");
  if (algorithm != "mcmc")
    if (const char *option = chainsOption())
      return getOperation().emitError()
             << "option '" << option
             << "': expected algorithm=mcmc: no other search has chains";
  if (algorithm != "mcmc" && simulator != "delta")
    return fail("simulator", simulator.getValue(),
                "delta, or algorithm=mcmc: no other search has simulators to "
                "compare");
  if (algorithm == "placement" && space != "soap")
    return fail("space", space.getValue(),
                "soap: other spaces have no choice of devices, algorithm="
                "placement has no other");
  if (algorithm == "frontier" && polish)
    return fail("polish", "true",
                "false with algorithm=frontier, whose result is a point of its "
                "frontier");
  return checkFrontierOptions(getOperation(), algorithm, frontierOptions());
}

/// A search of hours is not lost to a folder that is not there.
LogicalResult AutoParallel::checkFiles() {
  const std::pair<const char *, StringRef> files[] = {
      {"report", report},
      {"progress-svg", progressSvg},
      {"checkpoint", checkpointFile},
      {"frontier", frontierFile},
      {"frontier-svg", frontierSvg},
      {"export", exportFile}};
  for (auto [option, path] : files)
    if (failed(checkOptionFile(getOperation(), option, path)))
      return failure();
  return success();
}

LogicalResult
AutoParallel::restrictSpace(::soap::ParallelizationProblem &problem) {
  using ::soap::Role;
  if (space != "soap") {
    problem.anyDevices = problem.replicas = false;
    problem.evenPieces = space == "optcnn";
    problem.searchedRoles = {Role::Sample};
    if (space != "s")
      problem.searchedRoles.push_back(Role::Parameter);
    if (space == "sap" || space == "optcnn")
      problem.searchedRoles.push_back(Role::Attribute);
  }
  if (roles.empty())
    return success();
  constexpr Role all[] = {Role::Sample, Role::Parameter, Role::Reduction,
                          Role::Attribute};
  std::vector<Role> chosen;
  for (const std::string &name : roles) {
    auto it = llvm::find_if(
        all, [&](Role role) { return name == ::soap::roleName(role); });
    if (it == std::end(all))
      return getOperation().emitError()
             << "option 'roles=" << name
             << "': expected sample, parameter, reduction or attribute";
    chosen.push_back(*it);
  }
  problem.searchedRoles = std::move(chosen);
  return success();
}

LogicalResult
AutoParallel::readInitial(OpGraph &opGraph,
                          const ::soap::ParallelizationProblem &problem,
                          std::vector<::soap::Strategy> &strategies) {
  for (const std::string &name : initial) {
    if (StringRef(name).ends_with(".json")) {
      FailureOr<::soap::Strategy> read =
          readStrategyFile(getOperation(), "initial", name, opGraph.graph,
                           problem.getTopology());
      if (failed(read))
        return failure();
      strategies.push_back(std::move(*read));
      continue;
    }
    if (name == "current") {
      FailureOr<::soap::Strategy> current =
          readStrategy(opGraph, problem.getTopology().deviceCount());
      if (failed(current))
        return failure();
      strategies.push_back(std::move(*current));
      continue;
    }
    if (isSearchedStart(name)) {
      strategies.emplace_back();
      continue;
    }
    ::soap::Expected<::soap::Strategy> preset =
        ::soap::presetStrategy(name, problem);
    if (!preset)
      return getOperation().emitError()
             << "option 'initial=" << name << "': " << preset.error()
             << ", optcnn, placement, current, or a strategy file (*.json)";
    strategies.push_back(std::move(*preset));
  }
  return success();
}

/// A strategy from elsewhere may lie outside of the space, and so may what is
/// found near it: that is said.
void AutoParallel::checkStarts(const ::soap::ParallelizationProblem &problem,
                               llvm::ArrayRef<::soap::Strategy> strategies) {
  for (auto [name, strategy] : llvm::zip_equal(initial, strategies)) {
    if (name != "current" && !StringRef(name).ends_with(".json"))
      continue;
    for (const ::soap::OpGroup &group : problem.getGroups()) {
      if (problem.contains(group.leader, strategy[group.leader]))
        continue;
      getOperation().emitWarning()
          << "option 'initial=" << name << "': op '"
          << problem.getGraph().nodes[group.leader].whole.name
          << "' has a config outside of the space that is searched, and so may "
             "have the result";
      break;
    }
  }
}

FailureOr<::soap::McmcResult>
AutoParallel::search(const ::soap::ParallelizationProblem &problem,
                     std::vector<::soap::Strategy> strategies) {
  constexpr double defaultSeconds = 10;
  ::soap::McmcOptions options;
  options.seed = seed;
  options.seconds = timeLimit == 0 && proposals == 0 && !endsByItself(algorithm)
                        ? defaultSeconds
                        : timeLimit.getValue();
  options.proposals = proposals;
  options.temperature = 1 / beta;
  options.simulator = *simulatorKind(simulator);
  options.earlyRejection = earlyRejection;
  options.chains = static_cast<int>(chains);
  options.kind = proposalsKind == "mixed" ? ::soap::ProposalKind::Mixed
                                          : ::soap::ProposalKind::Uniform;
  options.cooling = cooling;
  options.tempering = tempering;
  options.pauseAfter = pauseAfter;
  options.targetNs = targetNs;
  options.threads = static_cast<int>(
      std::min(threads == 0 ? std::max(std::thread::hardware_concurrency(), 1u)
                            : threads.getValue(),
               1024u));
  options.stop = &InterruptScope::isInterrupted();
  InterruptScope scope;
  for (auto [name, strategy] : llvm::zip_equal(initial, strategies)) {
    // Who goes on from a checkpoint has begun already.
    if (strategy.empty() &&
        (checkpointFile.empty() || !llvm::sys::fs::exists(checkpointFile)))
      strategy = searchStart(name, problem, options);
    // Or it was interrupted before it had found anything.
    if (strategy.empty())
      continue;
    options.initial.push_back(std::move(strategy));
    options.initialNames.push_back(name);
  }
  bool terminal = llvm::sys::Process::StandardErrIsDisplayed();
  if (terminal)
    options.progress = [](const ::soap::McmcProgress &progress) {
      llvm::errs() << llvm::format(
          "\rsearching: %lld proposals (%.0f/s), best %.3f ms, %.0f s left   ",
          static_cast<long long>(progress.proposals),
          progress.proposalsPerSecond, progress.bestNs * 1e-6,
          progress.secondsLeft);
    };
  std::optional<::soap::McmcState> former;
  bool isCheckpointed = false;
  if (!checkpointFile.empty()) {
    FailureOr<std::optional<::soap::McmcState>> read =
        readCheckpoint(problem, options);
    if (failed(read))
      return failure();
    former = std::move(*read);
    if (former)
      options.resume = &*former;
    options.checkpoint = [&](const ::soap::McmcState &state) {
      isCheckpointed = true;
      writeCheckpoint(::soap::printMcmcCheckpoint(problem, options, state));
    };
  }
  FailureOr<SearchOutcome> outcome;
  if (algorithm == "frontier")
    outcome = runFrontier(getOperation(), problem, options, frontierOptions());
  else
    outcome = runSearch(algorithm, polish, problem, options);
  if (terminal)
    llvm::errs() << '\n';
  if (failed(outcome))
    return failure();
  if (!checkpointFile.empty() && !isCheckpointed)
    getOperation().emitWarning()
        << "option 'checkpoint=" << checkpointFile
        << "': nothing to go on from was written: the search ended before its "
           "chains began";
  algorithmReport = std::move(outcome->report);
  if (bound) {
    ::soap::McmcResult &result = outcome->result;
    // Searches cut no op into more pieces than devices unless a start does.
    int64_t pieces = ::soap::mostPieces(result.best);
    for (const ::soap::Strategy &start : options.initial)
      pieces = std::max(pieces, ::soap::mostPieces(start));
    result.boundNs = std::max(
        result.boundNs, ::soap::spaceBoundNs(problem, options.stop, pieces));
    result.optimal |= result.bestEvaluation.excessBytes == 0 &&
                      result.bestEvaluation.makespanNs == result.boundNs;
  }
  // Searches that begin from nothing are compared with something.
  if (::soap::McmcResult &result = outcome->result;
      result.initialNames.empty() && !InterruptScope::isInterrupted()) {
    result.initialNames.push_back("data-parallel");
    result.initialNs.push_back(
        problem.evaluate(::soap::dataParallelStrategy(problem)).makespanNs);
  }
  keeps = std::move(outcome->keeps);
  return std::move(outcome->result);
}

/// The state that a former run has left, if there is one.
FailureOr<std::optional<::soap::McmcState>>
AutoParallel::readCheckpoint(const ::soap::ParallelizationProblem &problem,
                             const ::soap::McmcOptions &options) {
  if (!llvm::sys::fs::exists(checkpointFile))
    return std::optional<::soap::McmcState>();
  FailureOr<std::string> text =
      readOptionFile(getOperation(), "checkpoint", checkpointFile);
  if (failed(text))
    return failure();
  ::soap::Expected<::soap::McmcState> state =
      ::soap::parseMcmcCheckpoint(*text, checkpointFile, problem, options);
  if (!state)
    return getOperation().emitError() << state.error();
  for (const std::string &name : initial)
    // What another search has to find may have been missed.
    if (!isSearchedStart(name) &&
        !llvm::is_contained(state->initialNames, name))
      return getOperation().emitError()
             << "option 'initial=" << name << "': the search of '"
             << checkpointFile
             << "' has begun from other starts; expected one of "
             << llvm::join(state->initialNames, ", ");
  return std::optional<::soap::McmcState>(std::move(*state));
}

/// Written aside first, so that there always is a whole one. A search is not
/// ended for a full disk; that it cannot be resumed is said.
void AutoParallel::writeCheckpoint(StringRef text) {
  std::string aside = checkpointFile + ".new";
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(aside, error);
    if (!error) {
      stream << text;
      stream.close();
      error = stream.error();
      stream.clear_error();
    }
  }
  if (!error)
    error = llvm::sys::fs::rename(aside, checkpointFile);
  if (error)
    getOperation().emitWarning() << "option 'checkpoint=" << checkpointFile
                                 << "': cannot write: " << error.message();
}

/// Tasks of an iteration.
static int64_t taskCount(const ::soap::ParallelizationProblem &problem,
                         const ::soap::Strategy &strategy) {
  ::soap::CostModel cost(problem.getTopology());
  ::soap::StrategyPlan plan(problem.getGraph(), cost);
  plan.set(strategy);
  return plan.taskCount();
}

std::string
AutoParallel::printReport(const ::soap::ParallelizationProblem &problem,
                          const ::soap::McmcResult &result) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("best_makespan_ns", result.bestEvaluation.makespanNs);
    // Of memory: no solution if there are any.
    json.attribute("excess_bytes", result.bestEvaluation.excessBytes);
    json.attributeObject("initial", [&] {
      llvm::StringMap<int> used; // a start may be given twice
      for (auto [name, makespan] :
           llvm::zip_equal(result.initialNames, result.initialNs)) {
        int count = ++used[name];
        json.attribute(count > 1 ? name + "#" + std::to_string(count) : name,
                       makespan);
      }
    });
    json.attribute("groups", static_cast<int64_t>(problem.getGroups().size()));
    json.attribute("ops",
                   static_cast<int64_t>(problem.getGraph().nodes.size()));
    json.attribute("proposals", result.proposals);
    json.attribute("accepted", result.accepted);
    json.attribute("proposals_per_second",
                   result.seconds > 0 ? result.proposals / result.seconds : 0);
    json.attribute("seconds", result.seconds);
    json.attribute("tasks", taskCount(problem, result.best));
    const ::soap::EvaluatorStatistics &counts = result.statistics;
    auto share = [&](int64_t count) {
      return static_cast<double>(count) / static_cast<double>(counts.proposals);
    };
    json.attribute("resimulated_tasks_per_proposal",
                   counts.proposals > 0
                       ? llvm::json::Value(share(counts.simulatedTasks))
                       : llvm::json::Value(nullptr));
    if (counts.proposals > 0 && simulator == "delta") {
      // Copies occupy their receiver, or values are restored.
      json.attribute("simulated_in_full", share(counts.simulatedInFull));
      // By the first reason that proved them too slow.
      json.attributeObject("rejected_unsimulated", [&] {
        json.attribute("load", share(counts.rejectedByLoad));
        json.attribute("paths_and_arrivals", share(counts.rejectedByArrivals));
        json.attribute("planned", share(counts.rejectedUnsimulated));
      });
    }
    json.attribute("optimal", result.optimal);
    json.attribute("bound_ns", result.boundNs);
    json.attribute("seed", seed.getValue());
    json.attribute("interrupted", InterruptScope::isInterrupted().load());
    // In an order that does not depend on hashes.
    std::map<std::string, llvm::json::Value> more;
    for (auto &[key, value] : algorithmReport)
      more.emplace(key.str(), value);
    for (auto &[key, value] : more)
      json.attribute(key, value);
    json.attributeArray("curve", [&] {
      for (const ::soap::McmcPoint &point : result.curve)
        json.object([&] {
          json.attribute("seconds", point.seconds);
          json.attribute("proposals", point.proposals);
          json.attribute("best_ns", point.bestNs);
        });
    });
  });
  stream << '\n';
  return text;
}

LogicalResult
AutoParallel::writeFiles(const ::soap::ParallelizationProblem &problem,
                         const ::soap::McmcResult &result) {
  ModuleOp module = getOperation();
  if (!report.empty() && failed(writeOptionFile(module, "report", report,
                                                printReport(problem, result))))
    return failure();
  if (progressSvg.empty())
    return success();
  return writeOptionFile(module, "progress-svg", progressSvg,
                         ::soap::drawProgress(result));
}

LogicalResult AutoParallel::run() {
  ModuleOp module = getOperation();
  if (failed(checkOptions()) || failed(checkFiles()))
    return failure();
  std::string place = topology;
  if (!measure.empty()) {
    if (failed(measureShapes(module, measure)))
      return failure();
    place = measure + ".topology.json";
  }
  for (auto other : module.getOps<func::FuncOp>())
    dropKeeps(other);
  auto opened = openProblem(module, place, profile, function, untied);
  if (failed(opened))
    return failure();
  FunctionProblem &target = **opened;
  OpGraph &opGraph = target.opGraph;
  ::soap::ParallelizationProblem &problem = *target.problem;
  if (failed(checkPlacements(opGraph, target.topology.deviceCount())))
    return failure();
  std::vector<::soap::Strategy> strategies;
  if (failed(restrictSpace(problem)) ||
      failed(readInitial(opGraph, problem, strategies)))
    return failure();
  checkStarts(problem, strategies);

  FailureOr<::soap::McmcResult> found = search(problem, std::move(strategies));
  if (failed(found))
    return failure();
  // From here on the graph is that of the result.
  for (const ::soap::KeptValue &kept : keeps)
    ::soap::restoreValue(opGraph.graph, kept.value, kept.keep);
  if (failed(writeFiles(problem, *found)))
    return failure();
  const ::soap::McmcResult &result = *found;
  if (result.bestEvaluation.excessBytes > 0)
    return target.function.emitError()
           << "'@" << target.function.getName()
           << "' does not fit into the memory of topology '"
           << target.topology.name << "': the best strategy found needs "
           << result.bestEvaluation.excessBytes
           << " bytes more, expected devices with more 'memory_bytes', a "
              "smaller model or a longer search";
  if (failed(
          writeModuleStrategy(module, opGraph, result.best, target.topology)))
    return failure();
  if (exportFile.empty())
    return success();
  return exportStrategy(module, opGraph.graph, result.best, target.topology,
                        exportFile);
}
