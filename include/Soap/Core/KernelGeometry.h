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
  int id = 0;                      ///< unique among the sets of a value
  std::vector<int> regions;        ///< by block, in order of first appearance
  std::vector<int> blockOf;        ///< by piece, -1: writes nothing
  std::vector<int> contributionOf; ///< by piece
  int contributions = 1;
  /// A cut loop does not appear in the result's map.
  bool partial = false;
};

struct KernelGeometry {
  std::vector<int64_t> degrees;
  int pieces = 1;
  std::vector<ShardState> states; ///< by piece
  std::vector<NeedSet> operands;
  std::vector<BlockSet> results;
  /// Bytes that each piece writes.
  std::vector<int64_t> resultBytes;
  /// Time of each piece in ns, by device type.
  std::vector<std::vector<int64_t>> durationNs;
};

/// Numbers the sets of one value.
struct ValueRegions {
  explicit ValueRegions(int64_t elementBytes) : table(elementBytes) {}
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

  KernelGeometry build(const Kernel &kernel,
                       const std::vector<int64_t> &degrees) const;
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
};

} // namespace soap

#endif // SOAP_CORE_KERNELGEOMETRY_H
