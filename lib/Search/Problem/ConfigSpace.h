//===- ConfigSpace.h - What configs a group may have ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The degrees and device lists that searches enumerate, in a fixed order.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_PROBLEM_CONFIGSPACE_H
#define SOAP_LIB_SEARCH_PROBLEM_CONFIGSPACE_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace soap {

/// Up to this many devices, all degrees are enumerated; beyond, powers of two,
/// else there would be millions.
constexpr int maxDevicesForAllDegrees = 32;

/// All degrees of the loops of a node that a search may choose, followed by the
/// replicas: their product is at most the number of devices, loops that may not
/// be split have 1, none is split more often than its extent.
std::vector<std::vector<int64_t>>
legalDegrees(const ParallelizationProblem &problem, int node);

/// A config with degrees as in `legalDegrees` and a device list.
Config makeConfig(const std::vector<int64_t> &degrees,
                  std::vector<int> devices);
/// Pieces of degrees as in `legalDegrees`.
int64_t pieceCount(const std::vector<int64_t> &degrees);

/// Number of ordered lists of `count` of `devices` devices without repetition,
/// at most `most + 1`.
int64_t arrangementCount(int devices, int64_t count, int64_t most);
/// All of them, in lexicographic order.
std::vector<std::vector<int>> arrangements(int devices, int64_t count);

} // namespace soap

#endif // SOAP_LIB_SEARCH_PROBLEM_CONFIGSPACE_H
