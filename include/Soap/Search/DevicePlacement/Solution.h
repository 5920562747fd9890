//===- Solution.h - Placements, their loads and their verifier --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A solution of the device placement problem, and its verifier: loads, memory
// and latency are computed from the original nodes alone, without a data
// structure of any solver.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_DEVICEPLACEMENT_SOLUTION_H
#define SOAP_SEARCH_DEVICEPLACEMENT_SOLUTION_H

#include "Soap/Search/DevicePlacement/Objective.h"

namespace soap::placement {

struct Placement {
  /// Per node, its device: accelerators first, then CPUs.
  std::vector<int> deviceOf;
  /// Per device, how many accelerators share its stage; empty: 1 each. The sum
  /// over accelerators in use is at most `Problem::accelerators`.
  std::vector<int> replicas;

  int replicasOf(int device) const {
    return replicas.empty() ? 1 : replicas[device];
  }
};

/// The loads of a placement.
struct Evaluation {
  std::vector<StageLoad> loads; ///< per device
  StageLoad worst;              ///< the greatest of each part
  double maxLoad() const { return worst.total(); }
};

/// The costs of each device, before replication.
std::vector<StageCosts> deviceCosts(const Problem &problem,
                                    const Objective &objective,
                                    const Placement &placement);

/// The transfer time of the output of `node` on an accelerator that has or
/// reads it; `net` lists all such devices.
double transferTimeOn(const Problem &problem, const Objective &objective,
                      const std::vector<int> &net, int device,
                      const Placement &placement, int node);

/// Per node, the devices that have or read its output, sorted; none where all
/// of that is one device.
std::vector<std::vector<int>> devicesOfNets(const Problem &problem,
                                            const Placement &placement);

/// The loads of a placement that obeys the rules: each node on one device that
/// can compute it, classes together, memory of accelerators, replicas,
/// contiguity if the objective asks for it. Otherwise which rule it breaks, by
/// the nodes' identifiers. The problem must have passed `check`.
Expected<Evaluation> verify(const Problem &problem, const Objective &objective,
                            const Placement &placement);

/// A stage of the pipeline of section 5.2: a virtual device, nodes that a
/// device computes in one go. All edges go from a stage to itself or to a later
/// one.
struct PipelineStage {
  int device = 0;
  std::vector<int> nodes; ///< in an order in which they can be computed
};

/// Splits a placement's devices, contiguous or not, into few stages that can be
/// ordered: all stages of a device together take its load, whatever their
/// number, so a sample can leave the pipeline each round (RoundSchedule.h says
/// how). `apart`: no stage has nodes of both passes.
std::vector<PipelineStage> pipelineStages(const Problem &problem,
                                          const Placement &placement,
                                          bool apart = false);

/// That the stages hold each node once, on its device, in an order that the
/// edges allow.
MaybeError verifyPipeline(const Problem &problem, const Placement &placement,
                          const std::vector<PipelineStage> &stages);

/// The answer of a solver.
struct Answer {
  /// Absent only where the problem is infeasible.
  std::optional<Placement> placement;
  /// The maximum load, verified; infinite without a placement.
  double value = 0;
  /// No placement that the objective allows has a smaller value.
  double bound = 0;
  /// `value` is `bound`, up to rounding.
  bool optimal = false;
  double seconds = 0;
  /// Without a placement: memory of accelerators, in bytes, from which on there
  /// is one, and a memory below which there is none; the same where it is known
  /// exactly. Infinite where no memory would do.
  double smallestMemoryBytes = 0, smallestMemoryBound = 0;
};

} // namespace soap::placement

#endif // SOAP_SEARCH_DEVICEPLACEMENT_SOLUTION_H
