//===- Attention.h - Attention chains of a function -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the ops that make up an attention: products of queries and keys, a
// scale, a causal mask, a softmax, products with the values, and their
// gradients.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_RINGATTENTION_ATTENTION_H
#define SOAP_LIB_TRANSFORMS_RINGATTENTION_ATTENTION_H

#include "Soap/Dialect/Soap/SoapOps.h"

#include <string>
#include <variant>

namespace mlir::soap {

/// softmax(factor * q k^T, causal or not) v, and its gradients.
///
/// Shapes: q [X.., H, T, D], keys [X.., K, S, D], values [X.., K, S, E], the
/// result [X.., H, T, E]; each of the K heads of keys and values serves
/// `group` = H / K heads of queries. Of rank 3, X and H are one dim.
struct Attention {
  MatmulOp products;
  SoftmaxOp softmax;
  MatmulOp mixed;
  Value queries;
  /// With dims [.., D, S] if `keysAreColumns`.
  Value keys;
  Value values;
  bool keysAreColumns = false;
  int64_t group = 1;
  double factor = 1;
  bool isCausal = false;

  /// The gradient of the result of `mixed`, of which the others are computed.
  /// Null: the function has no gradients of this attention.
  Value resultGrad;
  /// The first op that reads `resultGrad` for one of the gradients.
  Operation *firstGrad = nullptr;
  /// The gradients, of the shapes of `queries`, `keys` and `values`; null: not
  /// computed.
  Value queriesGrad, keysGrad, valuesGrad;

  /// Positions of the sequence.
  int64_t length() const {
    return cast<RankedTensorType>(queries.getType()).getShape().end()[-2];
  }
};

/// The attention whose softmax it is, or why it is none.
std::variant<Attention, std::string> findAttention(SoftmaxOp softmax);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_RINGATTENTION_ATTENTION_H
