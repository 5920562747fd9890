//===- KernelGeometry.cpp - Pieces of a kernel by its degrees -------------===//
//
// Pushes the box of every piece through the access maps.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/KernelGeometry.h"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace soap;

/// Calls `visit(piece, coordinates, box)` for all pieces, row-major.
template <typename Visit>
static void forEachPiece(const IterationSpace &space,
                         const std::vector<int64_t> &degrees, Visit visit) {
  size_t loops = space.loops.size();
  std::vector<int64_t> piece(loops);
  LoopBox box(loops);
  int64_t pieces = std::accumulate(degrees.begin(), degrees.end(), int64_t(1),
                                   std::multiplies<>());
  for (int64_t index = 0; index < pieces; ++index) {
    int64_t rest = index;
    for (size_t l = loops; l-- > 0;) {
      piece[l] = rest % degrees[l];
      rest /= degrees[l];
      box[l] = cut(space.loops[l].extent, degrees[l], piece[l]);
    }
    visit(static_cast<int>(index), piece, box);
  }
}

BlockSet GeometryBuilder::tiles(int value,
                                const std::vector<int> &regions) const {
  BlockSet set;
  set.id = values[value].blockSets++;
  set.contributionOf.assign(regions.size(), 0);
  std::unordered_map<int, int> blocks;
  for (int region : regions) {
    if (region < 0) {
      set.blockOf.push_back(-1);
      continue;
    }
    auto [it, isNew] =
        blocks.try_emplace(region, static_cast<int>(set.regions.size()));
    if (isNew)
      set.regions.push_back(region);
    set.blockOf.push_back(it->second);
  }
  return set;
}

KernelGeometry
GeometryBuilder::build(const Kernel &kernel,
                       const std::vector<int64_t> &degrees) const {
  const IterationSpace &space = kernel.space;
  KernelGeometry geometry;
  geometry.degrees = degrees;
  geometry.operands.resize(kernel.operands.size());
  std::vector<std::vector<int>> written(kernel.results.size());
  std::vector<std::vector<int>> contributions(kernel.results.size());
  const Topology &topology = cost.getTopology();
  size_t types = topology.deviceTypes.size();
  geometry.durationNs.resize(types);
  // A device of each type, to ask for costs.
  std::vector<int> deviceOf(types, -1);
  for (int d = topology.deviceCount(); d-- > 0;)
    deviceOf[topology.devices[d].type] = d;

  // Pieces of one size cost the same.
  std::unordered_map<std::string, std::vector<int64_t>> known;
  forEachPiece(
      space, degrees,
      [&](int, const std::vector<int64_t> &piece, const LoopBox &box) {
        if (isEmpty(box)) {
          geometry.states.push_back(ShardState::Absent);
          geometry.resultBytes.push_back(0);
          for (NeedSet &set : geometry.operands)
            set.regions.push_back(-1);
          for (size_t r = 0; r < written.size(); ++r) {
            written[r].push_back(-1);
            contributions[r].push_back(0);
          }
          for (std::vector<int64_t> &ns : geometry.durationNs)
            ns.push_back(1);
          return;
        }
        bool anyEmpty = false, allEmpty = !kernel.operands.empty();
        for (size_t i = 0; i < kernel.operands.size(); ++i) {
          int value = kernel.operands[i];
          int region = values[value].table.number(
              image(space.operands[i].map, box, graph.values[value].shape));
          geometry.operands[i].regions.push_back(region);
          anyEmpty |= region < 0;
          allEmpty &= region < 0;
        }
        // The neutral value where an operand is empty; of ops that allow that,
        // where all are.
        bool fill = space.allowsEmptyOperands ? allEmpty : anyEmpty;
        geometry.states.push_back(fill ? ShardState::Fill
                                       : ShardState::Compute);
        for (size_t r = 0; r < kernel.results.size(); ++r) {
          int value = kernel.results[r];
          written[r].push_back(values[value].table.number(
              image(space.results[r].map, box, graph.values[value].shape)));
          int64_t index = 0;
          for (size_t l = 0; l < piece.size(); ++l)
            if (!usesLoop(space.results[r].map, static_cast<int>(l)))
              index = index * degrees[l] + piece[l];
          contributions[r].push_back(static_cast<int>(index));
        }
        int64_t bytes = 0;
        for (size_t r = 0; r < kernel.results.size(); ++r)
          if (int region = written[r].back(); region >= 0)
            bytes += values[kernel.results[r]].table.bytes(region);
        geometry.resultBytes.push_back(bytes);
        std::string sizes(1, fill ? 'f' : 'c');
        auto addSize = [&](int64_t size) {
          sizes.append(reinterpret_cast<const char *>(&size), sizeof(size));
        };
        for (const Interval &range : box)
          addSize(range.size());
        for (size_t i = 0; i < kernel.operands.size(); ++i) {
          int region = geometry.operands[i].regions.back();
          addSize(region < 0 ? 0
                             : values[kernel.operands[i]].table.volume(region));
        }
        auto [it, isNew] = known.try_emplace(std::move(sizes));
        if (isNew) {
          Work work = fill ? fillWork(graph, kernel, box)
                           : kernelWork(graph, kernel, box);
          for (size_t t = 0; t < types; ++t)
            it->second.push_back(
                deviceOf[t] < 0 ? 1 : cost.computeNs(deviceOf[t], work));
        }
        for (size_t t = 0; t < types; ++t)
          geometry.durationNs[t].push_back(it->second[t]);
      });
  geometry.pieces = static_cast<int>(geometry.states.size());
  for (size_t i = 0; i < kernel.operands.size(); ++i)
    geometry.operands[i].id = values[kernel.operands[i]].needSets++;
  for (size_t r = 0; r < kernel.results.size(); ++r) {
    BlockSet set = tiles(kernel.results[r], written[r]);
    for (size_t l = 0; l < space.loops.size(); ++l)
      if (degrees[l] > 1 &&
          !usesLoop(space.results[r].map, static_cast<int>(l))) {
        set.partial = true;
        set.contributions *= static_cast<int>(degrees[l]);
      }
    set.contributionOf = std::move(contributions[r]);
    geometry.results.push_back(std::move(set));
  }
  return geometry;
}

void GeometryBuilder::buildTensor(int value,
                                  const std::vector<int64_t> &degrees,
                                  NeedSet &needs, BlockSet &blocks) const {
  const std::vector<int64_t> &shape = graph.values[value].shape;
  IterationSpace space = tensorSpace(shape);
  needs.regions.clear();
  forEachPiece(space, degrees,
               [&](int, const std::vector<int64_t> &, const LoopBox &box) {
                 needs.regions.push_back(values[value].table.number(
                     image(space.results[0].map, box, shape)));
               });
  needs.id = values[value].needSets++;
  blocks = tiles(value, needs.regions);
}
