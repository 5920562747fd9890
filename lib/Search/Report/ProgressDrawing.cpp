//===- ProgressDrawing.cpp - How a search went, as a drawing --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The best time stays until there is a better one.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Report/ProgressDrawing.h"
#include "Support/StepChart.h"

#include <algorithm>

using namespace soap;

/// The number of proposals after which the best strategy was found.
static int64_t proposalsOfBest(const std::vector<McmcPoint> &curve) {
  for (const McmcPoint &point : curve)
    if (point.bestNs == curve.back().bestNs)
      return std::max<int64_t>(point.proposals, 0);
  return 0;
}

std::string soap::drawProgress(const McmcResult &result,
                               const std::string &title) {
  using svg::Quantity;
  const std::vector<McmcPoint> &curve = result.curve;
  svg::StepChart chart;
  chart.title = title;
  chart.subtitle = "Search: " + std::to_string(result.proposals) +
                   " proposals, " + std::to_string(result.accepted) +
                   " accepted, " +
                   svg::withUnit(Quantity::Seconds, result.seconds);
  chart.xTitle = "time of the search";
  chart.yTitle = "time of an iteration";
  chart.xQuantity = Quantity::Seconds;
  chart.yQuantity = Quantity::Nanoseconds;
  chart.emptyText = "No strategy that fits into memory was found.";
  chart.levelMeaning = "a strategy that the search starts from";
  if (curve.empty())
    return svg::drawStepChart(chart);
  auto best = static_cast<double>(curve.back().bestNs);
  chart.subtitle += "; the best strategy after " +
                    std::to_string(proposalsOfBest(curve)) + " proposals";
  svg::StepLine &line = chart.lines.emplace_back();
  line.label = "best so far: " + svg::withUnit(Quantity::Nanoseconds, best);
  for (const McmcPoint &point : curve)
    line.points.push_back(
        {.x = point.seconds, .y = static_cast<double>(point.bestNs)});
  for (size_t i = 0; i < result.initialNs.size(); ++i)
    chart.levels.push_back(
        {result.initialNames[i], static_cast<double>(result.initialNs[i])});
  // Presets that are far off would hide what the search gained.
  chart.maxY = std::max(line.points.front().y, 2 * best);
  return svg::drawStepChart(chart);
}
