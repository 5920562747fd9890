//===- SpaceBound.h - What no strategy beats --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lower bound of the iteration time over all strategies. Two things hold for
// each of them:
//  - the device with the most to do is no faster than the average, all work
//    divided by the number of devices;
//  - no path of ops that wait for each other is shorter than the sum of their
//    shortest pieces.
// The first alone is weak where an op is the cheaper the fewer pieces it has,
// the second where it is the faster the more it has. Together they are not: for
// any multipliers, numbers that add up to 1, the iteration takes at least the
// weighted sum of the average and of some paths, and that is least where every
// op on its own has the degrees that are best for its share of both. The
// multipliers of the paths are a flow, found by moving it to the path that is
// longest for the degrees of the moment (Frank and Wolfe, 1956): Lagrangian
// relaxation, and any multipliers give a bound.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_PROBLEM_SPACEBOUND_H
#define SOAP_SEARCH_PROBLEM_SPACEBOUND_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

#include <atomic>

namespace soap {

/// A time in ns that the makespan of no strategy is below, on whatever devices
/// its pieces are. Degrees of an op: all that are powers of two or divide the
/// number of devices (on up to `maxDevicesForAllDegrees` devices: all), with a
/// product of at most `pieces`, or the number of devices if that is more,
/// whatever the roles of loops and the groups of ops. Of a strategy whose ops
/// have more pieces than devices, as lists with a device several times have,
/// `pieces` has to be its most (`maxPieces`). Copies, transfers and replicas
/// cost nothing; each piece is on the device type where it is fastest. The
/// problem must have passed `check`. 0 if `stop` (may be null) was set before
/// the end.
int64_t spaceBoundNs(const ParallelizationProblem &problem,
                     const std::atomic<bool> *stop = nullptr,
                     int64_t pieces = 0);

/// The most pieces, replicas included, that an op of a strategy has.
int64_t maxPieces(const Strategy &strategy);

} // namespace soap

#endif // SOAP_SEARCH_PROBLEM_SPACEBOUND_H
