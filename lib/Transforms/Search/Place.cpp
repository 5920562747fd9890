//===- Place.cpp - Device placement of a module ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-place: the model as a placement problem, a solver, configs.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Report/PipelineReport.h"
#include "Transforms/Support/CheckedOptions.h"
#include "Transforms/Support/InterruptScope.h"
#include "Transforms/Support/OptionFile.h"
#include "Transforms/Support/ProgramCheck.h"
#include "Transforms/Support/StrategySupport.h"

#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Search/DevicePlacement/Files.h"
#include "Soap/Search/DevicePlacement/Model.h"
#include "Soap/Search/DevicePlacement/Throughput.h"
#include "Soap/Transforms/Passes.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/Format.h"

#include <cmath>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPPLACE
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

#define DEBUG_TYPE "soap-place"

using namespace mlir;
using namespace mlir::soap;
namespace placement = ::soap::placement;

namespace {

struct Place : CheckedOptions<mlir::soap::impl::SoapPlaceBase<Place>> {
  using CheckedOptions::CheckedOptions;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run();
  LogicalResult checkOptions();
  FailureOr<placement::Answer> solve(const placement::ModelProblem &model,
                                     ::soap::PipelineSchedule order);
  void printSummary(const placement::Answer &answer,
                    const placement::ModelProblem &model,
                    const FunctionProblem &target);
};

using Solver = placement::Answer (*)(const placement::Problem &,
                                     const placement::Objective &,
                                     const placement::Budget &);

/// The solvers of the library; all except local search give contiguous stages.
Solver findSolver(StringRef name) {
  if (name == "dp")
    return [](const placement::Problem &problem,
              const placement::Objective &objective,
              const placement::Budget &budget) {
      return placement::solveDp(problem, objective, budget);
    };
  if (name == "dpl")
    return placement::solveDpl;
  if (name == "greedy")
    return placement::solveGreedy;
  if (name == "pipedream")
    return placement::solvePipeDream;
  if (name == "local-search")
    return placement::searchLocally;
  return nullptr;
}

/// By node, the one whose gradient it computes, or which it computes again, -1:
/// none.
std::vector<int> forwardNodes(const OpGraph &opGraph) {
  llvm::StringMap<int> names;
  std::vector<int> result(opGraph.ops.size(), -1);
  for (auto [n, op] : llvm::enumerate(opGraph.ops)) {
    if (auto name = op->getAttrOfType<StringAttr>(SoapDialect::kName))
      names[name.getValue()] = static_cast<int>(n);
    auto origin = op->getAttrOfType<StringAttr>(SoapDialect::kGradOf);
    if (!origin)
      origin = op->getAttrOfType<StringAttr>(kRecomputeOf);
    if (origin)
      if (auto it = names.find(origin.getValue()); it != names.end())
        result[n] = it->second;
  }
  return result;
}

} // namespace

LogicalResult Place::checkOptions() {
  auto fail = [&](const char *option, const auto &value,
                  const char *expected) -> LogicalResult {
    return getOperation().emitError() << "option '" << option << "=" << value
                                      << "': expected " << expected;
  };
  if (objective != "throughput")
    return fail("objective", objective.getValue(),
                "throughput (for the latency of one sample see soap-solve)");
  if (!findSolver(algorithm))
    return fail("algorithm", algorithm.getValue(),
                "dp, dpl, greedy, pipedream or local-search");
  if (replication && (algorithm == "local-search" || algorithm == "greedy"))
    return fail("replication", "true", "dp, dpl or pipedream as the algorithm");
  auto found = ::soap::findSchedule(schedule);
  if (!found || *found == ::soap::PipelineSchedule::Overlapped)
    return fail("schedule", schedule.getValue(), "1f1b or gpipe");
  if (microbatches < 1)
    return fail("microbatches", microbatches.getValue(),
                "a number of at least 1");
  if (!(timeLimit > 0 && timeLimit <= 1e9))
    return fail("time-limit", optionNumber(timeLimit),
                "seconds above 0, up to 1e9");
  return success();
}

FailureOr<placement::Answer> Place::solve(const placement::ModelProblem &model,
                                          ::soap::PipelineSchedule order) {
  placement::Objective goal;
  // Links carry what a stage sends while it computes.
  goal.overlap = placement::Overlap::Full;
  goal.schedule = order == ::soap::PipelineSchedule::GPipe
                      ? placement::Schedule::GPipe
                      : placement::Schedule::OneForwardOneBackward;
  goal.contiguous = algorithm != "local-search";
  goal.replication = replication;
  if (replication) {
    goal.allReduceBytesPerTime = model.allReduceBytesPerTime;
  } else {
    goal.acceleratorsPerHost = model.acceleratorsPerHost;
    goal.insideHostFactor = model.insideHostFactor;
  }
  placement::Budget budget;
  budget.seconds = timeLimit;
  budget.stop = &InterruptScope::isInterrupted();
  placement::Answer answer = findSolver(algorithm)(model.problem, goal, budget);
  if (answer.placement)
    return answer;
  InFlightDiagnostic error =
      getOperation().emitError()
      << "the model does not fit on " << model.problem.accelerators
      << " devices of "
      << static_cast<int64_t>(model.problem.acceleratorMemoryBytes) << " bytes";
  if (answer.smallestMemoryBytes > 0 &&
      std::isfinite(answer.smallestMemoryBytes))
    error << "; with " << static_cast<int64_t>(answer.smallestMemoryBytes)
          << " bytes each it would";
  return error;
}

void Place::printSummary(const placement::Answer &answer,
                         const placement::ModelProblem &model,
                         const FunctionProblem &target) {
  llvm::errs() << llvm::format(
      "placement by %s on %s, %s of %lld microbatches: greatest load %.3f ms a "
      "microbatch, ",
      algorithm.c_str(), target.topology.name.c_str(), schedule.c_str(),
      static_cast<long long>(microbatches), answer.value);
  if (answer.optimal)
    llvm::errs() << "optimal";
  else
    llvm::errs() << llvm::format("at least %.3f ms is needed", answer.bound);
  int shared = 0;
  for (int count : answer.placement->replicas)
    shared = std::max(shared, count);
  if (shared > 1)
    llvm::errs() << llvm::format(", up to %d devices share a stage", shared);
  if (model.acceleratorsPerHost > 0 && !replication)
    llvm::errs() << llvm::format(
        ", machines of %d, in which transfers take %.4g times as long",
        model.acceleratorsPerHost, model.insideHostFactor);
  llvm::errs() << llvm::format(
      ", %.1f s%s\n", answer.seconds,
      InterruptScope::isInterrupted() ? ", interrupted: the best so far" : "");
}

LogicalResult Place::run() {
  ModuleOp module = getOperation();
  if (failed(checkOptions()))
    return failure();
  for (auto other : module.getOps<func::FuncOp>())
    dropKeeps(other);
  auto opened = openProblem(module, topology, profile, function);
  if (failed(opened))
    return failure();
  FunctionProblem &target = **opened;
  ::soap::PipelineSchedule order = *::soap::findSchedule(schedule);
  int64_t samples = samplesOfBatch(target);
  if (microbatches > samples)
    return module.emitError()
           << "option 'microbatches=" << microbatches.getValue()
           << "': expected at most the " << samples << " samples of a batch";
  ::soap::Expected<placement::ModelProblem> model = placement::makeModelProblem(
      *target.problem, forwardNodes(target.opGraph), microbatches, order);
  if (!model)
    return module.emitError() << "can not be placed: " << model.error();
  InterruptScope scope; // from here on there is something to go on with
  if (!instance.empty() &&
      failed(writeOptionFile(module, "instance", instance,
                             placement::printProblem(model->problem))))
    return failure();
  FailureOr<placement::Answer> answer = solve(*model, order);
  if (failed(answer))
    return failure();
  LDBG() << algorithm << ": load " << answer->value << " ms, bound "
         << answer->bound << " ms, " << answer->seconds << " s";
  ::soap::Expected<placement::ModelPlacement> placed = placement::placeModel(
      *target.problem, *model, answer->placement->deviceOf,
      answer->placement->replicas, microbatches);
  if (!placed)
    return module.emitError() << "can not be a pipeline: " << placed.error();
  if (summary)
    printSummary(*answer, *model, target);
  ::soap::Strategy strategy;
  for (auto [n, node] : llvm::enumerate(target.opGraph.graph.nodes)) {
    ::soap::Config &config = strategy.emplace_back();
    config.degrees.assign(node.whole.space.loops.size(), 1);
    int first = placed->deviceOf[n], replicas = 1;
    // Ops that run once run on all devices that share their stage.
    if (!placed->replicas.empty() &&
        (node.whole.phase == ::soap::Phase::Update ||
         ::soap::sampleLoopOf(node.whole.space, target.problem->getRoles()[n]) <
             0))
      replicas = placed->replicas[static_cast<size_t>(first)];
    config.replicas = replicas;
    for (int r = 0; r < replicas; ++r)
      config.devices.push_back(first + r);
  }
  SmallVector<int64_t> replicas(placed->replicas.begin(),
                                placed->replicas.end());
  ModulePipeline pipeline = {
      PipelineAttr::get(module.getContext(), microbatches,
                        *symbolizePipelineSchedule(schedule), replicas),
      {}};
  return failure(failed(writeModuleStrategy(module, target.opGraph, strategy,
                                            target.topology, &pipeline)) ||
                 failed(checkPrograms(module, target.topology)));
}
