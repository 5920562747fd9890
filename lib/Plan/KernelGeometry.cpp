//===- KernelGeometry.cpp - Pieces of a kernel by its degrees -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pushes the box of every piece through the access maps.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/KernelGeometry.h"

#include "Soap/Model/BandPieces.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

using namespace soap;

GraphRegions::GraphRegions(const Graph &graph) {
  std::map<std::pair<int64_t, std::vector<int64_t>>, int> known;
  for (const GraphValue &value : graph.values) {
    // Tiles in the memory of the host take none of devices, and never move.
    int64_t bytes = value.deviceElementBytes();
    auto [it, isNew] = known.try_emplace({bytes, value.shape},
                                         static_cast<int>(shapes.size()));
    if (isNew)
      shapes.emplace_back(value.shape.size(), bytes);
    shapeOf.push_back(it->second);
  }
}

/// Each list belongs to one function. A search meets many degrees, so memory is
/// kept from one call to the next.
struct GeometryBuilder::Scratch {
  std::vector<int> firstOfSet; ///< of `cover`, by set, -1: not met yet
  /// Of `makeTiles`: split loops of a dim, and their coordinates by piece.
  std::vector<size_t> tileLoops;
  std::vector<int> tilePlaces;
  std::vector<size_t> gridPlaces; ///< of `makeGrid`, by block, `rank` each
  std::vector<int> blockOf;       ///< of `tiles`, by region, -1: none yet
  /// Of `build`: split loops of a dim, and the combination of each piece.
  std::vector<size_t> sizeLoops;
  std::vector<int> pieceKinds;
};

GeometryBuilder::GeometryBuilder(const Graph &graph, const CostModel &cost,
                                 KernelClasses &classes, GraphRegions &regions)
    : graph(graph), cost(cost), classes(classes), regions(regions),
      scratch(std::make_unique<Scratch>()) {}

GeometryBuilder::~GeometryBuilder() = default;

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

/// Loops that a dim depends on and that are split.
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
  for (int64_t c = 0; c < combinations; ++c) {
    int64_t rest = c;
    for (size_t l : used) {
      box[l] = cut(space.loops[l].extent, degrees[l], rest % degrees[l]);
      rest /= degrees[l];
    }
    dim.ids.push_back(table.number(image(map, box, extent)));
  }
  return dim;
}

void GeometryBuilder::cover(IndexSetTable &table, int64_t extent,
                            DimTiles &dim) {
  dim.firsts.reserve(dim.ids.size());
  dim.own.reserve(dim.ids.size());
  dim.distinct.reserve(dim.ids.size());
  // The part of a set that earlier sets have not: mostly intervals, each from
  // inside of the one before or from its end.
  std::vector<int> &firstOf = scratch->firstOfSet;
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
  assert(covered.size() <= extent && "no more than the tensor has");
  dim.everyElement = covered.size() == extent;
  dim.covered = table.number(covered);
}

/// Where the tiles of a dim are kept, null if they are not known yet.
std::shared_ptr<DimTiles> &
GeometryBuilder::knownDim(int kernelClass, int tensor, size_t d,
                          const std::vector<int64_t> &degrees,
                          const std::vector<size_t> &used) {
  constexpr int loopBits = 8, bits = 32;
  bool fits = used.size() <= 2;
  uint64_t key = 0;
  for (size_t l : used) {
    fits &= l + 1 < size_t(1) << loopBits &&
            degrees[l] < int64_t(1) << (bits - loopBits);
    key = key << bits | static_cast<uint64_t>(degrees[l]) << loopBits | (l + 1);
  }
  if (!fits) {
    dimKey.assign({kernelClass, int64_t(tensor), static_cast<int64_t>(d)});
    for (size_t l : used) {
      dimKey.push_back(static_cast<int64_t>(l));
      dimKey.push_back(degrees[l]);
    }
    return knownOthers[dimKey];
  }
  auto at = [](auto &list, size_t i) -> auto & {
    if (list.size() <= i)
      list.resize(i + 1);
    return list[i];
  };
  KnownDim &dim = at(at(at(known, static_cast<size_t>(kernelClass)),
                        static_cast<size_t>(tensor)),
                     d);
  auto it = std::find(dim.keys.begin(), dim.keys.end(), key);
  auto place = static_cast<size_t>(it - dim.keys.begin());
  if (it == dim.keys.end())
    dim.keys.push_back(key);
  return at(dim.tiles, place);
}

/// The index set of a dim depends on few loops, so it is computed once for each
/// of their coordinates, and kept for other degrees of the other loops.
const std::shared_ptr<DimTiles> &
GeometryBuilder::dimOf(const Kernel &kernel, int kernelClass, int tensor,
                       int value, size_t d, const AccessMap &map,
                       const std::vector<int64_t> &degrees,
                       const std::vector<size_t> &used) {
  std::shared_ptr<DimTiles> &dim =
      knownDim(kernelClass, tensor, d, degrees, used);
  if (!dim) {
    dim = std::make_shared<DimTiles>(
        makeDim(kernel.space, regions.table(value).dim(d), map[d],
                graph.values[value].shape[d], degrees, used));
    knownBytes += 300 + dim->ids.size() * 20;
  }
  return dim;
}

/// By piece: the number of the coordinates of some loops, of which the first
/// runs fastest.
static void numberCoordinates(const std::vector<int64_t> &degrees,
                              const std::vector<size_t> &loops,
                              std::vector<int> &numbers) {
  numbers.assign(1, 0);
  // Pieces by the loops so far, the last of which runs fastest.
  for (size_t l = 0; l < degrees.size(); ++l) {
    auto count = static_cast<size_t>(degrees[l]);
    if (count == 1)
      continue;
    int weight = 1;
    bool counts = false;
    for (size_t other : loops) {
      counts = other == l;
      if (counts)
        break;
      weight *= static_cast<int>(degrees[other]);
    }
    size_t before = numbers.size();
    numbers.resize(before * count);
    for (size_t i = before; i-- > 0;) {
      int first = numbers[i];
      for (size_t c = count; c-- > 0;)
        numbers[i * count + c] =
            first + (counts ? static_cast<int>(c) * weight : 0);
    }
  }
}

/// Pieces of a band that are absent touch nothing.
static void leaveOutAbsent(const IterationSpace &space,
                           const std::vector<int64_t> &degrees,
                           TileSets &tiles) {
  BandPieces pieces(space, degrees);
  std::vector<int> coordinates = coordinatesOf(degrees);
  size_t loops = degrees.size();
  for (size_t p = 0; p < tiles.volumes.size(); ++p) {
    const int *at = coordinates.data() + p * loops;
    if (!pieces.isAbsent(at[space.band->rows], at[space.band->columns]))
      continue;
    std::fill_n(tiles.sets.begin() + static_cast<ptrdiff_t>(p * tiles.rank),
                tiles.rank, -1);
    tiles.volumes[p] = tiles.ownVolumes[p] = 0;
    tiles.isProduct = false;
  }
}

TileSets GeometryBuilder::makeTiles(const Kernel &kernel, int tensor, int value,
                                    const AccessMap &map,
                                    const std::vector<int64_t> &degrees) {
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
  std::vector<size_t> &used = scratch->tileLoops;
  std::vector<int> &places = scratch->tilePlaces;
  for (size_t d = 0; d < rank; ++d) {
    findUsed(map[d], degrees, used);
    const std::shared_ptr<DimTiles> &known =
        dimOf(kernel, kernelClass, tensor, value, d, map, degrees, used);
    IndexSetTable &table = regions.table(value).dim(d);
    DimTiles &dim = *known;
    if (dim.firsts.empty())
      cover(table, graph.values[value].shape[d], dim);
    tiles.everyElement &= dim.everyElement;
    tiles.dims.push_back(known);
    for (size_t l : used) {
      tiles.isProduct &= !taken[l];
      taken[l] = true;
    }
    if (used.empty()) {
      int64_t size = table.size(dim.ids[0]);
      for (size_t p = 0; p < pieces; ++p) {
        tiles.sets[p * rank + d] = dim.ids[0];
        tiles.volumes[p] *= size;
        tiles.ownVolumes[p] *= dim.own[0];
      }
      continue;
    }
    numberCoordinates(degrees, used, places);
    assert(places.size() == pieces && "coordinates of every piece");
    auto combinations = static_cast<int64_t>(dim.ids.size());
    for (size_t p = 0; p < pieces; ++p) {
      auto place = static_cast<size_t>(places[p]);
      tiles.sets[p * rank + d] = dim.ids[place];
      tiles.volumes[p] *= table.size(dim.ids[place]);
      tiles.ownVolumes[p] *= dim.own[place];
      tiles.tileOf[p] = tiles.tileOf[p] * combinations + dim.firsts[place];
    }
  }
  if (kernel.space.band)
    leaveOutAbsent(kernel.space, degrees, tiles);
  tiles.everyElement &= tiles.isProduct;
  tiles.everyPiece = std::all_of(tiles.volumes.begin(), tiles.volumes.end(),
                                 [](int64_t volume) { return volume > 0; });
  return tiles;
}

void GeometryBuilder::addTiles(const Kernel &kernel, KernelGeometry &geometry) {
  assert(!geometry.hasTiles && "it has tiles already");
  const IterationSpace &space = kernel.space;
  geometry.hasTiles = true;
  int tensor = 0;
  geometry.operandTiles.reserve(kernel.operands.size());
  for (size_t i = 0; i < kernel.operands.size(); ++i)
    geometry.operandTiles.push_back(
        makeTiles(kernel, tensor++, kernel.operands[i], space.operands[i].map,
                  geometry.degrees));
  geometry.resultTiles.reserve(kernel.results.size());
  for (size_t r = 0; r < kernel.results.size(); ++r)
    geometry.resultTiles.push_back(
        makeTiles(kernel, tensor++, kernel.results[r], space.results[r].map,
                  geometry.degrees));
}

/// Finds out whether the blocks are the places of a grid. `places` is memory.
static void makeGrid(BlockSet &set, const RegionTable &table,
                     std::vector<size_t> &places) {
  set.gridSets.assign(table.rank(), {});
  size_t rank = table.rank();
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

BlockSet GeometryBuilder::tiles(int value, const std::vector<int> &list) {
  BlockSet set;
  set.id = regions.of(value).blockSets++;
  set.contributionOf.assign(list.size(), 0);
  set.blockOf.reserve(list.size());
  std::vector<int> &blocks = scratch->blockOf;
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
  makeGrid(set, regions.table(value), scratch->gridPlaces);
  return set;
}

/// Coordinates of a split loop, in classes of which all members give every
/// tensor as much.
namespace {
struct CoordinateClasses {
  size_t loop = 0;
  std::vector<int> classOf;    ///< by coordinate
  std::vector<int64_t> firsts; ///< by class: its first coordinate
};

/// A dim of a tensor: sizes of its sets by the coordinates of split loops.
struct DimSizes {
  size_t tensor;
  std::vector<size_t> used; ///< the first runs fastest
  std::vector<int64_t> sizes;
};
} // namespace

/// Whether two coordinates of a loop give as much, whatever the others are.
static bool areAlike(const DimSizes &dim, size_t loop,
                     const std::vector<int64_t> &degrees, int64_t a,
                     int64_t b) {
  int64_t weight = 1;
  for (size_t l : dim.used) {
    if (l == loop)
      break;
    weight *= degrees[l];
  }
  int64_t count = degrees[loop], step = weight * count;
  for (int64_t outer = 0; outer < static_cast<int64_t>(dim.sizes.size());
       outer += step)
    for (int64_t inner = outer; inner < outer + weight; ++inner)
      if (dim.sizes[static_cast<size_t>(inner + a * weight)] !=
          dim.sizes[static_cast<size_t>(inner + b * weight)])
        return false;
  return true;
}

static CoordinateClasses classify(const IterationSpace &space, size_t loop,
                                  const std::vector<int64_t> &degrees,
                                  const std::vector<DimSizes> &dims) {
  CoordinateClasses result;
  result.loop = loop;
  int64_t extent = space.loops[loop].extent, degree = degrees[loop];
  result.classOf.reserve(static_cast<size_t>(degree));
  auto alike = [&](int64_t a, int64_t b) {
    if (cut(extent, degree, a).size() != cut(extent, degree, b).size())
      return false;
    return std::all_of(dims.begin(), dims.end(), [&](const DimSizes &dim) {
      return std::find(dim.used.begin(), dim.used.end(), loop) ==
                 dim.used.end() ||
             areAlike(dim, loop, degrees, a, b);
    });
  };
  for (int64_t c = 0; c < degree; ++c) {
    size_t k = 0;
    // Mostly that of the one before.
    if (c > 0 && alike(c, c - 1)) {
      result.classOf.push_back(result.classOf.back());
      continue;
    }
    while (k < result.firsts.size() && !alike(c, result.firsts[k]))
      ++k;
    if (k == result.firsts.size())
      result.firsts.push_back(c);
    result.classOf.push_back(static_cast<int>(k));
  }
  assert(static_cast<int64_t>(result.classOf.size()) == degree &&
         "a class a coordinate");
  return result;
}

/// Pieces of one size cost the same, and few sizes occur: coordinates of each
/// loop fall into few classes (borders, and what is left over of uneven
/// splits), so that combinations of classes are priced instead of pieces.
KernelGeometry GeometryBuilder::build(const Kernel &kernel,
                                      const std::vector<int64_t> &degrees) {
  const IterationSpace &space = kernel.space;
  KernelGeometry geometry;
  assert(degrees.size() == space.loops.size() && "a degree a loop");
  geometry.degrees = degrees;
  geometry.pieces = piecesOf(degrees);
  int kernelClass = classes.of(kernel);

  // Elements of each tensor as far as no split loop matters, and the dims where
  // one does.
  size_t operandCount = kernel.operands.size(),
         tensors = operandCount + kernel.results.size();
  // Behind the tensors: points of a band, -1: the piece is absent.
  std::vector<int64_t> fixed(tensors + 1, 1), volumes(tensors + 1);
  std::vector<DimSizes> dims;
  std::vector<size_t> &used = scratch->sizeLoops;
  for (size_t t = 0; t < tensors; ++t) {
    bool isOperand = t < operandCount;
    int value =
        isOperand ? kernel.operands[t] : kernel.results[t - operandCount];
    const AccessMap &map =
        isOperand ? space.operands[t].map : space.results[t - operandCount].map;
    for (size_t d = 0; d < map.size(); ++d) {
      findUsed(map[d], degrees, used);
      const DimTiles &tiles = *dimOf(kernel, kernelClass, static_cast<int>(t),
                                     value, d, map, degrees, used);
      const IndexSetTable &table = regions.table(value).dim(d);
      if (used.empty()) {
        fixed[t] *= table.size(tiles.ids[0]);
        continue;
      }
      DimSizes &dim = dims.emplace_back(DimSizes{t, used, {}});
      dim.sizes.reserve(tiles.ids.size());
      for (int id : tiles.ids)
        dim.sizes.push_back(table.size(id));
    }
  }
  if (std::optional<Band> band = space.band) {
    used.clear();
    for (int l : {band->rows, band->columns})
      if (degrees[static_cast<size_t>(l)] > 1)
        used.push_back(static_cast<size_t>(l));
    BandPieces pieces(space, degrees);
    DimSizes &dim = dims.emplace_back(DimSizes{tensors, used, {}});
    for (int64_t c = 0; c < degrees[static_cast<size_t>(band->columns)]; ++c)
      for (int64_t r = 0; r < degrees[static_cast<size_t>(band->rows)]; ++r)
        dim.sizes.push_back(pieces.isAbsent(r, c) ? -1 : pieces.pointsAt(r, c));
  }
  std::vector<CoordinateClasses> loops;
  size_t combinations = 1;
  for (size_t l = 0; l < degrees.size(); ++l)
    if (degrees[l] > 1) {
      loops.push_back(classify(space, l, degrees, dims));
      combinations *= loops.back().firsts.size();
    }

  const Topology &topology = cost.getTopology();
  size_t types = topology.deviceTypes.size();
  // A device of each type, to ask for costs.
  std::vector<int> deviceOf(types, -1);
  for (int d = topology.deviceCount(); d-- > 0;)
    deviceOf[topology.devices[d].type] = d;

  // Combinations of classes, the last loop fastest, as pieces.
  struct Price {
    ShardState state = ShardState::Compute;
    int64_t bytes = 0;
  };
  std::vector<Price> prices(combinations);
  std::vector<int64_t> ns(combinations * types, 1);
  LoopBox box = space.wholeBox();
  std::vector<int64_t> at(degrees.size());
  for (size_t k = 0; k < combinations; ++k) {
    size_t rest = k;
    for (size_t i = loops.size(); i-- > 0;) {
      const CoordinateClasses &loop = loops[i];
      size_t l = loop.loop;
      at[l] = loop.firsts[rest % loop.firsts.size()];
      rest /= loop.firsts.size();
      box[l] = cut(space.loops[l].extent, degrees[l], at[l]);
    }
    Price &price = prices[k];
    if (isEmpty(box)) {
      price.state = ShardState::Absent;
      continue;
    }
    volumes = fixed;
    for (const DimSizes &dim : dims) {
      int64_t place = 0, weight = 1;
      for (size_t l : dim.used) {
        place += at[l] * weight;
        weight *= degrees[l];
      }
      volumes[dim.tensor] *= dim.sizes[static_cast<size_t>(place)];
    }
    if (volumes[tensors] < 0) {
      price.state = ShardState::Absent;
      continue;
    }
    bool anyEmpty = false, allEmpty = operandCount > 0;
    for (size_t i = 0; i < operandCount; ++i) {
      anyEmpty |= volumes[i] == 0;
      allEmpty &= volumes[i] == 0;
    }
    // The neutral value where an operand is empty; of ops that allow that,
    // where all are.
    bool fill = space.allowsEmptyOperands ? allEmpty : anyEmpty;
    if (fill)
      price.state = ShardState::Fill;
    for (size_t r = 0; r < kernel.results.size(); ++r)
      price.bytes += volumes[operandCount + r] *
                     graph.values[kernel.results[r]].deviceElementBytes();
    const Work *work = nullptr;
    Work ofFill;
    if (fill) {
      ofFill = fillWork(graph, kernel, box);
      work = &ofFill;
    } else {
      auto [it, isNew] = works.try_emplace(kernelClass);
      if (isNew)
        it->second = kernelWork(graph, kernel, space.wholeBox());
      resizeWork(graph, kernel, box, std::span(volumes).first(tensors),
                 it->second);
      work = &it->second;
    }
    for (size_t t = 0; t < types; ++t)
      if (deviceOf[t] >= 0)
        ns[k * types + t] = cost.computeNs(deviceOf[t], *work);
  }

  // The combination of each piece.
  std::vector<int> &kinds = scratch->pieceKinds;
  kinds.assign(1, 0);
  for (const CoordinateClasses &loop : loops) {
    size_t before = kinds.size(), count = loop.classOf.size();
    auto classCount = static_cast<int>(loop.firsts.size());
    kinds.resize(before * count);
    for (size_t i = before; i-- > 0;) {
      int first = kinds[i] * classCount;
      for (size_t c = count; c-- > 0;)
        kinds[i * count + c] = first + loop.classOf[c];
    }
  }
  auto pieces = static_cast<size_t>(geometry.pieces);
  assert(kinds.size() == pieces && "a combination a piece");
  geometry.states.resize(pieces);
  geometry.resultBytes.resize(pieces);
  geometry.durationNs.assign(types, std::vector<int64_t>(pieces));
  for (size_t p = 0; p < pieces; ++p) {
    auto k = static_cast<size_t>(kinds[p]);
    geometry.states[p] = prices[k].state;
    geometry.resultBytes[p] = prices[k].bytes;
    for (size_t t = 0; t < types; ++t)
      geometry.durationNs[t][p] = ns[k * types + t];
  }
  for (const Price &price : prices)
    geometry.allCompute &= price.state == ShardState::Compute;
  return geometry;
}

void GeometryBuilder::addRegions(const Kernel &kernel,
                                 KernelGeometry &geometry) {
  assert(!geometry.hasRegions && "it has regions already");
  if (!geometry.hasTiles)
    addTiles(kernel, geometry);
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
      assert(index < set.contributions && "no such contribution");
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
  assert(degrees.size() == shape.size() && "a degree a dim");
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
