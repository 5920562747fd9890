//===- MemoryPacking.h - What accelerators need to hold all -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Units on accelerators such that the fullest holds least: where there are no
// CPUs, whether any split fits, and which memory would do.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_MEMORYPACKING_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_MEMORYPACKING_H

#include "Splits.h"

namespace soap::placement {

struct MemoryPacking {
  std::vector<int> deviceOf; ///< per unit, an accelerator
  double bytes = 0;          ///< of the fullest accelerator
  double bound = 0;          ///< no packing needs less; `bytes` if that is best
};

/// Units of any kind of split, contiguous or not: largest ones first into the
/// emptiest accelerator, then branch and bound, which proves the best where
/// units are few. There must be an accelerator.
MemoryPacking packMemory(const UnitGraph &graph, int accelerators,
                         const Deadline &deadline);

/// For splits that need not be contiguous, where an answer has no placement and
/// there are no CPUs: one that fits, or else what memory would do.
void packAnswer(Answer &answer, const Problem &problem,
                const Objective &objective, const UnitGraph &graph,
                const Deadline &deadline);

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_MEMORYPACKING_H
