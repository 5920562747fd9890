//===- StrategyLayout.cpp - Where the ops of a drawing are ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice between two layouts.
//
//===----------------------------------------------------------------------===//

#include "Search/Report/StrategyLayout.h"

#include "Search/Report/LayoutParts.h"

#include <algorithm>

using namespace soap;

StrategyLayout
soap::layOut(const ParallelizationProblem &problem, const Strategy &strategy,
             const std::function<double(const OpBox &box)> &below) {
  layout::Boxes boxes(problem, strategy);
  double height = 0;
  for (const layout::Boxes::Box &box : boxes.boxes)
    if (!box.junction())
      height = std::max(height, below(box.drawn));
  if (auto layers = layout::layOutOverTime(boxes.boxes, height))
    return *layers;
  return layout::layOutInLines(boxes, height);
}
