//===- ExpandScaledProducts.h - Products of 8-bit floats --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No processor that programs of CPUs are made for multiplies 8-bit floats. Each
// of them is a bf16, so a product of bf16 with sums in f32 is the same.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_OUTLINE_EXPANDSCALEDPRODUCTS_H
#define SOAP_LIB_CONVERSION_OUTLINE_EXPANDSCALEDPRODUCTS_H

#include "mlir/IR/Block.h"

namespace mlir::soap {

/// Replaces each `soap.matmul_scaled` by conversions, a matmul of bf16 and what
/// rescales its sums.
void expandScaledProducts(Block &block);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_OUTLINE_EXPANDSCALEDPRODUCTS_H
