//===- CopyGeometry.cpp - How a part of a tile lies in memory -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CopyGeometry.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Profile/CopyGeometry.h"

#include <algorithm>

using namespace soap;

/// Runs of positions that are consecutive in both sets.
static int64_t runsOfDim(const IndexSet &source, const IndexSet &target) {
  const Intervals &a = source.intervals(), &b = target.intervals();
  size_t i = 0, j = 0;
  int64_t usedA = 0, usedB = 0, runs = 0;
  while (i < a.size() && j < b.size()) {
    int64_t length = std::min(a[i].size() - usedA, b[j].size() - usedB);
    usedA += length;
    usedB += length;
    ++runs;
    if (usedA == a[i].size()) {
      ++i;
      usedA = 0;
    }
    if (usedB == b[j].size()) {
      ++j;
      usedB = 0;
    }
  }
  return runs;
}

int64_t soap::contiguousRuns(const Region &source,
                             const std::vector<int64_t> &sourceTile,
                             const Region &target,
                             const std::vector<int64_t> &targetTile) {
  if (source.empty())
    return 0;
  // From the innermost dim outwards: as long as whole rows of both tiles are
  // copied, rows are one run; beyond, every row is runs of its own.
  int64_t runs = 1;
  bool isWhole = true;
  for (size_t d = source.rank(); d-- > 0;) {
    int64_t size = source[d].size();
    if (!isWhole) {
      runs *= size;
      continue;
    }
    runs = runsOfDim(source[d], target[d]);
    isWhole = size == sourceTile[d] && size == targetTile[d];
  }
  return runs;
}

int64_t soap::contiguousRuns(const Region &part, const Region &sourceTile,
                             const Region &targetTile) {
  if (part.empty())
    return 0;
  int64_t runs = 1;
  bool isWhole = true;
  for (size_t d = part.rank(); d-- > 0;) {
    const IndexSet &set = part[d], &from = sourceTile[d], &to = targetTile[d];
    if (!isWhole) {
      runs *= set.size();
      continue;
    }
    runs = from.isInterval() && to.isInterval()
               ? 1
               : runsOfDim(from.positionsOf(set), to.positionsOf(set));
    isWhole = set == from && set == to;
  }
  return runs;
}

static bool isCold(const CopyPart &part, int64_t cacheBytes) {
  return part.isInput ||
         std::max(part.sourceBytes, part.targetBytes) > cacheBytes;
}

static void add(CopySizes &sizes, const CopyPart &part, int64_t cacheBytes) {
  sizes.copiedBytes += part.bytes;
  sizes.runs += part.runs;
  if (!isCold(part, cacheBytes))
    return;
  sizes.coldBytes += part.bytes;
  sizes.coldRuns += part.runs;
}

CopySizes soap::assembleSizes(const CopyParts &parts, int64_t cacheBytes) {
  bool inPlace =
      std::all_of(parts.begin(), parts.end(), [](const CopyPart &part) {
        return part.runs == 1 && part.bytes == part.sourceBytes;
      });
  CopySizes sizes;
  for (const CopyPart &part : parts)
    if (!inPlace || part.isInput)
      add(sizes, part, cacheBytes);
  return sizes;
}

CopySizes soap::packSizes(const CopyPart &part, int64_t cacheBytes) {
  CopySizes sizes;
  if (part.runs > 1)
    add(sizes, part, cacheBytes);
  return sizes;
}
