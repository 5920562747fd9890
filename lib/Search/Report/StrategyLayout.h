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

namespace soap {

/// Side of a box.
constexpr double boxSide = 40;

/// An op that is drawn.
struct OpBox {
  /// Its leader's; -1: a junction, where other boxes are put together.
  int group = -1;
  std::vector<int> alike; ///< groups after it in its module, cut the same way
  std::string label;      ///< its name without what its frame says
  double x = 0, y = 0;    ///< upper left corner
};

/// A module, or a layer over time.
struct OpFrame {
  std::string label;
  double x = 0, y = 0, width = 0, height = 0;
};

/// A line from box to box.
struct OpEdge {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  enum Shape {
    Right, ///< leaves and arrives horizontally
    Over,  ///< the same, around what is between
    Up
  } shape = Right;
};

struct StrategyLayout {
  std::vector<OpBox> boxes;
  std::vector<OpFrame> frames;
  std::vector<OpEdge> edges;
  double width = 0, height = 0;
};

StrategyLayout layOut(const ParallelizationProblem &problem,
                      const Strategy &strategy);

} // namespace soap

#endif // SOAP_LIB_SEARCH_REPORT_STRATEGYLAYOUT_H
