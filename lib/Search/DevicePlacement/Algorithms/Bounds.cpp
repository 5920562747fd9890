//===- Bounds.cpp - What no placement beats -------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lower bounds of the maximum load. All of them hold for contiguous and other
// splits, for both schedules (the greatest forward and the greatest backward
// load are together at least the load of any device), and for any memory.
//
//===----------------------------------------------------------------------===//

#include "MinimumCut.h"
#include "Splits.h"

#include <cmath>

using namespace soap;
using namespace soap::placement;

namespace {

/// The least load for which all work fits on the devices if units could be cut
/// and nothing were transferred: CPUs get what they are best at.
double workBound(const Problem &problem, const UnitGraph &graph) {
  double onCpus = 0, onAccelerators = 0;
  std::vector<const Unit *> movable;
  for (const Unit &unit : graph.units) {
    if (unit.acceleratable) {
      onAccelerators += unit.acceleratorTime();
      movable.push_back(&unit);
    } else {
      onCpus += unit.cpuTime();
    }
  }
  if (problem.accelerators == 0)
    for (const Unit *unit : movable)
      onCpus += unit->cpuTime();
  if (problem.accelerators == 0 || problem.cpus == 0)
    return problem.cpus == 0 ? onAccelerators / problem.accelerators
                             : onCpus / problem.cpus;
  // The time that accelerators save per time on CPUs, best first.
  std::vector<std::pair<double, int>> order;
  for (size_t i = 0; i < movable.size(); ++i)
    if (double time = movable[i]->acceleratorTime(); time > 0)
      order.emplace_back(-time / movable[i]->cpuTime(), static_cast<int>(i));
  std::sort(order.begin(), order.end());
  // Both times of the best units together.
  std::vector<double> cpuTimes{0}, times{0};
  for (const auto &[ratio, i] : order) {
    cpuTimes.push_back(cpuTimes.back() + movable[i]->cpuTime());
    times.push_back(times.back() + movable[i]->acceleratorTime());
  }
  auto suffices = [&](double load) {
    double room = load * problem.cpus - onCpus;
    if (room < 0)
      return false;
    size_t whole = std::upper_bound(cpuTimes.begin(), cpuTimes.end(), room) -
                   cpuTimes.begin() - 1;
    double work = onAccelerators - times[whole];
    if (whole < order.size())
      work -= (room - cpuTimes[whole]) /
              (cpuTimes[whole + 1] - cpuTimes[whole]) *
              (times[whole + 1] - times[whole]);
    return work <= load * problem.accelerators * (1 + 1e-13);
  };
  double low = 0,
         high = onAccelerators / problem.accelerators + onCpus / problem.cpus;
  for (int i = 0; i < 100 && high - low > 1e-13 * high; ++i) {
    double middle = (low + high) / 2;
    (suffices(middle) ? high : low) = middle;
  }
  return low;
}

/// Each unit is on an accelerator, whose load is at least the least compute and
/// cut of a set that holds the unit (a minimum cut), or on a CPU.
class AnchorBound {
public:
  AnchorBound(const Problem &problem, const Objective &objective,
              const UnitGraph &graph)
      : problem(problem), graph(graph),
        network(static_cast<int>(graph.size() + 2 * graph.nets.size() + 1)) {
    double total = 0;
    for (const Unit &unit : graph.units)
      total += unit.acceleratorTime();
    for (const Net &net : graph.nets)
      total += net.total();
    // A sum of both parts is at most twice the greater one.
    double share = objective.overlap == Overlap::Full ? 0.5 : 1;
    double transferShare =
        share * (objective.hasHosts() ? objective.insideHostFactor : 1);
    scale = total > 0 ? 0x1p50 / total : 1;
    int units = static_cast<int>(graph.size());
    sink = units + 2 * static_cast<int>(graph.nets.size());
    for (int unit = 0; unit < units; ++unit)
      network.addArc(unit, sink,
                     scaled(share * graph.units[unit].acceleratorTime()));
    for (size_t net = 0; net < graph.nets.size(); ++net) {
      int in = units + 2 * static_cast<int>(net), out = in + 1;
      network.addArc(in, out, scaled(transferShare * graph.nets[net].total()));
      for (int unit : graph.pins[net]) {
        network.addArc(unit, in, FlowNetwork::unlimited);
        network.addArc(out, unit, FlowNetwork::unlimited);
      }
    }
  }

  /// A split of a smaller value than what is returned puts too much on CPUs:
  /// all units whose cuts are greater. Units that the deadline leaves out count
  /// as if their cuts were their times.
  double compute(const Deadline &deadline) {
    std::vector<std::pair<double, double>> cuts; // and time on a CPU
    for (int unit = 0; unit < sink && unit < int(graph.size()); ++unit) {
      const Unit &here = graph.units[unit];
      double cut = infinite;
      if (here.acceleratable && problem.accelerators > 0)
        cut = deadline.isOver() ? here.acceleratorTime()
                                : network.minimumCut(unit, sink) / scale;
      cuts.emplace_back(cut, problem.cpus > 0 ? here.cpuTime() : infinite);
    }
    std::sort(cuts.rbegin(), cuts.rend());
    double best = infinite, onCpus = 0, greatest = 0;
    for (size_t moved = 0; moved <= cuts.size(); ++moved) {
      double others = moved < cuts.size() ? cuts[moved].first : 0;
      double cpus = std::max(greatest, onCpus / std::max(problem.cpus, 1));
      best = std::min(best, std::max(others, cpus));
      if (moved == cuts.size() || cpus >= best)
        break;
      onCpus += cuts[moved].second;
      greatest = std::max(greatest, cuts[moved].second);
    }
    return best < infinite ? best : 0;
  }

private:
  const Problem &problem;
  const UnitGraph &graph;
  FlowNetwork network;
  double scale = 1;
  int sink = 0;

  int64_t scaled(double value) const {
    return static_cast<int64_t>(std::floor(value * scale));
  }
};

} // namespace

double placement::lowerBound(const Problem &problem, const Objective &objective,
                             const Budget &budget) {
  return lowerBound(problem, objective,
                    UnitGraph(problem, objective, objective.contiguous),
                    budget);
}

double placement::lowerBound(const Problem &problem, const Objective &objective,
                             const UnitGraph &graph, const Budget &budget) {
  Deadline deadline(budget);
  double bound = workBound(problem, graph);
  // Each cut looks at all arcs: hopeless for graphs that are so large.
  constexpr size_t maxUnits = 200'000;
  // Replicas share a load that may be cut.
  if (!objective.replication && !deadline.isOver() && graph.size() < maxUnits)
    bound = std::max(bound,
                     AnchorBound(problem, objective, graph).compute(deadline));
  return bound;
}
