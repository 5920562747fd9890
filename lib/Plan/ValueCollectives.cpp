//===- ValueCollectives.cpp - Tasks of many devices -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Their prices, and the memory that they need besides tiles. Programs gather
// into a tile and scatter from one where the pieces lie one after the other;
// else they have a temporary (lib/Conversion/Outline).
//
//===----------------------------------------------------------------------===//

#include "ValuePlannerScratch.h"

#include <algorithm>
#include <cassert>

using namespace soap;

/// Makes the last task a collective; its actions have been added.
int ValuePlanner::addCollective(CollectiveKind kind, std::vector<int> devices,
                                int64_t bytes) {
  assert(!out->tasks.empty() && out->tasks.back().collective < 0 &&
         "actions must have been added");
  assert(bytes >= 0 && "a negative tensor");
  CollectiveModels::Price price = models.price(kind, devices, bytes);
  PlannedTask &task = out->tasks.back();
  task.durationNs = price.ns;
  task.resource = -1 - price.resources;
  task.collective = static_cast<int>(out->collectives.size());
  out->collectives.push_back(
      {kind, std::move(devices), bytes, temporariesOf(kind)});
  return static_cast<int>(out->tasks.size()) - 1;
}

/// Of the last task, whose actions have been added.
Temporaries ValuePlanner::temporariesOf(CollectiveKind kind) const {
  Temporaries result;
  auto first = out->actions.begin() + out->tasks.back().firstAction;
  std::span<const PlannedAction> outputs(first, out->actions.end());
  std::span<const int> inputs(out->inputs.data() + first->firstInput,
                              static_cast<size_t>(first->inputCount));
  auto deviceOf = [&](int reference) {
    return reference < out->sources
               ? source->devices[static_cast<size_t>(reference)]
               : out->actions[static_cast<size_t>(reference - out->sources)]
                     .device;
  };
  auto bytesOf = [&](const PlannedAction &action) {
    return table->bytes(action.region);
  };
  switch (kind) {
  case CollectiveKind::AllGather:
    // All devices get the same region.
    if (std::any_of(inputs.begin(), inputs.end(), [&](int input) {
          return !table->isRun(regionOf(input), first->region);
        }))
      for (const PlannedAction &output : outputs)
        result.push_back({output.device, bytesOf(output)});
    break;
  case CollectiveKind::ReduceScatter:
    // All devices give the same region.
    if (int whole = regionOf(inputs[0]); std::any_of(
            outputs.begin(), outputs.end(), [&](const PlannedAction &part) {
              return !table->isRun(part.region, whole);
            }))
      for (int input : inputs)
        result.push_back({deviceOf(input), table->bytes(whole)});
    break;
  case CollectiveKind::Broadcast:
    if (!table->isRun(first->region, regionOf(inputs[0])))
      result.push_back({deviceOf(inputs[0]), bytesOf(*first)});
    break;
  case CollectiveKind::AllReduce:
  case CollectiveKind::Reduce: {
    // The root has a result that it does not read, and gathers all parts if
    // libraries cannot fold them.
    auto reads = [&](int device) {
      return std::any_of(
          outputs.begin(), outputs.end(),
          [&](const PlannedAction &output) { return output.device == device; });
    };
    int root = -1;
    for (int input : inputs)
      if (root < 0 && reads(deviceOf(input)))
        root = deviceOf(input);
    int64_t count = root < 0 ? 1 : 0;
    if (root < 0)
      root = deviceOf(inputs[0]);
    if (source->combiner != Combiner::Sum)
      count += static_cast<int64_t>(inputs.size());
    if (count > 0)
      result.push_back({root, count * bytesOf(*first)});
    break;
  }
  case CollectiveKind::Exchange:
  case CollectiveKind::AllToAll:
    break; // see exchangeTemporaries
  }
  return result;
}

/// `wanted` by region. A device that has one tile, of which every device wants
/// a part, and gets one, packs parts and receives pieces as an all-to-all;
/// others hold the messages that they get, or the largest that they send.
Temporaries ValuePlanner::exchangeTemporaries(std::span<const Wanted> wanted,
                                              std::span<const int> sources) {
  std::vector<int> holders, readers;
  for (int s : sources)
    holders.push_back(source->devices[static_cast<size_t>(s)]);
  for (const Wanted &want : wanted)
    readers.push_back(want.device);
  std::sort(holders.begin(), holders.end());
  std::sort(readers.begin(), readers.end());
  bool isRegular =
      holders == readers &&
      std::adjacent_find(holders.begin(), holders.end()) == holders.end();
  for (size_t w = 0; w < wanted.size() && isRegular; ++w)
    if (w == 0 || wanted[w].region != wanted[w - 1].region)
      isRegular =
          multiplicity.per *
              static_cast<int64_t>(
                  commonBlocks(*source->blocks, wanted[w].region).size()) ==
          multiplicity.times * static_cast<int64_t>(sources.size());
  std::vector<int64_t> &sent = scratch->bytesSent,
                       &received = scratch->bytesReceived;
  sent.assign(static_cast<size_t>(deviceCount), 0);
  received = sent;
  auto at = [](std::vector<int64_t> &list, int device) -> int64_t & {
    return list[static_cast<size_t>(device)];
  };
  std::vector<int64_t> missing;
  for (size_t i = 0, end; i < wanted.size(); i = end) {
    int region = wanted[i].region;
    for (end = i; end < wanted.size() && wanted[end].region == region;)
      ++end;
    std::span<const Wanted> group = wanted.subspan(i, end - i);
    missing.assign(group.size(), table->bytes(region));
    bool inOrder = true;
    for (const Common &common : commonBlocks(*source->blocks, region)) {
      std::span<const int> written = replicas(common.block, 0);
      int64_t bytes = common.elements * elementBytes;
      inOrder &= common.isRunOfRegion;
      int from = source->devices[static_cast<size_t>(written[0])];
      if (isRegular) {
        if (!common.isRunOfBlock)
          at(sent, from) += bytes * static_cast<int64_t>(group.size());
        continue;
      }
      if (written.size() == 1) {
        // Readers are sorted by device.
        auto own = std::lower_bound(group.begin(), group.end(), from,
                                    [](const Wanted &want, int device) {
                                      return want.device < device;
                                    });
        bool readsOwn = own != group.end() && own->device == from;
        if (readsOwn)
          missing[static_cast<size_t>(own - group.begin())] -= bytes;
        if (group.size() > (readsOwn ? 1u : 0u))
          at(sent, from) = std::max(at(sent, from), bytes);
        continue;
      }
      for (size_t g = 0; g < group.size(); ++g) {
        from = source->devices[static_cast<size_t>(
            nearest(written, group[g].device))];
        if (from == group[g].device)
          missing[g] -= bytes;
        else
          at(sent, from) = std::max(at(sent, from), bytes);
      }
    }
    for (size_t g = 0; g < group.size(); ++g) {
      int64_t &most = at(received, group[g].device);
      if (!isRegular || !inOrder)
        most = std::max(most, missing[g]);
    }
  }
  Temporaries result;
  for (int device = 0; device < deviceCount; ++device) {
    int64_t out = at(sent, device), in = at(received, device);
    if (int64_t bytes = isRegular ? out + in : std::max(out, in); bytes > 0)
      result.push_back({device, bytes});
  }
  return result;
}
