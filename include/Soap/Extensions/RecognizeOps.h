//===- RecognizeOps.h - Softmax and norms in programs -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of the soap dialect in place of the linalg ops that compute the same.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_EXTENSIONS_RECOGNIZEOPS_H
#define SOAP_EXTENSIONS_RECOGNIZEOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace mlir::soap {

/// How many ops were recognized, by kind.
struct RecognizedOps {
  int softmaxes = 0, softmaxGrads = 0;
  int layerNorms = 0, layerNormGrads = 0;
  int rmsNorms = 0, rmsNormGrads = 0;
  int gelus = 0, geluGrads = 0;
  int accumulates = 0;

  int count() const {
    return softmaxes + softmaxGrads + layerNorms + layerNormGrads + rmsNorms +
           rmsNormGrads + gelus + geluGrads + accumulates;
  }
  /// `2 softmax, 1 layer_norm_grad`.
  std::string text() const;
};

/// Replaces softmax, layer norm and RMS norm along one dim, gelu, and their
/// gradients, that linalg ops of a function of one block compute. Only f32 and
/// f64. What the ops compute is compared as a whole, in any form and order of
/// additions and multiplications; up to rounding the numbers stay equal. A
/// group of ops stays as it is where another op needs a value in the middle of
/// it. Ops that nothing uses afterwards are erased. Additions of sums over the
/// samples (`soap.sample_dim`) become one `soap.accumulate`, of 16-bit floats
/// in f32: devices add up their contributions before these are reduced.
RecognizedOps recognizeOps(func::FuncOp function);

} // namespace mlir::soap

#endif // SOAP_EXTENSIONS_RECOGNIZEOPS_H
