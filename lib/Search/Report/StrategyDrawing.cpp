//===- StrategyDrawing.cpp - Strategies as drawings -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frames, then lines, then boxes, so that lines end at boxes and cross nothing.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Report/StrategyDrawing.h"
#include "Soap/Support/Svg.h"
#include "StrategyLayout.h"

#include <algorithm>
#include <cmath>

using namespace soap;

namespace {

const std::string ink = "#222222", faint = "#777777", edgeColour = "#b5b5b5",
                  frameColour = "#ededed";

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
    StrategyLayout layout = layOut(problem, strategy);
    double width = std::max(layout.width, 700.0) + 2 * margin;
    drawing.text(margin, 24, title,
                 {.fill = ink, .fontSize = 15, .bold = true});
    drawing.text(margin, 42,
                 "rows of a box: cuts of samples and positions; columns: cuts "
                 "of channels and sums; boxes side by side: copies; colour: "
                 "device",
                 {.fill = faint, .fontSize = 11});
    double top = legend(width) + 10;
    for (const OpFrame &frame : layout.frames) {
      drawing.rectangle(frame.x + margin, frame.y + top, frame.width,
                        frame.height, {.fill = frameColour, .radius = 5});
      drawing.text(frame.x + margin + 5, frame.y + top + 12,
                   svg::shortened(frame.label, frame.width - 8, 10),
                   {.fill = faint, .fontSize = 10});
    }
    for (const OpEdge &edge : layout.edges) {
      double x1 = edge.x1 + margin, y1 = edge.y1 + top, x2 = edge.x2 + margin,
             y2 = edge.y2 + top;
      switch (edge.shape) {
      case OpEdge::Right:
        drawing.curve(x1, y1, x2, y2, {.stroke = edgeColour});
        break;
      case OpEdge::Over:
        drawing.arch(x1, y1, x2, y2, 1.35 * boxSide, {.stroke = edgeColour});
        break;
      case OpEdge::Up:
        drawing.line(x1, y1, x2, y2, {.stroke = edgeColour});
        break;
      }
    }
    for (const OpBox &box : layout.boxes)
      this->box(box, margin, top);
    return drawing.file(width, top + layout.height + margin);
  }

private:
  const ParallelizationProblem &problem;
  const Strategy &strategy;
  std::vector<std::vector<int>> machines;
  std::vector<std::string> colours;
  svg::Drawing drawing;

  static constexpr double margin = 16;

  /// Colours and names of devices, by machine where there are several; the
  /// height where it ends.
  double legend(double width) {
    constexpr double swatch = 11, lineHeight = 17;
    constexpr size_t maxMachines = 64, maxNames = 16;
    const Topology &topology = problem.getTopology();
    double x = margin, y = 54;
    auto advance = [&](double step) {
      if (x + step > width - margin && x > margin) {
        x = margin;
        y += lineHeight;
      }
    };
    for (size_t m = 0; m < machines.size() && m < maxMachines; ++m) {
      const std::vector<int> &devices = machines[m];
      // Names of devices, or the first and the last around their colours.
      bool names = machines.size() == 1 && devices.size() <= maxNames;
      if (names) {
        for (int device : devices) {
          const std::string &name = topology.devices[device].name;
          double step = swatch + svg::textWidth(name, 11) + 16;
          advance(step);
          drawing.rectangle(x, y, swatch, swatch, {.fill = colours[device]});
          drawing.text(x + swatch + 4, y + 10, name,
                       {.fill = ink, .fontSize = 11});
          x += step;
        }
        continue;
      }
      std::string first = topology.devices[devices.front()].name,
                  last = topology.devices[devices.back()].name;
      std::string label = devices.size() > 1 ? first + " to " + last : first;
      double cell = devices.size() > 32 ? 4 : swatch,
             step = cell * static_cast<double>(devices.size()) +
                    svg::textWidth(label, 11) + 20;
      advance(step);
      for (size_t i = 0; i < devices.size(); ++i)
        drawing.rectangle(x + cell * static_cast<double>(i), y, cell, swatch,
                          {.fill = colours[devices[i]]},
                          topology.devices[devices[i]].name);
      drawing.text(x + cell * static_cast<double>(devices.size()) + 4, y + 10,
                   label, {.fill = ink, .fontSize = 11});
      x += step;
    }
    if (machines.size() > maxMachines)
      drawing.text(x, y + 10,
                   "and " + std::to_string(machines.size() - maxMachines) +
                       " machines more",
                   {.fill = faint, .fontSize = 11});
    return y + lineHeight;
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

  /// Short cuts: `n4 k2`, replicas as `x2`.
  std::string degreesOf(int group) const {
    int node = problem.getGroups()[group].leader;
    const IterationSpace &space = problem.getGraph().nodes[node].whole.space;
    const Config &config = strategy[node];
    std::string text;
    for (size_t l = 0; l < space.loops.size(); ++l)
      if (config.degrees[l] > 1)
        text += (text.empty() ? "" : " ") + space.loops[l].name +
                // A name that ends with a digit would read as another degree.
                (isdigit(static_cast<unsigned char>(space.loops[l].name.back()))
                     ? ":"
                     : "") +
                std::to_string(config.degrees[l]);
    if (config.replicas > 1)
      text += (text.empty() ? "x" : " x") + std::to_string(config.replicas);
    return text;
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
    return text;
  }

  void box(const OpBox &box, double left, double top) {
    double x = box.x + left, y = box.y + top;
    if (box.group < 0) {
      constexpr double size = 7;
      drawing.rectangle(x + (boxSide - size) / 2, y + (boxSide - size) / 2,
                        size, size, {.fill = faint, .radius = size / 2},
                        box.label);
      drawing.text(x + boxSide / 2, y + boxSide / 2 + 15, box.label,
                   {.fill = faint, .fontSize = 8, .anchor = "middle"});
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
    drawing.close();
    if (!box.label.empty())
      drawing.text(x + boxSide / 2, y - 4, svg::shortened(box.label, 60, 9),
                   {.fill = ink, .fontSize = 9, .anchor = "middle"});
    drawing.text(x + boxSide / 2, y + boxSide + 10,
                 svg::shortened(degreesOf(box.group), 58, 8.5),
                 {.fill = faint, .fontSize = 8.5, .anchor = "middle"});
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
                        {.fill = colours[device],
                         .stroke = lines ? "white" : colours[device],
                         .strokeWidth = lines ? 1 : 0.2});
    }
    drawing.rectangle(x, y, width, height, {.stroke = ink, .strokeWidth = 1});
  }
};

} // namespace

std::string soap::drawStrategy(const ParallelizationProblem &problem,
                               const Strategy &strategy,
                               const std::string &title) {
  return Drawer(problem, strategy).draw(title);
}
