//===- StageTable.cpp - The dynamic programs' table -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StageTable.h.
//
//===----------------------------------------------------------------------===//

#include "StageTable.h"

#include <cassert>
#include <limits>

using namespace soap;
using namespace soap::placement;

StageLimits::StageLimits(const Problem &problem, const Objective &objective,
                         const UnitGraph &graph, double below)
    : accelerators(problem.accelerators), cpus(problem.cpus),
      acceleratorMemoryBytes(problem.acceleratorMemoryBytes),
      objective(objective), below(below) {
  // More devices than units are of no use.
  int units = static_cast<int>(graph.size());
  if (!objective.replication)
    accelerators = std::min(accelerators, units);
  cpus = std::min(cpus, units);
  for (const Unit &unit : graph.units)
    if (unit.acceleratorTime() > 0 && unit.acceleratable)
      cpuSpeed =
          std::max(cpuSpeed, unit.cpuTime() > 0
                                 ? unit.acceleratorTime() / unit.cpuTime()
                                 : std::numeric_limits<double>::infinity());
}

bool StageLimits::prunes(const StageSums &sums) const {
  if (minimizeMemory)
    return cpus == 0 && (!sums.acceleratable || sums.memoryBytes >= below);
  if (cpus > 0 && sums.cpuTime < below)
    return false;
  int most = objective.replication ? accelerators : 1;
  return !fits(sums) || sums.acceleratorBound(objective) >= below * most;
}

StageTable::StageTable(const StageLimits &limits, size_t ideals)
    : limits(limits), entries(ideals), reached(ideals) {
  entries[0].push_back({0, 0, 0, 0, 0, 0});
  reached[0] = true;
}

void StageTable::offer(std::vector<Entry> &list, const Entry &entry) {
  bool pareto = limits.objective.schedule == Schedule::GPipe;
  for (const Entry &other : list)
    if (other.state == entry.state && other.forward <= entry.forward &&
        other.backward <= entry.backward)
      return;
  if (!pareto) {
    for (Entry &other : list)
      if (other.state == entry.state) {
        other = entry;
        return;
      }
    list.push_back(entry);
    return;
  }
  std::erase_if(list, [&](const Entry &other) {
    return other.state == entry.state && entry.forward <= other.forward &&
           entry.backward <= other.backward;
  });
  list.push_back(entry);
}

void StageTable::extend(size_t to, size_t from, const StageSums &sums,
                        double remainingWork) {
  assert(from < to && to < entries.size() && reached[from] && "a larger ideal");
  auto tryStage = [&](const StageLoad &load, int accelerators, int cpus) {
    if (load.total() >= limits.below)
      return;
    const std::vector<Entry> &sources = entries[from];
    for (size_t i = 0; i < sources.size(); ++i) {
      int usedCpus = sources[i].state % (limits.cpus + 1) + cpus;
      int used = sources[i].state / (limits.cpus + 1) + accelerators;
      if (usedCpus > limits.cpus || used > limits.accelerators)
        continue;
      Entry entry{std::max(sources[i].forward, load.forward),
                  std::max(sources[i].backward, load.backward),
                  static_cast<uint32_t>(from),
                  static_cast<uint32_t>(i),
                  used * (limits.cpus + 1) + usedCpus,
                  cpus ? 0 : accelerators};
      if (entry.forward + entry.backward >= limits.below)
        continue;
      // The devices that are left can not do the rest in time.
      double left =
          (limits.accelerators - used) +
          (limits.cpus > usedCpus ? (limits.cpus - usedCpus) * limits.cpuSpeed
                                  : 0);
      if (!limits.minimizeMemory && remainingWork > left * limits.below)
        continue;
      offer(entries[to], entry);
      reached[to] = true;
    }
  };
  if (limits.fits(sums)) {
    int most = limits.objective.replication && !limits.minimizeMemory
                   ? limits.accelerators
                   : std::min(1, limits.accelerators);
    for (int replicas = 1; replicas <= most; ++replicas)
      tryStage(limits.acceleratorLoad(sums, replicas), replicas, 0);
  }
  if (limits.cpus > 0)
    tryStage(limits.cpuLoad(sums), 0, 1);
}

std::vector<StageTable::Stage> StageTable::bestSplit(size_t ideal,
                                                     double &value) const {
  const Entry *best = nullptr;
  for (const Entry &entry : entries[ideal])
    if (!best ||
        entry.forward + entry.backward < best->forward + best->backward)
      best = &entry;
  std::vector<Stage> stages;
  if (!best)
    return stages;
  value = best->forward + best->backward;
  while (ideal != 0) {
    stages.push_back({ideal, best->fromIdeal, best->replicas});
    ideal = best->fromIdeal;
    best = &entries[ideal][best->fromEntry];
  }
  std::reverse(stages.begin(), stages.end());
  return stages;
}
