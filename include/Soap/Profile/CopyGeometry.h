//===- CopyGeometry.h - How a part of a tile lies in memory -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape of a copy: its bytes, its contiguous runs, and which of them no
// cache holds. Tiles are packed row-major, so a part of one is a number of
// contiguous runs; each costs something by itself, and runs that no cache holds
// cost more.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PROFILE_COPYGEOMETRY_H
#define SOAP_PROFILE_COPYGEOMETRY_H

#include "Soap/Model/Region.h"

#include <array>

namespace soap {

/// A part of a tile that is copied into another tile, or sent.
struct CopyPart {
  int64_t bytes = 0;
  int64_t runs = 1;        ///< contiguous in both tiles, as long as possible
  int64_t sourceBytes = 0; ///< of the whole tile that it is read from
  int64_t targetBytes = 0; ///< of the whole tile or message that it is put into
  /// The source is an input of the graph, which no task of the iteration has
  /// written: data, or a weight since its last update.
  bool isInput = false;

  bool operator==(const CopyPart &) const = default;
};
using CopyParts = InlineVector<CopyPart, 4>;

/// The sizes that curves of copies are functions of, beside a constant and the
/// bytes that are read and written: bytes that are not made where they belong,
/// contiguous runs of these, and both of parts that are likely in no cache.
struct CopySizes {
  int64_t copiedBytes = 0, runs = 0, coldBytes = 0, coldRuns = 0;

  bool operator==(const CopySizes &) const = default;
};

/// Names of the sizes, which are the loops of a profile's tables of copies.
constexpr std::array<const char *, 4> copySizeNames = {
    "copied", "runs", "cold_bytes", "cold_runs"};

/// Of a profile that does not say how large the cache of a device is.
constexpr int64_t defaultCacheBytes = 1 << 20;

/// Number of contiguous runs of the elements that `source` and `target` stand
/// for, in the same order: each is a set of positions of a packed tile of the
/// given region's shape. 0 if there are none. Sets of the same sizes; tiles are
/// `sourceTile` and `targetTile`, by size of each dim.
int64_t contiguousRuns(const Region &source,
                       const std::vector<int64_t> &sourceTile,
                       const Region &target,
                       const std::vector<int64_t> &targetTile);
/// The same of a part that both packed tiles hold, all as regions of one
/// tensor.
int64_t contiguousRuns(const Region &part, const Region &sourceTile,
                       const Region &targetTile);

/// Sizes of a tile that is assembled from parts. Whole tiles that lie one
/// after the other are made in place, unless they are inputs.
CopySizes assembleSizes(const CopyParts &parts, int64_t cacheBytes);
/// Sizes of a part that is packed to be sent; nothing of one that is
/// contiguous, which is sent as it lies.
CopySizes packSizes(const CopyPart &part, int64_t cacheBytes);

} // namespace soap

#endif // SOAP_PROFILE_COPYGEOMETRY_H
