//===- RecordedModel.h - A model and its record -----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of hybrid plans that answers from a record where it can, and adds
// what it works out.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_HIERARCHICAL_RECORDEDMODEL_H
#define SOAP_LIB_SEARCH_HIERARCHICAL_RECORDEDMODEL_H

#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

#include <array>
#include <chrono>
#include <map>

namespace soap {

/// Of one search, which begins when it is made.
class RecordedModel {
public:
  /// Keeps references.
  RecordedModel(HybridModel &model, const HierarchicalOptions &options);

  /// Whether the bound is in the record.
  bool isBounded(const HybridShape &shape) const {
    return boundOf.contains(keyOf(shape));
  }
  int64_t boundNs(const HybridShape &shape);
  /// Whether the price is in the record.
  bool isPriced(const HybridShape &shape) const {
    return priceOf.contains({keyOf(shape), 0});
  }
  HybridPlan price(const HybridShape &shape, int64_t fitBytes = 0);
  /// Whether a simulation of the plan, or an error that more time would not
  /// change, is in the record.
  bool isJudged(const HybridPlan &plan, double secondsLeft) const;
  /// Simulates a plan. An empty error: the time was over.
  HybridJudgement simulate(const HybridPlan &plan,
                           const SecondsLeft &secondsLeft);

  /// In all runs.
  double seconds() const;
  bool isStopped() const { return soap::isStopped(options); }
  void write();

private:
  using Clock = std::chrono::steady_clock;
  using Key = std::array<int64_t, 11>;
  static Key keyOf(const HybridShape &shape);

  HybridModel &model;
  const HierarchicalOptions &options;
  HybridRecord own; ///< where the options have none
  HybridRecord &record;
  HybridPart &part;
  double secondsBefore;
  Clock::time_point begin = Clock::now(), written = begin;
  std::map<Key, int64_t> boundOf;
  std::map<std::pair<Key, int64_t>, size_t> priceOf; ///< index, by fit bytes

  const HybridPrice *find(const HybridPlan &plan) const;
  void writeSometimes();
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_HIERARCHICAL_RECORDEDMODEL_H
