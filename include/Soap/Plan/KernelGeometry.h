//===- KernelGeometry.h - Pieces of a kernel by its degrees -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pieces of a kernel under some degrees: what each of them reads, writes
// and costs. That does not depend on devices and is the same for all kernels of
// a class (KernelClass.h). A search meets the same degrees again and again, so
// it is computed once.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PLAN_KERNELGEOMETRY_H
#define SOAP_PLAN_KERNELGEOMETRY_H

#include "Soap/Model/Graph.h"
#include "Soap/Model/KernelClass.h"
#include "Soap/Model/RegionTable.h"
#include "Soap/Plan/ActionCost.h"
#include "Soap/Support/VectorHash.h"

#include <memory>
#include <unordered_map>

namespace soap {

/// The work of a shard. `Absent`: none, and no task waits for it.
enum class ShardState : uint8_t {
  Absent,
  Fill,   ///< writes the neutral value, as an operand tile is empty
  Compute ///< runs the kernel
};

/// The regions of one operand that the pieces read, as numbers.
struct NeedSet {
  int id = 0; ///< unique among the sets of a shape
  std::vector<int> regions;
};

/// The regions of one result that the pieces write. A *block* is a distinct
/// region that is written; each of its pieces is a *contribution*, or, of a
/// complete value, the one contribution.
struct BlockSet {
  int id = 0;               ///< unique among the sets of a shape
  std::vector<int> regions; ///< by block, in order of first appearance
  /// Blocks as a grid: the distinct sets of each dim, and the block at each
  /// place, row-major, -1: none. No dims if they are not (nearly) a grid.
  std::vector<std::vector<int>> gridSets;
  std::vector<int> grid;
  std::vector<int> blockOf;        ///< by piece, -1: writes nothing
  std::vector<int> contributionOf; ///< by piece
  int contributions = 1;
  /// A split loop does not appear in the result's map.
  bool partial = false;
};

/// The index sets of one dim of a tensor, by the coordinates of the split loops
/// that it depends on (the first runs fastest).
struct DimTiles {
  std::vector<int> ids; ///< -1: empty
  // The rest is made for tiles.
  std::vector<int> firsts;   ///< where the same set occurs first
  std::vector<int64_t> own;  ///< indices that are in no set before it
  std::vector<int> distinct; ///< that are not empty
  int covered = -1;          ///< all of them together
  bool everyElement = false;
};

/// The regions of one operand or result that the pieces touch, dim by dim.
struct TileSets {
  size_t rank = 0;
  std::vector<int> sets;        ///< by piece, `rank` each; -1: empty
  std::vector<int64_t> volumes; ///< by piece, in elements
  /// By piece: a number that pieces with the same sets share, and elements that
  /// are in no tile of another number, each counted for one of them.
  std::vector<int64_t> tileOf, ownVolumes;
  /// Every piece reads (or writes) something, and every element of the tensor
  /// is in some piece.
  bool everyPiece = false, everyElement = false;
  /// If `isProduct`, every combination of their sets is in some piece.
  std::vector<std::shared_ptr<const DimTiles>> dims;
  bool isProduct = false;
};

struct KernelGeometry {
  std::vector<int64_t> degrees;
  int pieces = 1;
  std::vector<ShardState> states; ///< by piece
  bool allCompute = true;         ///< all of them compute
  /// Made by `GeometryBuilder::addTiles`: most proposals of a search are
  /// refused by costs.
  bool hasTiles = false;
  std::vector<TileSets> operandTiles, resultTiles;
  /// Made by `GeometryBuilder::addRegions`, after tiles.
  bool hasRegions = false;
  std::vector<NeedSet> operands;
  std::vector<BlockSet> results;
  /// Bytes that each piece writes.
  std::vector<int64_t> resultBytes;
  /// Time of each piece in ns, by device type.
  std::vector<std::vector<int64_t>> durationNs;
};

/// Numbers the sets of the values of one shape and size of elements.
struct ShapeRegions {
  ShapeRegions(size_t rank, int64_t elementBytes) : table(rank, elementBytes) {}
  RegionTable table;
  int needSets = 0, blockSets = 0;
};

/// Regions of all values of a graph. Values of one shape share them, so that
/// facts about one hold for all.
class GraphRegions {
public:
  explicit GraphRegions(const Graph &graph);
  GraphRegions(const GraphRegions &) = delete;
  GraphRegions &operator=(const GraphRegions &) = delete;

  ShapeRegions &of(int value) { return shapes[shapeOf[value]]; }
  const ShapeRegions &of(int value) const { return shapes[shapeOf[value]]; }
  RegionTable &table(int value) { return of(value).table; }
  const RegionTable &table(int value) const { return of(value).table; }

private:
  std::vector<int> shapeOf; ///< by value
  std::vector<ShapeRegions> shapes;
};

/// Computes geometries of kernels. Not safe from several threads.
class GeometryBuilder {
public:
  /// Keeps references.
  GeometryBuilder(const Graph &graph, const CostModel &cost,
                  KernelClasses &classes, GraphRegions &regions);
  ~GeometryBuilder();

  /// States, bytes and times of pieces, but neither tiles nor regions. Good for
  /// all kernels of the class.
  KernelGeometry build(const Kernel &kernel,
                       const std::vector<int64_t> &degrees);
  void addTiles(const Kernel &kernel, KernelGeometry &geometry);
  void addRegions(const Kernel &kernel, KernelGeometry &geometry);
  /// The sets of a tensor split by `degrees` per dim: as a reader and as a
  /// writer of it.
  void buildTensor(int value, const std::vector<int64_t> &degrees,
                   NeedSet &needs, BlockSet &blocks);
  /// Blocks of complete tiles, a region number per piece.
  BlockSet tiles(int value, const std::vector<int> &list);

  /// About how many bytes its cache takes.
  size_t cacheBytes() const { return knownBytes; }
  void clearCache() {
    known.clear();
    knownOthers.clear();
    knownBytes = 0;
  }

private:
  const Graph &graph;
  const CostModel &cost;
  KernelClasses &classes;
  GraphRegions &regions;
  /// Of a dim of a tensor of a class of kernels, by its split loops with their
  /// degrees. At most two loops, packed; there are few, so they are searched.
  struct KnownDim {
    std::vector<uint64_t> keys;
    std::vector<std::shared_ptr<DimTiles>> tiles;
  };
  /// By class of kernels, tensor and dim.
  std::vector<std::vector<std::vector<KnownDim>>> known;
  /// By class, tensor, dim and more than two split loops with their degrees.
  std::unordered_map<std::vector<int64_t>, std::shared_ptr<DimTiles>,
                     VectorHash>
      knownOthers;
  size_t knownBytes = 0;
  std::vector<int64_t> dimKey;
  /// By class of kernels: the work of some piece, to be resized to others.
  std::unordered_map<int, Work> works;
  struct Scratch; ///< memory of single calls
  std::unique_ptr<Scratch> scratch;

  std::shared_ptr<DimTiles> &knownDim(int kernelClass, int tensor, size_t d,
                                      const std::vector<int64_t> &degrees,
                                      const std::vector<size_t> &used);
  const std::shared_ptr<DimTiles> &dimOf(const Kernel &kernel, int kernelClass,
                                         int tensor, int value, size_t d,
                                         const AccessMap &map,
                                         const std::vector<int64_t> &degrees,
                                         const std::vector<size_t> &used);
  DimTiles makeDim(const IterationSpace &space, IndexSetTable &table,
                   const DimMap &map, int64_t extent,
                   const std::vector<int64_t> &degrees,
                   const std::vector<size_t> &used) const;
  /// Makes everything of a dim but `ids`.
  void cover(IndexSetTable &table, int64_t extent, DimTiles &dim);
  /// `tensor`: number among operands, then results.
  TileSets makeTiles(const Kernel &kernel, int tensor, int value,
                     const AccessMap &map, const std::vector<int64_t> &degrees);
};

} // namespace soap

#endif // SOAP_PLAN_KERNELGEOMETRY_H
