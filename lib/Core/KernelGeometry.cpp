//===- KernelGeometry.cpp - Pieces of a kernel by its degrees -------------===//
//
// Pushes the box of every piece through the access maps.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/KernelGeometry.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

using namespace soap;

GraphRegions::GraphRegions(const Graph &graph) {
  std::map<std::pair<int64_t, std::vector<int64_t>>, int> known;
  for (const GraphValue &value : graph.values) {
    auto [it, isNew] = known.try_emplace({value.elementBytes, value.shape},
                                         static_cast<int>(shapes.size()));
    if (isNew)
      shapes.emplace_back(value.shape.size(), value.elementBytes);
    shapeOf.push_back(it->second);
  }
}

static int piecesOf(const std::vector<int64_t> &degrees) {
  return static_cast<int>(std::accumulate(degrees.begin(), degrees.end(),
                                          int64_t(1), std::multiplies<>()));
}

/// The coordinates of all pieces, one per loop; the last loop runs fastest.
static std::vector<int> coordinatesOf(const std::vector<int64_t> &degrees) {
  size_t loops = degrees.size();
  auto pieces = static_cast<size_t>(piecesOf(degrees));
  std::vector<int> coordinates(pieces * loops);
  for (size_t p = 1; p < pieces; ++p) {
    int *now = coordinates.data() + p * loops;
    std::copy(now - loops, now, now);
    size_t l = loops;
    while (l-- > 0 && ++now[l] == degrees[l])
      now[l] = 0;
  }
  return coordinates;
}

/// Loops that a dim depends on and that are cut.
static void findUsed(const DimMap &map, const std::vector<int64_t> &degrees,
                     std::vector<size_t> &used) {
  used.clear();
  for (const Term &term : map.terms)
    if (degrees[term.loop] > 1 &&
        std::find(used.begin(), used.end(), term.loop) == used.end())
      used.push_back(static_cast<size_t>(term.loop));
}

DimTiles GeometryBuilder::makeDim(const IterationSpace &space,
                                  IndexSetTable &table, const DimMap &map,
                                  int64_t extent,
                                  const std::vector<int64_t> &degrees,
                                  const std::vector<size_t> &used) const {
  DimTiles dim;
  LoopBox box = space.wholeBox();
  int64_t combinations = 1;
  for (size_t l : used)
    combinations *= degrees[l];
  auto count = static_cast<size_t>(combinations);
  dim.ids.reserve(count);
  dim.firsts.reserve(count);
  dim.own.reserve(count);
  dim.distinct.reserve(count);
  for (int64_t c = 0; c < combinations; ++c) {
    int64_t rest = c;
    for (size_t l : used) {
      box[l] = cut(space.loops[l].extent, degrees[l], rest % degrees[l]);
      rest /= degrees[l];
    }
    dim.ids.push_back(table.number(image(map, box, extent)));
  }
  // What a set has that those before it have not: mostly intervals, each from
  // inside of the one before or from its end.
  static thread_local std::vector<int> firstOf; // by set, -1: not met yet
  firstOf.resize(
      std::max<size_t>(
          firstOf.size(),
          static_cast<size_t>(
              *std::max_element(dim.ids.begin(), dim.ids.end()) + 2)),
      -1);
  IndexSet covered;
  int64_t lo = 0, hi = 0; // `covered`, as long as it is one interval
  bool isInterval = true;
  auto cover = [&](const IndexSet &set) {
    if (isInterval && set.isInterval() &&
        (lo == hi || (lo <= set.lo() && set.lo() <= hi))) {
      if (lo == hi)
        lo = hi = set.lo();
      int64_t before = std::exchange(hi, std::max(hi, set.hi()));
      return hi - before;
    }
    if (std::exchange(isInterval, false) && lo < hi)
      covered = IndexSet(lo, hi);
    int64_t before = covered.size();
    covered = covered.unite(set);
    return covered.size() - before;
  };
  for (int id : dim.ids) {
    int &first = firstOf[id + 1];
    bool isNew = first < 0;
    if (isNew)
      first = static_cast<int>(dim.firsts.size());
    dim.firsts.push_back(first);
    if (!isNew) {
      dim.own.push_back(dim.own[first]);
      continue;
    }
    dim.own.push_back(id >= 0 ? cover(table[id]) : 0);
    if (id >= 0)
      dim.distinct.push_back(id);
  }
  for (int id : dim.ids)
    firstOf[id + 1] = -1;
  if (isInterval && lo < hi)
    covered = IndexSet(lo, hi);
  dim.everyElement = covered.size() == extent;
  dim.covered = table.number(covered);
  return dim;
}

/// The index set of a dim depends on few loops, so it is computed once for each
/// of their coordinates, and kept for other degrees of the other loops.
TileSets GeometryBuilder::makeTiles(const Kernel &kernel, int tensor, int value,
                                    const AccessMap &map,
                                    const std::vector<int64_t> &degrees,
                                    const std::vector<int> &coordinates) {
  size_t loops = kernel.space.loops.size();
  int kernelClass = classes.of(kernel);
  auto pieces = static_cast<size_t>(piecesOf(degrees));
  TileSets tiles;
  size_t rank = tiles.rank = map.size();
  tiles.sets.resize(pieces * rank);
  tiles.volumes.assign(pieces, 1);
  tiles.ownVolumes.assign(pieces, 1);
  tiles.tileOf.assign(pieces, 0);
  tiles.dims.reserve(rank);
  // Pieces are all combinations of coordinates, so they cover the tensor if
  // each dim is covered, by loops of its own.
  std::vector<bool> taken(loops);
  tiles.everyElement = tiles.isProduct = true;
  std::vector<size_t> used;
  std::vector<int64_t> key;
  for (size_t d = 0; d < rank; ++d) {
    findUsed(map[d], degrees, used);
    IndexSetTable &table = regions.table(value).dim(d);
    int64_t extent = graph.values[value].shape[d];
    key = {kernelClass, static_cast<int64_t>(tensor), static_cast<int64_t>(d)};
    for (size_t l : used) {
      key.push_back(static_cast<int64_t>(l));
      key.push_back(degrees[l]);
    }
    auto [it, isNew] = known.try_emplace(key);
    if (isNew) {
      it->second = std::make_shared<const DimTiles>(
          makeDim(kernel.space, table, map[d], extent, degrees, used));
      knownBytes += 300 + it->second->ids.size() * 20;
    }
    const DimTiles &dim = *it->second;
    tiles.everyElement &= dim.everyElement;
    tiles.dims.push_back(it->second);
    for (size_t l : used) {
      tiles.isProduct &= !taken[l];
      taken[l] = true;
    }
    auto combinations = static_cast<int64_t>(dim.ids.size());
    for (size_t p = 0; p < pieces; ++p) {
      int64_t index = 0, weight = 1;
      const int *at = coordinates.data() + p * loops;
      for (size_t l : used) {
        index += at[l] * weight;
        weight *= degrees[l];
      }
      tiles.sets[p * rank + d] = dim.ids[index];
      tiles.volumes[p] *= table.size(dim.ids[index]);
      tiles.ownVolumes[p] *= dim.own[index];
      tiles.tileOf[p] = tiles.tileOf[p] * combinations + dim.firsts[index];
    }
  }
  tiles.everyElement &= tiles.isProduct;
  tiles.everyPiece = std::all_of(tiles.volumes.begin(), tiles.volumes.end(),
                                 [](int64_t volume) { return volume > 0; });
  return tiles;
}

/// Finds out whether the blocks are the places of a grid.
static void makeGrid(BlockSet &set, const RegionTable &table) {
  set.gridSets.assign(table.rank(), {});
  size_t rank = table.rank();
  static thread_local std::vector<size_t> places; // by block, `rank` each
  places.clear();
  for (int region : set.regions)
    for (size_t d = 0; d < rank; ++d) {
      std::vector<int> &sets = set.gridSets[d];
      int id = table.sets(region)[d];
      auto it = std::find(sets.begin(), sets.end(), id);
      places.push_back(static_cast<size_t>(it - sets.begin()));
      if (it == sets.end())
        sets.push_back(id);
    }
  size_t size = 1;
  for (const std::vector<int> &sets : set.gridSets) {
    size *= std::max<size_t>(sets.size(), 1);
    if (size > 4 * set.regions.size()) {
      set.gridSets.clear();
      return;
    }
  }
  set.grid.assign(size, -1);
  for (size_t b = 0; b < set.regions.size(); ++b) {
    size_t index = 0;
    for (size_t d = 0; d < rank; ++d)
      index = index * set.gridSets[d].size() + places[b * rank + d];
    set.grid[index] = static_cast<int>(b);
  }
}

BlockSet GeometryBuilder::tiles(int value, const std::vector<int> &list) const {
  BlockSet set;
  set.id = regions.of(value).blockSets++;
  set.contributionOf.assign(list.size(), 0);
  set.blockOf.reserve(list.size());
  static thread_local std::vector<int> blocks; // by region, -1: none yet
  blocks.resize(std::max(blocks.size(), regions.table(value).size()), -1);
  for (int region : list) {
    if (region < 0) {
      set.blockOf.push_back(-1);
      continue;
    }
    int &block = blocks[static_cast<size_t>(region)];
    if (block < 0) {
      block = static_cast<int>(set.regions.size());
      set.regions.push_back(region);
    }
    set.blockOf.push_back(block);
  }
  for (int region : set.regions)
    blocks[static_cast<size_t>(region)] = -1;
  makeGrid(set, regions.table(value));
  return set;
}

KernelGeometry GeometryBuilder::build(const Kernel &kernel,
                                      const std::vector<int64_t> &degrees) {
  const IterationSpace &space = kernel.space;
  KernelGeometry geometry;
  geometry.degrees = degrees;
  geometry.pieces = piecesOf(degrees);
  std::vector<int> coordinates = coordinatesOf(degrees);
  int tensor = 0;
  for (size_t i = 0; i < kernel.operands.size(); ++i)
    geometry.operandTiles.push_back(
        makeTiles(kernel, tensor++, kernel.operands[i], space.operands[i].map,
                  degrees, coordinates));
  for (size_t r = 0; r < kernel.results.size(); ++r)
    geometry.resultTiles.push_back(
        makeTiles(kernel, tensor++, kernel.results[r], space.results[r].map,
                  degrees, coordinates));

  const Topology &topology = cost.getTopology();
  size_t types = topology.deviceTypes.size();
  geometry.durationNs.resize(types);
  // A device of each type, to ask for costs.
  std::vector<int> deviceOf(types, -1);
  for (int d = topology.deviceCount(); d-- > 0;)
    deviceOf[topology.devices[d].type] = d;

  // Pieces of one size cost the same; few sizes occur.
  struct Known {
    std::vector<int64_t> sizes, ns;
  };
  std::vector<Known> known;
  std::vector<int64_t> sizes;
  LoopBox box(space.loops.size());
  for (int p = 0; p < geometry.pieces; ++p) {
    sizes.clear();
    const int *at =
        coordinates.data() + static_cast<size_t>(p) * space.loops.size();
    for (size_t l = 0; l < space.loops.size(); ++l) {
      box[l] = cut(space.loops[l].extent, degrees[l], at[l]);
      sizes.push_back(box[l].size());
    }
    if (isEmpty(box)) {
      geometry.states.push_back(ShardState::Absent);
      geometry.allCompute = false;
      geometry.resultBytes.push_back(0);
      for (std::vector<int64_t> &ns : geometry.durationNs)
        ns.push_back(1);
      continue;
    }
    bool anyEmpty = false, allEmpty = !kernel.operands.empty();
    for (const TileSets &tiles : geometry.operandTiles) {
      sizes.push_back(tiles.volumes[p]);
      anyEmpty |= sizes.back() == 0;
      allEmpty &= sizes.back() == 0;
    }
    // The neutral value where an operand is empty; of ops that allow that,
    // where all are.
    bool fill = space.allowsEmptyOperands ? allEmpty : anyEmpty;
    geometry.states.push_back(fill ? ShardState::Fill : ShardState::Compute);
    geometry.allCompute &= !fill;
    int64_t bytes = 0;
    for (size_t r = 0; r < kernel.results.size(); ++r)
      bytes += geometry.resultTiles[r].volumes[p] *
               graph.values[kernel.results[r]].elementBytes;
    geometry.resultBytes.push_back(bytes);
    sizes.push_back(bytes);
    auto it = std::find_if(known.begin(), known.end(), [&](const Known &entry) {
      return entry.sizes == sizes;
    });
    if (it == known.end()) {
      Work work =
          fill ? fillWork(graph, kernel, box) : kernelWork(graph, kernel, box);
      Known &entry = known.emplace_back();
      entry.sizes = sizes;
      for (size_t t = 0; t < types; ++t)
        entry.ns.push_back(deviceOf[t] < 0 ? 1
                                           : cost.computeNs(deviceOf[t], work));
      it = known.end() - 1;
    }
    for (size_t t = 0; t < types; ++t)
      geometry.durationNs[t].push_back(it->ns[t]);
  }
  return geometry;
}

void GeometryBuilder::addRegions(const Kernel &kernel,
                                 KernelGeometry &geometry) const {
  const IterationSpace &space = kernel.space;
  geometry.hasRegions = true;
  auto numbered = [&](int value, const TileSets &tiles) {
    std::vector<int> numbers(geometry.pieces, -1);
    RegionTable &table = regions.table(value);
    // Mostly one piece after the other has the same tile, or none has.
    int last = -1;
    for (int p = 0; p < geometry.pieces; ++p) {
      if (geometry.states[p] == ShardState::Absent)
        continue;
      if (last < 0 || tiles.tileOf[p] != tiles.tileOf[last])
        numbers[p] = table.number(tiles.sets.data() + p * tiles.rank);
      else
        numbers[p] = numbers[last];
      last = p;
    }
    return numbers;
  };
  for (size_t i = 0; i < kernel.operands.size(); ++i) {
    int value = kernel.operands[i];
    geometry.operands.push_back({regions.of(value).needSets++,
                                 numbered(value, geometry.operandTiles[i])});
  }
  for (size_t r = 0; r < kernel.results.size(); ++r) {
    int value = kernel.results[r];
    const AccessMap &map = space.results[r].map;
    BlockSet set = tiles(value, numbered(value, geometry.resultTiles[r]));
    std::vector<bool> absent;
    for (size_t l = 0; l < space.loops.size(); ++l) {
      absent.push_back(geometry.degrees[l] > 1 &&
                       !usesLoop(map, static_cast<int>(l)));
      if (!absent.back())
        continue;
      set.partial = true;
      set.contributions *= static_cast<int>(geometry.degrees[l]);
    }
    for (int p = 0; set.partial && p < geometry.pieces; ++p) {
      int64_t index = 0, weight = 1, rest = p;
      for (size_t l = space.loops.size(); l-- > 0; rest /= geometry.degrees[l])
        if (absent[l]) {
          index += rest % geometry.degrees[l] * weight;
          weight *= geometry.degrees[l];
        }
      set.contributionOf[p] = static_cast<int>(index);
    }
    geometry.results.push_back(std::move(set));
  }
}

void GeometryBuilder::buildTensor(int value,
                                  const std::vector<int64_t> &degrees,
                                  NeedSet &needs, BlockSet &blocks) {
  // Loop d runs over dim d.
  RegionTable &table = regions.table(value);
  const std::vector<int64_t> &shape = graph.values[value].shape;
  IterationSpace space = tensorSpace(shape);
  std::vector<DimTiles> dims;
  std::vector<size_t> used;
  for (size_t d = 0; d < shape.size(); ++d) {
    const DimMap &map = space.results[0].map[d];
    findUsed(map, degrees, used);
    dims.push_back(makeDim(space, table.dim(d), map, shape[d], degrees, used));
  }
  std::vector<int> coordinates = coordinatesOf(degrees), sets(shape.size());
  needs.regions.clear();
  for (int p = 0; p < piecesOf(degrees); ++p) {
    for (size_t d = 0; d < shape.size(); ++d)
      sets[d] = dims[d].ids[static_cast<size_t>(
          coordinates[static_cast<size_t>(p) * shape.size() + d])];
    needs.regions.push_back(table.number(sets.data()));
  }
  needs.id = regions.of(value).needSets++;
  blocks = tiles(value, needs.regions);
}
