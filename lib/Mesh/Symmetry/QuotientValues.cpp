//===- QuotientValues.cpp - Values of a quotient plan ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which axes across machines a value moves along, and on which machines it is
// planned because of that. docs/Mesh.md has the cases.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/Symmetry/QuotientPlan.h"

#include <algorithm>

using namespace soap;

/// Where axes lead the tiles that a value is made of. Returns false if there
/// are none.
bool QuotientPlan::sourceLayout(int value, Layout &layout, bool &isPreplaced) {
  std::optional<Access> access = sourceAccess(value, isPreplaced);
  if (isPreplaced &&
      graph.inputs[static_cast<size_t>(valueInfo[value].input)].hasConfig)
    reason = "input '" + graph.values[value].name + "' has a config";
  if (access && !isPreplaced)
    layout = layoutOf(access->slot, *access->map, value, access->isResult);
  return access.has_value();
}

/// Regions of writer and reader have to move alike along each dim, or one of
/// them has to be whole there: otherwise what a machine reads depends on where
/// it is.
bool QuotientPlan::checkDims(int value, const Layout &source,
                             const Layout &read) {
  for (size_t d = 0; d < graph.values[value].shape.size(); ++d) {
    bool isAlike = true, isWritten = !source.covers[d],
         isRead = !read.covers[d];
    for (size_t a = 0; a < source.axes.size(); ++a) {
      int64_t from = source.axes[a].shifts[d], to = read.axes[a].shifts[d];
      isAlike &= !isSpread(a) || from == to;
      isWritten |= from != 0;
      isRead |= to != 0;
    }
    if (!isAlike && isWritten && isRead) {
      reason = "dim " + std::to_string(d) + " of '" + graph.values[value].name +
               "' is cut in two ways, at least one of them across machines";
      return false;
    }
  }
  return true;
}

/// Decides along which axes a value is planned on two machines: those along
/// which writer and readers are not cut alike. Axes of one type, with the same
/// relation between writer and readers, are taken together. `machines`: the
/// machines for which each planned one stands. Returns false with a reason.
bool QuotientPlan::findTwofold(int value, const Layout &source,
                               const std::vector<Reading> &readings,
                               std::vector<bool> &isTwofold, int64_t &machines,
                               std::vector<std::vector<size_t>> &types) {
  const Mesh &mesh = model.getMesh();
  std::vector<std::vector<int64_t>> signatures;
  machines = 1;
  for (size_t a = 0; a < acrossAxes; ++a) {
    if (!isSpread(a))
      continue;
    const AxisAccess &from = source.axes[a];
    bool isAlike = from.kind != AxisAccess::Replica;
    std::vector<int64_t> signature = {from.kind};
    auto addDims = [&](const AxisAccess &access) {
      for (int64_t shift : access.shifts)
        signature.push_back(shift != 0);
    };
    addDims(from);
    for (const Reading &reading : readings) {
      if (!reading.reader) {
        isAlike = false;
        continue;
      }
      const AxisAccess &to = reading.layout.axes[a];
      if (from.kind == AxisAccess::Partial)
        isAlike &= reading.isContributions;
      else
        isAlike &= to.kind == AxisAccess::Cut && to.shifts == from.shifts;
      signature.push_back(to.kind);
      addDims(to);
    }
    machines *= mesh.axes[a].size;
    if (isAlike)
      continue;
    auto it = std::find(signatures.begin(), signatures.end(), signature);
    if (it == signatures.end()) {
      signatures.push_back(std::move(signature));
      types.emplace_back();
      it = signatures.end() - 1;
    }
    types[static_cast<size_t>(it - signatures.begin())].push_back(a);
  }
  constexpr size_t maxTypes = 2; // QuotientModel::maxMachines is 2^maxTypes
  if (types.size() > maxTypes) {
    reason = "'" + graph.values[value].name + "' moves along axes in " +
             std::to_string(types.size()) + " ways";
    return false;
  }
  for (const std::vector<size_t> &axes : types)
    isTwofold[axes.back()] = true;
  return true;
}

void QuotientPlan::planOnTwofold(int value,
                                 const std::vector<bool> &isTwofold) {
  planOn(value, [&](int slot) { return partOf(slot, isTwofold); }, planned);
}

/// The readers that take part in moving a value, and how. Returns false with a
/// reason.
bool QuotientPlan::listReadings(int value, bool isCut,
                                std::vector<Reading> &readings) {
  std::vector<const Reader *> readers;
  if (!listReaders(value, isCut, readers))
    return false;
  for (const Reader *reader : readers) {
    Reading &reading = readings.emplace_back();
    if (reader->output >= 0)
      continue;
    reading.reader = reader;
    reading.isContributions =
        kernels[reader->slot].partialMode && isContributed(value);
    const Kernel &kernel = *slots[reader->slot].kernel;
    reading.layout = layoutOf(
        reader->slot,
        kernel.space.operands[static_cast<size_t>(reader->operand)].map, value,
        false);
    if (!reason.empty())
      return false;
  }
  return true;
}

void QuotientPlan::planValue(int value) {
  ValuePlan &plan = plans[value];
  const Mesh &mesh = model.getMesh();
  std::vector<bool> isTwofold(mesh.axes.size());
  planner.multiplicity = {};
  Layout source;
  bool isPreplaced = false;
  if (restoreOf.count(value)) {
    reason = "'" + graph.values[value].name + "' is restored";
    return;
  }
  bool exists = sourceLayout(value, source, isPreplaced);
  if (!reason.empty())
    return;
  if (!exists) {
    planOn(value, {}, plan);
    return addLoad(value);
  }
  bool anyCut = false, anyPartial = false;
  for (const AxisAccess &access : source.axes) {
    anyCut |= access.kind == AxisAccess::Cut;
    anyPartial |= access.kind == AxisAccess::Partial;
  }
  std::vector<Reading> readings;
  if (!listReadings(value, anyCut, readings))
    return;
  for (size_t r = 0; r < readings.size(); ++r) {
    if (!readings[r].reader || readings[r].isContributions)
      continue;
    if (!isPreplaced && !checkDims(value, source, readings[r].layout))
      return;
    // A region that a device reads may be part of another one.
    for (size_t other = 0; other < r; ++other)
      if (readings[other].reader && !readings[other].isContributions &&
          !checkDims(value, readings[other].layout, readings[r].layout))
        return;
  }
  if (isPreplaced) {
    planOn(value, {}, plan);
    return addLoad(value);
  }
  int64_t machines = 1;
  std::vector<std::vector<size_t>> types;
  if (!findTwofold(value, source, readings, isTwofold, machines, types))
    return;
  bool isReplicated = true; // along all axes of types
  for (const std::vector<size_t> &axes : types) {
    bool isReplica = source.axes[axes.front()].kind == AxisAccess::Replica;
    isReplicated &= isReplica;
    if (isReplica && anyPartial) {
      reason = "contributions to '" + graph.values[value].name +
               "' are on several machines each";
      return;
    }
  }
  if (isReplicated) {
    // Every machine has all that any has. On machine 0 alone, it is as on all
    // if nothing has to move.
    planner.multiplicity = {machines, 1};
    planOn(value, {}, plan);
    if (types.empty() || isLocal(plan)) {
      addLoad(value);
      return;
    }
  }
  planner.multiplicity = {machines, int64_t(1) << types.size()};
  bool isMixed = false; // some readers lack blocks of all machines, some not
  ValuePlanner::Multiplicity most = planner.multiplicity;
  for (const std::vector<size_t> &axes : types) {
    const AxisAccess &from = source.axes[axes.front()];
    if (from.kind != AxisAccess::Cut)
      continue;
    most.per *= 2;
    for (size_t a : axes)
      most.times *= mesh.axes[a].size;
    for (const Reading &reading : readings)
      isMixed |= reading.reader &&
                 reading.layout.axes[axes.front()].kind == from.kind &&
                 reading.layout.axes[axes.front()].shifts == from.shifts;
  }
  size_t tasks = 0, collectives = 0;
  if (isMixed) {
    planOnTwofold(value, isTwofold);
    tasks = planned.tasks.size();
    collectives = planned.collectives.size();
  }
  planner.multiplicity = most;
  planOnTwofold(value, isTwofold);
  planner.multiplicity = {};
  if (isMixed && (tasks != planned.tasks.size() ||
                  collectives != planned.collectives.size())) {
    reason = "'" + graph.values[value].name +
             "' moves in about as few messages as are sent one by one";
    return;
  }
  plannedTypes = std::move(types);
  restrict(value, /*mayRootsDiffer=*/false);
  if (reason.empty())
    addLoad(value);
}

void QuotientPlan::countPredecessors(int slot) {
  std::vector<int> &count = counts[slot];
  count.assign(kernels[slot].devices.size(), 0);
  roots[slot].clear();
  const Kernel &op = *slots[slot].kernel;
  for (size_t i = 0; kernels[slot].active && i < op.operands.size(); ++i) {
    const ValuePlan &plan = plans[op.operands[i]];
    const std::vector<int> &binding = bindingOf(slot, static_cast<int>(i));
    int first = plan.sourcesAreTasks ? 0 : plan.sources;
    for (size_t s = 0; s < binding.size(); ++s)
      count[s] += binding[s] >= first;
  }
  for (size_t s = 0; s < count.size(); ++s)
    if (count[s] == 0 && kernels[slot].states[s] != ShardState::Absent)
      roots[slot].push_back(static_cast<int>(s));
  hasRoots[static_cast<size_t>(slots[slot].block)] = !roots[slot].empty();
}
