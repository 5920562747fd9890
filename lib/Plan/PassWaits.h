//===- PassWaits.h - What passes of a pipeline wait for ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules by which tasks of an iteration in microbatches wait for others of
// which they read nothing (docs/Pipeline.md). There is no other copy: plans
// that are written out and timelines of compact plans have their waits from
// here.
//
//  - Each device does its passes one after the other. Of each pass on a device
//    the last kernels are those that no other kernel of the pass on the device
//    reads, directly or through movements; the first are those that read none.
//    The first of a pass wait for the last of the pass before, so inside of a
//    pass kernels start as they get ready. One *join* stands for all pairs.
//    Where passes overlap, two of them begin and end at the same joins.
//  - Recomputed ops wait for the gradient of their microbatch that their first
//    reader needs; where another stage computes it, they are first.
//  - Weights that passes gather come in the order in which they are read, as
//    memory for two of them allows (PassGathers.cpp).
//  - Where receivers copy messages, one of another pass comes right before the
//    kernel that reads it, and sums of what a pass has computed are among its
//    last tasks (PassReceives.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_PLAN_PASSWAITS_H
#define SOAP_LIB_PLAN_PASSWAITS_H

#include "Soap/Plan/TaskTable.h"

#include <utility>

namespace soap {

class PassWaits {
public:
  /// Finds all waits of a table. `graph` is the one whose `graphOfPasses` is
  /// planned. Clears `isFirst` and `isLast` of tasks that begin or end a pass
  /// through others.
  PassWaits(TaskTable &table, const Graph &graph);

  /// Where a pass of a device ends and its next one begins: all of `first` wait
  /// for all of `last`. Neither is empty.
  struct Join {
    std::vector<uint32_t> last, first;
  };

  /// A task, and one that waits for it: without joins, ascending.
  std::vector<std::pair<uint32_t, uint32_t>> waits;
  std::vector<Join> joins;

private:
  TaskTable &table;
  const PlanState &plan;
  const PassOrder &passes;
  const Graph &graph;

  /// A movement with which a pass of a device begins, or a sum that ends it.
  struct PassEnd {
    int device = 0;
    int32_t pass = 0; ///< code
    uint32_t task = 0;
  };
  std::vector<PassEnd> openings, closings;

  /// By device, by code of a pass: its place in the order, -1: none. Made for
  /// devices that are asked for.
  std::vector<std::vector<int32_t>> places;
  const std::vector<int32_t> &placesOn(int device);

  // PassWaits.cpp
  /// By node that is waited for: its tasks, by device and microbatch.
  std::vector<std::vector<std::pair<int64_t, uint32_t>>> computed;
  int64_t placeOf(int device, int64_t microbatch) const {
    return device * passes.microbatches + microbatch;
  }
  bool waitFor(const std::vector<int> &triggers, int device,
               const PipelinePass &pass, size_t task);
  void delayRecomputed();
  void delayMovements();
  void makeJoins();

  // PassGathers.cpp
  struct WeightMovement;
  struct Gather;
  void delayGathers();
  std::vector<WeightMovement> findWeightMovements() const;
  void delayGathersOfDevice(const std::vector<Gather> &gathers);

  // PassReceives.cpp
  struct Movement;
  void placeMovements();
  std::vector<Movement> findMovements();
  void delayMessages(const std::vector<Movement> &movements);
  std::vector<bool> findDelayed() const;
  void closePasses(const std::vector<Movement> &movements);
};

} // namespace soap

#endif // SOAP_LIB_PLAN_PASSWAITS_H
