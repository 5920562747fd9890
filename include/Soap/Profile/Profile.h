//===- Profile.h - Measured times of ops and collectives --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The profile database (docs/CostModel.md): how long ops take on one type of
// device, by kind, direction, element type and shard shape, curves fitted to
// that, and how long collectives take. A JSON file; profiles of some GPUs are
// built in.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PROFILE_PROFILE_H
#define SOAP_PROFILE_PROFILE_H

#include "Soap/Model/CollectiveKind.h"
#include "Soap/Model/OpShape.h"
#include "Soap/Profile/CopyGeometry.h"
#include "Soap/Support/Error.h"

#include <array>
#include <map>
#include <utility>

namespace soap {

/// Whether channels or features (sizes 1 and 2 of convolutions and products)
/// are multiples of 16 bytes of `dtype`. Libraries take slower kernels where
/// they are not, so that a larger, aligned shape may be faster. True for f32,
/// f64 and for ops of points and bytes.
bool isAligned(const std::vector<double> &sizes, const std::string &dtype);

/// One measured shape.
struct ProfileEntry {
  std::vector<int64_t> shape; ///< extents, then strides, then bytes
  int64_t ns = 1;
};

/// Measurements of one op in one direction and element type.
struct ProfileTable {
  std::string op, direction;
  std::string dtype; ///< "f32", "tf32", "bf16", ...
  std::vector<std::string> loops;
  int strides = 0; ///< number of strides in the shapes
  std::vector<ProfileEntry> entries;
  /// How far one measurement says something about another shape: per size, in
  /// doublings; then the spread of log(measured / curve), and of noise.
  std::vector<double> lengths;
  double spread = 0.3, noise = 0.1;
  /// How much less an aligned shape says about one whose channels or features
  /// are no multiple of 16 bytes: a distance, in lengths.
  double alignment = 1;
};

/// Whether a table's only loop is `points`: it is for kernels of an op that
/// costs by points and bytes, whatever the op's loops are.
bool isByPoints(const ProfileTable &table);

/// The part of a machine that a term of a curve is for: it decides how to scale
/// to another device.
enum class CurveResource { Launch, Memory, Compute };
const char *resourceName(CurveResource resource);

/// `ns * product(sizes[i] ^ powers[i])`; no powers: constant.
struct CurveTerm {
  CurveResource resource = CurveResource::Launch;
  double ns = 0;
  std::vector<double> powers;
};

/// A roofline with the efficiency of small sizes: a sum of terms, none of them
/// negative or falling, so that no shape is cheaper than a smaller one.
struct CostCurve {
  std::string op, direction, dtype;
  std::vector<CurveTerm> terms;
};

/// Measured times of one collective over a group.
struct CollectiveEntries {
  CollectiveKind kind = CollectiveKind::AllReduce;
  int devices = 2, nodes = 1;
  /// Bytes of the whole tensor and ns, both rising.
  std::vector<std::array<int64_t, 2>> entries;
};

/// Times of the model of tiles of `ProductModel`, in ns.
struct ProductTimes {
  double launch = 0;  ///< of a kernel
  double wave = 0;    ///< of a wave of tiles, beside its depth
  double row = 0;     ///< of a row of the first operand, and
  double operand = 0; ///< of an element of it: kernels that scale it first
  double cache = 0;   ///< of a byte, up to the size of the cache
  double memory = 0;  ///< of a byte beyond
  double split = 0;   ///< of an element of the result and a part of the depth
};

/// Rows and columns of the tiles that a kernel may have; it may have them the
/// other way round.
inline constexpr std::array<std::pair<double, double>, 5> productTiles = {
    {{64, 64}, {128, 64}, {128, 128}, {256, 128}, {256, 256}}};

/// Measured products of an element type: a model of tiles, and by how much it
/// is off on a grid of sizes.
struct ProductGrid {
  std::string dtype; ///< of the operands
  int processors = 1;
  int64_t cacheBytes = 1; ///< of the cache that all of them share
  ProductTimes times;
  std::vector<double> tileNs; ///< by tile, for 64 of the depth
  /// How many times longer a product takes whose columns or depth are no
  /// multiple of 16 bytes.
  double oddFeatures = 1;
  /// Sizes of the grid, rising: of the first operand the rows, of the second
  /// one the columns, of both the depth.
  std::vector<int64_t> rows, columns, depths;
  double step = 1; ///< what differences are multiples of, -32 to 31 times
  /// log(measured / model), depths fastest; of rows that are multiples of 16,
  /// and of one more.
  std::vector<double> differences, oddDifferences;
};

/// Measured attention kernels of heads of one width: `AttentionModel`.
struct AttentionGrid {
  bool isCausal = false; ///< else a query looks at all keys
  int64_t width = 1;     ///< elements of a head
  /// Sizes of the grid, rising: heads of queries of all samples; positions;
  /// heads of keys for 64 heads of queries.
  std::vector<int64_t> heads, positions, keyHeads;
  std::vector<int64_t> ns; ///< heads of keys fastest
};

/// The shape of a row of a table: extents, strides, bytes.
OpShape shapeOf(const ProfileTable &table, std::span<const int64_t> row);

struct Profile {
  std::string device; ///< type of device that was measured
  std::string source; ///< for readers: where the figures are from
  /// A built-in profile of another device, whose tables and curves are scaled
  /// for what this one says nothing of; empty: there is none.
  std::string base;
  // Of the measured device, in the units of a topology: what curves are scaled
  // by.
  std::map<std::string, double> flopsPerSecond;
  double memoryBandwidthBytesPerSecond = 1;
  int64_t launchNs = 1;
  /// Tiles of more bytes than this are read from memory, or from a cache that
  /// is shared, when they are copied.
  int64_t cacheBytes = defaultCacheBytes;
  /// How much longer than the fastest the slower runs took of all that was
  /// measured: 0.1 is 10 % (docs/CostModel.md). 0: not known.
  double runSpread = 0;
  std::vector<ProfileTable> tables;
  std::vector<CostCurve> curves;
  std::vector<CollectiveEntries> collectives;
  /// Without collectives: links tell their prices, whatever the base has.
  bool leavesCollectivesToLinks = false;
  std::vector<ProductGrid> products;    ///< one an element type at most
  std::vector<AttentionGrid> attention; ///< of elements of 16 bits
  /// The rate of a link of a device, in bytes/s and one direction, when its
  /// collectives were measured: they say nothing of devices on links of another
  /// bandwidth. 0: not known.
  double linkBandwidthBytesPerSecond = 0;
};

/// How many times faster a shape may be recorded than one that is no larger in
/// any respect: kernels for odd shapes are slow, more is a mistake.
constexpr double maxProfileDisorder = 8;

/// Runs that differ by more were disturbed by other work on the machine: idle
/// ones differ by some hundredths.
constexpr double maxRunSpread = 0.25;

/// A warning for a profile whose runs differ by more than that, else "".
std::string doubtsOf(const Profile &profile);

/// Parses the JSON text of a profile; `file` is for messages.
Expected<Profile> parseProfile(const std::string &text,
                               const std::string &file);
/// A built-in name (`builtinProfileNames`) or a file.
Expected<Profile> loadProfile(const std::string &nameOrFile);
std::string printProfile(const Profile &profile);
/// The text of a built-in profile; null if there is none of this name.
const char *builtinProfileText(const std::string &name);
/// `a100, h100, h200`, in order.
std::string builtinProfileNames();

} // namespace soap

#endif // SOAP_PROFILE_PROFILE_H
