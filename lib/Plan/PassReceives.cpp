//===- PassReceives.cpp - Messages and sums where receivers copy ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where receivers copy messages, what is on the way between passes has the same
// place in the program for all microbatches, whenever it arrives.
//
//===----------------------------------------------------------------------===//

#include "PassWaits.h"

#include <algorithm>
#include <map>

using namespace soap;

/// A movement of a value between kernels of passes.
struct PassWaits::Movement {
  int device = -1; ///< where it goes, -1: to several
  bool isSum = false;
  bool isCopied = false; ///< the receiver is busy while it lasts
  /// The first pass there that it is for (code), -1: none, and the first node
  /// that reads it.
  int32_t reader = -1;
  int node = -1;
};

void PassWaits::placeMovements() {
  const std::vector<DeviceType> &types =
      plan.getCost().getTopology().deviceTypes;
  if (std::none_of(types.begin(), types.end(), [](const DeviceType &type) {
        return type.copiesOccupyReceiver;
      }))
    return;
  std::vector<Movement> movements = findMovements();
  delayMessages(movements);
  closePasses(movements);
}

std::vector<PassWaits::Movement> PassWaits::findMovements() {
  const Topology &topology = plan.getCost().getTopology();
  std::vector<Movement> movements(table.size());
  for (size_t b = 0; b < plan.getBlocks().size(); ++b) {
    int value = plan.getBlocks()[b].value;
    if (value < 0)
      continue;
    const ValuePlan &planned = plan.valuePlan(value);
    table.forEachOfBlock(b, [&](size_t task, size_t index) {
      if (planned.tasks[index].collective >= 0)
        return;
      const PlannedAction &action =
          planned
              .actions[static_cast<size_t>(planned.tasks[index].firstAction)];
      Movement &movement = movements[task];
      movement.device = action.device;
      movement.isSum = action.kind == ActionKind::Combine;
      movement.isCopied = action.kind == ActionKind::Transfer &&
                          action.source != action.device &&
                          topology.typeOf(action.device).copiesOccupyReceiver;
    });
  }
  table.forEachFromLast([&](size_t t, size_t) {
    bool isKernel = table.slotOf[t] >= 0;
    int32_t pass = isKernel ? table.passOfTask[t] : movements[t].reader;
    if (pass < 0)
      return;
    int node = isKernel ? table.nodeOf(t) : movements[t].node;
    for (uint32_t i = table.predStart[t]; i < table.predStart[t + 1]; ++i) {
      Movement &before = movements[table.preds[i]];
      if (before.device < 0)
        continue;
      const std::vector<int32_t> &own = placesOn(before.device);
      int32_t place = own[static_cast<size_t>(pass)];
      if (place < 0)
        continue;
      if (before.reader < 0 ||
          place < own[static_cast<size_t>(before.reader)]) {
        before.reader = pass;
        before.node = node;
      } else if (before.reader == pass) {
        before.node = std::min(before.node, node);
      }
    }
  });
  return movements;
}

/// A message of another pass that a device copies waits for the begin of the
/// pass that reads it, and for kernels of the pass that come before all readers
/// of this message and of later ones: they do not wait behind it.
void PassWaits::delayMessages(const std::vector<Movement> &movements) {
  // By device and pass: first node that reads it, task.
  using Key = std::pair<int, int32_t>;
  std::map<Key, std::vector<std::pair<int, uint32_t>>> messages;
  std::vector<uint32_t> reads;
  for (size_t t = 0; t < table.size(); ++t) {
    const Movement &message = movements[t];
    if (!message.isCopied || message.reader < 0)
      continue;
    reads.clear();
    table.addReads(t, reads);
    if (std::any_of(reads.begin(), reads.end(), [&](uint32_t read) {
          return table.passOfTask[read] != message.reader;
        }))
      messages[{message.device, message.reader}].emplace_back(
          message.node, static_cast<uint32_t>(t));
  }
  if (messages.empty())
    return;
  std::map<Key, std::vector<uint32_t>> kernels;
  std::vector<bool> isDelayed = findDelayed();
  for (size_t t = 0; t < table.size(); ++t)
    if (table.passOfTask[t] >= 0 && !isDelayed[t])
      if (Key key(table.resource[t], table.passOfTask[t]);
          messages.contains(key))
        kernels[key].push_back(static_cast<uint32_t>(t));
  for (auto &[key, list] : messages) {
    for (size_t i = list.size() - 1; i-- > 0;)
      list[i].first = std::min(list[i].first, list[i + 1].first);
    for (auto [node, task] : list) {
      openings.push_back({key.first, key.second, task});
      for (uint32_t kernel : kernels[key]) {
        int32_t follower = table.followers[kernel];
        if (table.nodeOf(kernel) < node &&
            (follower < 0 ||
             table.nodeOf(static_cast<size_t>(follower)) >= node))
          waits.emplace_back(kernel, task);
      }
    }
  }
}

/// Tasks that wait for others of which they read nothing, and their readers.
std::vector<bool> PassWaits::findDelayed() const {
  std::vector<bool> isDelayed(table.size());
  for (auto [before, task] : waits)
    isDelayed[task] = true;
  for (const PassEnd &opening : openings)
    isDelayed[opening.task] = true;
  table.forEach([&](size_t t, size_t) {
    for (uint32_t i = table.predStart[t]; i < table.predStart[t + 1]; ++i)
      if (isDelayed[table.preds[i]])
        isDelayed[t] = true;
  });
  return isDelayed;
}

/// The sums that a device makes of the results of a pass end the pass there.
void PassWaits::closePasses(const std::vector<Movement> &movements) {
  const Topology &topology = plan.getCost().getTopology();
  std::vector<bool> isLocal(table.size()); // sums of what the device has
  table.forEach([&](size_t t, size_t) {
    const Movement &sum = movements[t];
    if (!sum.isSum || !(table.flags[t] & TaskTable::hasReads) ||
        !topology.typeOf(sum.device).copiesOccupyReceiver)
      return;
    const std::vector<int32_t> &own = placesOn(sum.device);
    int32_t pass = -1; // the last one that it reads
    bool isMine = true;
    for (uint32_t i = table.predStart[t]; isMine && i < table.predStart[t + 1];
         ++i) {
      uint32_t pred = table.preds[i];
      int32_t other = table.passOfTask[pred];
      if (other < 0 || table.resource[pred] != sum.device) {
        isMine = isLocal[pred];
        continue;
      }
      int32_t place = own[static_cast<size_t>(other)];
      isMine = place >= 0;
      if (isMine && (pass < 0 || own[static_cast<size_t>(pass)] < place))
        pass = other;
    }
    isLocal[t] = isMine;
    if (!isMine || pass < 0)
      return;
    closings.push_back({sum.device, pass, static_cast<uint32_t>(t)});
    for (uint32_t i = table.predStart[t]; i < table.predStart[t + 1]; ++i)
      if (table.passOfTask[table.preds[i]] == pass)
        table.flags[table.preds[i]] &= static_cast<uint8_t>(~TaskTable::isLast);
  });
}
