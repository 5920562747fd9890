//===- PassGathers.cpp - When passes gather weights -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights that passes gather for themselves come in the order in which they are
// read, no earlier than memory for two of the largest allows: each waits until
// the first reader of one before is done, and what that has written has been
// read, since kernels wait for sums on their way and for gathers only later.
//
//===----------------------------------------------------------------------===//

#include "PassWaits.h"
#include "SumSteps.h"

#include <algorithm>
#include <map>

using namespace soap;

/// A task that moves a weight.
struct PassWaits::WeightMovement {
  int value = -1;
  uint32_t task = 0;
  bool reads = false;            ///< what the update has left
  std::vector<uint32_t> kernels; ///< that it is for
  /// Devices that it writes on, ascending, and how many bytes. Counted once:
  /// all kernels ask, and a gather writes on all devices.
  std::vector<std::pair<int, int64_t>> written;

  int64_t bytesOn(int device) const {
    auto it = std::lower_bound(
        written.begin(), written.end(), device,
        [](const auto &entry, int number) { return entry.first < number; });
    return it != written.end() && it->first == device ? it->second : 0;
  }
};

/// A weight that a device gathers for a pass.
struct PassWaits::Gather {
  int32_t place = 0; ///< of the pass in the order of the device
  int node = 0;      ///< the first one that reads it, and its kernels
  std::vector<uint32_t> readers;
  /// Of the tasks that bring it, the ones that read what the update has left.
  std::vector<uint32_t> starts;
  int64_t bytes = 0;
};

namespace {

/// A kernel that reads a weight which a movement brings to its device.
struct WeightReading {
  int device = 0;
  int32_t place = 0; ///< of the pass in the order of the device
  int value = 0, node = 0;
  uint32_t kernel = 0;
  size_t movement = 0;
  auto operator<=>(const WeightReading &) const = default;
};

} // namespace

/// Bytes that a task of a value writes, by device.
static std::vector<std::pair<int, int64_t>>
writtenBytes(const PlanState &plan, int value, size_t task) {
  const ValuePlan &planned = plan.valuePlan(value);
  std::map<int, int64_t> bytes;
  for (auto a = static_cast<size_t>(planned.tasks[task].firstAction);
       a < planned.actions.size() &&
       planned.actions[a].task == static_cast<int>(task);
       ++a)
    bytes[planned.actions[a].device] +=
        plan.regionsOf(value).bytes(planned.actions[a].region);
  return {bytes.begin(), bytes.end()};
}

/// In the order of tasks.
std::vector<PassWaits::WeightMovement> PassWaits::findWeightMovements() const {
  std::vector<WeightMovement> movements;
  std::vector<bool> isWeight(plan.getGraph().values.size());
  bool any = false;
  for (const Restore &restore : plan.getGraph().restores)
    if (!restore.delaysReaders)
      any = isWeight[static_cast<size_t>(restore.of)] =
          isWeight[static_cast<size_t>(restore.value)] = true;
  if (!any)
    return movements;
  std::vector<int32_t> movementOf(table.size(), -1);
  for (const PlanState::Block &block : plan.getBlocks()) {
    if (block.slot >= 0 || !isWeight[static_cast<size_t>(block.value)])
      continue;
    int sources = plan.valuePlan(block.value).sources;
    forEachReading(
        table, block.value,
        [&](size_t task, size_t index, const std::vector<int> &references) {
          movementOf[task] = static_cast<int32_t>(movements.size());
          WeightMovement &movement = movements.emplace_back();
          movement.value = block.value;
          movement.task = static_cast<uint32_t>(task);
          movement.reads =
              std::any_of(references.begin(), references.end(),
                          [&](int reference) { return reference < sources; });
          movement.written = writtenBytes(plan, block.value, index);
        });
  }
  // Kernels, then movements, the last first: each is for what those behind it
  // are for.
  auto forEachRead = [&](size_t task, auto visit) {
    for (uint32_t i = table.predStart[task]; i < table.predStart[task + 1]; ++i)
      if (int32_t number = movementOf[table.preds[i]]; number >= 0)
        visit(movements[static_cast<size_t>(number)].kernels);
  };
  for (size_t t = 0; t < table.size(); ++t)
    if (table.passOfTask[t] >= 0)
      forEachRead(t, [&](std::vector<uint32_t> &kernels) {
        kernels.push_back(static_cast<uint32_t>(t));
      });
  for (size_t m = movements.size(); m-- > 0;) {
    const std::vector<uint32_t> &own = movements[m].kernels;
    forEachRead(movements[m].task, [&](std::vector<uint32_t> &kernels) {
      kernels.insert(kernels.end(), own.begin(), own.end());
    });
  }
  return movements;
}

void PassWaits::delayGathers() {
  std::vector<WeightMovement> movements = findWeightMovements();
  std::vector<WeightReading> readings;
  for (size_t m = 0; m < movements.size(); ++m)
    for (uint32_t kernel : movements[m].kernels) {
      int device = table.resource[kernel];
      if (movements[m].bytesOn(device) == 0)
        continue;
      int32_t pass = table.passOfTask[kernel];
      readings.push_back({device, placesOn(device)[static_cast<size_t>(pass)],
                          movements[m].value, table.nodeOf(kernel), kernel, m});
    }
  std::sort(readings.begin(), readings.end());
  std::vector<Gather> gathers; // of one device
  for (size_t i = 0; i < readings.size();) {
    const WeightReading &first = readings[i];
    Gather &gather = gathers.emplace_back();
    gather.place = first.place;
    gather.node = first.node;
    std::vector<size_t> brought;
    size_t end = i;
    for (; end < readings.size() && readings[end].device == first.device &&
           readings[end].place == first.place &&
           readings[end].value == first.value;
         ++end) {
      brought.push_back(readings[end].movement);
      if (uint32_t kernel = readings[end].kernel;
          readings[end].node == first.node &&
          (gather.readers.empty() || gather.readers.back() != kernel))
        gather.readers.push_back(kernel);
    }
    std::sort(brought.begin(), brought.end());
    brought.erase(std::unique(brought.begin(), brought.end()), brought.end());
    for (size_t m : brought) {
      gather.bytes += movements[m].bytesOn(first.device);
      // One that several passes share comes for the first of them: passes of
      // other devices could wait for each other in a circle.
      const std::vector<uint32_t> &kernels = movements[m].kernels;
      bool isShared =
          std::any_of(kernels.begin(), kernels.end(), [&](uint32_t kernel) {
            return table.passOfTask[kernel] != table.passOfTask[kernels[0]];
          });
      if (movements[m].reads && !isShared)
        gather.starts.push_back(movements[m].task);
    }
    i = end;
    if (i == readings.size() || readings[i].device != first.device) {
      delayGathersOfDevice(gathers);
      gathers.clear();
    }
  }
}

/// `gathers`: by place and value.
void PassWaits::delayGathersOfDevice(const std::vector<Gather> &gathers) {
  std::vector<const Gather *> order;
  int64_t largest = 0;
  for (const Gather &gather : gathers) {
    order.push_back(&gather);
    largest = std::max(largest, gather.bytes);
  }
  std::sort(order.begin(), order.end(), [](const Gather *a, const Gather *b) {
    return std::pair(a->place, a->node) < std::pair(b->place, b->node);
  });
  int64_t held = 0;
  for (size_t i = 0, first = 0; i < order.size(); ++i) {
    held += order[i]->bytes;
    for (; held > 2 * largest; ++first)
      held -= order[first]->bytes;
    if (first == 0)
      continue;
    const Gather &before = *order[first - 1], &gather = *order[i];
    // One kernel may read several.
    if (before.place == gather.place && before.node == gather.node)
      continue;
    for (uint32_t reader : before.readers) {
      // The gather runs beside the kernel that reads the weight before: only
      // what comes before that one can be waited for.
      int32_t follower = table.followers[reader];
      const Gather &beside = *order[i - 1];
      bool isBefore =
          follower >= 0 &&
          (before.place < beside.place ||
           table.nodeOf(static_cast<size_t>(follower)) < beside.node);
      for (uint32_t start : gather.starts)
        waits.emplace_back(isBefore ? static_cast<uint32_t>(follower) : reader,
                           start);
    }
  }
}
