//===- Problem.h - The device placement problem -----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which device computes which operator (Tarnawski et al., Efficient Algorithms
// for Device Placement of DNN Graph Operators, 2020, section 3): an acyclic
// graph of nodes with times on an accelerator and on a CPU, memory, and the
// cost of moving a node's output; k accelerators with a memory, l CPUs.
// Solutions and their verifier are in Solution.h, what is minimized in
// Objective.h.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_DEVICEPLACEMENT_PROBLEM_H
#define SOAP_SEARCH_DEVICEPLACEMENT_PROBLEM_H

#include "Soap/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace soap::placement {

/// Times are in the unit of the instance (the published ones: milliseconds).
struct Node {
  int64_t id = 0; ///< what files call it; unique, not dense
  std::string name;
  /// Accelerators can compute it; CPUs can compute everything.
  bool acceleratable = true;
  /// Part of the backward pass of a training step.
  bool backward = false;
  double acceleratorTime = 0, cpuTime = 0;
  /// Bytes of weights and activations that its accelerator holds.
  double memoryBytes = 0;
  /// Of these, what replicas of its device add up for each sample if its color
  /// class has backward nodes; none: all of them.
  std::optional<double> gradientBytes;
  /// Nodes of one class share a device.
  std::optional<int64_t> colorClass;
};

struct Edge {
  int source = 0, target = 0; ///< indices of nodes
};

/// Upper limits of `check`; they keep index arithmetic and memory in range.
inline constexpr size_t maxNodes = size_t(1) << 24;
inline constexpr size_t maxEdges = size_t(1) << 26;
inline constexpr int maxAccelerators = 4096, maxCpus = 4096;

struct Problem {
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  /// Per node, the time of moving its output between an accelerator's memory
  /// and the host's, in either direction: paid by each accelerator that the
  /// output leaves or reaches, once, whatever the number of edges.
  std::vector<double> transferTime;
  int accelerators = 1, cpus = 0;
  double acceleratorMemoryBytes = 0; ///< of each

  int deviceCount() const { return accelerators + cpus; }
  /// Devices are numbered accelerators first.
  bool isAccelerator(int device) const { return device < accelerators; }
  bool isTraining() const;

  /// Everything that the solvers rely on: edges between nodes, none from the
  /// backward to the forward pass, no cycle; numbers that are finite, not
  /// negative, and sum to what is finite; gradients that are part of the size;
  /// at least one node and one device; in a training step, a color class of
  /// forward and backward nodes.
  MaybeError check() const;

  /// That each node can be computed by some device: an error names one that
  /// needs a CPU where there is none, so that no placement is legal.
  MaybeError checkDevices() const;
};

/// Indices of nodes, sources of edges before their targets; shorter than
/// `problem.nodes` if there is a cycle.
std::vector<int> topologicalOrder(const Problem &problem);

} // namespace soap::placement

#endif // SOAP_SEARCH_DEVICEPLACEMENT_PROBLEM_H
