//===- QuotientKernels.cpp - Shards of a quotient plan --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shards of a kernel on machine 0, and on the machines that a value is
// planned on. Their boxes are the boxes of the whole strategy. Along an axis
// across machines, boxes of equal size follow each other, so that all regions
// of a machine are the regions of machine 0, moved by a shift per step along
// the axis.
//
//===----------------------------------------------------------------------===//

#include "AxisShift.h"
#include "Soap/Mesh/Symmetry/QuotientPlan.h"

#include <algorithm>

using namespace soap;

/// The mesh of machine 0, or, along twofold axes, of the first two coordinates.
Mesh QuotientPlan::meshOn(const std::vector<bool> &isTwofold) const {
  Mesh mesh = model.getMesh();
  for (size_t a = 0; a < acrossAxes; ++a)
    mesh.axes[a].size = isTwofold[a] ? 2 : 1;
  return mesh;
}

/// The loop of a kernel that has an axis, or what else does.
int QuotientPlan::targetOf(int slot, size_t axis) const {
  const Slot &info = slots[slot];
  int target = (*configs)[static_cast<size_t>(info.node)].targets[axis];
  if (target < 0)
    return target;
  int loop = loopOf(info, target);
  return loop < 0 ? MeshConfig::replicas : loop;
}

QuotientPlan::Part QuotientPlan::partOf(int slot,
                                        const std::vector<bool> &isTwofold) {
  const Slot &info = slots[slot];
  const GraphNode &node = graph.nodes[info.node];
  const Mesh &mesh = model.getMesh();
  const MeshConfig &config = (*configs)[static_cast<size_t>(info.node)];
  Mesh reduced = meshOn(isTwofold);
  size_t loops = node.whole.space.loops.size();
  Config pieces = unfold(reduced, config, loops);
  std::vector<int64_t> degrees = degreesOf(mesh, config, loops);
  // The coordinates of each loop in the whole strategy.
  std::vector<std::vector<int64_t>> coords(loops, std::vector<int64_t>{0});
  for (size_t a = 0; a < mesh.axes.size(); ++a) {
    if (config.targets[a] < 0)
      continue;
    std::vector<int64_t> next;
    for (int64_t c : coords[static_cast<size_t>(config.targets[a])])
      for (int64_t i = 0; i < reduced.axes[a].size; ++i)
        next.push_back(c * mesh.axes[a].size + i);
    coords[static_cast<size_t>(config.targets[a])] = std::move(next);
  }
  Part part =
      makePart(slot, std::move(pieces), std::move(degrees), std::move(coords));
  const KernelPlan &kernel = kernels[slot];
  if (kernel.states.empty())
    return part;
  // A device has the state of that of machine 0.
  std::vector<ShardState> stateOf(static_cast<size_t>(perMachine));
  for (size_t s = 0; s < kernel.devices.size(); ++s)
    stateOf[static_cast<size_t>(kernel.devices[s])] = kernel.states[s];
  for (size_t s = 0; s < part.devices.size(); ++s)
    part.states[s] = stateOf[static_cast<size_t>(firstOf(part.devices[s]))];
  return part;
}

QuotientPlan::Layout QuotientPlan::layoutOf(int slot, const AccessMap &map,
                                            int value, bool isResult) {
  const Mesh &mesh = model.getMesh();
  const Kernel &kernel = *slots[slot].kernel;
  Layout layout;
  layout.axes.resize(mesh.axes.size());
  LoopBox box = kernel.space.wholeBox();
  for (size_t d = 0; d < map.size(); ++d) {
    int64_t extent = graph.values[value].shape[d];
    layout.covers.push_back(image(map[d], box, extent).size() == extent);
  }
  // By loop: pieces along the axes so far.
  std::vector<int64_t> pieces(kernel.space.loops.size(), 1);
  for (size_t a = 0; a < mesh.axes.size(); ++a) {
    AxisAccess &access = layout.axes[a];
    access.shifts.resize(map.size());
    int target = targetOf(slot, a);
    if (mesh.axes[a].size == 1)
      continue;
    if (target < 0) {
      if (isResult && kernels[slot].partialMode)
        access.kind = AxisAccess::Partial;
      continue;
    }
    auto loop = static_cast<size_t>(target);
    pieces[loop] *= mesh.axes[a].size;
    bool isUsed = false;
    for (size_t d = 0; d < map.size(); ++d)
      for (const Term &term : map[d].terms) {
        if (term.loop != target)
          continue;
        isUsed = true;
        if (!isSpread(a)) {
          access.shifts[d] = 1;
          continue;
        }
        std::optional<int64_t> shift = shiftOf(
            map[d], term, kernel.space.loops[loop].extent / pieces[loop],
            kernel.space, graph.values[value].shape[d]);
        if (!shift)
          reason = "loop '" + kernel.space.loops[loop].name + "' of '" +
                   kernel.name + "', which is cut across machines, moves '" +
                   graph.values[value].name +
                   "' by other than a shift, as a window does";
        access.shifts[d] += shift.value_or(0);
      }
    if (isUsed)
      access.kind = AxisAccess::Cut;
    else if (isResult)
      access.kind = AxisAccess::Partial;
  }
  return layout;
}

/// Gives a slot its shards on machine 0.
void QuotientPlan::activate(int slot) {
  const Mesh &mesh = model.getMesh();
  const Kernel &op = *slots[slot].kernel;
  std::vector<int64_t> across(op.space.loops.size(), 1);
  for (size_t a = 0; a < acrossAxes; ++a) {
    int target = targetOf(slot, a);
    if (target == MeshConfig::nothing && mesh.axes[a].size > 1)
      reason = "'" + op.name + "' runs at one coordinate of axis '" +
               mesh.axes[a].name + "' only";
    if (target >= 0)
      across[static_cast<size_t>(target)] *= mesh.axes[a].size;
  }
  for (size_t l = 0; l < across.size(); ++l)
    if (op.space.loops[l].extent % across[l] != 0)
      reason = "loop '" + op.space.loops[l].name + "' of '" + op.name +
               "' has " + std::to_string(op.space.loops[l].extent) +
               " points, which " + std::to_string(across[l]) +
               " machines do not share evenly";
  if (const std::optional<Band> &band = op.space.band)
    for (int l : {band->rows, band->columns})
      if (across[static_cast<size_t>(l)] > 1)
        reason = "loop '" + op.space.loops[static_cast<size_t>(l)].name +
                 "' of '" + op.name +
                 "' is cut across machines, whose pieces have different "
                 "numbers of points that count";
  if (!reason.empty())
    return;
  Part part = partOf(slot, std::vector<bool>(mesh.axes.size()));
  std::vector<int> sorted = part.devices;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    reason = "'" + op.name + "' has several pieces on a device";
    return;
  }
  setKernel(slot, std::move(part));
}

/// Whether a linear op handles contributions as they are, as
/// `StrategyPlan::resolve` decides it. On all machines alike: each replica
/// handles the shards of its own device.
void QuotientPlan::resolve(int slot) {
  KernelPlan &kernel = kernels[slot];
  const Kernel &op = *slots[slot].kernel;
  bool hasReplicas = kernel.replicas > 1, isSpreadOut = false;
  for (size_t a = 0; a < acrossAxes; ++a)
    isSpreadOut |= isSpread(a) && targetOf(slot, a) == MeshConfig::replicas;
  if (op.space.linear && (hasReplicas || isSpreadOut))
    for (int operand : op.operands)
      kernel.partialMode |= isContributed(operand);
  if (!kernel.partialMode)
    return addKernelLoad(slot);
  std::vector<bool> contributes(kernel.states.size());
  for (size_t i = 0; i < op.operands.size(); ++i) {
    int value = op.operands[i];
    if (!isContributed(value)) {
      if (isSpreadOut)
        reason = "replicas of '" + op.name +
                 "' on other machines than the first read zeros of '" +
                 graph.values[value].name + "'";
      continue;
    }
    Layout written;
    bool isPreplaced = false;
    sourceLayout(value, written, isPreplaced);
    Layout read = layoutOf(slot, op.space.operands[i].map, value, false);
    for (size_t a = 0; a < acrossAxes; ++a) {
      if (!isSpread(a))
        continue;
      const AxisAccess &from = written.axes[a], &to = read.axes[a];
      bool isReplica = targetOf(slot, a) == MeshConfig::replicas;
      if (isReplica
              ? from.kind != AxisAccess::Partial
              : from.kind != AxisAccess::Cut || to.kind != AxisAccess::Cut ||
                    !(from.shifts == to.shifts))
        reason = "replicas of '" + op.name +
                 "' do not handle the contributions of their own machines to "
                 "'" +
                 graph.values[value].name + "'";
    }
    Part sourcePart, usePart;
    ValueSource source = sourceOf(value, {}, sourcePart);
    ValueUse use = useOf(value, {slot, static_cast<int>(i), -1}, {}, usePart);
    planner.findContributors(regions.of(value), source, use, contributes);
    // Contributions that have no replica on their device go by their numbers.
    RegionTable &table = regions.table(value);
    for (size_t s = 0; s < source.devices.size() && isSpreadOut; ++s) {
      int block =
          source.blocks->blockOf[s % static_cast<size_t>(source.pieces)];
      if (block < 0 || source.states[s] == ShardState::Absent)
        continue;
      for (size_t p = 0; p < static_cast<size_t>(use.pieces); ++p) {
        int need = use.needs->regions[p];
        if (need < 0 ||
            table.intersect(need, source.blocks->regions[block]) < 0)
          continue;
        bool isThere = false;
        for (size_t u = p; u < use.devices.size();
             u += static_cast<size_t>(use.pieces))
          isThere |= use.devices[u] == source.devices[s];
        if (!isThere)
          reason = "contributions to '" + graph.values[value].name +
                   "' are not where '" + op.name + "' handles them";
      }
    }
  }
  for (size_t s = 0; s < kernel.states.size(); ++s) {
    bool isIdle = kernel.states[s] != ShardState::Compute || !contributes[s];
    if (isIdle && isSpreadOut)
      reason = "some replicas of '" + op.name + "' have no contributions";
    if (isIdle && s >= static_cast<size_t>(kernel.pieces()))
      kernel.states[s] = ShardState::Absent;
  }
  addKernelLoad(slot);
}
