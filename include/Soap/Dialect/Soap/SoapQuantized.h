//===- SoapQuantized.h - Products of 8-bit floats ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op classes of SoapQuantizedOps.td, which SoapOps.h lacks: few files speak
// of them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_SOAPQUANTIZED_H
#define SOAP_DIALECT_SOAP_SOAPQUANTIZED_H

#include "Soap/Dialect/Soap/SoapOps.h"

#define GET_OP_CLASSES
#include "Soap/Dialect/Soap/SoapQuantized.h.inc"

namespace mlir::soap {

/// Neighbours that share a scale in the MX formats.
inline constexpr int64_t kScaleBlock = 32;

/// f8E4M3FN, f8E5M2 or f8E8M0FNU: types of which only the ops of this file, and
/// what moves elements, have kernels.
bool isScaledElement(Type element);
/// The dim of which `scales` have a block each, -1 if they are of no such
/// shape.
int64_t blockAxis(ArrayRef<int64_t> shape, ArrayRef<int64_t> scales);

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_SOAPQUANTIZED_H
