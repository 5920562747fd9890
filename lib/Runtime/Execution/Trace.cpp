//===- Trace.cpp - Chrome trace events of a run ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Trace.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Execution/Trace.h"

#include "Soap/Support/FileIO.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

using namespace soap;
using namespace soap::runtime;

void Trace::add(const Execution &execution) {
  size_t count = 0;
  for (const std::vector<SlotTime> &times : execution.times)
    count += times.size();
  full |= events.size() + count > limit;
  if (full)
    return;
  const EntryInfo &entry = execution.entry;
  assert(execution.times.size() == entry.ranks.size() && "times of each rank");
  for (size_t r = 0; r < entry.ranks.size(); ++r)
    for (size_t slot = 0; slot < execution.times[r].size(); ++slot) {
      const SlotTime &time = execution.times[r][slot];
      if (!time.endNs)
        continue;
      assert(time.beginNs <= time.endNs && "an op ends after it begins");
      const ScheduledTask &task =
          entry.schedule[size_t(entry.ranks[r].tasks[slot])];
      events.push_back({task.name, task.kind, entry.ranks[r].device,
                        time.beginNs, time.endNs, execution.iterations});
    }
}

MaybeError Trace::gather(ProcessGroup &group) {
  nlohmann::json list = nlohmann::json::array();
  if (group.rank() != 0)
    for (const Event &event : events)
      list.push_back({event.name, event.kind, event.device, event.beginNs,
                      event.endNs, event.iteration});
  std::vector<uint8_t> bytes = nlohmann::json::to_cbor(list);
  auto texts = gatherTexts(group, std::string(bytes.begin(), bytes.end()));
  if (!texts)
    return texts.takeError();
  for (const std::string &text : *texts)
    for (const auto &row : nlohmann::json::from_cbor(text))
      events.push_back({row[0], row[1], row[2], row[3], row[4], row[5]});
  return std::nullopt;
}

MaybeError Trace::write(const std::string &path) const {
  int64_t origin = std::numeric_limits<int64_t>::max();
  std::set<int64_t> devices;
  for (const Event &event : events) {
    origin = std::min(origin, event.beginNs);
    devices.insert(event.device);
  }
  nlohmann::json list = nlohmann::json::array();
  for (int64_t device : devices)
    list.push_back({{"ph", "M"},
                    {"name", "thread_name"},
                    {"pid", 0},
                    {"tid", device},
                    {"args", {{"name", "device " + std::to_string(device)}}}});
  for (const Event &event : events)
    list.push_back({{"ph", "X"},
                    {"name", event.name},
                    {"cat", event.kind},
                    {"pid", 0},
                    {"tid", event.device},
                    {"ts", double(event.beginNs - origin) / 1000},
                    {"dur", double(event.endNs - event.beginNs) / 1000},
                    {"args", {{"iteration", event.iteration}}}});
  nlohmann::json root = {{"displayTimeUnit", "ns"}, {"traceEvents", list}};
  return writeFile(
      path, root.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) +
                "\n");
}
