//===- Rounding.h - Rounding to whole numbers -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rounding that quantization needs.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_ONNX_OPS_ROUNDING_H
#define SOAP_LIB_TARGET_ONNX_OPS_ROUNDING_H

#include "Target/ONNX/Importer.h"

namespace mlir::soap::onnx {

/// x to the nearest whole number, halves to the even one.
Value createRounded(NodeContext &node, StringRef suffix, Value x);

} // namespace mlir::soap::onnx

#endif // SOAP_LIB_TARGET_ONNX_OPS_ROUNDING_H
