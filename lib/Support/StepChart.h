//===- StepChart.h - Charts of what falls in steps --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One drawing for frontiers and for the progress of searches: lines of steps
// over two axes with units, levels of comparison, a legend with every mark.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SUPPORT_STEPCHART_H
#define SOAP_LIB_SUPPORT_STEPCHART_H

#include <limits>
#include <string>
#include <vector>

namespace soap::svg {

enum class Quantity { Bytes, Nanoseconds, Seconds };

/// From values to pixels.
struct Axis {
  double low = 0, high = 1; ///< values; positive where it is logarithmic
  double from = 0, to = 1;  ///< pixels
  bool logarithmic = false;

  double operator()(double value) const;
  /// At most about `count` round values between `low` and `high`, at least two
  /// where `high` is not `low`.
  std::vector<double> ticks(int count) const;
};

/// A unit, by its size in the quantity's own (bytes, nanoseconds, seconds).
struct Unit {
  double size = 1;
  const char *name = "";
};
/// The largest unit of which `value` holds one: 5e6 bytes are counted in MB.
Unit unitFor(Quantity quantity, double value);
/// A value with its unit and three or four digits: `8.042 GB`.
std::string withUnit(Quantity quantity, double value);
/// The ticks as numbers of units, with as many digits as tell them apart.
std::vector<std::string> tickLabels(const std::vector<double> &ticks,
                                    Unit unit);

struct StepPoint {
  double x = 0, y = 0;
  std::string tooltip = {};
  /// Position in `StepChart::kinds`; -1: an ordinary point of its line.
  int kind = -1;
};

/// Points with rising x. Between two of them the first one's y holds.
struct StepLine {
  std::string label;
  std::vector<StepPoint> points;
};

/// A value to compare with: a dashed line across the chart.
struct StepLevel {
  std::string label;
  double value = 0;
};

struct StepChart {
  std::string title, subtitle;
  std::string xTitle, yTitle; ///< without units
  Quantity xQuantity = Quantity::Seconds, yQuantity = Quantity::Nanoseconds;
  bool xLogarithmic = false;
  /// By default logarithmic where values differ by more than a factor of 3.
  bool yLogarithmic = false;
  std::vector<StepLine> lines;
  bool pointMarks = false;        ///< points have marks
  std::string pointMeaning;       ///< of an ordinary mark, for the legend
  std::vector<std::string> kinds; ///< names of other kinds of points
  /// Horizontal levels, and their meaning, for the legend.
  std::vector<StepLevel> levels;
  std::string levelMeaning;
  /// A level of x that is drawn if it is in view.
  StepLevel xLimit = {"", -1};
  /// Values of y above this are out of view.
  double maxY = std::numeric_limits<double>::infinity();
  /// The text of a chart in which no line has a point.
  std::string emptyText;
};

/// The file (SVG).
std::string drawStepChart(const StepChart &chart);

} // namespace soap::svg

#endif // SOAP_LIB_SUPPORT_STEPCHART_H
