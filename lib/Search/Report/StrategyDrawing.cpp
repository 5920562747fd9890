//===- StrategyDrawing.cpp - Strategies as drawings -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frames, then lines, then boxes. Every mark is in the legend; the legend and
// the marks share their styles.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Report/StrategyDrawing.h"
#include "StrategyLayout.h"
#include "Support/Svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

using namespace soap;

namespace {

const std::string ink = "#222222", faint = "#666666";
constexpr double stripHeight = 7, textPitch = 10, labelSize = 9, cutSize = 8;

svg::Style edgeStyle() { return {.name = "data", .stroke = "#a5a5a5"}; }
svg::Style frameStyle() {
  return {.name = "frame", .fill = "#ededed", .radius = 5};
}
svg::Style outlineStyle() { return {.name = "op", .stroke = ink}; }
svg::Style updateStyle() {
  return {.name = "update", .stroke = ink, .strokeWidth = 0.8};
}
svg::Style junctionStyle() { return {.name = "junction", .fill = faint}; }

/// How loops are split, in the words of a person.
enum class Cut { Samples, Positions, Channels, Sums };
constexpr int cutCount = 4;

Cut cutOf(const Loop &loop, Role role) {
  if (role == Role::Sample)
    return Cut::Samples;
  if (loop.type == IteratorType::Reduction)
    return Cut::Sums;
  return role == Role::Parameter ? Cut::Channels : Cut::Positions;
}

const char *wordOf(Cut cut) {
  switch (cut) {
  case Cut::Samples:
    return "samples";
  case Cut::Positions:
    return "positions";
  case Cut::Channels:
    return "channels";
  case Cut::Sums:
    return "sums";
  }
  return "";
}

const char *meaningOf(Cut cut) {
  switch (cut) {
  case Cut::Samples:
    return "the batch is split into N pieces";
  case Cut::Positions:
    return "rows of images, steps of sequences or heads are split";
  case Cut::Channels:
    return "outputs are split, and the weights that make them";
  case Cut::Sums:
    return "terms of sums are split, the sums of the pieces are added";
  }
  return "";
}

/// The drawing of one config: cells in rows and columns, per replica.
struct CellGrid {
  int64_t rows = 1, columns = 1, replicas = 1;
  std::vector<int> devices; ///< replica, row, column
};

class Drawer {
public:
  Drawer(const ParallelizationProblem &problem, const Strategy &strategy)
      : problem(problem), strategy(strategy),
        machines(problem.getTopology().machines()),
        colours(problem.getTopology().deviceCount()) {
    for (size_t m = 0; m < machines.size(); ++m)
      for (size_t i = 0; i < machines[m].size(); ++i)
        colours[machines[m][i]] = svg::deviceColour(
            static_cast<int>(m), static_cast<int>(machines.size()),
            static_cast<int>(i), static_cast<int>(machines[m].size()));
  }

  std::string draw(const std::string &title) {
    StrategyLayout layout = layOut(problem, strategy, [this](const OpBox &box) {
      return (box.updates.empty() ? 0 : stripHeight + 3) +
             textPitch * static_cast<double>(textsOf(box).size()) + 3;
    });
    double width =
        std::max({layout.width, 700.0, svg::textWidth(title, 15, true)}) +
        2 * margin;
    drawing.text(margin, 24, title,
                 {.name = "title", .fill = ink, .fontSize = 15, .bold = true});
    double top = legend(layout, width) + 12;
    for (const OpFrame &frame : layout.frames) {
      drawing.rectangle(frame.x + margin, frame.y + top, frame.width,
                        frame.height, frameStyle());
      drawing.text(frame.x + margin + 5, frame.y + top + 11,
                   svg::shortened(frame.label, frame.width - 10, 10),
                   {.name = "title", .fill = faint, .fontSize = 10});
    }
    for (OpEdge edge : layout.edges) {
      for (size_t i = 0; i < edge.size(); i += 2) {
        edge[i] += margin;
        edge[i + 1] += top;
      }
      drawing.route(edge, 6, edgeStyle());
    }
    for (const OpBox &box : layout.boxes)
      this->box(box, margin, top, layout.labelWidth);
    return drawing.file(width, top + layout.height + margin);
  }

private:
  const ParallelizationProblem &problem;
  const Strategy &strategy;
  std::vector<std::vector<int>> machines;
  std::vector<std::string> colours;
  svg::Drawing drawing;

  static constexpr double margin = 16;

  svg::Style deviceStyle(int device, bool lines = false) const {
    return {.name = "device" + std::to_string(device),
            .fill = colours[device],
            .stroke = lines ? "white" : colours[device],
            .strokeWidth = lines ? 1 : 0.2};
  }

  /// The height where it ends.
  double legend(const StrategyLayout &layout, double width) {
    svg::Legend legend(drawing, margin, 38, width - 2 * margin);
    deviceLegend(legend);
    legend.newLine();
    cutLegend(legend, layout);
    legend.newLine();
    constexpr double side = svg::Legend::iconHeight;
    legend.entry(side,
                 "an op, its gradients and its updates; a piece has the colour "
                 "of its device",
                 [&](double x, double y) {
                   drawing.rectangle(x, y, side, side, outlineStyle());
                 });
    if (!layout.frames.empty())
      legend.entry(
          18, layout.overTime ? "a layer, step by step" : "ops of one module",
          [&](double x, double y) {
            drawing.rectangle(x, y, 18, side, frameStyle());
          });
    if (!layout.edges.empty())
      legend.entry(22,
                   layout.overTime ? "data between steps and between layers"
                                   : "data from op to op",
                   [&](double x, double y) {
                     drawing.route({x, y + side / 2, x + 22, y + side / 2}, 0,
                                   edgeStyle());
                   });
    if (std::any_of(layout.boxes.begin(), layout.boxes.end(),
                    [](const OpBox &box) { return box.times > 1; }))
      legend.note("N times, N x: drawn once for N modules that are alike");
    if (std::any_of(layout.boxes.begin(), layout.boxes.end(),
                    [](const OpBox &box) { return box.group < 0; }))
      legend.entry(8, "results are joined", [&](double x, double y) {
        drawing.marker(svg::Marker::Circle, x + 4, y + side / 2, 7,
                       junctionStyle());
      });
    legend.newLine();
    return legend.end();
  }

  /// Colours and names of devices, by machine where there are several.
  void deviceLegend(svg::Legend &legend) {
    constexpr double swatch = svg::Legend::iconHeight;
    constexpr size_t maxMachines = 64, maxNames = 16;
    const Topology &topology = problem.getTopology();
    for (size_t m = 0; m < machines.size() && m < maxMachines; ++m) {
      const std::vector<int> &devices = machines[m];
      // Names of devices, or the first and the last behind their colours.
      if (machines.size() == 1 && devices.size() <= maxNames) {
        for (int device : devices)
          legend.entry(
              swatch, topology.devices[device].name, [&](double x, double y) {
                drawing.rectangle(x, y, swatch, swatch, deviceStyle(device));
              });
        continue;
      }
      std::string first = topology.devices[devices.front()].name,
                  last = topology.devices[devices.back()].name;
      double cell = devices.size() > 32 ? 4 : swatch;
      legend.entry(cell * static_cast<double>(devices.size()),
                   devices.size() > 1 ? first + " to " + last : first,
                   [&](double x, double y) {
                     for (size_t i = 0; i < devices.size(); ++i)
                       drawing.rectangle(x + cell * static_cast<double>(i), y,
                                         cell, swatch, deviceStyle(devices[i]),
                                         topology.devices[devices[i]].name);
                   });
    }
    if (machines.size() > maxMachines)
      legend.note("and " + std::to_string(machines.size() - maxMachines) +
                  " machines more");
  }

  /// The ways of splitting that the drawing has.
  void cutLegend(svg::Legend &legend, const StrategyLayout &layout) {
    std::array<bool, cutCount> used = {};
    bool copies = false, updates = false;
    for (const OpBox &box : layout.boxes) {
      if (box.group < 0)
        continue;
      for (const auto &[cut, degree] : cutsOf(box.group))
        used[static_cast<size_t>(cut)] = true;
      copies |= strategy[problem.getGroups()[box.group].leader].replicas > 1;
      updates |= !box.updates.empty();
    }
    constexpr double side = svg::Legend::iconHeight;
    svg::Style piece{.name = "piece", .fill = "#cccccc", .stroke = "white"};
    auto pieces = [&](double x, double y, double width, int across, int down) {
      for (int i = 0; i < across * down; ++i)
        drawing.rectangle(x + width / across * (i % across),
                          y + side / down * (i / across), width / across,
                          side / down, piece);
      drawing.rectangle(x, y, width, side, outlineStyle());
    };
    for (int c = 0; c < cutCount; ++c) {
      if (!used[c])
        continue;
      Cut cut = static_cast<Cut>(c);
      bool rows = cut == Cut::Samples || cut == Cut::Positions;
      legend.entry(16,
                   std::string(wordOf(cut)) + "/N (" +
                       (rows ? "rows" : "columns") + "): " + meaningOf(cut),
                   [&](double x, double y) {
                     pieces(x, y, 16, rows ? 1 : 3, rows ? 3 : 1);
                   });
    }
    if (copies)
      legend.entry(24, "N copies: each computes the same",
                   [&](double x, double y) {
                     pieces(x, y, 11, 1, 1);
                     pieces(x + 13, y, 11, 1, 1);
                   });
    if (updates)
      legend.entry(22,
                   "update/N: each device keeps and updates a piece of the "
                   "weights (ZeRO)",
                   [&](double x, double y) {
                     drawing.rectangle(x, y + 2, 22, stripHeight,
                                       updateStyle());
                   });
  }

  CellGrid gridOf(int group) const {
    int node = problem.getGroups()[group].leader;
    const IterationSpace &space = problem.getGraph().nodes[node].whole.space;
    const Config &config = strategy[node];
    CellGrid grid;
    grid.replicas = config.replicas;
    // Outer to inner: samples, then positions; channels, then sums.
    std::vector<size_t> rowLoops, columnLoops;
    for (Role role :
         {Role::Sample, Role::Attribute, Role::Parameter, Role::Reduction})
      for (size_t l = 0; l < space.loops.size(); ++l)
        if (problem.getRoles()[node][l] == role)
          (role == Role::Sample || role == Role::Attribute ? rowLoops
                                                           : columnLoops)
              .push_back(l);
    for (size_t l : rowLoops)
      grid.rows *= config.degrees[l];
    for (size_t l : columnLoops)
      grid.columns *= config.degrees[l];
    grid.devices.resize(config.devices.size());
    for (const Shard &shard : enumerateShards(space, config)) {
      int64_t row = 0, column = 0;
      for (size_t l : rowLoops)
        row = row * config.degrees[l] + shard.piece[l];
      for (size_t l : columnLoops)
        column = column * config.degrees[l] + shard.piece[l];
      grid.devices[(shard.replica * grid.rows + row) * grid.columns + column] =
          shard.device;
    }
    return grid;
  }

  /// By kind of split, into how many pieces.
  std::map<Cut, int64_t> cutsOf(int group) const {
    int node = problem.getGroups()[group].leader;
    const IterationSpace &space = problem.getGraph().nodes[node].whole.space;
    std::map<Cut, int64_t> cuts;
    for (size_t l = 0; l < space.loops.size(); ++l)
      if (int64_t degree = strategy[node].degrees[l]; degree > 1)
        cuts.try_emplace(cutOf(space.loops[l], problem.getRoles()[node][l]), 1)
            .first->second *= degree;
    return cuts;
  }

  /// The update of the largest parameter.
  static const CutUpdate &largestUpdate(const OpBox &box) {
    return *std::max_element(box.updates.begin(), box.updates.end(),
                             [](const CutUpdate &a, const CutUpdate &b) {
                               return a.bytes < b.bytes;
                             });
  }

  /// The lines below a box: `samples/4`, `2 copies`, `update/4`.
  std::vector<std::string> textsOf(const OpBox &box) const {
    std::vector<std::string> texts;
    for (const auto &[cut, degree] : cutsOf(box.group))
      texts.push_back(wordOf(cut) + ("/" + std::to_string(degree)));
    const Config &config = strategy[problem.getGroups()[box.group].leader];
    if (config.replicas > 1)
      texts.push_back(std::to_string(config.replicas) + " copies");
    if (!box.updates.empty())
      texts.push_back("update/" + std::to_string(largestUpdate(box).pieces));
    return texts;
  }

  std::string tooltipOf(const OpBox &box) const {
    std::string text;
    auto add = [&](int group) {
      int node = problem.getGroups()[group].leader;
      const Kernel &kernel = problem.getGraph().nodes[node].whole;
      const Config &config = strategy[node];
      text += (text.empty() ? "" : "\n") + kernel.name + ": " + kernel.kind;
      for (size_t l = 0; l < kernel.space.loops.size(); ++l)
        text += ", " + kernel.space.loops[l].name + "=" +
                std::to_string(kernel.space.loops[l].extent) + " (" +
                roleName(kernel.space.loops[l], problem.getRoles()[node][l]) +
                ") / " + std::to_string(config.degrees[l]);
      if (config.replicas > 1)
        text += ", " + std::to_string(config.replicas) + " replicas";
      text += "; devices";
      constexpr size_t maxNames = 16;
      for (size_t i = 0; i < config.devices.size() && i < maxNames; ++i)
        text += " " + problem.getTopology().devices[config.devices[i]].name;
      if (config.devices.size() > maxNames)
        text += " ...";
    };
    add(box.group);
    for (int group : box.alike)
      add(group);
    if (box.times > 1)
      text += "\nthe same in " + std::to_string(box.times) + " modules";
    for (const CutUpdate &update : box.updates)
      text += "\n" + problem.getGraph().nodes[update.node].whole.name +
              ": update of " + std::to_string(update.pieces) + " pieces";
    return text;
  }

  /// The pieces of an update from left to right; copies are not drawn.
  void updateStrip(const CutUpdate &update, double x, double y) {
    const Config &config = strategy[update.node];
    constexpr int64_t maxCells = 64;
    int64_t drawn = std::min(update.pieces, maxCells);
    double width = boxSide / static_cast<double>(drawn);
    for (int64_t i = 0; i < drawn; ++i)
      drawing.rectangle(
          x + width * static_cast<double>(i), y, width, stripHeight,
          deviceStyle(config.devices[i * update.pieces / drawn], width >= 3));
    drawing.rectangle(x, y, boxSide, stripHeight, updateStyle());
  }

  void box(const OpBox &box, double left, double top, double labelWidth) {
    double x = box.x + left, y = box.y + top, middle = x + boxSide / 2;
    if (box.group < 0) {
      drawing.marker(svg::Marker::Circle, middle, y + boxSide / 2, 7,
                     junctionStyle(), box.label);
      drawing.text(middle, y + boxSide / 2 + 14,
                   svg::shortened(box.label, labelWidth / 2, cutSize),
                   {.fill = faint, .fontSize = cutSize, .anchor = "middle"});
      return;
    }
    CellGrid grid = gridOf(box.group);
    drawing.open(tooltipOf(box));
    // Copies stand in a raster of their own, with gaps. No more of them than
    // can be seen: the text below the box has their number.
    constexpr int64_t maxCopies = 64;
    int64_t copies = std::min(grid.replicas, maxCopies),
            across = static_cast<int64_t>(
                std::ceil(std::sqrt(static_cast<double>(copies)))),
            down = (copies + across - 1) / across;
    double space = copies > 1 ? 2 : 0,
           width = (boxSide + space) / static_cast<double>(across) - space,
           height = (boxSide + space) / static_cast<double>(down) - space;
    for (int64_t r = 0; r < copies; ++r)
      cells(grid, r, x + (width + space) * static_cast<double>(r % across),
            y + (height + space) * static_cast<double>(r / across), width,
            height);
    double below = y + boxSide;
    if (!box.updates.empty()) {
      updateStrip(largestUpdate(box), x, below + 3);
      below += 3 + stripHeight;
    }
    drawing.close();
    if (!box.prefix.empty())
      drawing.text(middle, y - 4 - prefixHeight,
                   svg::shortened(box.prefix, labelWidth, cutSize),
                   {.fill = faint, .fontSize = cutSize, .anchor = "middle"});
    if (!box.label.empty())
      drawing.text(middle, y - 4,
                   svg::shortened(box.label, labelWidth, labelSize),
                   {.fill = ink, .fontSize = labelSize, .anchor = "middle"});
    for (const std::string &text : textsOf(box))
      drawing.text(middle, below += textPitch,
                   svg::shortened(text, labelWidth, cutSize),
                   {.fill = faint, .fontSize = cutSize, .anchor = "middle"});
  }

  void cells(const CellGrid &grid, int64_t replica, double x, double y,
             double width, double height) {
    // Many pieces in one direction are wrapped, in reading order.
    constexpr int64_t maxInARow = 16;
    int64_t rows = grid.rows, columns = grid.columns, count = rows * columns;
    if ((rows == 1 || columns == 1) && count > maxInARow) {
      columns = static_cast<int64_t>(
          std::ceil(std::sqrt(static_cast<double>(count))));
      rows = (count + columns - 1) / columns;
    }
    // Of thousands of pieces, evenly spaced ones.
    constexpr int64_t maxCells = 1024, side = 32;
    int64_t drawn = count;
    if (count > maxCells) {
      rows = columns = side;
      drawn = maxCells;
    }
    double w = width / static_cast<double>(columns),
           h = height / static_cast<double>(rows);
    bool lines = w >= 3 && h >= 3;
    for (int64_t i = 0; i < drawn; ++i) {
      int device = grid.devices[replica * count + i * count / drawn];
      drawing.rectangle(x + w * static_cast<double>(i % columns),
                        y + h * static_cast<double>(i / columns), w, h,
                        deviceStyle(device, lines));
    }
    drawing.rectangle(x, y, width, height, outlineStyle());
  }
};

} // namespace

std::string soap::drawStrategy(const ParallelizationProblem &problem,
                               const Strategy &strategy,
                               const std::string &title) {
  return Drawer(problem, strategy).draw(title);
}
