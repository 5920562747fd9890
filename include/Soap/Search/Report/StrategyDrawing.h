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

/// An SVG. Each group of ops is a box named after its leader: rows are cuts of
/// sample and attribute loops, columns are cuts of parameter and reduction
/// loops, replicas are boxes beside each other, and the colour of a cell is its
/// device. Networks that are unrolled over time have a row per layer, others
/// go from left to right, line by line; modules (names with a common first
/// part) have a frame, and equal modules in a row are drawn once. `title` is
/// written on top.
std::string drawStrategy(const ParallelizationProblem &problem,
                         const Strategy &strategy, const std::string &title);

} // namespace soap

#endif // SOAP_SEARCH_REPORT_STRATEGYDRAWING_H
