//===- ExactForms.h - Logarithms without loss of digits ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One op of what exporters write as several, where several lose digits.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_ONNX_EXACTFORMS_H
#define SOAP_LIB_TARGET_ONNX_EXACTFORMS_H

#include "Importer.h"

namespace mlir::soap::onnx {

/// Replaces log1p, expm1, softplus and logsigmoid in pieces by ops, and atan2
/// by others. The pieces stay, without users.
void recognizeExactForms(GraphImporter &importer, Block &body);

} // namespace mlir::soap::onnx

#endif // SOAP_LIB_TARGET_ONNX_EXACTFORMS_H
