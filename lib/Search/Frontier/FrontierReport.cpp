//===- FrontierReport.cpp - Frontiers as JSON and as a drawing ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FrontierSearch.h; the format is in docs/Frontier.md.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Frontier/FrontierSearch.h"
#include "Soap/Support/Svg.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace soap;

using Json = nlohmann::ordered_json;

static Json describe(const Graph &graph, const DeviceFrontier &frontier) {
  Json points = Json::array();
  for (const FrontierStrategy &point : frontier.points) {
    Json entry = {{"memory_bytes", point.memoryBytes},
                  {"time_ns", point.timeNs}};
    if (!point.start.empty()) {
      entry["start"] = point.start;
    } else if (point.estimatedNs > 0) {
      entry["estimated_memory_bytes"] = point.estimatedBytes;
      entry["estimated_time_ns"] = point.estimatedNs;
    }
    for (const KeptValue &kept : point.keeps)
      entry["keep"].push_back({{"value", graph.values[kept.value].name},
                               {"form", keepName(kept.keep)}});
    points.push_back(std::move(entry));
  }
  return {{"devices", frontier.devices},
          {"complete", frontier.complete},
          {"guaranteed", frontier.guarantee != FrontierGuarantee::Nothing},
          {"error_bound", frontier.errorBound},
          {"guaranteed_of", guaranteeName(frontier.guarantee)},
          {"candidate_strategies", frontier.candidateStrategies},
          {"tied_layers", frontier.tiedLayers},
          {"least_bytes", frontier.leastBytes},
          {"nodes", frontier.nodes},
          {"configs", frontier.configs},
          {"pairs", frontier.pairs},
          {"priced_pairs", frontier.pricedPairs},
          {"positions", frontier.positions},
          {"heuristic_eliminations", frontier.heuristicEliminations},
          {"tracked", frontier.tracked},
          {"simulated", frontier.simulated},
          {"peak_bytes", frontier.peakBytes},
          {"price_seconds", frontier.priceSeconds},
          {"track_seconds", frontier.trackSeconds},
          {"simulate_seconds", frontier.simulateSeconds},
          {"points", std::move(points)}};
}

std::string soap::printFrontiers(const ParallelizationProblem &problem,
                                 const FrontierSearchOptions &options,
                                 const FrontierSearchResult &result) {
  Json frontiers = Json::array();
  for (const DeviceFrontier &frontier : result.frontiers)
    frontiers.push_back(describe(problem.getGraph(), frontier));
  Json file = {
      {"version", 1},
      {"topology", problem.getTopology().name},
      {"mode", modeName(options.mode)},
      {"capacity_bytes", capacityOf(problem.getTopology(), options.limitBytes)},
      {"devices", result.devices},
      {"best_time_ns", result.search.bestEvaluation.makespanNs},
      {"frontiers", std::move(frontiers)}};
  // Names of topologies are bytes of a file.
  return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

constexpr double width = 760, height = 420, left = 80, right = 130, top = 44,
                 bottom = 56;
const std::string grid = "#dddddd", ink = "#333333";

/// From values to pixels, logarithmic.
struct Axis {
  double low = 1, high = 2, from = 0, to = 1;
  double operator()(double value) const {
    return from + std::log(value / low) / std::log(high / low) * (to - from);
  }
  /// 1, 2 and 5 times powers of ten; all digits where there are few of them.
  std::vector<double> ticks() const {
    std::vector<double> result;
    for (double decade = std::pow(10, std::floor(std::log10(low)));
         decade <= high; decade *= 10)
      for (int digit = 1; digit < 10; ++digit)
        if (double tick = decade * digit;
            tick >= low && tick <= high &&
            (high / low < 5 || digit == 1 || digit == 2 || digit == 5))
          result.push_back(tick);
    return result;
  }
};

class FrontierDrawing {
public:
  FrontierDrawing(const std::vector<FrontierCurve> &curves, int64_t limitBytes)
      : curves(curves), limit(gigabytes(limitBytes)) {}

  std::string draw() {
    drawing.text(left, 20, "memory of a device and time of an iteration",
                 {.fill = ink, .fontSize = 14, .bold = true});
    if (!findRanges()) {
      drawing.text(left, top + 20, "nothing was found", {.fill = ink});
      return drawing.file(width, height);
    }
    drawAxes();
    int position = 0;
    auto count = static_cast<int>(curves.size());
    for (const FrontierCurve &curve : curves)
      drawLine(curve, svg::deviceColour(0, 1, position++, count));
    return drawing.file(width, height);
  }

private:
  const std::vector<FrontierCurve> &curves;
  double limit;
  svg::Drawing drawing;
  Axis x, y;
  double nextLabel = top + 10;

  static double gigabytes(int64_t bytes) {
    return std::max(static_cast<double>(bytes), 1.0) * 1e-9;
  }
  static double milliseconds(int64_t ns) {
    return std::max(static_cast<double>(ns), 1.0) * 1e-6;
  }

  bool findRanges() {
    double lowX = 1e30, highX = 0, lowY = 1e30, highY = 0;
    for (const FrontierCurve &curve : curves)
      for (const FrontierStrategy &point : curve.points) {
        lowX = std::min(lowX, gigabytes(point.memoryBytes));
        highX = std::max(highX, gigabytes(point.memoryBytes));
        lowY = std::min(lowY, milliseconds(point.timeNs));
        highY = std::max(highY, milliseconds(point.timeNs));
      }
    x = {lowX * 0.95, highX * 1.05, left, width - right};
    y = {lowY * 0.95, highY * 1.05, height - bottom, top};
    return highX > 0;
  }

  void drawAxes() {
    for (double tick : y.ticks()) {
      drawing.line(left, y(tick), width - right, y(tick), {.stroke = grid});
      drawing.text(left - 6, y(tick) + 4, svg::number(tick),
                   {.fill = ink, .anchor = "end"});
    }
    for (double tick : x.ticks()) {
      drawing.line(x(tick), top, x(tick), height - bottom, {.stroke = grid});
      drawing.text(x(tick), height - bottom + 16, svg::number(tick),
                   {.fill = ink, .anchor = "middle"});
    }
    drawing.text((left + width - right) / 2, height - 14,
                 "GB of the device that holds most",
                 {.fill = ink, .anchor = "middle"});
    drawing.text(left - 60, top - 10, "ms", {.fill = ink});
    if (limit >= x.low && limit <= x.high) {
      drawing.line(x(limit), top, x(limit), height - bottom,
                   {.stroke = ink, .dashes = "4 3"});
      drawing.text(x(limit) + 4, top + 12, "limit", {.fill = ink});
    }
  }

  /// Steps: with more memory the strategy before is still there.
  void drawLine(const FrontierCurve &curve, const std::string &colour) {
    if (curve.points.empty())
      return;
    std::vector<double> corners;
    for (const FrontierStrategy &point : curve.points) {
      double px = x(gigabytes(point.memoryBytes)),
             py = y(milliseconds(point.timeNs));
      if (!corners.empty()) {
        double before = corners.back();
        corners.insert(corners.end(), {px, before});
      }
      corners.insert(corners.end(), {px, py});
    }
    corners.insert(corners.end(), {width - right, corners.back()});
    drawing.polyline(corners, {.stroke = colour, .strokeWidth = 1.5});
    for (const FrontierStrategy &point : curve.points)
      drawing.rectangle(x(gigabytes(point.memoryBytes)) - 2.5,
                        y(milliseconds(point.timeNs)) - 2.5, 5, 5,
                        {.fill = point.start.empty() ? colour : ink},
                        tooltip(curve, point));
    double place = std::max(corners.back() + 4, nextLabel);
    nextLabel = place + 14;
    drawing.text(width - right + 6, place,
                 svg::shortened(curve.label, right - 10, 12), {.fill = colour});
  }

  static std::string tooltip(const FrontierCurve &curve,
                             const FrontierStrategy &point) {
    auto rounded = [](double value) {
      return svg::number(std::round(value * 1000) / 1000);
    };
    return (point.start.empty() ? "" : point.start + ": ") +
           rounded(gigabytes(point.memoryBytes)) + " GB, " +
           rounded(milliseconds(point.timeNs)) + " ms, " + curve.label;
  }
};

} // namespace

std::vector<FrontierCurve> soap::curvesOf(const FrontierSearchResult &result) {
  std::vector<FrontierCurve> curves;
  for (const DeviceFrontier &frontier : result.frontiers)
    curves.push_back({std::to_string(frontier.devices) +
                          (frontier.devices == 1 ? " device" : " devices"),
                      frontier.points});
  return curves;
}

std::string soap::drawFrontiers(const std::vector<FrontierCurve> &curves,
                                int64_t limitBytes) {
  return FrontierDrawing(curves, limitBytes).draw();
}
