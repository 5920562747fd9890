//===- PassReport.cpp - What the passes of a pipeline take ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PassReport.h.
//
//===----------------------------------------------------------------------===//

#include "PassReport.h"

#include "Support/Svg.h"

#include "llvm/Support/Format.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace mlir::soap;

static std::vector<PassTimes> timesOf(const ::soap::Graph &graph,
                                      const ::soap::PassOrder &order,
                                      const ::soap::Plan &plan,
                                      const ::soap::TaskGraph &tasks) {
  std::map<std::pair<int, ::soap::PipelinePass>, PassTimes> found;
  for (const ::soap::Action &action : plan.actions) {
    auto pass = ::soap::passOf(graph, order, action);
    if (!pass)
      continue;
    const ::soap::Task &task = tasks.tasks[static_cast<size_t>(action.task)];
    auto [it, isNew] = found.try_emplace({action.device, *pass});
    PassTimes &times = it->second;
    if (isNew)
      times = {*pass, action.device, task.startNs, task.endNs, 0};
    times.startNs = std::min(times.startNs, task.startNs);
    times.endNs = std::max(times.endNs, task.endNs);
    times.busyNs += task.endNs - task.startNs;
  }
  std::vector<PassTimes> list;
  for (const auto &[key, times] : found)
    list.push_back(times);
  std::sort(list.begin(), list.end(),
            [](const PassTimes &a, const PassTimes &b) {
              return std::tuple(a.device, a.startNs, a.pass) <
                     std::tuple(b.device, b.startNs, b.pass);
            });
  return list;
}

/// Most microbatches in flight of a stage on one device.
static int maxInFlight(const std::vector<PassTimes> &passes, int stage,
                       int device) {
  std::vector<std::pair<int64_t, int>> changes;
  bool hasBackward = false;
  for (const PassTimes &times : passes) {
    if (times.pass.stage != stage || times.device != device)
      continue;
    hasBackward |= times.pass.backward;
    changes.emplace_back(times.pass.backward ? times.endNs : times.startNs,
                         times.pass.backward ? -1 : 1);
  }
  if (!hasBackward)
    return 1;
  std::sort(changes.begin(), changes.end());
  int now = 0, most = 0;
  for (auto [time, change] : changes)
    most = std::max(most, now += change);
  return most;
}

PassReport mlir::soap::reportPasses(const ::soap::Graph &graph,
                                    const ::soap::PassOrder &order,
                                    ::soap::PipelineSchedule schedule,
                                    const ::soap::Plan &plan,
                                    const ::soap::TaskGraph &tasks,
                                    const std::vector<int64_t> &memoryBytes) {
  std::vector<int64_t> busy(memoryBytes.size());
  for (const ::soap::Task &task : tasks.tasks)
    for (int resource : task.resources)
      if (static_cast<size_t>(resource) < busy.size())
        busy[static_cast<size_t>(resource)] += task.endNs - task.startNs;
  return reportPasses(order, schedule, timesOf(graph, order, plan, tasks), busy,
                      tasks.makespanNs, memoryBytes);
}

PassReport mlir::soap::reportPasses(const ::soap::PassOrder &order,
                                    ::soap::PipelineSchedule schedule,
                                    std::vector<PassTimes> passes,
                                    const std::vector<int64_t> &busyNs,
                                    int64_t makespanNs,
                                    const std::vector<int64_t> &memoryBytes) {
  PassReport report;
  report.schedule = schedule;
  report.microbatches = order.microbatches;
  report.passes = std::move(passes);
  size_t count = 0;
  for (int stage : order.stages)
    count = std::max(count, static_cast<size_t>(stage + 1));
  report.stages.resize(count);
  for (int stage : order.stages)
    if (stage >= 0)
      ++report.stages[static_cast<size_t>(stage)].ops;
  std::vector<std::set<int>> devices(count);
  std::set<int> all;
  for (const PassTimes &times : report.passes) {
    StageReport &stage = report.stages[static_cast<size_t>(times.pass.stage)];
    devices[static_cast<size_t>(times.pass.stage)].insert(times.device);
    all.insert(times.device);
    int64_t &ns = times.pass.backward ? stage.backwardNs : stage.forwardNs;
    ns = std::max(ns, times.busyNs);
  }
  for (size_t s = 0; s < count; ++s)
    for (int device : devices[s]) {
      StageReport &stage = report.stages[s];
      stage.devices.push_back(device);
      stage.inFlight =
          std::max(stage.inFlight,
                   maxInFlight(report.passes, static_cast<int>(s), device));
      stage.peakBytes =
          std::max(stage.peakBytes, memoryBytes[static_cast<size_t>(device)]);
    }
  double busy = 0;
  for (int device : all)
    busy += static_cast<double>(busyNs[static_cast<size_t>(device)]);
  if (!all.empty() && makespanNs > 0)
    report.bubble = 1 - busy / static_cast<double>(makespanNs) /
                            static_cast<double>(all.size());
  return report;
}

/// `gpu0`, `gpu0 to gpu3`, `gpu0, gpu2`.
static std::string listDevices(const std::vector<int> &devices,
                               const ::soap::Topology &topology) {
  bool inRow = true;
  for (size_t i = 1; i < devices.size(); ++i)
    inRow &= devices[i] == devices[i - 1] + 1;
  auto name = [&](int device) {
    return topology.devices[static_cast<size_t>(device)].name;
  };
  constexpr size_t few = 2;
  if (inRow && devices.size() > few)
    return name(devices.front()) + " to " + name(devices.back());
  std::string text;
  for (int device : devices)
    text += (text.empty() ? "" : ", ") + name(device);
  return text;
}

void mlir::soap::printPassReport(llvm::json::OStream &json,
                                 const PassReport &report,
                                 const ::soap::Topology &topology) {
  json.attribute("schedule", ::soap::scheduleName(report.schedule));
  json.attribute("microbatches", report.microbatches);
  json.attribute("bubble", report.bubble);
  json.attributeArray("stages", [&] {
    for (const StageReport &stage : report.stages)
      json.object([&] {
        json.attributeArray("devices", [&] {
          for (int device : stage.devices)
            json.value(topology.devices[static_cast<size_t>(device)].name);
        });
        json.attribute("ops", stage.ops);
        json.attribute("forward_ns", stage.forwardNs);
        json.attribute("backward_ns", stage.backwardNs);
        json.attribute("in_flight", stage.inFlight);
        json.attribute("peak_bytes", stage.peakBytes);
      });
  });
  json.attributeArray("passes", [&] {
    for (const PassTimes &times : report.passes)
      json.object([&] {
        json.attribute(
            "device", topology.devices[static_cast<size_t>(times.device)].name);
        json.attribute("stage", times.pass.stage);
        json.attribute("microbatch", times.pass.microbatch);
        json.attribute("pass", times.pass.backward ? "backward" : "forward");
        json.attribute("start_ns", times.startNs);
        json.attribute("end_ns", times.endNs);
      });
  });
}

void mlir::soap::printPassSummary(const PassReport &report,
                                  const ::soap::Topology &topology,
                                  llvm::raw_ostream &stream) {
  constexpr double nsPerMs = 1e6, bytesPerMiB = 1 << 20;
  stream << llvm::format(
      "  pipeline: %s, %lld microbatches, %zu stages, bubble %.1f %%\n",
      ::soap::scheduleName(report.schedule),
      static_cast<long long>(report.microbatches), report.stages.size(),
      100 * report.bubble);
  for (size_t s = 0; s < report.stages.size(); ++s) {
    const StageReport &stage = report.stages[s];
    stream << llvm::format(
        "    stage %zu  %-14s %4d ops  forward %8.3f ms  backward %8.3f ms  "
        "%d in flight  %10.3f MiB\n",
        s, listDevices(stage.devices, topology).c_str(), stage.ops,
        static_cast<double>(stage.forwardNs) / nsPerMs,
        static_cast<double>(stage.backwardNs) / nsPerMs, stage.inFlight,
        static_cast<double>(stage.peakBytes) / bytesPerMiB);
  }
}

std::string mlir::soap::drawPasses(const PassReport &report,
                                   const ::soap::Topology &topology,
                                   int64_t makespanNs,
                                   const std::string &title) {
  using ::soap::svg::Style;
  // Pixels.
  constexpr double width = 1200, rowHeight = 26, top = 60, margin = 16,
                   fontSize = 11;
  constexpr double nsPerMs = 1e6;
  const std::string ink = "#333333";
  // By direction, of stages with even and odd numbers of rounds: chunks of a
  // device are told apart.
  const Style looks[2][2] = {
      {{.name = "forward", .fill = "#8db8e8", .stroke = "#ffffff"},
       {.name = "forward of a later stage",
        .fill = "#c5daf3",
        .stroke = "#ffffff"}},
      {{.name = "backward", .fill = "#7fc796", .stroke = "#ffffff"},
       {.name = "backward of a later stage",
        .fill = "#bfe3ca",
        .stroke = "#ffffff"}}};
  const Style idle = {.name = "idle", .fill = "#eeeeee"};
  std::vector<int> rows;
  std::map<int, int> firstStage; // by device
  for (const PassTimes &times : report.passes) {
    if (rows.empty() || rows.back() != times.device)
      rows.push_back(times.device);
    auto [it, isNew] = firstStage.try_emplace(times.device, times.pass.stage);
    it->second = std::min(it->second, times.pass.stage);
  }
  double left = margin;
  for (int device : rows)
    left = std::max(
        left,
        2 * margin +
            ::soap::svg::textWidth(
                topology.devices[static_cast<size_t>(device)].name, fontSize));
  double scale = width / static_cast<double>(std::max<int64_t>(makespanNs, 1));
  ::soap::svg::Drawing drawing;
  drawing.text(margin, 22, title,
               {.name = "title", .fill = ink, .fontSize = 14, .bold = true});
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(
      "%s, %lld microbatches, %zu stages, %.3f ms, bubble "
      "%.1f %%",
      ::soap::scheduleName(report.schedule),
      static_cast<long long>(report.microbatches), report.stages.size(),
      static_cast<double>(makespanNs) / nsPerMs, 100 * report.bubble);
  drawing.text(margin, 42, text, {.fill = ink, .fontSize = fontSize});
  bool hasLater = false;
  for (size_t r = 0; r < rows.size(); ++r) {
    double y = top + rowHeight * static_cast<double>(r);
    drawing.text(margin, y + 16,
                 topology.devices[static_cast<size_t>(rows[r])].name,
                 {.fill = ink, .fontSize = fontSize});
    drawing.rectangle(left, y, width, rowHeight - 2, idle);
    for (const PassTimes &times : report.passes) {
      if (times.device != rows[r])
        continue;
      bool isLater = times.pass.stage != firstStage[times.device];
      hasLater |= isLater;
      double x = left + scale * static_cast<double>(times.startNs);
      double w = std::max(
          scale * static_cast<double>(times.endNs - times.startNs), 1.0);
      std::string number = std::to_string(times.pass.microbatch), tooltip;
      llvm::raw_string_ostream(tooltip) << llvm::format(
          "%s pass of microbatch %s on stage %d, %.3f to %.3f ms",
          times.pass.backward ? "backward" : "forward", number.c_str(),
          times.pass.stage, static_cast<double>(times.startNs) / nsPerMs,
          static_cast<double>(times.endNs) / nsPerMs);
      drawing.rectangle(x, y, w, rowHeight - 2,
                        looks[times.pass.backward][isLater], tooltip);
      if (w >= ::soap::svg::textWidth(number, fontSize) + 2)
        drawing.text(x + w / 2, y + 16, number,
                     {.fill = ink, .fontSize = fontSize, .anchor = "middle"});
    }
  }
  double end = top + rowHeight * static_cast<double>(rows.size()) + margin;
  {
    ::soap::svg::Legend legend(drawing, margin, end, left + width - margin);
    constexpr double icon = 16;
    auto entry = [&](const Style &style, const std::string &meaning) {
      legend.entry(icon, meaning, [&](double x, double y) {
        drawing.rectangle(x, y, icon, ::soap::svg::Legend::iconHeight, style);
      });
    };
    for (const Style(&direction)[2] : looks) {
      entry(direction[0], direction[0].name + " pass of a microbatch");
      if (hasLater)
        entry(direction[1], direction[1].name + " of the device");
    }
    entry(idle, "no pass");
    end = legend.end();
  }
  return drawing.file(left + width + margin, end + margin);
}
