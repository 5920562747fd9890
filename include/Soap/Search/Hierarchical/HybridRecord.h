//===- HybridRecord.h - Bounds, prices and simulations kept -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that takes time in a search over hybrid plans: bounds and prices of
// shapes, and simulations of plans. A search that finds these in a record does
// not work them out again. All else follows from them, so a search that was
// stopped anywhere goes on as if it had not been.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_HIERARCHICAL_HYBRIDRECORD_H
#define SOAP_SEARCH_HIERARCHICAL_HYBRIDRECORD_H

#include "Soap/Search/Hierarchical/HybridPlan.h"

#include <functional>
#include <limits>
#include <list>
#include <optional>

namespace soap {

/// How a simulator has judged a plan.
struct HybridJudgement {
  std::optional<HybridSimulation> simulated;
  /// Why it cannot be simulated.
  std::string error;
  /// The time that it took, and the time that was left when it began: with more
  /// time, one with an error may be simulated.
  double seconds = 0, secondsLeft = std::numeric_limits<double>::infinity();
};

/// The price of a shape.
struct HybridPrice {
  HybridShape shape;
  int64_t fitBytes = 0; ///< as of `HybridModel::price`
  HybridPlan plan;      ///< does not exist: the shape has no plan
  std::optional<HybridJudgement> judged;
};

/// Of one search.
struct HybridPart {
  std::string name;
  double seconds = 0; ///< in all runs
  std::vector<std::pair<HybridShape, int64_t>> bounds;
  std::vector<HybridPrice> prices;
};

/// Of the searches of a run: with and without states of the optimizer in host
/// memory.
struct HybridRecord {
  std::list<HybridPart> parts; ///< references to them stay valid

  /// Called every `writeSeconds`, and at the end of each search.
  std::function<void(const HybridRecord &)> write;
  double writeSeconds = 20;
  /// Stops after so many prices and simulations of this run, as an interrupt;
  /// 0: does not.
  int64_t pauseAfter = 0;
  /// Prices and simulations of this run.
  int64_t steps = 0;

  bool isPaused() const { return pauseAfter > 0 && steps >= pauseAfter; }
  HybridPart &part(const std::string &name);
};

} // namespace soap

#endif // SOAP_SEARCH_HIERARCHICAL_HYBRIDRECORD_H
