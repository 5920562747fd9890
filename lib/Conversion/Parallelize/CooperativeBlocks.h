//===- CooperativeBlocks.h - What blocks of threads end with ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose iterations come in blocks: each iteration writes numbers to
// memory of its block, and behind the last one of a block the block folds them
// together. The last of several blocks that end folds what all of them have
// written, so that no launch of its own does it.
//
// In the host's form a block is `soap.block` iterations that one range has,
// one after the other. The last of them has an `scf.if` at its end, marked with
// `soap.together`, in which there are only
//
// - arithmetic,
// - loops without results whose iterations are independent,
// - `memref.atomic_rmw` that counts blocks, and
// - an `scf.if` of what it gave, with the same in it.
//
// On a GPU a block is a block of threads: loops share their iterations between
// the threads and end with a barrier, one thread counts for all of them. A
// count acquires and releases, so the block that counts last sees what all
// others have written.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_PARALLELIZE_COOPERATIVEBLOCKS_H
#define SOAP_LIB_CONVERSION_PARALLELIZE_COOPERATIVEBLOCKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::soap {

/// The `scf.if` in `op` that ends a block; null if there is none.
scf::IfOp blockEndOf(Operation *op);

/// Iterations of a block of the nest; 0 if it has none.
int64_t iterationsOfBlock(scf::ForOp nest);

/// Iterations of a block of a part; 0 if it has none.
int64_t iterationsOfBlock(func::FuncOp part);

/// Fills `kernel`, which has the buffers of `part` as arguments, with blocks
/// that do what its blocks do, below `extent`. Any number of blocks of any
/// number of threads gives the same. Fails, with a message, if the end of a
/// block has something that threads cannot do together.
LogicalResult buildBlocks(gpu::GPUFuncOp kernel, func::FuncOp part,
                          int64_t extent);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_PARALLELIZE_COOPERATIVEBLOCKS_H
