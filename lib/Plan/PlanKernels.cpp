//===- PlanKernels.cpp - Kernels of a strategy's plan ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shards of a kernel under its config: devices, durations, states
// and loads. Whether a linear op works in partial mode follows from the kernels
// before it, so `resolve` goes through them in topological order.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/StrategyPlan.h"

#include <algorithm>
#include <cassert>

using namespace soap;

KernelGeometry *StrategyPlan::geometryOf(int slot,
                                         const std::vector<int64_t> &degrees) {
  assert(degrees.size() == slots[slot].kernel->space.loops.size() &&
         "a degree a loop");
  std::unique_ptr<KernelGeometry> &geometry =
      geometries[slots[slot].kernelClass][degrees];
  if (!geometry) {
    geometry = std::make_unique<KernelGeometry>(
        builder.build(*slots[slot].kernel, degrees));
    geometryBytes += 500 + static_cast<size_t>(geometry->pieces) * 32;
  }
  return geometry.get();
}

/// Whether each device is named once.
bool StrategyPlan::coversDevices(const std::vector<int> &devices) {
  if (devices.size() != kernelLoad.size())
    return false;
  std::vector<bool> &isNamed = isNamedDevice;
  isNamed.assign(devices.size(), false);
  for (int device : devices) {
    if (isNamed[device])
      return false;
    isNamed[device] = true;
  }
  return true;
}

/// Gives a slot the config of its node, or none. What depends on other kernels
/// is left to `resolve`.
void StrategyPlan::activate(int slot, const Config *config) {
  addKernelLoad(slot, -1);
  if (!kernelSaved[slot]) {
    kernelSaved[slot] = true;
    savedKernelList.push_back(slot);
    std::swap(kernels[slot], savedKernels[slot]);
  }
  if (!kernelDirty[slot]) {
    kernelDirty[slot] = true;
    dirtyKernels.push_back(slot);
  }
  KernelPlan &kernel = kernels[slot];
  kernel.active = config != nullptr;
  if (!config) {
    kernel.geometry = nullptr;
    kernel.devices.clear();
    kernel.states.clear();
    kernel.durationNs.clear();
    kernel.partialMode = false;
    return;
  }
  kernel.geometry = geometryOf(slot, config->degrees);
  kernel.replicas = static_cast<int>(config->replicas);
  kernel.devices = config->devices;
  assert(static_cast<int64_t>(kernel.devices.size()) ==
             config->replicas * kernel.pieces() &&
         "the config must have passed checkConfig");
  kernel.durationNs.clear();
  const Topology &topology = cost.getTopology();
  int pieces = kernel.pieces();
  for (size_t s = 0; s < kernel.devices.size(); ++s)
    kernel.durationNs.push_back(
        kernel.geometry
            ->durationNs[topology.devices[kernel.devices[s]].type][s % pieces]);
  auto [shortest, longest] =
      std::minmax_element(kernel.durationNs.begin(), kernel.durationNs.end());
  kernel.shortestNs = *shortest;
  kernel.longestNs = *longest;
  kernel.isUniform = *shortest == *longest && coversDevices(kernel.devices) &&
                     kernel.geometry->allCompute;
  kernel.states.clear();
  for (int r = 0; r < kernel.replicas; ++r)
    kernel.states.insert(kernel.states.end(), kernel.geometry->states.begin(),
                         kernel.geometry->states.end());
  kernel.partialMode = false;
  addKernelLoad(slot, 1);
}

void StrategyPlan::addKernelLoad(int slot, int64_t sign) {
  const KernelPlan &kernel = kernels[slot];
  for (size_t s = 0; s < kernel.devices.size(); ++s)
    if (kernel.states[s] != ShardState::Absent) {
      kernelLoad[kernel.devices[s]] += sign * kernel.durationNs[s];
      load[kernel.devices[s]] += sign * kernel.durationNs[s];
      bytes[kernel.devices[s]] +=
          sign *
          kernel.geometry->resultBytes[s % kernel.geometry->states.size()];
      assert(kernelLoad[kernel.devices[s]] >= 0 &&
             bytes[kernel.devices[s]] >= 0 && "less than none");
    }
}

/// Decides on partial mode and on the states of shards. Whether they changed.
bool StrategyPlan::resolve(int slot) {
  KernelPlan &kernel = kernels[slot];
  const Kernel &op = *slots[slot].kernel;
  bool partialMode = false;
  if (op.space.linear && kernel.replicas > 1)
    for (int operand : op.operands) {
      ValueSource source = sourceOf(operand);
      partialMode |= source.partial && source.combiner == Combiner::Sum;
    }
  std::vector<ShardState> states;
  states.reserve(kernel.devices.size());
  for (int r = 0; r < kernel.replicas; ++r)
    states.insert(states.end(), kernel.geometry->states.begin(),
                  kernel.geometry->states.end());
  bool modeBefore = kernel.partialMode;
  kernel.partialMode = partialMode;
  if (partialMode) {
    // A replica without contributions has nothing to add; the neutral value is
    // added once.
    contributes.assign(states.size(), false);
    for (size_t i = 0; i < op.operands.size(); ++i) {
      int value = op.operands[i];
      ValueUse use = useOf(value, {slot, static_cast<int>(i), -1});
      if (use.contributions)
        planner.findContributors(regions.of(value), sourceOf(value), use,
                                 contributes);
    }
    for (size_t s = kernel.pieces(); s < states.size(); ++s)
      if (states[s] != ShardState::Compute || !contributes[s])
        states[s] = ShardState::Absent;
  }
  if (partialMode == modeBefore && states == kernel.states)
    return false;
  if (!kernelSaved[slot]) {
    kernelSaved[slot] = true;
    savedKernelList.push_back(slot);
    savedKernels[slot] = kernel;
    savedKernels[slot].partialMode = modeBefore;
  }
  addKernelLoad(slot, -1);
  kernel.states = std::move(states);
  addKernelLoad(slot, 1);
  return true;
}
