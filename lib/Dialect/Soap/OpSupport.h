//===- OpSupport.h - What the op implementations share ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short spellings for building iteration spaces, and the checks that shape
// inference and verifiers have in common. Private to the dialect's library.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_DIALECT_SOAP_OPSUPPORT_H
#define SOAP_LIB_DIALECT_SOAP_OPSUPPORT_H

#include "Soap/Dialect/Soap/SoapOps.h"

namespace mlir::soap {

using ::soap::AccessMap;
using ::soap::Combiner;
using ::soap::DimMap;
using ::soap::IterationSpace;
using ::soap::IteratorType;
using ::soap::Loop;
using ::soap::LoopBox;
using TileRegion = ::soap::Region; // `Region` is also MLIR's.
using ::soap::Term;

// Defined by the shards of the generated op definitions.
void registerSoapDialectOperations(SoapDialect *dialect);
void registerSoapDialectOperations0(SoapDialect *dialect);
void registerSoapDialectOperations1(SoapDialect *dialect);
void registerSoapDialectOperations2(SoapDialect *dialect);
// The ops of SoapCollectiveOps.td.
void registerCollectiveOps(SoapDialect *dialect);
// The ops of SoapAttentionTiles.h.
void registerAttentionTileOps(SoapDialect *dialect);
// The ops of SoapQuantized.h.
void registerQuantizedOps(SoapDialect *dialect);
/// Names of long attributes and types, at the top of a module.
void addAliases(SoapDialect *dialect);

/// Reports an error of an op that exists already or is about to be inferred.
using EmitError = function_ref<InFlightDiagnostic()>;

/// Shapes stay below these limits so that no index arithmetic overflows: a dim,
/// and numbers that are added to places along it, and all elements of a tensor.
constexpr int64_t maxExtent = int64_t(1) << 40;
constexpr int64_t maxElements = int64_t(1) << 44;
/// Of strides, dilations and kernel extents.
constexpr int64_t maxStride = int64_t(1) << 20;

inline ArrayRef<int64_t> shapeOf(Type type) {
  return cast<RankedTensorType>(type).getShape();
}
inline ArrayRef<int64_t> shapeOf(Value value) {
  return shapeOf(value.getType());
}
inline std::vector<int64_t> toVector(ArrayRef<int64_t> values) {
  return values.vec();
}
/// `64x1x28x28`, for messages; a scalar is `scalar`.
std::string shapeString(ArrayRef<int64_t> shape);

/// A tensor type of static shape without zero dims, each of at most
/// `maxExtent`, and with at most `maxElements` elements.
LogicalResult checkTensorType(EmitError emitError, Type type);
/// `value` has `rank` dims.
LogicalResult checkRank(EmitError emitError, StringRef what, Value value,
                        int64_t rank);
/// `value` has `shape`.
LogicalResult checkShape(EmitError emitError, StringRef what, Type type,
                         ArrayRef<int64_t> shape);
/// `values` has `count` entries in `[low, high]`.
LogicalResult checkArray(EmitError emitError, StringRef name,
                         ArrayRef<int64_t> values, size_t count, int64_t low,
                         int64_t high);
/// `axis` is a dim of a tensor of `rank` dims.
LogicalResult checkAxis(EmitError emitError, int64_t axis, int64_t rank);
/// `axes` are sorted, unique dims of a tensor of `rank` dims.
LogicalResult checkAxes(EmitError emitError, ArrayRef<int64_t> axes,
                        int64_t rank);

/// Shape inference runs for builders (no location) and for the verifier: the
/// errors of `body(emitError)` are reported where there is a location.
/// Operands are known to have checked tensor types when `body` runs.
LogicalResult inferTypes(StringRef opName, std::optional<Location> location,
                         ValueRange operands,
                         function_ref<LogicalResult(EmitError)> body);
/// Tensor type of `shape` with the element type of `like`.
RankedTensorType tensorLike(Value like, ArrayRef<int64_t> shape);
/// Statistics of `like`: as `tensorLike`, but f32 for floats of fewer bits.
RankedTensorType statisticsLike(Value like, ArrayRef<int64_t> shape);
/// `x` with elements of the type that statistics of it have: itself, or a cast.
Value widened(OpBuilder &builder, Location loc, Value x);
/// `x` as a value of `type`, which has its shape: itself, or a cast.
Value castLike(OpBuilder &builder, Location loc, Value x, Type type);

/// Loops d0, d1, ... of the dims of `shape`.
std::vector<Loop> dimLoops(ArrayRef<int64_t> shape,
                           IteratorType type = IteratorType::Parallel);
/// `[loop first, loop first + 1, ...]` for `rank` dims.
AccessMap identityMap(size_t rank, int first = 0);
/// One loop per position; -1 is a whole dim.
AccessMap loopMap(ArrayRef<int> loops);
/// NumPy broadcasting of `operand` to loops that are the dims of `result`.
AccessMap broadcastMap(ArrayRef<int64_t> operand, ArrayRef<int64_t> result);
/// Space whose loops are the dims of `result` and whose operands and results
/// all have the identity map.
IterationSpace elementwiseSpace(Operation *op, ArrayRef<int64_t> shape);

} // namespace mlir::soap

#endif // SOAP_LIB_DIALECT_SOAP_OPSUPPORT_H
