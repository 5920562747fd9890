//===- Exact.h - Optimal strategies by branch and bound ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimum over the paper's space of grouped ops, proven: groups get their
// configs one after another, and what cannot be faster than the best so far is
// cut off. The paper's section 8.4 does it by depth-first search with A*.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_EXACT_EXACT_H
#define SOAP_SEARCH_EXACT_EXACT_H

#include "Soap/Search/Evaluator/SearchBudget.h"

namespace soap {

/// The space: every group is split along samples and loops of its result
/// (docs/Search.md), in any number of pieces up to the number of devices, on an
/// aligned block of devices in their order (of n pieces: devices n * i to n * i
/// + n - 1), or, with `anyDevices`, on any list of devices without repetition.
struct ExactOptions : SearchBudget {
  uint64_t seed = 1; ///< of the Markov chains that look for the first best
  bool anyDevices = false;
  /// Proposals of these chains; what they find is polished.
  int64_t firstProposals = 100000;
};

struct ExactResult {
  /// `optimal`: no strategy of the space is faster than `best`, which may be
  /// outside of it. `boundNs`: none is faster than this, as far as was proven;
  /// 0: the problem is too large to prove anything.
  McmcResult search;
  double spaceSize = 0;    ///< number of strategies
  int64_t rootBoundNs = 0; ///< before any branching
  int64_t nodes = 0;       ///< partial strategies looked at
  int64_t leaves = 0;      ///< strategies priced
  int symmetries = 0;      ///< permutations of devices that change nothing
};

/// The problem must have passed `check`.
ExactResult searchExact(const ParallelizationProblem &problem,
                        const ExactOptions &options);

} // namespace soap

#endif // SOAP_SEARCH_EXACT_EXACT_H
