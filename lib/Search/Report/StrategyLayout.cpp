//===- StrategyLayout.cpp - Where the ops of a drawing are ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two layouts. Where most ops are time steps of layers, time goes to the right
// and depth upwards; else depth goes to the right and is broken into lines.
//
//===----------------------------------------------------------------------===//

#include "StrategyLayout.h"
#include "Search/Evaluator/GroupNeighbours.h"
#include "Soap/Support/Svg.h"

#include <algorithm>
#include <map>
#include <set>

using namespace soap;

namespace {

constexpr double pitchX = 64, pitchY = 78, stepX = 50, labelHeight = 16,
                 gap = 18, padding = 6;
constexpr int columnsPerLine = 24;

std::vector<std::string> components(const std::string &name) {
  std::vector<std::string> parts(1);
  for (char c : name)
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

bool isNumber(const std::string &text) {
  return !text.empty() && text.size() <= 9 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

/// The input of both layouts: boxes, which of them reads which, and
/// junctions, where an op that follows another one puts several boxes together
/// (concat, add).
class Boxes {
public:
  Boxes(const ParallelizationProblem &problem, const Strategy &strategy)
      : problem(problem), graph(problem.getGraph()), strategy(strategy),
        neighbours(problem), producer(graph.values.size(), -1),
        boxOf(graph.nodes.size(), -1) {
    collect();
  }

  struct Box {
    OpBox drawn;
    std::string name, kind;
    std::vector<int> producers; ///< boxes before it
    bool junction() const { return drawn.group < 0; }
  };
  /// In program order.
  std::vector<Box> boxes;

  const Config &configOf(int group) const {
    return strategy[problem.getGroups()[group].leader];
  }

private:
  const ParallelizationProblem &problem;
  const Graph &graph;
  const Strategy &strategy;
  GroupNeighbours neighbours;
  std::vector<int> producer; ///< per value: node
  std::vector<int> boxOf; ///< per forward node: box whose result it passes on

  /// Boxes that a node reads, in order.
  std::vector<int> sources(int node) const {
    std::vector<int> result;
    for (int value : graph.nodes[node].whole.operands) {
      int box = producer[value] < 0 ? -1 : boxOf[producer[value]];
      if (box >= 0 &&
          std::find(result.begin(), result.end(), box) == result.end())
        result.push_back(box);
    }
    return result;
  }

  /// A norm after its convolution, `conv1.norm` cut as `conv1`: both are one
  /// box.
  bool belongsTo(int group, const Box &box) const {
    const Kernel &kernel = graph.nodes[problem.getGroups()[group].leader].whole;
    return !box.junction() && kernel.kind.find("norm") != std::string::npos &&
           kernel.name.starts_with(box.name + ".") &&
           neighbours.connected(box.drawn.group, group) &&
           neighbours.translate(box.drawn.group, configOf(box.drawn.group),
                                group) == configOf(group);
  }

  void collect() {
    const std::vector<OpGroup> &groups = problem.getGroups();
    std::vector<int> leads(graph.nodes.size(), -1);
    for (size_t g = 0; g < groups.size(); ++g)
      leads[groups[g].leader] = static_cast<int>(g);
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const Kernel &kernel = graph.nodes[n].whole;
      for (int value : kernel.results)
        producer[value] = static_cast<int>(n);
      if (kernel.phase != Phase::Forward)
        continue;
      std::vector<int> read = sources(static_cast<int>(n));
      int group = leads[n];
      bool passesOn =
          group < 0 ? read.size() <= 1
                    : read.size() == 1 && belongsTo(group, boxes[read[0]]);
      if (passesOn) {
        boxOf[n] = read.empty() ? -1 : read[0];
        if (group >= 0)
          boxes[boxOf[n]].drawn.alike.push_back(group);
        continue;
      }
      boxOf[n] = static_cast<int>(boxes.size());
      Box &box = boxes.emplace_back();
      box.drawn.group = group;
      box.name = kernel.name;
      box.kind = kernel.kind;
      box.producers = std::move(read);
    }
  }
};

//===----------------------------------------------------------------------===//
// Unrolled over time
//===----------------------------------------------------------------------===//

/// Ops whose names differ in a number alone, or one op.
struct Block {
  std::string label;
  std::vector<int> members; ///< boxes
  std::set<int> producers;  ///< blocks
  int depth = 0;
  double x = 0;
};

class Unrolled {
public:
  /// Junctions are left out: what reads one reads all that it puts together.
  explicit Unrolled(const std::vector<Boxes::Box> &all) {
    std::vector<std::vector<int>> place(all.size());
    for (size_t b = 0; b < all.size(); ++b) {
      std::vector<int> read;
      for (int p : all[b].producers)
        for (int box : place[p])
          if (std::find(read.begin(), read.end(), box) == read.end())
            read.push_back(box);
      if (all[b].junction()) {
        place[b] = std::move(read);
        continue;
      }
      place[b] = {static_cast<int>(boxes.size())};
      boxes.push_back(all[b]);
      boxes.back().producers = std::move(read);
    }
    // Layers named by numbers are in a circle if they are taken for steps:
    // then their ops stand alone.
    do
      makeBlocks();
    while (dissolveCircles());
  }

  /// Whether most of the ops are steps.
  bool fits() const {
    size_t steps = 0;
    for (const Block &block : blocks)
      if (block.members.size() > 1)
        steps += block.members.size();
    return steps * 2 > boxes.size();
  }

  StrategyLayout place() {
    findDepths();
    findColumns();
    StrategyLayout layout;
    int deepest = 0;
    for (const Block &block : blocks)
      deepest = std::max(deepest, block.depth);
    std::vector<std::pair<double, double>> corner(boxes.size());
    for (const Block &block : blocks) {
      double y = labelHeight + (deepest - block.depth) * (pitchY + labelHeight);
      double width = widthOf(block);
      layout.frames.push_back({block.label, block.x, y - labelHeight, width,
                               pitchY - 10 + labelHeight});
      for (size_t i = 0; i < block.members.size(); ++i) {
        int box = block.members[i];
        OpBox drawn = boxes[box].drawn;
        drawn.x = block.x + padding + stepX * static_cast<double>(i);
        drawn.y = y + 2;
        corner[box] = {drawn.x, drawn.y};
        layout.boxes.push_back(std::move(drawn));
      }
      layout.width = std::max(layout.width, block.x + width);
    }
    layout.height = (deepest + 1) * (pitchY + labelHeight) + labelHeight;
    std::vector<int> step(boxes.size());
    for (const Block &block : blocks)
      for (size_t i = 0; i < block.members.size(); ++i)
        step[block.members[i]] = static_cast<int>(i);
    for (size_t b = 0; b < boxes.size(); ++b)
      for (int from : boxes[b].producers) {
        auto [x1, y1] = corner[from];
        auto [x2, y2] = corner[b];
        const Block &source = blocks[blockOf[from]],
                    &target = blocks[blockOf[b]];
        if (y2 == y1 && x2 > x1)
          layout.edges.push_back({x1 + boxSide, y1 + boxSide / 2, x2,
                                  y2 + boxSide / 2, OpEdge::Right});
        // Of steps that read a whole sequence, each its own step.
        else if (y2 < y1 &&
                 (source.members.size() != target.members.size() ||
                  step[from] == step[b]) &&
                 source.depth + 1 == target.depth)
          layout.edges.push_back({x1 + boxSide / 2, y1, x2 + boxSide / 2,
                                  y2 + boxSide + labelHeight - 4, OpEdge::Up});
      }
    return layout;
  }

private:
  std::vector<Boxes::Box> boxes;
  std::vector<Block> blocks;
  std::vector<int> blockOf;    ///< per box
  std::set<std::string> alone; ///< patterns whose ops are no steps

  /// `encoder.lstm1.*` and 3 of `encoder.lstm1.3`; empty if there is no number.
  static std::pair<std::string, int> patternOf(const std::string &name) {
    std::vector<std::string> parts = components(name);
    for (size_t p = parts.size(); p-- > 0;)
      if (isNumber(parts[p])) {
        std::string pattern;
        for (size_t q = 0; q < parts.size(); ++q)
          pattern += (q ? "." : "") + (q == p ? "*" : parts[q]);
        return {pattern, std::stoi(parts[p])};
      }
    return {"", 0};
  }

  static double widthOf(const Block &block) {
    return std::max(stepX * static_cast<double>(block.members.size()) + padding,
                    svg::textWidth(block.label, 10) + 12);
  }

  void makeBlocks() {
    blocks.clear();
    blockOf.assign(boxes.size(), -1);
    std::map<std::string, int> known;
    for (size_t b = 0; b < boxes.size(); ++b) {
      std::string pattern = patternOf(boxes[b].name).first;
      std::string key = pattern.empty() || alone.count(pattern) ? "" : pattern;
      int block = -1;
      if (auto it = known.find(key); !key.empty() && it != known.end())
        block = it->second;
      if (block < 0) {
        block = static_cast<int>(blocks.size());
        blocks.emplace_back().label = boxes[b].name;
        if (!key.empty()) {
          known[key] = block;
          // Without the number: `attention.scores`.
          size_t star = key.find('*');
          std::string label =
              key.substr(0, star == 0 ? 0 : star - 1) + key.substr(star + 1);
          blocks[block].label =
              label.starts_with(".") ? label.substr(1) : label;
        }
      }
      blocks[block].members.push_back(static_cast<int>(b));
      blockOf[b] = block;
    }
    for (size_t b = 0; b < boxes.size(); ++b)
      for (int from : boxes[b].producers)
        if (blockOf[from] != blockOf[b])
          blocks[blockOf[b]].producers.insert(blockOf[from]);
    for (Block &block : blocks)
      std::sort(block.members.begin(), block.members.end(), [&](int x, int y) {
        return std::pair(patternOf(boxes[x].name).second, x) <
               std::pair(patternOf(boxes[y].name).second, y);
      });
  }

  /// Peels off blocks without producers; what remains is in circles or behind
  /// one. Whether there was any.
  bool dissolveCircles() {
    std::vector<bool> gone(blocks.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = 0; b < blocks.size(); ++b)
        if (!gone[b] &&
            std::all_of(blocks[b].producers.begin(), blocks[b].producers.end(),
                        [&](int p) { return gone[p]; })) {
          gone[b] = true;
          changed = true;
        }
    }
    bool any = false;
    for (size_t b = 0; b < blocks.size(); ++b)
      if (!gone[b] && blocks[b].members.size() > 1) {
        alone.insert(patternOf(boxes[blocks[b].members[0]].name).first);
        any = true;
      }
    return any;
  }

  /// A state from one recurrent layer to another makes nothing deeper.
  void findDepths() {
    for (size_t round = 0; round < blocks.size(); ++round) {
      bool changed = false;
      for (Block &block : blocks)
        for (int p : block.producers) {
          bool state = boxes[block.members[0]].kind == "lstm" &&
                       boxes[blocks[p].members[0]].kind == "lstm";
          int depth = blocks[p].depth + (state ? 0 : 1);
          if (depth > block.depth) {
            block.depth = depth;
            changed = true;
          }
        }
      if (!changed)
        return;
    }
  }

  /// Over their producers, the last of them; then what has none under its
  /// consumers.
  void findColumns() {
    std::map<int, std::vector<int>> layers;
    for (size_t b = 0; b < blocks.size(); ++b)
      layers[blocks[b].depth].push_back(static_cast<int>(b));
    auto sweep = [&](const std::vector<int> &layer,
                     const std::vector<double> &wanted) {
      std::vector<int> order = layer;
      std::sort(order.begin(), order.end(), [&](int a, int b) {
        return std::pair(wanted[a], a) < std::pair(wanted[b], b);
      });
      double cursor = 0;
      for (int b : order) {
        blocks[b].x = std::max(cursor, wanted[b]);
        cursor = blocks[b].x + widthOf(blocks[b]) + gap;
      }
    };
    std::vector<double> wanted(blocks.size());
    for (const auto &[depth, layer] : layers) {
      for (int b : layer)
        for (int p : blocks[b].producers)
          if (blocks[p].depth < depth)
            wanted[b] = std::max(wanted[b], blocks[p].x);
      sweep(layer, wanted);
    }
    // What reads inputs alone stands under its first consumer.
    for (auto &[depth, layer] : layers) {
      for (int b : layer) {
        wanted[b] = blocks[b].x;
        if (!blocks[b].producers.empty())
          continue;
        double least = -1;
        for (const Block &block : blocks)
          if (block.producers.count(b) && (least < 0 || block.x < least))
            least = block.x;
        wanted[b] = std::max(wanted[b], least);
      }
      sweep(layer, wanted);
    }
  }
};

//===----------------------------------------------------------------------===//
// From left to right
//===----------------------------------------------------------------------===//

class Flow {
public:
  Flow(const std::vector<Boxes::Box> &boxes, const Boxes &source)
      : boxes(boxes), source(source) {
    findModules();
    foldRepetitions();
    findColumns();
    findLanes();
  }

  StrategyLayout place() const {
    StrategyLayout layout;
    std::vector<int> lineStart = breakLines();
    // Left edge and top of every column.
    std::vector<double> left(columns), top(columns);
    std::vector<int> line(columns);
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
    placeFrames(layout, left, top, line);
    std::vector<std::pair<double, double>> corner(boxes.size());
    for (size_t b = 0; b < boxes.size(); ++b) {
      if (alias[b] != static_cast<int>(b))
        continue;
      OpBox drawn = boxes[b].drawn;
      drawn.label = shortName(static_cast<int>(b));
      drawn.x = left[column[b]] + (columnWidth(column[b]) - boxSide) / 2;
      drawn.y = top[column[b]] + lane[b] * pitchY + labelHeight;
      corner[b] = {drawn.x, drawn.y};
      if (boxes[b].junction())
        drawn.label = boxes[b].kind;
      layout.boxes.push_back(std::move(drawn));
    }
    for (size_t b = 0; b < boxes.size(); ++b)
      for (int from : drawnProducers(static_cast<int>(b))) {
        if (line[column[from]] != line[column[b]])
          continue;
        // Past other ops of the lane, over them.
        bool over = lane[from] == lane[b] && column[b] > column[from] + 1;
        auto inset = [&](int box) {
          return boxes[box].junction() ? boxSide / 2 : 0;
        };
        layout.edges.push_back({corner[from].first + boxSide - inset(from),
                                corner[from].second + boxSide / 2,
                                corner[b].first + inset(static_cast<int>(b)),
                                corner[b].second + boxSide / 2,
                                over ? OpEdge::Over : OpEdge::Right});
      }
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

  /// Without the module; the last part alone where there is no room for more.
  std::string shortName(int b) const {
    std::string name =
        module[b] < 0
            ? boxes[b].name
            : boxes[b].name.substr(modules[module[b]].name.size() + 1);
    if (svg::textWidth(name, 9) > pitchX)
      name = components(name).back();
    return name;
  }

  /// Text that is equal for modules that are drawn alike.
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
    // What reads inputs alone stands before its consumer.
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
    return pitchX / 2;
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

  /// Around modules that share their columns with no other module.
  void placeFrames(StrategyLayout &layout, const std::vector<double> &left,
                   const std::vector<double> &top,
                   const std::vector<int> &line) const {
    std::vector<Range> ranges = moduleColumns();
    for (size_t m = 0; m < modules.size(); ++m) {
      const Range &range = ranges[m];
      if (range.last < range.first)
        continue;
      bool shared = false;
      int lanes = 1;
      for (size_t b = 0; b < boxes.size(); ++b)
        if (alias[b] == static_cast<int>(b) && column[b] >= range.first &&
            column[b] <= range.last) {
          shared |= module[b] != static_cast<int>(m);
          lanes = std::max(lanes, lane[b] + 1);
        }
      std::string label = modules[m].name;
      if (modules[m].count > 1)
        label += " to " + modules[m].lastAlike + ", " +
                 std::to_string(modules[m].count) + " times";
      if (shared)
        continue;
      for (int c = range.first; c <= range.last;) {
        int end = c;
        while (end + 1 <= range.last && line[end + 1] == line[c])
          ++end;
        layout.frames.push_back({c == range.first ? label : "", left[c] + 2,
                                 top[c] - labelHeight + 4,
                                 left[end] - left[c] + columnWidth(end) - 4,
                                 lanes * pitchY + 2 * labelHeight - 10});
        c = end + 1;
      }
    }
  }
};

} // namespace

StrategyLayout soap::layOut(const ParallelizationProblem &problem,
                            const Strategy &strategy) {
  Boxes source(problem, strategy);
  Unrolled unrolled(source.boxes);
  if (unrolled.fits())
    return unrolled.place();
  return Flow(source.boxes, source).place();
}
