//===- LayerLayout.cpp - Layers over time ---------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time goes to the right and depth upwards. Lines between layers run in the
// gaps between frames, so that they cross no text.
//
//===----------------------------------------------------------------------===//

#include "Search/Report/LayoutParts.h"
#include "Support/Svg.h"

#include <algorithm>

using namespace soap;
using namespace soap::layout;

namespace {

constexpr double stepX = 62, gap = 18;
/// Between the frames of two layers.
constexpr double layerGap = 26;

bool isNumber(const std::string &text) {
  return !text.empty() && text.size() <= 9 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

/// Ops whose names differ in a number alone, or one op.
struct Block {
  std::string label;
  std::vector<int> members; ///< boxes
  std::set<int> producers;  ///< blocks
  int depth = 0;
  double x = 0;
};

class LayerLayout {
public:
  /// Junctions are left out: what reads one reads all that it puts together.
  explicit LayerLayout(const std::vector<Boxes::Box> &all) {
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

  /// `below`: height of the texts below boxes.
  StrategyLayout place(double below) {
    findDepths();
    findColumns();
    StrategyLayout layout;
    layout.overTime = true;
    layout.labelWidth = stepX - 4;
    int deepest = 0;
    for (const Block &block : blocks)
      deepest = std::max(deepest, block.depth);
    double height = labelHeight + boxSide + below + 6;
    auto topOf = [&](const Block &block) {
      return (deepest - block.depth) * (height + layerGap);
    };
    std::vector<double> middle(boxes.size());
    for (const Block &block : blocks) {
      double y = topOf(block), width = widthOf(block);
      layout.frames.push_back({block.label, block.x, y, width, height});
      for (size_t i = 0; i < block.members.size(); ++i) {
        int box = block.members[i];
        OpBox drawn = boxes[box].drawn;
        drawn.x = block.x + padding + (stepX - boxSide) / 2 +
                  stepX * static_cast<double>(i);
        drawn.y = y + labelHeight + 2;
        middle[box] = drawn.x + boxSide / 2;
        layout.boxes.push_back(std::move(drawn));
      }
      layout.width = std::max(layout.width, block.x + width);
    }
    layout.height = (deepest + 1) * (height + layerGap) - layerGap;
    connect(layout, middle, height, topOf);
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
    return std::max(stepX * static_cast<double>(block.members.size()) +
                        2 * padding,
                    svg::textWidth(block.label, 10) + 14);
  }

  /// Lines from step to step of a layer, and from frame to frame between a
  /// layer and the one above: they cross no text.
  void connect(StrategyLayout &layout, const std::vector<double> &middle,
               double height,
               const std::function<double(const Block &)> &topOf) const {
    std::vector<int> step(boxes.size());
    for (const Block &block : blocks)
      for (size_t i = 0; i < block.members.size(); ++i)
        step[block.members[i]] = static_cast<int>(i);
    // Between two blocks: where lines begin below, and where they end above.
    struct Bus {
      std::set<double> from, to;
    };
    std::map<std::pair<int, int>, Bus> buses;
    for (size_t b = 0; b < boxes.size(); ++b)
      for (int from : boxes[b].producers) {
        const Block &source = blocks[blockOf[from]],
                    &target = blocks[blockOf[b]];
        double x1 = middle[from], x2 = middle[b];
        if (source.depth == target.depth && x2 > x1) {
          double y = topOf(target) + labelHeight + 2 + boxSide / 2;
          layout.edges.push_back({x1 + boxSide / 2, y, x2 - boxSide / 2, y});
        }
        // Of steps that read a whole sequence, each its own step.
        else if ((source.members.size() != target.members.size() ||
                  step[from] == step[b]) &&
                 source.depth + 1 == target.depth) {
          if (x1 == x2 && source.members.size() == target.members.size()) {
            layout.edges.push_back(
                {x1, topOf(source), x2, topOf(target) + height});
            continue;
          }
          Bus &bus = buses[{blockOf[from], blockOf[b]}];
          bus.from.insert(x1);
          bus.to.insert(x2);
        }
      }
    std::map<int, Tracks> tracks; // by depth of the source
    int net = 0;
    for (const auto &[ends, bus] : buses)
      tracks[blocks[ends.first].depth].add(
          net++, std::min(*bus.from.begin(), *bus.to.begin()),
          std::max(*bus.from.rbegin(), *bus.to.rbegin()));
    net = 0;
    for (const auto &[ends, bus] : buses) {
      const Block &source = blocks[ends.first], &target = blocks[ends.second];
      double y = topOf(source) - layerGap / 2 +
                 tracks[source.depth].offsetOf(net++, 5, layerGap / 2 - 3);
      for (double x : bus.from)
        layout.edges.push_back({x, topOf(source), x, y});
      for (double x : bus.to)
        layout.edges.push_back({x, y, x, topOf(target) + height});
      double low = std::min(*bus.from.begin(), *bus.to.begin()),
             high = std::max(*bus.from.rbegin(), *bus.to.rbegin());
      if (high > low)
        layout.edges.push_back({low, y, high, y});
    }
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
    // A box that reads inputs alone stands under its first consumer.
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

} // namespace

std::optional<StrategyLayout>
layout::layOutOverTime(const std::vector<Boxes::Box> &all, double below) {
  LayerLayout layers(all);
  if (!layers.fits())
    return std::nullopt;
  return layers.place(below);
}
