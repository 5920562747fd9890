//===- AttentionChain.h - Attention as a chain of ops -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the ops that make up an attention: a product of queries and keys,
// scale, cap and masks, a softmax, a product with the values; and writes them
// as one op.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_ATTENTION_ATTENTIONCHAIN_H
#define SOAP_LIB_TRANSFORMS_ATTENTION_ATTENTIONCHAIN_H

#include "Masks.h"

#include <string>
#include <variant>

namespace mlir::soap {

/// softmax(cap(scale * q k^T) + biases) v over visible keys.
///
/// Shapes: queries [N, H, Q, D], keys [N, H, K, D] (or [.., D, K]), values [N,
/// H, K, E], the result [N, H, Q, E]; of rank 3, N and H are one dim.
struct AttentionChain {
  MatmulOp products;
  SoftmaxOp softmax;
  MatmulOp mixed;
  double scale = 1;
  double softcap = 0; ///< 0: none
  VisibleKeys visible;
  /// Terms of the scores, and conditions of those that are not hidden.
  SmallVector<Value> biases, conditions;
};

/// Whether a softmax looks like that of an attention: a product of matrices of
/// each sample follows. Others are results, or gates.
bool mayBeAttention(SoftmaxOp softmax);

/// The chain around a softmax, or why there is none.
std::variant<AttentionChain, std::string> findChain(SoftmaxOp softmax);

/// Replaces the chain by `soap.attention`, which has the name of the product
/// with the values. Ops that nothing reads any more are erased.
void writeAttention(const AttentionChain &chain);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_ATTENTION_ATTENTIONCHAIN_H
