//===- FuseAttention.h - Attention as one op --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-fuse-attention and the building of training steps share it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_ATTENTION_FUSEATTENTION_H
#define SOAP_LIB_TRANSFORMS_ATTENTION_FUSEATTENTION_H

#include "mlir/IR/Block.h"

namespace mlir::soap {

/// Writes each chain of a block without gradients as `soap.attention`. With
/// `remarks`, those that are no chain get a remark that says why. Returns how
/// many were written.
int fuseAttention(Block &block, bool remarks);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_ATTENTION_FUSEATTENTION_H
