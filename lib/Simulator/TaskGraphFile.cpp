//===- TaskGraphFile.cpp - Task graphs and traces as JSON -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writers for what others read: the task graph format of docs/Simulator.md and
// Chrome trace events. Written directly, one task a line, because graphs can
// have millions of tasks.
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/Timeline.h"
#include "Support/Json.h"

using namespace soap;
using jsonfile::quote;

template <typename Range>
static std::string array(const Range &values) {
  std::string text = "[";
  for (auto value : values) {
    if (text.size() > 1)
      text += ',';
    text += std::to_string(value);
  }
  return text + "]";
}

std::string soap::printTaskGraph(const TaskGraph &graph) {
  std::string text = "{\"version\":1,\"unit\":\"ns\",\"resources\":[";
  for (size_t r = 0; r < graph.resources.size(); ++r) {
    const Resource &resource = graph.resources[r];
    text += (r == 0 ? "\n" : ",\n") + ("{\"id\":" + std::to_string(r)) +
            ",\"name\":" + quote(resource.name) + ",\"kind\":\"" +
            (resource.isLink ? "link" : "compute") + "\"}";
  }
  text += "],\n\"tasks\":[";
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    const Task &task = graph.tasks[t];
    text += (t == 0 ? "\n" : ",\n") + ("{\"id\":" + std::to_string(t)) +
            ",\"name\":" + quote(task.name) + ",\"kind\":" + quote(task.kind) +
            ",\"resources\":" + array(task.resources) +
            ",\"duration\":" + std::to_string(task.durationNs) +
            ",\"preds\":" + array(task.preds) + ",\"key\":" + array(task.key) +
            ",\"ready\":" + std::to_string(task.readyNs) +
            ",\"start\":" + std::to_string(task.startNs) +
            ",\"end\":" + std::to_string(task.endNs);
    if (task.sourceDevice >= 0)
      text += ",\"from\":" + std::to_string(task.sourceDevice) +
              ",\"to\":" + std::to_string(task.device) +
              ",\"bytes\":" + std::to_string(task.bytes);
    if (task.deferred)
      text += ",\"deferred\":true";
    text += "}";
  }
  return text + "],\n\"makespan\":" + std::to_string(graph.makespanNs) + "}\n";
}

/// Nanoseconds in the microseconds of trace events, exactly.
static std::string microseconds(int64_t ns) {
  std::string fraction = std::to_string(ns % 1000);
  return std::to_string(ns / 1000) + "." +
         std::string(3 - fraction.size(), '0') + fraction;
}

std::string
soap::printChromeTrace(const TaskGraph &graph,
                       const std::vector<std::vector<MemoryPoint>> &memory) {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                     "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,"
                     "\"args\":{\"name\":\"devices\"}},\n"
                     "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,"
                     "\"args\":{\"name\":\"links\"}}";
  auto place = [&](int resource) {
    return "\"pid\":" +
           std::string(graph.resources[resource].isLink ? "1" : "0") +
           ",\"tid\":" + std::to_string(resource);
  };
  for (size_t r = 0; r < graph.resources.size(); ++r)
    text += ",\n{\"name\":\"thread_name\",\"ph\":\"M\"," +
            place(static_cast<int>(r)) +
            ",\"args\":{\"name\":" + quote(graph.resources[r].name) + "}}";
  // A task that occupies several resources is shown on each of them.
  for (const Task &task : graph.tasks)
    for (int resource : task.resources)
      text += ",\n{\"name\":" + quote(task.name) +
              ",\"cat\":" + quote(task.kind) + ",\"ph\":\"X\"," +
              place(resource) + ",\"ts\":" + microseconds(task.startNs) +
              ",\"dur\":" + microseconds(task.endNs - task.startNs) + "}";
  // A counter is a track of its own, by its name.
  for (size_t device = 0; device < memory.size(); ++device)
    for (const MemoryPoint &point : memory[device])
      text +=
          ",\n{\"name\":" + quote("memory of " + graph.resources[device].name) +
          ",\"ph\":\"C\",\"pid\":0,\"ts\":" + microseconds(point.timeNs) +
          ",\"args\":{\"bytes\":" + std::to_string(point.bytes) + "}}";
  return text + "\n]}\n";
}
