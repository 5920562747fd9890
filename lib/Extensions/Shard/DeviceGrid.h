//===- DeviceGrid.h - Configs as axes of a grid of devices ---- -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's shard dialect, like a mesh of GSPMD, cuts a dim along axes of one
// grid of devices. Configs list devices piece by piece; this finds a grid on
// which all of them are cuts along axes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_EXTENSIONS_SHARD_DEVICEGRID_H
#define SOAP_LIB_EXTENSIONS_SHARD_DEVICEGRID_H

#include "Soap/Mesh/TensorSplit.h"
#include "Soap/Model/Config.h"
#include "Soap/Support/Error.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mlir::soap {

using ::soap::Axes;
using ::soap::Split;

/// An op and how it is cut.
struct GridOp {
  std::string name; ///< for messages
  ::soap::IterationSpace space;
  ::soap::Config config;
};

/// A grid, and for each op and loop the axes that cut the loop. Axes that cut
/// no loop of an op have replicas of it. Device i is place i of the grid in
/// row-major order.
struct DeviceGrid {
  std::vector<int64_t> shape;
  std::vector<Split> axes; ///< by op, then by loop
};

/// A grid that some of the ops are on.
struct PartialGrid {
  DeviceGrid grid;                 ///< the other ops have no axes
  std::vector<std::string> faults; ///< by op, why it is not on it; empty: it is
};

/// Whether the tensors of op number `op`, cut along `axes` by loop with these
/// degrees, have shardings.
using HasShardings =
    std::function<bool(size_t op, const GridOp &entry, const Split &axes)>;

/// In ascending order; none of 1.
std::vector<int64_t> primeFactors(int64_t number);
/// The axes by loop of one op on a grid of as many devices as its config has,
/// each once; none if it is no cut along axes.
std::optional<Split> axesOf(const GridOp &op,
                            const std::vector<int64_t> &shape);

/// The grid with the fewest axes. An error names an op that no grid has: one
/// that does not run on all devices, has them in another order, or has pieces
/// of different sizes.
::soap::Expected<DeviceGrid> findDeviceGrid(const std::vector<GridOp> &ops);

/// The grid of devices 0 to `devices` - 1 that most ops are on, with shardings.
PartialGrid findGridOfMost(const std::vector<GridOp> &ops, int devices,
                           const HasShardings &hasShardings);

} // namespace mlir::soap

#endif // SOAP_LIB_EXTENSIONS_SHARD_DEVICEGRID_H
