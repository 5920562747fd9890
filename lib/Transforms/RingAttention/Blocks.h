//===- Blocks.h - Attention, block by block ---------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes an attention as steps over blocks of keys and values, with an online
// softmax, and its gradients as steps that compute the scores again.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_RINGATTENTION_BLOCKS_H
#define SOAP_LIB_TRANSFORMS_RINGATTENTION_BLOCKS_H

#include "Attention.h"

#include "llvm/ADT/StringSet.h"

namespace mlir::soap {

struct BlockOptions {
  /// At least 2; they divide the length of the attention.
  int64_t blocks = 2;
  /// Steps by which blocks of keys and values run ahead of scores.
  int64_t ahead = 1;
};

/// Replaces an attention and its gradients. `names` has the names of all ops of
/// the function; new ones are added. Ops that nothing reads any more are
/// erased.
void writeBlocks(const Attention &attention, const BlockOptions &options,
                 llvm::StringSet<> &names);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_RINGATTENTION_BLOCKS_H
