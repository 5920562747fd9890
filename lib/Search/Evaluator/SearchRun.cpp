//===- SearchRun.cpp - Budget, best so far, progress of a search ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SearchRun.h.
//
//===----------------------------------------------------------------------===//

#include "SearchRun.h"

#include "Soap/Search/Evaluator/StrategyEvaluator.h"
#include "Soap/Search/Presets/Presets.h"

#include <algorithm>

using namespace soap;

bool SearchRun::isOver() const {
  return (budget.stop && budget.stop->load(std::memory_order_relaxed)) ||
         (budget.proposals > 0 && result.proposals >= budget.proposals) ||
         (budget.seconds > 0 && elapsed() >= budget.seconds);
}

void SearchRun::countProposal() {
  ++result.proposals;
  reportProgress();
}

void SearchRun::reportProgress() {
  if (!budget.progress ||
      Clock::now() - lastReport < std::chrono::milliseconds(500))
    return;
  lastReport = Clock::now();
  double time = elapsed();
  McmcProgress progress;
  progress.proposals = result.proposals;
  progress.proposalsPerSecond = static_cast<double>(result.proposals) / time;
  progress.bestNs = result.bestEvaluation.makespanNs;
  progress.excessBytes = result.bestEvaluation.excessBytes;
  progress.secondsLeft =
      budget.seconds > 0 ? std::max(budget.seconds - time, 0.0) : 0;
  budget.progress(progress);
}

bool SearchRun::offer(const Strategy &strategy, const Evaluation &evaluation) {
  if (!result.best.empty() && !isBetter(evaluation, result.bestEvaluation))
    return false;
  result.best = strategy;
  result.bestEvaluation = evaluation;
  if (evaluation.excessBytes == 0)
    result.curve.push_back(
        {elapsed(), result.proposals, evaluation.makespanNs});
  return true;
}

void SearchRun::offerStarts(const ParallelizationProblem &problem) {
  // Starts have much in common that is found out once.
  StrategyEvaluator evaluator(problem);
  auto add = [&](const std::string &name, Strategy strategy) {
    problem.keepFixed(strategy);
    Evaluation evaluation = evaluator.start(strategy);
    result.initialNames.push_back(name);
    result.initialNs.push_back(evaluation.makespanNs);
    offer(strategy, evaluation);
  };
  // The first in any case: there has to be a result.
  for (size_t i = 0; i < budget.initial.size() && (i == 0 || !isOver()); ++i)
    add(i < budget.initialNames.size() ? budget.initialNames[i]
                                       : "initial" + std::to_string(i),
        budget.initial[i]);
  if (budget.initial.empty())
    add("data-parallel", dataParallelStrategy(problem));
}

void SearchRun::finish(const EvaluatorStatistics &statistics) {
  result.statistics = statistics;
  result.seconds = elapsed();
  if (!result.best.empty() && result.bestEvaluation.excessBytes == 0)
    result.curve.push_back(
        {result.seconds, result.proposals, result.bestEvaluation.makespanNs});
}
