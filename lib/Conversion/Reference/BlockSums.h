//===- BlockSums.h - Sums per channel by blocks of threads ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two numbers per channel of an image with channels last, over all of its
// positions, in one launch: threads take them of some positions, blocks fold
// the numbers of their threads, and the block that ends last the numbers of all
// blocks (Parallelize/CooperativeBlocks.h). The order of each fold is fixed, so
// it does not matter which block that is.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_REFERENCE_BLOCKSUMS_H
#define SOAP_LIB_CONVERSION_REFERENCE_BLOCKSUMS_H

#include "KernelBuilder.h"

#include <optional>

namespace mlir::soap {

using ScalarPair = std::pair<Scalar, Scalar>;

/// How positions and channels of a matrix [positions, channels] are cut.
struct BlockCut {
  int64_t tile;   ///< channels of a block, side by side
  int64_t rows;   ///< threads of a channel in a block
  int64_t pieces; ///< blocks of a channel
  int64_t each;   ///< positions of a thread
};

/// None where the extents cannot be cut into whole blocks of many threads.
std::optional<BlockCut> cutInBlocks(int64_t groups, int64_t positions,
                                    int64_t channels);

/// Pairs of numbers to fold: `first`, `first` + `step`, ... below `end`, where
/// `first` is below `step`.
struct Entries {
  Index first;
  int64_t end, step;
  function_ref<ScalarPair(const Index &)> at;
  /// Positions that an entry stands for.
  function_ref<Scalar(const Index &)> weight;
  /// The same for each entry; none if they differ.
  std::optional<int64_t> weightOfAll;

  /// How many there are, whatever `first` is; none if that depends on it.
  std::optional<int64_t> count() const {
    return end % step == 0 ? std::optional(end / step) : std::nullopt;
  }
};
using FoldEntries = function_ref<ScalarPair(KernelBuilder &, const Entries &)>;

/// The sum of each number.
ScalarPair foldSums(KernelBuilder &k, const Entries &entries);

/// Mean and sum of squared deviations of all positions, of which each entry has
/// mean and deviations of some, by Chan et al.: with distances d from the mean
/// of the first entry,
///
///   mean = mean_0 + sum(n d) / N,  M2 = sum(M2 + n d^2) - sum(n d)^2 / N.
///
/// The square of mean - mean_0 is at most (entries - 1) times what the means
/// vary by, so the difference loses at most that many roundings of M2. An n
/// that is the same for all is taken out of the sums.
ScalarPair foldMoments(KernelBuilder &k, const Entries &entries);

/// A channel, its number among the channels of all groups, and the first
/// position of its group.
struct GroupChannel {
  Index channel, of, origin;
};

/// The positions of a thread: `first`, `first` + `step`, ..., `count` of them.
struct ThreadPositions {
  Index first;
  int64_t step, count;
};

using NumbersOfThread =
    function_ref<ScalarPair(const ThreadPositions &, const GroupChannel &)>;
using FinishChannel =
    function_ref<void(const GroupChannel &, const ScalarPair &)>;

/// For each group and channel, the numbers of `thread` folded over all
/// positions, to `finish`. Writes one nest, and before it one that clears the
/// counts of blocks.
void emitInBlocks(KernelBuilder &k, int64_t groups, int64_t positions,
                  int64_t channels, BlockCut cut, NumbersOfThread thread,
                  FoldEntries fold, FinishChannel finish);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_REFERENCE_BLOCKSUMS_H
