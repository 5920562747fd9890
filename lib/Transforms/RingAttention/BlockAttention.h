//===- BlockAttention.h - All attentions of a function ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the attentions of functions in blocks: for the pass
// soap-block-attention, and for searches that split sequences.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_RINGATTENTION_BLOCKATTENTION_H
#define SOAP_LIB_TRANSFORMS_RINGATTENTION_BLOCKATTENTION_H

#include "Blocks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::soap {

/// train_step, accumulate_step, evaluate and forward, those that there are.
SmallVector<func::FuncOp> functionsWithAttention(ModuleOp module);

/// Writes the attentions of a function in blocks. An attention that is not
/// known stays whole, with a warning; a remark says how many are in blocks. An
/// error if none is known, if blocks do not divide a sequence, or if ops have
/// configs.
LogicalResult blockAttention(func::FuncOp function,
                             const BlockOptions &options);

/// The positions of the longest sequence of an attention that is whole, and can
/// be written in blocks; 0: there is none.
int64_t longestAttention(func::FuncOp function);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_RINGATTENTION_BLOCKATTENTION_H
