//===- Float8.h - Bits of 8-bit floats --------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between f32 and the 8-bit floats of the OCP specifications,
// written with integers: no processor that programs are made for has them all.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_REFERENCE_FLOAT8_H
#define SOAP_LIB_CONVERSION_REFERENCE_FLOAT8_H

#include "mlir/IR/Builders.h"

namespace mlir::soap {

/// The largest number of f8E4M3FN or f8E5M2.
double largestFloat8(Type type);
/// Of that number, the exponent of the power of two.
int64_t largestExponent(Type type);

/// The f32 that `value` is, which has the type f8E4M3FN, f8E5M2 or f8E8M0FNU.
Value decodeFloat8(OpBuilder &builder, Location loc, Value value);
/// The f32 `value` rounded to the nearest number of `type`, f8E4M3FN or f8E5M2,
/// ties to even; what is beyond the largest, infinities too, becomes that. NaN
/// stays NaN.
Value encodeFloat8(OpBuilder &builder, Location loc, Value value, Type type);
/// The E8M0 scale of a block in which `amax`, an f32, is the largest size:
/// 2^(floor(log2(amax)) - e), e of `type`. NaN if `amax` is not finite.
Value encodeBlockScale(OpBuilder &builder, Location loc, Value amax, Type type);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_REFERENCE_FLOAT8_H
