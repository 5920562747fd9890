//===- VerifySchedule.cpp - Schedules, judged by the original nodes -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks at tasks one by one, and shares nothing with what made them but the
// rules of Objective.h.
//
//===----------------------------------------------------------------------===//

#include "RoundTime.h"
#include "Soap/Search/DevicePlacement/RoundSchedule.h"

#include <map>
#include <tuple>

using namespace soap;
using namespace soap::placement;

namespace {

class ScheduleVerifier {
public:
  ScheduleVerifier(const Problem &problem, const Objective &objective,
                   const Placement &placement,
                   const std::vector<placement::PipelineStage> &stages,
                   const RoundSchedule &schedule)
      : problem(problem), objective(objective), placement(placement),
        stages(stages), schedule(schedule),
        isGPipe(objective.schedule == Schedule::GPipe),
        stageOf(problem.nodes.size()) {
    for (size_t s = 0; s < stages.size(); ++s)
      for (int node : stages[s].nodes)
        stageOf[node] = static_cast<int>(s);
  }

  MaybeError run() {
    if (MaybeError error = verifyStages())
      return error;
    if (MaybeError error = verifyPeriods())
      return error;
    if (MaybeError error = verifyDurations())
      return error;
    if (MaybeError error = verifyOrder())
      return error;
    return verifyDevices();
  }

private:
  /// Kind, device, stage.
  using Key = std::tuple<RoundTask::Kind, int, int>;

  const Problem &problem;
  const Objective &objective;
  const Placement &placement;
  const std::vector<placement::PipelineStage> &stages;
  const RoundSchedule &schedule;
  bool isGPipe;
  std::vector<int> stageOf;
  std::map<Key, const RoundTask *> tasks;
  std::vector<double> allReduce; ///< per device

  bool isBackward(int stage) const {
    return isGPipe && problem.nodes[stages[stage].nodes[0]].backward;
  }
  double periodOf(int stage) const {
    return isBackward(stage) ? schedule.backwardPeriod : schedule.period;
  }
  double tolerance(int stage) const {
    double rounds = 1 + static_cast<double>(stages.size());
    return scheduleRounding * periodOf(stage) * rounds;
  }
  RoundTime timeOf(const RoundTask &task) const {
    RoundTime time;
    time.period = periodOf(task.stage);
    time.replicas = placement.replicasOf(task.device);
    if (isBackward(task.stage) == isGPipe)
      time.allReduce = allReduce[task.device];
    return time;
  }
  std::string deviceName(int device) const {
    return problem.isAccelerator(device)
               ? "accelerator " + std::to_string(device)
               : "CPU " + std::to_string(device - problem.accelerators);
  }
  std::string nameOf(const Key &key) const {
    static constexpr const char *names[] = {"computes", "writes", "reads"};
    auto [kind, device, stage] = key;
    return deviceName(device) + " " + names[kind] + " stage " +
           std::to_string(stage);
  }

  MaybeError verifyStages() {
    for (size_t s = 0; s < stages.size(); ++s) {
      if (stages[s].nodes.empty())
        return Error{"stage " + std::to_string(s) + ": expected nodes"};
      for (int node : stages[s].nodes)
        if (isGPipe && problem.nodes[node].backward !=
                           problem.nodes[stages[s].nodes[0]].backward)
          return Error{"stage " + std::to_string(s) +
                       ": expected nodes of one pass"};
    }
    return std::nullopt;
  }

  MaybeError verifyPeriods() {
    Expected<placement::Evaluation> evaluation =
        verify(problem, objective, placement);
    if (!evaluation)
      return Error{evaluation.error()};
    const StageLoad &worst = evaluation->worst;
    auto isClose = [](double a, double b) {
      return std::abs(a - b) <= scheduleRounding * std::max(a, b);
    };
    if (!isClose(schedule.period, worst.forward) ||
        !isClose(schedule.backwardPeriod, worst.backward))
      return Error{"expected rounds as long as the greatest load"};
    std::vector<double> bytes =
        trainedBytesOfDevices(problem, placement.deviceOf);
    for (int device = 0; device < problem.deviceCount(); ++device) {
      int replicas = placement.replicasOf(device);
      allReduce.push_back(
          replicas == 1
              ? 0
              : replicatedLoad({}, objective, bytes[device], replicas).total());
    }
    return std::nullopt;
  }

  MaybeError verifyDurations() {
    std::map<Key, double> expected;
    std::vector<std::vector<int>> nets = devicesOfNets(problem, placement);
    for (size_t i = 0; i < problem.nodes.size(); ++i) {
      int own = placement.deviceOf[i];
      expected[{RoundTask::Compute, own, stageOf[i]}] +=
          problem.isAccelerator(own) ? problem.nodes[i].acceleratorTime
                                     : problem.nodes[i].cpuTime;
      for (int device : nets[i])
        if (nets[i].size() > 1 && problem.isAccelerator(device))
          expected[{device == own ? RoundTask::Write : RoundTask::Read, device,
                    stageOf[i]}] +=
              transferTimeOn(problem, objective, nets[i], device, placement,
                             static_cast<int>(i));
    }
    for (const RoundTask &task : schedule.tasks) {
      Key key{task.kind, task.device, task.stage};
      if (!tasks.emplace(key, &task).second)
        return Error{nameOf(key) + ": expected it once in the schedule"};
      if (!expected.count(key))
        return Error{nameOf(key) + ": expected no such task"};
      if (!(task.begin >= 0) || !(task.end >= task.begin))
        return Error{nameOf(key) + ": expected a beginning before its end"};
    }
    for (const auto &[key, duration] : expected) {
      auto it = tasks.find(key);
      if (it == tasks.end()) {
        if (duration > 0 || std::get<0>(key) == RoundTask::Compute)
          return Error{nameOf(key) + ": expected it in the schedule"};
        continue;
      }
      const RoundTask &task = *it->second;
      RoundTime time = timeOf(task);
      double takes = time.ownAt(task.end) - time.ownAt(task.begin);
      if (std::abs(takes - duration) > tolerance(task.stage))
        return Error{nameOf(key) + ": expected it to take " +
                     std::to_string(duration) + ", got " +
                     std::to_string(takes)};
    }
    return std::nullopt;
  }

  /// From computing over writing and reading to computing, for each edge.
  MaybeError verifyOrder() {
    for (const Edge &edge : problem.edges) {
      int from = stageOf[edge.source], to = stageOf[edge.target];
      if (from == to || isBackward(from) != isBackward(to))
        continue;
      int source = stages[from].device, target = stages[to].device;
      std::vector<Key> way{{RoundTask::Compute, source, from}};
      if (source != target) {
        way.push_back({RoundTask::Write, source, from});
        way.push_back({RoundTask::Read, target, from});
      }
      way.push_back({RoundTask::Compute, target, to});
      const RoundTask *last = nullptr;
      for (const Key &key : way) {
        auto it = tasks.find(key);
        if (it == tasks.end())
          continue; // takes no time
        if (last && it->second->begin < last->end - tolerance(from))
          return Error{nameOf(key) + ": expected it after " +
                       nameOf({last->kind, last->device, last->stage}) +
                       ", which ends at " + std::to_string(last->end) +
                       ", got " + std::to_string(it->second->begin)};
        last = it->second;
      }
    }
    return std::nullopt;
  }

  /// On the circle of a device's own time in as many rounds as it has replicas.
  MaybeError verifyDevices() {
    struct Piece {
      double begin, end;
      Key key;
    };
    std::map<std::tuple<int, bool, bool>, std::vector<Piece>> devices;
    for (const auto &[key, task] : tasks) {
      RoundTime time = timeOf(*task);
      double begin = time.ownAt(task->begin), end = time.ownAt(task->end);
      if (end - begin <= tolerance(task->stage))
        continue;
      bool aside = objective.overlap == Overlap::Full &&
                   task->kind != RoundTask::Compute;
      double cycle = time.cycle();
      double shift =
          cycle * std::floor((begin + tolerance(task->stage)) / cycle);
      std::vector<Piece> &pieces =
          devices[{task->device, aside, isBackward(task->stage)}];
      pieces.push_back({begin - shift, end - shift, key});
      // The part that reaches into the next cycle, and what is before this one.
      pieces.push_back({begin - shift - cycle, end - shift - cycle, key});
    }
    for (auto &[device, pieces] : devices) {
      std::sort(pieces.begin(), pieces.end(),
                [](const Piece &a, const Piece &b) {
                  return std::tie(a.begin, a.key) < std::tie(b.begin, b.key);
                });
      for (size_t i = 1; i < pieces.size(); ++i)
        if (pieces[i].begin <
            pieces[i - 1].end - tolerance(std::get<2>(pieces[i].key)))
          return Error{nameOf(pieces[i].key) + " while it " +
                       nameOf(pieces[i - 1].key)
                           .substr(deviceName(std::get<0>(device)).size() + 1) +
                       ": expected one after the other"};
    }
    return std::nullopt;
  }
};

} // namespace

MaybeError
placement::verifySchedule(const Problem &problem, const Objective &objective,
                          const Placement &placement,
                          const std::vector<placement::PipelineStage> &stages,
                          const RoundSchedule &schedule) {
  if (MaybeError error = verifyPipeline(problem, placement, stages))
    return error;
  return ScheduleVerifier(problem, objective, placement, stages, schedule)
      .run();
}
