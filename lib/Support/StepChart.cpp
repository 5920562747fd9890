//===- StepChart.cpp - Charts of what falls in steps ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StepChart.h. Names of lines and levels stand at the right edge, moved
// apart from each other and joined to their line by a leader.
//
//===----------------------------------------------------------------------===//

#include "Support/StepChart.h"

#include "Svg.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>

using namespace soap;
using namespace soap::svg;

double Axis::operator()(double value) const {
  assert((!logarithmic || (low > 0 && value > 0)) &&
         "logarithms of positive values");
  double share = logarithmic ? std::log(value / low) / std::log(high / low)
                             : (value - low) / (high - low);
  return from + share * (to - from);
}

/// 1, 2 and 5 times powers of ten, or the powers alone where those are too
/// many.
static std::vector<double> decadeTicks(double low, double high, int count) {
  std::vector<double> result;
  for (bool powersOnly : {false, true}) {
    result.clear();
    for (double decade = std::pow(10, std::floor(std::log10(low)));
         decade <= high; decade *= 10)
      for (double digit : {1.0, 2.0, 5.0})
        if (double tick = decade * digit;
            tick >= low && tick <= high && (digit == 1 || !powersOnly))
          result.push_back(tick);
    if (result.size() <= static_cast<size_t>(count))
      break;
  }
  return result;
}

std::vector<double> Axis::ticks(int count) const {
  assert(count > 0 && "at least one tick");
  if (!(high > low))
    return {low};
  if (logarithmic)
    if (std::vector<double> result = decadeTicks(low, high, count);
        result.size() >= 4)
      return result;
  double rough = (high - low) / count,
         power = std::pow(10, std::floor(std::log10(rough))), step = power;
  for (double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = power * factor;
    if (step >= rough * (1 - 1e-9))
      break;
  }
  std::vector<double> result;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + step * 1e-9;
       ++i)
    result.push_back(i * step + 0.0); // no -0
  return result;
}

Unit svg::unitFor(Quantity quantity, double value) {
  static const std::vector<Unit> bytes = {
      {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "bytes"}};
  static const std::vector<Unit> nanoseconds = {
      {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  static const std::vector<Unit> seconds = {
      {3600, "h"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  const std::vector<Unit> &units = quantity == Quantity::Bytes ? bytes
                                   : quantity == Quantity::Nanoseconds
                                       ? nanoseconds
                                       : seconds;
  for (const Unit &unit : units)
    if (value >= unit.size)
      return unit;
  return units.back();
}

static std::string fixed(double value, int digits) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string svg::withUnit(Quantity quantity, double value) {
  Unit unit = unitFor(quantity, value);
  double count = value / unit.size;
  return fixed(count, unit.size == 1 && quantity != Quantity::Seconds ? 0
                      : count >= 1000                                 ? 0
                      : count >= 100                                  ? 1
                      : count >= 10                                   ? 2
                                                                      : 3) +
         " " + unit.name;
}

std::vector<std::string> svg::tickLabels(const std::vector<double> &ticks,
                                         Unit unit) {
  std::vector<std::string> labels;
  constexpr int maxDigits = 9;
  for (int digits = 0; digits <= maxDigits; ++digits) {
    labels.clear();
    bool exact = true;
    for (double tick : ticks) {
      double value = tick / unit.size;
      labels.push_back(fixed(value, digits));
      exact &= std::abs(std::stod(labels.back()) - value) <=
               1e-6 * std::max(std::abs(value), 1e-12);
    }
    if (exact)
      break;
  }
  return labels;
}

namespace {

constexpr double plotWidth = 560, plotHeight = 330, left = 84, top = 76,
                 fontSize = 11, labelGap = 14, leader = 16;
const std::string grid = "#dddddd", ink = "#333333", faint = "#777777",
                  levelColour = "#a33b3f";

class Painter {
public:
  explicit Painter(const StepChart &chart) : chart(chart) {}

  std::string draw() {
    drawing.text(left, 22, chart.title,
                 {.name = "title", .fill = ink, .fontSize = 14, .bold = true});
    drawing.text(left, 40, chart.subtitle, {.fill = faint});
    width = left +
            std::max({plotWidth, textWidth(chart.title, 14, true),
                      textWidth(chart.subtitle, fontSize)}) +
            20;
    if (!findRanges()) {
      drawing.text(left, top + 20, chart.emptyText, {.fill = ink});
      return drawing.file(
          std::max(width, left + textWidth(chart.emptyText, fontSize) + 20),
          top + 50);
    }
    drawAxes();
    drawLevels();
    for (size_t i = 0; i < chart.lines.size(); ++i)
      drawLine(i);
    drawKinds();
    drawEndLabels();
    double end = drawLegend();
    return drawing.file(width, end + 12);
  }

private:
  const StepChart &chart;
  Drawing drawing;
  Axis x, y;
  double width = 0;
  struct EndLabel {
    double at;
    std::string text;
    Style line;
    double shown = 0;
  };
  std::vector<EndLabel> endLabels;
  std::vector<std::string> hidden; ///< levels out of view
  std::vector<bool> usedKinds;
  bool ordinaryMarks = false, limitDrawn = false;

  static constexpr double right = left + plotWidth, bottom = top + plotHeight;

  std::string colourOf(size_t line) const {
    return deviceColour(
        0, 1, static_cast<int>(line),
        static_cast<int>(std::max(chart.lines.size(), static_cast<size_t>(1))));
  }
  /// Lines that lie on each other can all be seen: the first ones are wide.
  double strokeOf(size_t line) const {
    return std::min(
        1.5 + 0.9 * static_cast<double>(chart.lines.size() - 1 - line), 5.0);
  }
  Style lineStyle(size_t line) const {
    return {.name = "line" + std::to_string(line),
            .stroke = colourOf(line),
            .strokeWidth = strokeOf(line)};
  }
  static Style levelStyle() {
    return {.name = "level", .stroke = levelColour, .dashes = "4 3"};
  }
  static Style limitStyle() {
    return {
        .name = "limit", .stroke = ink, .strokeWidth = 1.5, .dashes = "2 2"};
  }
  static Style leaderStyle(const std::string &colour) {
    return {.name = "leader", .stroke = colour, .strokeWidth = 0.7};
  }
  static Style kindStyle(size_t kind) {
    return {.name = "kind" + std::to_string(kind),
            .fill = "#222222",
            .stroke = "white",
            .strokeWidth = 0.7};
  }
  static Marker kindShape(size_t kind) {
    return static_cast<Marker>(1 + static_cast<int>(kind) % (markerCount - 1));
  }

  bool findRanges() {
    double lowX = 0, highX = 0, lowY = 0, highY = 0;
    bool any = false;
    auto extend = [&](double &low, double &high, double value, bool first) {
      low = first ? value : std::min(low, value);
      high = first ? value : std::max(high, value);
    };
    for (const StepLine &line : chart.lines)
      for (const StepPoint &point : line.points) {
        extend(lowX, highX, point.x, !any);
        extend(lowY, highY, point.y, !any);
        any = true;
      }
    if (!any)
      return false;
    for (const StepLevel &level : chart.levels)
      if (level.value <= chart.maxY)
        extend(lowY, highY, level.value, false);
    x.logarithmic = chart.xLogarithmic && lowX > 0;
    y.logarithmic = lowY > 0 && (chart.yLogarithmic || highY > 3 * lowY);
    auto set = [](Axis &axis, double low, double high, double share) {
      if (axis.logarithmic) {
        // As much space at both ends as a share of the axis.
        double space = std::max(std::pow(high / low, share), 1 + share / 2);
        axis.low = low / space;
        axis.high = high * space;
      } else {
        double space = std::max((high - low) * share, std::abs(high) * 1e-3);
        if (space == 0)
          space = 1;
        // Times and bytes are not negative.
        axis.low = low >= 0 ? std::max(low - space, 0.0) : low - space;
        axis.high = high + space;
      }
    };
    set(x, lowX, highX, 0.05);
    set(y, lowY, highY, 0.06);
    x.from = left;
    x.to = right;
    y.from = bottom;
    y.to = top;
    return true;
  }

  void drawAxes() {
    Style gridStyle{.name = "grid", .stroke = grid};
    Unit yUnit = unitFor(chart.yQuantity, y.low > 0 ? y.low : y.high),
         xUnit = unitFor(chart.xQuantity, x.low > 0 ? x.low : x.high);
    std::vector<double> ticks = y.ticks(7);
    std::vector<std::string> labels = tickLabels(ticks, yUnit);
    for (size_t i = 0; i < ticks.size(); ++i) {
      drawing.line(left, y(ticks[i]), right, y(ticks[i]), gridStyle);
      drawing.text(left - 6, y(ticks[i]) + 4, labels[i],
                   {.name = "tick", .fill = ink, .anchor = "end"});
    }
    ticks = x.ticks(8);
    labels = tickLabels(ticks, xUnit);
    double last = -1e9;
    for (size_t i = 0; i < ticks.size(); ++i) {
      double at = x(ticks[i]), half = textWidth(labels[i], fontSize) / 2;
      drawing.line(at, top, at, bottom, gridStyle);
      if (at - half < last + 6) // no room for another number
        continue;
      last = at + half;
      drawing.text(at, bottom + 16, labels[i],
                   {.name = "tick", .fill = ink, .anchor = "middle"});
    }
    drawing.text((left + right) / 2, bottom + 34,
                 chart.xTitle + " (" + xUnit.name + ")",
                 {.fill = ink, .anchor = "middle"});
    drawing.text(8, top - 10, chart.yTitle + " (" + yUnit.name + ")",
                 {.fill = ink});
    const StepLevel &limit = chart.xLimit;
    if (limit.value >= x.low && limit.value <= x.high) {
      limitDrawn = true;
      drawing.line(x(limit.value), top, x(limit.value), bottom, limitStyle());
    }
  }

  void drawLevels() {
    for (const StepLevel &level : chart.levels) {
      std::string text =
          level.label + " " + withUnit(chart.yQuantity, level.value);
      if (level.value > chart.maxY) {
        hidden.push_back(text);
        continue;
      }
      double at = y(level.value);
      drawing.line(left, at, right, at, levelStyle());
      endLabels.push_back({at, text, levelStyle()});
    }
  }

  void drawLine(size_t i) {
    const StepLine &line = chart.lines[i];
    if (line.points.empty())
      return;
    std::vector<double> corners;
    for (const StepPoint &point : line.points) {
      double px = x(point.x), py = y(point.y);
      if (!corners.empty()) {
        double before = corners.back();
        corners.insert(corners.end(), {px, before});
      }
      corners.insert(corners.end(), {px, py});
    }
    corners.insert(corners.end(), {right, corners.back()});
    drawing.polyline(corners, lineStyle(i));
    endLabels.push_back({corners.back(), line.label, lineStyle(i)});
    if (!chart.pointMarks)
      return;
    for (const StepPoint &point : line.points) {
      if (point.kind >= 0)
        continue;
      ordinaryMarks = true;
      drawing.marker(Marker::Square, x(point.x), y(point.y),
                     4 + strokeOf(i) / 2,
                     {.name = "point" + std::to_string(i), .fill = colourOf(i)},
                     point.tooltip);
    }
  }

  /// On all lines.
  void drawKinds() {
    usedKinds.resize(chart.kinds.size());
    for (const StepLine &line : chart.lines)
      for (const StepPoint &point : line.points)
        if (chart.pointMarks && point.kind >= 0) {
          usedKinds[point.kind] = true;
          drawing.marker(kindShape(point.kind), x(point.x), y(point.y), 9,
                         kindStyle(point.kind), point.tooltip);
        }
  }

  /// At their lines, or as near as others allow.
  void drawEndLabels() {
    std::stable_sort(
        endLabels.begin(), endLabels.end(),
        [](const EndLabel &a, const EndLabel &b) { return a.at < b.at; });
    // As many as the chart is high; the legend has lines, and the text below it
    // the other levels.
    constexpr auto most = static_cast<size_t>(plotHeight / labelGap);
    while (endLabels.size() > most) {
      hidden.push_back(endLabels.back().text);
      endLabels.pop_back();
    }
    double last = top - labelGap;
    for (EndLabel &label : endLabels)
      last = label.shown = std::max(last + labelGap, label.at);
    double next = bottom + labelGap;
    for (size_t i = endLabels.size(); i-- > 0;)
      next = endLabels[i].shown = std::min(endLabels[i].shown, next - labelGap);
    for (const EndLabel &label : endLabels) {
      drawing.polyline({right, label.at, right + leader / 2, label.shown,
                        right + leader, label.shown},
                       leaderStyle(label.line.stroke));
      drawing.text(right + leader + 3, label.shown + 4, label.text,
                   {.fill = label.line.stroke});
      width = std::max(width, right + leader + 3 +
                                  textWidth(label.text, fontSize) + 10);
    }
  }

  double drawLegend() {
    Legend legend(drawing, left, bottom + 48, width - left - 10);
    auto stroke = [&](const Style &style) {
      return [this, style](double px, double py) {
        double middle = py + Legend::iconHeight / 2;
        drawing.line(px, middle, px + 22, middle, style);
      };
    };
    for (size_t i = 0; i < chart.lines.size(); ++i)
      if (!chart.lines[i].points.empty())
        legend.entry(22, chart.lines[i].label, stroke(lineStyle(i)));
    auto marker = [&](Marker shape, const Style &style) {
      return [this, shape, style](double px, double py) {
        drawing.marker(shape, px + 5, py + Legend::iconHeight / 2, 9, style);
      };
    };
    legend.newLine();
    if (ordinaryMarks) {
      // One in each colour.
      std::vector<size_t> marked;
      for (size_t i = 0; i < chart.lines.size(); ++i)
        if (std::any_of(chart.lines[i].points.begin(),
                        chart.lines[i].points.end(),
                        [](const StepPoint &p) { return p.kind < 0; }))
          marked.push_back(i);
      legend.entry(12 * static_cast<double>(marked.size()), chart.pointMeaning,
                   [&](double px, double py) {
                     for (size_t k = 0; k < marked.size(); ++k)
                       marker(Marker::Square,
                              {.name = "point" + std::to_string(marked[k]),
                               .fill = colourOf(marked[k])})(
                           px + 12 * static_cast<double>(k), py);
                   });
    }
    for (size_t k = 0; k < usedKinds.size(); ++k)
      if (usedKinds[k])
        legend.entry(10, chart.kinds[k], marker(kindShape(k), kindStyle(k)));
    if (!chart.levels.empty() && hidden.size() < chart.levels.size())
      legend.entry(22, chart.levelMeaning, stroke(levelStyle()));
    if (limitDrawn)
      legend.entry(22, chart.xLimit.label, stroke(limitStyle()));
    if (!hidden.empty()) {
      legend.newLine();
      for (const std::string &level : hidden)
        legend.note((&level == &hidden.front() ? "not in view: " : "") + level);
    }
    legend.newLine();
    return legend.end();
  }
};

} // namespace

std::string svg::drawStepChart(const StepChart &chart) {
  return Painter(chart).draw();
}
