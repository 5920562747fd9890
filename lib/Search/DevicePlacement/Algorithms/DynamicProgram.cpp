//===- DynamicProgram.cpp - Dynamic programming over ideals ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Section 5.1.1 of the paper. A contiguous set is the difference of two ideals;
// for each ideal, the smaller ideals that matter are enumerated once each, by
// removing units in descending order, and with them the costs of the
// difference. A known split (DPL's) bounds what matters: most of an ideal's
// subsets leave more work to one device than all of the best split's devices
// have.
//
//===----------------------------------------------------------------------===//

#include "IdealLattice.h"
#include "Splits.h"

#include <barrier>
#include <thread>

using namespace soap;
using namespace soap::placement;

namespace {

/// Extends ideals by all of their subsets; each thread has one.
class IdealExtender {
public:
  IdealExtender(const UnitGraph &graph, const IdealLattice &lattice,
                const StageLimits &limits, StageTable &table,
                const Deadline &deadline)
      : graph(graph), lattice(lattice), limits(limits), table(table),
        deadline(deadline), stage(graph) {}

  /// False if the time is over.
  bool extend(size_t ideal) {
    to = ideal;
    spend(graph.size());
    inside = remaining = 0;
    outside.clear();
    for (int unit = 0; unit < static_cast<int>(graph.size()); ++unit) {
      const Unit &moved = graph.units[unit];
      double work = moved.acceleratable ? moved.acceleratorTime() : 0;
      bool isInside = lattice.contains(ideal, unit);
      (isInside ? inside : remaining) += work;
      if (!isInside)
        outside.push_back(unit);
    }
    if (!isHopeless()) {
      for (int unit : outside)
        stage.addOutside(unit);
      enumerate();
      for (int unit : outside)
        stage.removeOutside(unit);
    }
    return !over;
  }

private:
  struct Frame {
    size_t ideal;
    size_t next; ///< of its steps
    int last;    ///< the unit that was removed to get here
  };
  const UnitGraph &graph;
  const IdealLattice &lattice;
  const StageLimits &limits;
  StageTable &table;
  const Deadline &deadline;
  StageSet stage;
  std::vector<int> outside;
  std::vector<Frame> frames;
  size_t to = 0, spent = 0;
  double inside = 0, remaining = 0; ///< work
  bool over = false;

  /// Looks at the clock after so many steps.
  void spend(size_t steps) {
    constexpr size_t often = 65536;
    spent += steps;
    if (spent < often)
      return;
    spent = 0;
    over |= deadline.isOver();
  }

  /// No number of devices can have done what is inside and leave enough to
  /// others for what is outside.
  bool isHopeless() const {
    if (limits.minimizeMemory)
      return false;
    for (int used = 0; used <= limits.accelerators; ++used)
      for (int cpus = 0; cpus <= limits.cpus; ++cpus)
        if (inside <= capacity(used, cpus) &&
            remaining <=
                capacity(limits.accelerators - used, limits.cpus - cpus))
          return false;
    return true;
  }

  double capacity(int accelerators, int cpus) const {
    return (accelerators + (cpus > 0 ? cpus * limits.cpuSpeed : 0)) *
           limits.below;
  }

  void enumerate() {
    frames = {{to, 0, static_cast<int>(graph.size())}};
    while (!frames.empty() && !over) {
      Frame &frame = frames.back();
      std::span<const IdealLattice::Step> list = lattice.steps(frame.ideal);
      while (frame.next < list.size() && list[frame.next].unit >= frame.last)
        ++frame.next;
      if (frame.next == list.size()) {
        if (frames.size() > 1)
          stage.pop();
        frames.pop_back();
        continue;
      }
      IdealLattice::Step step = list[frame.next++];
      stage.push(step.unit);
      spend(1);
      if (limits.prunes(stage.sums())) {
        stage.pop();
        continue;
      }
      if (table.isReached(step.ideal))
        table.extend(to, step.ideal, stage.sums(), remaining);
      frames.push_back({step.ideal, 0, step.unit});
    }
    stage.clear();
  }
};

/// Fills the table level by level; false if the time is over.
bool fillTable(const UnitGraph &graph, const IdealLattice &lattice,
               const StageLimits &limits, StageTable &table, int threads,
               const Deadline &deadline) {
  std::atomic<size_t> next{1};
  std::atomic<bool> over{false};
  size_t level = 1, units = graph.size();
  std::barrier barrier(threads, [&]() noexcept {
    ++level;
    if (level <= units)
      next = lattice.level(level).first;
  });
  auto work = [&] {
    IdealExtender extender(graph, lattice, limits, table, deadline);
    for (size_t mine = 1; mine <= units; ++mine) {
      size_t last = lattice.level(mine).second;
      for (size_t ideal = next++; ideal < last && !over; ideal = next++)
        if (!extender.extend(ideal))
          over = true;
      barrier.arrive_and_wait();
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i)
    others.emplace_back(work);
  work();
  for (std::thread &thread : others)
    thread.join();
  return !over;
}

/// The best split below the limits, or nothing; `complete` unless the time is
/// over.
std::vector<SplitStage> splitIdeals(const UnitGraph &graph,
                                    const IdealLattice &lattice,
                                    const StageLimits &limits, int threads,
                                    const Deadline &deadline, bool &complete) {
  StageTable table(limits, lattice.size());
  complete = fillTable(graph, lattice, limits, table, threads, deadline);
  std::vector<SplitStage> result;
  if (!complete)
    return result;
  double value = 0;
  for (const StageTable::Stage &s :
       table.bestSplit(lattice.size() - 1, value)) {
    SplitStage stage{{}, s.replicas};
    for (int unit = 0; unit < static_cast<int>(graph.size()); ++unit)
      if (lattice.contains(s.ideal, unit) &&
          !lattice.contains(s.previous, unit))
        stage.units.push_back(unit);
    result.push_back(std::move(stage));
  }
  return result;
}

} // namespace

Answer placement::solveDp(const Problem &problem, const Objective &objective,
                          const Budget &budget, size_t maxIdeals) {
  if (objective.hasHosts())
    return solveDpl(problem, objective, budget);
  Deadline deadline(budget);
  UnitGraph graph(problem, objective, /*ordered=*/true);
  Answer answer = splitLinearly(problem, objective, graph, deadline.rest(0.5));
  if (answer.optimal || (answer.placement && deadline.isOver())) {
    answer.seconds = deadline.elapsed();
    return answer;
  }
  double bound = answer.bound;
  IdealLattice lattice(graph, maxIdeals, deadline);
  if (lattice.size() > 0) {
    StageLimits limits(problem, objective, graph,
                       answer.placement ? answer.value : infinite);
    bool complete;
    std::vector<SplitStage> stages =
        splitIdeals(graph, lattice, limits, budget.threads, deadline, complete);
    if (!stages.empty())
      improve(answer, problem, objective, placeStages(problem, graph, stages));
    if (complete)
      bound = answer.value;
    if (complete && !answer.placement)
      explainInfeasible(answer, problem, objective, graph,
                        [&](const StageLimits &memory, bool &exact) {
                          return splitIdeals(graph, lattice, memory,
                                             budget.threads, deadline, exact);
                        });
  }
  finish(answer, bound, deadline);
  return answer;
}
