//===- StageCutter.h - Segments as pipeline stages --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of segments whose longest pass is shortest.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_HIERARCHICAL_STAGECUTTER_H
#define SOAP_LIB_SEARCH_HIERARCHICAL_STAGECUTTER_H

#include "SegmentCosts.h"

#include <functional>
#include <limits>

namespace soap {

/// The time of what cannot be.
inline constexpr int64_t neverNs = std::numeric_limits<int64_t>::max();

/// The part of the forward pass that the backward pass does again, in ns.
int64_t recomputeNs(const SegmentCost &cost, Recompute recompute);
/// Both passes of a microbatch, in ns.
int64_t passNs(const SegmentCost &cost, Recompute recompute);
/// All bytes of a stage.
int64_t bytesOf(const HybridStage &stage);

/// Time and bytes of a range of segments, as it grows at its end.
class StageSums {
public:
  /// `microbatches`: of an iteration. `isAlone`: there are no other stages.
  StageSums(const HybridShape &shape, const ModelSegments &segments,
            const SegmentCosts &found, int64_t microbatches,
            bool isAlone = false)
      : shape(shape), segments(segments), found(found),
        microbatches(microbatches), isSummed(microbatches > 1 || !isAlone) {}

  /// Adds the segment behind the last one.
  void add(int s);
  /// Of one microbatch.
  int64_t keptBytes(Recompute recompute) const {
    return kept[static_cast<int>(recompute)];
  }
  int64_t passNs(Recompute recompute) const {
    return ns[static_cast<int>(recompute)];
  }
  /// The bytes of a stage of this range, by its level of recomputation and its
  /// microbatches in flight.
  void fill(HybridStage &stage) const;

private:
  /// Of a device, under ZeRO.
  int64_t shareOf(const HeldBytes &bytes) const;

  const HybridShape &shape;
  const ModelSegments &segments;
  const SegmentCosts &found;
  int64_t microbatches;
  bool isSummed; ///< gradients of several microbatches are
  bool isFirst = true;
  int64_t parameters = 0;
  HeldBytes states, hostStates, gradients;
  HeldBytes updated;       ///< parameters that updates read
  int64_t forwardOnly = 0; ///< copies of parameters
  int64_t layer = 0;       ///< what segments of the last layer keep
  /// Of weights that passes gather: all, the largest two that follow each
  /// other, the last one, and the largest gradient.
  HeldBytes gatheredWeights, gatheredGradients;
  int64_t twoWeights = 0, lastWeight = 0, largestGathered = 0;
  HeldBytes gatheredCopies; ///< of them, those that updates do not read
  /// By level of recomputation: of one microbatch, what is kept, and the most
  /// that is there at once. Of the only microbatch, the latter less the
  /// gradients of segments up to there, which come later.
  int64_t kept[3] = {0, 0, 0}, atOnce[3] = {0, 0, 0};
  int64_t ns[3] = {0, 0, 0}; ///< by level of recomputation
};

/// The first segment of each stage such that the longest pass at one level is
/// shortest; last stages are as long as they may, since first ones hold most.
std::vector<int> cutByTime(const SegmentCosts &found, int stages,
                           Recompute recompute);

/// The same with stages that begin where blocks do, as frameworks have them:
/// as many blocks in each; or so that what is before the first block and what
/// is behind the last one count as a block (Megatron-LM's
/// `account-for-embedding-in-pipeline-split` and that of the loss); or, where
/// neither divides, by time. `mayCutByBlocks`: the model has as many blocks.
bool mayCutByBlocks(const ModelSegments &segments, int stages);
std::vector<int> cutByBlocks(const ModelSegments &segments,
                             const SegmentCosts &found, int stages,
                             Recompute recompute);

/// The first segment of each stage such that the largest `nsOf` is smallest;
/// empty if every choice has a stage that takes `neverNs`. `nsOf` must not fall
/// when a range grows, and is asked until it is above a limit: the longest
/// range below the limit is best for each stage, and the least limit is found
/// by bisection.
std::vector<int>
cutSegments(const HybridShape &shape, const ModelSegments &segments,
            const SegmentCosts &found, int stages, int64_t microbatches,
            const std::function<int64_t(int, const StageSums &)> &nsOf);

} // namespace soap

#endif // SOAP_LIB_SEARCH_HIERARCHICAL_STAGECUTTER_H
