//===- SmallSplits.cpp - All splits of a small instance -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SmallSplits.h. Units get their devices one after the other; loads follow
// each move.
//
//===----------------------------------------------------------------------===//

#include "SmallSplits.h"

#include "LoadState.h"
#include "Splits.h"

#include <algorithm>
#include <limits>

using namespace soap;
using namespace soap::placement;

namespace {

class Enumeration {
public:
  Enumeration(Answer &answer, const Problem &problem,
              const Objective &objective, const UnitGraph &graph,
              const Deadline &deadline)
      : answer(answer), problem(problem), objective(objective), graph(graph),
        deadline(deadline),
        // Accelerators of hosts differ by their neighbours.
        sameAccelerators(!objective.hasHosts()),
        state(problem, objective, graph, firstSplit()) {}

  /// Splits, up to devices that are the same.
  double count() const {
    // By used accelerators and CPUs.
    std::vector<std::vector<double>> ways(
        1 + static_cast<size_t>(problem.accelerators),
        std::vector<double>(1 + static_cast<size_t>(problem.cpus)));
    ways[0][0] = 1;
    for (const Unit &unit : graph.units) {
      std::vector<std::vector<double>> next(
          ways.size(), std::vector<double>(ways[0].size()));
      double all = 0;
      for (size_t a = 0; a < ways.size(); ++a)
        for (size_t c = 0; c < ways[a].size(); ++c) {
          if (ways[a][c] == 0)
            continue;
          if (unit.acceleratable && !sameAccelerators) {
            next[a][c] +=
                static_cast<double>(problem.accelerators) * ways[a][c];
          } else if (unit.acceleratable) {
            next[a][c] += static_cast<double>(a) * ways[a][c];
            if (a + 1 < ways.size())
              next[a + 1][c] += ways[a][c];
          }
          next[a][c] += static_cast<double>(c) * ways[a][c];
          if (c + 1 < ways[a].size())
            next[a][c + 1] += ways[a][c];
        }
      for (const std::vector<double> &row : next)
        for (double number : row)
          all += number;
      if (all > maxSmallSplits)
        return all;
      ways = std::move(next);
    }
    double all = 0;
    for (const std::vector<double> &row : ways)
      for (double number : row)
        all += number;
    return all;
  }

  /// False: the time was over before the end.
  bool run() {
    place(0, 0, 0);
    if (isOver)
      return false;
    if (!best.empty())
      improve(answer, problem, objective, graph.placement(best));
    return true;
  }

private:
  Answer &answer;
  const Problem &problem;
  const Objective &objective;
  const UnitGraph &graph;
  const Deadline &deadline;
  bool sameAccelerators;
  LoadState state;
  double value = std::numeric_limits<double>::infinity();
  std::vector<int> best;
  int64_t leaves = 0;
  bool isOver = false;

  std::vector<int> firstSplit() const {
    std::vector<int> devices;
    for (const Unit &unit : graph.units)
      devices.push_back(unit.acceleratable && problem.accelerators > 0
                            ? 0
                            : problem.accelerators);
    return devices;
  }

  /// `accelerators` and `cpus` of each kind have units before this one.
  void place(size_t unit, int accelerators, int cpus) {
    if (isOver)
      return;
    if (unit == graph.size())
      return look();
    auto put = [&](int device) { state.move(static_cast<int>(unit), device); };
    if (graph.units[unit].acceleratable) {
      int most = sameAccelerators
                     ? std::min(accelerators + 1, problem.accelerators)
                     : problem.accelerators;
      for (int a = 0; a < most; ++a) {
        put(a);
        place(unit + 1, std::max(accelerators, a + 1), cpus);
      }
    }
    for (int c = 0; c < std::min(cpus + 1, problem.cpus); ++c) {
      put(problem.accelerators + c);
      place(unit + 1, accelerators, std::max(cpus, c + 1));
    }
  }

  void look() {
    constexpr int64_t often = 4096;
    if (++leaves % often == 0) {
      state.refresh();
      isOver = deadline.isOver();
    }
    constexpr double rounding = 1e-12;
    if (double own = state.value();
        own < value * (1 - rounding) && state.fitsMemory()) {
      value = own;
      best = state.deviceOfUnits();
    }
  }
};

} // namespace

bool placement::trySmallSplits(Answer &answer, const Problem &problem,
                               const Objective &objective,
                               const UnitGraph &graph,
                               const Deadline &deadline) {
  Enumeration enumeration(answer, problem, objective, graph, deadline);
  return enumeration.count() <= maxSmallSplits && enumeration.run();
}
