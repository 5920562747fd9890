//===- PresetSupport.h - What presets are made of ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops by role, and configs that split them. Shared by the presets.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_PRESETS_PRESETSUPPORT_H
#define SOAP_LIB_SEARCH_PRESETS_PRESETSUPPORT_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

#include <cassert>

namespace soap {

/// Loops of a role that may be split, in order.
std::vector<int> loopsOf(const ParallelizationProblem &problem, int node,
                         Role role);
/// The longest parameter loop that the first result has (a linear layer's
/// outputs), or -1.
int largestOutputLoop(const ParallelizationProblem &problem, int node);
/// Gives the loops degrees whose product is at most `devices`: each the largest
/// factor of what remains that its extent allows. On devices 0, 1, ....
Config cutLoops(const IterationSpace &space, const std::vector<int> &loops,
                int devices);
/// Floating-point operations of a whole group.
double flopsOf(const ParallelizationProblem &problem, const OpGroup &group);

/// The first sample loop, or -1.
int sampleLoop(const ParallelizationProblem &problem, int node);

/// Splits every update over `devices[node]` devices, which keep their parts of
/// the weights, and the conversions of these weights alike.
void shardUpdates(const ParallelizationProblem &problem,
                  const std::vector<int64_t> &devices, Strategy &strategy);

/// The cluster as a grid: rows of `columns` devices, each in one machine. A
/// machine has as many rows as fit into it.
class MachineGrid {
public:
  /// Without `columns`, a row is a machine: as many devices as the smallest
  /// machine has. A machine with fewer devices than `columns` has no row.
  explicit MachineGrid(const Topology &topology, int64_t columns = 0);
  int64_t rows() const { return static_cast<int64_t>(devices.size()); }
  int64_t columns() const { return columnCount; }
  int device(int64_t row, int64_t column) const {
    assert(row >= 0 && row < rows() && column >= 0 && column < columns() &&
           "no such place");
    return devices[static_cast<size_t>(row)][static_cast<size_t>(column)];
  }

private:
  std::vector<std::vector<int>> devices;
  int64_t columnCount;
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_PRESETS_PRESETSUPPORT_H
