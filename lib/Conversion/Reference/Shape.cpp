//===- Shape.cpp - Kernels of ops that move elements ----------------------===//
//
// Transpose, concat, slice and pad. A reshape has no kernel: it is the same
// buffer.
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

} // namespace

bool mlir::soap::emitShapeKernel(Operation *op, KernelBuilder &k) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](TransposeOp transpose) {
        return emitTranspose(transpose, k), true;
      })
      .Case([&](ConcatOp concat) { return emitConcat(concat, k), true; })
      .Case([&](SliceOp slice) { return emitSlice(slice, k), true; })
      .Case([&](PadOp pad) { return emitPad(pad, k), true; })
      .Default(false);
}
