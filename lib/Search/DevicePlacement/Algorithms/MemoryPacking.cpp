//===- MemoryPacking.cpp - What accelerators need to hold all -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MemoryPacking.h: the scheduling problem P||Cmax, with bytes for times.
//
//===----------------------------------------------------------------------===//

#include "MemoryPacking.h"

#include <cassert>
#include <numeric>
#include <queue>

using namespace soap;
using namespace soap::placement;

namespace {

/// Sums in another order differ by so much of their value.
constexpr double roundingOfSums = 1e-12;

class Packer {
public:
  Packer(const UnitGraph &graph, int accelerators, const Deadline &deadline)
      : deadline(deadline), loads(accelerators), chosen(graph.size()),
        order(graph.size()) {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return graph.units[a].memoryBytes > graph.units[b].memoryBytes;
    });
    for (int unit : order)
      sizes.push_back(graph.units[unit].memoryBytes);
    // Units that hold nothing may be anywhere.
    while (!sizes.empty() && sizes.back() == 0)
      sizes.pop_back();
  }

  MemoryPacking pack() {
    fillLargestFirst();
    best.bound = lowerBound();
    if (best.bytes > best.bound * (1 + roundingOfSums) &&
        branch(0, 0)) // to the end: there is nothing below
      best.bound = best.bytes;
    best.bound = std::min(best.bound, best.bytes);
    assert(best.deviceOf.size() == chosen.size() && "a device a unit");
    return best;
  }

private:
  const Deadline &deadline;
  std::vector<double> loads, sizes; ///< per accelerator; per place in the order
  std::vector<int> chosen, order;
  MemoryPacking best;
  int64_t steps = 0;

  void record(double bytes) {
    best.bytes = bytes;
    best.deviceOf.assign(chosen.size(), 0);
    for (size_t i = 0; i < sizes.size(); ++i)
      best.deviceOf[order[i]] = chosen[i];
  }

  void fillLargestFirst() {
    using Load = std::pair<double, int>;
    std::priority_queue<Load, std::vector<Load>, std::greater<>> emptiest;
    for (size_t device = 0; device < loads.size(); ++device)
      emptiest.emplace(0, static_cast<int>(device));
    double most = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      auto [load, device] = emptiest.top();
      emptiest.pop();
      chosen[i] = device;
      emptiest.emplace(load + sizes[i], device);
      most = std::max(most, load + sizes[i]);
    }
    record(most);
  }

  /// The largest, the share of all, and that of k + 1 large ones two are
  /// together.
  double lowerBound() const {
    if (sizes.empty())
      return 0;
    double sum = std::accumulate(sizes.begin(), sizes.end(), 0.0);
    double bound = std::max(sizes[0], sum * (1 - 1e-9) /
                                          static_cast<double>(loads.size()));
    size_t k = loads.size();
    if (sizes.size() > k)
      bound = std::max(bound, sizes[k - 1] + sizes[k]);
    return bound;
  }

  /// Places what is left; false if it has to stop before all is tried.
  bool branch(size_t next, double most) {
    constexpr int64_t maxSteps = 2'000'000, maxDepth = 2000;
    if (++steps > maxSteps || next > maxDepth ||
        (steps % 4096 == 0 && deadline.isOver()))
      return false;
    if (next == sizes.size()) {
      record(most);
      return true;
    }
    for (size_t device = 0; device < loads.size(); ++device) {
      // Accelerators that hold as much are the same.
      if (std::find(loads.begin(), loads.begin() + device, loads[device]) !=
          loads.begin() + device)
        continue;
      double load = loads[device] + sizes[next];
      if (load >= best.bytes * (1 - roundingOfSums))
        continue;
      double before = loads[device];
      loads[device] = load;
      chosen[next] = static_cast<int>(device);
      bool isWhole = branch(next + 1, std::max(most, load));
      loads[device] = before;
      if (!isWhole)
        return false;
      if (best.bytes <= best.bound * (1 + roundingOfSums))
        return true;
    }
    return true;
  }
};

} // namespace

MemoryPacking placement::packMemory(const UnitGraph &graph, int accelerators,
                                    const Deadline &deadline) {
  assert(accelerators > 0 && "there must be an accelerator");
  return Packer(graph, accelerators, deadline).pack();
}

void placement::packAnswer(Answer &answer, const Problem &problem,
                           const Objective &objective, const UnitGraph &graph,
                           const Deadline &deadline) {
  if (answer.placement || problem.cpus > 0)
    return;
  if (problem.checkDevices()) {
    answer.smallestMemoryBytes = answer.smallestMemoryBound = infinite;
    return;
  }
  MemoryPacking packing = packMemory(graph, problem.accelerators, deadline);
  if (packing.bytes <= problem.acceleratorMemoryBytes &&
      improve(answer, problem, objective, graph.placement(packing.deviceOf)))
    return;
  answer.smallestMemoryBytes = packing.bytes;
  answer.smallestMemoryBound = packing.bound;
}
