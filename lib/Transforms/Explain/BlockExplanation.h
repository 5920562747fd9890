//===- BlockExplanation.h - What a block of a strategy does -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of one block of a model, as `layers.12`: how they are split, what
// they take, move and keep on a device.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_EXPLAIN_BLOCKEXPLANATION_H
#define SOAP_LIB_TRANSFORMS_EXPLAIN_BLOCKEXPLANATION_H

#include "Soap/Mesh/Symmetry/StageQuotient.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <string>
#include <vector>

namespace mlir::soap {

/// The directions of an iteration, in the order of `::soap::Phase`.
constexpr int phaseCount = 3;

/// All times, bytes and counts are of an iteration on one device.
struct BlockExplanation {
  std::string name;
  int device = 0; ///< the first one of the block
  std::vector<int> devices;
  std::vector<int> nodes; ///< ops whose names begin so
  int stage = -1;         ///< of the forward ops, -1: none
  int64_t microbatches = 1;
  int inFlight = 1;     ///< most microbatches whose activations are kept
  int replicas = 1;     ///< of the stage, that do the same
  std::string unfolded; ///< why all devices were planned; empty: one replica
  /// Kernels, by direction.
  std::array<int64_t, phaseCount> computeNs{};
  /// Messages that the device takes part in.
  struct Movement {
    ::soap::Phase phase = ::soap::Phase::Forward;
    std::string kind; ///< of a collective, or `transfer`
    int devices = 0;  ///< that take part
    bool betweenMachines = false;
    int64_t count = 0, ns = 0, bytes = 0;
    std::vector<std::string> values; ///< what is moved
    int64_t largestBytes = 0;        ///< of the first of them
  };
  std::vector<Movement> movements;
  int64_t parameterBytes = 0; ///< with states of the optimizer
  int64_t gradientBytes = 0;
  /// Kept for the backward pass: of one microbatch, and of ops that run once
  /// for all, as conversions of weights and masks do.
  int64_t activationBytes = 0, sharedBytes = 0;
};

/// Whether an op belongs to a block: it has its name, or one that begins with
/// it and a point.
bool isInBlock(llvm::StringRef op, llvm::StringRef block);

/// Describes what the ops of a block do in a finished plan. `quotient`: null,
/// or the plan. An order without stages is that of a strategy without
/// microbatches. There must be ops.
BlockExplanation explainBlock(const ::soap::PlanState &plan,
                              const ::soap::StageQuotient *quotient,
                              const ::soap::PassOrder &order,
                              const std::string &block);

void printBlock(const BlockExplanation &explanation, const ::soap::Graph &graph,
                const ::soap::Strategy &strategy,
                const ::soap::Topology &topology, llvm::raw_ostream &stream);
/// JSON, docs/Looking.md.
std::string printBlockReport(const BlockExplanation &explanation,
                             const ::soap::Graph &graph,
                             const ::soap::Strategy &strategy,
                             const ::soap::Topology &topology);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_EXPLAIN_BLOCKEXPLANATION_H
