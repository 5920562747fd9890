//===- PassDelays.h - Waits of recomputed ops and gathers -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks of a compact plan wait for others of which they read nothing, for the
// order of passes: recomputed ops for a gradient of their microbatch, gathers
// of weights for memory. PassOrder.cpp has the same rules.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_MESH_PASSDELAYS_H
#define SOAP_LIB_MESH_PASSDELAYS_H

#include "PassTasks.h"

#include <utility>

namespace soap {

class PassDelays {
public:
  /// Finds all of them. `graph` is the one whose `graphOfPasses` is planned;
  /// the passes of all tasks are known. `followers`: by kernel task, the first
  /// kernel of its pass and device that reads what it writes, -1: none; empty
  /// if no weights are gathered.
  PassDelays(const PassTasks &tasks, const Graph &graph,
             const std::vector<int32_t> &followers);

  /// A movement that waits for the beginning of a pass on a device.
  struct Opening {
    int device = 0;
    int32_t pass = 0; ///< code
    uint32_t task = 0;
  };

  /// A task, and one that waits for it.
  std::vector<std::pair<uint32_t, uint32_t>> waits;
  std::vector<Opening> openings;

private:
  const PassTasks &tasks;
  const PlanState &plan;
  const PassOrder &passes;
  const Graph &graph;
  const std::vector<int32_t> &followers;

  /// By node that is waited for: its tasks, by device and microbatch.
  std::vector<std::vector<std::pair<int64_t, uint32_t>>> computed;

  /// A task that moves a weight.
  struct Movement {
    int value = -1, index = 0;
    uint32_t task = 0;
    bool reads = false;            ///< what the update has left
    std::vector<uint32_t> kernels; ///< that it is for
    /// Devices that it writes on, ascending, and how many bytes.
    std::vector<std::pair<int, int64_t>> written;
    int64_t bytesOn(int device) const;
  };
  /// A kernel that reads a weight which a movement brings to its device.
  struct Reading {
    int device = 0;
    size_t place = 0; ///< of the pass in the order of the device
    int value = 0, node = 0;
    uint32_t kernel = 0;
    size_t movement = 0;
    auto operator<=>(const Reading &) const = default;
  };
  /// A weight that a device gathers for a pass.
  struct Gather {
    size_t place = 0;
    int node = 0; ///< the first one that reads it, and its kernels
    std::vector<uint32_t> readers, starts;
    int64_t bytes = 0;
  };

  int64_t placeOf(int device, int64_t microbatch) const {
    return device * passes.microbatches + microbatch;
  }
  bool waitFor(const std::vector<int> &triggers, int device,
               const PipelinePass &pass, size_t task);
  void delayRecomputed();
  void delayMovements();
  template <typename Visit>
  void forEachStep(int value, Visit visit) const;
  void delayGathers();
  std::vector<Movement> findMovements() const;
  void countBytes(Movement &movement) const;
  void delayGathers(const std::vector<Gather> &gathers);
};

} // namespace soap

#endif // SOAP_LIB_MESH_PASSDELAYS_H
