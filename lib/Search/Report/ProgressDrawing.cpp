//===- ProgressDrawing.cpp - How a search went, as a drawing --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps, because the best stays until there is a better one. The axis of times
// is logarithmic where they differ much.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Report/ProgressDrawing.h"
#include "Soap/Support/Svg.h"

#include <algorithm>
#include <cmath>

using namespace soap;

namespace {

constexpr double width = 760, height = 400, left = 80, right = 150, top = 44,
                 bottom = 52;
const std::string grid = "#dddddd", ink = "#333333";

/// From values to pixels.
struct Axis {
  double low = 0, high = 1, from = 0, to = 1;
  bool logarithmic = false;
  double operator()(double value) const {
    double share = logarithmic ? std::log(value / low) / std::log(high / low)
                               : (value - low) / (high - low);
    return from + share * (to - from);
  }
  /// About `count` round values.
  std::vector<double> ticks(int count) const {
    std::vector<double> result;
    if (logarithmic && high / low > 4) {
      for (double decade = std::pow(10, std::floor(std::log10(low)));
           decade <= high; decade *= 10)
        for (double step : {1.0, 2.0, 5.0})
          if (decade * step >= low && decade * step <= high)
            result.push_back(decade * step);
      return result;
    }
    double step = std::pow(10, std::floor(std::log10((high - low) / count)));
    for (double factor : {1.0, 2.0, 5.0, 10.0})
      if ((high - low) / (step * factor) <= count) {
        step *= factor;
        break;
      }
    for (double tick = std::ceil(low / step) * step; tick <= high + step * 1e-9;
         tick += step)
      result.push_back(tick);
    return result;
  }
};

} // namespace

std::string soap::drawProgress(const McmcResult &result) {
  svg::Drawing drawing;
  const std::vector<McmcPoint> &curve = result.curve;
  drawing.text(left, 20,
               "search: " + std::to_string(result.proposals) + " proposals, " +
                   std::to_string(result.accepted) + " accepted, " +
                   svg::number(std::round(result.seconds * 100) / 100) + " s",
               {.fill = ink, .fontSize = 14, .bold = true});
  if (curve.empty()) {
    drawing.text(left, top + 20, "no strategy that fits into memory was found",
                 {.fill = ink});
    return drawing.file(width, height);
  }
  auto milliseconds = [](int64_t ns) { return static_cast<double>(ns) * 1e-6; };
  Axis x{.high = std::max(result.seconds, 1e-6),
         .from = left,
         .to = width - right};
  double best = milliseconds(curve.back().bestNs),
         worst = milliseconds(curve.front().bestNs);
  // A line for every start that is not far off, with what the best gained.
  double most = std::max(worst, 2 * best);
  for (int64_t ns : result.initialNs)
    if (milliseconds(ns) <= most)
      worst = std::max(worst, milliseconds(ns));
  Axis y{.low = std::max(best * 0.97, 1e-9),
         .high = std::max(worst * 1.02, best * 1.0001),
         .from = height - bottom,
         .to = top};
  y.logarithmic = worst > 3 * best;

  for (double tick : y.ticks(7)) {
    drawing.line(left, y(tick), width - right, y(tick), {.stroke = grid});
    drawing.text(left - 6, y(tick) + 4, svg::number(tick),
                 {.fill = ink, .anchor = "end"});
  }
  for (double tick : x.ticks(8)) {
    drawing.line(x(tick), top, x(tick), height - bottom, {.stroke = grid});
    drawing.text(x(tick), height - bottom + 15, svg::number(tick),
                 {.fill = ink, .anchor = "middle"});
  }
  drawing.text((left + width - right) / 2, height - 14, "seconds of search",
               {.fill = ink, .anchor = "middle"});
  drawing.text(8, top - 10, "ms per iteration", {.fill = ink});

  // Names of starts at the right, apart from each other.
  std::vector<std::pair<double, std::string>> names;
  for (size_t i = 0; i < result.initialNs.size(); ++i) {
    double value = milliseconds(result.initialNs[i]);
    if (value > y.high || value < y.low)
      continue;
    drawing.line(left, y(value), width - right, y(value),
                 {.stroke = "#c44e52", .opacity = 0.6, .dashes = "4 3"});
    names.push_back({y(value), result.initialNames[i]});
  }
  std::sort(names.begin(), names.end());
  double last = top - 20;
  for (auto &[at, name] : names) {
    last = std::max(last + 13, at + 4);
    drawing.text(width - right + 6, last, svg::shortened(name, right - 10, 11),
                 {.fill = "#c44e52"});
  }

  std::vector<double> corners;
  for (const McmcPoint &point : curve) {
    if (!corners.empty())
      corners.insert(corners.end(), {x(point.seconds), corners.back()});
    corners.insert(corners.end(),
                   {x(point.seconds), y(milliseconds(point.bestNs))});
  }
  drawing.polyline(corners, {.stroke = "#4878cf", .strokeWidth = 2});
  drawing.text(
      width - right, y(best) - 7,
      svg::number(best) + " ms after " +
          std::to_string(std::max<int64_t>(
              curve[curve.size() > 1 ? curve.size() - 2 : 0].proposals, 0)) +
          " proposals",
      {.fill = "#4878cf", .anchor = "end", .bold = true});
  return drawing.file(width, height);
}
