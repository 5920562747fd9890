//===- PlannedPasses.h - A simulated iteration in microbatches --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan and the timeline of an iteration in microbatches that is too large
// to be written out: one replica of each stage for all (StageQuotient.h) where
// replicas do the same, or the compact plan of all devices.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MESH_SYMMETRY_PLANNEDPASSES_H
#define SOAP_MESH_SYMMETRY_PLANNEDPASSES_H

#include "Soap/Mesh/PassTimeline.h"
#include "Soap/Mesh/Symmetry/StageQuotient.h"
#include "Soap/Plan/StrategyPlan.h"

#include <memory>
#include <optional>
#include <string>

namespace soap {

/// The plan of configs of one microbatch: of one replica of each stage, or of
/// all devices.
class PlannedPasses {
public:
  /// Keeps references. `foldOnly`: an error says why replicas may differ; else
  /// all devices are planned then, if their pieces are not too many. An error
  /// says why the passes do not run so. `isOver`: null, or ends it with an
  /// error. `findsPath`: the critical path is looked for.
  static Expected<std::unique_ptr<PlannedPasses>>
  make(const Graph &graph, const Strategy &strategy, const PassOrder &order,
       const Topology &topology, bool foldOnly, const StopCheck &isOver = {},
       bool findsPath = false);
  ~PlannedPasses();

  const PlanState &getPlan() const;
  /// Null: all devices are planned.
  const StageQuotient *getQuotient() const { return quotient.get(); }
  const PassTimeline &getTimeline() const { return *timeline; }
  /// Why all devices are planned; empty: one replica of each stage is.
  const std::string &whyUnfolded() const { return unfolded; }

private:
  PlannedPasses(const Topology &topology, Graph graph)
      : ofPasses(std::move(graph)), cost(topology) {}

  Graph ofPasses; ///< `graphOfPasses`
  CostModel cost;
  std::optional<Cluster> cluster;
  std::unique_ptr<StageQuotient> quotient;
  std::unique_ptr<StrategyPlan> whole;
  std::optional<PassTimeline> timeline;
  std::string unfolded;
};

} // namespace soap

#endif // SOAP_MESH_SYMMETRY_PLANNEDPASSES_H
