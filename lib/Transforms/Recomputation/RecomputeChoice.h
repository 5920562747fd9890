//===- RecomputeChoice.h - Which ops are worth recomputing ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of the forward pass, and which of their ops the backward pass computes
// again: all (full activation checkpointing), or those that are cheap to
// compute and large to keep (selective recomputation; Korthikanti et al.,
// 2022).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_RECOMPUTATION_RECOMPUTECHOICE_H
#define SOAP_LIB_TRANSFORMS_RECOMPUTATION_RECOMPUTECHOICE_H

#include "Recompute.h"
#include "Transforms/Support/StrategySupport.h"

namespace mlir::soap {

/// How much of a block is recomputed, from little to much.
enum class RecomputePolicy { None, Selective, Whole };

/// The share of the forward pass's time that selective recomputation may take,
/// by default.
inline constexpr double kSelectiveBudget = 0.1;

/// The blocks of a forward pass: nodes in program order. What one block reads
/// of another one is kept always. Blocks that repeat (GroupBlocks.h) come from
/// there; what lies between them is cut into pieces of about the root of the
/// number of all ops (Chen et al., 2016).
std::vector<std::vector<int>> forwardBlocks(const FunctionProblem &target);

class RecomputeChoice {
public:
  /// Prices ops by a strategy. `budget`: the share of the forward pass's time
  /// that selective recomputation may take. Keeps references.
  RecomputeChoice(const FunctionProblem &target, const ForwardPass &pass,
                  const ::soap::Strategy &strategy, double budget);

  size_t blockCount() const { return blocks.size(); }
  /// The nodes that are recomputed; policies by block.
  std::vector<bool> choose(ArrayRef<RecomputePolicy> policies) const;
  /// Bytes of all values that are kept from the forward pass for the backward
  /// pass, not split, if some nodes are recomputed.
  int64_t keptBytes(const std::vector<bool> &nodes) const;
  /// The time of some nodes as a share of the forward pass's.
  double shareOf(const std::vector<bool> &nodes) const;

private:
  bool crosses(int node) const;
  void chooseSelective(double budget);
  int64_t bytesOf(int value) const {
    return pass.getOpGraph().graph.values[value].bytes();
  }

  const ForwardPass &pass;
  std::vector<std::vector<int>> blocks;
  std::vector<int> blockOf;    ///< by node, -1: of none
  std::vector<int64_t> ns;     ///< by node
  int64_t forwardNs = 1;       ///< of all nodes of the forward pass
  std::vector<bool> whole;     ///< nodes that full recomputation takes
  std::vector<bool> selective; ///< of these, the ones of selective
};

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_RECOMPUTATION_RECOMPUTECHOICE_H
