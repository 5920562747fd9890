//===- SearchAlgorithms.cpp - Algorithms of soap-auto-parallel ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SearchAlgorithms.h.
//
//===----------------------------------------------------------------------===//

#include "SearchAlgorithms.h"

#include "Soap/Search/Annealing/PlacementSearch.h"
#include "Soap/Search/Exact/Exact.h"
#include "Soap/Search/MCMC/Polish.h"
#include "Soap/Search/Mesh/MeshSearch.h"
#include "Soap/Search/OptCnn/OptCnn.h"
#include "Soap/Search/Presets/FewerDevices.h"
#include "Soap/Search/Presets/Presets.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <chrono>

using namespace mlir::soap;

llvm::ArrayRef<llvm::StringRef> mlir::soap::searchAlgorithms() {
  static constexpr llvm::StringRef names[] = {"mcmc",      "polish", "optcnn",
                                              "placement", "exact",  "frontier",
                                              "mesh",      "hybrid"};
  return names;
}

bool mlir::soap::endsByItself(llvm::StringRef algorithm) {
  return algorithm != "mcmc";
}

bool mlir::soap::runsShardings(const ::soap::Executor &executor) {
  return (executor.base.empty() ? executor.name : executor.base) == "jax";
}

static void startFromPresets(const ::soap::ParallelizationProblem &problem,
                             ::soap::SearchBudget &budget) {
  if (!budget.initial.empty())
    return;
  budget.initialNames.clear();
  for (auto &[name, strategy] : ::soap::presetStartsOnAnyDevices(problem)) {
    budget.initialNames.push_back(name);
    budget.initial.push_back(std::move(strategy));
  }
}

static void describe(const ::soap::PolishResult &polished,
                     llvm::json::Object &report) {
  report["locally_optimal"] = polished.locallyOptimal;
  report["alternatives"] = polished.alternatives;
  report["all_device_lists"] = polished.allDeviceLists;
}

void mlir::soap::appendSearch(::soap::McmcResult &first,
                              ::soap::McmcResult &&second) {
  for (::soap::McmcPoint point : second.curve) {
    point.seconds += first.seconds;
    point.proposals += first.proposals;
    first.curve.push_back(point);
  }
  first.best = std::move(second.best);
  first.bestEvaluation = second.bestEvaluation;
  first.proposals += second.proposals;
  first.accepted += second.accepted;
  first.seconds += second.seconds;
  first.statistics += second.statistics;
}

/// Polishes what a search has found with what is left of its budget.
static void polishFound(const ::soap::ParallelizationProblem &problem,
                        const ::soap::McmcOptions &options,
                        SearchOutcome &outcome) {
  ::soap::McmcResult &first = outcome.result;
  auto budget = budgetOf<::soap::PolishOptions>(options);
  // At least one proposal or a millisecond: no budget would be none.
  if (budget.proposals > 0)
    budget.proposals = std::max<int64_t>(budget.proposals - first.proposals, 1);
  if (budget.seconds > 0)
    budget.seconds = std::max(budget.seconds - first.seconds, 1e-3);
  budget.initial = {first.best};
  budget.initialNames.clear();
  ::soap::PolishResult polished = ::soap::searchPolish(problem, budget);
  describe(polished, outcome.report);
  outcome.report["before_polish_ns"] = first.bestEvaluation.makespanNs;
  appendSearch(first, std::move(polished.search));
}

static SearchOutcome runAlone(llvm::StringRef algorithm,
                              const ::soap::ParallelizationProblem &problem,
                              const ::soap::McmcOptions &options) {
  SearchOutcome outcome;
  if (algorithm == "polish") {
    auto budget = budgetOf<::soap::PolishOptions>(options);
    startFromPresets(problem, budget);
    ::soap::PolishResult found = ::soap::searchPolish(problem, budget);
    describe(found, outcome.report);
    outcome.result = std::move(found.search);
  } else if (algorithm == "optcnn") {
    ::soap::OptCnnResult found =
        ::soap::searchOptCnn(problem, budgetOf<::soap::OptCnnOptions>(options));
    if (!found.found.empty()) {
      outcome.report["found_ns"] = found.foundEvaluation.makespanNs;
      outcome.report["estimate_ns"] = found.estimateNs;
    }
    outcome.report["minimal"] = found.minimal;
    outcome.result = std::move(found.search);
  } else if (algorithm == "placement") {
    auto budget = budgetOf<::soap::PlacementOptions>(options);
    budget.seed = options.seed;
    ::soap::PlacementResult found = ::soap::searchPlacement(problem, budget);
    outcome.report["found_ns"] = found.foundEvaluation.makespanNs;
    outcome.report["locally_optimal"] = found.locallyOptimal;
    outcome.result = std::move(found.search);
  } else if (algorithm == "exact") {
    auto budget = budgetOf<::soap::ExactOptions>(options);
    budget.seed = options.seed;
    startFromPresets(problem, budget);
    ::soap::ExactResult found = ::soap::searchExact(problem, budget);
    outcome.report["space_size"] = found.spaceSize;
    outcome.report["root_bound_ns"] = found.rootBoundNs;
    outcome.report["nodes"] = found.nodes;
    outcome.report["leaves"] = found.leaves;
    outcome.report["symmetries"] = found.symmetries;
    outcome.result = std::move(found.search);
  } else if (algorithm == "mesh") {
    auto budget = budgetOf<::soap::MeshOptions>(options);
    // Where every op decides alone, so do repeated blocks.
    budget.untied =
        llvm::all_of(problem.getGroups(), [](const ::soap::OpGroup &group) {
          return group.nodes.size() == 1;
        });
    budget.shardings = runsShardings(problem.getTopology().executor);
    ::soap::MeshResult found = ::soap::searchMesh(problem, budget);
    outcome.report["mesh"] = found.mesh;
    outcome.report["cuts_updates"] = found.cutsUpdates;
    outcome.report["decisions"] = found.decisions;
    outcome.report["priced_by_quotient"] = found.folded;
    outcome.report["priced_unfolded"] = found.unfolded;
    llvm::json::Object reasons;
    for (const auto &[reason, count] : found.reasons)
      reasons[reason] = count;
    outcome.report["unfolded_because"] = std::move(reasons);
    if (found.misfit >= 0)
      outcome.report["misfit"] =
          problem.getGraph().nodes[found.misfit].whole.name;
    outcome.result = std::move(found.search);
  } else {
    outcome.result = ::soap::searchMcmc(problem, options);
  }
  return outcome;
}

SearchOutcome
mlir::soap::runSearch(llvm::StringRef algorithm, bool polish,
                      const ::soap::ParallelizationProblem &problem,
                      const ::soap::McmcOptions &options) {
  SearchOutcome outcome = runAlone(algorithm, problem, options);
  if (polish && algorithm != "polish")
    polishFound(problem, options, outcome);
  outcome.report["algorithm"] = algorithm;
  if (const ::soap::Executor &by = problem.getTopology().executor;
      !by.isDefault())
    outcome.report["executor"] = by.name;
  return outcome;
}

bool mlir::soap::isSearchedStart(llvm::StringRef name) {
  return name == "optcnn" || name == "placement" || name == "mesh";
}

::soap::Strategy
mlir::soap::searchStart(llvm::StringRef name,
                        const ::soap::ParallelizationProblem &problem,
                        ::soap::McmcOptions &options) {
  using Clock = std::chrono::steady_clock;
  auto begin = Clock::now();
  ::soap::McmcOptions own = options;
  own.initial.clear();
  own.initialNames.clear();
  // The others end soon by themselves.
  own.seconds = name == "mesh" ? options.seconds / 2 : 0;
  own.proposals = 0;
  SearchOutcome outcome = runAlone(name, problem, own);
  constexpr double least = 1e-3;
  if (options.seconds > 0)
    options.seconds = std::max(
        least, options.seconds -
                   std::chrono::duration<double>(Clock::now() - begin).count());
  return std::move(outcome.result.best);
}
