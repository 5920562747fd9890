//===- Svg.h - Text of SVG drawings -----------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes SVG: numbers, escaped texts, and the few shapes that drawings of
// topologies, strategies and searches consist of.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SUPPORT_SVG_H
#define SOAP_LIB_SUPPORT_SVG_H

#include <functional>
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
  /// The meaning of a shape (attribute `class`): a drawing and its legend call
  /// the same thing by the same name, which tests compare.
  std::string name = {};
  std::string fill = {}, stroke = {};
  double strokeWidth = 1;
  double fontSize = 0;
  std::string anchor = {}; ///< of a text: `middle`, `end`
  double opacity = 1;
  double radius = 0;       ///< of a rectangle's corners
  std::string dashes = {}; ///< of a line, `4 3`
  bool bold = false;
};

/// Shapes of markers, in the order in which charts use them.
enum class Marker { Square, Circle, Diamond, Up, Down, Cross };
constexpr int markerCount = 6;

/// A drawing that grows by shapes. Coordinates are pixels.
class Drawing {
public:
  void rectangle(double x, double y, double width, double height,
                 const Style &style, const std::string &tooltip = "");
  void line(double x1, double y1, double x2, double y2, const Style &style);
  /// Corners as x, y, x, y, ....
  void polyline(const std::vector<double> &corners, const Style &style);
  /// The same with round corners of at most `radius`.
  void route(const std::vector<double> &corners, double radius,
             const Style &style);
  /// An arc that hangs `depth` below its ends.
  void arc(double x1, double y1, double x2, double y2, double depth,
           const Style &style);
  /// A shape of `size` pixels around a point.
  void marker(Marker shape, double x, double y, double size, const Style &style,
              const std::string &tooltip = "");
  void text(double x, double y, const std::string &text, const Style &style);
  /// Shapes until `close` have a tooltip in common, and a name (`class`).
  void open(const std::string &tooltip, const std::string &name = "");
  void close();
  /// The file, on white.
  std::string file(double width, double height) const;

private:
  std::string body;
};

/// Width of a text in DejaVu Sans, one of the widest fonts that `sans-serif`
/// stands for: a text is hardly ever wider.
double textWidth(const std::string &text, double fontSize, bool bold = false);
/// `text` cut so that it is at most that wide.
std::string shortened(const std::string &text, double width, double fontSize);

/// Entries from left to right, line by line: an icon, and what it means.
class Legend {
public:
  /// From (`x`, `y`) on, at most `width` wide where entries are shorter.
  Legend(Drawing &drawing, double x, double y, double width)
      : drawing(drawing), left(x), right(x + width), x(x), y(y) {
    drawing.open("", "legend");
  }
  ~Legend() { drawing.close(); }
  Legend(const Legend &) = delete;
  Legend &operator=(const Legend &) = delete;

  /// `draw` draws the icon, `width` x `iconHeight` pixels, at its upper left
  /// corner.
  void entry(double width, const std::string &text,
             const std::function<void(double x, double y)> &draw);
  /// A text without an icon.
  void note(const std::string &text) { entry(0, text, {}); }
  /// Begins a line, if there is anything on this one.
  void newLine();
  /// The lower end.
  double end() const { return x > left ? y + lineHeight : y; }

  static constexpr double iconHeight = 11, lineHeight = 17, fontSize = 11;

private:
  Drawing &drawing;
  double left, right, x, y;
};

/// A colour per device: hues far apart where there are few; where there are
/// many, a hue per machine and shades of it in the machine. `position` of
/// `count` devices of machine `machine` of `machines`.
std::string deviceColour(int machine, int machines, int position, int count);

} // namespace soap::svg

#endif // SOAP_LIB_SUPPORT_SVG_H
