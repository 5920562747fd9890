//===- KernelGeometry.h - Pieces of a kernel by its degrees -----*- C++ -*-===//
//
// What the pieces of a kernel read and write, and how long they take, depends
// on its degrees alone, not on devices. A search meets the same degrees again
// and again, so it is computed once.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_CORE_KERNELGEOMETRY_H
#define SOAP_CORE_KERNELGEOMETRY_H

#include "Soap/Core/CostModel.h"
#include "Soap/Core/Graph.h"
#include "Soap/Core/RegionTable.h"

namespace soap {

/// What a shard does. `Absent`: nothing, and nobody waits for it.
enum class ShardState : uint8_t {
  Absent,
  Fill,   ///< writes the neutral value, as an operand tile is empty
  Compute ///< runs the kernel
};

/// What the pieces read of one operand: numbers of regions.
struct NeedSet {
  int id = 0; ///< unique among the sets of a value
  std::vector<int> regions;
};

/// What the pieces write of one result. A *block* is a distinct region that is
/// written; each of its pieces is a *contribution*, or, of a complete value,
/// the one contribution.
struct BlockSet {
  int id = 0;               ///< unique among the sets of a value
  std::vector<int> regions; ///< by block, in order of first appearance
  /// Blocks as a grid: the distinct sets of each dim, and the block at each
  /// place, row-major, -1: none. No dims if they are not (nearly) a grid.
  std::vector<std::vector<int>> gridSets;
  std::vector<int> grid;
  std::vector<int> blockOf;        ///< by piece, -1: writes nothing
  std::vector<int> contributionOf; ///< by piece
  int contributions = 1;
  /// A cut loop does not appear in the result's map.
  bool partial = false;
};

/// What the pieces touch of one operand or result, dim by dim.
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
  /// Dim by dim, the distinct sets, and all of them together (-1: not known).
  /// If `isProduct`, every combination of them is in some piece.
  std::vector<std::vector<int>> setsOfDim;
  std::vector<int> covered;
  bool isProduct = false;
};

struct KernelGeometry {
  std::vector<int64_t> degrees;
  int pieces = 1;
  std::vector<ShardState> states; ///< by piece
  bool allCompute = true;         ///< all of them compute
  std::vector<TileSets> operandTiles, resultTiles;
  /// Made by `GeometryBuilder::addRegions`: costs are wanted more often.
  bool hasRegions = false;
  std::vector<NeedSet> operands;
  std::vector<BlockSet> results;
  /// Bytes that each piece writes.
  std::vector<int64_t> resultBytes;
  /// Time of each piece in ns, by device type.
  std::vector<std::vector<int64_t>> durationNs;
};

/// Numbers the sets of one value.
struct ValueRegions {
  ValueRegions(size_t rank, int64_t elementBytes) : table(rank, elementBytes) {}
  RegionTable table;
  int needSets = 0, blockSets = 0;
};

/// Computes geometries of kernels.
class GeometryBuilder {
public:
  /// Keeps references. `values` has an entry per value of the graph.
  GeometryBuilder(const Graph &graph, const CostModel &cost,
                  std::vector<ValueRegions> &values)
      : graph(graph), cost(cost), values(values) {}

  /// Everything but regions.
  KernelGeometry build(const Kernel &kernel,
                       const std::vector<int64_t> &degrees) const;
  void addRegions(const Kernel &kernel, KernelGeometry &geometry) const;
  /// The sets of a tensor cut by `degrees` per dim: as a reader and as a
  /// writer of it.
  void buildTensor(int value, const std::vector<int64_t> &degrees,
                   NeedSet &needs, BlockSet &blocks) const;
  /// Blocks of complete tiles, a region number per piece.
  BlockSet tiles(int value, const std::vector<int> &regions) const;

private:
  const Graph &graph;
  const CostModel &cost;
  std::vector<ValueRegions> &values;

  /// Restored values share the regions of what they restore.
  ValueRegions &regionsOf(int value) const {
    return values[graph.rootOf(value)];
  }
  /// `coordinates`: of each piece, one per loop.
  TileSets makeTiles(const Kernel &kernel, int value, const AccessMap &map,
                     const std::vector<int64_t> &degrees,
                     const std::vector<int> &coordinates) const;
};

} // namespace soap

#endif // SOAP_CORE_KERNELGEOMETRY_H
