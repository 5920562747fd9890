//===- SvgTest.cpp - Text of SVG drawings ---------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names come from files: whatever bytes they hold, drawings are well-formed.
//
//===----------------------------------------------------------------------===//

#include "Support/Svg.h"

#include <gtest/gtest.h>

#include <set>

using namespace soap;

TEST(Svg, Numbers) {
  EXPECT_EQ(svg::number(400), "400");
  EXPECT_EQ(svg::number(12.5), "12.5");
  EXPECT_EQ(svg::number(-0.0001), "0");
  EXPECT_EQ(svg::number(1.0 / 3), "0.333");
}

TEST(Svg, Escaped) {
  EXPECT_EQ(svg::escaped("<a & \"b\"> 'c'"),
            "&lt;a &amp; &quot;b&quot;&gt; &apos;c&apos;");
  EXPECT_EQ(svg::escaped(std::string("a\0\n\x7f", 4)), "a   ");
  EXPECT_EQ(svg::escaped("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x8d\xb5"),
            "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x8d\xb5");
  // Cut off, overlong, a surrogate, beyond Unicode, not a character.
  EXPECT_EQ(svg::escaped("\xc3"), "?");
  EXPECT_EQ(svg::escaped("\xc0\xaf"), "??");
  EXPECT_EQ(svg::escaped("\xe0\x80\x80"), "???");
  EXPECT_EQ(svg::escaped("\xed\xa0\x80"), "???");
  EXPECT_EQ(svg::escaped("\xf4\x90\x80\x80"), "????");
  EXPECT_EQ(svg::escaped("\xef\xbf\xbf"), "???");
}

TEST(Svg, Shortened) {
  EXPECT_EQ(svg::shortened("conv1", 100, 10), "conv1");
  std::string cut = svg::shortened("a_very_long_name_of_an_op", 50, 10);
  EXPECT_TRUE(cut.ends_with(".."));
  EXPECT_LE(svg::textWidth(cut, 10), 50);
  // Whole characters.
  EXPECT_EQ(svg::escaped(svg::shortened("\xc3\xa4\xc3\xa4\xc3\xa4", 14, 10))
                .find('?'),
            std::string::npos);
}

TEST(Svg, RoundCorners) {
  svg::Drawing drawing;
  drawing.route({0, 0, 10, 0, 10, 20}, 4, {.stroke = "black"});
  EXPECT_NE(drawing.file(20, 20).find("M0,0 L6,0 Q10,0 10,4 L10,20"),
            std::string::npos);
}

TEST(Svg, LegendBreaksLines) {
  svg::Drawing drawing;
  {
    svg::Legend legend(drawing, 0, 0, 100);
    legend.note("first");
    double one = legend.end();
    legend.note("a text that needs a line of its own, however short");
    EXPECT_EQ(legend.end(), one + svg::Legend::lineHeight);
  }
  EXPECT_NE(drawing.file(1, 1).find("<g class=\"legend\">"), std::string::npos);
}

TEST(Svg, ColoursDiffer) {
  for (auto [machines, devices] :
       {std::pair(1, 4), std::pair(1, 8), std::pair(1, 16), std::pair(16, 4)}) {
    std::set<std::string> colours;
    for (int m = 0; m < machines; ++m)
      for (int d = 0; d < devices; ++d)
        colours.insert(svg::deviceColour(m, machines, d, devices));
    EXPECT_EQ(colours.size(), static_cast<size_t>(machines) * devices);
  }
}
