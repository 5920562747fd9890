//===- LoadState.cpp - Loads of devices under moves -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LoadState.h.
//
//===----------------------------------------------------------------------===//

#include "LoadState.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace soap;
using namespace soap::placement;

LoadState::LoadState(const Problem &problem, const Objective &objective,
                     const UnitGraph &graph, std::vector<int> deviceOf)
    : problem(problem), objective(objective), graph(graph),
      accelerators(problem.accelerators), devices(std::move(deviceOf)) {
  double work = 0;
  for (const Unit &unit : graph.units)
    work += unit.acceleratable ? unit.acceleratorTime() : unit.cpuTime();
  // Memory that is missing weighs as much as the work it might belong to.
  memoryScale = 2 * work / problem.deviceCount() /
                std::max(problem.acceleratorMemoryBytes, 1.0);
  refresh();
}

void LoadState::refresh() {
  costs.assign(problem.deviceCount(), {});
  memory.assign(problem.deviceCount(), 0);
  counts.assign(graph.nets.size() * costs.size(), 0);
  for (size_t i = 0; i < graph.size(); ++i) {
    const Unit &unit = graph.units[i];
    bool accelerator = problem.isAccelerator(devices[i]);
    StageCosts &cost = costs[devices[i]];
    cost.forwardCompute +=
        accelerator ? unit.acceleratorForward : unit.cpuForward;
    cost.backwardCompute +=
        accelerator ? unit.acceleratorBackward : unit.cpuBackward;
    memory[devices[i]] += unit.memoryBytes;
    for (int net : graph.netsOf[i])
      ++counts[net * costs.size() + devices[i]];
  }
  for (size_t net = 0; net < graph.nets.size(); ++net)
    addNet(static_cast<int>(net), 1);
}

void LoadState::addTransfer(int net, int device, double factor) {
  costs[device].forwardTransfer += factor * graph.nets[net].forward;
  costs[device].backwardTransfer += factor * graph.nets[net].backward;
}

void LoadState::addNet(int net, double sign) {
  int size = static_cast<int>(graph.pins[net].size());
  int producer = devices[graph.nets[net].producer];
  for (int device = 0; device < accelerators; ++device) {
    int count = pinsOn(net, device);
    if (count == 0 || count == size)
      continue;
    double factor = sign;
    if (objective.hasHosts()) {
      // All that the device sends, or the producer, stays in its host.
      int host = device / objective.acceleratorsPerHost, inside = 0;
      int first = host * objective.acceleratorsPerHost;
      int last = std::min(first + objective.acceleratorsPerHost, accelerators);
      for (int other = first; other < last; ++other)
        inside += pinsOn(net, other);
      bool cheap = device == producer ? inside == size
                                      : producer >= first && producer < last;
      factor *= cheap ? objective.insideHostFactor : 1;
    }
    addTransfer(net, device, factor);
  }
}

void LoadState::move(int unit, int device) {
  assert(device >= 0 && device < deviceCount() && "no such device");
  int from = devices[unit];
  if (from == device)
    return;
  const Unit &moved = graph.units[unit];
  auto addUnit = [&](int where, double sign) {
    bool accelerator = problem.isAccelerator(where);
    costs[where].forwardCompute +=
        sign * (accelerator ? moved.acceleratorForward : moved.cpuForward);
    costs[where].backwardCompute +=
        sign * (accelerator ? moved.acceleratorBackward : moved.cpuBackward);
    memory[where] += sign * moved.memoryBytes;
  };
  addUnit(from, -1);
  addUnit(device, 1);
  if (objective.hasHosts()) {
    for (int net : graph.netsOf[unit])
      addNet(net, -1);
    devices[unit] = device;
    for (int net : graph.netsOf[unit]) {
      --counts[net * costs.size() + from];
      ++counts[net * costs.size() + device];
      addNet(net, 1);
    }
    return;
  }
  devices[unit] = device;
  for (int net : graph.netsOf[unit]) {
    int size = static_cast<int>(graph.pins[net].size());
    int left = --counts[net * costs.size() + from];
    int joined = ++counts[net * costs.size() + device];
    assert(left >= 0 && joined <= size && "units of the net");
    if (from < accelerators && left == 0)
      addTransfer(net, from, -1);
    else if (from < accelerators && left == size - 1)
      addTransfer(net, from, 1);
    if (device < accelerators && joined == size)
      addTransfer(net, device, -1);
    else if (device < accelerators && joined == 1)
      addTransfer(net, device, 1);
  }
}

double LoadState::value() const {
  StageLoad worst;
  for (int device = 0; device < deviceCount(); ++device) {
    StageLoad here = load(device);
    worst.forward = std::max(worst.forward, here.forward);
    worst.backward = std::max(worst.backward, here.backward);
  }
  return worst.total();
}

bool LoadState::fitsMemory() const {
  for (int device = 0; device < accelerators; ++device)
    if (memory[device] > problem.acceleratorMemoryBytes)
      return false;
  return true;
}

double LoadState::norm(bool backward) const {
  double greatest = 0;
  for (int device = 0; device < deviceCount(); ++device) {
    StageLoad here = load(device);
    greatest = std::max(greatest, backward ? here.backward : here.forward);
  }
  if (greatest == 0)
    return 0;
  // The 32nd power by squaring; loads far below the greatest vanish.
  double sum = 0;
  for (int device = 0; device < deviceCount(); ++device) {
    StageLoad here = load(device);
    double ratio = (backward ? here.backward : here.forward) / greatest;
    for (int i = 0; i < 5; ++i)
      ratio *= ratio;
    sum += ratio;
  }
  // log1p-free approximation of sum^(1/32) is not worth its error.
  return greatest * std::exp(std::log(sum) / 32);
}

double LoadState::energy() const {
  double result = norm(false);
  if (objective.schedule == Schedule::GPipe)
    result += norm(true);
  for (int device = 0; device < accelerators; ++device)
    if (memory[device] > problem.acceleratorMemoryBytes)
      result += memoryScale * (memory[device] - problem.acceleratorMemoryBytes);
  return result;
}

int LoadState::busiest() const {
  int best = 0;
  for (int device = 1; device < deviceCount(); ++device)
    if (load(device).total() > load(best).total())
      best = device;
  return best;
}
