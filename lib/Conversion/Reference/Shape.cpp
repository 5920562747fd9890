//===- Shape.cpp - Kernels of ops that move elements ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transpose, concat, slice, pad and buckets. A reshape has no kernel: it is the
// same buffer.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

void emitTranspose(TransposeOp op, KernelBuilder &k) {
  Tensor x = k.in(0), y = k.out();
  k.forEachOf(y.shape(), [&](ArrayRef<Index> loops) {
    SmallVector<Index> indices(loops.size());
    for (auto [i, dim] : llvm::enumerate(op.getPermutation()))
      indices[dim] = loops[i];
    y.storeRaw(loops, x.loadRaw(indices));
  });
}

void emitConcat(ConcatOp op, KernelBuilder &k) {
  Tensor y = k.out();
  int64_t axis = op.getAxis(), start = 0;
  for (size_t i = 0; i < k.inputCount(); ++i) {
    Tensor x = k.in(i);
    k.forEachOf(x.shape(), [&](ArrayRef<Index> loops) {
      SmallVector<Index> target(loops);
      target[axis] = target[axis] + start;
      y.storeRaw(target, x.loadRaw(loops));
    });
    start += x.dim(axis);
  }
}

void emitSlice(SliceOp op, KernelBuilder &k) {
  Tensor x = k.in(0), y = k.out();
  k.forEachOf(y.shape(), [&](ArrayRef<Index> loops) {
    SmallVector<Index> indices;
    for (auto [d, loop] : llvm::enumerate(loops))
      indices.push_back(loop * op.getStrides()[d] + op.getOffsets()[d]);
    y.storeRaw(loops, x.loadRaw(indices));
  });
}

void emitPad(PadOp op, KernelBuilder &k) {
  Tensor x = k.in(0), y = k.out();
  double value = op.getValue().convertToDouble();
  k.forEachOf(y.shape(), [&](ArrayRef<Index> loops) {
    SmallVector<Index> indices;
    Condition exact;
    for (auto [d, loop] : llvm::enumerate(loops)) {
      int64_t step = op.getInterior()[d] + 1;
      Index distance = loop - op.getLow()[d];
      // Division rounds towards zero: only distances in range may divide.
      exact = exact && within(distance, 0, x.dim(d) * step) &&
              distance % step == k.constant(0);
      indices.push_back(distance / step);
    }
    y.set(loops, x.guarded(indices, value, exact));
  });
}

/// Calls `visit(place, indices)` for each element of a tensor whose first
/// element is at place `start` of a bucket.
void forEachPlace(KernelBuilder &k, const Tensor &tensor, int64_t start,
                  llvm::function_ref<void(Index, ArrayRef<Index>)> visit) {
  ArrayRef<int64_t> shape = tensor.shape();
  k.forEachOf(shape, [&](ArrayRef<Index> loops) {
    Index place = k.constant(start);
    int64_t stride = 1;
    for (size_t d = loops.size(); d-- > 0; stride *= shape[d])
      place = place + loops[d] * stride;
    visit(place, loops);
  });
}

void emitBucket(BucketOp, KernelBuilder &k) {
  Tensor bucket = k.out();
  int64_t start = 0;
  for (size_t i = 0; i < k.inputCount(); ++i) {
    Tensor x = k.in(i);
    forEachPlace(k, x, start, [&](Index place, ArrayRef<Index> indices) {
      bucket.storeRaw({place}, x.loadRaw(indices));
    });
    start += ShapedType::getNumElements(x.shape());
  }
}

void emitUnbucket(UnbucketOp op, KernelBuilder &k) {
  Tensor bucket = k.in(0);
  int64_t start = 0;
  for (size_t i = 0; i < op.getYs().size(); ++i) {
    Tensor y = k.out(i);
    forEachPlace(k, y, start, [&](Index place, ArrayRef<Index> indices) {
      y.storeRaw(indices, bucket.loadRaw({place}));
    });
    start += ShapedType::getNumElements(y.shape());
  }
}

} // namespace

bool mlir::soap::emitShapeKernel(Operation *op, KernelBuilder &k) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](TransposeOp transpose) {
        return emitTranspose(transpose, k), true;
      })
      .Case([&](ConcatOp concat) { return emitConcat(concat, k), true; })
      .Case([&](SliceOp slice) { return emitSlice(slice, k), true; })
      .Case([&](PadOp pad) { return emitPad(pad, k), true; })
      .Case([&](BucketOp bucket) { return emitBucket(bucket, k), true; })
      .Case([&](UnbucketOp bucket) { return emitUnbucket(bucket, k), true; })
      .Default(false);
}
