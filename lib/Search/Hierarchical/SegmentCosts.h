//===- SegmentCosts.h - Times and bytes of a microbatch ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of a device of a replica for one microbatch, segment by segment. It
// comes from the plan of the replica's devices alone, which share its layers
// (tensor parallelism) and its sequences (context parallelism), or of all
// replicas that share experts: other replicas and stages do the same at the
// same time.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_HIERARCHICAL_SEGMENTCOSTS_H
#define SOAP_LIB_SEARCH_HIERARCHICAL_SEGMENTCOSTS_H

#include "LayerMates.h"
#include "ModelSegments.h"
#include "Soap/Model/ZeRO.h"
#include "Soap/Search/Hierarchical/HybridPlan.h"

namespace soap {

/// A weight on one device, and its gradient, in bytes.
struct WeightCost {
  int64_t weightBytes = 0, gradientBytes = 0;
  /// An update reads what passes read: it is no copy in another precision.
  bool isUpdated = false;
  /// Under ZeRO-3 each pass gathers it.
  bool isGathered = false;
  /// It is of experts.
  bool isOfExperts = false;
};

/// Bytes of parameters and what belongs to them, and the part of them that is
/// of experts, which fewer devices hold.
struct HeldBytes {
  int64_t all = 0, ofExperts = 0;
  void add(int64_t bytes, bool isOfExperts) {
    all += bytes;
    ofExperts += isOfExperts ? bytes : 0;
  }
  HeldBytes &operator+=(const HeldBytes &other) {
    all += other.all;
    ofExperts += other.ofExperts;
    return *this;
  }
};

/// Of one segment and one device, in ns and bytes.
struct SegmentCost {
  /// Passes of a microbatch, collectives of the group included.
  int64_t forwardNs = 0, backwardNs = 0;
  /// The parts of them in which the device computes: kernels, tiles that it
  /// assembles and sums, no collectives.
  int64_t forwardBusyNs = 0, backwardBusyNs = 0;
  /// Collectives of the group in them, which wait for others on their links.
  int64_t forwardCollectives = 0, backwardCollectives = 0;
  /// Once for an iteration: what has no samples, as copies of weights in
  /// another precision.
  int64_t onceNs = 0;
  /// The parts of `forwardNs` that selective recomputation does again, and that
  /// of whole layers.
  int64_t selectiveNs = 0, wholeNs = 0;
  /// Bytes that the backward pass of a microbatch reads of the forward pass:
  /// of all values, and of those that selective recomputation keeps.
  int64_t keptBytes = 0, selectiveBytes = 0;
  /// Bytes that arrive from the segments before, and are sent back.
  int64_t boundaryBytes = 0;
  /// The most of a microbatch that is there at once while the segment computes:
  /// what it keeps, what it computes again, and what only other ops read, but
  /// no gradients of parameters. What segments before it keep is there, too.
  int64_t liveBytes = 0;
  /// The same with a gradient that is added to gradients of microbatches
  /// before: it and the new sum; under ZeRO-3, of those that passes reduce, it
  /// alone.
  int64_t summingBytes = 0, unreducedBytes = 0;
  /// The part of `parameterBytes` that only forward passes read of copies: it
  /// is not there when the last microbatch is computed back.
  int64_t forwardBytes = 0;
  /// Parameters that passes read: of those that are converted once for an
  /// iteration, what comes of it.
  int64_t parameterBytes = 0;
  /// The part of `parameterBytes` that updates read, too: under ZeRO a replica
  /// has its share beside what it gathers.
  HeldBytes updatedBytes;
  /// States of the optimizer, and parameters that only updates and conversions
  /// read.
  HeldBytes stateBytes;
  /// States of the optimizer in the memory of the host.
  HeldBytes hostBytes;
  /// Gradients of parameters, and the time to add another microbatch's.
  HeldBytes gradientBytes;
  int64_t accumulateNs = 0;
  /// The weights behind `parameterBytes` and `gradientBytes`, as far as they
  /// are known.
  std::vector<WeightCost> weights;
};

struct SegmentCosts {
  std::vector<SegmentCost> segments;
  /// By node of the step: its config on the devices of a replica; of updates,
  /// that of the parameter on the devices of one place of a sequence.
  Strategy strategy;
  /// By node of the step: its loop over experts, which replicas that share them
  /// split; -1: none.
  std::vector<int> expertLoops;
  /// By node of the step: selective recomputation computes it again.
  std::vector<bool> isRecomputed;
  /// Floating-point operations of the products of a microbatch, of all devices
  /// of the group; of attention as if it were whole.
  double flops = 0;
};

/// A microbatch, of which layers that are alike are planned once.
struct PlannedMicrobatch {
  MicrobatchGraph passes;
  ModelSegments segments;
  double flops = 0; ///< of all layers
};

/// The passes of a training step with batch `batch` (as `batchOf` says) on
/// `samples` samples. `segments` and `mates`: of `graph`. An error says why the
/// step cannot be split in microbatches.
Expected<PlannedMicrobatch>
planMicrobatch(const Graph &graph, const std::vector<OpGroup> &groups,
               const std::vector<std::vector<Role>> &roles,
               const ModelSegments &segments, const LayerMates &mates,
               int64_t batch, int64_t samples);

/// The costs of a training step on a shape's microbatch, on the first devices
/// of the topology, as many as a replica of the shape has, or as the replicas
/// have that share experts; `microbatch` has the samples of these. `mates`: of
/// `graph`. An error says why sequences cannot be split.
Expected<SegmentCosts>
findSegmentCosts(const Graph &graph, const std::vector<OpGroup> &groups,
                 const PlannedMicrobatch &microbatch, const LayerMates &mates,
                 const Topology &topology, const HybridShape &shape);

/// Products, and views for them: what they read whole in the backward pass, a
/// device may gather again (Executor::regathers).
bool mayRegather(const Kernel &kernel);

/// The time in ns that the updates of each segment take on one device, if they
/// are split into `pieces`, and updates of experts into `expertPieces`.
std::vector<int64_t> findUpdateNs(const Graph &graph,
                                  const ModelSegments &segments,
                                  const Topology &topology, int64_t pieces,
                                  int64_t expertPieces);

} // namespace soap

#endif // SOAP_LIB_SEARCH_HIERARCHICAL_SEGMENTCOSTS_H
