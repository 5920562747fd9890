//===- TopologyReport.cpp - Topologies for readers ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text and SVG. Pairs of devices are counted by what their routes have in
// common, and long tables and routes are shortened: the text stays short
// however large a cluster is.
//
//===----------------------------------------------------------------------===//

#include "Soap/Topology/TopologyReport.h"
#include "Soap/Support/Svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <queue>
#include <tuple>

using namespace soap;
using svg::escaped;
using svg::number;

namespace {

/// Sources whose routes the text counts: all pairs of 1024 devices are a
/// second's work. Fewer where routes are long: no more sources once theirs have
/// so many links.
constexpr int maxDescribedSources = 256;
constexpr size_t maxCountedLinks = size_t(1) << 22;
/// Lines of the table, and links of a route, that are all shown; of more, the
/// first and the last.
constexpr size_t maxDescribedClasses = 40, firstClasses = 24, lastClasses = 8,
                 maxDescribedLinks = 10, firstLinks = 4;

std::string padded(std::string text, size_t width) {
  if (text.size() < width)
    text.insert(0, width - text.size(), ' ');
  return text;
}

std::string count(size_t n, const std::string &noun,
                  const std::string &plural = "") {
  return std::to_string(n) + " " +
         (n == 1           ? noun
          : plural.empty() ? noun + "s"
                           : plural);
}

std::string vertexName(const Topology &topology, int vertex) {
  int devices = topology.deviceCount();
  return vertex < devices ? topology.devices[vertex].name
                          : topology.switches[vertex - devices];
}

} // namespace

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string describeTypes(const Topology &topology) {
  std::string text;
  for (size_t t = 0; t < topology.deviceTypes.size(); ++t) {
    const DeviceType &type = topology.deviceTypes[t];
    auto devices = std::count_if(
        topology.devices.begin(), topology.devices.end(),
        [&](const Device &d) { return d.type == static_cast<int>(t); });
    text += "  " + std::to_string(devices) + " x " + type.name + ": " +
            number(static_cast<double>(type.memoryBytes) / (int64_t(1) << 30)) +
            " GiB at " + number(type.memoryBandwidthBytesPerSecond / 1e9) +
            " GB/s;";
    for (const auto &[dtype, flops] : type.flopsPerSecond)
      text += " " + dtype + " " + number(flops / 1e12);
    text += " TFLOP/s; launch " +
            number(static_cast<double>(type.launchNs) / 1e3) + " us";
    if (type.copiesOccupyReceiver)
      text += "; copies occupy the receiver";
    if (type.forwardsTransfers && topology.devices.size() > 1)
      text += "; forwards transfers";
    text += "\n";
  }
  return text;
}

/// `gpu0 > node0.nvswitch > gpu1`
static std::string describeRoute(const Topology &topology, int from, int to) {
  std::string text = topology.devices[from].name;
  std::span<const int> route = topology.route(from, to);
  bool isLong = route.size() > maxDescribedLinks;
  for (int l : isLong ? route.first(firstLinks) : route)
    text += " > " + vertexName(topology, topology.links[l].to);
  if (isLong)
    text += " > ... " + std::to_string(route.size() - firstLinks - 1) +
            " more > " + topology.devices[to].name;
  return text;
}

std::string soap::describeTopology(const Topology &topology) {
  int devices = topology.deviceCount();
  std::string text = topology.name + ": " + count(devices, "device") + ", " +
                     count(topology.switches.size(), "switch", "switches") +
                     ", " + count(topology.links.size(), "link") + "\n";
  text += "devices\n" + describeTypes(topology);
  if (devices < 2)
    return text;

  // hops, bandwidth, latency -> pairs, example
  using Class = std::tuple<size_t, double, int64_t>;
  std::map<Class, std::pair<int64_t, std::pair<int, int>>> classes;
  int sources = 0, maxSources = std::min(devices, maxDescribedSources);
  for (size_t links = 0; sources < maxSources && links < maxCountedLinks;
       ++sources) {
    int a = sources;
    for (int b = 0; b < devices; ++b) {
      if (a == b)
        continue;
      double bandwidth = std::numeric_limits<double>::infinity();
      std::span<const int> route = topology.route(a, b);
      links += route.size();
      for (int l : route)
        bandwidth =
            std::min(bandwidth, topology.links[l].bandwidthBytesPerSecond);
      auto [it, added] = classes.try_emplace(
          {route.size(), bandwidth, topology.distance(a, b)},
          std::pair(int64_t(0), std::pair(a, b)));
      ++it->second.first;
    }
  }
  text += "routes";
  if (sources < devices)
    text += sources == 1
                ? " from the first device"
                : " from the first " + std::to_string(sources) + " devices";
  text += "\n  hops      GB/s        us     pairs  for example\n";
  size_t place = 0, hidden = classes.size() > maxDescribedClasses
                                 ? classes.size() - firstClasses - lastClasses
                                 : 0;
  for (const auto &[key, entry] : classes) {
    size_t line = place++;
    if (line == firstClasses && hidden > 0)
      text += "   ... " + count(hidden, "more line") + " ...\n";
    if (line >= firstClasses && line < firstClasses + hidden)
      continue;
    auto [hops, bandwidth, latency] = key;
    auto [pairs, example] = entry;
    text += padded(std::to_string(hops), 6) +
            padded(number(bandwidth / 1e9), 10) +
            padded(number(static_cast<double>(latency) / 1e3), 10) +
            padded(std::to_string(pairs), 10) + "  " +
            describeRoute(topology, example.first, example.second) + "\n";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// SVG
//===----------------------------------------------------------------------===//

namespace {

class Drawing {
public:
  explicit Drawing(const Topology &topology)
      : topology(topology),
        vertices(topology.deviceCount() +
                 static_cast<int>(topology.switches.size())) {
    place();
  }

  std::string draw() const {
    int height = levels * levelHeight + arcHeight + 2 * margin;
    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
                      number(width) + "\" height=\"" + std::to_string(height) +
                      "\" font-family=\"sans-serif\" font-size=\"11\">\n"
                      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
                      "<text x=\"" +
                      std::to_string(margin) + "\" y=\"16\" font-size=\"13\">" +
                      escaped(topology.name) + "</text>\n";
    for (const auto &[ends, bandwidth] : lines())
      svg += line(ends.first, ends.second, bandwidth);
    for (int v = 0; v < vertices; ++v)
      svg += box(v);
    return svg + "</svg>\n";
  }

private:
  const Topology &topology;
  int vertices;
  std::vector<int> level;
  std::vector<double> x;
  int levels = 1;
  double width = 0;

  static constexpr int margin = 24, slot = 84, levelHeight = 70, arcHeight = 70,
                       boxWidth = 78, boxHeight = 20;

  /// Devices are level 0, a switch is one level above the nearest device; a
  /// switch stands over the middle of what it connects below.
  void place() {
    std::vector<std::vector<int>> next(vertices);
    for (const Link &link : topology.links) {
      next[link.from].push_back(link.to);
      next[link.to].push_back(link.from);
    }
    level.assign(vertices, -1);
    x.assign(vertices, 0);
    std::queue<int> queue;
    for (int d = 0; d < topology.deviceCount(); ++d) {
      level[d] = 0;
      queue.push(d);
    }
    std::vector<std::vector<int>> byLevel;
    while (!queue.empty()) {
      int v = queue.front();
      queue.pop();
      levels = std::max(levels, level[v] + 1);
      byLevel.resize(levels);
      byLevel[level[v]].push_back(v);
      for (int u : next[v])
        if (level[u] < 0) {
          level[u] = level[v] + 1;
          queue.push(u);
        }
    }
    // Switches that no device reaches.
    for (int v = 0; v < vertices; ++v)
      if (level[v] < 0) {
        level[v] = 1;
        levels = std::max(levels, 2);
        byLevel.resize(levels);
        byLevel[1].push_back(v);
      }
    for (size_t i = 0; i < byLevel[0].size(); ++i)
      x[byLevel[0][i]] = margin + slot * (static_cast<double>(i) + 0.5);
    for (int l = 1; l < levels; ++l)
      spread(byLevel[l], next);
    for (double at : x)
      width = std::max(width, at + slot / 2.0 + margin);
  }

  /// Each over the mean of its lower neighbours, moved right where two would
  /// overlap.
  void spread(std::vector<int> &row,
              const std::vector<std::vector<int>> &next) {
    for (int v : row) {
      double sum = 0;
      int below = 0;
      for (int u : next[v])
        if (level[u] < level[v]) {
          sum += x[u];
          ++below;
        }
      x[v] = below > 0 ? sum / below : margin + slot / 2.0;
    }
    std::stable_sort(row.begin(), row.end(),
                     [&](int a, int b) { return x[a] < x[b]; });
    for (size_t i = 1; i < row.size(); ++i)
      x[row[i]] = std::max(x[row[i]], x[row[i - 1]] + slot);
  }

  double y(int v) const {
    return margin + 10 + (levels - 1 - level[v]) * levelHeight + boxHeight;
  }

  /// Links without direction, with their bandwidth (parallel ones added).
  std::map<std::pair<int, int>, double> lines() const {
    std::map<std::pair<int, int>, double> forward, both;
    for (const Link &link : topology.links)
      forward[{link.from, link.to}] += link.bandwidthBytesPerSecond;
    for (const auto &[ends, bandwidth] : forward) {
      double &known = both[std::minmax(ends.first, ends.second)];
      known = std::max(known, bandwidth);
    }
    return both;
  }

  std::string line(int a, int b, double bandwidth) const {
    double thickness = std::clamp(std::log2(bandwidth / 1e9 + 1) / 2, 0.5, 5.0);
    std::string path = "M" + number(x[a]) + " " + number(y(a));
    if (level[a] != level[b]) {
      path += " L" + number(x[b]) + " " + number(y(b));
    } else {
      // Between neighbours of a level: an arc below them.
      double depth =
          std::min<double>(arcHeight, 16 + std::abs(x[a] - x[b]) / 6);
      path += " Q" + number((x[a] + x[b]) / 2) + " " +
              number(y(a) + 2 * depth) + " " + number(x[b]) + " " +
              number(y(b));
    }
    return "<path d=\"" + path +
           "\" fill=\"none\" stroke=\"#8a99b0\" stroke-width=\"" +
           number(thickness) + "\"><title>" +
           escaped(vertexName(topology, a) + " - " + vertexName(topology, b)) +
           ": " + number(bandwidth / 1e9) + " GB/s</title></path>\n";
  }

  std::string box(int v) const {
    bool device = v < topology.deviceCount();
    std::string name = vertexName(topology, v), shown = name;
    if (shown.size() > 13) {
      size_t end = 12;
      while (end > 0 && (shown[end] & 0xC0) == 0x80) // inside of a character
        --end;
      shown = shown.substr(0, end) + "…";
    }
    return "<g><title>" + escaped(name) +
           (device ? " (" + escaped(topology.typeOf(v).name) + ")" : "") +
           "</title><rect x=\"" + number(x[v] - boxWidth / 2.0) + "\" y=\"" +
           number(y(v) - boxHeight / 2.0) + "\" width=\"" +
           std::to_string(boxWidth) + "\" height=\"" +
           std::to_string(boxHeight) + "\" rx=\"" + (device ? "3" : "9") +
           "\" fill=\"" + (device ? "#cfe3ff" : "#ffe9c7") +
           "\" stroke=\"#44546a\"/><text x=\"" + number(x[v]) + "\" y=\"" +
           number(y(v) + 4) + "\" text-anchor=\"middle\">" + escaped(shown) +
           "</text></g>\n";
  }
};

} // namespace

Expected<std::string> soap::drawTopology(const Topology &topology) {
  size_t vertices = topology.devices.size() + topology.switches.size();
  if (vertices > maxDrawnVertices)
    return Error{"topology '" + topology.name + "' has " +
                 std::to_string(vertices) +
                 " devices and switches, drawings show at most " +
                 std::to_string(maxDrawnVertices)};
  return Drawing(topology).draw();
}
