//===- Precision.h - Precision of products of f32 ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The precision of f32 products: devices with tensor cores compute matrix
// products and convolutions in several, which differ by an order of magnitude
// in speed. One choice holds for a module (`soap.precision`): the cost model
// prices it and the lowering computes it (docs/CostModel.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_PRECISION_H
#define SOAP_MODEL_PRECISION_H

#include <optional>
#include <string_view>

namespace soap {

/// The bits that matmul, convolution, their gradients and recurrences read of
/// operands of f32. Sums are in f32 in all of them.
enum class ProductPrecision {
  F32,  ///< all 23 bits of fraction
  TF32, ///< f32 in memory, of which 10 bits of fraction are read
  BF16, ///< rounded to bf16
};

/// `f32`, `tf32` or `bf16`.
const char *precisionName(ProductPrecision precision);
/// None if `name` is not one of these.
std::optional<ProductPrecision> findPrecision(std::string_view name);

} // namespace soap

#endif // SOAP_MODEL_PRECISION_H
