//===- FlowLayout.cpp - Ops from left to right ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops stand in columns by depth, and in lanes. Lines between them run in lanes
// without a box, in channels below lanes, and in corridors between columns, so
// that they cross neither boxes nor texts.
//
//===----------------------------------------------------------------------===//

#include "Search/Report/LayoutParts.h"
#include "Support/Svg.h"

#include <algorithm>

using namespace soap;
using namespace soap::layout;

namespace {

constexpr double pitchX = 78;
/// Free of texts: between the boxes of two columns, and below the boxes of a
/// lane.
constexpr double corridor = 14, channel = 14;
constexpr int columnsPerLine = 20;

class FlowLayout {
public:
  FlowLayout(const std::vector<Boxes::Box> &boxes, const Boxes &source)
      : boxes(boxes), source(source) {
    findModules();
    foldRepetitions();
    findColumns();
    findLanes();
    findFrames();
  }

  /// `below`: height of the texts below boxes.
  StrategyLayout place(double below) {
    StrategyLayout layout;
    layout.labelWidth = pitchX - corridor;
    std::vector<OpBox> labelled(boxes.size());
    double labels = labelHeight;
    for (size_t b = 0; b < boxes.size(); ++b) {
      if (alias[b] != static_cast<int>(b))
        continue;
      labelled[b] = boxes[b].drawn;
      if (boxes[b].junction())
        labelled[b].label = boxes[b].kind;
      else
        setLabel(static_cast<int>(b), labelled[b]);
      if (!labelled[b].prefix.empty())
        labels = labelHeight + prefixHeight;
    }
    pitchY = labels + boxSide + below + channel;
    std::vector<int> lineStart = breakLines();
    left.assign(columns, 0);
    top.assign(columns, 0);
    line.assign(columns, 0);
    double y = 0;
    for (size_t l = 0; l + 1 < lineStart.size(); ++l) {
      int lanes = 1;
      for (size_t b = 0; b < boxes.size(); ++b)
        if (alias[b] == static_cast<int>(b) && column[b] >= lineStart[l] &&
            column[b] < lineStart[l + 1])
          lanes = std::max(lanes, lane[b] + 1);
      double x = 0;
      for (int c = lineStart[l]; c < lineStart[l + 1]; ++c) {
        left[c] = x;
        x += columnWidth(c);
        top[c] = y + labelHeight + padding;
        line[c] = static_cast<int>(l);
        layout.width = std::max(layout.width, x + padding);
      }
      y += lanes * pitchY + 2 * labelHeight + 2 * padding;
    }
    layout.height = y;
    placeFrames(layout);
    corner.resize(boxes.size());
    for (size_t b = 0; b < boxes.size(); ++b) {
      if (alias[b] != static_cast<int>(b))
        continue;
      OpBox drawn = std::move(labelled[b]);
      drawn.x = left[column[b]] + (columnWidth(column[b]) - boxSide) / 2;
      drawn.y = top[column[b]] + lane[b] * pitchY + labels + 2;
      corner[b] = {drawn.x, drawn.y};
      layout.boxes.push_back(std::move(drawn));
    }
    connect(layout);
    return layout;
  }

private:
  const std::vector<Boxes::Box> &boxes;
  const Boxes &source;
  /// Per box: module, -1: none; box that is drawn in its place; position.
  std::vector<int> module, alias, column, lane;
  struct Module {
    std::string name;
    std::vector<int> members;
    std::string lastAlike; ///< of several, drawn once
    int count = 1;
  };
  std::vector<Module> modules;
  int columns = 0;
  /// Per module: no other box stands in its columns.
  std::vector<bool> framed;
  double pitchY = 0; ///< from lane to lane
  /// Per column: left edge, top, and which line of the drawing it is in.
  std::vector<double> left, top;
  std::vector<int> line;
  std::vector<std::pair<double, double>> corner; ///< per drawn box

  /// Ops one after the other whose names have the first part in common; the
  /// first two parts where all have the same first one.
  void findModules() {
    std::map<std::string, size_t> first;
    for (const Boxes::Box &box : boxes)
      ++first[components(box.name)[0]];
    module.assign(boxes.size(), -1);
    for (size_t b = 0; b < boxes.size(); ++b) {
      std::vector<std::string> parts = components(boxes[b].name);
      std::string name = parts[0];
      size_t used = 1;
      if (first[name] * 2 > boxes.size() && parts.size() > 2) {
        name += "." + parts[1];
        used = 2;
      }
      if (parts.size() <= used)
        continue;
      if (modules.empty() || modules.back().name != name ||
          modules.back().members.back() + 1 != static_cast<int>(b))
        modules.emplace_back().name = name;
      modules.back().members.push_back(static_cast<int>(b));
      module[b] = static_cast<int>(modules.size()) - 1;
    }
    // A frame around one op says nothing.
    for (Module &m : modules)
      if (m.members.size() == 1)
        module[m.members[0]] = -1;
  }

  /// Gives a box its label, and its prefix: the name without its frame's, in
  /// two lines where it is too wide.
  void setLabel(int b, OpBox &drawn) const {
    int m = module[b];
    bool inFrame = m >= 0 && framed[m];
    drawn.label = inFrame ? boxes[b].name.substr(modules[m].name.size() + 1)
                          : boxes[b].name;
    drawn.times = m >= 0 ? modules[m].count : 1;
    if (svg::textWidth(drawn.label, 9) > pitchX - corridor)
      splitLabel(drawn);
    if (drawn.times > 1 && !inFrame)
      drawn.prefix = std::to_string(drawn.times) + " x" +
                     (drawn.prefix.empty() ? "" : " " + drawn.prefix);
  }

  static void splitLabel(OpBox &drawn) {
    // As many parts in the second line as there is room for, at least one.
    size_t dot = drawn.label.rfind('.');
    while (dot != std::string::npos && dot > 0) {
      size_t before = drawn.label.rfind('.', dot - 1);
      if (before == std::string::npos ||
          svg::textWidth(drawn.label.substr(before + 1), 9) > pitchX - corridor)
        break;
      dot = before;
    }
    if (dot == std::string::npos)
      return;
    drawn.prefix = drawn.label.substr(0, dot);
    drawn.label = drawn.label.substr(dot + 1);
  }

  /// A text that is equal for modules that look alike.
  std::string signature(const Module &m) const {
    std::string text;
    for (int b : m.members) {
      text += boxes[b].kind + "\n" + boxes[b].name.substr(m.name.size()) + "\n";
      auto add = [&](int group) {
        const Config &config = source.configOf(group);
        for (int64_t degree : config.degrees)
          text += std::to_string(degree) + ",";
        text += std::to_string(config.replicas) + ":";
        for (int device : config.devices)
          text += std::to_string(device) + ",";
        text += "\n";
      };
      if (!boxes[b].junction())
        add(boxes[b].drawn.group);
      for (int group : boxes[b].drawn.alike)
        add(group);
      for (const CutUpdate &update : boxes[b].drawn.updates)
        text += "update " + std::to_string(update.pieces) + "\n";
      for (int p : boxes[b].producers)
        text += module[p] == module[b]
                    ? "in " + std::to_string(p - m.members[0]) + "\n"
                    : "out\n";
    }
    return text;
  }

  void foldRepetitions() {
    constexpr size_t fewest = 3;
    alias.resize(boxes.size());
    for (size_t b = 0; b < boxes.size(); ++b)
      alias[b] = static_cast<int>(b);
    std::vector<std::string> signatures;
    for (const Module &m : modules)
      signatures.push_back(m.members.size() > 1 ? signature(m) : "");
    for (size_t m = 0; m < modules.size();) {
      size_t end = m + 1;
      while (end < modules.size() && !signatures[m].empty() &&
             signatures[end] == signatures[m])
        ++end;
      if (end - m >= fewest) {
        modules[m].lastAlike = modules[end - 1].name;
        modules[m].count = static_cast<int>(end - m);
        for (size_t other = m + 1; other < end; ++other)
          for (size_t i = 0; i < modules[other].members.size(); ++i)
            alias[modules[other].members[i]] = modules[m].members[i];
      }
      m = end;
    }
  }

  /// Producers of a drawn box, as they are drawn.
  std::vector<int> drawnProducers(int b) const {
    std::vector<int> result;
    if (alias[b] != b)
      return result;
    for (int p : boxes[b].producers)
      if (alias[p] < b &&
          std::find(result.begin(), result.end(), alias[p]) == result.end())
        result.push_back(alias[p]);
    return result;
  }

  void findColumns() {
    column.assign(boxes.size(), 0);
    for (size_t b = 0; b < boxes.size(); ++b)
      for (int p : drawnProducers(static_cast<int>(b)))
        column[b] = std::max(column[b], column[p] + 1);
    // A box that reads inputs alone stands before its consumer.
    for (size_t b = boxes.size(); b-- > 0;) {
      if (alias[b] != static_cast<int>(b) || !boxes[b].producers.empty())
        continue;
      int least = -1;
      for (size_t c = b + 1; c < boxes.size(); ++c)
        for (int p : drawnProducers(static_cast<int>(c)))
          if (p == static_cast<int>(b) && (least < 0 || column[c] < least))
            least = column[c];
      if (least > 0)
        column[b] = least - 1;
    }
    for (size_t b = 0; b < boxes.size(); ++b)
      if (alias[b] == static_cast<int>(b))
        columns = std::max(columns, column[b] + 1);
  }

  /// Ops stay in the lane of what they read first, if it is free.
  void findLanes() {
    lane.assign(boxes.size(), 0);
    std::vector<std::vector<int>> inColumn(columns);
    for (size_t b = 0; b < boxes.size(); ++b)
      if (alias[b] == static_cast<int>(b))
        inColumn[column[b]].push_back(static_cast<int>(b));
    for (std::vector<int> &list : inColumn) {
      std::vector<std::pair<int, int>> order;
      for (int b : list) {
        int wanted = 0;
        for (int p : drawnProducers(b))
          if (module[p] == module[b] && column[p] + 1 == column[b] &&
              !boxes[b].junction())
            wanted = std::max(wanted, lane[p]);
        order.push_back({wanted, b});
      }
      std::sort(order.begin(), order.end());
      int next = 0;
      for (auto [wanted, b] : order) {
        lane[b] = std::max(wanted, next);
        next = lane[b] + 1;
      }
    }
  }

  /// Junctions are small.
  double columnWidth(int c) const {
    for (size_t b = 0; b < boxes.size(); ++b)
      if (alias[b] == static_cast<int>(b) && column[b] == c &&
          !boxes[b].junction())
        return pitchX;
    return pitchX / 2 + 8;
  }

  /// A line between two boxes: horizontal in a lane or in the channel below
  /// one, vertical in the corridor before a column.
  struct Route {
    int from = 0, to = 0;
    int first = -1, second = -1; ///< columns whose corridors it takes; -1: none
    bool below = false;          ///< takes the channel below its first lane
  };

  bool isFree(int atLane, int afterColumn, int beforeColumn) const {
    for (size_t b = 0; b < boxes.size(); ++b)
      if (alias[b] == static_cast<int>(b) && lane[b] == atLane &&
          column[b] > afterColumn && column[b] < beforeColumn)
        return false;
    return true;
  }

  Route routeOf(int from, int to) const {
    int begin = column[from], end = column[to];
    bool ownLane = isFree(lane[from], begin, end);
    if (ownLane)
      return {from, to, lane[from] == lane[to] ? -1 : end};
    if (lane[from] != lane[to] && isFree(lane[to], begin, end))
      return {from, to, begin + 1};
    return {from, to, begin + 1, end, true};
  }

  double leftEnd(int box) const {
    return corner[box].first + (boxes[box].junction() ? boxSide / 2 : 0);
  }
  double rightEnd(int box) const {
    return corner[box].first + boxSide -
           (boxes[box].junction() ? boxSide / 2 : 0);
  }
  double middle(int box) const { return corner[box].second + boxSide / 2; }
  double channelBelow(int box) const {
    return top[column[box]] + (lane[box] + 1) * pitchY - channel / 2;
  }

  /// Lines within a line of the drawing; those between two of them end and
  /// begin at its edges where nothing is in their way.
  void connect(StrategyLayout &layout) const {
    std::vector<Route> routes;
    std::set<std::pair<double, double>> drawnEnds;
    auto drawEnd = [&](double x1, double x2, double y) {
      if (drawnEnds.insert({x1, y}).second)
        layout.edges.push_back({x1, y, x2, y});
    };
    for (size_t b = 0; b < boxes.size(); ++b) {
      int to = static_cast<int>(b);
      for (int from : drawnProducers(to)) {
        if (line[column[from]] == line[column[b]]) {
          routes.push_back(routeOf(from, to));
          continue;
        }
        int end = column[from] + 1, begin = column[b];
        while (end < columns && line[end] == line[column[from]])
          ++end;
        while (begin > 0 && line[begin - 1] == line[column[b]])
          --begin;
        if (isFree(lane[from], column[from], end))
          drawEnd(rightEnd(from),
                  left[end - 1] + columnWidth(end - 1) + padding, middle(from));
        if (isFree(lane[b], begin - 1, column[b]))
          drawEnd(leftEnd(to), left[begin] - padding, middle(to));
      }
    }
    // In a corridor, the lines of one box to several others share a track; so
    // do the lines of several boxes to one.
    std::map<std::pair<int, int>, int> leaving; // corridor, box
    for (const Route &r : routes)
      ++leaving[{r.first, r.from}];
    auto net = [&](const Route &r, int corridorOf) {
      int count = static_cast<int>(boxes.size());
      return corridorOf == r.first &&
                     (r.second >= 0 || leaving[{r.first, r.from}] > 1)
                 ? r.from
                 : count + r.to;
    };
    std::map<int, Tracks> corridors;
    std::map<std::pair<int, int>, Tracks> channels; // line, lane
    for (const Route &r : routes) {
      double high = r.below ? channelBelow(r.from) : middle(r.from);
      if (r.first >= 0)
        corridors[r.first].add(
            net(r, r.first),
            std::min(middle(r.from), r.below ? high : middle(r.to)),
            std::max(middle(r.from), r.below ? high : middle(r.to)));
      if (r.second >= 0)
        corridors[r.second].add(net(r, r.second), std::min(high, middle(r.to)),
                                std::max(high, middle(r.to)));
      if (r.below)
        channels[{line[column[r.from]], lane[r.from]}].add(
            r.from, rightEnd(r.from), leftEnd(r.to));
    }
    auto corridorX = [&](const Route &r, int c) {
      return left[c] + corridors[c].offsetOf(net(r, c), 4, corridor / 2 - 1);
    };
    for (const Route &r : routes) {
      OpEdge edge = {rightEnd(r.from), middle(r.from)};
      auto go = [&](double x, double y) { edge.insert(edge.end(), {x, y}); };
      if (r.below) {
        double y = channelBelow(r.from) +
                   channels[{line[column[r.from]], lane[r.from]}].offsetOf(
                       r.from, 3, channel / 2 - 2);
        double x1 = corridorX(r, r.first), x2 = corridorX(r, r.second);
        go(x1, middle(r.from));
        go(x1, y);
        go(x2, y);
        go(x2, middle(r.to));
      } else if (r.first >= 0) {
        double x = corridorX(r, r.first);
        go(x, middle(r.from));
        go(x, middle(r.to));
      }
      go(leftEnd(r.to), middle(r.to));
      layout.edges.push_back(std::move(edge));
    }
  }

  struct Range {
    int first = 0, last = -1;
  };
  std::vector<Range> moduleColumns() const {
    std::vector<Range> ranges(modules.size());
    for (size_t b = 0; b < boxes.size(); ++b) {
      if (module[b] < 0 || alias[b] != static_cast<int>(b))
        continue;
      Range &range = ranges[module[b]];
      if (range.last < range.first)
        range = {column[b], column[b]};
      range.first = std::min(range.first, column[b]);
      range.last = std::max(range.last, column[b]);
    }
    return ranges;
  }

  /// First column of every line, and the end; not in the middle of a module, if
  /// that is possible.
  std::vector<int> breakLines() const {
    std::vector<bool> splits(columns + 1);
    for (const Range &range : moduleColumns())
      for (int c = range.first + 1; c <= range.last; ++c)
        splits[c] = true;
    std::vector<int> starts = {0};
    while (columns - starts.back() > columnsPerLine) {
      int end = starts.back() + columnsPerLine;
      while (end > starts.back() && splits[end])
        --end;
      if (end <= starts.back() + columnsPerLine / 4)
        end = starts.back() + columnsPerLine;
      starts.push_back(end);
    }
    starts.push_back(columns);
    return starts;
  }

  void findFrames() {
    std::vector<Range> ranges = moduleColumns();
    framed.assign(modules.size(), false);
    for (size_t m = 0; m < modules.size(); ++m) {
      framed[m] = ranges[m].last >= ranges[m].first;
      for (size_t b = 0; b < boxes.size(); ++b)
        if (alias[b] == static_cast<int>(b) && column[b] >= ranges[m].first &&
            column[b] <= ranges[m].last && module[b] != static_cast<int>(m))
          framed[m] = false;
    }
  }

  void placeFrames(StrategyLayout &layout) const {
    std::vector<Range> ranges = moduleColumns();
    for (size_t m = 0; m < modules.size(); ++m) {
      if (!framed[m])
        continue;
      const Range &range = ranges[m];
      int lanes = 1;
      for (size_t b = 0; b < boxes.size(); ++b)
        if (alias[b] == static_cast<int>(b) && column[b] >= range.first &&
            column[b] <= range.last)
          lanes = std::max(lanes, lane[b] + 1);
      std::string label = modules[m].name;
      if (modules[m].count > 1)
        label += " to " + modules[m].lastAlike + ", " +
                 std::to_string(modules[m].count) + " times";
      for (int c = range.first; c <= range.last;) {
        int end = c;
        while (end + 1 <= range.last && line[end + 1] == line[c])
          ++end;
        layout.frames.push_back({c == range.first ? label : "", left[c] + 2,
                                 top[c] - labelHeight + 2,
                                 left[end] - left[c] + columnWidth(end) - 4,
                                 lanes * pitchY + labelHeight});
        c = end + 1;
      }
    }
  }
};

} // namespace

StrategyLayout layout::layOutInLines(const Boxes &boxes, double below) {
  return FlowLayout(boxes.boxes, boxes).place(below);
}
