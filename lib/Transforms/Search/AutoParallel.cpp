//===- AutoParallel.cpp - Search for a strategy ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-auto-parallel: from options to a search over the groups of a
// function, with checkpoints, progress on terminals and Ctrl-C.
//
//===----------------------------------------------------------------------===//

#include "FrontierAlgorithm.h"
#include "MeasureShapes.h"
#include "SearchReport.h"
#include "SearchTuning.h"
#include "Transforms/Hybrid/HybridAlgorithm.h"
#include "Transforms/Hybrid/HybridChecks.h"
#include "Transforms/Recomputation/RecomputeToFit.h"
#include "Transforms/Report/StrategyExport.h"
#include "Transforms/Support/CheckedOptions.h"
#include "Transforms/Support/CheckpointFile.h"
#include "Transforms/Support/InterruptScope.h"
#include "Transforms/Support/OptionFile.h"
#include "Transforms/Support/ProgramCheck.h"

#include "Dialect/Soap/PassStatistics.h"
#include "Soap/Analysis/StepFacts.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Model/Reuse.h"
#include "Soap/Search/Hierarchical/HybridSimulator.h"
#include "Soap/Search/MCMC/McmcCheckpoint.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Problem/SpaceBound.h"
#include "Soap/Search/Report/ProgressDrawing.h"
#include "Soap/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/Process.h"

#include <limits>
#include <thread>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPAUTOPARALLEL
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

#define DEBUG_TYPE "soap-auto-parallel"

/// Of a search without any budget.
static constexpr double defaultSeconds = 10;

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Settings of a search that is one of several in a run.
struct SearchPhase {
  std::optional<double> seconds; ///< instead of the limit of the run
  /// Where it starts beside the presets.
  std::vector<std::pair<std::string, ::soap::Strategy>> further;
  const ::soap::Strategy *from = nullptr; ///< the only start
  std::optional<double> mates;            ///< instead of what is tuned
};

struct AutoParallel
    : CheckedOptions<mlir::soap::impl::SoapAutoParallelBase<AutoParallel>> {
  using CheckedOptions::CheckedOptions;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult initializeOptions(StringRef options,
                                  OptionErrorHandler errorHandler) override;
  LogicalResult run();
  LogicalResult checkOptions();
  LogicalResult checkFiles();
  LogicalResult startRecomputation(StringRef place);
  FailureOr<std::unique_ptr<FunctionProblem>>
  recomputeResult(const FunctionProblem &target, SearchOutcome &outcome);
  LogicalResult finish(FunctionProblem &target, const SearchOutcome &outcome,
                       const SearchReferences &references);
  LogicalResult restrictSpace(::soap::ParallelizationProblem &problem);
  void checkStarts(const ::soap::ParallelizationProblem &problem,
                   llvm::ArrayRef<::soap::Strategy> strategies);
  LogicalResult readInitial(OpGraph &opGraph,
                            const ::soap::ParallelizationProblem &problem,
                            std::vector<::soap::Strategy> &strategies);
  LogicalResult writeFiles(const FunctionProblem &target,
                           const SearchOutcome &outcome,
                           const PlannedResult &planned);
  void countStatistics(const ::soap::McmcResult &result);
  LogicalResult runBoth(FunctionProblem &target, ::soap::HybridModel &model);
  LogicalResult changeOpByOp(const FunctionProblem &target, double seconds,
                             SearchOutcome &outcome);
  FailureOr<SearchOutcome> search(const ::soap::ParallelizationProblem &problem,
                                  std::vector<::soap::Strategy> strategies,
                                  const SearchPhase &phase = {});
  FailureOr<std::optional<::soap::McmcState>>
  readCheckpoint(const ::soap::ParallelizationProblem &problem,
                 const ::soap::McmcOptions &options);

  FrontierPassOptions frontierOptions() const {
    return {mode,           memoryLimit,    frontierFile, frontierSvg,
            tuned->epsilon, tuned->configs, reuse};
  }

  /// Whether no option says how to search but the time.
  bool isPlain() const {
    return initial.empty() && !polish && !bound && !tuned->saysHowToSearch() &&
           space == "soap" && roles.empty() &&
           (mode.empty() || countsDevices()) && progressSvg.empty() &&
           memoryLimit.empty() && frontierFile.empty() && frontierSvg.empty() &&
           !reuse && recompute != "selective" && recompute != "whole";
  }

  /// Modes that hybrid plans have, too.
  bool countsDevices() const {
    return mode == "mini-parallelism" || mode == "profiling";
  }

  std::shared_ptr<SearchTuning> tuned; ///< from `checkOptions` on
  std::string chosen;                  ///< the algorithm
};

} // namespace

/// Bad names and numbers in `tuning` are bad flags, as with the other options.
LogicalResult AutoParallel::initializeOptions(StringRef options,
                                              OptionErrorHandler errorHandler) {
  if (failed(CheckedOptions::initializeOptions(options, errorHandler)))
    return failure();
  std::string message;
  if (SearchTuning::parse(tuning, message))
    return success();
  return errorHandler("'--" + getArgument() + "': option 'tuning': " + message);
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
  if (!measure.empty() && !topology.empty())
    return getOperation().emitError()
           << "options 'measure=" << measure << "' and 'topology=" << topology
           << "' exclude each other";
  if (!llvm::is_contained({"soap", "sap", "sp", "s", "optcnn"}, space))
    return fail("space", space.getValue(), "soap, sap, sp, s or optcnn");
  // Until the problem is known.
  chosen = algorithm != "auto" ? algorithm.getValue()
           : mode.empty()      ? "mcmc"
                               : "frontier";
  if (!llvm::is_contained(searchAlgorithms(), chosen)) {
    std::string expected = "auto, " + llvm::join(searchAlgorithms(), ", ");
    return fail("algorithm", algorithm.getValue(), expected.c_str());
  }
  std::string message;
  tuned = SearchTuning::parse(tuning, message);
  if (!tuned)
    return getOperation().emitError() << "option 'tuning': " << message;
  if (auto error = tuned->check(chosen, !checkpointFile.empty()))
    return getOperation().emitError() << error->message;
  if (chosen != "mcmc" && chosen != "hybrid" && !checkpointFile.empty())
    return fail("checkpoint", checkpointFile.getValue(),
                "algorithm=mcmc or hybrid: no other search has checkpoints");
  if (!mode.empty() && !checkpointFile.empty())
    return fail("checkpoint", checkpointFile.getValue(),
                "no 'mode': searches on several numbers of devices have none");
  if (chosen == "placement" && space != "soap")
    return fail("space", space.getValue(),
                "soap: other spaces have no choice of devices, algorithm="
                "placement has no other");
  if ((chosen == "mesh" || llvm::is_contained(initial, "mesh")) &&
      space != "soap")
    return fail("space", space.getValue(),
                "soap: mesh strategies order devices by the axes of a mesh, "
                "and make replicas");
  if (!llvm::is_contained({"as-is", "none", "selective", "whole", "auto"},
                          recompute))
    return fail("recompute", recompute.getValue(),
                "as-is, none, selective, whole or auto");
  if (recompute == "auto" && (!mode.empty() || reuse))
    return fail("recompute", recompute.getValue(),
                "as-is, none, selective or whole with options 'mode' and "
                "'reuse', which weigh memory against time themselves");
  if (chosen == "hybrid" && !isPlain())
    return fail("algorithm", "hybrid",
                "none of the options 'initial', 'polish', 'bound', 'tuning', "
                "'space', 'roles', 'mode=mini-time', "
                "'progress-svg', "
                "'recompute=selective' and 'whole': "
                "hybrid plans have a space and a search of their own");
  if (chosen == "frontier" && polish)
    return fail("polish", "true",
                "false with algorithm=frontier, whose result is a point of its "
                "frontier");
  FrontierPassOptions ofFrontier = frontierOptions();
  if (chosen == "hybrid")
    ofFrontier.mode.clear();
  return checkFrontierOptions(getOperation(), chosen, ofFrontier);
}

/// Fails before a search of hours whose result could not be written.
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
             << ", optcnn, placement, mesh, current, or a strategy file "
                "(*.json)";
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

FailureOr<SearchOutcome>
AutoParallel::search(const ::soap::ParallelizationProblem &problem,
                     std::vector<::soap::Strategy> strategies,
                     const SearchPhase &phase) {
  ::soap::McmcOptions options;
  options.seed = seed;
  options.seconds =
      timeLimit == 0 && proposals == 0 &&
              (!endsByItself(chosen) || (algorithm == "auto" && mode.empty()))
          ? defaultSeconds
          : timeLimit.getValue();
  options.proposals = proposals;
  // One device has one strategy.
  if (problem.getTopology().deviceCount() == 1)
    options.proposals = 1;
  tuned->apply(options);
  if (phase.seconds)
    options.seconds = *phase.seconds;
  if (phase.mates)
    options.mates = *phase.mates;
  options.further = phase.further;
  if (phase.from)
    options.initial = {*phase.from};
  options.threads = static_cast<int>(
      std::min(threads == 0 ? std::max(std::thread::hardware_concurrency(), 1u)
                            : threads.getValue(),
               1024u));
  options.stop = &InterruptScope::isInterrupted();
  InterruptScope scope;
  for (auto [name, strategy] : llvm::zip_equal(initial, strategies)) {
    // A search that goes on from a checkpoint has its starts already.
    if (strategy.empty() && !hasCheckpoint(checkpointFile))
      strategy = searchStart(name, problem, options);
    // Or it was interrupted before it had found anything.
    if (strategy.empty())
      continue;
    options.initial.push_back(std::move(strategy));
    options.initialNames.push_back(name);
  }
  bool hasProgress = false;
  if (llvm::sys::Process::StandardErrIsDisplayed())
    options.progress = [&](const ::soap::McmcProgress &progress) {
      hasProgress = true;
      // Clears what is left of a longer line.
      llvm::errs() << '\r' << ::soap::describeProgress(progress) << "\x1b[K";
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
      writeCheckpoint(getOperation(), checkpointFile,
                      ::soap::printMcmcCheckpoint(problem, options, state));
    };
  }
  FailureOr<SearchOutcome> outcome;
  if (chosen == "frontier")
    outcome = runFrontier(getOperation(), problem, options, frontierOptions());
  else
    outcome = runSearch(chosen, polish, problem, options);
  if (hasProgress)
    llvm::errs() << '\n';
  if (failed(outcome))
    return failure();
  if (!checkpointFile.empty() && !isCheckpointed)
    getOperation().emitWarning()
        << "option 'checkpoint=" << checkpointFile
        << "': nothing to go on from was written: the search ended before its "
           "chains began";
  if (bound) {
    ::soap::McmcResult &result = outcome->result;
    // Searches split no op into more pieces than devices unless a start does.
    int64_t pieces = ::soap::maxPieces(result.best);
    for (const ::soap::Strategy &start : options.initial)
      pieces = std::max(pieces, ::soap::maxPieces(start));
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
  return outcome;
}

/// The state that a former run has left, if there is one.
FailureOr<std::optional<::soap::McmcState>>
AutoParallel::readCheckpoint(const ::soap::ParallelizationProblem &problem,
                             const ::soap::McmcOptions &options) {
  FailureOr<std::optional<std::string>> text =
      mlir::soap::readCheckpoint(getOperation(), checkpointFile);
  if (failed(text))
    return failure();
  if (!*text)
    return std::optional<::soap::McmcState>();
  ::soap::Expected<::soap::McmcState> state =
      ::soap::parseMcmcCheckpoint(**text, checkpointFile, problem, options);
  if (!state)
    return getOperation().emitError() << state.error();
  for (const std::string &name : initial)
    // A start that is searched may be missing from the checkpoint.
    if (!isSearchedStart(name) &&
        !llvm::is_contained(state->initialNames, name))
      return getOperation().emitError()
             << "option 'initial=" << name << "': the search of '"
             << checkpointFile
             << "' has begun from other starts; expected one of "
             << llvm::join(state->initialNames, ", ");
  return std::optional<::soap::McmcState>(std::move(*state));
}

LogicalResult AutoParallel::writeFiles(const FunctionProblem &target,
                                       const SearchOutcome &outcome,
                                       const PlannedResult &planned) {
  ModuleOp module = getOperation();
  SearchReportOptions options;
  options.planned = planned;
  options.seed = seed;
  options.interrupted = InterruptScope::isInterrupted();
  options.hasBounds = tuned->simulator == "delta";
  if (!report.empty() &&
      failed(writeOptionFile(module, "report", report,
                             printSearchReport(target, outcome, options))))
    return failure();
  if (progressSvg.empty())
    return success();
  return writeOptionFile(
      module, "progress-svg", progressSvg,
      ::soap::drawProgress(outcome.result,
                           drawingTitle(module, target.topology.name)));
}

void AutoParallel::countStatistics(const ::soap::McmcResult &result) {
  const ::soap::EvaluatorStatistics &counts = result.statistics;
  addTo(numProposals, result.proposals);
  addTo(numAccepted, result.accepted);
  addTo(numPrunedByLoad, counts.prunedByLoad);
  addTo(numPrunedByTransfers, counts.prunedByTransfers);
  addTo(numPrunedByPlan, counts.prunedByPlan);
  addTo(numSimulatedTasks, counts.simulatedTasks);
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
  if (failed(startRecomputation(place)))
    return failure();
  auto opened =
      openProblem(module, place, profile, function, tuned->untied, executor);
  if (failed(opened))
    return failure();
  FunctionProblem &target = **opened;
  OpGraph &opGraph = target.opGraph;
  ::soap::ParallelizationProblem &problem = *target.problem;
  if (failed(checkPlacements(opGraph, target.topology.deviceCount())))
    return failure();
  if (const ::soap::Executor &by = target.topology.executor; !by.configs) {
    bool meshes = runsShardings(by);
    if (!llvm::is_contained({"auto", "hybrid"}, algorithm) &&
        !(meshes && algorithm == "mesh"))
      return module.emitError("option 'executor=")
             << by.name << "': it runs "
             << (meshes ? "hybrid plans and strategies of one mesh, expected "
                          "algorithm=mesh or hybrid"
                        : "hybrid plans alone, expected algorithm=hybrid");
    if (meshes && algorithm == "auto")
      chosen = hasManyDevices(target.topology) ? "hybrid" : "mesh";
    else
      chosen = meshes ? algorithm.getValue() : "hybrid";
    bool hasOthers =
        !initial.empty() || polish || !mode.empty() || !memoryLimit.empty() ||
        llvm::is_contained({"selective", "whole", "auto"}, recompute);
    if (chosen == "hybrid" ? !isPlain() : hasOthers)
      return module.emitError("option 'executor=")
             << by.name << "': expected no option of another search than "
             << "algorithm=" << chosen;
  }
  std::unique_ptr<::soap::HybridModel> hybrid;
  if (algorithm == "auto" && target.topology.executor.configs && isPlain()) {
    std::string why;
    hybrid = modelForHybrid(target, why);
    if (!hybrid && hasManyDevices(target.topology))
      target.function.emitRemark()
          << "hybrid plans are left out of the search: " << why;
  }
  if (hybrid && !hasManyDevices(target.topology) &&
      !hybrid->hasLongSequences()) {
    // Frontiers count devices here, and weigh memory against time themselves;
    // chains keep their state.
    if (mode.empty() && recompute != "auto" && checkpointFile.empty() &&
        proposals == 0)
      return runBoth(target, *hybrid);
    hybrid.reset();
  }
  if (hybrid || chosen == "hybrid") {
    HybridPassOptions options = {timeLimit,
                                 proposals,
                                 report,
                                 exportFile,
                                 summary,
                                 /*recompute=*/recompute != "none",
                                 mode,
                                 /*batch=*/0,
                                 checkpointFile,
                                 tuned->pauseAfter};
    if (!countsDevices())
      return runHybrid(target, std::move(hybrid), options);
    constexpr double secondsToCount = 20;
    if (options.seconds == 0 && options.prices == 0)
      options.seconds = secondsToCount;
    return countDevices(target, options);
  }
  std::vector<::soap::Strategy> strategies;
  if (failed(restrictSpace(problem)) ||
      failed(readInitial(opGraph, problem, strategies)))
    return failure();
  checkStarts(problem, strategies);

  LDBG() << "searching '" << target.function.getName() << "' by " << chosen
         << ": " << opGraph.ops.size() << " ops in "
         << problem.getGroups().size() << " groups on "
         << target.topology.deviceCount() << " devices, " << strategies.size()
         << " given starts";
  SearchReferences references;
  if (summary)
    references = priceReferences(target);
  FailureOr<SearchOutcome> found = search(problem, std::move(strategies));
  if (failed(found))
    return failure();
  if (auto misfit = found->report.getString("misfit"))
    module.emitWarning() << "algorithm=mesh: op '" << *misfit
                         << "' has a fixed config that no mesh of topology '"
                         << target.topology.name
                         << "' has: only presets were compared";
  // From here on the graph is that of the result.
  for (const ::soap::KeptValue &kept : found->keeps)
    ::soap::restoreValue(opGraph.graph, kept.value, kept.keep);
  if (recompute != "auto")
    return finish(target, *found, references);
  auto recomputed = recomputeResult(target, *found);
  return failure(failed(recomputed) ||
                 failed(finish(**recomputed, *found, references)));
}

/// Few devices and layers that repeat: hybrid plans first, which are over soon;
/// those that are strategies of the whole batch are starts of Markov chains;
/// then chains over single ops. The better of strategy and plan is taken.
LogicalResult AutoParallel::runBoth(FunctionProblem &target,
                                    ::soap::HybridModel &model) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  double limit = timeLimit == 0 ? defaultSeconds : timeLimit.getValue();
  auto left = [&] {
    constexpr double least = 1e-3;
    std::chrono::duration<double> spent = Clock::now() - begin;
    return std::max(limit - spent.count(), least);
  };
  SearchReferences references;
  if (summary)
    references = priceReferences(target);
  HybridPassOptions options = {timeLimit,
                               /*prices=*/0,
                               report,
                               exportFile,
                               summary,
                               /*recompute=*/recompute != "none",
                               mode};
  // Shares of the time. Where the whole batch does not fit as ZeRO holds it,
  // microbatches are what may.
  auto zero = ::soap::presetStrategy("zero", *target.problem);
  bool fits = zero && target.problem->evaluate(*zero).excessBytes == 0;
  const double ofPlans = fits ? 0.25 : 0.8;
  constexpr double ofGroups = 0.6;
  InterruptScope scope;
  ::soap::HierarchicalOptions ofSearch;
  ofSearch.seconds = ofPlans * limit;
  ofSearch.recompute = options.recompute;
  ofSearch.stop = &InterruptScope::isInterrupted();
  judgePlans(ofSearch, target.opGraph, target.topology, model);
  ::soap::StepFacts facts = stepFactsOf(target.opGraph);
  ::soap::OffloadSearch searched =
      ::soap::searchWithOffload(model, facts, ofSearch);
  ::soap::HierarchicalResult &plans = searched.result;
  ::soap::HybridModel &ofPlan =
      searched.usesOffload ? *searched.offloaded->model : model;
  SearchPhase phase;
  if (!InterruptScope::isInterrupted())
    phase.further = hybridStarts(target, model);
  phase.seconds = ofGroups * left();
  FailureOr<SearchOutcome> found = search(*target.problem, {}, phase);
  if (failed(found) || failed(changeOpByOp(target, left(), *found)))
    return failure();
  // A plan that the search had no time to simulate is priced within 5 %.
  const double margin = plans.best.isSimulated() ? 1 : 0.95;
  const ::soap::Evaluation &strategy = found->result.bestEvaluation;
  // Nothing fits: the message says the least that would do.
  if (plans.best.exists() && plans.best.excessBytes > 0 &&
      plans.best.excessBytes < strategy.excessBytes)
    return finishHybrid(target, ofPlan, plans, left, options);
  bool mayBeBetter = plans.best.exists() && plans.best.excessBytes == 0 &&
                     (strategy.excessBytes > 0 ||
                      margin * static_cast<double>(plans.best.makespanNs) <
                          static_cast<double>(strategy.makespanNs));
  if (mayBeBetter) {
    ::soap::Evaluation evaluation;
    evaluation.makespanNs = plans.best.makespanNs;
    bool isKnown = plans.best.isSimulated();
    if (!isKnown) {
      auto simulate =
          ::soap::simulatorOf(ofPlan, std::move(facts), target.topology);
      // At most a tenth of the limit beyond it, unless nothing else fits.
      constexpr double more = 1.1;
      auto secondsLeft = [&] {
        std::chrono::duration<double> spent = Clock::now() - begin;
        return strategy.excessBytes > 0
                   ? std::numeric_limits<double>::infinity()
                   : more * limit - spent.count();
      };
      if (auto simulated = simulate(plans.best, secondsLeft)) {
        ::soap::useSimulation(plans.best, std::move(*simulated),
                              ofPlan.getMemoryBytes());
        evaluation.makespanNs = plans.best.makespanNs;
        evaluation.excessBytes = plans.best.excessBytes;
        isKnown = true;
      }
    }
    if (isKnown && ::soap::isBetter(evaluation, strategy))
      return finishHybrid(target, ofPlan, plans, left, options);
    if (isKnown)
      found->report["hybrid_ns"] = evaluation.makespanNs;
  }
  if (plans.best.exists())
    found->report["hybrid_plan"] = ::soap::describe(plans.best);
  return finish(target, *found, references);
}

/// Goes on from the best strategy with a decision for each op, the same for ops
/// of repeated blocks first.
LogicalResult AutoParallel::changeOpByOp(const FunctionProblem &target,
                                         double seconds,
                                         SearchOutcome &outcome) {
  if (outcome.result.bestEvaluation.excessBytes > 0 ||
      InterruptScope::isInterrupted())
    return success();
  func::FuncOp function = target.function;
  auto byOp = openProblem(getOperation(), target.topology, function.getName(),
                          /*untied=*/true);
  if (failed(byOp))
    return failure();
  SearchPhase phase;
  phase.seconds = seconds;
  phase.from = &outcome.result.best;
  phase.mates = tuned->mates;
  FailureOr<SearchOutcome> found = search(*(*byOp)->problem, {}, phase);
  if (failed(found))
    return failure();
  outcome.report["before_ops_ns"] = outcome.result.bestEvaluation.makespanNs;
  appendSearch(outcome.result, std::move(found->result));
  return success();
}

/// Recomputation that is decided before the search.
LogicalResult AutoParallel::startRecomputation(StringRef place) {
  if (recompute == "as-is")
    return success();
  ModuleOp module = getOperation();
  FailureOr<func::FuncOp> chosen = chooseFunction(module, function);
  if (failed(chosen))
    return failure();
  dropRecomputation(*chosen);
  if (recompute != "selective" && recompute != "whole")
    return success();
  auto opened = openProblem(module, place, profile, function);
  return failure(
      failed(opened) ||
      failed(recomputeBlocks(**opened,
                             recompute == "whole" ? RecomputePolicy::Whole
                                                  : RecomputePolicy::Selective,
                             kSelectiveBudget)));
}

/// Takes the strategy that was found, or a usual way to split, with the least
/// recomputation that makes it fit.
FailureOr<std::unique_ptr<FunctionProblem>>
AutoParallel::recomputeResult(const FunctionProblem &target,
                              SearchOutcome &outcome) {
  ::soap::McmcResult &result = outcome.result;
  std::vector<::soap::Strategy> strategies = {result.best};
  if (result.bestEvaluation.excessBytes > 0)
    for (const char *name : {"data-parallel", "zero"})
      if (auto preset = ::soap::presetStrategy(name, *target.problem))
        strategies.push_back(std::move(*preset));
  FailureOr<RecomputedProblem> recomputed =
      recomputeBest(getOperation(), target, strategies, kSelectiveBudget);
  if (failed(recomputed))
    return failure();
  result.best = std::move(recomputed->strategy);
  result.bestEvaluation = recomputed->evaluation;
  if (recomputed->ops > 0) {
    func::FuncOp function = recomputed->target->function;
    function.emitRemark() << "'@" << function.getName() << "' recomputes "
                          << recomputed->ops << " ops of " << recomputed->blocks
                          << " of " << recomputed->ofBlocks
                          << " blocks, so that it fits into memory";
  }
  return std::move(recomputed->target);
}

LogicalResult AutoParallel::finish(FunctionProblem &target,
                                   const SearchOutcome &outcome,
                                   const SearchReferences &references) {
  ModuleOp module = getOperation();
  OpGraph &opGraph = target.opGraph;
  const ::soap::McmcResult &result = outcome.result;
  countStatistics(result);
  LDBG() << "best " << result.bestEvaluation.makespanNs << " ns, "
         << result.proposals << " proposals, " << result.accepted
         << " accepted, " << result.seconds << " s";
  PlannedResult planned;
  if (summary || !report.empty())
    planned = planResult(target, result.best);
  if (failed(writeFiles(target, outcome, planned)))
    return failure();
  if (result.bestEvaluation.excessBytes > 0)
    return target.function.emitError()
           << "'@" << target.function.getName()
           << "' does not fit into the memory of topology '"
           << target.topology.name << "': the best strategy found needs "
           << describeLack(target.topology, neededBytes(target, result.best))
           << "; expected devices with more 'memory_bytes', a smaller model or "
              "a longer search";
  if (summary)
    llvm::errs() << printSearchSummary(target, outcome, planned, references,
                                       InterruptScope::isInterrupted())
                 << '\n';
  emitSearchRemarks(target, result);
  if (failed(
          writeModuleStrategy(module, opGraph, result.best, target.topology)) ||
      failed(checkPrograms(module, target.topology)))
    return failure();
  if (exportFile.empty())
    return success();
  return exportStrategy(module, opGraph, result.best, target.topology,
                        exportFile);
}
