//===- HybridPlan.h - Stages, tensor and data parallelism -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How large models are trained on clusters: pipeline stages, in each of them
// data parallelism over groups of devices that share sequences and layers
// (context and tensor parallelism), microbatches, recomputed activations, and
// optimizer states that are split over the replicas (ZeRO).
// docs/Hierarchical.md.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_HIERARCHICAL_HYBRIDPLAN_H
#define SOAP_SEARCH_HIERARCHICAL_HYBRIDPLAN_H

#include <cstdint>
#include <string>
#include <vector>

namespace soap {

/// The part of the forward pass that is computed again in the backward pass.
enum class Recompute {
  None,
  Selective, ///< all but products with parameters, which are kept
  Whole,     ///< everything but what enters a layer
};
/// `none`, `selective`, `whole`.
const char *recomputeName(Recompute recompute);

/// Device `((group * data + replica) * context + place) * tensor + member` is a
/// member of the tensor-parallel group at a place of a replica's sequences. A
/// pipeline goes round the groups: stage s of `groups * chunks` is on group s
/// modulo `groups`.
struct HybridShape {
  int groups = 1, data = 1, tensor = 1;
  /// Stages of a group: with more than one, 1F1B is interleaved.
  int chunks = 1;
  /// Samples of a microbatch in a replica, the most that one has: where the
  /// batch does not divide evenly, some have one less.
  int64_t samples = 1;
  /// Ops that a tensor-parallel group would repeat are split over the sequence.
  bool sequence = false;
  /// 0: every replica has all states. 1: states of the optimizer are split over
  /// the replicas; 2: gradients, too; 3: parameters, too, which are gathered
  /// for each pass.
  int zero = 0;
  /// Places that share each sequence; attention is in blocks
  /// (docs/ContextParallelism.md).
  int context = 1;
  /// A place has an early and a late part of each sequence.
  bool zigzag = false;
  /// Replicas that follow each other and share the experts of mixtures: each
  /// has a part of them for the tokens of all. Beside tensor parallelism
  /// members of a replica share its experts.
  int experts = 1;
  /// A forward and a backward pass of different microbatches run side by side
  /// (PipelineSchedule::Overlapped): one computes while experts of the other
  /// exchange tokens.
  bool overlap = false;
  /// Devices of a replica, of a stage.
  int unit() const { return context * tensor; }
  int width() const { return data * unit(); }
  /// Devices of a stage that compute with the same weights.
  int holders() const { return data * context; }
  /// Devices of a stage that compute with the same experts.
  int expertHolders() const { return data / experts * context; }
  /// Devices among which experts are divided, where tensor parallelism divides
  /// them, too.
  int expertUnit() const { return experts * unit(); }
  bool operator==(const HybridShape &) const = default;
};

/// One pipeline stage, on each device of its group.
struct HybridStage {
  int firstSegment = 0, segments = 0;
  Recompute recompute = Recompute::None;
  /// Passes of a microbatch in ns; the backward pass with what it recomputes.
  int64_t forwardNs = 0, backwardNs = 0;
  /// Once for an iteration, as far as nothing hides it: gradients are reduced,
  /// weights updated and gathered.
  int64_t exposedNs = 0, updateNs = 0;
  int64_t parameterBytes = 0, stateBytes = 0, gradientBytes = 0;
  int64_t hostBytes = 0;       ///< states in the memory of the host
  int64_t activationBytes = 0; ///< of all microbatches in flight
  /// Of one op, and of what is computed again at a time; stages of a group
  /// share them.
  int64_t scratchBytes = 0;
  /// Microbatches, when its group has most bytes of them.
  int inFlight = 1;
};

/// The microbatches of an iteration: as few as need at most `samples` samples
/// in a replica; interleaved, the next multiple of the groups.
int64_t microbatchesOf(const HybridShape &shape, int64_t batch);
/// The most samples of a replica in one of `microbatches` microbatches: piece i
/// of n samples in m pieces is [i n / m, (i + 1) n / m).
int64_t maxSamples(const HybridShape &shape, int64_t batch,
                   int64_t microbatches);

struct HybridPlan {
  HybridShape shape;
  int64_t microbatches = 1;
  /// Some replica has fewer samples than `shape.samples` in some microbatch.
  bool isUneven = false;
  std::vector<HybridStage> stages; ///< groups * chunks
  /// An iteration, in ns.
  int64_t makespanNs = 0;
  /// Most bytes on a device, by group.
  std::vector<int64_t> groupBytes;
  /// The largest of them, and what of it is beyond the memory of a device.
  int64_t peakBytes = 0, excessBytes = 0;
  /// Most bytes of a device in the memory of its host; what is beyond a
  /// device's part of it is in `excessBytes`, too.
  int64_t hostBytes = 0;
  /// Share of the iteration in which a group computes nothing, mean of all.
  double bubble = 0;
  /// 0: time, bytes of groups and bubble are priced. Else they are simulated,
  /// with so many of the microbatches; the others come at the rate of the last
  /// ones. Figures of stages are priced in any case.
  int64_t simulatedMicrobatches = 0;
  int64_t simulatedTasks = 0; ///< of these microbatches
  bool simulatedFull = false; ///< as `HybridSimulation::isFull`
  /// Time and largest bytes as they were priced.
  int64_t pricedNs = 0, pricedBytes = 0;
  /// The price where nothing waits for gathers of ZeRO-3 on links of the
  /// tensor-parallel group: how long it waits is the least certain part.
  int64_t leastNs = 0;
  bool exists() const { return !stages.empty(); }
  bool isSimulated() const { return simulatedMicrobatches > 0; }
};

/// Figures of the simulated timeline of a plan; fields as in `HybridPlan`.
struct HybridSimulation {
  int64_t makespanNs = 0;
  std::vector<int64_t> groupBytes;
  double bubble = 0;
  int64_t microbatches = 0;
  int64_t tasks = 0;
  /// Of an uneven plan, every replica has had `shape.samples` samples in each
  /// microbatch: time and memory are at least what they are.
  bool isFull = false;
};

/// The bytes that a device may need at most: the simulated peak, or the price
/// and the part that prices of its kind fall short of (docs/Hierarchical.md has
/// the measurements).
int64_t maxBytes(const HybridPlan &plan);
/// The price with which a plan of a shape needs at most `bytes`.
int64_t priceThatFits(const HybridShape &shape, int64_t bytes);

/// Gives a plan its simulated figures; `memoryBytes`: of a device.
void useSimulation(HybridPlan &plan, HybridSimulation simulated,
                   int64_t memoryBytes);

/// Whether a plan is better: it exceeds memory by less, or by as much and is
/// faster.
bool isBetter(const HybridPlan &a, const HybridPlan &b);

/// "8 stages x (tensor 8 x context 2 x data 8), 64 microbatches of 1 sample,
/// 1F1B, selective recomputation in stages 0 to 5, ZeRO-1, optimizer states in
/// host memory".
std::string describe(const HybridPlan &plan);

} // namespace soap

#endif // SOAP_SEARCH_HIERARCHICAL_HYBRIDPLAN_H
