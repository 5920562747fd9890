//===- RoundSchedule.h - When a pipeline's devices do what ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule of a pipeline for a placement (Tarnawski et al., 2020, section
// 5.2): rounds as long as the greatest load, in each of which every stage
// (virtual device) works on one sample. With it a placement that is not
// contiguous reaches its greatest load, too.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_DEVICEPLACEMENT_ROUNDSCHEDULE_H
#define SOAP_SEARCH_DEVICEPLACEMENT_ROUNDSCHEDULE_H

#include "Soap/Search/DevicePlacement/Solution.h"

namespace soap::placement {

/// A task that a device runs once for each sample. Times are for sample 0;
/// sample n comes n periods later.
struct RoundTask {
  enum Kind {
    Compute, ///< the nodes of the stage
    Write,   ///< to the host: the outputs of the stage that leave its device
    Read,    ///< from the host: the outputs of the stage that the device reads
  };
  Kind kind = Compute;
  int device = 0;
  int stage = 0; ///< an index into the stages
  double begin = 0, end = 0;
};

/// A device does one thing at a time; with `Overlap::Full` it computes and
/// transfers at a time. Of r replicas of a device, each takes every r-th
/// sample, and all of them begin each round with the all-reduce of one sample
/// (Objective.h): a task that reaches into it goes on after it.
struct RoundSchedule {
  /// Length of a round, the greatest load.
  double period = 0;
  /// With GPipe, whose backward passes come after all forward passes and have a
  /// time of their own: the length of a backward round (`period`: of a forward
  /// round). Tasks count where their stage is; 0 otherwise.
  double backwardPeriod = 0;
  std::vector<RoundTask> tasks;
};

/// The schedule of stages that `pipelineStages` made (with GPipe: of passes
/// apart) of a placement that `verify` accepts. Tasks of a device follow each
/// other on the circle of a round, in the order of the stages, so that they fit
/// whatever their number; what is left of the round is where waiting gets less.
/// Each begins in the first round in which what it needs is there.
RoundSchedule scheduleRounds(const Problem &problem, const Objective &objective,
                             const Placement &placement,
                             const std::vector<PipelineStage> &stages);

/// Checks a schedule against the original nodes and edges: stages as in
/// `verifyPipeline`, each task there once and as long as its nodes and
/// transfers take, nothing before what it reads, no device with two tasks at a
/// time in any round, and periods that are the greatest load.
MaybeError verifySchedule(const Problem &problem, const Objective &objective,
                          const Placement &placement,
                          const std::vector<PipelineStage> &stages,
                          const RoundSchedule &schedule);

/// The schedule as a text of a line per device: what it does in a round in the
/// steady state, and for which sample.
std::string showSchedule(const Problem &problem, const Placement &placement,
                         const std::vector<PipelineStage> &stages,
                         const RoundSchedule &schedule);

} // namespace soap::placement

#endif // SOAP_SEARCH_DEVICEPLACEMENT_ROUNDSCHEDULE_H
