//===- Svg.h - Text of SVG drawings -----------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes SVG: numbers, escaped texts, and the few shapes that drawings of
// topologies, strategies and searches consist of.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SUPPORT_SVG_H
#define SOAP_SUPPORT_SVG_H

#include <string>
#include <vector>

namespace soap::svg {

/// `12.5`, `400`: at most three digits behind the point, no zeros at the end.
std::string number(double value);
/// For element content and attributes: valid UTF-8 without control characters,
/// other bytes become question marks.
std::string escaped(const std::string &text);

/// The look of texts and shapes; empty: not given.
struct Style {
  std::string fill = {}, stroke = {};
  double strokeWidth = 1;
  double fontSize = 0;
  std::string anchor = {}; ///< of a text: `middle`, `end`
  double opacity = 1;
  double radius = 0;       ///< of a rectangle's corners
  std::string dashes = {}; ///< of a line, `4 3`
  bool bold = false;
};

/// A drawing that grows by shapes. Coordinates are pixels.
class Drawing {
public:
  void rectangle(double x, double y, double width, double height,
                 const Style &style, const std::string &tooltip = "");
  void line(double x1, double y1, double x2, double y2, const Style &style);
  /// Corners as x, y, x, y, ....
  void polyline(const std::vector<double> &corners, const Style &style);
  /// From one point to another, leaving and arriving horizontally.
  void curve(double x1, double y1, double x2, double y2, const Style &style);
  /// The same, `height` above both.
  void arch(double x1, double y1, double x2, double y2, double height,
            const Style &style);
  void text(double x, double y, const std::string &text, const Style &style);
  /// Shapes until `close` have a tooltip in common.
  void open(const std::string &tooltip);
  void close();
  /// The file, on white.
  std::string file(double width, double height) const;

private:
  std::string body;
};

/// Width of a text in a sans-serif font, roughly.
double textWidth(const std::string &text, double fontSize);
/// `text` cut so that it is at most that wide.
std::string shortened(const std::string &text, double width, double fontSize);

/// A colour per device: hues far apart where there are few; where there are
/// many, a hue per machine and shades of it in the machine. `position` of
/// `count` devices of machine `machine` of `machines`.
std::string deviceColour(int machine, int machines, int position, int count);

} // namespace soap::svg

#endif // SOAP_SUPPORT_SVG_H
