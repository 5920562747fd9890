//===- SmallSplits.h - All splits of a small instance -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits that need not be contiguous have no dynamic program. Of few units all
// are looked at, so that the best one is proven at once; annealing has no proof
// but a bound, which may be far below.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_SMALLSPLITS_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_SMALLSPLITS_H

#include "Search/DevicePlacement/Deadline.h"
#include "Soap/Search/DevicePlacement/Solution.h"
#include "UnitGraph.h"

namespace soap::placement {

/// Improves an answer with the best of all splits, where these are at most
/// `maxSmallSplits`; devices of one kind that have nothing yet are the same.
/// Whether all were looked at: then the answer is optimal, and without a
/// placement no split fits.
bool trySmallSplits(Answer &answer, const Problem &problem,
                    const Objective &objective, const UnitGraph &graph,
                    const Deadline &deadline);

/// Less than a second.
inline constexpr double maxSmallSplits = 1e6;

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_SMALLSPLITS_H
