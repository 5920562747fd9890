//===- BandPieces.cpp - Pieces of a space with a band ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BandPieces.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/BandPieces.h"

#include "Soap/Model/Graph.h"

#include <algorithm>
#include <cassert>

using namespace soap;

BandPieces::BandPieces(const IterationSpace &space,
                       const std::vector<int64_t> &degrees)
    : band(*space.band) {
  assert(degrees.size() == space.loops.size() && "a degree a loop");
  auto rows = static_cast<size_t>(band.rows),
       columns = static_cast<size_t>(band.columns);
  rowExtent = space.loops[rows].extent;
  columnExtent = space.loops[columns].extent;
  rowDegree = degrees[rows];
  columnDegree = degrees[columns];
  for (int64_t r = 0; r < rowDegree; ++r)
    rowMeets.push_back(band.meets(rowsAt(r), {0, columnExtent}));
  for (int64_t c = 0; c < columnDegree; ++c)
    columnMeets.push_back(band.meets({0, rowExtent}, columnsAt(c)));
  someMeets = band.meets({0, rowExtent}, {0, columnExtent});
  for (const ResultAccess &result : space.results) {
    bool hasRows = usesLoop(result.map, band.rows),
         hasColumns = usesLoop(result.map, band.columns);
    sharesRows |= hasRows && !hasColumns;
    sharesColumns |= hasColumns && !hasRows;
    sharesNothing |= hasRows && hasColumns;
  }
}

int64_t BandPieces::pointsAt(int64_t row, int64_t column) const {
  constexpr double most = 0x1p62;
  return static_cast<int64_t>(
      std::min(band.count(rowsAt(row), columnsAt(column)), most));
}

bool BandPieces::isAbsent(int64_t row, int64_t column) const {
  return someMeets && !sharesNothing &&
         !band.meets(rowsAt(row), columnsAt(column)) &&
         (!sharesRows || rowMeets[static_cast<size_t>(row)]) &&
         (!sharesColumns || columnMeets[static_cast<size_t>(column)]);
}

void soap::permuteBands(Graph &graph) {
  auto permute = [](IterationSpace &space) {
    if (!space.band)
      return;
    Band &band = *space.band;
    LoopBox box = space.wholeBox();
    const Interval &rows = box[static_cast<size_t>(band.rows)],
                   &columns = box[static_cast<size_t>(band.columns)];
    band.share = 0;
    if (double points = band.count(rows, columns); points > 0)
      band.share = points / (static_cast<double>(rows.size()) *
                             static_cast<double>(columns.size()));
  };
  for (GraphNode &node : graph.nodes) {
    permute(node.whole.space);
    for (Kernel &stage : node.stages)
      permute(stage.space);
  }
}
