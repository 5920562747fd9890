//===- MemoryProfile.cpp - Memory held over time, kept up to date ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MemoryProfile.h.
//
//===----------------------------------------------------------------------===//

#include "MemoryProfile.h"

using namespace soap;
using namespace soap::costgraph;

/// Blocks are small enough to be scanned, and few enough to be summed.
static int chooseBlockSize(int points) {
  return std::clamp(points / 256, 1, 64);
}

MemoryProfile::MemoryProfile(const Kernel &kernel)
    : kernel(kernel), blockSize(chooseBlockSize(kernel.timeCount())) {
  size_t blocks = (kernel.capacity.size() + blockSize - 1) / blockSize;
  blockMost.resize(blocks);
  blockAdd.resize(blocks);
}

void MemoryProfile::assign(const std::vector<int> &states) {
  excesses.assign(kernel.capacity.size() + 1, 0);
  for (size_t n = 0; n < states.size(); ++n)
    for (const Piece &piece : kernel.nodes[n].pieces) {
      excesses[piece.from] += piece.bytes[states[n]];
      excesses[piece.to] -= piece.bytes[states[n]];
    }
  int64_t held = 0;
  for (size_t t = 0; t < kernel.capacity.size(); ++t) {
    held += excesses[t];
    excesses[t] = held - kernel.capacity[t];
  }
  excesses.pop_back();
  std::fill(blockAdd.begin(), blockAdd.end(), 0);
  for (int b = 0; b < blockCount(); ++b)
    addWithin(b, b * blockSize, b * blockSize, 0);
}

void MemoryProfile::addWithin(int block, int from, int to, int64_t bytes) {
  for (int t = from; t < to; ++t)
    excesses[t] += bytes;
  auto begin = excesses.begin() + block * blockSize;
  auto end = excesses.begin() + std::min((block + 1) * blockSize,
                                         static_cast<int>(excesses.size()));
  blockMost[block] = *std::max_element(begin, end);
}

void MemoryProfile::add(int from, int to, int64_t bytes) {
  if (from >= to)
    return;
  int first = from / blockSize, last = (to - 1) / blockSize;
  if (first == last)
    return addWithin(first, from, to, bytes);
  addWithin(first, from, (first + 1) * blockSize, bytes);
  for (int b = first + 1; b < last; ++b)
    blockAdd[b] += bytes;
  addWithin(last, last * blockSize, to, bytes);
}

void MemoryProfile::move(int node, int from, int to) {
  if (from == to)
    return;
  for (const Piece &piece : kernel.nodes[node].pieces)
    if (int64_t bytes = piece.bytes[to] - piece.bytes[from])
      add(piece.from, piece.to, bytes);
}

int MemoryProfile::worstPoint(int block) const {
  int t = block * blockSize;
  while (excesses[t] != blockMost[block])
    ++t;
  return t;
}

bool MemoryProfile::fits() const {
  for (int b = 0; b < blockCount(); ++b)
    if (excess(b) > 0)
      return false;
  return true;
}

int64_t MemoryProfile::overload() const {
  int64_t sum = 0;
  for (int b = 0; b < blockCount(); ++b)
    sum += std::min(std::max(excess(b), int64_t(0)), INT64_MAX - sum);
  return sum;
}
