//===- PlannedPasses.cpp - A simulated iteration in microbatches ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PlannedPasses.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/Symmetry/PlannedPasses.h"

#include "Plan/PassReads.h"

using namespace soap;

PlannedPasses::~PlannedPasses() = default;

const PlanState &PlannedPasses::getPlan() const {
  if (quotient)
    return *quotient;
  return *whole;
}

Expected<std::unique_ptr<PlannedPasses>>
PlannedPasses::make(const Graph &graph, const Strategy &strategy,
                    const PassOrder &order, const Topology &topology,
                    bool foldOnly, const StopCheck &isOver, bool findsPath) {
  std::unique_ptr<PlannedPasses> made(
      new PlannedPasses(topology, graphOfPasses(graph, order)));
  Expected<Cluster> cluster = Cluster::of(topology);
  if (!cluster) {
    made->unfolded = cluster.error();
  } else {
    made->cluster = std::move(*cluster);
    made->quotient = std::make_unique<StageQuotient>(made->ofPasses, made->cost,
                                                     *made->cluster);
    StageQuotient &plan = *made->quotient;
    made->unfolded = plan.set(strategy, order, isOver);
    if (made->unfolded.empty()) {
      auto timeline = PassTimeline::make(plan, graph, order, plan.boxes(),
                                         isOver, findsPath);
      if (!timeline)
        return timeline.takeError();
      made->unfolded = plan.whyTimesDiffer(*timeline);
      made->timeline = std::move(*timeline);
    }
    if (made->unfolded.empty())
      return made;
    made->timeline.reset();
    made->quotient.reset();
  }
  if (isOver && isOver())
    return Error{stoppedMessage};
  if (foldOnly)
    return Error{"replicas of the stages may differ: " + made->unfolded};
  if (int64_t pieces = countPieces(strategy, order);
      pieces > maxPieces(PlanForm::Compact))
    return Error{std::to_string(order.microbatches) +
                 " microbatches of all ops are " + std::to_string(pieces) +
                 " pieces, expected at most " +
                 std::to_string(maxPieces(PlanForm::Compact)) +
                 " where replicas of the stages may differ: " + made->unfolded};
  made->whole = std::make_unique<StrategyPlan>(made->ofPasses, made->cost);
  made->whole->setRounds(roundsOfPasses(made->ofPasses, order));
  made->whole->set(cutIntoMicrobatches(strategy, order));
  auto timeline = PassTimeline::make(*made->whole, graph, order,
                                     boxesOf(*made->whole), isOver, findsPath);
  if (!timeline)
    return timeline.takeError();
  made->timeline = std::move(*timeline);
  return made;
}
