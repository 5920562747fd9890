//===- MemoryProfile.h - Memory held over time, kept up to date -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far the memory held at each time point of a kernel is above its capacity,
// changed by ranges: points are in blocks, and what is added to a whole block
// is kept beside it with the block's maximum.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_COSTGRAPH_MEMORYPROFILE_H
#define SOAP_LIB_SEARCH_COSTGRAPH_MEMORYPROFILE_H

#include "Kernel.h"

namespace soap::costgraph {

class MemoryProfile {
public:
  explicit MemoryProfile(const Kernel &kernel);

  /// The memory of a choice of states, exactly.
  void assign(const std::vector<int> &states);
  /// A node changes its state.
  void move(int node, int from, int to);

  int blockCount() const { return static_cast<int>(blockMost.size()); }
  int blockOf(int time) const { return time / blockSize; }
  /// The most bytes above the capacity in a block; negative: all fits.
  int64_t excess(int block) const { return blockMost[block] + blockAdd[block]; }
  /// The first point of a block at which that is so.
  int worstPoint(int block) const;
  /// Whether nothing exceeds the capacity.
  bool fits() const;
  /// The sum of positive excesses of blocks, at most INT64_MAX.
  int64_t overload() const;

private:
  const Kernel &kernel;
  int blockSize;
  std::vector<int64_t> excesses; ///< by point, without the block's `add`
  std::vector<int64_t> blockMost, blockAdd;

  void add(int from, int to, int64_t bytes);
  void addWithin(int block, int from, int to, int64_t bytes);
};

} // namespace soap::costgraph

#endif // SOAP_LIB_SEARCH_COSTGRAPH_MEMORYPROFILE_H
