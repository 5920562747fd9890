//===- NarrowValues.h - What is bf16 in programs of f32 ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs in bf16 say so by roundings: a cast to bf16, and one back. Shared by
// the passes that make library calls of them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_NARROWVALUES_H
#define SOAP_LIB_CONVERSION_GPU_NARROWVALUES_H

#include "Soap/Dialect/Soap/SoapOps.h"

namespace mlir::soap {

inline RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The bf16 value that `value` was cast from; null: there is none.
inline Value narrowOf(Value value) {
  auto wide = value.getDefiningOp<CastOp>();
  bool isNarrow = wide && typeOf(wide.getX()).getElementType().isBF16() &&
                  typeOf(value).getElementType().isF32();
  return isNarrow ? wide.getX() : Value();
}

/// Whether `value` was cast from f16, whose numbers tf32 holds without
/// rounding.
inline bool wasHalf(Value value) {
  auto wide = value.getDefiningOp<CastOp>();
  return wide && typeOf(wide.getX()).getElementType().isF16() &&
         typeOf(value).getElementType().isF32();
}

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_NARROWVALUES_H
