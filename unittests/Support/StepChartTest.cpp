//===- StepChartTest.cpp - Charts of what falls in steps ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ticks of any range are round, differ, and are labelled so that they differ.
//
//===----------------------------------------------------------------------===//

#include "Support/StepChart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

using namespace soap;
using namespace soap::svg;

namespace {

void checkTicks(const Axis &axis, Quantity quantity) {
  std::vector<double> ticks = axis.ticks(8);
  ASSERT_GE(ticks.size(), 2u) << axis.low << " to " << axis.high;
  EXPECT_LE(ticks.size(), 17u) << axis.low << " to " << axis.high;
  std::vector<std::string> labels =
      tickLabels(ticks, unitFor(quantity, axis.low));
  ASSERT_EQ(labels.size(), ticks.size());
  std::set<std::string> different(labels.begin(), labels.end());
  EXPECT_EQ(different.size(), labels.size())
      << axis.low << " to " << axis.high << ": " << labels[0] << ", "
      << labels[1];
  double unit = unitFor(quantity, axis.low).size;
  for (size_t i = 0; i < ticks.size(); ++i) {
    EXPECT_GE(ticks[i], axis.low * (1 - 1e-9));
    EXPECT_LE(ticks[i], axis.high * (1 + 1e-9));
    EXPECT_NEAR(std::stod(labels[i]) * unit, ticks[i], ticks[i] * 1e-5);
  }
}

} // namespace

TEST(StepChart, TicksOfManyRanges) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(0, 13), width(-3, 4);
  for (int i = 0; i < 2000; ++i) {
    double low = std::pow(10, exponent(random)),
           high = low * (1 + std::pow(10, width(random)));
    for (bool logarithmic : {false, true})
      checkTicks({low, high, 0, 560, logarithmic},
                 i % 2 ? Quantity::Bytes : Quantity::Nanoseconds);
  }
}

TEST(StepChart, Units) {
  EXPECT_EQ(withUnit(Quantity::Bytes, 12), "12 bytes");
  EXPECT_EQ(withUnit(Quantity::Bytes, 1.5e3), "1.500 kB");
  EXPECT_EQ(withUnit(Quantity::Bytes, 16e9), "16.00 GB");
  EXPECT_EQ(withUnit(Quantity::Nanoseconds, 654800), "654.8 us");
  EXPECT_EQ(withUnit(Quantity::Nanoseconds, 77.824e6), "77.82 ms");
  EXPECT_EQ(withUnit(Quantity::Seconds, 0), "0.000 us");
  EXPECT_EQ(withUnit(Quantity::Seconds, 60), "60.00 s");
  EXPECT_EQ(tickLabels({7.95e9, 8e9, 8.05e9}, {1e9, "GB"}),
            (std::vector<std::string>{"7.95", "8.00", "8.05"}));
}

TEST(StepChart, OneValue) {
  StepChart chart;
  chart.title = "one";
  chart.xLogarithmic = chart.yLogarithmic = chart.pointMarks = true;
  chart.lines = {{"line", {{5, 7}}}};
  std::string svg = drawStepChart(chart);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  chart.lines = {{"line", {{0, 0}}}};
  svg = drawStepChart(chart);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(StepChart, AxesOfTimesBeginAtZero) {
  StepChart chart;
  chart.lines = {{"line", {{0.02, 100}, {1, 90}}}};
  std::string svg = drawStepChart(chart);
  EXPECT_NE(svg.find(">0.0</text>"), std::string::npos);
  EXPECT_EQ(svg.find(">-0"), std::string::npos);
}

TEST(StepChart, MoreLevelsThanRoom) {
  StepChart chart;
  chart.lines = {{"line", {{0, 100}, {1, 90}}}};
  for (int i = 0; i < 60; ++i)
    chart.levels.push_back({"level" + std::to_string(i), 90.0 + i});
  std::string svg = drawStepChart(chart);
  for (int i = 0; i < 60; ++i)
    EXPECT_NE(svg.find("level" + std::to_string(i) + " "), std::string::npos);
}
