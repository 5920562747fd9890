//===- FrontierReport.cpp - Frontiers as JSON and as a drawing ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FrontierSearch.h; the format is in docs/Frontier.md.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Frontier/FrontierSearch.h"
#include "Support/StepChart.h"

#include <algorithm>
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

std::vector<FrontierCurve> soap::curvesOf(const FrontierSearchResult &result) {
  std::vector<FrontierCurve> curves;
  for (const DeviceFrontier &frontier : result.frontiers)
    curves.push_back({std::to_string(frontier.devices) +
                          (frontier.devices == 1 ? " device" : " devices"),
                      frontier.points});
  return curves;
}

std::string soap::drawFrontiers(const std::vector<FrontierCurve> &curves,
                                int64_t limitBytes, const std::string &title) {
  using svg::Quantity;
  auto amount = [](int64_t value) {
    return std::max(static_cast<double>(value), 1.0);
  };
  svg::StepChart chart;
  chart.title = title;
  chart.subtitle = "Frontier of memory and time. A device has " +
                   svg::withUnit(Quantity::Bytes, amount(limitBytes)) + ".";
  chart.xTitle = "memory of the device that holds most";
  chart.yTitle = "time of an iteration";
  chart.xQuantity = Quantity::Bytes;
  chart.yQuantity = Quantity::Nanoseconds;
  chart.xLogarithmic = chart.yLogarithmic = chart.pointMarks = true;
  chart.pointMeaning = "a strategy that the search has found";
  chart.xLimit = {"memory of a device", amount(limitBytes)};
  chart.emptyText = "No strategy was found.";
  for (const FrontierCurve &curve : curves) {
    svg::StepLine &line = chart.lines.emplace_back();
    line.label = curve.label;
    for (const FrontierStrategy &point : curve.points) {
      svg::StepPoint &mark = line.points.emplace_back();
      mark.x = amount(point.memoryBytes);
      mark.y = amount(point.timeNs);
      if (!point.start.empty()) {
        std::string kind = "preset " + point.start;
        auto known = std::find(chart.kinds.begin(), chart.kinds.end(), kind);
        mark.kind = static_cast<int>(known - chart.kinds.begin());
        if (known == chart.kinds.end())
          chart.kinds.push_back(kind);
      }
      mark.tooltip = (point.start.empty() ? "" : point.start + ": ") +
                     svg::withUnit(Quantity::Bytes, mark.x) + ", " +
                     svg::withUnit(Quantity::Nanoseconds, mark.y) + ", " +
                     curve.label;
    }
  }
  return svg::drawStepChart(chart);
}
