//===- SimulationBudget.h - What a simulation may take ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which form a plan has follows from one budget of bytes and seconds, and from
// what a piece of each form takes. Machine-independent: the same plan is
// simulated in the same way everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PLAN_SIMULATIONBUDGET_H
#define SOAP_PLAN_SIMULATIONBUDGET_H

#include <cstdint>

namespace soap {

/// How a plan is held while it is simulated.
enum class PlanForm {
  Written, ///< all its tasks, as `buildPlan` and `buildPipelinePlan` make them
  Compact, ///< StrategyPlan.h, TaskTable.h
  Replica, ///< one replica of each stage for all, StageQuotient.h
};

struct SimulationBudget {
  /// Of a plan and its simulation.
  int64_t bytes = 6'000'000'000;
  /// Of a check, or of a comparison, beside the main work.
  double seconds = 0.5;
};
inline constexpr SimulationBudget simulationBudget;

/// The most pieces of ops that a plan may have by the bytes of the budget:
/// 4,000,000 written out, 20,000,000 in a compact plan, 40,000,000 of one
/// replica of each stage.
constexpr int64_t maxPieces(PlanForm form) {
  int64_t bytesPerPiece = form == PlanForm::Written   ? 1500
                          : form == PlanForm::Compact ? 300
                                                      : 150;
  return simulationBudget.bytes / bytesPerPiece;
}

/// About how many pieces are planned and simulated in so many seconds. The
/// default: 50,000 written out, 200,000 in a compact plan.
constexpr double piecesIn(PlanForm form,
                          double seconds = simulationBudget.seconds) {
  return seconds * (form == PlanForm::Written ? 100'000 : 400'000);
}

} // namespace soap

#endif // SOAP_PLAN_SIMULATIONBUDGET_H
