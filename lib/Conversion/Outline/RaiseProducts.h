//===- RaiseProducts.h - Products of linalg for the library -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes products and convolutions among structured ops.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_OUTLINE_RAISEPRODUCTS_H
#define SOAP_LIB_CONVERSION_OUTLINE_RAISEPRODUCTS_H

#include "mlir/IR/Block.h"

namespace mlir::soap {

/// Replaces products and convolutions of linalg in f32, 1-D and 2-D ones of any
/// layout, grouped and depthwise, by `soap.matmul` and `soap.conv2d`, which are
/// calls of the library. An init operand that is not 0 is added afterwards.
/// What has another form stays.
void raiseProducts(Block &block);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_OUTLINE_RAISEPRODUCTS_H
