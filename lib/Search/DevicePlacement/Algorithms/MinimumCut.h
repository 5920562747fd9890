//===- MinimumCut.h - Maximum flows -----------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dinic's algorithm with integer capacities; what bounds ask for minimum cuts
// around a unit.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_MINIMUMCUT_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_MINIMUMCUT_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace soap::placement {

class FlowNetwork {
public:
  static constexpr int64_t unlimited = int64_t(1) << 60;

  explicit FlowNetwork(int vertices) : arcsOf(vertices) {}

  /// Returns the arc's number.
  int addArc(int from, int to, int64_t capacity);
  /// The value of a minimum cut between two vertices, or any value of at least
  /// `enough` if it is that much. Capacities are as they were added.
  int64_t minimumCut(int source, int sink, int64_t enough = unlimited);

private:
  std::vector<std::vector<int>> arcsOf;
  std::vector<int> head;
  std::vector<int64_t> initial, residual; ///< arc i and its reverse i ^ 1
  std::vector<int> level, next;

  bool findLevels(int source, int sink);
  int64_t push(int source, int sink, int64_t enough);
};

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_MINIMUMCUT_H
