//===- RoundSchedule.cpp - When a pipeline's devices do what --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One sweep over the stages. Tasks of a device stand behind each other on the
// circle of a round, which always fits, and begin in the first round in which
// what they need is there.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/DevicePlacement/RoundSchedule.h"

#include "Pipeline/RoundPlaces.h"
#include "RoundTime.h"

#include <cstdio>
#include <map>
#include <tuple>

using namespace soap;
using namespace soap::placement;

namespace {

class RoundScheduler {
public:
  RoundScheduler(const Problem &problem, const Objective &objective,
                 const Placement &placement,
                 const std::vector<placement::PipelineStage> &stages)
      : problem(problem), objective(objective), placement(placement),
        stages(stages), isGPipe(objective.schedule == Schedule::GPipe),
        trainedBytes(trainedBytesOfDevices(problem, placement.deviceOf)),
        stageOf(problem.nodes.size()), readers(stages.size()),
        writeTime(stages.size()), predecessors(stages.size()),
        computeEnd(stages.size()), writeEnd(stages.size()) {
    for (size_t s = 0; s < stages.size(); ++s)
      for (int node : stages[s].nodes)
        stageOf[node] = static_cast<int>(s);
  }

  RoundSchedule run() {
    findPeriods();
    findTransfers();
    addTotals();
    for (const Edge &edge : problem.edges)
      if (stageOf[edge.source] != stageOf[edge.target])
        predecessors[stageOf[edge.target]].push_back(stageOf[edge.source]);
    for (size_t s = 0; s < stages.size(); ++s)
      addStage(static_cast<int>(s));
    return std::move(schedule);
  }

private:
  const Problem &problem;
  const Objective &objective;
  const Placement &placement;
  const std::vector<placement::PipelineStage> &stages;
  bool isGPipe;
  std::vector<double> trainedBytes; ///< per device
  std::vector<int> stageOf;         ///< per node
  /// Per stage: by device, how long it reads outputs of the stage.
  std::vector<std::map<int, double>> readers;
  std::vector<double> writeTime; ///< per stage
  std::vector<std::vector<int>> predecessors;
  std::vector<double> computeEnd, writeEnd;      ///< per stage
  std::map<std::pair<int, int>, double> readEnd; ///< stage, device
  /// By device, whether it transfers beside computing, and pass.
  using Resource = std::tuple<int, bool, bool>;
  std::map<Resource, double> totals;
  std::map<Resource, RoundPlaces> places;
  RoundSchedule schedule;

  bool isBackward(int stage) const {
    return isGPipe && problem.nodes[stages[stage].nodes[0]].backward;
  }

  bool isAside(RoundTask::Kind kind) const {
    return objective.overlap == Overlap::Full && kind != RoundTask::Compute;
  }

  double computeTime(int stage) const {
    double duration = 0;
    bool isFast = problem.isAccelerator(stages[stage].device);
    for (int node : stages[stage].nodes)
      duration += isFast ? problem.nodes[node].acceleratorTime
                         : problem.nodes[node].cpuTime;
    return duration;
  }

  void addTotals() {
    for (int s = 0; s < static_cast<int>(stages.size()); ++s) {
      int device = stages[s].device;
      bool backward = isBackward(s);
      totals[{device, false, backward}] += computeTime(s);
      totals[{device, isAside(RoundTask::Write), backward}] += writeTime[s];
      for (auto [reader, time] : readers[s])
        totals[{reader, isAside(RoundTask::Read), backward}] += time;
    }
  }

  RoundTime roundTime(int device, bool backward) const {
    RoundTime time;
    time.period = backward ? schedule.backwardPeriod : schedule.period;
    time.replicas = placement.replicasOf(device);
    if (time.replicas > 1 && backward == isGPipe)
      time.allReduce =
          replicatedLoad({}, objective, trainedBytes[device], time.replicas)
              .total();
    return time;
  }

  void findPeriods() {
    std::vector<StageCosts> costs = deviceCosts(problem, objective, placement);
    for (int device = 0; device < problem.deviceCount(); ++device) {
      StageLoad load =
          replicatedLoad(costs[device].load(objective), objective,
                         trainedBytes[device], placement.replicasOf(device));
      schedule.period = std::max(schedule.period, load.forward);
      schedule.backwardPeriod =
          std::max(schedule.backwardPeriod, load.backward);
    }
  }

  void findTransfers() {
    std::vector<std::vector<int>> nets = devicesOfNets(problem, placement);
    for (size_t i = 0; i < nets.size(); ++i) {
      if (nets[i].size() < 2)
        continue;
      for (int device : nets[i]) {
        if (!problem.isAccelerator(device))
          continue;
        double time = transferTimeOn(problem, objective, nets[i], device,
                                     placement, static_cast<int>(i));
        if (device == placement.deviceOf[i])
          writeTime[stageOf[i]] += time;
        else
          readers[stageOf[i]][device] += time;
      }
    }
  }

  /// Adds a task; when sample 0's is over.
  double add(RoundTask::Kind kind, int device, int stage, double ready,
             double duration) {
    bool backward = isBackward(stage);
    RoundTime time = roundTime(device, backward);
    Resource resource{device, isAside(kind), backward};
    auto it =
        places
            .try_emplace(resource, RoundPlaces(time.cycle(), totals[resource]))
            .first;
    double ownTime = it->second.place(time.ownAt(ready), duration);
    // At the end of a round rather than after the next all-reduce, unless what
    // it needs comes then.
    double begin = std::max(time.timeAt(ownTime), ready);
    double end = std::max(time.timeAt(ownTime + duration), begin);
    schedule.tasks.push_back({kind, device, stage, begin, end});
    return end;
  }

  void addStage(int s) {
    int device = stages[s].device;
    double ready = 0;
    for (int p : predecessors[s]) {
      if (isBackward(p) != isBackward(s))
        continue; // all forward passes are over
      double end = stages[p].device == device ? computeEnd[p] : writeEnd[p];
      if (auto it = readEnd.find({p, device}); it != readEnd.end())
        end = it->second;
      ready = std::max(ready, end);
    }
    computeEnd[s] = writeEnd[s] =
        add(RoundTask::Compute, device, s, ready, computeTime(s));
    if (writeTime[s] > 0)
      writeEnd[s] =
          add(RoundTask::Write, device, s, computeEnd[s], writeTime[s]);
    for (auto [reader, time] : readers[s])
      if (time > 0)
        readEnd[{s, reader}] =
            add(RoundTask::Read, reader, s, writeEnd[s], time);
  }
};

} // namespace

RoundSchedule
placement::scheduleRounds(const Problem &problem, const Objective &objective,
                          const Placement &placement,
                          const std::vector<placement::PipelineStage> &stages) {
  return RoundScheduler(problem, objective, placement, stages).run();
}

std::string
placement::showSchedule(const Problem &problem, const Placement &placement,
                        const std::vector<placement::PipelineStage> &stages,
                        const RoundSchedule &schedule) {
  static constexpr const char *names[] = {"compute", "write", "read"};
  bool isGPipe = schedule.backwardPeriod > 0;
  std::string result;
  char text[160];
  for (bool backward : {false, true}) {
    double period = backward ? schedule.backwardPeriod : schedule.period;
    if (period == 0)
      continue;
    // The tasks of a device in a round, by their beginning there.
    struct Entry {
      double begin, end;
      int64_t samples;
      const RoundTask *task;
    };
    std::map<int, std::vector<Entry>> entries;
    int64_t rounds = 0;
    for (const RoundTask &task : schedule.tasks) {
      if (isGPipe &&
          problem.nodes[stages[task.stage].nodes[0]].backward != backward)
        continue;
      auto round = static_cast<int64_t>(std::floor(task.begin / period + 1e-9));
      double start =
          std::max(task.begin - period * static_cast<double>(round), 0.0);
      entries[task.device].push_back(
          {start, start + task.end - task.begin, round, &task});
      rounds = std::max(rounds, static_cast<int64_t>(std::ceil(
                                    task.end / period - scheduleRounding)));
    }
    std::snprintf(text, sizeof(text),
                  "%s round takes %.6f; a sample is in %lld of them\n",
                  !isGPipe   ? "a"
                  : backward ? "a backward"
                             : "a forward",
                  period, static_cast<long long>(rounds));
    result += text;
    for (auto &[device, list] : entries) {
      std::sort(list.begin(), list.end(), [](const Entry &a, const Entry &b) {
        return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
      });
      result += problem.isAccelerator(device)
                    ? "  accelerator " + std::to_string(device)
                    : "  cpu " + std::to_string(device - problem.accelerators);
      if (int replicas = placement.replicasOf(device); replicas > 1)
        result += " and " + std::to_string(replicas - 1) +
                  " replicas, each every " + std::to_string(replicas) +
                  " samples";
      result += ":\n";
      for (const Entry &entry : list) {
        std::snprintf(text, sizeof(text),
                      "    %.6f to %.6f: %s %d of sample t - %lld\n",
                      entry.begin, entry.end, names[entry.task->kind],
                      entry.task->stage, static_cast<long long>(entry.samples));
        result += text;
      }
    }
  }
  return result;
}
