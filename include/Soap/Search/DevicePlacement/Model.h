//===- Model.h - Models as placement problems -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a device placement problem (Problem.h) of a parallelization problem: a
// training step, or an inference, as a pipeline of microbatches
// (Pipeline/Pipeline.h). Brings placements back as devices of ops.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_DEVICEPLACEMENT_MODEL_H
#define SOAP_SEARCH_DEVICEPLACEMENT_MODEL_H

#include "Soap/Pipeline/RoundPipeline.h"
#include "Soap/Search/DevicePlacement/Problem.h"
#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace soap::placement {

/// A model's ops as nodes.
struct ModelProblem {
  Problem problem;
  /// By node of the problem: node of the graph. Updates are not among them:
  /// they run once for an iteration, where their parameters are.
  std::vector<int> graphNodes;
  /// Machines, if they are several with as many devices each: devices of one,
  /// and what all that is sent takes inside of it compared with between two
  /// (Objective.h). 0: none.
  int acceleratorsPerHost = 0;
  double insideHostFactor = 1;
  /// For replicated stages: gradients are added up once for an iteration, so a
  /// microbatch has that share of the time.
  double allReduceBytesPerTime = 0;
};

/// Times are ms of one microbatch on a device of the topology, all of which
/// must be of one type: an error else. `forwardOf`: by node of the graph, the
/// node whose gradient it computes, -1: none; both are of one color class, and
/// so are all forward nodes that read a parameter. A node has the bytes of its
/// activations for as many microbatches as may be in flight, the node that
/// reads a parameter first the bytes of it, its gradient and optimizer state.
/// A weight without an update op counts at each node that reads it, or, where
/// that would say much more than is held, at the first of its readers, which
/// are of one class then: no device reads weights that are not counted.
/// A transfer takes as long as from device 0 to device 1 or, with machines, to
/// the first device of the next machine.
Expected<ModelProblem> makeModelProblem(const ParallelizationProblem &model,
                                        const std::vector<int> &forwardOf,
                                        int64_t microbatches,
                                        PipelineSchedule schedule);

struct ModelPlacement {
  std::vector<int> deviceOf; ///< by node of the graph
  /// By device of the topology, with how many devices, itself and those after
  /// it, it shares its nodes; empty: with none.
  std::vector<int> replicas;
};

/// The device of each node of the graph, updates where their parameters are
/// read, renumbered so that stages follow each other on devices 0, 1, ... as
/// they do in the pipeline (as they come first in it, where devices have
/// several). `deviceOf` and `replicas` (by device; may be empty) are a solution
/// of the problem.
Expected<ModelPlacement> placeModel(const ParallelizationProblem &model,
                                    const ModelProblem &made,
                                    const std::vector<int> &deviceOf,
                                    const std::vector<int> &replicas,
                                    int64_t microbatches);

} // namespace soap::placement

#endif // SOAP_SEARCH_DEVICEPLACEMENT_MODEL_H
