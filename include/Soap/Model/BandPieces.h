//===- BandPieces.h - Pieces of a space with a band -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pieces of a split space have points that count, and how many: of causal
// attention whose queries and keys are split, those on and below the diagonal.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_BANDPIECES_H
#define SOAP_MODEL_BANDPIECES_H

#include "Soap/Model/IterationSpace.h"

namespace soap {

struct Graph;

/// The pieces of a space with a band under some degrees.
class BandPieces {
public:
  /// Of a space that has a band. Keeps no references.
  BandPieces(const IterationSpace &space, const std::vector<int64_t> &degrees);

  /// Points of the two loops that count in the piece at these coordinates of
  /// the rows and columns.
  int64_t pointsAt(int64_t row, int64_t column) const;
  /// The piece has no points, and whatever it writes is written by another one
  /// that has. Other pieces without points write neutral values.
  bool isAbsent(int64_t row, int64_t column) const;

private:
  Band band;
  int64_t rowExtent, columnExtent, rowDegree, columnDegree;
  /// By row and by column: some piece has points.
  std::vector<bool> rowMeets, columnMeets;
  bool someMeets = false;
  /// Some result does not have columns (rows, either of them), so that pieces
  /// of other columns (rows, of both) write the same elements.
  bool sharesRows = false, sharesColumns = false, sharesNothing = false;

  Interval rowsAt(int64_t row) const { return cut(rowExtent, rowDegree, row); }
  Interval columnsAt(int64_t column) const {
    return cut(columnExtent, columnDegree, column);
  }
};

/// Permutes the positions of all bands of a graph: pieces have equal parts of
/// them (Band::share).
void permuteBands(Graph &graph);

} // namespace soap

#endif // SOAP_MODEL_BANDPIECES_H
