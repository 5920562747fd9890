//===- Models.h - Interfaces of ops of linalg programs ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that the models of structured, elementwise and tensor ops share,
// and the functions that attach them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_EXTENSIONS_LINALG_MODELS_H
#define SOAP_LIB_EXTENSIONS_LINALG_MODELS_H

#include "Soap/Dialect/Soap/SoapInterfaces.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::soap {

/// Attach models to the ops of a loaded dialect.
void attachStructuredModels(MLIRContext *context);
void attachTensorModels(MLIRContext *context);
void attachSoftmaxModel(MLIRContext *context);
void attachGatherModel(MLIRContext *context);
void attachPackModels(MLIRContext *context);
/// Of arith or math: all ops that are elementwise on tensors.
void attachElementwiseModels(MLIRContext *context, StringRef dialect);
void attachConstantModel(MLIRContext *context);

/// Loops d0, d1, ... of the dims of a static tensor type.
std::vector<::soap::Loop> dimLoops(Type type);
/// One loop per dim, in order.
::soap::AccessMap identityAccess(Type type);
/// A loop per dim of result 0; the result and all operands that are read have
/// the identity map.
::soap::IterationSpace elementwiseSpaceOf(Operation *op);

/// The operands of the op on tiles: `tiles` for those that are read, copies of
/// scalars, and null for tensors that are not read.
SmallVector<Value> localOperands(Operation *op, OpBuilder &builder,
                                 ValueRange tiles);
/// Types of the results on tiles.
SmallVector<Type> localTypes(Operation *op,
                             ArrayRef<::soap::Region> resultRegions);
/// Takes off the attributes of the whole op that a shard does not have.
void dropSoapAttributes(Operation *local);

/// The number that all elements of an init operand are, if they are known to
/// be one: a constant fill or a splat; else null.
TypedAttr knownInit(Value init);

/// The kernel of a structured op: linalg on buffers.
LogicalResult emitStructuredKernel(linalg::LinalgOp op, OpBuilder &builder,
                                   ValueRange inputs, ValueRange outputs);
/// The kernel of an elementwise op of arith or math.
LogicalResult emitElementwiseKernel(Operation *op, OpBuilder &builder,
                                    ValueRange inputs, ValueRange outputs);
/// The kernel of an op of the tensor dialect; fails for one without a kernel.
LogicalResult emitTensorKernel(Operation *op, OpBuilder &builder,
                               ValueRange inputs, ValueRange outputs);

} // namespace mlir::soap

#endif // SOAP_LIB_EXTENSIONS_LINALG_MODELS_H
