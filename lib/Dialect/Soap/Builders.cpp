//===- Builders.cpp - Ops by what C++ users know of them ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Result types follow from operands, attributes that are seldom set from
// nothing. What does not fit is found by the verifier.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

using namespace mlir;
using namespace mlir::soap;

void CastOp::build(OpBuilder &builder, OperationState &state, Value x,
                   Type elementType) {
  build(builder, state, cast<RankedTensorType>(x.getType()).clone(elementType),
        x);
}

void DropoutOp::build(OpBuilder &builder, OperationState &state, Value x,
                      double rate, int64_t seed) {
  build(builder, state, x.getType(), x, /*step=*/Value(), APFloat(rate),
        static_cast<uint64_t>(seed));
}

void MatmulOp::build(OpBuilder &builder, OperationState &state, Value a,
                     Value b) {
  build(builder, state, a, b, /*transpose_a=*/false, /*transpose_b=*/false,
        /*k_factors=*/DenseI64ArrayAttr());
}

void BroadcastOp::build(OpBuilder &builder, OperationState &state, Value x,
                        ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  build(builder, state, tensorLike(x, shape), x, axes);
}

void ReshapeOp::build(OpBuilder &builder, OperationState &state, Value x,
                      ArrayRef<int64_t> shape) {
  build(builder, state, tensorLike(x, shape), x);
}

void SliceOp::build(OpBuilder &builder, OperationState &state, Value x,
                    ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides(sizes.size(), 1);
  build(builder, state, x, offsets, sizes, ArrayRef<int64_t>(strides));
}

void PadOp::build(OpBuilder &builder, OperationState &state, Value x,
                  ArrayRef<int64_t> low, ArrayRef<int64_t> high, double value) {
  SmallVector<int64_t> shape(shapeOf(x)), interior(shape.size(), 0);
  for (auto [extent, before, after] : llvm::zip(shape, low, high))
    extent += before + after;
  build(builder, state, tensorLike(x, shape), x, low,
        ArrayRef<int64_t>(interior), APFloat(value));
}

void ConstantOp::build(OpBuilder &builder, OperationState &state,
                       ElementsAttr value) {
  build(builder, state, cast<Type>(value.getShapedType()), value);
}
