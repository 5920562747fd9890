//===- AttentionModel.h - Times of attention kernels ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of attention as one kernel (softmax of scores that are never in
// memory) on a GPU whose attention was measured. docs/CostModel.md has the
// rules.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PROFILE_ATTENTIONMODEL_H
#define SOAP_PROFILE_ATTENTIONMODEL_H

#include "Soap/Profile/Profile.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace soap {

/// One kernel: of `samples`, each with `queryHeads` of `queries` positions that
/// look at `keyHeads` of `keys` positions, `width` elements a head.
struct AttentionShape {
  int64_t samples = 1;
  int64_t queryHeads = 1, keyHeads = 1; ///< queryHeads >= keyHeads
  int64_t queries = 1, keys = 1;        ///< positions
  int64_t width = 128;
  /// How many pairs of a query and a key a head of a sample looks at: all,
  /// `queries * keys`, or those that a mask or window leaves.
  double visiblePairs = 1;
  int64_t elementBytes = 2;

  /// Of both products of all visible pairs.
  double flops() const;
  /// Of queries, keys, values and results.
  double bytes() const;
  bool isMasked() const {
    return visiblePairs <
           static_cast<double>(queries) * static_cast<double>(keys);
  }
};

/// Pairs that causal attention of as many queries looks at, the last of which
/// looks at all keys.
double causalPairs(int64_t queries, int64_t keys);

/// How many times the operations of the forward kernel the backward one has:
/// five products of visible pairs in place of two (FlashAttention-2, Dao 2023).
constexpr double attentionBackwardFlops = 2.5;
/// The rate of the backward kernel over that of the forward one, as
/// FlashAttention-2 and -3 publish both for long sequences.
constexpr double attentionBackwardRate = 0.85;

class AttentionModel {
public:
  /// Keeps references to the grids of a profile, which has one at least.
  explicit AttentionModel(const Profile &profile);
  ~AttentionModel();

  /// Time in ns of the forward kernel on the measured device for elements of 16
  /// bits, above 0: never less for more samples, heads, visible pairs or width.
  /// Wider elements count for the bytes only.
  double forwardNs(const AttentionShape &shape) const;
  /// Of the backward kernel: by the forward one and the two constants above.
  double backwardNs(const AttentionShape &shape) const;
  /// Whether the shape is within what was measured.
  bool isWithinMeasured(const AttentionShape &shape) const;

private:
  struct Table;
  const Profile &profile;
  std::vector<std::unique_ptr<const Table>> causal, whole; ///< by rising width

  double tableNs(const std::vector<std::unique_ptr<const Table>> &tables,
                 const AttentionShape &shape, double positions) const;
};

} // namespace soap

#endif // SOAP_PROFILE_ATTENTIONMODEL_H
