//===- CostModel.h - Cost of tasks ------------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long one task takes on a device or between two: from measured times,
// else from curves that are fitted to measurements of this or another type of
// device, else from a roofline per class of ops (docs/CostModel.md). Times are
// integer nanoseconds, at least 1, and never decrease in flops or bytes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_COST_COSTMODEL_H
#define SOAP_COST_COSTMODEL_H

#include "Soap/Model/Graph.h"
#include "Soap/Profile/AttentionModel.h"
#include "Soap/Profile/CopyGeometry.h"
#include "Soap/Profile/Profile.h"
#include "Soap/Topology/Topology.h"

#include <optional>
#include <span>

namespace soap {

/// Work of one task.
struct Work {
  std::string kind; ///< op mnemonic, or "fill", "assemble", "combine"
  double flops = 0;
  int64_t bytes = 0; ///< read and written
  int64_t elementBytes = 4;
  OpShape shape = {}; ///< of kernels: what profiles know them by
  /// Of `bytes`, those that a generated kernel keeps in registers, and whether
  /// it is launched with another one (Fusion.h). Measured times are what they
  /// are: neither counts for them.
  int64_t registerBytes = 0;
  bool joins = false;
  /// A sum of what products on the device compute (Executor::accumulates).
  bool ofProducts = false;
  /// The part of `bytes` that is in operands. Normalizations read it twice.
  int64_t operandBytes = 0;
  /// The part of `bytes` that is in the memory of the host.
  int64_t hostBytes = 0;
  /// Of an assemble: the parts that it copies.
  CopyParts parts = {};
  /// Of a product of f32: the precision that is asked for.
  ProductPrecision precision = ProductPrecision::F32;
};

/// The figures that the time of a kernel rests on.
enum class PriceBasis {
  Measured,            ///< sizes within what was measured on this device
  BetweenMeasurements, ///< beyond these sizes, or by a curve of this device
  DataSheet            ///< by peaks: of another device's curves, or a roofline
};
/// `measured`, `between measurements`, `by data sheet`.
const char *basisName(PriceBasis basis);

class CostModel {
public:
  explicit CostModel(const Topology &topology) : topology(&topology) {}
  /// Duration of a compute task on a device, in ns, at least 1: that of its
  /// kernels, as the topology's executor runs them.
  int64_t computeNs(int device, const Work &work) const;
  /// Duration of attention as one kernel, forward or backward: as measured, or
  /// scaled by the peaks from a device that was. Nothing if no profile of the
  /// device or its bases has attention.
  std::optional<int64_t> attentionNs(int device, const AttentionShape &shape,
                                     bool isBackward) const;
  /// The basis of `computeNs`.
  PriceBasis basisOf(int device, const Work &work) const;
  /// The basis of `attentionNs`; backward is never as measured.
  PriceBasis attentionBasis(int device, const AttentionShape &shape,
                            bool isBackward) const;
  /// Duration of a transfer of one message, or of several at once, in ns.
  int64_t transferNs(int from, int to, int64_t bytes) const;
  /// Additional ns of a message whose part of a tile is not contiguous, so that
  /// the sender packs it first. 0 without measured copies.
  int64_t packNs(int device, const CopyPart &part) const;
  /// Copies of a device cost by how their parts lie in memory: `Work::parts`
  /// and `packNs` matter.
  bool knowsRuns(int device) const;
  /// Some device type has a profile: shapes of work matter.
  bool usesProfiles() const;
  /// Some device type has measured times of collectives, which may be less than
  /// its links say.
  bool hasMeasuredCollectives() const;
  const Topology &getTopology() const { return *topology; }

private:
  /// The same by measurements and peaks alone.
  int64_t kernelNs(int device, const Work &work) const;

  const Topology *topology;
};

/// Work of a kernel on a box of its loops: flops = points that count x
/// flopsPerPoint; bytes of operand and result tiles.
Work kernelWork(const Graph &graph, const Kernel &kernel, const LoopBox &box);
/// Changes `work`, which must be that of the same kernel on some other box, to
/// the work on `box`. `volumes` are the elements of the tiles of operands, then
/// of results, on `box`.
void resizeWork(const Graph &graph, const Kernel &kernel, const LoopBox &box,
                std::span<const int64_t> volumes, Work &work);
/// Work of filling the result tiles of a kernel's shard.
Work fillWork(const Graph &graph, const Kernel &kernel, const LoopBox &box);

} // namespace soap

#endif // SOAP_COST_COSTMODEL_H
