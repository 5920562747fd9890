//===- ScaledProducts.h - 8-bit floats in a training step -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear layers read 8-bit floats: products of a parameter with an activation,
// and their two gradients. All else stays as a step in bf16 has it
// (docs/TrainingStep.md#fp8-and-mxfp8).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_TRAININGSTEP_SCALEDPRODUCTS_H
#define SOAP_LIB_TRANSFORMS_TRAININGSTEP_SCALEDPRODUCTS_H

#include "OpMaker.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::soap {

/// Which elements share a scale.
enum class ScaleSharing {
  Tensor, ///< all of a tensor: E4M3, gradients of activations E5M2
  Blocks  ///< 32 neighbours along the contracted dim: E4M3
};

/// The names of products of which the results of a model are made, by
/// conversions, views and additions of parameters: the last layers, which stay
/// in 16 bits.
llvm::StringSet<> lastProducts(func::FuncOp model);

/// Changes the linear layers of a block that has been differentiated, and their
/// gradients. `isParameter` says it of an argument. Returns how many layers
/// read 8-bit floats; `refused` gets the others whose sizes do not fit, with
/// the reason.
int64_t scaleProducts(Block &block, ScaleSharing sharing,
                      const llvm::StringSet<> &last,
                      llvm::function_ref<bool(BlockArgument)> isParameter,
                      const OpMaker::Namer &setName,
                      SmallVectorImpl<std::string> &refused);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_TRAININGSTEP_SCALEDPRODUCTS_H
