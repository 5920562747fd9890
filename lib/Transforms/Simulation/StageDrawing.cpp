//===- StageDrawing.cpp - A strategy with stages as a drawing -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StageDrawing.h. All is read from the configs, so that strategies which
// were written by hand are drawn as those that were found.
//
//===----------------------------------------------------------------------===//

#include "StageDrawing.h"

#include "Support/Svg.h"

#include <algorithm>
#include <map>
#include <set>

using namespace mlir::soap;
using ::soap::Phase;
using ::soap::Role;
using ::soap::svg::Style;

namespace {

// Pixels.
constexpr double margin = 16, columnWidth = 148, columnGap = 26, fontSize = 11,
                 lineHeight = 15, gridWidth = 116, largestCell = 14,
                 opWidth = 132, opHeight = 34, opGap = 8;
constexpr size_t stagesInRow = 8, opsInRow = 9, shownRows = 5;
const std::string ink = "#333333", paleInk = "#777777";

/// `layers.12.mlp.up` is op `mlp.up` of block 12 of `layers`.
struct BlockName {
  std::string family, rest;
  int64_t number = -1; ///< -1: of no block
};

/// A stage as it is drawn.
struct Stage {
  std::vector<int> devices;
  int data = 1, context = 1, tensor = 1;
  int members() const { return context * tensor; }
  int ops = 0, recomputed = 0;
  int inFlight = 1;
  /// Modules in program order; blocks of a family as one entry.
  std::vector<std::string> contents;
};

BlockName blockNameOf(llvm::StringRef name) {
  std::string family;
  llvm::StringRef rest = name;
  while (!rest.empty()) {
    auto [part, others] = rest.split('.');
    int64_t number = 0;
    if (!family.empty() && !part.getAsInteger(10, number))
      return {family, others.str(), number};
    family += (family.empty() ? "" : ".") + part.str();
    rest = others;
  }
  return {name.split('.').first.str(), name.str(), -1};
}

class StageDrawer {
public:
  StageDrawer(const FunctionProblem &target, const ::soap::Strategy &strategy,
              const ::soap::PassOrder &order)
      : graph(target.opGraph.graph), roles(target.problem->getRoles()),
        topology(target.topology), machines(topology.machines()),
        strategy(strategy), order(order) {}

  std::string run(const std::string &schedule, const std::string &title) {
    readStages();
    drawing.text(margin, 24, title,
                 {.name = "title", .fill = ink, .fontSize = 14, .bold = true});
    drawing.text(margin, 44, describe(schedule),
                 {.fill = ink, .fontSize = fontSize});
    double y = 62;
    for (size_t first = 0; first < stages.size(); first += stagesInRow)
      y = drawRow(first, y);
    y = drawBlock(y + 8);
    y = drawLegend(y + 10);
    double columns = static_cast<double>(std::min(stages.size(), stagesInRow));
    double width =
        std::max({2 * margin + columns * (columnWidth + columnGap) - columnGap,
                  rightmost + margin, 720.0});
    return drawing.file(width, y + margin);
  }

private:
  const ::soap::Graph &graph;
  const std::vector<std::vector<Role>> &roles;
  const ::soap::Topology &topology;
  std::vector<std::vector<int>> machines;
  const ::soap::Strategy &strategy;
  const ::soap::PassOrder &order;
  ::soap::svg::Drawing drawing;
  std::vector<Stage> stages;
  double rightmost = 0;
  const Style tensorLook = {.name = "tensor", .fill = "#8db8e8", .radius = 3},
              sequenceLook = {.name = "sequence",
                              .fill = "#7fc796",
                              .radius = 3},
              repeatedLook = {
                  .name = "repeated", .fill = "#dddddd", .radius = 3};

  void readStages() {
    for (int stage : order.stages)
      stages.resize(std::max(stages.size(), static_cast<size_t>(stage + 1)));
    std::vector<std::map<std::pair<int64_t, int64_t>, int>> shapes(
        stages.size());
    std::vector<std::set<int>> devices(stages.size());
    // Devices that share the heads of each block of an attention; 0: none is in
    // blocks.
    std::vector<int64_t> columns(stages.size());
    std::vector<std::vector<std::pair<std::string, std::vector<int64_t>>>>
        modules(stages.size());
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      if (order.runsOnce(static_cast<int>(n)))
        continue;
      auto s = static_cast<size_t>(order.stages[n]);
      const ::soap::Kernel &kernel = graph.nodes[n].whole;
      const ::soap::Config &config = strategy[n];
      devices[s].insert(config.devices.begin(), config.devices.end());
      ++stages[s].ops;
      bool isRecomputed = llvm::StringRef(kernel.name).ends_with(".recompute");
      stages[s].recomputed += isRecomputed;
      int64_t samples =
          config.degrees[static_cast<size_t>(order.sampleLoops[n])];
      ++shapes[s][{samples, static_cast<int64_t>(config.devices.size())}];
      if (kernel.phase == Phase::Forward && kernel.kind == "attention" &&
          isSplitByQueries(n))
        columns[s] = columnsOf(n);
      if (kernel.phase != Phase::Forward || isRecomputed)
        continue;
      BlockName name = blockNameOf(kernel.name);
      auto &list = modules[s];
      if (list.empty() || list.back().first != name.family)
        list.push_back({name.family, {}});
      std::vector<int64_t> &numbers = list.back().second;
      if (name.number >= 0 &&
          (numbers.empty() || numbers.back() != name.number))
        numbers.push_back(name.number);
    }
    for (size_t s = 0; s < stages.size(); ++s) {
      Stage &stage = stages[s];
      stage.devices.assign(devices[s].begin(), devices[s].end());
      // The way in which most ops split samples.
      auto most = std::max_element(
          shapes[s].begin(), shapes[s].end(),
          [](const auto &a, const auto &b) { return a.second < b.second; });
      if (most != shapes[s].end())
        stage.data = static_cast<int>(most->first.first);
      int members = std::max<int>(
          static_cast<int>(stage.devices.size()) / std::max(stage.data, 1), 1);
      stage.tensor = members;
      if (columns[s] > 0 && members % columns[s] == 0)
        stage.tensor = static_cast<int>(columns[s]);
      stage.context = members / stage.tensor;
      for (const auto &[family, numbers] : modules[s])
        stage.contents.push_back(
            numbers.empty() ? family
            : numbers.size() == 1
                ? family + "." + std::to_string(numbers[0])
                : family + "." + std::to_string(numbers.front()) + " to " +
                      std::to_string(numbers.back()) + ", x " +
                      std::to_string(numbers.size()));
      int now = 0;
      if (!stage.devices.empty())
        for (const ::soap::PipelinePass &pass :
             order.order[static_cast<size_t>(stage.devices[0])])
          if (pass.stage == static_cast<int>(s))
            stage.inFlight =
                std::max(stage.inFlight, now += pass.backward ? -1 : 1);
    }
  }

  /// Of an attention.
  bool isSplitByQueries(size_t node) const {
    int loop = graph.nodes[node].whole.space.findLoop("q");
    return strategy[node].degrees[static_cast<size_t>(loop)] > 1;
  }
  /// In how many pieces an attention splits its heads.
  int64_t columnsOf(size_t node) const {
    const ::soap::Kernel &kernel = graph.nodes[node].whole;
    int64_t columns = 1;
    for (const char *name : {"h", "g"})
      columns *= strategy[node]
                     .degrees[static_cast<size_t>(kernel.space.findLoop(name))];
    return columns;
  }

  /// Whether large updates are split over replicas.
  bool splitsStates() const {
    int64_t largest = 0;
    bool isSplit = false;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const ::soap::Kernel &kernel = graph.nodes[n].whole;
      int64_t elements = 1;
      for (const ::soap::Loop &loop : kernel.space.loops)
        elements *= loop.extent;
      if (kernel.phase != Phase::Update || elements <= largest)
        continue;
      largest = elements;
      isSplit =
          !stages.empty() && strategy[n].piecesPerReplica() > stages[0].tensor;
    }
    return isSplit && stages[0].data * stages[0].context > 1;
  }

  static std::string describe(const Stage &stage) {
    return "data " + std::to_string(stage.data) +
           (stage.context > 1 ? " x context " + std::to_string(stage.context)
                              : "") +
           " x tensor " + std::to_string(stage.tensor);
  }

  std::string describe(const std::string &schedule) const {
    std::string text = std::to_string(stages.size()) +
                       (stages.size() == 1 ? " stage" : " stages");
    bool alike = true;
    for (const Stage &stage : stages)
      alike &= stage.data == stages[0].data &&
               stage.context == stages[0].context &&
               stage.tensor == stages[0].tensor;
    if (alike && !stages.empty())
      text += " x (" + describe(stages[0]) + ")";
    text += ", " + std::to_string(order.microbatches) +
            (order.microbatches == 1 ? " microbatch, " : " microbatches, ") +
            schedule;
    int recomputing = 0;
    for (const Stage &stage : stages)
      recomputing += stage.recomputed > 0;
    text += recomputing ? "; activations are recomputed in " +
                              std::to_string(recomputing) + " of them"
                        : "; nothing is recomputed";
    bool gathers = std::any_of(
        graph.restores.begin(), graph.restores.end(),
        [](const ::soap::Restore &restore) { return !restore.delaysReaders; });
    if (gathers)
      text += "; replicas share parameters, which are gathered for each pass";
    else if (splitsStates())
      text += "; replicas share states of the optimizer (ZeRO-1)";
    return text;
  }

  std::string deviceName(int device) const {
    return topology.devices[static_cast<size_t>(device)].name;
  }

  std::string colourOf(int device) const {
    for (size_t m = 0; m < machines.size(); ++m)
      for (size_t i = 0; i < machines[m].size(); ++i)
        if (machines[m][i] == device)
          return ::soap::svg::deviceColour(
              static_cast<int>(m), static_cast<int>(machines.size()),
              static_cast<int>(i), static_cast<int>(machines[m].size()));
    return "#cccccc";
  }

  /// A row of stages from `y` on. The lower end.
  double drawRow(size_t first, double y) {
    size_t last = std::min(first + stagesInRow, stages.size());
    double end = y;
    for (size_t s = first; s < last; ++s)
      end = std::max(end, drawStage(s, columnOf(s - first), y));
    for (size_t s = first; s < last; ++s) {
      drawing.rectangle(
          columnOf(s - first), y, columnWidth, end - y,
          {.name = "stage", .fill = "none", .stroke = "#999999", .radius = 5});
      if (s + 1 == stages.size())
        continue;
      // Activations go to the right, gradients come back.
      double x = columnOf(s - first) + columnWidth;
      for (bool backward : {false, true}) {
        double at = y + (backward ? 34 : 22);
        double from = x + (backward ? columnGap - 4 : 4),
               to = x + (backward ? 4 : columnGap - 4),
               head = backward ? 5 : -5;
        Style look = {.name = backward ? "gradients" : "activations",
                      .stroke = backward ? "#b5651d" : "#2f6fb0",
                      .strokeWidth = 1.5};
        drawing.line(from, at, to, at, look);
        drawing.polyline({to + head, at - 4, to, at, to + head, at + 4}, look);
      }
    }
    return end + 14;
  }
  static double columnOf(size_t place) {
    return margin + static_cast<double>(place) * (columnWidth + columnGap);
  }

  double drawStage(size_t number, double x, double y) {
    const Stage &stage = stages[number];
    auto line = [&](const std::string &text, bool bold = false,
                    const std::string &colour = ink) {
      y += lineHeight;
      drawing.text(x + 8, y,
                   ::soap::svg::shortened(text, columnWidth - 14, fontSize),
                   {.fill = colour, .fontSize = fontSize, .bold = bold});
    };
    line("stage " + std::to_string(number), true);
    if (!stage.devices.empty())
      line(stage.devices.size() == 1
               ? deviceName(stage.devices[0])
               : deviceName(stage.devices.front()) + " to " +
                     deviceName(stage.devices.back()),
           false, paleInk);
    line(describe(stage));
    y = drawGrid(stage, x + 8, y + 6);
    for (const std::string &entry : stage.contents) {
      drawing.rectangle(x + 8, y + 4, columnWidth - 16, lineHeight + 2,
                        {.name = "part", .fill = "#eef2f7", .radius = 3});
      y += 2;
      line(entry);
      y += 3;
    }
    y += 2;
    line(std::to_string(stage.inFlight) +
             (stage.inFlight == 1 ? " microbatch" : " microbatches") +
             " in flight",
         false, paleInk);
    line(stage.recomputed ? std::to_string(stage.recomputed) + " ops recomputed"
                          : "nothing recomputed",
         false, paleInk);
    return y + 8;
  }

  /// Replicas as rows, their members as columns. The lower end.
  double drawGrid(const Stage &stage, double x, double y) {
    auto columns = static_cast<size_t>(stage.members()),
         rows = static_cast<size_t>(stage.data);
    constexpr size_t maxColumns = 16;
    size_t shownColumns = std::min(columns, maxColumns);
    double cell =
        std::min(largestCell, gridWidth / static_cast<double>(shownColumns));
    for (size_t r = 0; r < rows; ++r) {
      // The middle of many rows is left out.
      if (rows > shownRows + 1 && r == shownRows - 1) {
        drawing.text(x, y + 8,
                     "... " + std::to_string(rows - shownRows) + " more",
                     {.fill = paleInk, .fontSize = 9});
        y += 12;
        r = rows - 2;
        continue;
      }
      for (size_t c = 0; c < shownColumns; ++c) {
        size_t place = r * columns + c;
        if (place >= stage.devices.size())
          break;
        int device = stage.devices[place];
        drawing.rectangle(
            x + cell * static_cast<double>(c), y, cell - 1, largestCell - 3,
            {.name = "device", .fill = colourOf(device)},
            deviceName(device) + ", replica " + std::to_string(r));
      }
      y += largestCell - 2;
    }
    return y + 2;
  }

  /// The block that repeats most often, drawn once. The lower end.
  double drawBlock(double y) {
    std::map<std::string, std::set<int64_t>> numbers; // by family
    for (const ::soap::GraphNode &node : graph.nodes)
      if (node.whole.phase == Phase::Forward)
        if (BlockName name = blockNameOf(node.whole.name); name.number >= 0)
          numbers[name.family].insert(name.number);
    auto most = std::max_element(numbers.begin(), numbers.end(),
                                 [](const auto &a, const auto &b) {
                                   return a.second.size() < b.second.size();
                                 });
    if (most == numbers.end() || most->second.size() < 2)
      return y;
    int64_t shown = *most->second.begin();
    drawing.text(margin, y + 12,
                 "One block of " + most->first + ", x " +
                     std::to_string(most->second.size()) +
                     ", on the members of a replica:",
                 {.name = "block", .fill = ink, .fontSize = 12, .bold = true});
    y += 22;
    size_t place = 0;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const ::soap::Kernel &kernel = graph.nodes[n].whole;
      BlockName name = blockNameOf(kernel.name);
      static const std::set<std::string> views = {
          "reshape", "transpose", "cast",         "constant", "slice",
          "concat",  "broadcast", "neg",          "iota",     "pad",
          "scale",   "where",     "greater_equal"};
      if (kernel.phase != Phase::Forward || name.family != most->first ||
          name.number != shown || views.count(kernel.kind) ||
          order.runsOnce(static_cast<int>(n)))
        continue;
      drawOp(n, name.rest,
             margin + static_cast<double>(place % opsInRow) * (opWidth + opGap),
             y + static_cast<double>(place / opsInRow) * (opHeight + opGap));
      ++place;
    }
    size_t rows = (place + opsInRow - 1) / opsInRow;
    rightmost = std::max(
        rightmost, margin + static_cast<double>(std::min(place, opsInRow)) *
                                (opWidth + opGap));
    return y + static_cast<double>(rows) * (opHeight + opGap);
  }

  /// Whether a loop is the second dim of a result of samples, positions and
  /// features.
  static bool isPosition(const ::soap::Kernel &kernel, size_t loop) {
    for (const ::soap::ResultAccess &result : kernel.space.results)
      if (constexpr size_t rank = 3;
          result.map.size() == rank && result.map[1].terms.size() == 1 &&
          result.map[1].terms[0].loop == static_cast<int>(loop))
        return true;
    return false;
  }

  void drawOp(size_t node, const std::string &name, double x, double y) {
    const ::soap::Kernel &kernel = graph.nodes[node].whole;
    const ::soap::Config &config = strategy[node];
    std::string split;
    bool isSequence = false;
    for (size_t l = 0; l < config.degrees.size(); ++l) {
      if (config.degrees[l] == 1 ||
          static_cast<int>(l) == order.sampleLoops[node])
        continue;
      const ::soap::Loop &loop = kernel.space.loops[l];
      isSequence |= isPosition(kernel, l) && roles[node][l] == Role::Attribute;
      split += (split.empty() ? "" : ", ") + loop.name + " in " +
               std::to_string(config.degrees[l]);
    }
    const Style &look = split.empty() ? repeatedLook
                        : isSequence  ? sequenceLook
                                      : tensorLook;
    drawing.rectangle(x, y, opWidth, opHeight, look,
                      kernel.name + " (" + kernel.kind + ")");
    drawing.text(x + 6, y + 14,
                 ::soap::svg::shortened(name, opWidth - 28, fontSize),
                 {.fill = ink, .fontSize = fontSize, .bold = true});
    drawing.text(x + 6, y + 28, split.empty() ? "the same on each" : split,
                 {.fill = ink, .fontSize = 10});
  }

  double drawLegend(double y) {
    constexpr double icon = 16;
    double width = std::max(
        720.0, static_cast<double>(std::min(stages.size(), stagesInRow)) *
                   (columnWidth + columnGap));
    ::soap::svg::Legend legend(drawing, margin, y, width);
    auto entry = [&](const Style &style, const std::string &meaning) {
      legend.entry(icon, meaning, [&](double x, double top) {
        drawing.rectangle(x, top, icon, ::soap::svg::Legend::iconHeight, style);
      });
    };
    entry({.name = "device", .fill = colourOf(0)},
          "a device, coloured by machine; a row is a replica");
    entry({.name = "part", .fill = "#eef2f7", .radius = 3},
          "what a stage computes");
    legend.newLine();
    entry(tensorLook, "features or heads are split");
    entry(sequenceLook, "positions of the sequence are split");
    entry(repeatedLook, "every member computes the same");
    legend.note("views and conversions are left out");
    return legend.end();
  }
};

} // namespace

std::string mlir::soap::drawStages(const FunctionProblem &target,
                                   const ::soap::Strategy &strategy,
                                   const ::soap::PassOrder &order,
                                   const std::string &schedule,
                                   const std::string &title) {
  return StageDrawer(target, strategy, order).run(schedule, title);
}
