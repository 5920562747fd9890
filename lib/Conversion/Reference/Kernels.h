//===- Kernels.h - The kernel of every op -----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes what ops compute, with a `KernelBuilder` whose inputs are the operands
// and whose outputs are the results of the op. One function per family; each
// returns false if the op is not of its family.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_REFERENCE_KERNELS_H
#define SOAP_LIB_CONVERSION_REFERENCE_KERNELS_H

#include "KernelBuilder.h"

#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Model/Region.h"

namespace mlir::soap {

/// The kernel of any op of the model or of a device program that computes.
/// Fails, without a diagnostic, for ops that have none.
LogicalResult emitKernel(Operation *op, KernelBuilder &k);

bool emitAttentionKernel(Operation *op, KernelBuilder &k);
bool emitLinearKernel(Operation *op, KernelBuilder &k);
bool emitPoolingKernel(Operation *op, KernelBuilder &k);
bool emitBatchNormKernel(Operation *op, KernelBuilder &k);
bool emitCrossEntropyKernel(Operation *op, KernelBuilder &k);
bool emitRowNormKernel(Operation *op, KernelBuilder &k);
bool emitGatherKernel(Operation *op, KernelBuilder &k);
bool emitLstmKernel(Operation *op, KernelBuilder &k);
bool emitExpertKernel(Operation *op, KernelBuilder &k);
/// Casts, dropout, counters: what looks at integers or positions.
bool emitIntegerKernel(Operation *op, KernelBuilder &k);
/// Scaled casts and products of 8-bit floats.
bool emitQuantizedKernel(Operation *op, KernelBuilder &k);
bool emitShapeKernel(Operation *op, KernelBuilder &k);
bool emitTileKernel(Operation *op, KernelBuilder &k);

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Every element of the results depends on one element of each operand (dims
/// of extent 1, and the bias of `bias_add`, repeat).
bool isElementwise(Operation *op);
/// Computes the op for one element of each operand: one value per result.
SmallVector<Scalar> emitScalars(Operation *op, KernelBuilder &k,
                                ArrayRef<Scalar> operands);
/// Which dims of the op's result operand `i` has: one flag per dim.
SmallVector<bool> operandDims(Operation *op, unsigned operand);

/// One kernel for elementwise ops that feed each other. `inputs` are the values
/// that the inputs of `k` hold, `outputs` the values of its outputs; all ops
/// have results of one shape. With `collapse`, loops that no operand tells
/// apart are one loop.
void emitElementwiseKernel(ArrayRef<Operation *> ops, ValueRange inputs,
                           ValueRange outputs, bool collapse, KernelBuilder &k);

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// target[targets] = source[sources]; both regions have the same shape.
void emitRegionCopy(KernelBuilder &k, const Tensor &source,
                    const ::soap::Region &sources, const Tensor &target,
                    const ::soap::Region &targets);

/// The fold of `pieces` tiles of the shape of the result, which lie one after
/// the other in one row, in that order.
void emitRowCombine(CombinerKind combiner, int64_t pieces, KernelBuilder &k);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_REFERENCE_KERNELS_H
