//===- StrategyDrawing.h - Strategies as drawings ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strategy of a network as in Figures 13 and 14 of the SOAP paper: a grid
// of shards per op, coloured by device.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_REPORT_STRATEGYDRAWING_H
#define SOAP_SEARCH_REPORT_STRATEGYDRAWING_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace soap {

/// An SVG. Each group of ops is a box with the name of its leader. Rows are
/// splits of sample and attribute loops, columns splits of parameter and
/// reduction loops, replicas are boxes beside each other, and the colour of a
/// cell is its device. Texts below a box count the pieces (`samples/4`). A
/// strip below a box shows the update of its largest parameter where that is
/// split further than the parameter (ZeRO). Networks that are unrolled over
/// time have a row per layer; others go from left to right, line by line.
/// Modules (names with a common first part) have a frame; equal ones in a row
/// are drawn once. `title` is written on top. A legend explains every mark.
std::string drawStrategy(const ParallelizationProblem &problem,
                         const Strategy &strategy, const std::string &title);

} // namespace soap

#endif // SOAP_SEARCH_REPORT_STRATEGYDRAWING_H
