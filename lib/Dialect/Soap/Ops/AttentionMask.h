//===- AttentionMask.h - Checks of what masks scores ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bias, segments, softcap and bounds, which attention and its tiles have in
// common. Private to the dialect's library.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_DIALECT_SOAP_OPS_ATTENTIONMASK_H
#define SOAP_LIB_DIALECT_SOAP_OPS_ATTENTIONMASK_H

#include "Dialect/Soap/OpSupport.h"

namespace mlir::soap {

inline LogicalResult checkAttentionBias(EmitError emitError, Value bias,
                                        ArrayRef<int64_t> scores) {
  if (!bias)
    return success();
  ArrayRef<int64_t> shape = shapeOf(bias);
  bool fits = shape.size() == scores.size();
  for (size_t d = 0; fits && d < scores.size(); ++d)
    fits = shape[d] == scores[d] || shape[d] == 1;
  if (fits)
    return success();
  return emitError() << "expected a bias that broadcasts to "
                     << shapeString(scores) << ", got " << bias.getType();
}

/// Of `op`, or its adaptor, whose scores are [N, H, Q, K].
template <typename Op>
LogicalResult checkAttentionMask(EmitError emitError, Op op,
                                 ArrayRef<int64_t> scores) {
  if (failed(checkAttentionBias(emitError, op.getBias(), scores)))
    return failure();
  Value querySegments = op.getQuerySegments(),
        keySegments = op.getKeySegments();
  if (!querySegments != !keySegments)
    return emitError() << "expected segments of both queries and keys, or of "
                          "neither, got segments of "
                       << (querySegments ? "queries" : "keys") << " only";
  if (querySegments &&
      (failed(checkShape(emitError, "query segments", querySegments.getType(),
                         {scores[0], scores[2]})) ||
       failed(checkShape(emitError, "key segments", keySegments.getType(),
                         {scores[0], scores[3]}))))
    return failure();
  if (!op.getScale().isFinite())
    return emitError() << "'scale' must be finite";
  if (!op.getSoftcap().isFinite() || op.getSoftcap().isNegative())
    return emitError() << "'softcap' must be finite and not negative, got "
                       << op.getSoftcap().convertToDouble();
  auto isIndex = [&](StringRef name, int64_t value) -> LogicalResult {
    if (value >= -maxExtent && value <= maxExtent)
      return success();
    return emitError() << "'" << name << "' must be in [-2^40, 2^40], got "
                       << value;
  };
  return failure(
      failed(isIndex("left", static_cast<int64_t>(op.getLeft().value_or(0)))) ||
      failed(
          isIndex("right", static_cast<int64_t>(op.getRight().value_or(0)))) ||
      failed(isIndex("offset", static_cast<int64_t>(op.getOffset()))));
}

} // namespace mlir::soap

#endif // SOAP_LIB_DIALECT_SOAP_OPS_ATTENTIONMASK_H
