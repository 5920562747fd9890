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

#include "TopologyReport.h"

#include "EqualMachines.h"

#include "Support/Svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>

using namespace soap;
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

const std::string ink = "#222222";

class TopologyPainter {
public:
  explicit TopologyPainter(const Topology &topology)
      : topology(topology),
        vertices(topology.deviceCount() +
                 static_cast<int>(topology.switches.size())),
        isHidden(vertices) {
    hideRepeated();
    place();
  }

  /// How many devices and switches are drawn.
  int64_t drawnVertices() const {
    return std::count(isHidden.begin(), isHidden.end(), false);
  }

  std::string draw() {
    drawing.text(margin, 22, topology.name,
                 {.name = "title", .fill = ink, .fontSize = 14, .bold = true});
    width = std::max({width, minWidth,
                      2 * margin + svg::textWidth(topology.name, 14, true)});
    std::map<std::pair<int, int>, LinkKind> links = lines();
    top = legend(links) + 8;
    bool arcs = false;
    for (const auto &[ends, kind] : links) {
      if (isHidden[ends.first] || isHidden[ends.second])
        continue;
      line(ends.first, ends.second, kind);
      arcs |= level[ends.first] == level[ends.second];
    }
    for (int v = 0; v < vertices; ++v)
      if (!isHidden[v])
        box(v);
    return drawing.file(width, top + (levels - 1) * levelHeight + boxHeight +
                                   (arcs ? arcHeight : 0) + margin);
  }

private:
  const Topology &topology;
  int vertices;
  /// Vertices of machines that are as those that are drawn.
  std::vector<bool> isHidden;
  size_t equalMachines = 0; ///< of which the first `drawnMachines` are drawn
  std::vector<int> level;
  std::vector<double> x;
  int levels = 1;
  double width = 0, top = 0;
  svg::Drawing drawing;

  double boxWidth = 0, slot = 0; ///< by the longest name

  static constexpr double margin = 24, levelHeight = 70, arcHeight = 70,
                          boxHeight = 20, minWidth = 560, minBox = 56,
                          maxBox = 116;
  /// Of many equal machines.
  static constexpr size_t drawnMachines = 2, manyMachines = 5;

  /// Of a line: bandwidths of both directions, parallel links added, the larger
  /// first, and the latency.
  struct LinkKind {
    double most = 0, least = 0;
    int64_t latencyNs = 0;
    auto operator<=>(const LinkKind &) const = default;
  };
  /// Kinds with a colour of their own, fastest first; links of other kinds have
  /// one colour.
  std::vector<LinkKind> kinds;
  static constexpr size_t maxKinds = 12;

  static std::string describe(const LinkKind &kind) {
    std::string text = number(kind.most / 1e9);
    if (kind.least != kind.most)
      text += kind.least == 0 ? " (one way)" : " / " + number(kind.least / 1e9);
    return text + " GB/s, " +
           number(static_cast<double>(kind.latencyNs) / 1e3) + " us";
  }

  svg::Style lineStyle(const LinkKind &kind) const {
    auto known = std::find(kinds.begin(), kinds.end(), kind);
    auto k = static_cast<size_t>(known - kinds.begin());
    bool other = known == kinds.end();
    return {.name = other ? "otherLink" : "link" + std::to_string(k),
            .stroke = other ? "#999999"
                            : svg::deviceColour(0, 1, static_cast<int>(k),
                                                static_cast<int>(kinds.size())),
            .strokeWidth =
                other
                    ? 1
                    : std::clamp(std::log2(kind.most / 1e9 + 1) / 2, 0.5, 5.0)};
  }

  svg::Style vertexStyle(int type) const {
    // Pale, so that names can be read.
    static const std::array<const char *, 6> fills = {
        "#cfe3ff", "#d5efcf", "#f3d3e6", "#e2d8f5", "#fbe3d0", "#d8eeee"};
    return {.name = type < 0 ? "switch" : "type" + std::to_string(type),
            .fill = type < 0 ? "#ffe9a8"
                             : fills[static_cast<size_t>(type) % fills.size()],
            .stroke = "#44546a",
            .radius = type < 0 ? 9.0 : 3.0};
  }

  /// The lower end.
  double legend(const std::map<std::pair<int, int>, LinkKind> &links) {
    svg::Legend legend(drawing, margin, 36, width - 2 * margin);
    constexpr double side = svg::Legend::iconHeight;
    auto vertex = [&](int type, const std::string &text) {
      legend.entry(20, text, [&](double px, double py) {
        drawing.rectangle(px, py, 20, side, vertexStyle(type));
      });
    };
    for (size_t t = 0; t < topology.deviceTypes.size(); ++t) {
      auto devices = std::count_if(
          topology.devices.begin(), topology.devices.end(),
          [&](const Device &d) { return d.type == static_cast<int>(t); });
      if (devices == 0)
        continue;
      const DeviceType &type = topology.deviceTypes[t];
      std::string text =
          std::to_string(devices) + " x " + type.name + ": " +
          number(static_cast<double>(type.memoryBytes) / (int64_t(1) << 30)) +
          " GiB at " + number(type.memoryBandwidthBytesPerSecond / 1e9) +
          " GB/s";
      for (const auto &[dtype, flops] : type.flopsPerSecond)
        text += ", " + dtype + " " + number(flops / 1e12) + " TFLOP/s";
      vertex(static_cast<int>(t), text);
      legend.newLine();
    }
    if (!topology.switches.empty())
      vertex(-1, count(topology.switches.size(), "switch", "switches"));
    std::map<LinkKind, size_t> counts;
    for (const auto &[ends, kind] : links)
      ++counts[kind];
    for (auto it = counts.rbegin(); it != counts.rend(); ++it)
      if (kinds.size() < maxKinds)
        kinds.push_back(it->first);
    auto entry = [&](const svg::Style &style, const std::string &text) {
      legend.entry(22, text, [&](double px, double py) {
        drawing.line(px, py + side / 2, px + 22, py + side / 2, style);
      });
    };
    legend.newLine();
    for (const LinkKind &kind : kinds)
      entry(lineStyle(kind),
            count(counts[kind], "connection") + " of " + describe(kind));
    if (counts.size() > kinds.size()) {
      size_t others = links.size();
      for (const LinkKind &kind : kinds)
        others -= counts[kind];
      entry(lineStyle({}),
            count(others, "slower connection", "slower connections"));
    }
    legend.newLine();
    if (equalMachines > 0) {
      legend.note(std::to_string(drawnMachines) + " of " +
                  std::to_string(equalMachines) +
                  " equal machines are drawn; counts are of all");
      legend.newLine();
    }
    return legend.end();
  }

  void hideRepeated() {
    size_t machines = topology.machines().size();
    if (machines < manyMachines)
      return;
    std::vector<int> machineOf = findEqualMachines(topology);
    if (machineOf.empty())
      return;
    equalMachines = machines;
    for (int v = 0; v < vertices; ++v)
      isHidden[v] = machineOf[v] >= static_cast<int>(drawnMachines);
  }

  /// Devices are level 0, a switch is one level above the nearest device; a
  /// switch stands over the middle of what it connects below.
  void place() {
    boxWidth = minBox;
    for (int v = 0; v < vertices; ++v)
      if (!isHidden[v])
        boxWidth = std::clamp(svg::textWidth(vertexName(topology, v), 11) + 10,
                              boxWidth, maxBox);
    slot = boxWidth + 6;
    std::vector<std::vector<int>> next(vertices);
    for (const Link &link : topology.links) {
      if (isHidden[link.from] || isHidden[link.to])
        continue;
      next[link.from].push_back(link.to);
      next[link.to].push_back(link.from);
    }
    level.assign(vertices, -1);
    x.assign(vertices, 0);
    std::queue<int> queue;
    for (int d = 0; d < topology.deviceCount(); ++d) {
      if (isHidden[d])
        continue;
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
      if (level[v] < 0 && !isHidden[v]) {
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
    return top + (levels - 1 - level[v]) * levelHeight + boxHeight / 2;
  }

  /// Links without direction.
  std::map<std::pair<int, int>, LinkKind> lines() const {
    std::map<std::pair<int, int>, double> forward;
    std::map<std::pair<int, int>, LinkKind> both;
    for (const Link &link : topology.links) {
      forward[{link.from, link.to}] += link.bandwidthBytesPerSecond;
      auto [it, added] = both.try_emplace(std::minmax(link.from, link.to));
      it->second.latencyNs =
          added ? link.latencyNs
                : std::min(it->second.latencyNs, link.latencyNs);
    }
    for (auto &[ends, kind] : both) {
      auto bandwidth = [&](int from, int to) {
        auto it = forward.find({from, to});
        return it == forward.end() ? 0.0 : it->second;
      };
      double there = bandwidth(ends.first, ends.second),
             back = bandwidth(ends.second, ends.first);
      kind.most = std::max(there, back);
      kind.least = std::min(there, back);
    }
    return both;
  }

  void line(int a, int b, const LinkKind &kind) {
    drawing.open(vertexName(topology, a) + " - " + vertexName(topology, b) +
                     ": " + describe(kind),
                 "connection");
    svg::Style style = lineStyle(kind);
    if (level[a] != level[b]) {
      drawing.line(x[a], y(a), x[b], y(b), style);
    } else {
      // Between neighbours of a level: an arc below them.
      double depth = std::min(arcHeight, 16 + std::abs(x[a] - x[b]) / 6);
      drawing.arc(x[a], y(a), x[b], y(b), depth, style);
    }
    drawing.close();
  }

  void box(int v) {
    std::string name = vertexName(topology, v);
    int type = v < topology.deviceCount() ? topology.devices[v].type : -1;
    drawing.rectangle(
        x[v] - boxWidth / 2, y(v) - boxHeight / 2, boxWidth, boxHeight,
        vertexStyle(type),
        name + (type < 0 ? "" : " (" + topology.typeOf(v).name + ")"));
    drawing.text(x[v], y(v) + 4, svg::shortened(name, boxWidth - 6, 11),
                 {.fill = ink, .fontSize = 11, .anchor = "middle"});
  }
};

} // namespace

Expected<std::string> soap::drawTopology(const Topology &topology) {
  TopologyPainter painter(topology);
  int64_t vertices = painter.drawnVertices();
  if (vertices > maxDrawnVertices)
    return Error{"topology '" + topology.name + "' has " +
                 std::to_string(vertices) +
                 " devices and switches, drawings show at most " +
                 std::to_string(maxDrawnVertices)};
  return painter.draw();
}
