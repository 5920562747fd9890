//===- PieceGeometries.cpp - Some pieces of kernels -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PieceGeometries.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/Symmetry/PieceGeometries.h"

#include "Soap/Model/BandPieces.h"

#include <algorithm>
#include <cassert>
#include <map>

using namespace soap;

KernelGeometry *PieceGeometries::of(const Kernel &kernel, int kernelClass,
                                    const std::vector<int64_t> &degrees,
                                    const Coordinates &coords) {
  assert(coords.size() == degrees.size() &&
         degrees.size() == kernel.space.loops.size() && "an entry a loop");
  std::vector<int64_t> key;
  for (size_t l = 0; l < degrees.size(); ++l) {
    assert(std::ranges::is_sorted(coords[l]) && !coords[l].empty() &&
           coords[l].back() < degrees[l] && "ascending coordinates");
    key.push_back(degrees[l]);
    key.push_back(static_cast<int64_t>(coords[l].size()));
    key.insert(key.end(), coords[l].begin(), coords[l].end());
  }
  std::unique_ptr<KernelGeometry> &entry =
      known[static_cast<size_t>(kernelClass)][key];
  if (entry)
    return entry.get();
  entry = std::make_unique<KernelGeometry>();
  KernelGeometry &geometry = *entry;
  geometry.degrees = degrees;
  geometry.pieces = 1;
  for (const std::vector<int64_t> &list : coords)
    geometry.pieces *= static_cast<int>(list.size());
  addRegions(kernel, degrees, coords, geometry);
  coordinates[entry.get()] = coords;
  return entry.get();
}

/// States, times and regions of the pieces at some coordinates.
void PieceGeometries::addRegions(
    const Kernel &kernel, const std::vector<int64_t> &degrees,
    const std::vector<std::vector<int64_t>> &coords, KernelGeometry &geometry) {
  const IterationSpace &space = kernel.space;
  const Topology &topology = cost.getTopology();
  size_t types = topology.deviceTypes.size(), loops = coords.size(),
         operandCount = kernel.operands.size(),
         tensors = operandCount + kernel.results.size();
  auto valueOf = [&](size_t t) {
    return t < operandCount ? kernel.operands[t]
                            : kernel.results[t - operandCount];
  };
  std::vector<int> deviceOf(types, -1);
  for (int d = topology.deviceCount(); d-- > 0;)
    deviceOf[topology.devices[d].type] = d;
  auto pieces = static_cast<size_t>(geometry.pieces);
  std::vector<std::vector<int>> numbers(tensors, std::vector<int>(pieces, -1));
  geometry.states.assign(pieces, ShardState::Compute);
  geometry.resultBytes.assign(pieces, 0);
  geometry.durationNs.assign(types, std::vector<int64_t>(pieces, 1));
  // Pieces with the same sizes cost the same.
  std::map<std::vector<int64_t>, size_t> priced;
  std::optional<BandPieces> banded;
  if (space.band)
    banded.emplace(space, degrees);
  std::vector<size_t> at(loops);
  LoopBox box = space.wholeBox();
  for (size_t p = 0; p < pieces; ++p) {
    auto coordinateOf = [&](int loop) {
      auto l = static_cast<size_t>(loop);
      return coords[l][at[l]];
    };
    for (size_t l = 0; l < loops; ++l)
      box[l] = cut(space.loops[l].extent, degrees[l], coords[l][at[l]]);
    int64_t counted = 0;
    bool isAbsent = isEmpty(box);
    if (banded) {
      int64_t row = coordinateOf(space.band->rows),
              column = coordinateOf(space.band->columns);
      counted = banded->pointsAt(row, column);
      isAbsent |= banded->isAbsent(row, column);
    }
    for (size_t l = loops; l-- > 0;) {
      if (++at[l] < coords[l].size())
        break;
      at[l] = 0;
    }
    if (isAbsent) {
      geometry.states[p] = ShardState::Absent;
      geometry.allCompute = false;
      continue;
    }
    std::vector<int64_t> sizes{counted};
    for (const Interval &range : box)
      sizes.push_back(range.size());
    bool anyEmpty = false, allEmpty = operandCount > 0;
    for (size_t t = 0; t < tensors; ++t) {
      const AccessMap &map = t < operandCount
                                 ? space.operands[t].map
                                 : space.results[t - operandCount].map;
      const GraphValue &value = graph.values[valueOf(t)];
      Region region = image(map, box, value.shape);
      int64_t volume = region.volume();
      sizes.push_back(volume);
      if (t < operandCount) {
        anyEmpty |= volume == 0;
        allEmpty &= volume == 0;
      } else {
        geometry.resultBytes[p] += volume * value.deviceElementBytes();
      }
      if (volume > 0)
        numbers[t][p] = regions.table(valueOf(t)).number(region);
    }
    bool fill = space.allowsEmptyOperands ? allEmpty : anyEmpty;
    if (fill) {
      geometry.states[p] = ShardState::Fill;
      geometry.allCompute = false;
    }
    auto [it, isNew] = priced.try_emplace(sizes, p);
    Work work;
    if (isNew)
      work =
          fill ? fillWork(graph, kernel, box) : kernelWork(graph, kernel, box);
    for (size_t t = 0; t < types; ++t)
      if (deviceOf[t] >= 0)
        geometry.durationNs[t][p] = isNew ? cost.computeNs(deviceOf[t], work)
                                          : geometry.durationNs[t][it->second];
  }
  geometry.hasRegions = true;
  for (size_t t = 0; t < operandCount; ++t)
    geometry.operands.push_back(
        {regions.of(valueOf(t)).needSets++, std::move(numbers[t])});
  for (size_t r = 0; r < kernel.results.size(); ++r) {
    BlockSet set = builder.tiles(kernel.results[r], numbers[operandCount + r]);
    std::vector<size_t> absent; // cut loops that the result does not have
    for (size_t l = 0; l < loops; ++l)
      if (degrees[l] > 1 &&
          !usesLoop(space.results[r].map, static_cast<int>(l))) {
        absent.push_back(l);
        set.partial = true;
        set.contributions *= static_cast<int>(coords[l].size());
      }
    for (size_t p = 0; set.partial && p < pieces; ++p) {
      size_t rest = p, index = 0, weight = 1;
      for (size_t l = loops; l-- > 0; rest /= coords[l].size())
        if (std::find(absent.begin(), absent.end(), l) != absent.end()) {
          index += rest % coords[l].size() * weight;
          weight *= coords[l].size();
        }
      set.contributionOf[p] = static_cast<int>(index);
    }
    geometry.results.push_back(std::move(set));
  }
}
