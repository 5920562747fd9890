//===- PassReport.cpp - What the passes of a pipeline take ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PassReport.h.
//
//===----------------------------------------------------------------------===//

#include "PassReport.h"

#include "llvm/ADT/StringExtras.h"
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
static int mostInFlight(const std::vector<PassTimes> &passes, int stage,
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
  PassReport report;
  report.schedule = schedule;
  report.microbatches = order.microbatches;
  report.passes = timesOf(graph, order, plan, tasks);
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
                   mostInFlight(report.passes, static_cast<int>(s), device));
      stage.peakBytes =
          std::max(stage.peakBytes, memoryBytes[static_cast<size_t>(device)]);
    }
  double busy = 0;
  for (const ::soap::Task &task : tasks.tasks)
    for (int resource : task.resources)
      if (all.count(resource))
        busy += static_cast<double>(task.endNs - task.startNs);
  if (!all.empty() && tasks.makespanNs > 0)
    report.bubble = 1 - busy / static_cast<double>(tasks.makespanNs) /
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
  // Pixels.
  constexpr double width = 1200, rowHeight = 26, left = 90, top = 58,
                   fontWidth = 7;
  std::vector<int> rows;
  for (const PassTimes &times : report.passes)
    if (rows.empty() || rows.back() != times.device)
      rows.push_back(times.device);
  double height = top + rowHeight * static_cast<double>(rows.size()) + 16;
  double scale = width / static_cast<double>(std::max<int64_t>(makespanNs, 1));
  std::string text;
  llvm::raw_string_ostream out(text);
  auto escape = [&](llvm::StringRef raw) { llvm::printHTMLEscaped(raw, out); };
  out << llvm::format("<svg xmlns=\"http://www.w3.org/2000/svg\" "
                      "width=\"%.0f\" height=\"%.0f\" "
                      "font-family=\"sans-serif\" font-size=\"12\">\n",
                      left + width + 16, height)
      << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      << "<text x=\"8\" y=\"18\" font-size=\"14\">";
  escape(title);
  out << llvm::format("</text>\n<text x=\"8\" y=\"38\">%s, %lld microbatches, "
                      "%.3f ms, bubble %.1f %%; ",
                      ::soap::scheduleName(report.schedule),
                      static_cast<long long>(report.microbatches),
                      static_cast<double>(makespanNs) / 1e6,
                      100 * report.bubble)
      << "<tspan fill=\"#2c6fbb\">forward</tspan> and <tspan "
         "fill=\"#2f8f4e\">backward</tspan> passes, a number is a "
         "microbatch</text>\n";
  for (size_t r = 0; r < rows.size(); ++r) {
    double y = top + rowHeight * static_cast<double>(r);
    out << llvm::format("<text x=\"8\" y=\"%.1f\">", y + 17);
    escape(topology.devices[static_cast<size_t>(rows[r])].name);
    out << llvm::format("</text>\n<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                        "height=\"%.1f\" fill=\"#eeeeee\"/>\n",
                        left, y, width, rowHeight - 2);
    for (const PassTimes &times : report.passes) {
      if (times.device != rows[r])
        continue;
      double x = left + scale * static_cast<double>(times.startNs);
      double w = std::max(
          scale * static_cast<double>(times.endNs - times.startNs), 1.0);
      std::string number = std::to_string(times.pass.microbatch);
      out << llvm::format("<g><title>%s pass of microbatch %s on stage %d, "
                          "%.3f to %.3f ms</title>",
                          times.pass.backward ? "backward" : "forward",
                          number.c_str(), times.pass.stage,
                          static_cast<double>(times.startNs) / 1e6,
                          static_cast<double>(times.endNs) / 1e6)
          << llvm::format("<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" "
                          "height=\"%.1f\" stroke=\"white\" "
                          "stroke-width=\"0.5\" fill=\"%s\"/>",
                          x, y, w, rowHeight - 2,
                          times.pass.backward ? "#7fc796" : "#8db8e8");
      if (w >= fontWidth * static_cast<double>(number.size()) + 2)
        out << llvm::format("<text x=\"%.2f\" y=\"%.1f\" "
                            "text-anchor=\"middle\">%s</text>",
                            x + w / 2, y + 16, number.c_str());
      out << "</g>\n";
    }
  }
  out << "</svg>\n";
  return text;
}
