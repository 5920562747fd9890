//===- DeviceProgram.h - The program of one device --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the actions of one device, in schedule order, as a function. A file of
// its own because it is independent of rank tables and deduplication.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_PARTITION_DEVICEPROGRAM_H
#define SOAP_LIB_TRANSFORMS_PARTITION_DEVICEPROGRAM_H

#include "Soap/Plan/CollectiveGroup.h"
#include "Soap/Transforms/Partition.h"

namespace mlir::soap {

/// A tile that a program takes or returns.
struct TileRecord {
  std::string tensor;
  ::soap::Region region;
  bool updated = false;
};

/// A device program and its row of the rank table.
struct DeviceProgram {
  func::FuncOp function;
  /// By slot; -1: none.
  SmallVector<int64_t> tasks, peers, transfers, collectives;
  SmallVector<TileRecord> args, results;
};

/// The op that a Compute action localizes: the op of its node, or one of its
/// stages.
using KernelOps = DenseMap<std::pair<int, int>, Operation *>;

/// A tile of the function's interface: the entry of the plan's list that it is
/// in, its place there, and its buffer.
struct InterfaceTile {
  size_t entry, place;
  int buffer;
};

/// The global schedule, by device.
struct ProgramSchedule {
  /// Per device: (place in the global order, action) of all actions that it
  /// takes part in.
  std::vector<std::vector<std::pair<int64_t, int>>> byDevice;
  /// Per action: number among the transfers, or -1.
  std::vector<int64_t> transferNumbers;
  /// Per collective of the plan its members, if programs run it as one op.
  std::vector<std::optional<::soap::CollectiveGroup>> groups;
  /// Per task: its collective with a group, or -1.
  std::vector<int> collectiveOfTask;
  /// The collective ops that programs run, and the number of the first step of
  /// each collective.
  std::vector<std::vector<::soap::CollectiveStep>> steps;
  std::vector<int64_t> firstStep;
  /// Per device: its tiles of the plan's inputs, outputs and updates, in their
  /// order.
  std::vector<std::vector<InterfaceTile>> inputs, outputs, updates;
  /// Element type of every value of the graph.
  std::vector<Type> elementTypes;
  /// Values whose elements are all the same: constants. Any part of such a tile
  /// is as good as another, so devices that want different parts take the first
  /// one and share their program.
  std::vector<bool> isSplat;
};

/// Builds the program of `device` at the end of `module`.
FailureOr<DeviceProgram>
buildDeviceProgram(ModuleOp module, func::FuncOp source,
                   const PricedFunction &priced, const KernelOps &kernelOps,
                   const ProgramSchedule &schedule, int device);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_PARTITION_DEVICEPROGRAM_H
