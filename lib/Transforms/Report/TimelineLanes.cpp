//===- TimelineLanes.cpp - A simulated iteration, lane by lane ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TimelineLanes.h. The file is written directly: it has a group of tasks a
// line, of which there may be millions.
//
//===----------------------------------------------------------------------===//

#include "TimelineLanes.h"

#include "Support/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <array>

using namespace mlir::soap;
using ::soap::TaskClass;
using ::soap::jsonfile::quote;

//===----------------------------------------------------------------------===//
// Kinds of memory
//===----------------------------------------------------------------------===//

/// Kinds of a course: the kinds of tensors, states that only updates read, and
/// what is there while a task runs.
static constexpr std::array memoryKinds = {"inputs",
                                           "weights",
                                           "activations",
                                           "activation_gradients",
                                           "weight_gradients",
                                           "optimizer_states",
                                           "messages_and_temporaries"};
static constexpr uint8_t stateKind = ::soap::tensorKindCount;

::soap::MemoryCourse &TimelineLanes::startCourse(const ::soap::Graph &graph,
                                                 int64_t makespanNs) {
  std::vector<bool> read(graph.values.size());
  for (const ::soap::GraphNode &node : graph.nodes)
    if (node.whole.phase != ::soap::Phase::Update)
      for (int value : node.whole.operands)
        read[static_cast<size_t>(graph.rootOf(value))] = true;
  std::vector<uint8_t> kinds;
  for (::soap::TensorKind kind : ::soap::tensorKinds(graph))
    kinds.push_back(static_cast<uint8_t>(kind));
  for (const ::soap::GraphInput &input : graph.inputs)
    if (auto v = static_cast<size_t>(input.value);
        input.updateNode >= 0 && !read[v])
      kinds[v] = stateKind;
  course.emplace(std::move(kinds), memoryKinds.size() - 1,
                 topology.devices.size(), makespanNs);
  return *course;
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

static const char *phaseName(::soap::Phase phase) {
  switch (phase) {
  case ::soap::Phase::Forward:
    return "forward";
  case ::soap::Phase::Backward:
    return "backward";
  case ::soap::Phase::Update:
    return "update";
  }
  return "";
}

int TimelineLanes::subjectOf(const ::soap::PlanState &plan,
                             const std::vector<::soap::TensorKind> &kinds,
                             size_t block, size_t index) {
  constexpr int ofKernel = -1, ofMovement = -2, ofTransfer = -3;
  auto [slot, value] = plan.getBlocks()[block];
  const ::soap::PlannedTask *task = nullptr;
  int variant = ofKernel;
  TaskClass taskClass = TaskClass::Compute;
  if (slot >= 0) {
    if (plan.kernelPlan(slot).states[index] != ::soap::ShardState::Compute)
      variant = ofMovement;
  } else {
    task = &plan.valuePlan(value).tasks[index];
    variant = task->resource >= 0 ? ofMovement
              : task->collective < 0
                  ? ofTransfer
                  : static_cast<int>(
                        plan.valuePlan(value)
                            .collectives[static_cast<size_t>(task->collective)]
                            .kind);
    taskClass = TaskClass::Transfer;
  }
  if (variant == ofMovement)
    taskClass = TaskClass::Movement;
  auto [it, isNew] = known.try_emplace({slot, value, variant},
                                       static_cast<int>(subjects.size()));
  if (!isNew)
    return it->second;
  Subject subject;
  subject.taskClass = taskClass;
  if (slot >= 0) {
    const ::soap::Kernel &kernel =
        *plan.getSlots()[static_cast<size_t>(slot)].kernel;
    subject.name = kernel.name;
    subject.kind = variant == ofMovement ? "fill" : kernel.kind;
    subject.detail = phaseName(kernel.phase);
  } else {
    auto v = static_cast<size_t>(value);
    subject.name = plan.getGraph().values[v].name;
    subject.kind = variant == ofMovement ? "tiles"
                   : variant == ofTransfer
                       ? "transfer"
                       : ::soap::collectiveName(
                             static_cast<::soap::CollectiveKind>(variant));
    subject.detail = ::soap::tensorKindName(kinds[v]);
  }
  subjects.push_back(std::move(subject));
  return it->second;
}

void TimelineLanes::addToLanes(const ::soap::PlanState &plan, size_t block,
                               size_t index, std::span<const int> resources,
                               const LaneTask &task) {
  int64_t bytes = 0;
  if (int value = plan.getBlocks()[block].value; value >= 0) {
    const ::soap::ValuePlan &planned = plan.valuePlan(value);
    const ::soap::PlannedTask &entry = planned.tasks[index];
    bytes = entry.bytes;
    if (entry.collective >= 0) {
      const ::soap::PlannedCollective &of =
          planned.collectives[static_cast<size_t>(entry.collective)];
      ::soap::PlanCollective collective;
      collective.kind = of.kind;
      collective.bytes = of.bytes;
      collective.devices = of.devices;
      bytes = collective.traffic() /
              std::max<int64_t>(static_cast<int64_t>(of.devices.size()), 1);
    }
  }
  for (int resource : resources) {
    Lane &lane = lanes[static_cast<size_t>(resource)];
    lane.tasks.push_back(task);
    if (resource >= topology.deviceCount())
      lane.bytes += bytes;
  }
}

void TimelineLanes::add(const ::soap::PlanState &plan,
                        const ::soap::PassTimeline &timeline) {
  std::vector<::soap::TensorKind> kinds = ::soap::tensorKinds(plan.getGraph());
  llvm::ArrayRef<uint32_t> onPath = timeline.criticalPath();
  std::vector<std::pair<uint32_t, size_t>> places;
  for (size_t i = 0; i < onPath.size(); ++i)
    places.emplace_back(onPath[i], i);
  llvm::sort(places);
  path.resize(onPath.size());
  auto next = places.begin();
  // Steps of sums come in the order of blocks, but the last one first.
  timeline.forEachTask([&](const ::soap::SimulatedTask &task) {
    LaneTask entry{subjectOf(plan, kinds, task.block, task.index), -1,
                   task.startNs, task.endNs};
    if (task.pass)
      entry.pass = (task.pass->stage * timeline.getMicrobatches() +
                    task.pass->microbatch) *
                       2 +
                   task.pass->backward;
    addToLanes(plan, task.block, task.index, task.resources, entry);
    next = std::lower_bound(places.begin(), places.end(),
                            std::pair(task.number, size_t(0)));
    if (next != places.end() && next->first == task.number)
      path[next->second] = {task.resources.front(), entry.subject, task.startNs,
                            task.endNs};
  });
}

void TimelineLanes::add(const ::soap::PlanState &plan,
                        const ::soap::PlanTimeline &timeline) {
  std::vector<::soap::TensorKind> kinds = ::soap::tensorKinds(plan.getGraph());
  auto resourcesOf = [&](size_t block, size_t index) {
    auto [slot, value] = plan.getBlocks()[block];
    return slot >= 0
               ? std::span<const int>(&plan.kernelPlan(slot).devices[index], 1)
               : plan.resourcesOf(plan.valuePlan(value).tasks[index].resource);
  };
  const auto &times = timeline.getTimes();
  for (size_t b = 0; b < times.size(); ++b)
    for (size_t i = 0; i < times[b].size(); ++i) {
      // Absent shards have times of 0.
      if (times[b][i].endNs <= 0)
        continue;
      addToLanes(plan, b, i, resourcesOf(b, i),
                 {subjectOf(plan, kinds, b, i), -1, times[b][i].startNs,
                  times[b][i].endNs});
    }
  auto tasks = timeline.criticalTasks();
  if (!tasks)
    return;
  for (::soap::TaskRef task : *tasks) {
    auto b = static_cast<size_t>(task.block),
         i = static_cast<size_t>(task.index);
    path.push_back({resourcesOf(b, i).front(), subjectOf(plan, kinds, b, i),
                    times[b][i].startNs, times[b][i].endNs});
  }
}

void TimelineLanes::add(const ::soap::Graph &graph,
                        const ::soap::TaskGraph &tasks) {
  llvm::StringMap<const char *> details;
  std::vector<::soap::TensorKind> kinds = ::soap::tensorKinds(graph);
  for (size_t v = 0; v < graph.values.size(); ++v)
    details[graph.values[v].name] = ::soap::tensorKindName(kinds[v]);
  for (const ::soap::GraphNode &node : graph.nodes) {
    details[node.whole.name] = phaseName(node.whole.phase);
    for (const ::soap::Kernel &stage : node.stages)
      details[stage.name] = phaseName(stage.phase);
  }
  std::map<std::tuple<std::string, TaskClass, std::string>, int> names;
  auto subjectOfTask = [&](const ::soap::Task &task) {
    std::string name = ::soap::subjectOf(task);
    TaskClass taskClass = ::soap::classOf(task);
    auto [it, isNew] = names.try_emplace({name, taskClass, task.kind},
                                         static_cast<int>(subjects.size()));
    if (isNew)
      subjects.push_back({name, taskClass, task.kind,
                          details.contains(name) ? details[name] : ""});
    return it->second;
  };
  for (const ::soap::Task &task : tasks.tasks) {
    LaneTask entry{subjectOfTask(task), -1, task.startNs, task.endNs};
    int64_t bytes =
        task.bytes /
        std::max<int64_t>(static_cast<int64_t>(task.devices.size()), 1);
    for (int resource : task.resources) {
      Lane &lane = lanes[static_cast<size_t>(resource)];
      lane.tasks.push_back(entry);
      if (resource >= topology.deviceCount())
        lane.bytes += bytes;
    }
  }
  for (int t : ::soap::criticalPath(tasks)) {
    const ::soap::Task &task = tasks.tasks[static_cast<size_t>(t)];
    path.push_back({task.resources.front(), subjectOfTask(task), task.startNs,
                    task.endNs});
  }
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static void append(std::string &text, int64_t value) {
  if (char last = text.back(); last != '[' && last != ',')
    text += ',';
  text += std::to_string(value);
}

void TimelineLanes::addOps(
    const ::soap::Graph &graph, const ::soap::Strategy &strategy,
    const std::vector<std::vector<::soap::Role>> &roles) {
  ops.clear();
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const ::soap::Kernel &kernel = graph.nodes[n].whole;
    const ::soap::Config &config = strategy[n];
    ops += (ops.empty() ? "\n[" : ",\n[") + quote(kernel.name) + ',' +
           quote(kernel.kind) + ",\"" + phaseName(kernel.phase) + "\",[";
    for (size_t l = 0; l < kernel.space.loops.size(); ++l) {
      const ::soap::Loop &loop = kernel.space.loops[l];
      ops += std::string(l == 0 ? "[" : ",[") + quote(loop.name) + ',' +
             std::to_string(loop.extent) + ",\"" +
             ::soap::roleName(loop, roles[n][l]) + "\"," +
             std::to_string(config.degrees[l]) + ']';
    }
    ops += "]," + std::to_string(config.replicas) + ",[";
    // Devices in a row as their first and their last.
    for (size_t d = 0; d < config.devices.size();) {
      size_t end = d + 1;
      while (end < config.devices.size() &&
             config.devices[end] == config.devices[end - 1] + 1)
        ++end;
      append(ops, config.devices[d]);
      append(ops, config.devices[end - 1]);
      d = end;
    }
    ops += "]]";
  }
}

/// Everything of a lane but its name.
std::string TimelineLanes::content(int resource, const PassReport *passes,
                                   int64_t microbatches) const {
  bool isLink = resource >= topology.deviceCount();
  const Lane &lane = lanes[static_cast<size_t>(resource)];
  std::string text =
      isLink ? "\"bytes\":" + std::to_string(lane.bytes) + ',' : std::string();
  if (!isLink && passes) {
    text += "\"passes\":[";
    for (const PassTimes &times : passes->passes)
      if (times.device == resource) {
        append(text,
               (times.pass.stage * microbatches + times.pass.microbatch) * 2 +
                   times.pass.backward);
        append(text, times.startNs);
        append(text, times.endNs - times.startNs);
      }
    text += "],";
  }
  if (!isLink && course) {
    text += "\"memory\":[";
    for (const ::soap::MemoryCourse::Point &point :
         course->pointsOf(resource)) {
      append(text, point.timeNs);
      for (int64_t bytes : point.bytes)
        append(text, bytes);
    }
    text += "],";
  }
  // Tasks that follow one another in a pass are a group, with times from its
  // start: groups of microbatches are alike.
  std::vector<LaneTask> sorted = lane.tasks;
  llvm::stable_sort(sorted, [](const LaneTask &a, const LaneTask &b) {
    return a.startNs < b.startNs;
  });
  text += "\"tasks\":[";
  for (size_t i = 0; i < sorted.size();) {
    int64_t pass = sorted[i].pass, beginNs = sorted[i].startNs;
    text += text.back() == '[' ? "\n[" : ",\n[";
    append(text, pass);
    append(text, beginNs);
    for (; i < sorted.size() && sorted[i].pass == pass; ++i) {
      append(text, sorted[i].subject);
      append(text, sorted[i].startNs - beginNs);
      append(text, sorted[i].endNs - sorted[i].startNs);
    }
    text += ']';
  }
  return text + ']';
}

std::string TimelineLanes::print(SimulatedBy by, int64_t makespanNs,
                                 const PassReport *passes) const {
  int64_t microbatches = passes ? passes->microbatches : 1;
  std::string text =
      "{\"version\":1,\"simulator\":" + quote(simulatorName(by).str()) +
      ",\"makespan_ns\":" + std::to_string(makespanNs) +
      ",\"microbatches\":" + std::to_string(microbatches) +
      ",\"unit\":" + std::to_string(unit) +
      ",\"replicas\":" + std::to_string(replicas);
  text += ",\"memory_kinds\":[";
  for (const char *kind : memoryKinds)
    text += (text.back() == '[' ? "" : ",") + quote(kind);
  text += "],\n\"subjects\":[";
  for (const Subject &subject : subjects)
    text += std::string(text.back() == '[' ? "\n" : ",\n") + '[' +
            quote(subject.name) + ",\"" + className(subject.taskClass) + "\"," +
            quote(subject.kind) + ',' + quote(subject.detail) + ']';
  text += "],\n\"ops\":[" + ops;
  // Lanes by what they do, in the order of the first that does it.
  std::map<std::string, size_t> numbers;
  std::vector<std::vector<int>> members;
  std::vector<int> laneOf(lanes.size(), -1);
  for (size_t r = 0; r < lanes.size(); ++r) {
    auto resource = static_cast<int>(r);
    bool isLink = resource >= topology.deviceCount();
    // Of a folded simulation, other replicas have no tasks.
    if (lanes[r].tasks.empty() && (isLink || replicas > 1))
      continue;
    auto [it, isNew] = numbers.try_emplace(
        (isLink ? "l" : "d") + content(resource, passes, microbatches),
        members.size());
    if (isNew)
      members.emplace_back();
    members[it->second].push_back(resource);
    laneOf[r] = static_cast<int>(it->second);
  }
  text += "],\n\"lanes\":[";
  std::vector<const std::string *> contents(members.size());
  for (const auto &[content, number] : numbers)
    contents[number] = &content;
  for (size_t lane = 0; lane < members.size(); ++lane) {
    bool isLink = contents[lane]->front() == 'l';
    text += lane == 0 ? "\n{" : ",\n{";
    text += isLink ? "\"links\":[" : "\"devices\":[";
    for (int resource : members[lane])
      append(text, isLink ? resource - topology.deviceCount() : resource);
    text += "],";
    text.append(*contents[lane], 1);
    text += '}';
  }
  text += "],\n\"critical_path\":[";
  for (const PathTask &task : path)
    for (int64_t value :
         {static_cast<int64_t>(laneOf[static_cast<size_t>(task.resource)]),
          static_cast<int64_t>(task.subject), task.startNs,
          task.endNs - task.startNs})
      append(text, value);
  return text + "]}\n";
}
