//===- NearestGrid.h - The nearest strategy that a grid has -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where no grid of devices has a strategy: the same strategy with other configs
// for the ops that are not on one.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_EXTENSIONS_SHARD_NEARESTGRID_H
#define SOAP_LIB_EXTENSIONS_SHARD_NEARESTGRID_H

#include "DeviceGrid.h"

namespace mlir::soap {

/// The ops with configs that are cuts along axes of one grid of devices 0 to
/// `devices` - 1. Of all orders of the prime factors of `devices` the grid that
/// changes the fewest ops is taken; a changed op gets degrees close to its own:
/// each axis goes to the loop that lacks most of its degree, or makes replicas.
std::vector<GridOp> nearestOnGrid(const std::vector<GridOp> &ops, int devices,
                                  const HasShardings &hasShardings);

} // namespace mlir::soap

#endif // SOAP_LIB_EXTENSIONS_SHARD_NEARESTGRID_H
