//===- Objective.h - What a placement is to minimize ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objective of device placement for a stream of samples: the load of a
// device (Tarnawski et al., 2020, section 5), with its variants: overlap of
// computation and communication, schedules of training, replicated stages,
// hosts. The latency of one sample is in Latency.h.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_DEVICEPLACEMENT_OBJECTIVE_H
#define SOAP_SEARCH_DEVICEPLACEMENT_OBJECTIVE_H

#include "Soap/Search/DevicePlacement/Problem.h"

namespace soap::placement {

/// How a device's computation and communication make its load.
enum class Overlap {
  None, ///< their sum
  Full, ///< the greater one
};

/// How a pipeline trains (section 5.3).
enum class Schedule {
  OneForwardOneBackward, ///< minimizes max (forward + backward) over devices
  GPipe,                 ///< minimizes max forward + max backward
};

struct Objective {
  Overlap overlap = Overlap::None;
  Schedule schedule = Schedule::OneForwardOneBackward;
  /// The forward parts of devices have an order in which all edges go from a
  /// device to itself or to a later one, so each device works on one sample
  /// once (Definition 3.1). A color class that has backward nodes alone is
  /// ordered as its mirrored backward edges say.
  bool contiguous = true;
  /// Several accelerators may share a stage, each taking every r-th sample
  /// (appendix H): the stage's load is divided by r, and in training
  /// `2 (r - 1) / r * bytes / allReduceBytesPerTime` is added for the bytes of
  /// its color classes with backward nodes.
  bool replication = false;
  double allReduceBytesPerTime = 0; ///< above 0 where `replication` is set
  /// Accelerators i and j are in one host if i / acceleratorsPerHost ==
  /// j / acceleratorsPerHost; 0: all are apart. CPUs are in no host.
  int acceleratorsPerHost = 0;
  /// The time of a transfer within a host, as a share of the time of one that
  /// leaves it; 0 to 1.
  double insideHostFactor = 1;

  bool hasHosts() const {
    return acceleratorsPerHost > 1 && insideHostFactor != 1;
  }
  MaybeError check() const;
};

/// The load of a device, or the maxima over devices; with GPipe both parts
/// count, else all is in `forward`.
struct StageLoad {
  double forward = 0, backward = 0;
  double total() const { return forward + backward; }
};

/// A device's computation and communication in both passes. What a producer
/// sends counts where the producer is, in the forward or the backward pass.
struct StageCosts {
  double forwardCompute = 0, backwardCompute = 0;
  double forwardTransfer = 0, backwardTransfer = 0;

  StageLoad load(const Objective &objective) const;
};

/// Load of a stage on `replicas` accelerators; `trainedBytes` are the bytes of
/// its color classes with backward nodes. The all-reduce is part of the
/// backward pass.
StageLoad replicatedLoad(StageLoad load, const Objective &objective,
                         double trainedBytes, int replicas);

/// Per device, the bytes of nodes whose color class has backward nodes.
std::vector<double> trainedBytesOfDevices(const Problem &problem,
                                          const std::vector<int> &deviceOf);
/// The same for each node alone: its bytes, or 0.
std::vector<double> trainedBytesOfNodes(const Problem &problem);

} // namespace soap::placement

#endif // SOAP_SEARCH_DEVICEPLACEMENT_OBJECTIVE_H
