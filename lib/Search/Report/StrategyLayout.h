//===- StrategyLayout.h - Where the ops of a drawing are --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes, frames and edges of a strategy's drawing, in pixels. What is in a box
// is not decided here.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_REPORT_STRATEGYLAYOUT_H
#define SOAP_LIB_SEARCH_REPORT_STRATEGYLAYOUT_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

#include <functional>

namespace soap {

/// Side of a box.
constexpr double boxSide = 40;

/// An update op whose pieces are smaller than the tiles of the parameter that
/// the forward pass reads.
struct CutUpdate {
  int node = -1;
  int64_t pieces = 1;
  int64_t bytes = 0; ///< of the parameter
};

/// An op that is drawn.
struct OpBox {
  /// Its leader's; -1: a junction, where other boxes are joined.
  int group = -1;
  std::vector<int> alike; ///< groups after it in its module, split the same way
  std::vector<CutUpdate> updates; ///< of parameters that no box before it reads
  std::string label;              ///< its name without what its frame says
  /// The first parts of its name, where all of it is too wide.
  std::string prefix;
  /// It stands for the same op of so many modules; where no frame says so, the
  /// prefix does.
  int times = 1;
  double x = 0, y = 0; ///< upper left corner
};

/// A module, or a layer over time.
struct OpFrame {
  std::string label;
  double x = 0, y = 0, width = 0, height = 0;
};

/// Height of the line of prefixes.
constexpr double prefixHeight = 9;

/// A line from box to box, as x, y, x, y, ....
using OpEdge = std::vector<double>;

struct StrategyLayout {
  std::vector<OpBox> boxes;
  std::vector<OpFrame> frames;
  std::vector<OpEdge> edges;
  double width = 0, height = 0;
  bool overTime = false; ///< frames are layers, time goes to the right
  double labelWidth = 0; ///< that a text above or below a box may have
};

/// `below(box)`: pixels that the texts below a box take.
StrategyLayout layOut(const ParallelizationProblem &problem,
                      const Strategy &strategy,
                      const std::function<double(const OpBox &box)> &below);

} // namespace soap

#endif // SOAP_LIB_SEARCH_REPORT_STRATEGYLAYOUT_H
