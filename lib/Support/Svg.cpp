//===- Svg.cpp - Text of SVG drawings -------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements are written as text at once: drawings are written, never changed.
//
//===----------------------------------------------------------------------===//

#include "Svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>

using namespace soap;

std::string svg::number(double value) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.3f", value);
  std::string result = text.data();
  while (result.back() == '0')
    result.pop_back();
  if (result.back() == '.')
    result.pop_back();
  return result == "-0" ? "0" : result;
}

/// Length of the well-formed UTF-8 sequence at `i` whose character XML allows,
/// or 0.
static size_t characterAt(const std::string &text, size_t i) {
  auto byte = [&](size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
  };
  unsigned first = byte(i);
  if (first < 0x80)
    return first >= 0x20 && first != 0x7f ? 1 : 0;
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4)
    return 0;
  for (size_t k = 1; k < length; ++k)
    if ((byte(i + k) & 0xc0) != 0x80)
      return 0;
  unsigned second = byte(i + 1);
  // Overlong forms, surrogates, beyond Unicode, and the two non-characters.
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90) ||
      (first == 0xef && second == 0xbf && byte(i + 2) >= 0xbe))
    return 0;
  return length;
}

std::string svg::escaped(const std::string &text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    size_t length = characterAt(text, i);
    if (length == 0) {
      unsigned char byte = static_cast<unsigned char>(text[i++]);
      result += byte < 0x20 || byte == 0x7f ? ' ' : '?';
      continue;
    }
    switch (text[i]) {
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '&':
      result += "&amp;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&apos;";
      break;
    default:
      result += text.substr(i, length);
    }
    i += length;
  }
  return result;
}

static std::string attribute(const char *name, const std::string &value) {
  return value.empty()
             ? ""
             : " " + std::string(name) + "=\"" + svg::escaped(value) + "\"";
}

static std::string attribute(const char *name, double value) {
  return " " + std::string(name) + "=\"" + svg::number(value) + "\"";
}

static std::string strokeOf(const svg::Style &style) {
  std::string text =
      attribute("class", style.name) + attribute("stroke", style.stroke);
  if (!style.stroke.empty() && style.strokeWidth != 1)
    text += attribute("stroke-width", style.strokeWidth);
  if (style.opacity < 1)
    text += attribute("opacity", style.opacity);
  return text + attribute("stroke-dasharray", style.dashes);
}

void svg::Drawing::rectangle(double x, double y, double width, double height,
                             const Style &style, const std::string &tooltip) {
  body += "<rect" + attribute("x", x) + attribute("y", y) +
          attribute("width", width) + attribute("height", height) +
          attribute("fill", style.fill.empty() ? "none" : style.fill) +
          strokeOf(style);
  if (style.radius > 0)
    body += attribute("rx", style.radius);
  body += tooltip.empty() ? "/>\n"
                          : "><title>" + escaped(tooltip) + "</title></rect>\n";
}

void svg::Drawing::line(double x1, double y1, double x2, double y2,
                        const Style &style) {
  body += "<line" + attribute("x1", x1) + attribute("y1", y1) +
          attribute("x2", x2) + attribute("y2", y2) + strokeOf(style) + "/>\n";
}

void svg::Drawing::polyline(const std::vector<double> &corners,
                            const Style &style) {
  std::string points;
  for (size_t i = 0; i + 1 < corners.size(); i += 2)
    points +=
        (i ? " " : "") + number(corners[i]) + "," + number(corners[i + 1]);
  body += "<polyline" + attribute("points", points) +
          attribute("fill", std::string("none")) + strokeOf(style) + "/>\n";
}

void svg::Drawing::route(const std::vector<double> &corners, double radius,
                         const Style &style) {
  std::string path;
  auto add = [&](const char *command, double x, double y) {
    path += (path.empty() ? "" : " ") + std::string(command) + number(x) + "," +
            number(y);
  };
  for (size_t i = 0; i + 1 < corners.size(); i += 2) {
    double x = corners[i], y = corners[i + 1];
    if (i == 0 || i + 3 >= corners.size()) {
      add(i == 0 ? "M" : "L", x, y);
      continue;
    }
    // Ends before the corner and goes on behind it.
    double beforeX = corners[i - 2] - x, beforeY = corners[i - 1] - y,
           afterX = corners[i + 2] - x, afterY = corners[i + 3] - y;
    double before = std::hypot(beforeX, beforeY),
           after = std::hypot(afterX, afterY);
    double cut = std::min({radius, before / 2, after / 2});
    if (cut <= 0) {
      add("L", x, y);
      continue;
    }
    add("L", x + beforeX / before * cut, y + beforeY / before * cut);
    add("Q", x, y);
    add("", x + afterX / after * cut, y + afterY / after * cut);
  }
  body += "<path" + attribute("d", path) +
          attribute("fill", std::string("none")) + strokeOf(style) + "/>\n";
}

void svg::Drawing::arc(double x1, double y1, double x2, double y2, double depth,
                       const Style &style) {
  std::string path =
      "M" + number(x1) + "," + number(y1) + " Q" + number((x1 + x2) / 2) + "," +
      number((y1 + y2) / 2 + 2 * depth) + " " + number(x2) + "," + number(y2);
  body += "<path" + attribute("d", path) +
          attribute("fill", std::string("none")) + strokeOf(style) + "/>\n";
}

void svg::Drawing::marker(Marker shape, double x, double y, double size,
                          const Style &style, const std::string &tooltip) {
  double r = size / 2;
  std::string path;
  auto polygon = [&](std::initializer_list<std::pair<double, double>> points) {
    for (auto [dx, dy] : points)
      path +=
          (path.empty() ? "M" : " L") + number(x + dx) + "," + number(y + dy);
    path += " Z";
  };
  switch (shape) {
  case Marker::Square:
    polygon({{-r, -r}, {r, -r}, {r, r}, {-r, r}});
    break;
  case Marker::Circle:
    path = "M" + number(x - r) + "," + number(y);
    for (double to : {x + r, x - r})
      path += " A" + number(r) + "," + number(r) + " 0 0 1 " + number(to) +
              "," + number(y);
    path += " Z";
    break;
  case Marker::Diamond:
    polygon({{0, -r}, {r, 0}, {0, r}, {-r, 0}});
    break;
  case Marker::Up:
    polygon({{0, -r}, {r, r}, {-r, r}});
    break;
  case Marker::Down:
    polygon({{-r, -r}, {r, -r}, {0, r}});
    break;
  case Marker::Cross: {
    double a = r / 3;
    polygon({{-r, -a},
             {-a, -a},
             {-a, -r},
             {a, -r},
             {a, -a},
             {r, -a},
             {r, a},
             {a, a},
             {a, r},
             {-a, r},
             {-a, a},
             {-r, a}});
    break;
  }
  }
  body +=
      "<path" + attribute("d", path) +
      attribute("fill", style.fill.empty() ? "none" : style.fill) +
      strokeOf(style) +
      (tooltip.empty() ? "/>\n"
                       : "><title>" + escaped(tooltip) + "</title></path>\n");
}

void svg::Drawing::text(double x, double y, const std::string &text,
                        const Style &style) {
  body += "<text" + attribute("class", style.name) + attribute("x", x) +
          attribute("y", y) + attribute("fill", style.fill) +
          attribute("text-anchor", style.anchor);
  if (style.fontSize > 0)
    body += attribute("font-size", style.fontSize);
  if (style.bold)
    body += attribute("font-weight", std::string("bold"));
  body += ">" + escaped(text) + "</text>\n";
}

void svg::Drawing::open(const std::string &tooltip, const std::string &name) {
  body += "<g" + attribute("class", name) + ">";
  if (!tooltip.empty())
    body += "<title>" + escaped(tooltip) + "</title>";
  body += "\n";
}

void svg::Drawing::close() { body += "</g>\n"; }

std::string svg::Drawing::file(double width, double height) const {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\"" +
         attribute("width", std::ceil(width)) +
         attribute("height", std::ceil(height)) +
         " font-family=\"sans-serif\" font-size=\"11\">\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
         body + "</svg>\n";
}

/// Advance widths of the characters from the space to the tilde, in thousandths
/// of the font's size.
constexpr std::array<uint16_t, 95> characterWidths = {
    318, 401, 460, 838, 636,  950, 780, 275, 390, 390, 500, 838, 318, 361,
    318, 337, 636, 636, 636,  636, 636, 636, 636, 636, 636, 636, 337, 337,
    838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295,
    295, 656, 557, 863, 748,  787, 603, 787, 695, 635, 611, 732, 684, 989,
    685, 611, 685, 390, 337,  390, 838, 500, 500, 613, 635, 550, 635, 615,
    352, 635, 634, 278, 278,  579, 278, 974, 634, 612, 635, 635, 411, 521,
    392, 634, 592, 818, 592,  592, 525, 636, 337, 636, 838,
};

double svg::textWidth(const std::string &text, double fontSize, bool bold) {
  double width = 0;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte <= '~')
      width += characterWidths[byte - ' '];
    else if ((byte & 0xc0) != 0x80) // the first byte of a character
      width += 1000;
  }
  // Bold letters are up to a seventh wider.
  return width * fontSize / 1000 * (bold ? 1.15 : 1);
}

std::string svg::shortened(const std::string &text, double width,
                           double fontSize) {
  if (textWidth(text, fontSize) <= width)
    return text;
  std::string result = text;
  while (!result.empty() && textWidth(result + "..", fontSize) > width)
    result.pop_back();
  // Not in the middle of a character.
  while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0x80))
    result.pop_back();
  return result + "..";
}

void svg::Legend::newLine() {
  if (x > left) {
    x = left;
    y += lineHeight;
  }
}

void svg::Legend::entry(double width, const std::string &text,
                        const std::function<void(double x, double y)> &draw) {
  constexpr double space = 4, gap = 16;
  double place = width > 0 ? width + space : 0;
  std::string shown = shortened(text, right - left - place, fontSize);
  double step = place + textWidth(shown, fontSize);
  if (x + step > right)
    newLine();
  if (draw)
    draw(x, y);
  drawing.text(x + place, y + 10, shown,
               {.fill = "#333333", .fontSize = fontSize});
  x += step + gap;
}

static std::string colour(double hue, double saturation, double lightness) {
  double chroma = (1 - std::abs(2 * lightness - 1)) * saturation;
  auto channel = [&](double offset) {
    double k = std::fmod(offset + hue / 60, 6);
    double value =
        lightness + chroma * (std::clamp(std::abs(k - 3) - 1, 0.0, 1.0) - 0.5);
    return static_cast<int>(std::lround(255 * value));
  };
  std::array<char, 8> text;
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", channel(0),
                channel(4), channel(2));
  return text.data();
}

std::string svg::deviceColour(int machine, int machines, int position,
                              int count) {
  // Distinguishable without names, in this order.
  static const char *const few[] = {"#4878cf", "#e8843c", "#57a55a", "#c44e52",
                                    "#8d6cab", "#c9b037", "#4ab5c4", "#8c613c"};
  if (machines == 1 && count <= 8)
    return few[position];
  if (machines == 1)
    return colour(360.0 * position / count, 0.6, position % 2 ? 0.45 : 0.62);
  double lightness = count == 1 ? 0.55 : 0.36 + 0.42 * position / (count - 1);
  return colour(360.0 * machine / machines, machine % 2 ? 0.45 : 0.65,
                lightness);
}
